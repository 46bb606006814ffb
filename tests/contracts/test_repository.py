"""The repository as a whole: it names no machine, and what the README says is there."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.source import ROOT

# Written in pieces, so that this file does not find itself.
FORBIDDEN = {
    "the host of a registry": re.compile(
        r"\b(?:" + "|".join(["pypi" r"\.org", "pythonhosted" r"\.org", "npmjs" r"\.org", "anaconda" r"\.org"]) + ")"
        r"|--(?:extra-)?index-"
        r"url|--find-"
        r"links",
        re.IGNORECASE,
    ),
    "a path of one machine": re.compile(
        r"(?<![\w.~])/(?:work|root|home/\w+|Users/\w+|tmp/\w+|opt/(?:pypi|wheels))(?:/|\b)(?![\w]*\()"
    ),
    "the workplace": re.compile(
        r"\b(?:this|last|previous|next|another|coding|lead) (?:session|agent)s?\b"
        r"|\bgenerated (?:by|with) (?:an? )?(?:AI|LLM|assistant)\b"
        r"|\b(?:language "
        r"model|sub-?"
        r"agent|Cla"
        r"ude|Chat"
        r"GPT|Copi"
        r"lot)\b",
        re.IGNORECASE,
    ),
}


@cache
def files() -> dict[Path, str]:
    """The text files that git knows of."""
    listing = ["git", "ls-files", "-z", "--cached"]
    try:
        known = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    texts = {}
    for name in known.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                texts[Path(name)] = content.decode("utf-8")
    return texts


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path, text in files().items()
        for number, line in enumerate(text.splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


def test_the_two_commands_of_the_readme_exist() -> None:
    readme, makefile = files()[Path("README.md")], files()[Path("Makefile")]
    commands = re.findall(r"^make (\w+)", readme, flags=re.MULTILINE)
    assert {"demo", "test"} <= set(commands)
    for command in commands:
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command


def test_links_between_the_documents_are_alive() -> None:
    dead = [
        f"{path}: {target}"
        for path, text in files().items()
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        if not (ROOT / path.parent / target).exists()
    ]
    assert dead == []


def test_the_python_of_the_readme_runs() -> None:
    examples = re.findall(r"```python\n(.*?)```", files()[Path("README.md")], flags=re.DOTALL)
    assert examples
    for example in examples:
        subprocess.run([sys.executable, "-W", "error", "-c", example], capture_output=True, check=True)


def pins(name: str) -> dict[str, str]:
    """The versions in a file of constraints, by the names of the packages."""
    lines = [line for line in files()[Path(name)].splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []
    names = [re.split("==", line)[0].lower().replace("_", "-") for line in lines]
    assert names == sorted(names)
    return dict(zip(names, (line.partition("==")[2] for line in lines), strict=True))


def test_everything_is_pinned_and_from_nowhere_in_particular() -> None:
    assert len(pins("constraints.txt")) > 50


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    project = tomllib.loads(files()[Path("pyproject.toml")])["project"]
    extras = {name: found for name, found in project["optional-dependencies"].items() if name not in ("dev", "spark")}
    needed = " ".join([*project["dependencies"], *(one for found in extras.values() for one in found)])
    bounds = dict(re.findall(r"([a-z-]+)(?:\[[a-z,]+\])?>=([0-9.]+)", needed))
    assert {"numpy", "ibis-framework", "psycopg"} <= set(bounds)
    oldest = pins("constraints-oldest.txt")
    assert {name: oldest[name] for name in bounds if not oldest[name].startswith(bounds[name])} == {}


def test_ci_runs_what_a_contributor_runs() -> None:
    assert re.findall(r"^ *(?:time )?make (.*)$", files()[Path(".ci/run")], re.MULTILINE) == ["check", "test"]
    for name in ("run", "matrix"):
        assert (ROOT / ".ci" / name).stat().st_mode & 0o111
