"""As much of JSON Schema as the published schema uses; a keyword that it does not know is an error, not a pass."""

import re
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}

SAYINGS = {"$schema", "$id", "title", "description", "$defs"}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """What the value does against the schema, each with its place."""
    if "type" in schema and not _obeys("type", schema["type"], value, schema, root, at, []):
        return [f"{at}: type"]
    found: list[str] = []
    for keyword, said in schema.items():
        if keyword not in SAYINGS and not _obeys(keyword, said, value, schema, root, at, found):
            found.append(f"{at}: {keyword}")
    return found


def _obeys(
    keyword: str, said: Any, value: Any, schema: dict[str, Any], root: dict[str, Any], at: str, found: list[str]
) -> bool:
    match keyword:
        case "$ref":
            found += faults(value, root["$defs"][said.removeprefix("#/$defs/")], root, at)
            return True
        case "anyOf":
            return any(not faults(value, part, root, at) for part in said)
        case "type":
            return isinstance(value, TYPES[said]) and not isinstance(value, bool)
        case "const":
            return bool(value == said)
        case "enum":
            return value in said
        case "pattern":
            return isinstance(value, str) and re.search(said, value) is not None
        case "minimum" | "maximum" | "exclusiveMinimum":
            return isinstance(value, int | float) and _within(keyword, said, value)
        case "minLength" | "minItems" | "minProperties":
            return bool(len(value) >= said)
        case "maxItems":
            return bool(len(value) <= said)
        case "uniqueItems":
            return len(set(value)) == len(value)
        case "required":
            return set(said) <= set(value)
        case "items":
            found += [fault for i, part in enumerate(value) for fault in faults(part, said, root, f"{at}[{i}]")]
            return True
        case "properties":
            for name in set(value) & set(said):
                found += faults(value[name], said[name], root, f"{at}.{name}")
            return True
        case "additionalProperties":
            others = set(value) - set(schema.get("properties", {}))
            if said is False:
                return not others
            for name in others:
                found += faults(value[name], said, root, f"{at}.{name}")
            return True
    raise NotImplementedError(keyword)


def _within(keyword: str, said: float, value: float) -> bool:
    return {"minimum": value >= said, "maximum": value <= said, "exclusiveMinimum": value > said}[keyword]
