"""The examples run, without a warning, and say what they promise."""

import re
import runpy

import pytest

from tests.contracts.source import ROOT

SAYS = {
    "ab_test.py": r"P\(the new page sells more\) = (0|1)\.\d{4}, privacy noise included",
    "survey.py": r"(?s)strong Democrat .*independent .*strong Republican .*exact up to \d+e-1\d",
    "groups.py": r"(?s)strong Democrat .*strong Republican .*all groups together: ε = 1\n.*party together: ε = 3/4",
    "trial.py": r"(?s)interval: -?0\.\d.*odds ratio, .*P\(the new arm does better\) = (0|1)\.\d{4}, privacy noise",
    "filtered_survey.py": r"(?s)selected records would be\nClinton .*selected: 95 % between \d+ and \d+\n",
    "mortality.py": r"(?s)north .*west .*ratio \d\.\d\d, .*P\(the rate is higher in the west\) = (0|1)\.\d{4}",
    "year_of_waves.py": r"(?s)releases of 0\.25 cost ε = 2\.86947, .*12 of 12 slots .*a thirteenth: .*free are none",
    "choose_epsilon.py": r"at most 8 points wide on 1000 records, spend ε = 0\.\d{3}",
}

SLOW = ("trial.py", "year_of_waves.py")


def test_every_example_is_run() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(SAYS)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.soak] * (name in SLOW)) for name in SAYS])
def test_an_example_runs_and_says_what_it_promises(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    assert re.search(SAYS[name], capsys.readouterr().out)
