"""Intervals agree with R and with exact arithmetic, and stay within their range."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

import abovechance as ac
from abovechance import intervals
from abovechance.errors import DataError, NotApplicable
from abovechance.measures import find
from abovechance.predictions import Binary, Numeric, Survival

RELATIVE = {"rel": 1e-10, "abs": 1e-12}


def test_intervals_of_shares_agree_with_high_precision(reference) -> None:
    methods = {
        "wilson": intervals.wilson,
        "clopper_pearson": intervals.clopper_pearson,
        "jeffreys_boundary_adjusted": intervals.jeffreys,
    }
    for case in reference("proportion_ci")["cases"]:
        given = case["input"]
        for key, method in methods.items():
            found = method(given["x"], given["n"], confidence_level=given["conf_level"])
            target = case["expected"][key]["mpmath"]
            assert [found.low, found.high] == pytest.approx(target, **RELATIVE), (case["id"], key)


def test_delong_agrees_with_exact_arithmetic(reference) -> None:
    for case in reference("dinga_tests")["cases"]:
        made = Binary(case["input"]["y"], probability=case["input"]["p"])
        for level in (0.9, 0.95, 0.99):
            target = case["expected"].get(f"delong_ci_{level}", {}).get("exact_clipped_0_1")
            if target is None:
                continue
            found = intervals.delong(made, confidence_level=level, scale="identity")
            assert [found.low, found.high] == pytest.approx(target, rel=1e-9, abs=1e-12)


def test_default_area_interval_is_defined_at_perfect_separation() -> None:
    found = intervals.delong(Binary([0, 0, 0, 1, 1, 1], score=[1, 2, 3, 4, 5, 6]))
    assert found.high == 1.0
    assert 0.2 < found.low < 0.95


def test_hanley_mcneil_standard_error_agrees(reference) -> None:
    for case in reference("hanley_mcneil")["cases"]:
        given = case["input"]
        found = intervals.hanley_mcneil(given["auc"], given["n_pos"], given["n_neg"])
        assert found == pytest.approx(case["expected"]["se"]["exact"], **RELATIVE)


def test_jackknife_variance_is_that_of_survival(reference) -> None:
    from abovechance.inference.influence import concordance_influence

    seen = 0
    for case in reference("survival_concordance")["cases"]:
        target = case["expected"].get("harrell_c_variance", {}).get("survival::concordance")
        if target is None or not target > 1e-20 or case["input"]["time_max"] is not None:
            continue
        given = case["input"]
        made = Survival(given["time"], given["event"], risk=given["risk"])
        _, influence = concordance_influence(made)
        assert (influence**2).sum() == pytest.approx(target, rel=1e-9), case["id"]
        seen += 1
    assert seen >= 8


def test_clusters_are_left_out_as_wholes_of_a_concordance() -> None:
    """The limits spelled out over all pairs, with Student's t for what the clusters are worth."""
    from scipy.stats import t as student

    rng = np.random.default_rng(3)
    groups = np.repeat(list("bcad"), (4, 5, 6, 9))
    time, risk = rng.permutation(24) + 1.0, rng.normal(size=24)
    event = rng.random(24) < 0.8
    risk -= time / 12.0

    def without(one: str) -> float:
        pairs = [(i, j) for i in range(24) for j in range(24) if time[i] < time[j] and event[i]]
        kept = [(i, j) for i, j in pairs if one not in (groups[i], groups[j])]
        return fmean(float(risk[i] > risk[j]) for i, j in kept)

    value = without("")
    squares = np.array([(without(one) - value) ** 2 for one in "abcd"])
    worth = 24**2 / (4**2 + 5**2 + 6**2 + 9**2)
    half = student.ppf(0.975, worth - 1) * np.sqrt(squares.sum()) / (value * (1 - value))
    expected = [1 / (1 + np.exp(-np.log(value / (1 - value)) - s * half)) for s in (-1, 1)]
    found = intervals.jackknife(Survival(time, event, risk=risk, groups=groups))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert "over 4 clusters" in found.method


def test_newcombe_reproduces_the_published_example() -> None:
    found = intervals.newcombe(56, 70, 48, 80)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)


def test_tango_solves_its_score_equation() -> None:
    from scipy.stats import norm

    gained, lost, n = 12, 2, 50

    def score(d: float) -> float:
        # the likelihood of the share lost, given the difference, is greatest at the larger root of
        # 2n q² − (n₁₀ + n₀₁ − d (2n − n₁₀ + n₀₁)) q − n₀₁ d (1 − d) = 0 (Tango 1998, eq. 2)
        half = (gained + lost - d * (2 * n - gained + lost)) / (4 * n)
        q = half + np.sqrt(half**2 + lost * d * (1 - d) / (2 * n))
        slope = gained / (q + d) + lost / q - 2 * (n - gained - lost) / (1 - 2 * q - d)
        assert slope == pytest.approx(0.0, abs=1e-9)
        return (gained - lost - n * d) / np.sqrt(n * (2 * q + d - d * d))

    found = intervals.tango(gained, lost, n)
    assert score(found.low) == pytest.approx(norm.ppf(0.975), abs=1e-5)
    assert score(found.high) == pytest.approx(norm.ppf(0.025), abs=1e-5)


def test_tango_at_the_ends_stays_in_range() -> None:
    nothing = intervals.tango(0, 0, 20)
    assert nothing.low < 0 < nothing.high
    everything = intervals.tango(20, 0, 20)
    assert everything.high == pytest.approx(1.0)


def test_balanced_accuracy_weights_move_the_interval() -> None:
    even = intervals.mover([45, 30], [50, 50])
    tilted = intervals.mover([45, 30], [50, 50], weights=(0.9, 0.1))
    assert tilted.low > even.low


@pytest.mark.parametrize("method", ["bca", "percentile", "studentised"])
def test_bootstrap_is_repeatable_and_contains_the_value(method: str) -> None:
    rng = np.random.default_rng(4)
    y = rng.random(80) < 0.4
    made = Binary(y, probability=np.clip(0.3 + 0.3 * y + 0.1 * rng.normal(size=80), 0.01, 0.99))
    one = intervals.bootstrap(made, "brier", method=method, rng=3, draws=500)
    two = intervals.bootstrap(made, "brier", method=method, rng=3, draws=500)
    assert one == two
    assert one.low < float(np.mean((y - made.probability) ** 2)) < one.high


def test_bootstrap_replicates_from_the_sweep_equal_weighted_evaluation() -> None:
    from abovechance.inference.bootstrap import _counts, replicates
    from abovechance.measures import find
    from abovechance.resampling import Bootstrap

    rng = np.random.default_rng(5)
    y = np.arange(60) % 3 == 0
    p = np.round(np.clip(0.3 + 0.3 * y + 0.15 * rng.normal(size=60), 0.01, 0.99), 2)
    made = Binary(y, probability=p)
    names = ["accuracy", "mcc", "f1", "auc", "average_precision", "brier", "log_score"]
    measures = [find(name) for name in names]
    found = replicates(made, measures, np.random.default_rng(1), 200)
    order = np.argsort(p, kind="stable")
    index = Bootstrap(60).draw(np.random.default_rng(1), 200)
    weights = np.empty((200, 60))
    weights[:, order] = _counts(index, 60)
    for m in measures:
        np.testing.assert_allclose(found[m.label], m.batch(made, weights), rtol=1e-10, atol=1e-12)
    # those that the sweep does not know take the same cases as weights
    others = [find(name) for name in ("ks", "partial_auc", "tjur_r2", "scaled_brier")]
    found = replicates(made, others, np.random.default_rng(1), 200)
    for m in others:
        np.testing.assert_allclose(found[m.label], m.batch(made, weights), rtol=1e-10, atol=1e-12)


def test_counted_and_spelled_out_resamples_have_the_same_pivots() -> None:
    from abovechance.inference.bootstrap import _pivots_by_counts
    from abovechance.resampling import Bootstrap

    rng = np.random.default_rng(2)
    values = rng.exponential(size=1200)
    centred = values - values.mean()
    drawn = centred[Bootstrap(1200).draw(np.random.default_rng(3), 50)]
    expected = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(1200))
    (found,) = _pivots_by_counts(centred[None], np.random.default_rng(3), 50)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("n", [40, 1100])
def test_pivots_of_many_means_at_once_are_those_of_each_alone(n: int) -> None:
    from abovechance.inference.bootstrap import mean_pivots

    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.4
    made = Binary(y, probability=np.clip(0.5 * y + 0.5 * rng.random(n), 0.01, 0.99))
    means = [find("brier"), find("log_score"), find("log_loss")]
    together = mean_pivots(means, made, 99, np.random.default_rng(1))
    for m in means:
        alone = mean_pivots([m], made, 99, np.random.default_rng(1))
        np.testing.assert_array_equal(together[m.label], alone[m.label])
    assert not np.array_equal(together["brier"], together["log_score"])


def test_a_mean_that_is_infinite_keeps_no_other_from_being_resampled() -> None:
    from abovechance.inference.bootstrap import mean_pivots

    made = Binary([0, 1, 1, 0, 1], probability=[0.2, 0.0, 0.7, 0.4, 0.9])
    found = mean_pivots([find("log_score"), find("brier")], made, 9, np.random.default_rng(1))
    assert list(found) == ["brier"]


@pytest.mark.parametrize("groups", [None, np.arange(200) // 4])
def test_gains_resampled_together_are_those_of_each_alone(groups: np.ndarray | None) -> None:
    from abovechance.inference.bootstrap import Units, studentised, studentised_rows
    from abovechance.settings import Settings

    rows = np.random.default_rng(5).exponential(size=(3, 200)) - 0.9
    how = Settings(draws=299, seed=4)
    for row, found in zip(rows, studentised_rows(Units.of(rows, groups), how), strict=True):
        alone = studentised(Units.of(row, groups), how)
        assert found is not None
        assert alone is not None
        np.testing.assert_allclose(found.pivots, alone.pivots, rtol=1e-10)
        np.testing.assert_allclose(found.bounds(0.95), alone.bounds(0.95), rtol=1e-10)
        assert found.p_value("greater") == alone.p_value("greater")


def test_a_resample_of_equal_values_has_no_pivot_however_it_is_counted() -> None:
    from abovechance.inference.bootstrap import _pivots, _pivots_by_counts

    values = np.full(1500, 0.3)
    values[7] = 2.0
    for pivots in (_pivots, _pivots_by_counts):
        (found,) = pivots((values - values.mean())[None], np.random.default_rng(1), 400)
        equal = np.isnan(found).mean()
        assert 0.3 < equal < 0.44  # the one unlike case is missed in 1/e of the resamples
        assert np.isfinite(found[~np.isnan(found)]).all()


def test_where_too_many_resamples_have_no_spread_the_limits_are_students() -> None:
    from abovechance.inference.bootstrap import studentised_interval

    values = np.r_[np.full(30, 0.25), 0.5]
    found = studentised_interval(values, 0.95, 199, np.random.default_rng(1))
    assert found.method == "Student's t"
    assert found.low < values.mean() < found.high
    assert np.isfinite([found.low, found.high]).all()
    with pytest.raises(NotApplicable, match="same loss"):
        studentised_interval(
            np.full(9, 0.1) + np.arange(9) * 1e-17, 0.95, 199, np.random.default_rng(1)
        )


def test_clusters_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(20), 10)
    losses = rng.normal(size=20)[groups] + 0.1 * rng.normal(size=200)
    wide = intervals.cluster_mean(losses, groups)
    narrow = 2 * 1.96 * losses.std() / np.sqrt(200)
    assert wide.high - wide.low > 2 * narrow


def test_one_cluster_is_refused() -> None:
    with pytest.raises(NotApplicable, match="at least two"):
        intervals.cluster_mean(np.ones(5), np.zeros(5))


def test_nadeau_bengio_refuses_leave_one_out_and_one_class_folds() -> None:
    from abovechance.measures import find

    auc = find("auc")
    single = Binary([0, 1, 0, 1], score=[1, 2, 3, 4], fold=[1, 2, 3, 4])
    with pytest.raises(NotApplicable, match="leave-one-out"):
        intervals.nadeau_bengio(auc, single)
    apart = Binary([0, 0, 1, 1], score=[1, 2, 3, 4], fold=[1, 1, 2, 2])
    with pytest.raises(NotApplicable, match="one class only"):
        intervals.nadeau_bengio(auc, apart)


def test_nadeau_bengio_by_hand() -> None:
    from abovechance.measures import find

    made = Numeric([0.0] * 6, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0], fold=[1, 1, 2, 2, 3, 3])
    found = intervals.nadeau_bengio(find("mae"), made)
    half = 4.302652729911275 * np.sqrt((1 / 3 + 1 / 2) * 1.0)
    assert found.high == pytest.approx(2.0 + half)
    assert found.low == 0.0  # clamped to the range


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(DataError, match="between 0 and n"):
        intervals.wilson(11, 10)
    with pytest.raises(NotApplicable, match="at least one case"):
        intervals.wilson(0, 0)


@pytest.mark.parametrize("kind", ["exponential", "share", "normal"])
def test_the_closed_form_of_a_mean_is_what_very_many_resamples_say(kind: str) -> None:
    from abovechance.inference.bootstrap import CLOSED, Units, _pivots_by_counts, studentised
    from abovechance.settings import Settings

    rng = np.random.default_rng(8)
    n = {"exponential": 2 * CLOSED, "share": 6 * CLOSED, "normal": CLOSED}[kind]
    values = {
        "exponential": rng.exponential(size=n),
        "share": (rng.random(n) < 0.1).astype(float) + 0.01 * rng.normal(size=n),
        "normal": rng.normal(size=n),
    }[kind]
    units = Units.of(values)
    closed, drawn = studentised(units), studentised(units, Settings(draws=99))
    assert closed is not None
    assert drawn is not None
    assert (closed.name, drawn.name) == ("student", "studentised_bootstrap")
    (pivots,) = _pivots_by_counts(units.residuals, np.random.default_rng(1), 8000)
    many = replace(closed, pivots=np.sort(pivots))
    # in standard errors; the resamples' own error is 0.03 to 0.04
    apart = np.subtract(closed.bounds(0.95), many.bounds(0.95)) / closed.error
    assert np.abs(apart).max() < 0.1
    plain = (closed.mean + 1.96 * closed.error - many.bounds(0.95)[1]) / closed.error
    assert (abs(plain) > 0.05) == (kind != "normal")  # without the correction it would show
    for side in ("greater", "less", "two-sided"):
        against = closed.mean - (1.5 if side != "less" else -1.5) * closed.error
        two = (found.p_value(side, against) for found in (closed, many))
        assert next(two) == pytest.approx(next(two), abs=0.012)


def test_means_of_few_cases_or_of_long_tails_are_resampled() -> None:
    from abovechance.inference.bootstrap import CLOSED, Units

    rng = np.random.default_rng(3)
    assert not Units.of(rng.normal(size=CLOSED - 1)).closed[0]
    assert Units.of(rng.normal(size=CLOSED)).closed[0]
    assert not Units.of(np.exp(3.0 * rng.normal(size=5 * CLOSED))).closed[0]
    assert not Units.of(rng.normal(size=900), np.r_[np.arange(800), np.arange(100)]).closed[0]


def test_from_which_size_on_a_mean_has_a_closed_form_is_a_fact_of_the_method() -> None:
    from abovechance.inference.bootstrap import CLOSED
    from abovechance.inference.method import Kind
    from abovechance.inference.method import find as find_method

    assert find_method("student", Kind.INTERVAL).smallest == CLOSED
    rng = np.random.default_rng(7)
    y = rng.random(CLOSED) < 0.5
    p = np.clip(0.5 * y + 0.5 * rng.random(CLOSED), 0.01, 0.99)
    made = Binary(y, probability=p)
    many = ac.assess(made, ["brier"], rng=1)["brier"]
    few = ac.assess(made.take(np.arange(CLOSED - 1)), ["brier"], rng=1)["brier"]
    assert many.interval.method == "Student's t, corrected for skewness"
    assert few.interval.method == "studentised bootstrap, 1999 draws"
    # both ways agree to the digits that are printed, but for the draws' own error
    half = (many.interval.high - many.interval.low) / 2
    np.testing.assert_allclose(
        [many.interval.low, many.interval.high],
        [few.interval.low, few.interval.high],
        atol=0.12 * half,
    )
    named = ac.assess(made, ["brier"], rng=1, methods={"brier": "studentised_bootstrap"})["brier"]
    assert named.interval.method == "studentised bootstrap, 1999 draws"
    drawn = ac.assess(made, ["brier"], rng=1, draws=499)["brier"]
    assert drawn.interval.method == "studentised bootstrap, 499 draws"
