"""Calibration of survival at a time, and of predicted numbers."""

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.measures import find

TIMES = [1.0, 3.0, 6.0]


def survival(censored: bool, n: int = 80, seed: int = 1) -> ac.Survival:
    rng = np.random.default_rng(seed)
    rate = np.exp(rng.normal(-1.5, 0.7, n))
    time, until = rng.exponential(1 / rate), rng.uniform(2, 15, n)
    event = time <= until if censored else np.ones(n, dtype=bool)
    seen = np.minimum(time, until) if censored else time
    predicted = np.exp(-np.outer(rate, TIMES)) ** 0.8
    return ac.Survival(seen, event, survival=predicted, times=TIMES)


@pytest.mark.parametrize("t", TIMES)
def test_without_censoring_survival_at_a_time_is_a_binary_outcome(t: float) -> None:
    predictions = survival(censored=False)
    assert predictions.survival is not None
    y, p = predictions.time <= t, 1 - predictions.survival[TIMES.index(t)]
    for at, plain in (
        ("observed_expected_at", "observed_expected_ratio"),
        ("calibration_slope_at", "calibration_slope"),
        ("ici_at", "ici"),
    ):
        assert find(at, t=t).of(predictions) == pytest.approx(find(plain)(y, p), rel=1e-10)


def test_the_last_predicted_time_is_the_default() -> None:
    predictions = survival(censored=True)
    for name in ("observed_expected_at", "calibration_slope_at", "ici_at"):
        assert find(name).of(predictions) == find(name, t=6.0).of(predictions)


def test_censored_cases_are_made_up_for() -> None:
    whole, part = survival(False, 4000), survival(True, 4000)
    for name in ("observed_expected_at", "calibration_slope_at"):
        full, weighted = (find(name, t=3.0).of(p) for p in (whole, part))
        assert weighted == pytest.approx(full, rel=0.08)
        naive = part.take(part.event | (part.time > 3.0))
        assert (
            abs(find(name, t=3.0).of(part) - full) < abs(find(name, t=3.0).of(naive) - full) + 0.05
        )


def test_a_time_that_was_not_predicted_is_refused() -> None:
    with pytest.raises(NotApplicable, match="t must be one of the times"):
        find("ici_at", t=2.0).of(survival(True))


def test_beyond_the_follow_up_nothing_is_said() -> None:
    predictions = ac.Survival([1, 2, 3, 4], [1, 0, 1, 0], survival=np.full((4, 1), 0.5), times=[9])
    for name in ("observed_expected_at", "calibration_slope_at", "ici_at"):
        assert np.isnan(find(name).of(predictions))


def test_the_line_of_numbers_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(2)
    value = rng.normal(3, 2, 50)
    y = 1.0 + 0.7 * value + rng.normal(size=50)
    slope, intercept = np.polyfit(value, y, 1)
    assert find("linear_calibration_slope")(y, value) == pytest.approx(slope, rel=1e-10)
    assert find("linear_calibration_intercept")(y, value) == pytest.approx(intercept, rel=1e-10)
    weight = rng.uniform(0.5, 2, 50)
    slope, intercept = np.polyfit(value, y, 1, w=np.sqrt(weight))
    weighted = find("linear_calibration_slope")(y, value, sample_weight=weight)
    assert weighted == pytest.approx(slope, rel=1e-10)


def test_equal_numbers_have_no_line() -> None:
    assert np.isnan(find("linear_calibration_slope")([1.0, 2.0], [3.0, 3.0]))
