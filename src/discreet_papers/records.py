"""Figures and verdicts on disk, with the records by which a rerun trusts them.

A figure is its picture twice, its numbers, and a record written last. Every file appears at once or not at all. The
record holds the digest of what the figure is made from (its settings, the version and the source of the package) and
those of its files: a rerun trusts a figure only if all of them match, and a verdict only if the code is the same.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import discreet
from discreet.errors import InvalidInput
from discreet.figures.image import render
from discreet.version import __version__
from discreet_papers.claims import CLAIMS
from discreet_papers.registry import Entry

FORMATS = ("png", "svg", "csv")
CLAIM_FOLDER = "claims"


@dataclass(frozen=True, slots=True)
class FigureRecord:
    """The record of a figure: what it shows, in words, and how long it took."""

    id: str
    digest: str
    quick: bool
    settings: dict[str, str]
    sentences: list[str]
    seconds: float
    files: dict[str, str]

    def read(self, out: Path, kind: str) -> bytes:
        """The content of one of its files."""
        return (out / f"{self.id}.{kind}").read_bytes()


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim of the papers with its verdict."""

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


def digest_of(entry: Entry, *, quick: bool) -> str:
    """What the figure depends on, as one text: rerunning the same code with the same settings gives it again."""
    facts = {"id": entry.id, "quick": quick, "settings": entry.study().settings(quick), "code": code_digest()}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@cache
def code_digest() -> str:
    """The version and every source file of both packages: whatever is changed, its figures are made again."""
    digest = hashlib.sha256(f"{__version__} {platform.python_version()}".encode())
    for package in (Path(discreet.__file__).resolve().parent, Path(__file__).resolve().parent):
        for path in sorted([*package.rglob("*.py"), *package.rglob("claims.csv")]):
            digest.update(path.relative_to(package.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def recall_figure(entry: Entry, out: Path, *, quick: bool) -> FigureRecord | None:
    """The figure as an earlier run left it, if that was the same figure and it is whole."""
    try:
        record = json.loads((out / f"{entry.id}.json").read_text(encoding="utf-8"))
        figure = FigureRecord(**record)
        whole = all(_hash(figure.read(out, kind)) == figure.files[kind] for kind in FORMATS)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return figure if whole and figure.digest == digest_of(entry, quick=quick) else None


def make_figure(entry: Entry, out: Path, *, quick: bool) -> FigureRecord:
    """Make a figure and put it in place: its files first, its record last."""
    started = time.perf_counter()
    study, settings = entry.study(), entry.study().settings(quick)
    result = study.numbers(quick)
    figure = study.paint(result)
    head = {"figure": f"{entry.id}: {entry.title} ({entry.source})", "discreet": __version__, **settings}
    contents = {kind: render(figure, kind) for kind in ("png", "svg")}
    contents["csv"] = study.table(result).to_csv(head).encode()
    for kind, content in contents.items():
        put(out / f"{entry.id}.{kind}", content)
    record = FigureRecord(
        id=entry.id,
        digest=digest_of(entry, quick=quick),
        quick=quick,
        settings=settings,
        sentences=study.sentences(result),
        seconds=round(time.perf_counter() - started, 2),
        files={kind: _hash(content) for kind, content in contents.items()},
    )
    put(out / f"{entry.id}.json", to_json(asdict(record)))
    return record


def check_claim(name: str, out: Path) -> ClaimRecord:
    """Check a claim and put its verdict in place."""
    started, claim = time.perf_counter(), CLAIMS[name]
    finding = claim.check()
    record = ClaimRecord(
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
    (out / CLAIM_FOLDER).mkdir(exist_ok=True)
    put(out / CLAIM_FOLDER / f"{name}.json", to_json(asdict(record)))
    return record


def recall_claim(name: str, out: Path) -> ClaimRecord | None:
    """The verdict as an earlier run of the same code left it."""
    try:
        record = ClaimRecord(**json.loads((out / CLAIM_FOLDER / f"{name}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return record if record.code == code_digest() else None


def to_json(document: Any) -> bytes:
    """A document as a file's content."""
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def put(path: Path, content: bytes) -> None:
    """The whole file at once: written beside its place and renamed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written", hint="choose another directory with --out") from None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
