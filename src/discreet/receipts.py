"""The receipt: what was released, by which law, at what price, and how to check it. Public from end to end.

A receipt is built from public values and the output that was drawn, and from nothing else that depends on data.
`docs/receipt.schema.json` is its published schema; `tests/test_receipts.py` holds the two together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError, InvalidInput, NotPrivate
from discreet.inference import NoiseAware, noise_aware
from discreet.inference.statement import interval_kind, stated_interval
from discreet.laws import Outcome
from discreet.loss import Certificate, audit, certificate_by_theorem
from discreet.mechanisms import BY_NAME, Mechanism, Released, SnappedCounts
from discreet.mechanisms.exponential import Exponential
from discreet.numbers import exact, float_upper
from discreet.posteriors import Dirichlet
from discreet.space import PosteriorSpace
from discreet.utility.statement import accuracy_statement
from discreet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = "discreet-receipt-1"
LEVEL = "0.95"

UNIT_ROW = "one row"
UNIT_PERSON = "one person, all rows with the same id"
UNITS = (UNIT_ROW, UNIT_PERSON)

CLOSE = 1e-7
"""How far floats of a receipt may be from the ones that are computed anew."""

DIGEST = re.compile("[0-9a-f]{64}")
FRACTION = re.compile("[0-9]{1,1000}(?:/[0-9]{1,1000})?")


@dataclass(frozen=True, slots=True)
class Receipt:
    """A release with all that a reader needs to check it.

    `document` is the JSON object; the properties are shortcuts into it.
    """

    document: dict[str, Any]

    @property
    def posterior(self) -> Dirichlet:
        """The released posterior."""
        rows = self.document["posterior"]
        return Dirichlet([rows[name]["parameter"] for name in self.document["categories"]])

    @property
    def output(self) -> Outcome:
        """What the law emitted."""
        return tuple(self.document["output"])

    @property
    def request_id(self) -> str | None:
        """The request that was charged, if there was a ledger."""
        found: str | None = self.document["request_id"]
        return found

    def to_json(self) -> str:
        """One JSON text, the same for the same receipt."""
        return canonical(self.document)

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """Read a receipt; what is not one is refused in one line."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or document.get("schema") != SCHEMA or set(document) != set(KEYS):
            raise InvalidInput("this is no receipt", mend="give a JSON file that discreet release wrote")
        return cls(_ordered(document))

    @classmethod
    def read(cls, path: str | Path) -> Receipt:
        """Read a receipt from a file."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise InvalidInput("the receipt cannot be read", mend="give the name of a JSON file") from None


KEYS = (
    "schema",
    "posterior",
    "output",
    "interval",
    "interval_kind",
    "mechanism",
    "epsilon",
    "epsilon_exact",
    "delta",
    "n",
    "prior",
    "categories",
    "adjacency",
    "unit",
    "accuracy",
    "certificate",
    "request_id",
    "dataset",
    "charge",
    "version",
)


def receipt_document(
    mechanism: Mechanism,
    categories: Sequence[str],
    released: Released | None,
    *,
    certificate: Certificate,
    accuracy: dict[str, Any] | None = None,
    unit: str = UNIT_ROW,
    request_id: str | None = None,
    dataset: str | None = None,
    charge: str | None = None,
) -> dict[str, Any]:
    """The receipt's JSON object; before a draw (`--dry-run`) what is drawn is null.

    >>> from discreet import Geometric
    >>> made = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon="1/3")
    >>> document = receipt_document(made, ["no", "yes"], None, certificate=certificate_by_theorem(made))
    >>> document["epsilon_exact"], document["epsilon"] >= 1 / 3, document["posterior"]
    ('1/3', True, None)
    """
    space = mechanism.space
    kind, interval = (interval_kind(mechanism), None) if released is None else _interval(released, categories)
    return {
        "schema": SCHEMA,
        "posterior": None if released is None else _posterior(released, categories),
        "output": None if released is None else list(released.output),
        "interval": interval,
        "interval_kind": kind,
        "mechanism": {"name": mechanism.name, **mechanism.parameters()},
        "epsilon": float_upper(mechanism.epsilon),
        "epsilon_exact": str(mechanism.epsilon),
        "delta": float_upper(mechanism.delta),
        "n": space.n,
        "prior": [plain(parameter) for parameter in space.prior.parameters],
        "categories": list(categories),
        "adjacency": mechanism.adjacency,
        "unit": unit,
        "accuracy": accuracy,
        "certificate": certificate.to_json(),
        "request_id": request_id,
        "dataset": dataset,
        "charge": charge,
        "version": __version__,
    }


def mechanism_of(receipt: Receipt) -> Mechanism:
    """The mechanism that a receipt speaks of, built anew from its fields."""
    document = receipt.document
    try:
        space = PosteriorSpace(prior=[_number(parameter) for parameter in document["prior"]], n=document["n"])
        epsilon = exact(_number(document["epsilon_exact"]), "epsilon")
        options = {key: _number(value) for key, value in document["mechanism"].items()}
        family = BY_NAME[options.pop("name")]
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        raise _contradiction() from None
    build: Callable[..., Mechanism] = family
    if family is SnappedCounts:
        options.clear()  # they follow from n and ε, and are compared with the certificate's
    elif "noise_scale" in options:
        options["rate"] = 1 / exact(options.pop("noise_scale"), "noise scale", above=0)
    try:
        if issubclass(family, Exponential):
            scale = exact(options.pop("scale"), "scale", above=0)
            nominal = build(space, epsilon=epsilon, **options)
            if nominal.parameters()["scale"] == str(scale):
                return nominal
            made = family(space, scale=scale, **options)
            loss = audit(made)
            return made.certified(epsilon, loss.epsilon, loss.certificate.statement)
        return build(space, epsilon=epsilon, **options)
    except (TypeError, KeyError):
        raise _contradiction() from None


def _number(value: Any) -> Any:
    """A fraction of our own writing as a number: it may be longer than what a person may type."""
    return Fraction(value) if isinstance(value, str) and FRACTION.fullmatch(value) else value


def believed(receipt: Receipt, *, prior: object = None) -> NoiseAware:
    """What the reader of a receipt may believe: the posterior with the noise in it, from the receipt alone."""
    return noise_aware(mechanism_of(receipt), receipt.output, prior=prior)


def verify_receipt(receipt: Receipt) -> Certificate:
    """Derive the certificate and the accuracy anew and check every public field against them.

    A receipt is no signature. What nothing public contradicts (another output with its own posterior, other names, the
    unit, the request) only the ledger tells: it sealed this very text. Tested on every field, changed one at a time.
    """
    try:
        return _verified(receipt.document)
    except DiscreetError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise _contradiction() from None


def _verified(document: dict[str, Any]) -> Certificate:
    mechanism = mechanism_of(Receipt(document))
    said = Certificate.from_json(document["certificate"])
    derived = certificate_by_theorem(mechanism) if said.method == "theorem" else audit(mechanism).certificate
    if {**said.facts, "version": None} != {**derived.facts, "version": None}:
        raise NotPrivate("the receipt contradicts its certificate", mend="do not rely on it")
    if not (derived.bound <= said.bound <= mechanism.epsilon):
        raise NotPrivate("the certified loss does not hold", mend="do not rely on this receipt")
    same_version = said.facts["version"] == derived.facts["version"]
    if same_version and (said.method, said.statement, said.worst) != (derived.method, derived.statement, derived.worst):
        raise NotPrivate("the certificate does not say what is proved", mend="do not rely on it")
    _check_request(document)
    rebuilt = receipt_document(
        mechanism,
        document["categories"],
        _released(mechanism, document),
        certificate=said,
        accuracy=accuracy_statement(mechanism),
        unit=document["unit"],
        request_id=document["request_id"],
        dataset=document["dataset"],
        charge=document["charge"],
    )
    if not agree({**rebuilt, "version": said.facts["version"]}, document):
        raise NotPrivate("the receipt's fields contradict each other", mend="do not rely on it")
    return derived


def _check_request(document: dict[str, Any]) -> None:
    """Either there was a ledger, and the receipt names the charge, or there was none."""
    request = [document[key] for key in ("request_id", "dataset", "charge")]
    named = all(isinstance(part, str) and part for part in request) and DIGEST.fullmatch(request[-1])
    names = document["categories"]
    distinct = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    if not (named or request == [None] * 3) or document["unit"] not in UNITS or not distinct:
        raise _contradiction()


def agree(one: object, other: object) -> bool:
    """Whether two documents say the same; floats may differ as much as two machines' libraries make them differ.

    >>> agree({"a": [1, 0.1]}, {"a": [1, 0.1 + 1e-12]}), agree([1], [True]), agree(1, 1.0), agree(0.1, 0.1001)
    (True, False, False, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return one == other


def _released(mechanism: Mechanism, document: dict[str, Any]) -> Released:
    output = tuple(document["output"])
    fits = len(output) == mechanism.space.k and sum(output) == mechanism.space.n
    if not fits or not all(type(value) is int for value in output):
        raise _contradiction()
    return Released(posterior=mechanism.posterior(output), output=output, mechanism=mechanism)


def _contradiction() -> InvalidInput:
    return InvalidInput("the receipt's fields do not describe a release", mend="give one that discreet wrote")


def _ordered(document: dict[str, Any]) -> dict[str, Any]:
    """The keys as a release writes them: a text sorts them, and a reader wants the categories in their own order."""
    names = document["categories"]
    ordered = {key: document[key] for key in KEYS}
    for key in ("posterior", "interval"):
        rows = ordered[key]
        if isinstance(rows, dict) and isinstance(names, list) and sorted(rows) == sorted(map(str, names)):
            ordered[key] = {str(name): rows[str(name)] for name in names}
    return ordered


def canonical(document: dict[str, Any]) -> str:
    """One text for one document."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def plain(number: Fraction) -> int | float | str:
    """A number that JSON readers get back exactly by the library's rule for floats, or its text if there is none.

    >>> plain(Fraction(3)), plain(Fraction(1, 10)), plain(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if number.denominator == 1:
        return number.numerator
    shown = float(number)
    return shown if Fraction(repr(shown)) == number else str(number)


def _posterior(released: Released, categories: Sequence[str]) -> dict[str, dict[str, Any]]:
    posterior = released.posterior
    rows = zip(categories, posterior.parameters, posterior.mean.tolist(), strict=True)
    return {name: {"parameter": plain(parameter), "mean": mean} for name, parameter, mean in rows}


def _interval(released: Released, categories: Sequence[str]) -> tuple[str, dict[str, list[float] | None]]:
    """The kind of the interval, and that of each category; null where floats cannot tell it: nothing may fail."""
    kind, low, high = stated_interval(released, float(LEVEL))
    ends = zip(categories, low.tolist(), high.tolist(), strict=True)
    return kind, {name: [a, b] if math.isfinite(a + b) else None for name, a, b in ends}
