"""Every value that can be read off the papers' figures is met by their program's distance, and put right beside it."""

import pytest

from discreet.posteriors.space import PosteriorSpace
from discreet.sensitivity.exact import global_sensitivity, published_gamma
from discreet_papers.figures import figure1, figure2, figure6, growth, notes
from discreet_papers.figures.readings import PRINTED, RIGHT
from discreet_papers.legacy import LegacyLine, legacy_gamma, legacy_power


def digits(value: float, places: int) -> object:
    """Equal to a printed number: to half a unit of its last place."""
    return pytest.approx(value, abs=0.5001 * 10**-places)


@pytest.mark.parametrize(
    ("reading", "edge", "centre"), [(PRINTED, (0.161, 3), (0.0327, 4)), (RIGHT, (0.33894, 5), (0.07028, 5))]
)
def test_figure_1_at_the_edge_and_at_the_centre(
    reading: str, edge: tuple[float, int], centre: tuple[float, int]
) -> None:
    result = figure1.numbers(quick=True)
    local = result.curves[reading]["local"]
    assert local[0] == digits(*edge)
    assert local[50] == digits(*centre)
    assert result.curves[reading]["global"][0] == pytest.approx(max(local), rel=1e-12)
    assert all(low <= high * (1 + 1e-12) for low, high in zip(local, result.curves[reading]["smooth"], strict=True))


def test_figure_2_peaks_at_the_data_and_at_its_farthest_neighbours() -> None:
    curves = figure2.numbers(quick=True)
    for (_, data), curve in curves.items():
        assert data[0] in figure2.peaks(curve)
        assert set(figure2.peaks(curve)) <= {data[0] - 1, data[0], data[0] + 1}
    assert figure2.peaks(curves[RIGHT, (20, 80)]) == [19, 20]
    assert max(curves[RIGHT, (20, 80)]) == digits(0.088104, 6)


@pytest.mark.parametrize(
    ("reading", "n", "means"),
    [
        (PRINTED, 100, {"M_H": (0.1945, 4), "laplace-improved": (0.0430, 4), "laplace": (0.0822, 4)}),
        (PRINTED, 250, {"M_H": (0.0491, 4), "laplace-improved": (0.0250, 4), "laplace": (0.0479, 4)}),
        (PRINTED, 500, {"M_H": (0.0309, 4), "laplace-improved": (0.0167, 4), "laplace": (0.0320, 4)}),
        (RIGHT, 100, {"M_H": (0.348, 3), "laplace-improved": (0.0756, 4), "laplace": (0.1398, 4)}),
        (RIGHT, 5000, {"M_H": (0.0192, 4), "laplace-improved": (0.0108, 4)}),
    ],
)
def test_figure_4_as_printed(reading: str, n: int, means: dict[str, tuple[float, int]]) -> None:
    for name, value in means.items():
        assert growth.point(reading, PosteriorSpace(prior=[1, 1], n=n), name).mean == digits(*value)


def test_figure_4_crosses_where_it_is_said_to() -> None:
    for reading, epsilon, n in ((PRINTED, "0.8", 260), (RIGHT, "0.8", 450), (RIGHT, "1", 210)):
        for at, sign in ((n - 10, 1), (n, -1), (n + 100, -1)):
            assert sign * growth.gap(reading, epsilon, at) > 0
    assert growth.crossing(RIGHT, "0.8") == 450


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("n", "printed", "right"),
    [
        (1000, ((0.7150, 4), (1.393, 3)), ((0.877, 3), (0.908, 3))),
        (10_000, ((0.8245, 4), (1.931, 3)), ((0.896, 3), (0.920, 3))),
        (50_000, ((0.8480, 4), (2.175, 3)), ((0.897, 3), (0.9215, 4))),
    ],
)
def test_figure_6_as_printed(n: int, printed: list[tuple[float, int]], right: list[tuple[float, int]]) -> None:
    space = PosteriorSpace(prior=[1, 1], n=n)
    theirs, ours = figure6.legacy_losses(space), figure6.right_losses(space, ("M_H", "exponential-local"))
    for name, loss, as_printed, put_right in zip(theirs, ours, printed, right, strict=True):
        assert theirs[name].loss == digits(*as_printed)
        assert (loss.mechanism, loss.epsilon) == (name, digits(*put_right))


def test_the_numbers_of_the_notes_are_those_of_an_impossible_posterior_and_of_their_program_s_gamma() -> None:
    assert notes.impossible_sensitivity() == digits(0.239992747797, 12)
    assert legacy_gamma(100, "0.8", "0.8") == digits(0.0699407108115, 13)
    assert legacy_gamma(120, "0.8", "0.8") == digits(0.0677791100173, 13)
    assert global_sensitivity(PosteriorSpace(prior=[7, 4, 5], n=100)) == digits(0.23362948, 8)
    for n, text in ((100, 0.0698191876), (120, 0.0676838956)):
        assert published_gamma(PosteriorSpace(prior=[1, 1], n=n), "0.8", "0.8") == digits(text, 10)


def test_the_notes_say_why_their_numbers_are_what_they_are() -> None:
    text = " ".join(notes.FIGURE_3.sentences(notes.FIGURE_3.numbers(quick=True)))
    for number in ("0.239992747797", "0.233629480709", "0.0699407108115", "0.0677791100173", "0.0698191876"):
        assert number in text
    assert text.count("belong to 0 of all data sets") == 2


def test_the_papers_distance_is_a_power_of_the_right_one() -> None:
    """A planted fault: with the power 1 the line is the Hellinger line, and the printed values are missed."""
    space = PosteriorSpace(prior=[1, 1], n=100)
    line = LegacyLine(space)
    line._power = 1.0
    assert float(line.distances(0)[1]) == digits(0.33894, 5)
    assert legacy_power(space) < 0.22
