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
    "type": lambda value, constraint: isinstance(value, TYPES[constraint]) and not isinstance(value, bool),
    "const": lambda value, constraint: bool(value == constraint),
    "enum": lambda value, constraint: value in constraint,
    "pattern": lambda value, constraint: isinstance(value, str) and re.search(constraint, value) is not None,
    "minimum": lambda value, constraint: isinstance(value, int | float) and value >= constraint,
    "maximum": lambda value, constraint: isinstance(value, int | float) and value <= constraint,
    "exclusiveMinimum": lambda value, constraint: isinstance(value, int | float) and value > constraint,
    **dict.fromkeys(("minLength", "minItems", "minProperties"), lambda value, constraint: len(value) >= constraint),
    "maxItems": lambda value, constraint: len(value) <= constraint,
    "uniqueItems": lambda value, constraint: len(set(value)) == len(value),
    "required": lambda value, constraint: set(constraint) <= set(value),
}

SAYINGS = {"$schema", "$id", "title", "description", "$defs"}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """What the value does against the schema, each with its place."""
    if "type" in schema and not RULES["type"](value, schema["type"]):
        return [f"{at}: type"]
    problems: list[str] = []
    for keyword, constraint in schema.items():
        if keyword not in RULES and keyword not in SAYINGS:
            problems += _faults_inside(keyword, value, schema, root, at)
        elif keyword in RULES and not RULES[keyword](value, constraint):
            problems.append(f"{at}: {keyword}")
    return problems


def _faults_inside(keyword: str, value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    constraint = schema[keyword]
    parts: dict[str, tuple[Any, Any]] = {}
    match keyword:
        case "$ref":
            parts = {at: (value, root["$defs"][constraint.removeprefix("#/$defs/")])}
        case "anyOf":
            return [] if any(not faults(value, part, root, at) for part in constraint) else [f"{at}: anyOf"]
        case "items":
            parts = {f"{at}[{i}]": (part, constraint) for i, part in enumerate(value)}
        case "properties":
            parts = {f"{at}.{name}": (value[name], constraint[name]) for name in set(value) & set(constraint)}
        case "additionalProperties":
            others = set(value) - set(schema.get("properties", {}))
            if constraint is False:
                return [f"{at}: {keyword}"] if others else []
            parts = {f"{at}.{name}": (value[name], constraint) for name in others}
        case _:
            raise NotImplementedError(keyword)
    return [fault for place, (part, rule) in parts.items() for fault in faults(part, rule, root, place)]
