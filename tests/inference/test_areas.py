"""What holds for every measure of pairs: by facts, near and at 1, over clusters, with weights."""

import numpy as np
import pytest
from scipy import stats

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import assess, compare, intervals
from abovechance.inference.areas import rank_sum_tail
from abovechance.measures import find
from abovechance.measures.measure import Family, Form, LabelScore, Law, measure
from abovechance.numerics import ranks
from abovechance.predictions import Binary, Multiclass, Survival, View

DECLARED = {
    "family": Family.RANK,
    "form": Form.RANKS,
    "law": Law.PAIRS,
    "outcomes": frozenset({"binary"}),
    "prevalence_free": True,
    "reads": View.SCORE,
    "source": "declared here",
}


@measure(title="My area", range=(0.0, 1.0), best=1.0, **DECLARED)
def my_auc(ranked):
    """The area."""
    return ranks.auc(ranked)


@measure(title="Mine", range=(-1.0, 1.0), best=1.0, label_score=LabelScore.MIDRANK, **DECLARED)
def my_gini(ranked):
    """Twice the area less one."""
    return 2.0 * ranks.auc(ranked) - 1.0


@measure(title="Percent", range=(0.0, 100.0), best=100.0, **DECLARED)
def percent(ranked):
    """The area in percent."""
    return 100.0 * ranks.auc(ranked)


@measure(title="Lost pairs", range=(0.0, 1.0), best=0.0, **DECLARED)
def lost(ranked):
    """What the area lacks of 1."""
    return 1.0 - ranks.auc(ranked)


@measure(title="Squared", range=(0.0, 1.0), best=1.0, label_score=LabelScore.MIDRANK, **DECLARED)
def squared(ranked):
    """Monotone in the area, not linear."""
    return ranks.auc(ranked) ** 2


SCALED = {"my_auc": (my_auc, 0, 1), "my_gini": (my_gini, -1, 2), "percent": (percent, 0, 100)}
SCALED |= {"lost": (lost, 1, -1), "somers_d": (find("somers_d"), -1, 2)}


def cases(n: int = 60, seed: int = 1, **extra) -> list[Binary]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:4] = [True, False, True, False]
    return [Binary(y, score=np.round(s, 1), **extra) for s in rng.normal(size=(2, n)) + 1.2 * y]


def clustered(n: int = 60) -> dict:
    return {"groups": np.arange(n) // 4}


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("extra", [{}, clustered(), {"sample_weight": 1.0 + np.arange(60) % 3}])
def test_an_area_by_any_name_has_its_interval_on_its_scale(name: str, extra: dict) -> None:
    own, start, slope = SCALED[name]
    found = assess(cases(**extra)[0], ["auc", own], rng=1, draws=199)
    mine, auc = (found[label].interval for label in (own.label, "auc"))
    ends = sorted(start + slope * x for x in (auc.low, auc.high))
    assert [mine.low, mine.high] == pytest.approx(ends, abs=1e-12)
    assert mine.method == auc.method
    if not extra:
        assert found[own.label].p_value == found["auc"].p_value


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("extra", [{}, clustered()])
@pytest.mark.parametrize("paired", [True, False])
def test_an_area_by_any_name_is_compared_on_its_scale(name: str, extra: dict, paired: bool) -> None:
    own, _, slope = SCALED[name]
    two = dict(zip("ab", cases(**extra), strict=True))
    margin = {"auc": 0.05, own.label: 0.05 * abs(slope)}
    found = compare(two, ["auc", own], rng=1, paired=paired, margin=margin)
    mine, auc = found[own.label], found["auc"]
    assert mine.difference == pytest.approx(slope * auc.difference)
    assert mine.p_value == pytest.approx(auc.p_value, rel=1e-9)
    ends = sorted(slope * x for x in (auc.interval.low, auc.interval.high))
    assert [mine.interval.low, mine.interval.high] == pytest.approx(ends, abs=1e-9)
    if extra:  # of 20 clusters and more there would be a verdict
        assert mine.margin is auc.margin is None
        return
    assert mine.margin.p_noninferior == pytest.approx(auc.margin.p_noninferior, abs=1e-6)
    assert mine.margin.noninferior == auc.margin.noninferior


def test_what_is_not_linear_in_the_area_is_resampled() -> None:
    found = assess(cases()[0], [squared], rng=1, draws=199)["squared"]
    assert "bootstrap" in found.interval.method or "jackknife" in found.interval.method
    assert found.interval.low < found.value < found.interval.high
    two = dict(zip("ab", cases(), strict=True))
    row = compare(two, [squared], rng=1, draws=99)["squared"]
    assert "exchange" in row.test


@pytest.mark.parametrize(("n", "low"), [(10, 0.8), (20, 0.9), (100, 0.98), (1000, 0.998)])
def test_perfect_order_has_an_interval_that_narrows(n: int, low: float) -> None:
    y, s = np.repeat([0, 1], n), np.arange(2.0 * n)
    one, other = (assess(Binary(y, score=x), ["auc"], rng=1)["auc"].interval for x in (s, -s))
    assert (round(one.low, 3), one.high) == (pytest.approx(low, abs=1.5e-3), 1.0)
    assert [other.low, other.high] == pytest.approx([0.0, 1.0 - one.low], abs=1e-12)


def perfect(kind: str) -> tuple:
    y = np.tile([0, 1], 15)
    return {
        "binary": (Binary, y, {"score": y + 0.01 * np.arange(30)}),
        "tied": (Binary, y, {"score": y * 1.0}),
        "classes": (
            Multiclass,
            np.tile([0, 1, 2], 10),
            {"probability": 0.9 * np.eye(3)[np.tile([0, 1, 2], 10)] + 0.1 / 3},
        ),
    }[kind]


EXTRA = {
    "alone": {},
    "clusters": {"groups": np.arange(30) // 6},
    "unequal clusters": {"groups": np.repeat([0, 1, 2, 3, 4], [2, 3, 4, 9, 12])},
    "weights": {"sample_weight": 1.0 + np.arange(30) % 4},
    "counts": {"counts": 1 + np.arange(30) % 3},
}


@pytest.mark.parametrize("kind", ["binary", "tied", "classes"])
@pytest.mark.parametrize("extra", EXTRA)
def test_perfect_order_is_not_certain(kind: str, extra: str) -> None:
    make, y, given = perfect(kind)
    names = ["auc"] if kind != "classes" else ["auc", "auc_ovr_macro", "auc_ovr_weighted"]
    found = assess(make(y, **given, **EXTRA[extra]), names, rng=1, draws=99)
    for row in found:
        assert row.value == 1.0
        assert 0.3 < row.interval.low < 0.99
        assert row.interval.high == 1.0


@pytest.mark.parametrize("copies", [1, 3, 20])
def test_perfect_clusters_tell_what_as_many_cases_do(copies: int) -> None:
    y = np.repeat([0, 1], 10)
    alone = intervals.newcombe_auc(1.0, 10, 10)
    groups = np.repeat(np.arange(20), copies)
    made = Binary(np.repeat(y, copies), score=np.repeat(np.arange(20.0), copies), groups=groups)
    found = intervals.delong(made)
    if copies == 1:
        assert found.low == pytest.approx(alone.low, abs=1e-9)
    else:
        assert alone.low - 0.1 < found.low < alone.low  # Student's t in place of the normal


@pytest.mark.parametrize("kind", ["binary", "tied", "classes"])
@pytest.mark.parametrize("noise", [0.0, 0.2, 0.6])
def test_every_case_twice_never_widens(kind: str, noise: float) -> None:
    make, y, given = perfect(kind)
    rng = np.random.default_rng(1)
    shuffled = np.where(rng.random(30) < noise, rng.permutation(y), y)
    once = make(shuffled, **given)
    twice = once.take(np.repeat(np.arange(30), 2))
    one, two = (assess(p, ["auc"], rng=1, draws=99)["auc"].interval for p in (once, twice))
    assert one.low <= two.low
    assert two.high <= one.high


def test_clusters_of_one_case_are_independent_cases() -> None:
    alone, single = cases()[0], cases(groups=np.arange(60))[0]
    for scale in ("wider", "adjusted_logit", "logit", "identity"):
        one, other = (intervals.delong(p, scale=scale) for p in (alone, single))
        assert one == other


def test_few_clusters_of_a_class_count_and_not_all() -> None:
    y = np.r_[np.ones(12, int), np.zeros(40, int)]
    score = y + np.random.default_rng(1).normal(size=52)
    groups = np.r_[np.repeat([0, 1, 2], 4), np.arange(3, 43)]
    few = intervals.delong(Binary(y, score=score, groups=groups))
    more = intervals.delong(Binary(y, score=score))
    assert few.high - few.low > 1.5 * (more.high - more.low)
    with pytest.raises(NotApplicable, match="at least two"):
        intervals.delong(Binary(y, score=score, groups=np.r_[np.zeros(12), np.arange(1, 41)]))


def test_one_case_of_a_class_is_bounded_by_default_and_refused_by_name() -> None:
    one = Binary([1, 0, 0, 0, 0, 0], score=[5, 1, 2, 3, 4, 6])
    found = assess(one, ["auc"], rng=1)["auc"].interval
    assert found.low < 0.35
    assert found.high > 0.97
    for scale in ("logit", "identity"):
        with pytest.raises(NotApplicable, match="one case of a class"):
            intervals.delong(one, scale=scale)


def two_perfect(n: int) -> dict[str, Binary]:
    y = np.repeat([0, 1], n)
    other = np.concatenate([np.arange(n)[::-1], n + np.arange(n)[::-1]])
    return {"new": Binary(y, score=np.arange(2.0 * n)), "old": Binary(y, score=other)}


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("paired", [True, False])
def test_no_margin_is_met_where_nothing_varies(n: int, paired: bool) -> None:
    row = compare(two_perfect(n), ["auc"], rng=1, margin=0.02, paired=paired)["auc"]
    assert row.difference == 0.0
    assert row.interval.low < 0.0 < row.interval.high
    assert row.margin is None
    assert "no verdict" in row.undefined


def test_models_that_order_alike_are_alike() -> None:
    some = cases()[0]
    first = Binary(some.positive, score=some.ranking + 1e-6 * np.arange(some.n))
    other = Binary(first.positive, score=np.exp(first.ranking))
    row = compare({"a": first, "b": other}, ["auc"], rng=1, margin=0.01)["auc"]
    assert (row.interval.low, row.interval.high, row.p_value) == (0.0, 0.0, 1.0)
    assert row.margin is None  # nothing varies: no verdict


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("paired", [True, False])
def test_verdict_interval_and_p_of_a_margin_agree(seed: int, paired: bool) -> None:
    two = dict(zip("ab", cases(seed=seed), strict=True))
    for margin in (0.02, 0.1, 0.2, 0.3):
        found = compare(two, ["auc"], rng=1, margin=margin, paired=paired)["auc"].margin
        assert found.noninferior == (found.interval.low > -margin)
        assert found.equivalent == (found.interval.low > -margin and found.interval.high < margin)
        assert found.noninferior == (found.p_noninferior <= found.alpha)


def test_no_area_exceeds_its_range_by_rounding() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(3, 8))
        y = np.concatenate([np.arange(k), rng.integers(k, size=30)])
        weight = rng.random(len(y)) + 0.1
        many = Multiclass(y, probability=0.8 * np.eye(k)[y] + 0.2 / k, sample_weight=weight)
        two = Binary(y > 0, score=y, sample_weight=weight)
        for name in ("auc", "auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_weighted"):
            assert find(name).for_outcome("multiclass").of(many) <= 1.0
        for name in ("auc", "somers_d", "ks"):
            assert find(name).of(two) <= 1.0
            assert find(name).batch(two, weight * rng.integers(1, 4, size=(9, len(y)))).max() <= 1.0


def test_newcombe_is_that_of_equal_classes() -> None:
    found = intervals.newcombe_auc(0.9, 30, 30)
    y = np.repeat([0, 1], 30)
    assert found.method == "Newcombe"
    for end in (found.low, found.high):
        a = end
        n = 30
        v = a * (1 - a) * (1 + (n - 1) * ((1 - a) / (2 - a) + a / (1 + a))) / n**2
        assert (0.9 - a) ** 2 == pytest.approx(1.959964**2 * v, rel=1e-5)
    whole = intervals.delong(Binary(y, score=np.arange(60.0)))
    one = intervals.newcombe_auc(1.0, 30, 30)
    assert whole.low == pytest.approx(one.low, abs=1e-9)
    with pytest.raises(DataError, match="between 0 and 1"):
        intervals.newcombe_auc(1.2, 10, 10)
    with pytest.raises(DataError, match="between 0 and 1"):
        intervals.hanley_mcneil(1.2, 10, 10)


def test_a_concordance_by_another_name_and_tie_rule_keeps_its_own_value() -> None:
    rng = np.random.default_rng(1)
    time, event = rng.integers(1, 9, size=60), rng.random(60) < 0.7
    made = Survival(time, event, risk=np.round(-time + 2 * rng.normal(size=60)))
    for name in ("c_index", "uno_c(tau=8)"):
        measured = find("c_index") if name == "c_index" else find("uno_c").with_parameters(tau=8)
        row = assess(made, [measured], rng=1)[measured.label]
        assert "jackknife" in row.interval.method
        assert row.interval.low < row.value < row.interval.high
    strict = find("c_index").with_parameters(ties="drop")
    row = assess(made, [strict], rng=1, draws=99)[strict.label]
    assert row.interval.low < row.value < row.interval.high


@pytest.mark.parametrize("continuity", [True, False])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("moved", [0.6, -0.6])
def test_the_normal_law_of_tied_ranks_is_that_of_scipy(moved, alternative, continuity) -> None:
    rng = np.random.default_rng(8)
    up, down = (np.round(rng.normal(loc, size=n), 1) for loc, n in ((moved, 31), (0.0, 44)))
    wanted = stats.mannwhitneyu(
        up, down, use_continuity=continuity, alternative=alternative, method="asymptotic"
    )
    times = np.unique(np.concatenate([up, down]), return_counts=True)[1].astype(float)
    assert times.max() > 2
    found = rank_sum_tail(
        wanted.statistic, (times**3 - times).sum(), 31, 44, alternative, continuity
    )
    assert found == pytest.approx(wanted.pvalue, rel=1e-12)


def test_ranks_that_are_all_tied_say_nothing() -> None:
    assert rank_sum_tail(6.0, 5.0**3 - 5.0, 2, 3) == 1.0
