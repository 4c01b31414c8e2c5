"""Summaries of numbers: parts add up to the whole, digits are kept, ties of all kinds known."""

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.measures import every, find
from abovechance.measures.measure import Statistic
from abovechance.measures.summary import LossSums, NumberSummary, SummarisedNumbers, from_numbers
from abovechance.predictions import Numeric

MEANS = [find(name) for name in ("mae", "mse", "rmse", "mean_error", "msle")]


def cases(n: int = 500, offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    value = rng.normal(size=n)
    return 0.6 * value + rng.normal(size=n) + offset, value + offset


def summary(y: np.ndarray, value: np.ndarray) -> NumberSummary:
    return NumberSummary.of(MEANS, y, value)


def test_the_error_of_summed_losses_is_that_of_their_differences_from_known_ones() -> None:
    rng = np.random.default_rng(4)
    outcome, value, group = rng.normal(size=31), rng.normal(size=31), np.arange(31) % 3
    summed = LossSums.of([find("mse")], outcome, value, group, 3)
    losses = (outcome - value) ** 2
    for known in (0.0, 0.7, np.array([0.5, 2.0, -1.0])):
        apart = losses - np.broadcast_to(known, 3)[group]
        wanted = apart.std() / np.sqrt(30)
        assert summed.error("mse", known) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_parts_add_up_to_the_whole_in_any_order(offset: float) -> None:
    y, value = cases(offset=offset)
    whole = summary(y, value)
    cuts = [slice(0, 3), slice(3, 4), slice(4, 500)]
    a, b, c = (summary(y[cut], value[cut]) for cut in cuts)
    for joined in (a + b + c, c + (b + a)):
        assert joined.n == whole.n
        assert joined.largest == whole.largest
        np.testing.assert_allclose(joined.means, whole.means, rtol=1e-12)
        np.testing.assert_allclose(joined.scatter, whole.scatter, rtol=1e-9)
        for m in MEANS:
            np.testing.assert_allclose(
                joined.losses.mean(m.label), whole.losses.mean(m.label), rtol=1e-10, atol=1e-12
            )


OF_MOMENTS = [m.name for m in every().values() if m.sufficient is Statistic.MOMENTS]


@pytest.mark.parametrize("name", OF_MOMENTS)
def test_four_points_stand_for_all_cases(name: str) -> None:
    y, value = cases()
    found = from_numbers(find(name), SummarisedNumbers(summary(y, value)))
    assert found == pytest.approx(find(name).of(Numeric(y, value)), rel=1e-11)


@pytest.mark.parametrize("name", ["r2", "rse", "rrse"])
def test_small_errors_keep_their_digits(name: str) -> None:
    y, value = cases()
    value = y + 1e-7 * value
    found = from_numbers(find("rse"), SummarisedNumbers(summary(y, value)))
    assert found == pytest.approx(find("rse").of(Numeric(y, value)), rel=1e-8)
    whole = from_numbers(find(name), SummarisedNumbers(summary(y, value)))
    assert whole == pytest.approx(find(name).of(Numeric(y, value)), rel=1e-8)


def test_parameters_that_depend_on_n_are_obeyed() -> None:
    y, value = cases(20)
    m = find("r2").with_parameters(adjusted=3)
    found = from_numbers(m, SummarisedNumbers(summary(y, value)))
    assert found == pytest.approx(m.of(Numeric(y, value)), rel=1e-12)


def test_a_constant_stays_a_constant_when_parts_are_joined() -> None:
    _, value = cases(90)
    y = np.full(90, 0.1)
    joined = summary(y[:7], value[:7]) + summary(y[7:], value[7:])
    assert joined.scatter[0, 0] == 0.0
    for name in ("r2", "pearson", "rse"):
        assert np.isnan(from_numbers(find(name), SummarisedNumbers(joined)))


def test_an_undefined_loss_leaves_the_mean_undefined() -> None:
    y, value = cases(50)
    y[3] = -2.0
    assert np.isnan(from_numbers(find("msle"), SummarisedNumbers(summary(y, value))))


def test_what_needs_the_cases_says_so() -> None:
    predictions = SummarisedNumbers(summary(*cases()))
    with pytest.raises(NotApplicable, match="Median absolute error needs all cases at once"):
        from_numbers(find("medae"), predictions)
    with pytest.raises(NotApplicable, match="needs all cases at once"):
        _ = predictions.outcome
