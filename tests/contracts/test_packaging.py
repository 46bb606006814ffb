"""What is built from the repository: the wheel has all of the package, and the source distribution all that is here."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.contracts.source import PACKAGE, PROJECT, ROOT, known_files


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The files of the repository, those too that are not yet committed."""
    return known_files("--others", "--exclude-standard")


def copied(known: set[str], place: Path) -> Path:
    """A fresh clone."""
    for name in known:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)
    return place


def built(source: Path, kind: str, place: Path) -> Path:
    """A distribution, by the build backend that pyproject.toml names, as it is installed here: nothing is fetched."""
    program = f"import sys; from setuptools import build_meta; print(build_meta.build_{kind}(sys.argv[1]))"
    place.mkdir(exist_ok=True)
    words = [sys.executable, "-W", "ignore", "-c", program, str(place)]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, check=True)
    return place / done.stdout.splitlines()[-1]


def unpacked(sdist: Path, place: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    [folder] = place.iterdir()
    return folder


def listed(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def assert_whole(sdist: set[str], known: set[str]) -> None:
    """Everything of the repository is there: `make test` needs tests, their helpers and fixtures, and documents."""
    assert {name for name in known if name != ".gitignore"} - sdist == set()
    assert not [name for name in sdist if "__pycache__" in name or name.endswith(".pyc")]


@pytest.fixture(scope="module")
def sdist(known: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sdist")
    return unpacked(built(copied(known, place / "clone"), "sdist", place / "dist"), place / "unpacked")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_source_distribution_is_the_repository(sdist: Path, known: set[str]) -> None:
    assert_whole(names(sdist), known)
    made = re.findall(r"^(?:\$\(\w+\)): (.*)$", (sdist / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    needed = {word for line in made for word in line.split() if not word.startswith("$")}
    assert {"pyproject.toml", "constraints.txt"} <= needed <= names(sdist)


def test_the_wheel_has_the_whole_package_and_nothing_else(sdist: Path, known: set[str], tmp_path: Path) -> None:
    wheel = listed(built(sdist, "wheel", tmp_path / "wheel"))
    assert wheel == {name.removeprefix("src/") for name in known if name.startswith(f"src/{PACKAGE.name}")}
    assert {"discreet/receipts/receipt.schema.json", "discreet/receipts/receipts.schema.json"} <= wheel
    assert {"discreet/py.typed", "discreet/web/page/index.html", "discreet/data/anes96.csv"} <= wheel
    assert "discreet/data/deaths_generated.csv" in wheel


def test_a_source_distribution_without_its_list_is_found_out(known: set[str], tmp_path: Path) -> None:
    clone = copied(known - {"MANIFEST.in"}, tmp_path / "clone")
    poor = unpacked(built(clone, "sdist", tmp_path / "dist"), tmp_path / "unpacked")
    with pytest.raises(AssertionError):
        assert_whole(names(poor), known)


NEEDED = [Requirement(line) for line in chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())]


def pins(name: str) -> dict[str, Version]:
    """The versions in a file of constraints, by the names of the packages; nothing else is there."""
    lines = [line for line in (ROOT / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]
    found = [re.fullmatch(r"([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.]*)", line) for line in lines]
    versions = {match[1].lower().replace("_", "-"): Version(match[2]) for match in found if match}
    assert list(versions) == sorted(versions)
    assert len(versions) == len(lines)
    return versions


def least(needed: Requirement) -> Version:
    [bound] = [Version(one.version) for one in needed.specifier if one.operator == ">="]
    return bound


def test_a_dependency_has_a_range_and_the_tested_version_is_in_it() -> None:
    pinned = pins("constraints.txt")
    for needed in NEEDED:
        assert {one.operator for one in needed.specifier} == {">=", "<"}, needed
        assert pinned[needed.name.lower()] in needed.specifier, needed


def test_everything_is_pinned_and_the_oldest_versions_are_the_lower_bounds() -> None:
    assert len(pins("constraints.txt")) > 50
    extras = [found for name, found in PROJECT["optional-dependencies"].items() if name not in ("dev", "docs", "spark")]
    needed = [Requirement(line) for line in chain(PROJECT["dependencies"], *extras)]
    assert {"numpy", "ibis-framework", "psycopg"} <= {one.name for one in needed}
    oldest = pins("constraints-oldest.txt")
    for one in needed:
        bound = least(one).release
        assert oldest[one.name.lower()].release[: len(bound)] == bound


def test_what_two_extras_need_they_need_alike() -> None:
    assert len({(needed.name, str(needed.specifier)) for needed in NEEDED}) == len({needed.name for needed in NEEDED})
