"""As much of JSON Schema as the published schema uses; a keyword that it does not know is an error, not a pass."""

import re
from collections.abc import Callable
from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}

RULES: dict[str, Callable[[Any, Any], bool]] = {
    "type": lambda value, said: isinstance(value, TYPES[said]) and not isinstance(value, bool),
    "const": lambda value, said: bool(value == said),
    "enum": lambda value, said: value in said,
    "pattern": lambda value, said: isinstance(value, str) and re.search(said, value) is not None,
    "minimum": lambda value, said: isinstance(value, int | float) and value >= said,
    "maximum": lambda value, said: isinstance(value, int | float) and value <= said,
    "exclusiveMinimum": lambda value, said: isinstance(value, int | float) and value > said,
    **dict.fromkeys(("minLength", "minItems", "minProperties"), lambda value, said: len(value) >= said),
    "maxItems": lambda value, said: len(value) <= said,
    "uniqueItems": lambda value, said: len(set(value)) == len(value),
    "required": lambda value, said: set(said) <= set(value),
}

SAYINGS = {"$schema", "$id", "title", "description", "$defs"}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """What the value does against the schema, each with its place."""
    if "type" in schema and not RULES["type"](value, schema["type"]):
        return [f"{at}: type"]
    found: list[str] = []
    for keyword, said in schema.items():
        if keyword not in RULES and keyword not in SAYINGS:
            found += _faults_inside(keyword, value, schema, root, at)
        elif keyword in RULES and not RULES[keyword](value, said):
            found.append(f"{at}: {keyword}")
    return found


def _faults_inside(keyword: str, value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    said = schema[keyword]
    parts: dict[str, tuple[Any, Any]] = {}
    match keyword:
        case "$ref":
            parts = {at: (value, root["$defs"][said.removeprefix("#/$defs/")])}
        case "anyOf":
            return [] if any(not faults(value, part, root, at) for part in said) else [f"{at}: anyOf"]
        case "items":
            parts = {f"{at}[{i}]": (part, said) for i, part in enumerate(value)}
        case "properties":
            parts = {f"{at}.{name}": (value[name], said[name]) for name in set(value) & set(said)}
        case "additionalProperties":
            others = set(value) - set(schema.get("properties", {}))
            if said is False:
                return [f"{at}: {keyword}"] if others else []
            parts = {f"{at}.{name}": (value[name], said) for name in others}
        case _:
            raise NotImplementedError(keyword)
    return [fault for place, (part, rule) in parts.items() for fault in faults(part, rule, root, place)]
