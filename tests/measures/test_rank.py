"""Measures of order: pairs counted by hand, ties, many classes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from abovechance import measures
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.measures.rank import pair_scale
from abovechance.predictions import Binary, Multiclass


def pairs_won(positive: list[float], negative: list[float]) -> float:
    """Share of pairs in which the positive case has the higher score, ties half."""
    return float(np.mean([(a > b) + (a == b) / 2 for a, b in product(positive, negative)]))


def scored(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, np.round(rng.normal(y * 0.8, 1.0), 1)


@pytest.mark.parametrize("seed", range(5))
def test_auc_equals_the_share_of_pairs_won(seed: int) -> None:
    y, score = scored(seed)
    assert measures.auc(y, score) == pytest.approx(
        pairs_won(score[y].tolist(), score[~y].tolist()), rel=1e-14
    )


def test_auc_equals_mann_whitney() -> None:
    from scipy.stats import mannwhitneyu

    y, score = scored(1)
    u = mannwhitneyu(score[y], score[~y]).statistic
    assert measures.auc(y, score) == pytest.approx(u / (y.sum() * (~y).sum()), rel=1e-14)


def test_auc_is_never_flipped() -> None:
    y, score = scored(2)
    assert measures.auc(y, -score) == pytest.approx(1 - measures.auc(y, score))
    assert measures.auc([0, 0, 1, 1], [4, 3, 2, 1]) == 0.0


def test_auc_sees_only_the_order() -> None:
    y, score = scored(3)
    assert measures.auc(y, np.exp(3 * score)) == measures.auc(y, score)
    assert measures.auc(y, [float("-inf")] + [1e300] * 59) == measures.auc(y, [0] + [1] * 59)


def test_somers_d_is_twice_the_area_less_one() -> None:
    y, score = scored(4)
    assert measures.somers_d(y, score) == pytest.approx(2 * measures.auc(y, score) - 1)


def test_average_precision_by_hand() -> None:
    y, score = [1, 0, 1, 1, 0], [5, 4, 3, 3, 1]
    assert measures.average_precision(y, score) == pytest.approx(1 / 3 * 1 + 2 / 3 * 3 / 4)


@pytest.mark.parametrize("seed", range(3))
def test_average_precision_agrees_with_scikit_learn(seed: int) -> None:
    from sklearn.metrics import average_precision_score

    y, score = scored(seed)
    weight = np.random.default_rng(seed).random(len(y))
    assert measures.average_precision(y, score) == pytest.approx(
        average_precision_score(y, score), rel=1e-12
    )
    assert measures.average_precision(y, score, sample_weight=weight) == pytest.approx(
        average_precision_score(y, score, sample_weight=weight), rel=1e-12
    )


@pytest.mark.parametrize("max_fpr", [0.05, 0.3, 1.0])
def test_partial_area_agrees_with_scikit_learn(max_fpr: float) -> None:
    from sklearn.metrics import roc_auc_score

    y, score = scored(6)
    found = measures.partial_auc(max_fpr=max_fpr)(y, score)
    assert found == pytest.approx(roc_auc_score(y, score, max_fpr=max_fpr), rel=1e-12)


def test_the_whole_partial_area_is_the_area() -> None:
    y, score = scored(7)
    whole = measures.partial_auc(max_fpr=1.0, standardised=False)
    assert whole(y, score) == pytest.approx(measures.auc(y, score), rel=1e-14)


def test_ks_is_the_largest_distance_between_two_distributions() -> None:
    from scipy.stats import ks_2samp

    y, score = scored(8)
    found = ks_2samp(score[y], score[~y], alternative="less").statistic
    assert measures.ks(y, score) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("name", ["auc", "somers_d", "partial_auc", "ks"])
@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1]])
def test_one_class_alone_leaves_ranks_undefined(name: str, y: list[int]) -> None:
    predictions = Binary(y, score=[1, 2, 3])
    assert np.isnan(find(name).of(predictions))
    weighted = Binary([*y, 1 - y[0]], score=[1, 2, 3, 4], sample_weight=[1, 1, 1, 0])
    assert np.isnan(find(name).of(weighted))


def test_average_precision_needs_positives_only() -> None:
    assert np.isnan(measures.average_precision([0, 0], [1, 2]))
    assert measures.average_precision([1, 1], [1, 2]) == 1.0


def test_equal_scores_say_nothing() -> None:
    tied = Binary([0, 1, 1, 0, 1], score=[2.0] * 5)
    assert measures.auc.of(tied) == 0.5
    assert measures.average_precision.of(tied) == 0.6
    assert measures.ks.of(tied) == 0.0


def test_scores_rank_where_probabilities_are_given_too() -> None:
    both = Binary([0, 1, 1], probability=[0.5, 0.5, 0.5], score=[1, 3, 2])
    assert measures.auc.of(both) == 1.0


# ---------------------------------------------------------------- many classes

RNG = np.random.default_rng(9)
actual = RNG.integers(0, 4, 90)
P = np.round(RNG.dirichlet(np.ones(4), 90), 1)
P[:, 0] += 1 - P.sum(axis=1)
P = np.abs(P) / np.abs(P).sum(axis=1, keepdims=True)


def one_way(i: int, j: int) -> float:
    """How well column i tells class i from class j."""
    return pairs_won(P[actual == i, i].tolist(), P[actual == j, i].tolist())


def test_hand_and_till_average_both_directions_of_every_pair() -> None:
    pairs = [(i, j) for i in range(4) for j in range(i)]
    wanted = np.mean([(one_way(i, j) + one_way(j, i)) / 2 for i, j in pairs])
    assert measures.auc(actual, P) == pytest.approx(wanted, rel=1e-12)
    share = np.bincount(actual) / 90
    by_size = np.average(
        [(one_way(i, j) + one_way(j, i)) / 2 for i, j in pairs],
        weights=[share[i] + share[j] for i, j in pairs],
    )
    assert measures.auc_ovo_weighted(actual, P) == pytest.approx(by_size, rel=1e-12)


def test_each_class_against_the_rest_is_an_area_of_its_own() -> None:
    areas = [measures.auc(actual == k, P[:, k]) for k in range(4)]
    assert measures.auc_ovr_macro(actual, P) == pytest.approx(np.mean(areas), rel=1e-12)
    by_size = np.average(areas, weights=np.bincount(actual))
    assert measures.auc_ovr_weighted(actual, P) == pytest.approx(by_size, rel=1e-12)


@pytest.mark.parametrize("name", ["auc", "auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_weighted"])
def test_slopes_say_what_every_area_of_two_classes_adds(name: str) -> None:
    measure, rng = find(name).for_outcome("multiclass"), np.random.default_rng(3)
    areas, shares = rng.random((4, 4)), np.array([0.4, 0.3, 0.2, 0.1])
    np.fill_diagonal(areas, np.nan)
    assert measure.slopes is not None
    slopes = measure.slopes(areas, shares)
    assert np.nansum(slopes * areas) == pytest.approx(measure.formula(areas, shares), rel=1e-12)
    assert slopes.sum() == pytest.approx(1.0, rel=1e-12)


def test_weighted_areas_of_many_classes_equal_repeated_cases() -> None:
    counts = np.random.default_rng(10).integers(0, 3, 90)
    again = np.repeat(np.arange(90), counts)
    for name in ("auc", "auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_weighted"):
        weighted = find(name)(actual, P, counts=counts)
        assert weighted == pytest.approx(find(name)(actual[again], P[again]), rel=1e-12)


def test_an_unobserved_class_is_left_out_of_pairs_and_leaves_the_rest_undefined() -> None:
    seen = actual < 3
    with_gap = Multiclass(actual[seen], probability=P[seen], labels=range(4))
    pairs = [(i, j) for i in range(3) for j in range(i)]
    wanted = np.mean([(one_way(i, j) + one_way(j, i)) / 2 for i, j in pairs])
    assert measures.auc.of(with_gap) == pytest.approx(wanted, rel=1e-12)
    assert np.isnan(measures.auc_ovr_macro.of(with_gap))
    alone = Multiclass([1, 1], probability=P[:2], labels=range(4))
    assert np.isnan(measures.auc.of(alone))


@pytest.mark.parametrize("name", ["auc", "auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_weighted"])
@pytest.mark.parametrize("absent", [False, True])
def test_declared_slopes_of_areas_are_those_found_by_trying_each(name: str, absent: bool) -> None:
    rng = np.random.default_rng(3)
    areas, shares = rng.random((6, 6)), rng.dirichlet(np.ones(6))
    np.fill_diagonal(areas, np.nan)
    if absent:
        areas[1], areas[:, 1], shares[1] = np.nan, np.nan, 0.0
        shares /= shares.sum()
    measure = find(name).for_outcome("multiclass")
    assert measure.slopes is not None
    found, tried = (pair_scale(m, areas, shares) for m in (measure, replace(measure, slopes=None)))
    wrong = pair_scale(replace(measure, slopes=lambda a, s: np.ones(a.shape)), areas, shares)
    if tried is None:  # a class that was not observed leaves it undefined
        assert found is None
        assert wrong is None
        return
    for one in (found, wrong):
        np.testing.assert_allclose(one.slopes, tried.slopes, atol=1e-12)
        np.testing.assert_allclose(one.by_class, tried.by_class, atol=1e-12)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, 2.0])
@pytest.mark.parametrize("standardised", [True, False])
def test_a_partial_area_is_over_rates_from_above_zero_to_one(
    rate: float, standardised: bool
) -> None:
    with pytest.raises(NotApplicable, match="max_fpr must lie above 0 and be at most 1"):
        measures.partial_auc([0, 1], [0.2, 0.6], max_fpr=rate, standardised=standardised)
