"""Painting any figure leaves pyplot and its global state alone."""

import subprocess
import sys

PROGRAM = """
import sys
import discreet as dc
from discreet.figures import groups, inference, losses, plans, posterior

mechanism = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=3), epsilon=1)
law, names = mechanism.posterior((2, 1)), ["a", "b"]
posterior.paint(posterior.numbers(law, names), title="t")
inference.paint(inference.numbers(dc.noise_aware(mechanism, (2, 1)), law, names), title="t")
groups.paint([groups.numbers("g", names, law, None)], title="t")
losses.paint(losses.numbers(dc.audit(mechanism)))
plans.paint(plans.numbers(mechanism.space, 1))
print("matplotlib.figure" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""


def test_no_figure_touches_pyplot() -> None:
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert process.stdout == "True False\n"
