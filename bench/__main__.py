"""`python -m bench`: ask all questions, print the table and write docs/benchmarks.md. With names, only print those."""

from __future__ import annotations

import argparse
import sys

import bench.questions  # noqa: F401  (registers the questions)
from bench import report
from bench.rows import QUESTIONS, QUICK, Effort


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(QUESTIONS)}")
    parser.add_argument("--quick", action="store_true", help="a short run, few repeats; printed, never written")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(QUESTIONS))
    if unknown:
        parser.error(f"no such question: {', '.join(unknown)}; there are {', '.join(QUESTIONS)}")
    effort = QUICK if asked.quick else Effort()
    found = []
    for name in asked.names or [name for name, one in QUESTIONS.items() if not one.alone]:
        question = QUESTIONS[name]
        print(f"{question.title} …", file=sys.stderr, flush=True)
        answer = question.ask(effort)
        found.append((question, answer))
        print("\n".join([*(report.table(answer.rows) if answer.rows else []), "", *answer.details, ""]), flush=True)
    rows = [row for _, answer in found for row in answer.rows]
    print(report.summary(rows))
    if not asked.names and not asked.quick:
        report.write(found, "make bench")


if __name__ == "__main__":
    main()
