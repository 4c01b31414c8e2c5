"""The Brier score taken apart."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.errors import NotApplicable
from abovechance.measures import brier_decomposition


def sample(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), 2)
    return (rng.random(n) < p**2).astype(float), p


@pytest.mark.parametrize("method", ["isotonic", "binned"])
@pytest.mark.parametrize("seed", range(4))
def test_the_parts_add_up_to_the_score(method: str, seed: int) -> None:
    y, p = sample(seed)
    parts = brier_decomposition(y, p, method=method)
    total = parts.miscalibration - parts.discrimination + parts.uncertainty + parts.remainder
    assert total == pytest.approx(measures.brier(y, p), rel=1e-12)
    assert parts.uncertainty == pytest.approx(y.mean() * (1 - y.mean()))
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0


def test_isotonic_parts_by_hand() -> None:
    # The middle two are out of order and share their mean, one half.
    parts = brier_decomposition([0, 1, 0, 1], [0.2, 0.3, 0.6, 0.9])
    recalibrated = (0.25 + 0.25) / 4
    assert parts.miscalibration == pytest.approx(0.225 - recalibrated)
    assert parts.discrimination == pytest.approx(0.25 - recalibrated)
    assert parts.remainder == 0.0


def test_equal_probabilities_are_recalibrated_to_one_value() -> None:
    parts = brier_decomposition([0, 1, 1, 1], [0.4, 0.4, 0.4, 0.4])
    assert parts.discrimination == pytest.approx(0.0, abs=1e-15)
    assert parts.miscalibration == pytest.approx((0.75 - 0.4) ** 2)


def test_isotonic_recalibration_agrees_with_scikit_learn() -> None:
    from sklearn.isotonic import IsotonicRegression

    y, p = sample(5)
    weight = np.random.default_rng(5).random(len(y))
    fitted = IsotonicRegression().fit(p, y, sample_weight=weight).predict(p)
    parts = brier_decomposition(y, p, weight)
    best = np.average((y - fitted) ** 2, weights=weight)
    score = np.average((y - p) ** 2, weights=weight)
    assert parts.miscalibration == pytest.approx(score - best, rel=1e-10)


def test_bins_without_spread_leave_no_remainder() -> None:
    rng = np.random.default_rng(6)
    p = rng.choice([0.05, 0.25, 0.65, 0.95], 60)
    y = rng.random(60) < p
    parts = brier_decomposition(y, p, method="binned")
    assert parts.remainder == pytest.approx(0.0, abs=1e-15)
    fine = brier_decomposition(y, p, method="binned", bins=100)
    assert fine.miscalibration == pytest.approx(parts.miscalibration)


def test_murphys_parts_by_hand() -> None:
    y, p = [0, 1, 1, 1], [0.1, 0.1, 0.9, 1.0]
    parts = brier_decomposition(y, p, method="binned", bins=2)
    assert parts.miscalibration == pytest.approx(0.5 * 0.4**2 + 0.5 * 0.05**2)
    assert parts.discrimination == pytest.approx(0.5 * 0.25**2 + 0.5 * 0.25**2)


def test_a_case_without_weight_has_no_say() -> None:
    y, p = [0, 1, 0, 1, 0], [0.2, 0.3, 0.6, 0.9, 0.95]
    assert brier_decomposition(y, p, [1, 1, 1, 1, 0]) == brier_decomposition(y[:4], p[:4])


def test_the_parts_are_measures_too() -> None:
    y, p = sample(7)
    parts = brier_decomposition(y, p, method="binned", bins=5)
    binned = {"method": "binned", "bins": 5}
    assert measures.brier_miscalibration(**binned)(y, p) == parts.miscalibration
    assert measures.brier_discrimination(**binned)(y, p) == parts.discrimination


def test_another_method_is_refused() -> None:
    with pytest.raises(NotApplicable, match="method must be 'isotonic' or 'binned'; got 'loess'"):
        brier_decomposition([0, 1], [0.1, 0.9], method="loess")


def test_bins_are_those_of_the_calibration_errors() -> None:
    y = [1, 1, 0, 0, 1]
    on, above = [0.57, 0.575, 0.565, 0.58, 0.585], [0.5700001, 0.575, 0.565, 0.5800001, 0.585]
    parts = [brier_decomposition(y, p, method="binned", bins=100) for p in (on, above)]
    assert parts[0].discrimination == pytest.approx(parts[1].discrimination)
