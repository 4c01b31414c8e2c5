"""Tests against chance agree with exact enumeration, with R, and with each other."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import rankdata

from abovechance import significance
from abovechance.errors import NotApplicable
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass, Numeric, Survival


def test_binomial_agrees_with_exact_arithmetic(reference) -> None:
    sides = {"greater": "p_greater", "less": "p_less", "two-sided": "p_two.sided"}
    for case in reference("binomial_test")["cases"]:
        given = case["input"]
        for side, key in sides.items():
            target = case["expected"][key]
            found = significance.binomial(given["k"], given["n"], given["p"], alternative=side)
            value = target.get("exact", target.get("R::binom.test"))
            assert found.p_value == pytest.approx(value, rel=1e-10), (case["id"], side)


def test_mann_whitney_agrees_with_enumeration_and_r(reference) -> None:
    keys = {
        "mw_exact_greater": {"method": "exact", "alternative": "greater"},
        "mw_exact_less": {"method": "exact", "alternative": "less"},
        "mw_normal_cc_greater": {"method": "normal", "alternative": "greater"},
        "mw_normal_cc_less": {"method": "normal", "alternative": "less"},
        "mw_normal_cc_two.sided": {"method": "normal", "alternative": "two-sided"},
        "mw_normal_nocc_greater": {"method": "normal", "continuity": False},
    }
    seen = 0
    for case in reference("dinga_tests")["cases"]:
        made = Binary(case["input"]["y"], probability=case["input"]["p"])
        for key, options in keys.items():
            target = case["expected"].get(key)
            if target is None:
                continue
            value = target.get("exact", target.get("R::wilcox.test"))
            if value is None or np.isnan(value):
                continue
            found = significance.mann_whitney(made, **options).p_value
            assert found == pytest.approx(value, rel=1e-9), (case["id"], key)
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("measure", ["brier", "log_score", "auc", "accuracy"])
def test_permutation_enumerates_the_exact_p_value(reference, measure: str) -> None:
    for case in reference("permutation_exact")["cases"]:
        made = Binary(case["input"]["y"], probability=case["input"]["p"])
        target = case["expected"][f"{measure}_p_inclusive"]["exact"]
        found = significance.permutation(made, measure, draws=20_000, rng=1)
        assert found.p_value == pytest.approx(target, rel=1e-12), case["id"]
        assert "exact" in found.method


def test_fisher_and_mann_whitney_are_the_permutation_tests_of_tables_and_areas(reference) -> None:
    for case in reference("permutation_exact")["cases"]:
        made = Binary(case["input"]["y"], probability=case["input"]["p"])
        label = case["expected"]["accuracy_p_inclusive"]["exact"]
        assert significance.fisher(made).p_value == pytest.approx(label, rel=1e-12)
        area = case["expected"]["auc_p_inclusive"]["exact"]
        found = significance.mann_whitney(made, method="exact").p_value
        assert found == pytest.approx(area, rel=1e-12)


def test_monte_carlo_p_values_approach_the_exact_ones(reference) -> None:
    case = reference("permutation_exact")["cases"][3]
    made = Binary(case["input"]["y"], probability=case["input"]["p"])
    exact = case["expected"]["brier_p_inclusive"]["exact"]
    found = significance.permutation(made, "brier", draws=900, rng=3)
    assert found.draws == 900
    assert abs(found.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 900) + 1 / 900


def test_measures_monotone_in_one_sum_share_their_p_value() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(60) < 0.4
    made = Binary(y, probability=np.clip(0.4 + 0.1 * y + 0.2 * rng.normal(size=60), 0.01, 0.99))
    quadratic = {
        significance.permutation(made, m, rng=5).p_value
        for m in ("brier", "tjur_r2", "scaled_brier")
    }
    logarithmic = {
        significance.permutation(made, m, rng=5).p_value
        for m in ("log_score", "log_loss", "nagelkerke_r2", "mcfadden_r2")
    }
    assert len(quadratic) == 1
    assert len(logarithmic) == 1


def test_permutation_by_sums_equals_permutation_by_formula() -> None:
    from abovechance.inference.permutation import Permuted, _Linear, null_of
    from abovechance.measures import LabelScore
    from abovechance.resampling import LabelPermutations
    from abovechance.settings import Settings

    rng = np.random.default_rng(1)
    y = rng.random(40) < 0.4
    p = np.clip(0.4 + 0.1 * y + 0.2 * rng.normal(size=40), 0.01, 0.99)
    p[0], y[0] = 0.0, False
    made, scheme = Binary(y, probability=p), LabelPermutations(y)
    settings = Settings(draws=300)
    sums = null_of(_Linear(made, (LabelScore.LOGIT,), scheme), settings, 300, 1, fast=True)
    plain = null_of(Permuted(made, (find("log_score"),), scheme), settings, 300, 1, fast=True)
    first, second = sums["logit"], plain["log_score"]
    assert (np.isinf(first) == np.isinf(second)).all()
    kept = np.isfinite(first)
    assert 10 < kept.sum() < 300
    slope = np.polyfit(first[kept], second[kept], 1)
    np.testing.assert_allclose(np.polyval(slope, first[kept]), second[kept], atol=1e-10)


def test_saddlepoint_stands_beside_monte_carlo() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.5
    p = np.clip(0.5 + 0.08 * (y - 0.5) + 0.2 * rng.normal(size=80), 0.01, 0.99)
    found = significance.permutation(Binary(y, probability=p), "log_score", rng=1)
    assert found.saddlepoint == pytest.approx(found.p_value, rel=0.2)


def test_sequential_permutation_stops_early_and_decides() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(80) < 0.5
    strong = Binary(y, score=y + 0.3 * rng.normal(size=80))
    found = significance.permutation(strong, "auc", rng=1, stop="gandy")
    assert found.stopped is not None
    assert found.stopped.decision == "p <= level"
    assert found.draws < 400
    assert found.stopped.interval[1] < 0.05
    nothing = Binary(y, score=rng.normal(size=80))
    other = significance.permutation(nothing, "auc", rng=1, stop="gandy")
    assert other.stopped is not None
    assert other.stopped.decision == "p > level"


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_do_not_change_p_values(workers: int) -> None:
    rng = np.random.default_rng(5)
    made = Numeric(rng.normal(size=30), rng.normal(size=30))
    found = significance.permutation(made, "mse", draws=600, rng=8, workers=workers)
    assert found.p_value == pytest.approx(
        significance.permutation(made, "mse", draws=600, rng=8).p_value
    )


def test_a_store_resumes_the_same_permutations(tmp_path) -> None:
    rng = np.random.default_rng(5)
    made = Numeric(rng.normal(size=30), rng.normal(size=30))
    file = tmp_path / "draws.sqlite"
    first = significance.permutation(made, "mse", draws=300, rng=8, store=file)
    again = significance.permutation(made, "mse", draws=300, rng=8, store=file)
    assert first == again
    assert file.exists()


def test_every_kind_of_outcome_can_be_permuted() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(3, size=40)
    p = rng.dirichlet([1, 1, 1], size=40)
    multi = Multiclass(y, probability=p)
    for measure in ("accuracy", "kappa", "log_score", "auc"):
        assert 0 < significance.permutation(multi, measure, draws=99, rng=1).p_value <= 1
    times = Survival(rng.exponential(size=40), rng.random(40) < 0.7, risk=rng.normal(size=40))
    assert 0 < significance.permutation(times, "c_index", draws=99, rng=1).p_value <= 1


def test_perfect_predictions_reach_the_smallest_p() -> None:
    made = Binary([0] * 5 + [1] * 5, probability=[0.1] * 5 + [0.9] * 5)
    assert significance.permutation(made, "brier").p_value == pytest.approx(1 / 252)


def test_observed_impossible_events_give_p_one() -> None:
    made = Binary([0, 1, 0, 1, 0, 1], probability=[0.2, 0.0, 0.3, 0.8, 0.1, 0.7])
    assert significance.permutation(made, "log_score").p_value == 1.0


def test_cross_validated_predictions_are_refused() -> None:
    made = Binary([0, 1, 0, 1], score=[1, 2, 3, 4], fold=[1, 1, 2, 2])
    with pytest.raises(NotApplicable, match="Refit"):
        significance.permutation(made, "auc")


def test_weights_that_depend_on_the_outcome_refuse_permutation() -> None:
    made = Binary([0, 1, 0, 1], score=[1, 2, 3, 4], sample_weight=[1.0, 2.0, 1.0, 2.0])
    with pytest.raises(NotApplicable, match="depend on the outcome"):
        significance.permutation(made, "auc")


def test_majority_is_beaten_only_by_cases_of_the_smaller_class() -> None:
    y = np.array([1] * 14 + [0] * 6)
    constant = significance.against_majority(Binary(y, label=np.ones(20, dtype=int)))
    assert constant.p_value == 1.0
    perfect = significance.against_majority(Binary(y, label=y))
    assert perfect.p_value == pytest.approx(0.5**6)


def test_studentised_permutation_holds_where_spreads_differ() -> None:
    rng = np.random.default_rng(8)
    score = np.concatenate([3 * rng.normal(size=15), rng.normal(size=30)])
    found = significance.studentised_permutation(
        Binary(np.arange(45) < 15, score=score), draws=199, rng=1
    )
    assert 0 < found.p_value <= 1
    assert "one half" in found.hypothesis


def test_skill_of_very_many_cases_says_that_it_is_students() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 50_001)
    p = np.clip(0.3 * y + 0.7 * rng.random(len(y)), 0.01, 0.99)
    found = significance.skill(find("brier"), Binary(y, probability=p), draws=9)
    assert found.interval is not None
    said = "Student's t, corrected for skewness"
    assert found.interval.method == said
    assert found.test == f"{said} against the uninformative forecast"


@pytest.mark.parametrize("seed", range(6))
def test_mann_whitney_counts_every_labelling_on_either_side(seed: int) -> None:
    """Two-sided p is twice the smaller one, and at most 1."""
    rng = np.random.default_rng(seed)
    n, positives = 8, int(rng.integers(2, 7))
    score = np.round(rng.random(n), 1)  # with ties
    y = np.isin(np.arange(n), rng.permutation(n)[:positives])
    if seed == 5:
        score = np.full(n, 0.3)
    ranks = rankdata(score)
    sums = np.array([ranks[list(one)].sum() for one in combinations(range(n), positives)])
    observed = ranks[y].sum()
    above, below = (sums >= observed - 1e-9).mean(), (sums <= observed + 1e-9).mean()
    made = Binary(y.astype(int), score=score)
    for side, expected in {
        "greater": above, "less": below, "two-sided": min(1.0, 2.0 * min(above, below))
    }.items():  # fmt: skip
        found = significance.mann_whitney(made, method="exact", alternative=side).p_value
        assert found == pytest.approx(expected, rel=1e-12), side
