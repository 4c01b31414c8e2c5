"""Measures of the whole confusion table, worked out by hand and checked against identities."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.errors import NotApplicable
from abovechance.measures import find

# 10 true and 90 false positives, no false and 900 true negatives: rows actual.
RARE = [[900, 90], [0, 10]]
THREE = np.array([[5, 3, 0], [2, 3, 1], [0, 2, 11]])


def test_accuracy_hides_what_balanced_accuracy_shows() -> None:
    assert measures.accuracy.from_confusion(RARE) == 0.91
    assert measures.balanced_accuracy.from_confusion(RARE) == pytest.approx((1 + 900 / 990) / 2)
    assert measures.error_rate.from_confusion(RARE) == pytest.approx(0.09)
    assert measures.balanced_error_rate.from_confusion(RARE) == pytest.approx(90 / 990 / 2)


def test_balanced_accuracy_can_weigh_sensitivity() -> None:
    table = [[6, 4], [1, 9]]
    assert measures.balanced_accuracy(weight=0.8).from_confusion(table) == pytest.approx(
        0.8 * 0.9 + 0.2 * 0.6
    )
    with pytest.raises(NotApplicable, match="weight= is for two classes"):
        measures.balanced_accuracy(weight=0.8).from_confusion(THREE)


def test_balanced_accuracy_is_over_the_observed_classes() -> None:
    assert measures.balanced_accuracy.from_confusion(
        [[3, 1, 0], [0, 0, 0], [0, 2, 2]]
    ) == pytest.approx((3 / 4 + 2 / 4) / 2)


def test_kappa_of_three_classes_by_hand() -> None:
    n, agreed = 27, 19
    expected = (8 * 7 + 6 * 8 + 13 * 12) / n
    assert measures.kappa.from_confusion(THREE) == pytest.approx(
        (agreed - expected) / (n - expected)
    )


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_agrees_with_scikit_learn(weights: str) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 80)
    label = np.clip(y + rng.integers(-1, 2, 80), 0, 3)
    found = measures.kappa(weights=weights)(y, label)
    assert found == pytest.approx(cohen_kappa_score(y, label, weights=weights), rel=1e-12)


def test_weighted_kappa_follows_the_order_of_the_declared_classes() -> None:
    y = ["low", "high", "mid", "low", "high", "mid"]
    label = ["low", "mid", "mid", "mid", "high", "low"]
    quadratic = measures.kappa("quadratic")
    ordered = quadratic(y, label, labels=["low", "mid", "high"])
    assert ordered == pytest.approx(quadratic(y, label, labels=["high", "mid", "low"]))
    assert ordered != pytest.approx(quadratic(y, label, labels=["mid", "low", "high"]))


def test_other_weights_of_kappa_are_refused() -> None:
    with pytest.raises(NotApplicable, match="weights must be None, 'linear' or 'quadratic'"):
        measures.kappa("cubic").from_confusion(THREE)


def test_mcc_is_the_correlation_of_two_codings() -> None:
    y, label = [0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0, 1]
    assert measures.mcc(y, label) == pytest.approx(np.corrcoef(y, label)[0, 1])


def test_mcc_is_the_geometric_mean_of_informedness_and_markedness_for_two_classes() -> None:
    table = [[16, 5], [3, 3]]
    found = measures.mcc.from_confusion(table)
    product = measures.informedness.from_confusion(table) * measures.markedness.from_confusion(
        table
    )
    assert found == pytest.approx(np.sqrt(product))
    assert found == pytest.approx(33 / np.sqrt(19152))


def test_informedness_of_many_classes_weighs_one_against_rest_by_prevalence() -> None:
    total, actual, predicted = THREE.sum(), THREE.sum(axis=1), THREE.sum(axis=0)
    hits = np.diag(THREE)
    share, bias = actual / total, predicted / total
    powers = np.sum(share / (1 - share) * (hits / actual - bias))
    assert measures.informedness.from_confusion(THREE) == pytest.approx(powers)
    assert measures.informedness.from_confusion(THREE) == pytest.approx(
        find("youden_j_weighted").from_confusion(THREE)
    )
    powers = np.sum(bias / (1 - bias) * (hits / predicted - share))
    assert measures.markedness.from_confusion(THREE) == pytest.approx(powers)


def test_the_geometric_mean_is_zero_when_a_class_is_always_missed() -> None:
    assert measures.g_mean.from_confusion([[3, 1], [4, 0]]) == 0.0
    assert measures.g_mean.from_confusion([[3, 1], [1, 1]]) == pytest.approx(np.sqrt(3 / 8))
    recalls = np.diag(THREE) / THREE.sum(axis=1)
    assert measures.g_mean.from_confusion(THREE) == pytest.approx(np.prod(recalls) ** (1 / 3))


def test_standardised_accuracy_keeps_its_sign() -> None:
    assert measures.z_accuracy([0, 0, 0, 1], [1, 0, 0, 0]) == pytest.approx(
        (0.5 - 0.75) / np.sqrt(0.75 * 0.25)
    )


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("mcc", [[3, 0], [2, 0]]),
        ("mcc", [[3, 2], [0, 0]]),
        ("kappa", [[5, 0], [0, 0]]),
        ("informedness", [[3, 2], [0, 0]]),
        ("markedness", [[3, 0], [2, 0]]),
        ("g_mean", [[3, 2], [0, 0]]),
        ("z_accuracy", [[3, 2], [0, 0]]),
    ],
)
def test_what_an_empty_margin_leaves_undefined(name: str, table: list[list[int]]) -> None:
    assert np.isnan(find(name).from_confusion(table))
    assert find(name).undefined


def test_an_empty_margin_leaves_shares_of_all_cases_defined() -> None:
    assert measures.accuracy.from_confusion([[3, 2], [0, 0]]) == 0.6
    assert measures.balanced_accuracy.from_confusion([[3, 2], [0, 0]]) == 0.6
    assert measures.kappa.from_confusion([[3, 0], [2, 0]]) == 0.0


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_declared_slopes_of_kappa_are_its_derivatives(weights: str | None) -> None:
    """By a step along the imaginary axis, which loses no digits."""
    tables = np.array([[[8.0, 3, 1], [2, 9, 4], [5, 1, 7]], [[30.0, 0, 2], [1, 4, 0], [6, 3, 11]]])
    apart = np.abs(np.arange(3)[:, None] - np.arange(3))
    cost = {None: apart > 0, "linear": apart, "quadratic": apart**2}[weights]
    expected = np.empty(tables.shape)
    for t, i, j in np.ndindex(tables.shape):
        moved = tables[t].astype(complex)
        moved[i, j] += 1e-30j
        by_chance = (cost * np.outer(moved.sum(axis=1), moved.sum(axis=0))).sum()
        kappa = 1.0 - moved.sum() * (cost * moved).sum() / by_chance
        expected[t, i, j] = kappa.imag / 1e-30
    slopes = find("kappa").slopes
    assert slopes is not None
    np.testing.assert_allclose(slopes(tables, weights=weights), expected, rtol=1e-11, atol=1e-14)
