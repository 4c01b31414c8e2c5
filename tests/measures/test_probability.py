"""The quadratic family and the parts of the Brier score."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.errors import NotApplicable
from abovechance.measures import brier_decomposition, find
from abovechance.predictions import Binary, Multiclass

# ----------------------------------------------------------------------------------------------
# The Brier score and its relatives by hand.
# ----------------------------------------------------------------------------------------------


Y, P = [0, 0, 1, 1, 1], [0.1, 0.4, 0.6, 0.9, 0.3]
THREE = [0, 1, 2, 2]
P3 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]])


def test_the_brier_score_is_a_mean_square() -> None:
    assert measures.brier(Y, P) == pytest.approx((0.01 + 0.16 + 0.16 + 0.01 + 0.49) / 5)
    assert measures.brier_sum(Y, P) == pytest.approx(2 * measures.brier(Y, P))


def test_the_brier_score_of_classes_is_half_of_the_sum() -> None:
    onehot = np.eye(3)[THREE]
    total = ((onehot - P3) ** 2).sum(axis=1).mean()
    assert measures.brier_sum(THREE, P3) == pytest.approx(total)
    assert measures.brier(THREE, P3) == pytest.approx(total / 2)


def test_two_classes_score_the_same_either_way() -> None:
    both = Multiclass(Y, probability=np.column_stack([1 - np.array(P), P]))
    assert measures.brier.of(both) == pytest.approx(measures.brier(Y, P), rel=1e-14)
    assert measures.scaled_brier.of(both) == pytest.approx(measures.scaled_brier(Y, P))


def test_the_scaled_score_is_zero_for_the_prevalence_whatever_the_reference() -> None:
    always = [0.6] * 5
    assert measures.scaled_brier(Y, always) == pytest.approx(0.0, abs=1e-15)
    shifted = [0.3] * 5
    brier = 0.6 * 0.49 + 0.4 * 0.09
    assert measures.scaled_brier(Y, shifted) == pytest.approx(1 - brier / 0.24)
    as_printed = measures.scaled_brier(reference="mean_prediction")
    assert as_printed(Y, shifted) == pytest.approx(1 - brier / 0.21)


def test_the_scaled_score_of_classes_knows_both_references() -> None:
    share = np.array([0.25, 0.25, 0.5])
    loss = measures.brier(THREE, P3)
    assert measures.scaled_brier(THREE, P3) == pytest.approx(
        1 - loss / (np.sum(share * (1 - share)) / 2)
    )
    mean = P3.mean(axis=0)
    as_printed = measures.scaled_brier(reference="mean_prediction")
    assert as_printed(THREE, P3) == pytest.approx(1 - loss / (np.sum(mean * (1 - mean)) / 2))


def test_another_reference_is_refused() -> None:
    with pytest.raises(NotApplicable, match="reference must be 'prevalence' or 'mean_prediction'"):
        measures.scaled_brier(reference="median")(Y, P)


def test_tjur_is_a_difference_of_means() -> None:
    assert measures.tjur_r2(Y, P) == pytest.approx(0.6 - 0.25)


def test_weights_count_cases() -> None:
    weight = [1.0, 0.0, 2.0, 1.0, 0.5]
    assert measures.brier(Y, P, sample_weight=weight) == pytest.approx(
        np.average((np.array(Y) - P) ** 2, weights=weight)
    )
    assert measures.tjur_r2(Y, P, sample_weight=weight) == pytest.approx(
        (2 * 0.6 + 0.9 + 0.15) / 3.5 - 0.1
    )


@pytest.mark.parametrize("name", ["scaled_brier", "tjur_r2"])
def test_one_class_alone_leaves_comparisons_undefined(name: str) -> None:
    assert np.isnan(find(name).of(Binary([1, 1, 1], probability=[0.5, 0.6, 1.0])))
    assert np.isnan(find(name).of(Binary([1, 1], probability=[1.0, 1.0])))


@pytest.mark.parametrize("seed", range(20))
def test_rounding_of_weights_does_not_define_what_is_undefined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, weight = rng.random(50), rng.random(50)
    one = Binary(np.ones(50), probability=p, sample_weight=weight)
    same = Multiclass(
        np.ones(50, dtype=int), probability=np.column_stack([1 - p, p]), sample_weight=weight
    )
    for name in ("scaled_brier", "nagelkerke_r2", "mcfadden_r2"):
        assert np.isnan(find(name).of(one))
        assert np.isnan(find(name).of(same))


def test_losses_are_one_a_case() -> None:
    predictions = Binary(Y, probability=P)
    assert measures.brier.losses(predictions) == pytest.approx([0.01, 0.16, 0.16, 0.01, 0.49])
    of_classes = Multiclass(THREE, probability=P3)
    assert measures.brier.losses(of_classes)[0] == pytest.approx((0.16 + 0.09 + 0.01) / 2)


# ----------------------------------------------------------------------------------------------
# The Brier score taken apart.
# ----------------------------------------------------------------------------------------------


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
