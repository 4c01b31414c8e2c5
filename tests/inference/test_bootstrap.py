"""Leaving out, resampling, and heavy tails."""

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference import bootstrap
from abovechance.inference.bootstrap import bounded_mean_limits, jackknifed, scale_of
from abovechance.measures import Law, find

# ----------------------------------------------------------------------------------------------
# Intervals by leaving out: of any measure, clusters of any size, weights, perfect results.
# ----------------------------------------------------------------------------------------------


INTERNAL = ("kind=", "indices", "groups of different sizes", "array", "None")


def _cases(kind: str, n: int = 60, **how: Any) -> Any:
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    if kind == "numeric":
        return ac.Numeric(x + rng.normal(size=n), x, **how)
    if kind == "multiclass":
        p = rng.dirichlet([1.0, 1.0, 1.0], size=n)
        y = np.array([rng.choice(3, p=row) for row in p])
        return ac.Multiclass(y, probability=p, **how)
    y = (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int)
    return ac.Binary(y, probability=1 / (1 + np.exp(-1.3 * x)), pos_label=1, **how)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric"])
@pytest.mark.parametrize("how", ["none", "unequal clusters", "weights", "weights and clusters"])
def test_intervals_contain_their_value_within_the_range(kind: str, how: str) -> None:
    rng = np.random.default_rng(8)
    given: dict[str, Any] = {}
    if "clusters" in how:
        given["groups"] = np.repeat(np.arange(12), [1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 10, 14])
    if "weights" in how:
        given["sample_weight"] = rng.uniform(0.3, 3.0, 60)
    found = ac.assess(_cases(kind, **given), rng=1, draws=99)
    for row in (e for e in found if e.class_ is None):
        measure = find(row.measure).for_outcome(kind)
        assert not any(word in (row.remark or "") for word in INTERNAL), row.remark
        if row.interval is None:
            told = (
                row.remark
                or row.undefined
                or measure.law is Law.CALIBRATION
                or not np.isfinite(row.value)
            )
            assert told, f"{row.measure} has no interval and no word why"
            continue
        low, high = row.interval.low, row.interval.high
        assert low <= row.value <= high, row.measure
        assert low < high, row.measure
        assert measure.range[0] <= low, row.measure
        assert high <= measure.range[1], row.measure


@pytest.mark.parametrize("name", ["average_precision", "tjur_r2", "scaled_brier", "brier"])
def test_clusters_of_one_case_are_independent_cases(name: str) -> None:
    plain, single = (
        jackknifed(find(name), _cases("binary", **how)) for how in ({}, {"groups": np.arange(60)})
    )
    assert (single.low, single.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


def _in_clusters(positive: int, **how: Any) -> ac.Binary:
    """24 clusters of three cases, so many of one class and the others of the other."""
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(24), 3)
    y = (groups < positive).astype(int)
    odds = y + rng.normal(size=24)[groups] + rng.normal(size=72)
    return ac.Binary(y, probability=1 / (1 + np.exp(-odds)), groups=groups, **how)


@pytest.mark.parametrize("name", ["tjur_r2", "average_precision", "partial_auc"])
def test_few_clusters_of_a_class_make_a_spread_of_few_degrees_of_freedom(name: str) -> None:
    """Satterthwaite's, written out: the spread of each class by as many clusters as hold it."""
    cases, measure = _in_clusters(6), find(name)
    groups = np.asarray(cases.cases.groups)
    left = [measure.of(cases.take(np.flatnonzero(groups != one))) for one in range(24)]
    gap = np.array(left) - np.mean(left)
    of_six, of_rest = (gap[:6] ** 2).sum(), (gap[6:] ** 2).sum()
    wanted = (of_six + of_rest) ** 2 / (of_six**2 / 5 + of_rest**2 / 17)
    kurtosis = 24 * (gap**4).sum() / (gap**2).sum() ** 2
    wanted = min(wanted, 2 * 24 / (kurtosis - 1), 23)
    value, scale = measure.of(cases), scale_of(*measure.range)
    error = np.sqrt(23 / 24 * (gap @ gap)) * scale.slope(value)
    half = stats.t.ppf(0.975, wanted) * error
    found = jackknifed(measure, cases)
    assert (scale.to(found.low), scale.to(found.high)) == pytest.approx(
        (scale.to(value) - half, scale.to(value) + half), rel=1e-6
    )
    assert wanted < 12


def test_clusters_that_hold_both_classes_count_as_they_did() -> None:
    gap, groups = np.arange(1.0, 25.0), np.repeat(np.arange(24), 2)
    assert bootstrap.freedom_over_classes(gap, groups, np.arange(48) % 2) == pytest.approx(23.0)
    three = bootstrap.freedom_over_classes(np.ones(24), groups, groups % 3)  # eight each
    assert three == pytest.approx(24**2 / (3 * 8**2 / 7))


@pytest.mark.parametrize("name", ["tjur_r2", "average_precision", "partial_auc"])
def test_too_few_clusters_or_weighted_cases_of_a_class_are_refused(name: str) -> None:
    assert jackknifed(find(name), _in_clusters(5))
    with pytest.raises(NotApplicable, match=r"all but 4 clusters are of one class.*below 5"):
        jackknifed(find(name), _in_clusters(4))
    rng = np.random.default_rng(7)
    y = np.arange(80) < 8
    p = 1 / (1 + np.exp(-(y + rng.normal(size=80))))
    for light, refused in ((1.0, False), (0.05, True)):  # four of eight positives weigh much less
        weight = np.where(np.arange(80) % 2 == 0, 1.0, light)
        cases = ac.Binary(y.astype(int), probability=p, sample_weight=weight)
        if not refused:
            assert jackknifed(find(name), cases)
            continue
        with pytest.raises(NotApplicable, match="all but 4 cases, by what they are worth"):
            jackknifed(find(name), cases)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_influence_is_leaving_out_to_first_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    x = np.round(rng.normal(size=300), 1)
    cases = ac.Numeric(np.round(x + rng.normal(size=300), 1), x)
    exact = jackknifed(find(name), cases)
    monkeypatch.setattr(bootstrap, "MOST", 10)
    quick = jackknifed(find(name), cases)
    assert (quick.low, quick.high) == pytest.approx((exact.low, exact.high), abs=0.004)


def test_doubling_every_case_never_widens() -> None:
    for name in ("pearson", "r2", "concordance_correlation"):
        once = _cases("numeric", 40)
        twice = ac.Numeric(np.tile(once.outcome[0], 2), np.tile(once.value[0], 2))
        first, second = (jackknifed(find(name), cases) for cases in (once, twice))
        assert second.high - second.low < first.high - first.low


def test_scales_go_there_and_back() -> None:
    for ends in ((0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, 1.0), (-np.inf, np.inf)):
        scale = scale_of(*ends)
        assert scale.back(scale.to(0.3)) == pytest.approx(0.3)
        step = (scale.to(0.3 + 1e-6) - scale.to(0.3 - 1e-6)) / 2e-6
        assert scale.slope(0.3) == pytest.approx(step, rel=1e-6)


PERFECT = ac.Binary(np.repeat([0, 1], 10), probability=np.repeat([0.0, 1.0], 10), pos_label=1)
EXACT = ac.Numeric(np.arange(12.0), np.arange(12.0))


@pytest.mark.parametrize(
    ("cases", "names"),
    [
        (PERFECT, ["average_precision", "partial_auc", "brier", "log_score", "tjur_r2"]),
        (EXACT, ["mse", "mae", "rmse", "r2", "pearson", "spearman", "kendall", "medae"]),
    ],
)
def test_perfect_results_have_no_width_of_zero(cases: Any, names: list[str]) -> None:
    for row in ac.assess(cases, names, rng=1, draws=199):
        assert row.interval is None
        assert row.remark is not None
        assert row.remark.startswith("no interval: ")


def test_maxima_have_no_interval_and_say_why() -> None:
    for kind, name in (("binary", "ks"), ("numeric", "max_error")):
        row = ac.assess(_cases(kind), [name], rng=1, draws=99)[name]
        assert row.interval is None
        assert "chance" in (row.remark or "")


def test_a_measure_of_ones_own_gets_the_same_interval() -> None:
    from dataclasses import replace

    own = replace(find("pearson"), name="my_correlation", influence=None)
    cases = _cases("numeric")
    found = [ac.assess(cases, [m], rng=1).estimates[0].interval for m in (find("pearson"), own)]
    assert found[0] == found[1]


def test_one_cluster_is_refused_in_words() -> None:
    with pytest.raises(NotApplicable, match="at least two"):
        jackknifed(find("brier"), _cases("binary", groups=np.zeros(60)))


# ----------------------------------------------------------------------------------------------
# Few cases that make up much of the error are said, and what has no spread is refused.
# ----------------------------------------------------------------------------------------------


def _codes(error: np.ndarray) -> set[str]:
    x = np.random.default_rng(1).normal(size=len(error))
    return {a.code for a in ac.assess(ac.Numeric(x + error, x), ["mse"], rng=1, draws=49).advice}


def test_heavy_tails_and_few_cases_are_said() -> None:
    rng = np.random.default_rng(2)
    assert {"AC033", "AC034"}.isdisjoint(_codes(rng.normal(size=400)))
    assert "AC034" in _codes(rng.standard_cauchy(size=200))
    assert "AC033" in _codes(rng.normal(size=30))


@pytest.mark.parametrize(("measure", "said"), [("r2", True), ("pearson", True), ("mse", False)])
def test_outcomes_with_heavy_tails_are_said_of_what_is_set_beside_them(
    measure: str, *, said: bool
) -> None:
    rng = np.random.default_rng(3)
    outcome = rng.standard_t(3, size=500)
    cases = ac.Numeric(outcome, outcome + rng.normal(size=500))
    codes = {a.code: a.text for a in ac.assess(cases, [measure], rng=1, draws=49).advice}
    assert ("AC034" in codes) is said
    assert not said or "outcomes' squared distance from their mean" in codes["AC034"]
    light = outcome.copy()
    light[np.abs(outcome) > 2.0] = 0.0
    weight = np.where(np.abs(outcome) > 2.0, 0.0, 1.0)  # what weighs nothing decides nothing
    for y in (outcome, light):
        cases = ac.Numeric(y, y + rng.normal(size=500), sample_weight=weight)
        found = ac.assess(cases, [measure], rng=1, draws=49)
        assert "AC034" not in {a.code for a in found.advice}


def test_a_line_through_every_case_has_no_interval() -> None:
    x = np.arange(12.0)
    for groups in (None, np.repeat(np.arange(4), 3)):
        row = ac.assess(
            ac.Numeric(2 * x + 1, x, groups=groups), ["linear_calibration_slope"], rng=1
        ).estimates[0]
        assert row.interval is None
        assert "no spread" in str(row.remark)


def test_undefined_mcnemar_says_why() -> None:
    assert "never disagree" in ac.significance.mcnemar(0, 0, method="chi2").method


@pytest.mark.parametrize("n", [3, 10, 40])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_bounds_of_a_bounded_mean_hold_for_coins(n: int, share: float) -> None:
    """Coins are the widest of values within [0, 1]; all outcomes are counted."""
    error = 0.025
    hits = np.arange(n + 1)
    ends = np.array([bounded_mean_limits(k / n, n, error) for k in hits])
    chance = stats.binom.pmf(hits, n, share)
    assert chance[ends[:, 0] > share].sum() <= error
    assert chance[ends[:, 1] < share].sum() <= error
    assert (ends[:, 0] <= hits / n).all()
    assert (ends[:, 1] >= hits / n).all()


def test_limits_of_few_large_losses_do_not_run_to_the_end_of_the_range() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(51) % 2
    p = np.where(y == 1, 1.0, 0.0) + np.where(y == 1, -1.0, 1.0) * 10.0 ** -rng.uniform(4, 9, 51)
    p[0], p[1] = 0.7, 0.6
    found = ac.assess(ac.Binary(y, probability=p), ["brier", "log_loss", "log_score"], rng=1)
    assert "Hoeffding" in found["brier"].interval.method
    assert found["brier"].value < found["brier"].interval.high < 0.25
    said = next(a.text for a in found.advice if a.code == "AC036")
    assert "Log loss" in said
    assert "Log score" in said


# ----------------------------------------------------------------------------------------------
# Resamples that are not drawn case by case.
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9])
def test_medians_without_one_value_are_those_of_the_others(n):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    expected = [np.median(np.delete(values, i)) for i in range(n)]
    np.testing.assert_allclose(bootstrap.medians_without(values), expected)


@pytest.mark.parametrize("n", [4, 5])
def test_resampled_medians_are_distributed_as_those_of_all_samples(n):
    values = np.arange(float(n)) ** 2
    exact = [np.median(values[list(chosen)]) for chosen in np.ndindex(*(n,) * n)]
    drawn = bootstrap.resampled_medians(values, np.random.default_rng(1), 40_000)
    places, share = np.unique(exact, return_counts=True)
    for place, expected in zip(places, share / len(exact), strict=True):
        error = np.sqrt(expected * (1 - expected) / 40_000)
        assert abs(np.mean(drawn == place) - expected) < 4 * error
    assert set(drawn) <= set(places)


def test_resamples_of_few_large_values_and_a_bulk_are_those_drawn_one_by_one():
    rng = np.random.default_rng(1500)
    values = rng.standard_t(3, size=1500) + rng.exponential(size=1500) ** 2
    values = values - values.mean()
    found = bootstrap.Bulk.of(values)
    assert found is not None
    assert len(found.large) < 400
    draws = 20_000
    quick = found.pivots(np.random.default_rng(1), draws)
    (plain,) = bootstrap._pivots_by_counts(values[None], np.random.default_rng(2), draws)
    for at in (0.01, 0.025, 0.1, 0.5, 0.9, 0.975, 0.99):
        share = np.mean(quick <= np.quantile(plain, at))
        assert abs(share - at) < 5 * np.sqrt(2 * at * (1 - at) / draws)


def test_several_rows_of_many_have_the_pivots_that_each_has_alone():
    rng = np.random.default_rng(4)
    heavy = rng.exponential(size=1200) ** 2
    rows = np.stack([heavy, np.arange(1200.0) % 4 == 0, rng.standard_t(4, size=1200)])
    rows = rows - rows.mean(axis=1, keepdims=True)
    without = [bootstrap.Bulk.of(row) is None for row in rows]
    assert any(without)
    assert not all(without)
    ones = np.ones(1200)
    together = bootstrap.Pivots(rows, ones).of_rows(np.random.default_rng(1), 99)
    for k, row in enumerate(rows):
        alone = bootstrap.Pivots(row[None], ones).of_rows(np.random.default_rng(1), 99)
        np.testing.assert_allclose(together[:, k], alone[:, 0], rtol=1e-12)


def test_values_most_of_which_make_the_spread_have_no_bulk():
    values = (np.arange(1000.0) % 7 == 0) * 1.0  # more than can be drawn apart
    assert bootstrap.Bulk.of(values - values.mean()) is None
    assert bootstrap.Bulk.of(np.zeros(1000)) is None


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_what_is_large_among_values_does_not_depend_on_their_unit(scale):
    rng = np.random.default_rng(7)
    values = rng.exponential(size=2000) ** 2
    values = values - values.mean()
    found, scaled = bootstrap.Bulk.of(values), bootstrap.Bulk.of(values * scale)
    assert len(scaled.large) == len(found.large)
    np.testing.assert_allclose(scaled.large, found.large * scale, rtol=1e-12)
    np.testing.assert_allclose(scaled.light, found.light * [scale, scale**2], rtol=1e-9)


def test_many_clusters_of_one_size_are_resampled_as_the_means_of_their_cases():
    rng = np.random.default_rng(8)
    values = rng.standard_t(4, size=1200)
    values = values - values.mean()
    seed = int(np.random.default_rng(1).integers(1 << 63))
    expected = bootstrap.Bulk.of(values).pivots(np.random.default_rng(seed), 99)
    for size in (1.0, 3.0):
        clusters = bootstrap.Pivots(size * values[None], np.full(1200, size))
        found = clusters.of_rows(np.random.default_rng(1), 99)
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-9)


# ----------------------------------------------------------------------------------------------
# Means beside the pivots of their resamples.
# ----------------------------------------------------------------------------------------------


def test_one_sided_bounds_are_the_mean_less_the_pivots_that_few_resamples_exceed():
    pivots = np.array([-4.0, -2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.5, 3.0])  # 9 + 1 parts
    found = bootstrap.Studentised(10.0, 2.0, pivots, 29.0)
    assert found.bounds(0.8) == (10.0 - 3.0 * 2.0, 10.0 + 4.0 * 2.0)  # beyond each one in ten
    assert found.bounds(0.6) == (10.0 - 2.5 * 2.0, 10.0 + 2.0 * 2.0)
    mirrored = bootstrap.Studentised(-10.0, 2.0, -pivots[::-1], 29.0)
    for level in (0.8, 0.6, 0.4):
        low, high = found.bounds(level)
        assert mirrored.bounds(level) == (-high, -low)


@pytest.mark.parametrize("undefined", [0, 1, 2, 3])
def test_a_mean_is_given_up_where_more_than_one_resample_in_a_hundred_has_no_error(undefined):
    units = bootstrap.Units.of(np.arange(40.0))
    pivots = np.linspace(2.0, -2.0, 200)
    pivots[:undefined] = np.nan
    found = bootstrap._of_pivots(units, 0, pivots)
    if undefined > 2:
        assert found is None
    else:
        assert found.mean == 19.5
        np.testing.assert_array_equal(found.pivots, pivots[undefined:][::-1])


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_values_vary_by_more_than_rounding_in_any_unit(unit: float) -> None:
    steps = np.array([0.0, 1.0, 2.0])
    for step, varied in ((0.0, False), (1e-13, False), (1e-11, True)):
        assert bootstrap._varied(unit * (1.0 + step * steps)) is varied
    assert bootstrap._varied(np.array([1.0, np.inf]))


def test_a_value_at_the_end_of_its_range_says_so_and_is_not_called_constant() -> None:
    for value in (0.0, 1.0):
        with pytest.raises(NotApplicable, match="as far as it can go"):
            bootstrap._reach(value, 0.1, 20.0, find("accuracy"), "case", 0.95)
    with pytest.raises(NotApplicable, match="whichever cluster is left out"):
        bootstrap._reach(0.4, 1e-13, 20.0, find("accuracy"), "cluster", 0.95)


def test_two_cases_have_the_pivots_of_their_resamples() -> None:
    """Of two cases half of the resamples hold one twice, without spread, and half are the mean."""
    cases = ac.Numeric([0.0, 0.0], [1.0, 3.0])
    found = bootstrap.mean_pivots([find("mae")], cases, 2000, np.random.default_rng(1))["mae"]
    assert found.shape == (2000,)
    assert set(np.unique(found[np.isfinite(found)])) == {0.0}
    assert np.isfinite(found).mean() == pytest.approx(0.5, abs=0.05)
    one = ac.Numeric([0.0], [1.0])
    assert bootstrap.mean_pivots([find("mae")], one, 10, np.random.default_rng(1)) == {}


@pytest.mark.parametrize("n", [12, 299, 300, 1_001, 1_200])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_without_a_case_are_the_means_of_the_others(n: int, weighted: bool) -> None:
    """Of every mean of losses, however many cases there are; with weights parts are left out."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    weight = rng.choice([1.0, 2.0], n) if weighted else None
    made = ac.Binary(y, probability=0.1 + 0.8 * rng.random(n), sample_weight=weight)
    own = np.ones(n) if weight is None else weight
    for name in ("brier", "log_score"):
        losses = find(name).losses(made)
        found, times = bootstrap.leave_one_out(find(name), made)
        if n <= 1_000 or not weighted:
            each = (own @ losses - own * losses) / (own.sum() - own)
            assert found == pytest.approx(each, rel=1e-9)
        else:
            assert 1 < len(found) < n
        assert times.tolist() == [1.0] * len(found)


@pytest.mark.parametrize(("n", "error"), [(1, 1e-3), (2, 0.05), (50, 0.0025)])
def test_limits_of_a_bounded_mean_solve_their_equation_or_are_the_ends(
    n: int, error: float
) -> None:
    """The entropy of the mean beside a limit is log(1 / error) / n, or smaller at the very end."""
    far = -np.log(error) / n

    def entropy(mean: float, limit: float) -> float:
        return float(special.rel_entr(mean, limit) + special.rel_entr(1.0 - mean, 1.0 - limit))

    for mean in np.linspace(0.0, 1.0, 101).tolist():
        low, high = bounded_mean_limits(mean, n, error)
        mirrored = bounded_mean_limits(1.0 - mean, n, error)
        assert (1.0 - mirrored[1], 1.0 - mirrored[0]) == pytest.approx((low, high), abs=1e-9)
        for limit, end in ((low, 1e-15), (high, 1.0 - 1e-15)):
            if limit in (0.0, 1.0):
                assert mean in (0.0, 1.0) or entropy(mean, end) <= far + 1e-9
            elif 1e-3 < limit < 0.999:  # nearer to an end its distance has too few digits
                assert entropy(mean, limit) == pytest.approx(far, rel=1e-5)
