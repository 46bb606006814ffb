"""The repository as a whole: it names no machine, and what the README says is there."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.source import ROOT, known_files, run_python

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
    "discreet on an index, where it is not": re.compile(r"pipx? install (?:-\w+ )*['\"]?discreet\b"),
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
    contents = {Path(name): (ROOT / name).read_bytes() for name in sorted(known_files())}
    return {path: content.decode("utf-8") for path, content in contents.items() if b"\0" not in content}


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
        run_python("-c", example)


def test_ci_runs_what_a_contributor_runs() -> None:
    targets = re.findall(r"^ *(?:time )?make (\w+)", files()[Path(".ci/run")], re.MULTILINE)
    assert targets == ["check", "test", "soak", "mutants", "docs"]
    for name in ("run", "matrix"):
        assert (ROOT / ".ci" / name).stat().st_mode & 0o111
