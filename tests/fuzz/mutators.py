"""Changes that keep the shape of an input, so that a fuzzer gets past its first line: documents, rows, bodies."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Mutate = Callable[[bytes, int], bytes]
"""What the fuzzer does to bytes by itself, up to a length."""

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 0.5, 1e308, 5e-324, 10**18, 10**40, "", "0", "1/3", "-1", "nan", "1e999", "1/0",
    "\u202e", "a\nb", "\ud800", "=1", [], [[]], {}, {"": None}, "x" * 300, [0] * 300, "replace-one", "add-remove",
]  # fmt: skip


def document(data: bytes, mutate: Mutate, most: int, chance: random.Random) -> bytes:
    """Another JSON document: something in it is replaced, moved, doubled or dropped."""
    try:
        changed = deepcopy(json.loads(data))
    except (ValueError, RecursionError):
        return mutate(data, most)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        changed = _changed(changed, chance)
    return json.dumps(changed).encode("latin-1", "replace")[:most]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index of it."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left and len(found) < 5000:
        each = left.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        found += [(each, key) for key in keys]
        left += [each[key] for key in keys]
    return found


def _changed(value: Any, chance: random.Random) -> Any:
    places = _places(value)
    if not places:
        return chance.choice(ODD)
    (holder, key), (other, there) = chance.choice(places), chance.choice(places)
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1:
            holder[key] = deepcopy(other[there])
        case 2 if isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), deepcopy(holder[key]))
        case 3 if isinstance(holder, dict):
            holder[chance.choice(["", "n", str(there), "extra"])] = holder.pop(key)
        case 4 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = chance.choice([holder[key] + 1, holder[key] - 1, -holder[key], holder[key] * 10**6])
        case _:
            holder[key] = deepcopy(chance.choice(ODD))
    return value


def rows(data: bytes, mutate: Mutate, most: int, chance: random.Random) -> bytes:
    """Another ledger: one row is changed, and all are chained anew, as somebody who knows the rule can."""
    header, *lines = data.splitlines(keepends=True)
    if not lines or not header.startswith(b"discreet-ledger"):
        return mutate(data, most)
    try:
        told = [json.loads(line[65:]) for line in lines]
    except ValueError:
        return mutate(data, most)
    told = _changed(told, chance)
    previous, chained = "0" * 64, [header]
    for row in told:
        if isinstance(row, dict) and chance.random() < 0.98:
            row["previous"] = previous
        text = json.dumps(row, sort_keys=True, separators=(",", ":")).encode()
        previous = hashlib.sha256(text).hexdigest()
        chained.append(f"{previous} ".encode() + text + b"\n")
    return b"".join(chained)[:most]


def body(data: bytes, mutate: Mutate, most: int, chance: random.Random) -> bytes:
    """Another request: mostly its body is another document."""
    head, blank, own = data.partition(b"\n\n")
    return head + blank + document(own, mutate, most - len(head) - 2, chance)


SHAPES = {"receipts": document, "ledgers": rows, "page": body}
"""The parsers whose inputs have a shape."""
