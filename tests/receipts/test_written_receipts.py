"""Receipts that were written before verify on every processor, and every digit of them that claims something counts.

`written/` holds what commit 3f7be81 wrote: every mechanism, calibrated or not, groups, public groups, several columns.
Mechanisms that came later are there as they were first written.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms import BY_NAME
from discreet.receipts import Bundle, Receipt, agree, agreement, belief_document, read_sealed, verify_any
from discreet.receipts.verification import derive_document
from tests.support.forgeries import Document, Place, forged, leaves

WRITTEN = {path.stem: path for path in sorted((Path(__file__).parent / "written").glob("*.json"))}
SMALL = [name for name, path in WRITTEN.items() if '"n":12,' in path.read_text(encoding="ascii")]


def test_every_kind_of_receipt_is_there() -> None:
    texts = [path.read_text(encoding="ascii") for path in WRITTEN.values()]
    parts = [part for text in texts for part in json.loads(text).get("parts", [json.loads(text)])]
    assert {part["mechanism"]["name"] for part in parts} == set(BY_NAME) - {"optimal"}  # which is never released
    assert {part["mechanism"].get("way") for part in parts} == {None, "nearest", "bayes", "free"}
    methods = {part["certificate"]["method"] for part in parts if not part["group_sizes"]}
    assert methods == {"theorem", "enumeration", "bounds"}
    assert any(part["group_sizes"] for part in parts)
    assert any(part["groups"] and not part["group_sizes"] for part in parts)
    assert len(parts) > len(texts)


@cache
def parts(name: str) -> list[tuple[Document, Document]]:
    """For each receipt of a text: what is derived anew, and what it says."""
    sealed = read_sealed(WRITTEN[name].read_text(encoding="ascii"))
    receipts = sealed.parts if isinstance(sealed, Bundle) else [sealed]
    return [(derive_document(receipt)[0], receipt.document) for receipt in receipts]


@pytest.mark.few(6)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_receipt_of_before_verifies_and_can_be_read(name: str) -> None:
    text = WRITTEN[name].read_text(encoding="ascii").rstrip("\n")
    receipt = read_sealed(text)
    assert receipt.to_json() == text
    assert verify_any(receipt)
    assert all(agree(derived, said) for derived, said in parts(name))
    assert belief_document(receipt)


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.soak)])
def test_they_verify_where_floats_have_other_last_digits(every: int) -> None:
    """NumPy adds and multiplies otherwise on a processor without vectors: that changes the last digits."""
    features = import_module("numpy._core._multiarray_umath").__cpu_dispatch__
    some = [*SMALL, "exponential-scanned", "groups", "public-groups", "columns-of-groups", "rare"][::every]
    program = (
        "import json, sys, warnings; warnings.simplefilter('ignore')\n"
        "from discreet.receipts import Receipt, read_receipt, verify_any\n"
        "for path in sys.argv[1:]: verify_any(read_receipt(path))\n"
        "print(json.dumps(read_receipt(sys.argv[1]).noise_aware().mean.tolist()))"
    )
    words = [sys.executable, "-c", program, *(str(WRITTEN[name]) for name in some)]
    own = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(features)}
    done = subprocess.run(words, env=own, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    here = Receipt.read(WRITTEN[some[0]]).noise_aware().mean
    assert np.allclose(json.loads(done.stdout), here, rtol=1e-12)


def compared_digits(at: Place) -> int:
    """How many digits of a float are compared: `agreement` says why."""
    if at[0] in ("posterior", "group_shares") and at[-1] == "mean":
        return 14
    return 9 if at[0] in ("belief", "interval", "group_shares", "accuracy") else 17


def others(at: Place, value: Any) -> Iterator[Any]:
    """The value with each digit that is compared changed by one, and texts with each letter changed."""
    if value is None or isinstance(value, bool):
        yield "x"
    elif isinstance(value, int):
        yield from (value + 10**i for i in range(len(str(value))))
        yield float(value)
    elif isinstance(value, str):
        yield from (value[:i] + chr(ord(value[i]) ^ 1) + value[i + 1 :] for i in range(min(len(value), 80)))
        yield value + "0"
    elif at[0] == "accuracy" and at[-1] == "error":
        yield from (value + 1e-3, value * 0.5 + 1e-6)  # it is compared by the digits of the mean that it belongs to
    elif value == 0:
        yield from (5e-324, 1e-17, -1e-17) if compared_digits(at) == 17 else (1e-299, 1e-17)
    else:
        digits, top = compared_digits(at), Decimal(repr(value)).adjusted()
        units = [float(Decimal(1).scaleb(top - i)) for i in range(min(digits, 15))]
        yield from (other for unit in units for other in (value + unit, value - unit))
        yield -value
        if digits == 17:
            yield from (math.nextafter(value, math.inf), math.nextafter(value, -math.inf))


def unnoticed(name: str) -> list[tuple[Place, Any]]:
    """Changes of one digit that are not noticed when a receipt is compared with what is derived."""
    return [
        (at, other)
        for derived, said in parts(name)
        for at, value in leaves(said)
        for other in others(at, value)
        if agree(derived, forged(said, at, other))
    ]


@pytest.mark.few(4)
@pytest.mark.parametrize("name", WRITTEN)
def test_any_digit_that_was_changed_is_noticed(name: str) -> None:
    assert unnoticed(name) == []


@pytest.mark.parametrize("slack", [1e-7, 1e-8, 1e-12])
def test_a_slack_that_all_numbers_share_is_found_out(slack: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "_slack", lambda derived, at, mean: slack)
    assert unnoticed("rare") != []
