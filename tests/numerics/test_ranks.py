"""Ranks, areas under curves, placements."""

import numpy as np
import pytest
from scipy.stats import rankdata

from abovechance.numerics import ranks
from abovechance.numerics.ranks import (
    auc,
    average_precision,
    kolmogorov_smirnov,
    midranks,
    pair_aucs,
    partial_area,
    rank_summary,
    tied_groups,
)

EXACT = {"rtol": 1e-12, "atol": 1e-15}


def scores_and_outcomes(n, digits, rng):
    positive = rng.random(n) < 0.4
    return np.round(rng.normal(positive * 1.0), digits), positive


def wins(score, positive):
    """Positive by negative: 1 where the positive case has the higher score, 1/2 at ties."""
    high, low = score[positive][:, None], score[~positive]
    return (high > low) + (high == low) / 2


def precision_by_definition(score, positive):
    return np.mean([positive[score >= s].mean() for s in score[positive]])


def distance_by_definition(score, positive):
    return max(0, *((score[positive] >= s).mean() - (score[~positive] >= s).mean() for s in score))


@pytest.mark.parametrize("shape", [(1,), (7,), (4, 9), (2, 3, 20)])
def test_midranks_equal_scipy_in_every_row(shape):
    values = np.random.default_rng(1).integers(0, 6, shape)
    assert np.array_equal(midranks(values), rankdata(values, axis=-1))


def test_published_areas_precision_and_distance(reference, path):
    for case in reference("rank_statistics")["cases"]:
        y, p = np.array(case["input"]["y"]) == 1, np.array(case["input"]["p"])
        ranked, summary = tied_groups(p, y), rank_summary(p, y)
        found = {
            "auc": (auc(ranked), summary.auc),
            "average_precision": (average_precision(ranked), summary.average_precision),
            "max_youden_j": (kolmogorov_smirnov(ranked), summary.ks),
            "partial_auc_fpr_0_to_0.2": (partial_area(ranked, 0.2),),
        }
        for name, values in found.items():
            for expected in case["expected"].get(name, {}).values():
                np.testing.assert_allclose(values, expected, **EXACT, err_msg=case["id"])


@pytest.mark.parametrize("digits", [0, 1, 12])
@pytest.mark.parametrize("n", [2, 3, 5, 17, 200])
def test_one_sort_gives_what_the_definitions_give(n, digits, path):
    rng = np.random.default_rng(n)
    score, positive = scores_and_outcomes(n, digits, rng)
    positive[:2] = [True, False]
    summary, pairs = rank_summary(score, positive), wins(score, positive)
    assert summary.pairs_twice_u == 2 * pairs.sum()
    assert (summary.n_positive, summary.n_negative) == pairs.shape
    np.testing.assert_allclose(
        [
            summary.average_precision,
            summary.ks,
            summary.placement_squares_positive,
            summary.placement_squares_negative,
        ],
        [
            precision_by_definition(score, positive),
            distance_by_definition(score, positive),
            (pairs.mean(axis=1) ** 2).sum(),
            (pairs.mean(axis=0) ** 2).sum(),
        ],
        rtol=1e-13,
        atol=1e-15,
    )


@pytest.mark.parametrize("digits", [2, 12])
def test_merging_equals_grouping_on_many_cases(digits, monkeypatch):

    score, positive = scores_and_outcomes(30_001, digits, np.random.default_rng(5))
    fast = rank_summary(score, positive)
    monkeypatch.setattr(ranks, "worthwhile", lambda *_: False)
    plain = rank_summary(score, positive)
    assert fast.pairs_twice_u == plain.pairs_twice_u
    np.testing.assert_allclose(list(vars(fast).values()), list(vars(plain).values()), rtol=1e-12)


def test_all_scores_equal_tell_nothing(path):
    positive = np.array([True, False, True, False, False])
    summary = rank_summary(np.full(5, 0.3), positive)
    assert (summary.auc, summary.ks, summary.average_precision) == (0.5, 0, 0.4)


@pytest.mark.parametrize("extreme", [np.inf, -np.inf])
def test_infinite_scores_are_ranked_like_any_other(extreme, path):
    score = np.array([0.1, extreme, 0.3, extreme, 0.5])
    positive = np.array([True, True, False, False, False])
    assert rank_summary(score, positive).pairs_twice_u == 2 * wins(score, positive).sum()


@pytest.mark.parametrize("positives", [0, 1, 4])
def test_without_two_classes_the_area_is_undefined(positives, path):
    summary = rank_summary(
        np.arange(4.0)[: max(positives, 1)], np.full(max(positives, 1), positives > 0)
    )
    assert np.isnan(summary.auc)
    assert np.isnan(summary.ks)
    assert np.isnan(summary.average_precision) if positives == 0 else summary.average_precision == 1


@pytest.mark.parametrize(
    "score",
    [[0.5], [0.2, 0.2], [1, np.inf, np.inf, -np.inf, 0.5, -np.inf], [0.0, -0.0, 3, 3, 3, 1]],
)
def test_groups_of_ties_count_each_class_at_each_score(score, path):
    score = np.array(score, dtype=float)
    for positive in (np.arange(score.size) % 2 == 0, np.ones_like(score) > 0, np.zeros_like(score)):
        ranked = tied_groups(score, positive)
        assert np.array_equal(ranked.score, np.unique(score))
        for group, member in ((ranked.positives, positive == 1), (ranked.negatives, positive == 0)):
            assert np.array_equal(group, [(score[member] == s).sum() for s in ranked.score])


def test_a_batch_of_weights_equals_repeated_cases():
    rng = np.random.default_rng(8)
    score, positive = scores_and_outcomes(60, 1, rng)
    counts = rng.multinomial(60, np.full(60, 1 / 60), size=6)
    counts[5] = positive  # no negatives
    ranked = tied_groups(score, positive, counts)
    assert ranked.positives.shape == (6, ranked.score.size)
    for statistic in (auc, average_precision, kolmogorov_smirnov):
        rows = [statistic(tied_groups(np.repeat(score, c), np.repeat(positive, c))) for c in counts]
        np.testing.assert_allclose(statistic(ranked), rows, **EXACT)


def test_a_batch_of_outcomes_equals_its_rows():
    rng = np.random.default_rng(9)
    score, outcomes = rng.integers(0, 9, 30), rng.random((4, 30)) < 0.5
    rows = [auc(tied_groups(score, row)) for row in outcomes]
    assert np.array_equal(auc(tied_groups(score, outcomes)), rows)


@pytest.mark.parametrize("digits", [1, 17])
@pytest.mark.parametrize("vary", ["outcomes", "weights", "both"])
def test_compiled_sweeps_of_rows_equal_the_plain_formulas(digits, vary, monkeypatch):
    rng = np.random.default_rng(6)
    score, positive = scores_and_outcomes(300, digits, rng)
    if vary != "weights":
        positive = rng.permuted(np.tile(positive, (40, 1)), axis=1)
        positive[0] = False
        positive[1] = True
    weight = None
    if vary != "outcomes":
        weight = rng.integers(0, 4, (40, 300)) * rng.choice([1.0, 0.3], (40, 1))
    found = []
    for size in (1, 10**9):
        monkeypatch.setattr("abovechance.numerics.kernels.WORTHWHILE", size)
        ranked = tied_groups(score, positive, weight)
        areas = [partial_area(ranked, f) for f in (0.05, 0.2, 1.0)]
        found.append([average_precision(ranked), kolmogorov_smirnov(ranked), *areas])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)
    assert np.isnan(found[0]).any() == (vary != "weights")


def test_the_whole_partial_area_is_the_area():
    score, positive = scores_and_outcomes(80, 1, np.random.default_rng(2))
    ranked = tied_groups(score, positive)
    np.testing.assert_allclose(partial_area(ranked, 1.0), auc(ranked), **EXACT)


def test_partial_area_is_nan_without_a_class():
    ranked = tied_groups(np.arange(3), np.ones((2, 3)), np.ones((2, 3)))
    assert np.isnan(partial_area(ranked, 0.5)).all()


def test_published_areas_of_many_classes(reference, path):
    for case in reference("pair_areas")["cases"]:
        levels = case["input"]["levels"]
        actual = np.array([levels.index(y) for y in case["input"]["y"]])
        areas = pair_aucs(np.array(case["input"]["prob"]).T, actual, len(levels))
        both = [v for k, v in case["expected"]["auc_hand_till"].items() if "mlr3" not in k]
        np.testing.assert_allclose(np.nanmean(areas), both, **EXACT, err_msg=case["id"])


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("n", [2, 30, 300])
def test_pair_areas_equal_the_area_of_two_classes_alone(n, digits, path):
    rng = np.random.default_rng(n)
    actual = rng.integers(0, 4, n)
    probability = np.round(rng.random((5, n)), digits)
    areas = pair_aucs(probability, actual, 5)
    for i, j in np.ndindex(5, 5):
        chosen = (actual == i) | (actual == j)
        expected = (
            auc(tied_groups(probability[i, chosen], actual[chosen] == i)) if i != j else np.nan
        )
        np.testing.assert_allclose(areas[i, j], expected, **EXACT)


@pytest.mark.parametrize("digits", [1, 12])
def test_a_batch_of_labellings_gives_the_pair_areas_of_its_rows(digits, path):
    rng = np.random.default_rng(6)
    probability = np.round(rng.random((4, 50)), digits)
    actual = rng.integers(0, 4, (6, 50))
    actual[0, actual[0] == 1] = 2  # a class that is not there
    found = pair_aucs(probability, actual, 4)
    np.testing.assert_array_equal(
        found, [ranks._pair_aucs_plain(probability, row, 4, None) for row in actual]
    )
    assert np.isnan(found[0, 1]).all()


def test_walking_and_merging_count_the_same_pairs():
    rng = np.random.default_rng(7)
    actual, probability = rng.integers(0, 5, 400), np.round(rng.random((5, 400)), 2)
    np.testing.assert_array_equal(
        ranks._pair_aucs_by_walking(probability, actual, 5),
        ranks._pair_aucs_by_merging(probability, actual, 5),
    )


def test_weighted_pair_areas_equal_repeated_cases(path):
    rng = np.random.default_rng(4)
    actual, probability = rng.integers(0, 3, 40), np.round(rng.random((3, 40)), 1)
    weight = rng.integers(0, 4, 40)
    np.testing.assert_allclose(
        pair_aucs(probability, actual, 3, weight.astype(float)),
        pair_aucs(np.repeat(probability, weight, axis=1), np.repeat(actual, weight), 3),
        **EXACT,
    )


def test_a_batch_of_weights_gives_the_pair_areas_of_its_rows(path):
    rng = np.random.default_rng(5)
    actual, probability = rng.integers(0, 3, 40), np.round(rng.random((3, 40)), 1)
    weight = rng.integers(0, 3, (7, 40)).astype(float)
    weight[0, actual == 1] = 0.0
    found = pair_aucs(probability, actual, 3, weight)
    rows = [pair_aucs(probability, actual, 3, row) for row in weight]
    np.testing.assert_allclose(found, rows, **EXACT)
    assert np.isnan(found[0, 0, 1])
