"""One claim on disk: its verdict as a small record, trusted by a rerun if the code is the same."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from discreet_papers.claims import CLAIMS
from discreet_papers.figure_record import code_digest, put, to_json

PLACE = "claims"


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim of the seeds and what became of it."""

    id: str
    source: str
    says: str
    verdict: str
    number: float | None
    settings: str
    counterexample: str
    found: str
    seconds: float
    code: str


def claim_names(*, quick: bool) -> list[str]:
    """The claims to check; a quick run leaves out the slow ones."""
    return [claim.id for claim in CLAIMS.values() if not (quick and claim.slow)]


def has_checks(out: Path) -> bool:
    """Whether an earlier run left verdicts."""
    return (out / PLACE).is_dir()


def recall_check(name: str, out: Path) -> Checked | None:
    """The verdict as an earlier run of the same code left it."""
    try:
        known = Checked(**json.loads(_place(out, name).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return known if known.code == code_digest() else None


def check(name: str, out: Path) -> Checked:
    """Check a claim and put its verdict in place."""
    started = time.perf_counter()
    claim = CLAIMS[name]
    finding = claim.check()
    checked = Checked(
        id=claim.id,
        source=claim.source,
        says=claim.says,
        verdict=str(finding.verdict),
        number=float(finding.number) if math.isfinite(finding.number) else None,
        settings=finding.settings,
        counterexample=finding.counterexample,
        found=finding.is_,
        seconds=round(time.perf_counter() - started, 2),
        code=code_digest(),
    )
    place = _place(out, name)
    place.parent.mkdir(exist_ok=True)
    put(place, to_json(asdict(checked)))
    return checked


def _place(out: Path, name: str) -> Path:
    return out / PLACE / f"{name}.json"
