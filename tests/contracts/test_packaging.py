"""What is built from the repository: the wheel has all of the package, and the source distribution all that is here."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.contracts.source import PACKAGE, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The files that git knows of, and that are there."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        found = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return {name for name in found if name and (ROOT / name).is_file()}


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


def test_a_source_distribution_without_its_list_is_found_out(known: set[str], tmp_path: Path) -> None:
    clone = copied(known - {"MANIFEST.in"}, tmp_path / "clone")
    poor = unpacked(built(clone, "sdist", tmp_path / "dist"), tmp_path / "unpacked")
    with pytest.raises(AssertionError):
        assert_whole(names(poor), known)


def requirements() -> Iterator[Requirement]:
    for line in (
        *PROJECT["dependencies"],
        *(one for extra in PROJECT["optional-dependencies"].values() for one in extra),
    ):
        yield Requirement(line)


@pytest.mark.parametrize("needed", list(requirements()), ids=str)
def test_a_dependency_has_a_range_and_the_tested_version_is_in_it(needed: Requirement) -> None:
    tested = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), flags=re.MULTILINE))
    versions = {name.lower().replace("_", "-"): Version(version) for name, version in tested.items()}
    assert {one.operator for one in needed.specifier} == {">=", "<"}
    assert versions[needed.name.lower()] in needed.specifier
    [least] = [Version(one.version) for one in needed.specifier if one.operator == ">="]
    assert least <= versions[needed.name.lower()]


def test_what_two_extras_need_they_need_alike() -> None:
    ranges: dict[str, set[str]] = {}
    for needed in requirements():
        ranges.setdefault(needed.name, set()).add(str(needed.specifier))
    assert {name: said for name, said in ranges.items() if len(said) > 1} == {}
