"""Groups are cells of one joint table with total n: a record that moves between groups is protected like any other.

Losses are computed here from the law alone, in balls, over all data sets of a small size and all neighbours that
replace a record: its answer, its group, or both. Nothing of the audit is used.
"""

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from flint import arb

from discreet.arithmetic.numbers import precision
from discreet.errors import InvalidInput
from discreet.ledger import Ledger
from discreet.requests.prepare import PreparedRequest, prepare_request
from discreet.requests.request import Question, ReleaseRequest
from discreet.requests.run import release, release_columns
from tests.faults.groups import naive_log_probability

G, K = 2, 2
KINDS = ("answer", "group", "both")
CLOSE = Fraction(1, 10**30)

Cells = tuple[int, ...]
LogProbability = Callable[[Cells, Cells], arb | None]


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with precision(160):
        yield


def prepared(n: int | tuple[int, ...], **asked: Any) -> PreparedRequest:
    question = Question("vote", ["a", "b"], by="sex", groups=["f", "m"], epsilon=1, **asked)
    return prepare_request(ReleaseRequest("s.csv", [question]), [n])


def tables(n: int) -> list[Cells]:
    """The counts of all data sets of n records."""
    return [c for c in itertools.product(range(n + 1), repeat=G * K) if sum(c) == n]


def neighbours(counts: Cells) -> Iterator[tuple[str, Cells]]:
    """Every data set with one record replaced, and what is new about it."""
    for old, new in itertools.permutations(range(G * K), 2):
        if counts[old]:
            moved = list(counts)
            moved[old], moved[new] = moved[old] - 1, moved[new] + 1
            (group, answer), (to, said) = divmod(old, K), divmod(new, K)
            yield "answer" if group == to else "group" if answer == said else "both", tuple(moved)


def losses(n: int, outputs: list[Cells], law: LogProbability) -> dict[str, Fraction | float]:
    """The greatest loss over all data sets, by what the neighbours differ in; infinite if one of them excludes it."""
    told = {counts: [law(counts, output) for output in outputs] for counts in tables(n)}
    worst: dict[str, Fraction | float] = dict.fromkeys(KINDS, Fraction(0))
    for counts, here in told.items():
        for kind, other in neighbours(counts):
            for one, two in zip(here, told[other], strict=True):
                if (one is None) != (two is None):
                    worst[kind] = float("inf")
                elif one is not None and two is not None:
                    worst[kind] = max(worst[kind], Fraction(str(abs(one - two).upper().fmpq())))
    return worst


def noisy(n: int, beyond: int) -> list[Cells]:
    side = range(-beyond, n + beyond + 1)
    return [z for z in itertools.product(side, repeat=G * K) if sum(z) == n]


@pytest.mark.few(3)
@pytest.mark.parametrize("n", range(1, 7))
def test_the_loss_of_a_joint_table_is_epsilon_whatever_of_a_record_changes(n: int) -> None:
    made = prepared(n)
    [part] = made.columns[0].parts
    assert part.mechanism is not None
    assert part.certificate is not None
    law = {counts: part.mechanism.law(counts) for counts in tables(n)}
    found = losses(n, noisy(n, 1 if n < 5 else 0), lambda counts, output: law[counts].log_probability(output))
    for kind in KINDS:
        assert 1 - CLOSE <= found[kind] <= 1 + CLOSE, kind
    assert part.certificate.bound == made.price.epsilon == 1


@pytest.mark.parametrize("name", ["laplace-improved", "exponential-global", "exponential-reciprocal"])
def test_so_it_is_at_most_epsilon_for_other_mechanisms(name: str) -> None:
    [made] = prepared(3, mechanism=name).columns[0].mechanisms
    law = {counts: made.law(counts) for counts in tables(3)}
    found = losses(3, tables(3), lambda counts, output: law[counts].log_probability(output))
    assert 0 < max(found.values()) <= 1 + CLOSE


@pytest.mark.parametrize("n", [1, 2, 4])
def test_groups_by_themselves_with_their_sizes_as_n_are_caught(n: int) -> None:
    def naive(counts: Cells, output: Cells) -> arb | None:
        return naive_log_probability(counts, output, k=K, epsilon=1)

    found = losses(n, noisy(n, 0), naive)
    assert found["group"] == found["both"] == float("inf"), "an output tells how large the groups are"
    assert 1 - CLOSE <= found["answer"] <= 1 + CLOSE, "only the answer is protected"


def test_with_public_groups_the_answer_alone_is_protected_and_the_adjacency_says_so() -> None:
    sizes = (2, 1)
    made = prepared(sizes, group_public=True)
    assert made.price.adjacency == made.receipt().document["adjacency"] == "replace-answer"
    mechanisms = made.columns[0].mechanisms
    laws = [[m.law(c) for c in [(i, m.space.n - i) for i in range(m.space.n + 1)]] for m in mechanisms]

    def law(counts: Cells, output: Cells) -> arb | None:
        own = [sum(counts[:2]), sum(counts[2:])]
        if own != list(sizes) or [sum(output[:2]), sum(output[2:])] != own:
            return None
        return laws[0][counts[0]].log_probability(output[:2]) + laws[1][counts[2]].log_probability(output[2:])

    found = losses(3, noisy(3, 1), law)
    assert 1 - CLOSE <= found["answer"] <= 1 + CLOSE
    assert found["group"] == found["both"] == float("inf")


def test_a_budget_for_records_cannot_pay_for_public_groups(tmp_path: Path, quick: None) -> None:
    table = pd.DataFrame({"vote": ["a", "b", "b"], "sex": ["f", "f", "m"]})
    asked: dict[str, Any] = {"column": "vote", "categories": ["a", "b"], "by": "sex", "groups": ["f", "m"]}
    ledger = Ledger.create(tmp_path / "l.db", dataset="records", epsilon=5)
    with pytest.raises(InvalidInput, match="replace-one"):
        release(table, **asked, epsilon=1, ledger=ledger, dataset="records", group_public=True)
    assert ledger.spent("records").epsilon == 0
    Ledger.create(tmp_path / "l.db", dataset="answers", epsilon=5, adjacency="replace-answer")
    release(table, **asked, epsilon=1, ledger=ledger, dataset="answers", group_public=True)
    # Who may replace a record may replace its answer, of a column that was not taken as public.
    release(table, column="vote", categories=["a", "b"], epsilon=1, ledger=ledger, dataset="answers")
    assert ledger.spent("answers").epsilon == 2


def test_a_column_is_not_public_in_one_question_and_protected_in_the_next(tmp_path: Path) -> None:
    """Votes within public groups by sex, and sexes within public groups by vote: whoever changes a vote would change
    the published sizes of the second, whatever the first was charged."""
    path = tmp_path / "t.csv"
    path.write_text("vote,sex\na,f\nb,m\na,m\n")
    questions = [
        Question("vote", ["a", "b"], by="sex", groups=["f", "m"], group_public=True),
        Question("sex", ["f", "m"], by="vote", groups=["a", "b"], group_public=True),
    ]
    with pytest.raises(InvalidInput, match="public as groups and protected as answers"):
        release_columns(path, questions, epsilon=1, ledger=None)
    protected = [Question(one.column, one.categories, by=one.by, groups=one.groups) for one in questions]
    assert release_columns(path, protected, epsilon=20, ledger=None).document["adjacency"] == "replace-one"
