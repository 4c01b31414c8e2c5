"""Measures of one class against the rest, worked out by hand; their averages."""

import numpy as np
import pytest

from abovechance import measures
from abovechance.measures import find
from abovechance.predictions import Multiclass

# Bananas among fruit: TP 3, FP 5, FN 3, TN 16.
BANANA = [[16, 5], [3, 3]]
BY_HAND = {
    "sensitivity": 3 / 6,
    "specificity": 16 / 21,
    "ppv": 3 / 8,
    "npv": 16 / 19,
    "false_positive_rate": 5 / 21,
    "false_negative_rate": 3 / 6,
    "false_discovery_rate": 5 / 8,
    "false_omission_rate": 3 / 19,
    "f1": 6 / 14,
    "f2_score": 15 / 32,
    "jaccard": 3 / 11,
    "youden_j": 3 / 6 + 16 / 21 - 1,
    "class_markedness": 3 / 8 + 16 / 19 - 1,
    "positive_likelihood_ratio": (3 / 6) / (5 / 21),
    "negative_likelihood_ratio": (3 / 6) / (16 / 21),
    "diagnostic_odds_ratio": (3 * 16) / (5 * 3),
}


@pytest.mark.parametrize("name", list(BY_HAND))
def test_one_class_against_the_rest_by_hand(name: str) -> None:
    assert find(name).from_confusion(BANANA) == pytest.approx(BY_HAND[name], rel=1e-14)


@pytest.mark.parametrize(
    ("rate", "complement"),
    [
        ("false_positive_rate", "specificity"),
        ("false_negative_rate", "sensitivity"),
        ("false_discovery_rate", "ppv"),
        ("false_omission_rate", "npv"),
    ],
)
def test_rates_and_their_complements_sum_to_one(rate: str, complement: str) -> None:
    total = find(rate).from_confusion(BANANA) + find(complement).from_confusion(BANANA)
    assert total == pytest.approx(1.0)


def test_f1_ignores_true_negatives() -> None:
    assert measures.f1.from_confusion([[999, 5], [3, 3]]) == measures.f1.from_confusion(BANANA)
    assert measures.f_beta(1).from_confusion(BANANA) == measures.f1.from_confusion(BANANA)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("sensitivity", [[3, 2], [0, 0]]),
        ("specificity", [[0, 0], [3, 2]]),
        ("ppv", [[3, 0], [2, 0]]),
        ("npv", [[0, 3], [0, 2]]),
        ("f1", [[3, 0], [0, 0]]),
        ("jaccard", [[3, 0], [0, 0]]),
        ("youden_j", [[3, 2], [0, 0]]),
        ("positive_likelihood_ratio", [[3, 0], [2, 0]]),
        ("negative_likelihood_ratio", [[0, 3], [0, 2]]),
    ],
)
def test_nothing_over_nothing_is_undefined(name: str, table: list[list[int]]) -> None:
    assert np.isnan(find(name).from_confusion(table))
    assert find(name).undefined


def test_something_over_nothing_is_infinite() -> None:
    assert measures.positive_likelihood_ratio.from_confusion([[5, 0], [1, 4]]) == np.inf
    assert measures.diagnostic_odds_ratio.from_confusion([[5, 0], [1, 4]]) == np.inf
    assert measures.f1.from_confusion([[3, 1], [1, 0]]) == 0.0


# ---------------------------------------------------------------- averages

FRUIT = Multiclass(
    ["a"] * 8 + ["b"] * 6 + ["c"] * 13,
    label=["a"] * 5 + ["b"] * 3 + ["a"] * 2 + ["b"] * 3 + ["c"] + ["b"] * 2 + ["c"] * 11,
)


def test_macro_is_the_plain_mean_over_classes() -> None:
    found = find("sensitivity_macro").of(FRUIT)
    assert found == pytest.approx((5 / 8 + 3 / 6 + 11 / 13) / 3)
    assert measures.sensitivity.of(FRUIT) == found


def test_weighted_is_the_mean_by_prevalence() -> None:
    assert find("ppv_weighted").of(FRUIT) == pytest.approx(
        (8 * 5 / 7 + 6 * 3 / 8 + 13 * 11 / 12) / 27
    )
    assert find("recall_weighted").of(FRUIT) == pytest.approx(19 / 27)


def test_micro_pools_the_counts() -> None:
    assert find("specificity_micro").of(FRUIT) == pytest.approx((54 - 8) / 54)
    for name in ("recall", "precision", "f1"):
        assert find(f"{name}_micro").of(FRUIT) == pytest.approx(measures.accuracy.of(FRUIT))


def test_an_undefined_class_is_left_out_and_does_not_count_as_zero() -> None:
    never_predicted = Multiclass(["a", "a", "b", "c"], label=["a", "a", "b", "b"])
    assert find("ppv_macro").of(never_predicted) == pytest.approx((1 + 1 / 2) / 2)
    assert find("ppv_weighted").of(never_predicted) == pytest.approx((2 * 1 + 1 / 2) / 3)
    unobserved = Multiclass(["a", "a", "b"], label=["a", "b", "b"], labels=["a", "b", "c"])
    assert find("recall_macro").of(unobserved) == pytest.approx(3 / 4)


def test_an_average_of_nothing_is_undefined() -> None:
    nothing = Multiclass(["a", "b"], label=["c", "c"], labels=["a", "b", "c"])
    assert find("ppv_macro").of(nothing) == 0.0
    assert np.isnan(find("ppv_weighted").of(nothing))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
@pytest.mark.parametrize("classes", [2, 5])
def test_averages_agree_with_scikit_learn(name: str, average: str, classes: int) -> None:
    from sklearn import metrics

    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 200)
    label = np.where(rng.random(200) < 0.6, y, rng.integers(0, classes, 200))
    weight = rng.random(200)
    score = getattr(metrics, f"{name}_score")
    found = find(f"{name}_{average}")(y, label, sample_weight=weight)
    assert found == pytest.approx(score(y, label, average=average, sample_weight=weight))
