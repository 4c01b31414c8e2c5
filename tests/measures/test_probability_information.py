"""Logarithms of what was thought probable: by hand, unclipped, and the pseudo R²."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass

Y, P = np.array([0, 0, 1, 1, 1]), np.array([0.1, 0.4, 0.6, 0.9, 0.3])
GIVEN = np.array([0.9, 0.6, 0.6, 0.9, 0.3])
THREE = [0, 1, 2, 2]
P3 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]])


def test_the_log_score_is_the_mean_log_of_what_happened() -> None:
    assert measures.log_score(Y, P) == pytest.approx(np.log(GIVEN).mean())
    assert measures.log_loss(Y, P) == pytest.approx(-np.log(GIVEN).mean())
    assert measures.log_score(THREE, P3) == pytest.approx(np.log([0.6, 0.5, 0.4, 0.3]).mean())


def test_bits_are_nats_over_the_log_of_two() -> None:
    assert measures.log_score(base=2)(Y, P) == pytest.approx(np.log2(GIVEN).mean())
    assert measures.log_loss(base=2)(THREE, P3) == pytest.approx(
        measures.log_loss(THREE, P3) / np.log(2)
    )


def test_the_chance_level_is_the_entropy_in_the_same_unit() -> None:
    predictions = Binary(Y, probability=P)
    bits = find("log_loss", base=2)
    assert bits.reference is not None
    assert bits.reference(predictions, bits) == pytest.approx(
        -(0.6 * np.log2(0.6) + 0.4 * np.log2(0.4))
    )


def test_nothing_is_clipped() -> None:
    impossible = Binary([0, 1], probability=[0.3, 0.0])
    assert measures.log_score.of(impossible) == -np.inf
    assert measures.log_loss.of(impossible) == np.inf
    assert measures.nagelkerke_r2.of(impossible) == -np.inf
    assert measures.mcfadden_r2.of(impossible) == -np.inf
    several = Multiclass([0, 1, 2], probability=[[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
    assert measures.log_score.of(several) == -np.inf


def test_certainty_that_was_right_costs_nothing() -> None:
    right = Binary([0, 1, 1], probability=[0.0, 1.0, 1.0])
    assert measures.log_loss.of(right) == 0.0
    assert not np.signbit(measures.log_loss.of(right))


def test_an_impossible_event_without_weight_did_not_happen() -> None:
    weight = [1.0, 1.0, 0.0]
    found = measures.log_loss([0, 1, 1], [0.3, 0.8, 0.0], sample_weight=weight)
    assert found == pytest.approx(-(np.log(0.7) + np.log(0.8)) / 2)


@pytest.mark.parametrize("smallest", [5e-324, 1e-310, 1e-17, 1e-8])
def test_the_smallest_probabilities_keep_their_logarithm(smallest: float) -> None:
    assert measures.log_score([1], [smallest]) == pytest.approx(np.log(smallest), rel=1e-12)


def test_pseudo_r2_follow_from_likelihoods() -> None:
    n, likelihood = 5, np.prod(GIVEN)
    null = 0.6**3 * 0.4**2
    cox_snell = 1 - (null / likelihood) ** (2 / n)
    assert measures.cox_snell_r2(Y, P) == pytest.approx(cox_snell)
    assert measures.nagelkerke_r2(Y, P) == pytest.approx(cox_snell / (1 - null ** (2 / n)))
    assert measures.mcfadden_r2(Y, P) == pytest.approx(1 - np.log(likelihood) / np.log(null))


def test_pseudo_r2_of_classes_compare_with_their_frequencies() -> None:
    likelihood, null = 0.6 * 0.5 * 0.4 * 0.3, 0.25 * 0.25 * 0.5 * 0.5
    assert measures.mcfadden_r2(THREE, P3) == pytest.approx(1 - np.log(likelihood) / np.log(null))
    assert measures.cox_snell_r2(THREE, P3) == pytest.approx(1 - (null / likelihood) ** 0.5)


def test_perfect_predictions_leave_cox_and_snell_below_one() -> None:
    null = 0.6**3 * 0.4**2
    assert measures.cox_snell_r2(Y, Y.astype(float)) == pytest.approx(1 - null ** (2 / 5))
    assert measures.nagelkerke_r2(Y, Y.astype(float)) == 1.0


@pytest.mark.parametrize("name", ["nagelkerke_r2", "mcfadden_r2"])
def test_one_class_alone_leaves_shares_undefined(name: str) -> None:
    assert np.isnan(find(name).of(Binary([1, 1], probability=[1.0, 1.0])))
    assert np.isnan(find(name).of(Binary([1, 1], probability=[0.5, 0.8])))


def test_long_tables_do_not_underflow() -> None:
    """The likelihood of 10 000 cases is no double; its logarithm is."""
    rng = np.random.default_rng(1)
    y = rng.random(10_000) < 0.3
    p = np.where(y, 0.4, 0.2)
    found = measures.nagelkerke_r2(y, p)
    logs = np.log(np.where(y, 0.4, 0.8)).mean()
    share = y.mean()
    null = share * np.log(share) + (1 - share) * np.log(1 - share)
    assert found == pytest.approx((1 - np.exp(2 * (null - logs))) / (1 - np.exp(2 * null)))
