"""Permutations of outcomes: with clusters, with weights, and how small p can be."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance import assess
from abovechance.errors import NotApplicable
from abovechance.format import p_equation, p_phrase, p_value
from abovechance.inference import permutation as permutation_module
from abovechance.inference import significance
from abovechance.inference.permutation import (
    Permuted,
    Weighted,
    affordable_draws,
    association,
    key,
    linear_null,
    null_of,
    orders_for,
    permuted,
    related,
    scheme_for,
)
from abovechance.inference.results import Test
from abovechance.inference.streaming import against_chance
from abovechance.measures import LabelScore, applicable, find
from abovechance.measures.sample import Sample
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.numerics.exact import SMALLEST, never_zero
from abovechance.predictions import Binary, Multiclass, Numeric, Survival
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# Outcomes that are constant within clusters: whole clusters change places.
# ----------------------------------------------------------------------------------------------


EQUAL = np.repeat(np.arange(8), 5)
UNEQUAL = np.repeat(np.arange(8), [3, 5, 4, 6, 2, 7, 5, 3])


def outcome(groups: Any, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(size=8)[groups]


def predicted(y: Any, seed: int = 2) -> Any:
    return y + 0.3 * np.random.default_rng(seed).normal(size=len(y))


@pytest.mark.parametrize("groups", [EQUAL, UNEQUAL])
def test_numbers_of_clusters_are_predicted(groups: Any) -> None:
    y = outcome(groups)
    found = significance.permutation(
        Numeric(y, predicted(y), groups=groups), "mse", rng=1, draws=999
    )
    assert found.p_value == pytest.approx(1 / 1000)
    assert found.method == "permutation; whole clusters permuted"


def test_two_outputs_of_clusters_move_together() -> None:
    y = np.stack([outcome(EQUAL), outcome(EQUAL, 5)], axis=1)
    found = significance.permutation(Numeric(y, y + 0.1, groups=EQUAL), "mse", rng=1, draws=199)
    assert "whole clusters" in found.method
    mixed = np.stack([outcome(EQUAL), predicted(outcome(EQUAL))], axis=1)
    found = significance.permutation(Numeric(mixed, mixed, groups=EQUAL), "mse", rng=1, draws=199)
    assert "within clusters" in found.method


@pytest.mark.parametrize("groups", [EQUAL, UNEQUAL])
def test_times_of_clusters_are_predicted(groups: Any) -> None:
    y = outcome(groups)
    event = (np.arange(8) != 3)[groups]
    made = Survival(np.exp(-y), event, risk=predicted(y), groups=groups)
    found = significance.permutation(made, "c_index", rng=1, draws=199)
    assert found.p_value == pytest.approx(1 / 200)
    assert "whole clusters" in found.method


def test_times_that_are_alike_with_events_that_differ_are_permuted_within() -> None:
    event = np.arange(40) % 5 > 0
    made = Survival(np.exp(outcome(EQUAL)), event, risk=np.arange(40), groups=EQUAL)
    assert "within clusters" in significance.permutation(made, "c_index", rng=1, draws=19).method


def test_the_null_is_that_of_all_orders_of_clusters() -> None:
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3])
    y, x = np.array([1.0, 4.0, 2.0, 8.0])[groups], np.arange(10.0)
    found = significance.permutation(Numeric(y, x, groups=groups), "mse", draws=100)
    observed = np.mean((y - x) ** 2)
    values = [
        np.mean((np.array(order)[groups] - x) ** 2)
        for order in itertools.permutations([1.0, 4.0, 2.0, 8.0])
    ]
    assert found.p_value == pytest.approx(np.mean(np.array(values) <= observed + 1e-12))
    assert found.method.startswith("permutation, exact")


def test_whole_clusters_hold_the_level() -> None:
    rng = np.random.default_rng(3)
    small = 0
    for seed in range(150):
        y, x = rng.normal(size=8)[UNEQUAL], rng.normal(size=8)[UNEQUAL]
        made = Numeric(y, x + 0.2 * rng.normal(size=len(x)), groups=UNEQUAL)
        small += significance.permutation(made, "mse", rng=seed, draws=99).p_value <= 0.05
    assert small <= 15  # 5% of 150 and three standard errors, rounded


@pytest.mark.parametrize(
    "made",
    [
        Numeric(np.ones(6), np.arange(6.0)),
        Numeric(np.ones(6), np.arange(6.0), groups=[1, 1, 2, 2, 3, 3]),
        Survival(np.ones(6), np.ones(6), risk=np.arange(6.0), groups=[1, 1, 2, 2, 3, 3]),
        Multiclass(["a"] * 6, label=["a", "b"] * 3, groups=[1, 1, 2, 2, 3, 3]),
    ],
)
def test_outcomes_that_are_all_the_same_are_refused(made: Any) -> None:
    with pytest.raises(NotApplicable, match="all outcomes are the same"):
        scheme_for(made)


def test_classes_of_one_kind_are_refused_too() -> None:
    with pytest.raises(NotApplicable, match="one class only"):
        scheme_for(Binary([1, 1, 1, 1], score=[1, 2, 3, 4], labels=[0, 1]))


# ----------------------------------------------------------------------------------------------
# Sampling weights and permutations: what is refused, and that the rest holds its level.
# ----------------------------------------------------------------------------------------------


def by_outcome(rng: np.random.Generator, y: Any, gap: float, spread: float) -> Any:
    return np.where(y, 1.0 + gap, 1.0) * np.exp(spread * rng.normal(size=len(y)))


def rejections(weights: Callable[..., Any], repetitions: int = 100) -> tuple[int, int]:
    """How often a p-value is given, and how often it is at most 0.05, when nothing is going on."""
    rng = np.random.default_rng(11)
    given = small = 0
    for seed in range(repetitions):
        y, p = rng.random(60) < 0.4, 0.45 + 0.55 * rng.random(60)
        predictions = Binary(y, probability=p, sample_weight=weights(rng, y, p))
        try:
            found = significance.permutation(predictions, "brier", draws=99, rng=seed)
        except NotApplicable:
            continue
        given, small = given + 1, small + (found.p_value <= 0.05)
    return given, small


def test_weights_of_the_outcome_times_noise_are_refused() -> None:
    # permuting regardless rejects nearly always: the weights are found
    given, small = rejections(
        lambda rng, y, p: np.where(y, 5.0, 1.0) * rng.uniform(0.9, 1.1, size=len(y))
    )
    assert (given, small) == (0, 0)


def test_the_level_holds_where_dependence_is_too_weak_to_be_seen() -> None:
    # leaving weights with predictions alone rejects 10% here, refused ones not counted
    given, small = rejections(lambda rng, y, p: by_outcome(rng, y, 0.4, 1.0))
    assert given >= 70
    assert small <= 8  # at most 5% of 100, and one and a half standard errors


def test_the_level_holds_where_weights_depend_on_predictions() -> None:
    given, small = rejections(lambda rng, y, p: np.exp(-6 * (p - 0.7)))
    assert given >= 85
    assert small <= 8


def test_power_is_left_where_weights_are_unrelated() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.5
    p = 1 / (1 + np.exp(-(2.0 * y - 1 + rng.normal(size=80))))
    made = Binary(y, probability=p, sample_weight=rng.permutation(np.linspace(1, 3, 80)))
    found = significance.permutation(made, "brier", rng=1, draws=199)
    assert found.p_value == pytest.approx(1 / 200)
    assert found.hypothesis.endswith("weights may depend on one of them, not on both")


def test_every_kind_of_outcome_is_asked() -> None:
    rng = np.random.default_rng(3)
    z, noise = rng.normal(size=90), rng.uniform(0.9, 1.1, size=90)
    x = rng.normal(size=90)
    event = rng.random(90) < 0.5
    three = np.arange(90) % 3
    shares = rng.dirichlet([1, 1, 1], size=90)
    made: list[tuple[Any, str]] = [
        (Numeric(z, x, sample_weight=np.exp(z) * noise), "mse"),
        (Numeric(z, x, sample_weight=(0.2 + z**2) * noise), "mse"),
        (
            Numeric(np.stack([x, z], axis=1), np.stack([z, x], axis=1), sample_weight=np.exp(z)),
            "mse",
        ),
        (Survival(np.exp(z), event, risk=x, sample_weight=np.exp(z) * noise), "c_index"),
        (Survival(np.exp(z), event, risk=x, sample_weight=(1 + event) * noise), "c_index"),
        (Multiclass(three, probability=shares, sample_weight=(1.0 + three) * noise), "brier"),
    ]
    for predictions, measure in made:
        with pytest.raises(NotApplicable, match="weights depend on the outcome"):
            significance.permutation(predictions, measure, draws=19)


def test_spread_alone_is_seen() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(100) % 2
    weight = np.exp(np.where(y == 1, 1.5, 0.2) * rng.normal(size=100))
    place, spread = related(weight, y)
    assert place > 0.05 > spread


def test_kruskal_wallis_is_scipys() -> None:
    from scipy.stats import kruskal

    rng = np.random.default_rng(5)
    weight, part = np.round(rng.exponential(size=50), 1), rng.integers(3, size=50)
    expected = kruskal(*(weight[part == k] for k in range(3))).pvalue
    assert related(weight, part)[0] == pytest.approx(expected, rel=1e-10)


def test_weights_of_clusters_do_not_matter_within_them() -> None:
    groups = np.repeat(np.arange(10), 6)
    y = np.arange(60) % 6 < np.arange(10)[groups] % 5 + 1  # more positives in heavier clusters
    x = np.random.default_rng(6).random(60)
    weight = 1.0 + np.arange(10)[groups] % 5
    made = Binary(y, probability=x, groups=groups, sample_weight=weight)
    assert "within clusters" in significance.permutation(made, "brier", draws=19, rng=1).method
    without = Binary(y, probability=x, sample_weight=weight)
    with pytest.raises(NotApplicable, match="depend on the outcome"):
        significance.permutation(without, "brier", draws=19)


RNG = np.random.default_rng(7)
W = RNG.uniform(1, 3, size=25)
X, Z = RNG.normal(size=25), RNG.random(25)


@pytest.mark.parametrize(
    "made",
    [
        Binary(X > 0, probability=Z, sample_weight=W),
        Multiclass(np.arange(25) % 3, probability=RNG.dirichlet([1, 1, 1], 25), sample_weight=W),
        Numeric(X, Z, sample_weight=W),
        Numeric(np.stack([X, Z], axis=1), np.stack([Z, X], axis=1), sample_weight=W),
        Survival(np.exp(X), X < 1, risk=Z, sample_weight=W),
    ],
)
def test_both_ways_are_the_measures_of_rearranged_cases(made: Any) -> None:
    rows = np.stack([np.arange(25), np.random.default_rng(8).permutation(25)])
    measures = tuple(m for m in applicable(made) if m.higher_is_better is not None)
    found = Weighted(made, measures, orders_for(made)[0]).of(rows)
    for draw, row in enumerate(rows):
        for way, weight in (("stay", W), ("move", W[row])):
            other = rearranged(made, row, weight)
            for m in measures:
                expected = pytest.approx(m.of(other), rel=1e-10, nan_ok=True)
                assert found[key(way, m)][draw] == expected, (m.label, way)


def rearranged(made: Any, row: Any, weight: Any) -> Any:
    """The same predictions beside outcomes in another order, built anew."""
    if isinstance(made, Binary):
        return Binary(made.positive[row], probability=made.probability, sample_weight=weight)
    if isinstance(made, Multiclass):
        columns = np.asarray(made.probability).T
        return Multiclass(made.actual[row], probability=columns, sample_weight=weight)
    if isinstance(made, Numeric):
        return Numeric(made.outcome.T[row], made.value.T, sample_weight=weight)
    return Survival(made.time[row], made.event[row], risk=made.risk, sample_weight=weight)


def test_whole_clusters_of_different_sizes_do_not_exchange_weights() -> None:
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 1, 2, 3])
    rng = np.random.default_rng(8)
    made = Binary(
        groups % 2, probability=rng.random(21), groups=groups, sample_weight=rng.uniform(1, 2, 21)
    )
    with pytest.raises(NotApplicable, match=r"different sizes|depend on the outcome"):
        significance.permutation(made, "brier")


def test_weighted_tests_do_not_stop_early() -> None:
    made = Binary([0, 1] * 10, score=np.arange(20), sample_weight=np.repeat([1.0, 2.0], 10))
    with pytest.raises(NotApplicable, match="leave stop= out"):
        significance.permutation(made, "auc", stop="gandy")


def test_an_assessment_of_such_weights_has_intervals_and_no_p() -> None:
    rng = np.random.default_rng(9)
    y = rng.random(80) < 0.4
    made = Binary(y, probability=rng.random(80), sample_weight=by_outcome(rng, y, 4.0, 0.1))
    brier = assess(made, ["brier"], rng=1)["brier"]
    assert brier.p_value is None
    assert brier.interval is not None


def test_skill_refuses_weights() -> None:
    made = Binary([0, 1, 0, 1], probability=[0.1, 0.8, 0.3, 0.6], sample_weight=[1, 2, 2, 1])
    with pytest.raises(NotApplicable, match=r"uninformative forecast.*sampling weights"):
        significance.skill(find("brier"), made)


# ----------------------------------------------------------------------------------------------
# No closed form says that something is impossible.
# ----------------------------------------------------------------------------------------------


N = 20_000
Y = np.arange(N) % 2
NOISE = np.random.default_rng(1).random(N)
CLOSE = 0.02 + 0.48 * Y + 0.48 * NOISE
STRONG = Binary(Y, probability=CLOSE)
WEAK = Binary(Y, probability=NOISE)
WRONG = Binary(Y, probability=0.9 + 0.09 * NOISE)

CLOSED: dict[str, Callable[[], Test]] = {
    "binomial": lambda: significance.binomial(N, N, 0.5),
    "binomial below": lambda: significance.binomial(0, N, 0.5, alternative="less"),
    "binomial, two-sided": lambda: significance.binomial(N, N, 0.5, alternative="two-sided"),
    "against_rate": lambda: significance.against_rate(STRONG, 0.5),
    "against_majority": lambda: significance.against_majority(STRONG),
    "fisher": lambda: significance.fisher(STRONG),
    "fisher_counts": lambda: significance.fisher_counts([[N, 0], [0, N]], alternative="two-sided"),
    "mcnemar": lambda: significance.mcnemar(N, 0),
    "mcnemar, mid-p": lambda: significance.mcnemar(N, 0, method="mid-p"),
    "mcnemar, chi2": lambda: significance.mcnemar(N, 0, method="chi2"),
    "mcnemar, corrected": lambda: significance.mcnemar(N, 0, method="chi2_corrected"),
    "mann_whitney": lambda: significance.mann_whitney(STRONG),
    "mann_whitney, two-sided": lambda: significance.mann_whitney(STRONG, alternative="two-sided"),
    "mann_whitney below": lambda: significance.mann_whitney(
        Binary(Y, score=-CLOSE), alternative="less"
    ),
    "delong": lambda: significance.delong(STRONG, WEAK),
    "diebold_mariano": lambda: significance.diebold_mariano(1.0 + 0.001 * NOISE),
    "delong, unpaired": lambda: significance.delong(STRONG, WEAK, paired=False),
    "likelihood_ratio": lambda: significance.likelihood_ratio(WRONG),
    "hosmer_lemeshow": lambda: significance.hosmer_lemeshow(WRONG, method="chi2"),
    "spiegelhalter": lambda: significance.spiegelhalter(WRONG),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_form_underflows_to_one_floor(name: str) -> None:
    found = CLOSED[name]()
    assert found.p_value == SMALLEST
    assert str(found).startswith("p < 1e-300, ")


def test_every_closed_form_is_here() -> None:
    resampled = {
        "binomial_critical",  # a count
        "boundaries",
        "calibration",
        "exchange",
        "null_distribution",
        "permutation",
        "sign_flip",
        "skill",
        "studentised_permutation",
    }
    few = {"ibragimov_mueller", "ordered"}  # Student's t of few degrees does not underflow
    named = {name.partition(",")[0].partition(" ")[0] for name in CLOSED}
    assert named | resampled | few == set(significance.__all__)


def test_tests_of_summaries_have_the_same_floor() -> None:
    summary = Summarised(BinarySummary.of(Y, CLOSE))
    measures = [find(name) for name in ("accuracy", "auc", "brier", "log_score")]
    found = against_chance(summary, {m: m.of(STRONG) for m in measures}, Settings())
    assert {label: test.p_value for label, test in found.items()} == {
        m.label: SMALLEST for m in measures
    }


def test_flips_of_many_equal_differences_are_drawn_not_called_impossible() -> None:
    right, wrong = Binary(Y, label=Y), Binary(Y, label=1 - Y)
    found = significance.sign_flip(right, wrong, "accuracy", rng=1, draws=99)
    assert found.p_value == pytest.approx(0.01)
    few = slice(0, 900)
    found = significance.sign_flip(right.take(few), wrong.take(few), "accuracy", rng=1)
    assert found.p_value == pytest.approx(2.0**-899)


@pytest.mark.parametrize("p", [0.0, 5e-324, 1e-310, SMALLEST, 1e-300])
def test_the_smallest_are_shown_as_bounds(p: float) -> None:
    assert never_zero(p) >= SMALLEST
    assert p_equation(p) == "p < 1e-300"
    assert p_value(p) == "<0.0001"
    assert p_phrase(p) == "p < 0.001"


def test_other_values_are_shown_as_they_are() -> None:
    assert p_equation(1.1e-300) == "p = 1.1e-300"
    assert p_value(2e-4) == "0.0002"
    assert never_zero(1e-307) == 1e-307
    assert np.isnan(never_zero(float("nan")))


# ----------------------------------------------------------------------------------------------
# Chance of clustered cases: one shuffle for all rows that show it.
# ----------------------------------------------------------------------------------------------


def clustered(rng: np.random.Generator) -> ac.Binary:
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 12])
    y = (rng.random(40) < np.linspace(0.2, 0.8, 8)[groups]).astype(int)
    return ac.Binary(y, probability=np.clip(0.3 * y + 0.6 * rng.random(40), 0, 1), groups=groups)


def test_a_row_without_a_test_shows_no_chance_of_another_shuffle() -> None:
    found = ac.assess(clustered(np.random.default_rng(1)), rng=1, draws=99)
    shown = [e for e in found if e.chance is not None]
    assert [e.measure for e in shown if e.p_value is None] == []
    assert "error_rate" in [e.measure for e in shown]
    assert found["expected_cost"].skill is not None


def test_independent_cases_keep_the_chance_of_utility() -> None:
    cases = clustered(np.random.default_rng(1))
    found = ac.assess(
        ac.Binary(cases.positive.astype(int), probability=cases.probability),
        ["error_rate", "expected_cost"],
        rng=1,
    )
    assert found["error_rate"].chance == found["expected_cost"].chance


@pytest.mark.parametrize(
    "name", ["mse", "rmse", "msle", "rmsle", "r2", "rse", "pearson", "spearman"]
)
def test_moments_alone_give_the_value_of_every_order(name: str) -> None:
    rng = np.random.default_rng(3)
    y = np.round(rng.gamma(2.0, size=60), 1)
    made = Numeric(y, np.round(y + rng.normal(0, 0.4, 60) + 1.0, 1))
    orders = np.stack([rng.permutation(60) for _ in range(5)])
    found = permuted([find(name)], made, orders)[name]
    each = [find(name).of(Numeric(y[order], made.value[0])) for order in orders]
    np.testing.assert_allclose(found, each, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_what_rises_and_falls_with_a_mean_loss_has_the_p_of_that_loss(kind: str) -> None:
    rng = np.random.default_rng(6)
    if kind == "numbers":
        y = rng.gamma(2.0, size=40)
        made, pairs = Numeric(y, 0.2 * y + rng.gamma(2.0, size=40)), {"d2_absolute_error": "mae"}
        pairs |= {"rae": "mae", "r2": "mse"}
    else:
        y = rng.integers(0, 3, 40)
        p = rng.dirichlet(np.ones(3), 40) + 0.2 * np.eye(3)[y]
        made = Multiclass(y, probability=p / p.sum(axis=1, keepdims=True), labels=[0, 1, 2])
        pairs = {"scaled_brier": "brier", "mcfadden_r2": "log_loss", "nagelkerke_r2": "log_loss"}
    settings = Settings(draws=399, seed=2)
    found = association(made, [find(n) for n in {*pairs, *pairs.values()}], settings)
    plain = Permuted(made, tuple(find(n) for n in pairs), scheme_for(made)[0])
    null = null_of(plain, settings, 399, 40)
    for name, loss in pairs.items():
        assert found[name].p_value == found[loss].p_value
        assert found[name].statistic == find(name).of(made)
        # the null of the measure itself says the same
        sign = 1.0 if find(name).higher_is_better else -1.0
        extreme = sign * (null[name] - find(name).of(made)) >= 0
        assert found[name].p_value == pytest.approx((extreme.sum() + 1) / 400, abs=0.06)
        slack = 4.0 * null[name].std() / np.sqrt(400)
        assert found[name].expected == pytest.approx(null[name].mean(), abs=slack)


def test_permutations_are_fewer_where_each_reads_many_cases() -> None:
    plain = Settings(seed=1)
    sizes = (200, 201, 4_999, 5_000, 49_999, 50_000)
    found = [affordable_draws(plain, n, False) for n in sizes]
    assert found == [9999, 1999, 1999, 999, 999, 499]
    assert [affordable_draws(plain, n, True) for n in (10, 50_000)] == [999, 499]
    assert affordable_draws(Settings(draws=77), 10**6, True) == 77


def test_rows_of_permuted_survival_know_the_censoring_that_they_have() -> None:
    rng = np.random.default_rng(1)
    time = np.round(rng.exponential(size=30), 1) + 0.1
    made = Survival(time, rng.random(30) < 0.6, risk=rng.normal(size=30))
    order = rng.permutation(30)
    (row,) = Sample.of(made).permuted(order[None]).each_row
    fresh = Survival(time[order], made.event[order], risk=made.risk)
    for at in (0.2, 0.5, 1.0):
        known, own = (
            p.censoring_survival.before(np.array([at])) for p in (row.predictions(), fresh)
        )
        np.testing.assert_allclose(known, own, rtol=1e-12)


# ----------------------------------------------------------------------------------------------
# Many cases: the law of shuffled outcomes stands for draws, and answers do not jump there.
# ----------------------------------------------------------------------------------------------


OF_MANY = (
    *("brier", "log_score", "scaled_brier", "tjur_r2", "nagelkerke_r2", "cox_snell_r2"),
    *("mcfadden_r2", "average_precision", "partial_auc", "ks"),
)


def weakly_related(n: int, seed: int = 5) -> Binary:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return Binary(y, probability=1.0 / (1.0 + np.exp(0.9 - 0.06 * y - rng.normal(size=n))))


def test_answers_do_not_jump_where_the_law_takes_over_from_draws(monkeypatch) -> None:
    cases, settings = weakly_related(4_000), Settings(seed=1)
    chosen = [find(name) for name in OF_MANY]
    by_draws = association(cases, chosen, replace(settings, draws=3_999))
    assert all(test.draws for test in by_draws.values())
    monkeypatch.setattr(permutation_module, "LIMIT_CASES", 4_001)
    assert all(test.draws for test in association(cases, chosen, settings).values())
    monkeypatch.setattr(permutation_module, "LIMIT_CASES", 4_000)
    by_law = association(cases, chosen, settings)
    assert set(by_law) == set(by_draws)
    for label, law in by_law.items():
        drawn = by_draws[label]
        assert law.draws is None
        assert law.statistic == drawn.statistic
        assert law.hypothesis == drawn.hypothesis
        assert 0.001 < drawn.p_value < 0.5  # neither certain nor nothing
        error = np.sqrt(drawn.p_value * (1.0 - drawn.p_value) / 3_999)
        assert abs(law.p_value - drawn.p_value) < 4.0 * error + 0.002, label
        assert law.expected == pytest.approx(drawn.expected, abs=2e-3), label


def test_the_law_is_said_in_the_result() -> None:
    found = assess(weakly_related(10_000), ["brier", "ks", "average_precision"], rng=1)
    normal = "permutation, normal approximation corrected for skewness"
    assert found["brier"].test == found["average_precision"].test == normal
    assert found["ks"].test == "permutation, Smirnov's limit"
    assert all(found[name].draws is None for name in ("brier", "ks"))
    asked = assess(weakly_related(10_000), ["brier", "ks"], draws=99, rng=1)
    assert asked["brier"].draws == asked["ks"].draws == 99


def test_rare_or_grouped_cases_are_drawn_however_many() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(10_000) < 60
    rare = Binary(rng.permutation(y), probability=rng.beta(1.0, 99.0, size=10_000))
    found = association(rare, [find("average_precision"), find("brier")], Settings(seed=1))
    assert all(test.draws for test in found.values())
    graded = Binary(weakly_related(10_000).positive, score=np.arange(10_000) % 7)
    assert association(graded, [find("ks")], Settings(seed=1))["ks"].draws
    certain = weakly_related(10_000).probability.copy()
    certain[:5] = 0.0
    few = Binary(np.r_[np.zeros(5), weakly_related(9_995).positive], probability=certain)
    assert association(few, [find("log_score")], Settings(seed=1))["log_score"].draws
    groups = np.repeat(np.arange(2_500), 4)
    clustered = Binary(weakly_related(10_000).positive, score=rng.random(10_000), groups=groups)
    assert association(clustered, [find("ks")], Settings(seed=1, draws=None))["ks"].draws


def test_labels_that_were_said_to_be_impossible_have_a_sum_of_minus_infinity() -> None:
    p = np.array([0.0, 0.2, 0.7, 1.0, 1.0])
    made = Binary([0, 1, 0, 1, 1], probability=p)
    orders = np.array(list(itertools.product([0, 1], repeat=5)))
    (found,) = linear_null(made, [LabelScore.LOGIT], None, orders).values()
    inner = np.log(p[1:3] / (1.0 - p[1:3]))
    for row, value in zip(orders, found, strict=True):
        happened = row[0] == 0 and row[3] == row[4] == 1
        if happened:
            certain = found[(orders == [0, 0, 0, 1, 1]).all(axis=1)][0]
            assert value - certain == pytest.approx(row[1:3] @ inner, rel=1e-9, abs=1e-9)
        else:
            assert value == -np.inf


@pytest.mark.parametrize("name", ["accuracy", "auc"])
def test_who_asks_for_permutations_gets_them_where_an_exact_test_is_at_hand(name: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    made = Binary(y, probability=np.clip(0.2 * y + rng.uniform(0.1, 0.7, 60), 0.0, 1.0))
    found = significance.permutation(made, name, draws=99, rng=1)
    assert found.draws == 99
    assert found.p_value * 100 == pytest.approx(round(found.p_value * 100), rel=1e-9)
    assert found.method.startswith("permutation")
