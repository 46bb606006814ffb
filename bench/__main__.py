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
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(QUESTIONS))
    if unknown:
        parser.error(f"no such question: {', '.join(unknown)}; there are {', '.join(QUESTIONS)}")
    effort = QUICK if arguments.quick else Effort()
    answers = []
    for name in arguments.names or [name for name, each in QUESTIONS.items() if not each.alone]:
        question = QUESTIONS[name]
        print(f"{question.title} …", file=sys.stderr, flush=True)
        answer = question.ask(effort)
        answers.append((question, answer))
        print("\n".join([*(report.table(answer.rows) if answer.rows else []), "", *answer.details, ""]), flush=True)
    rows = [row for _, answer in answers for row in answer.rows]
    print(report.summary(rows))
    if not arguments.names and not arguments.quick:
        report.write(answers, "make bench")


if __name__ == "__main__":
    main()
