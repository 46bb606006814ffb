"""n or k so large that a table would not fit: refused from public facts, at once, with what to do instead."""

from collections.abc import Callable

import pytest

from discreet import PosteriorSpace, TooLarge
from discreet.mechanisms import ExponentialGlobal, ExponentialLocal, Geometric, LaplaceImproved, Optimal
from tests.support.work import work_of


def corner(k: int, n: int) -> list[int]:
    return [n, *[0] * (k - 1)]


LISTS: list[Callable[[PosteriorSpace], object]] = [
    lambda space: space.candidates().array(),
    lambda space: ExponentialGlobal(space, epsilon=1).log_pmf(corner(space.k, space.n)),
    lambda space: ExponentialLocal(space, epsilon=1).log_pmf(corner(space.k, space.n)),
    lambda space: LaplaceImproved(space, epsilon=1).log_pmf(corner(space.k, space.n)),
    lambda space: Optimal(space, epsilon=1),
]


@pytest.mark.few(12)
@pytest.mark.parametrize("lists", range(len(LISTS)))
@pytest.mark.parametrize(("k", "n"), [(2, 10**9), (2, 10**15), (3, 10**6), (10, 10**4), (500, 10**6)])
def test_a_list_that_would_not_fit_is_refused_before_anything_is_allocated(lists: int, k: int, n: int) -> None:
    space = PosteriorSpace([1] * k, n)

    def ask() -> None:
        with pytest.raises(TooLarge, match="candidates") as refused:
            LISTS[lists](space)
        assert refused.value.hint

    work = work_of(ask)
    assert work.calls < 100_000
    assert work.peak < 20_000_000


def test_without_the_limit_it_would_be_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    def allocate(*_: object, **__: object) -> None:
        raise MemoryError("sixteen gigabytes")

    space = PosteriorSpace([1, 1], 10**9)
    monkeypatch.setattr("discreet.posteriors.space.np.arange", allocate)
    with pytest.raises(TooLarge):
        space.candidates().array()
    monkeypatch.setattr("discreet.posteriors.space.require_enumerable", lambda *_, **__: None)
    with pytest.raises(MemoryError):
        space.candidates().array()


@pytest.mark.parametrize(("k", "n"), [(3, 10**6), (10, 10**4)])
def test_ways_back_that_weigh_every_candidate_are_refused_before_any_data_is_seen(k: int, n: int) -> None:
    for way in ("bayes", "free"):
        with pytest.raises(TooLarge, match="nearest"):
            Geometric(PosteriorSpace([1] * k, n), epsilon=1, way=way)


@pytest.mark.parametrize("n", [10**15 + 1, 10**30, "1e300"])
def test_more_records_than_there_could_be_are_refused(n: object) -> None:
    with pytest.raises(TooLarge):
        PosteriorSpace([1, 1], n)


def test_the_refusal_does_not_depend_on_the_counts() -> None:
    mechanism, texts = LaplaceImproved(PosteriorSpace([1, 1, 1], 10**6), epsilon=1), set()
    for c in ([10**6, 0, 0], [0, 10**6, 0], [333_333, 333_333, 333_334]):
        with pytest.raises(TooLarge) as refused:
            mechanism.log_pmf(c)
        texts.add(str(refused.value))
    assert len(texts) == 1
