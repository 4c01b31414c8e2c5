"""Calibration and utility in an assessment: what is tested, what has no interval, and why."""

import json

import numpy as np
import pytest

import abovechance as ac
from abovechance import examples

DISTANCES = ("ece", "mce", "ici", "e50", "e90", "emax")


@pytest.fixture(scope="module")
def assessed() -> ac.Assessment:
    return ac.assess(examples.breast_cancer("p_texture"), rng=1, draws=199)


def test_families_stand_together_discrimination_calibration_utility(
    assessed: ac.Assessment,
) -> None:
    families = [e.family for e in assessed if e.class_ is None]
    order = list(dict.fromkeys(families))
    assert order == [
        "categorical",
        "rank",
        "quadratic",
        "information",
        "calibration",
        "utility",
    ]
    assert families == sorted(families, key=order.index)


def test_lines_have_profile_intervals_and_likelihood_ratios(assessed: ac.Assessment) -> None:
    for name in ("calibration_in_the_large", "calibration_intercept", "calibration_slope"):
        row = assessed[name]
        assert row.interval is not None
        assert row.interval.method == "profile likelihood"
        assert row.value in row.interval
        assert (row.test or "").startswith("likelihood ratio")


@pytest.mark.parametrize("model", ["p_forest", "p_texture"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_p_of_a_line_tests_the_number_beside_it(model: str, level: float) -> None:
    right = {
        "calibration_in_the_large": 0.0,
        "calibration_intercept": 0.0,
        "calibration_slope": 1.0,
    }
    assessed = ac.assess(
        examples.breast_cancer(model), measures=list(right), confidence_level=level
    )
    for name, value in right.items():
        row = assessed[name]
        assert row.interval is not None
        assert row.p_value is not None
        assert (row.p_value < 1 - level) == (value not in row.interval), name


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_have_an_expectation_and_no_interval(assessed: ac.Assessment, name: str) -> None:
    row = assessed[name]
    assert row.interval is None
    assert row.p_value is not None
    assert "expected if right" in (row.remark or "")
    assert "Bernoulli" in (row.hypothesis or "") or "probabilities" in (row.hypothesis or "")
    assert "AC040" in [a.code for a in assessed.advice]


def test_net_benefit_has_an_interval_and_a_gain_but_no_test(assessed: ac.Assessment) -> None:
    row = assessed["net_benefit"]
    assert row.p_value is None
    assert row.interval is not None
    assert row.skill is not None
    assert row.skill.difference == pytest.approx(row.value - row.skill.reference)
    assert row.skill.interval is not None
    assert row.skill.p_value is None
    for name in ("standardised_net_benefit", "expected_cost", "cost_weighted_accuracy"):
        assert assessed[name].interval is not None
        assert assessed[name].p_value is None


def test_separation_is_reported_with_half_an_interval() -> None:
    p = np.array([0.05, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9])
    found = ac.assess(ac.Binary(p > 0.5, probability=p), rng=1, draws=99)
    row = found["calibration_slope"]
    assert row.value == np.inf
    assert row.interval is not None
    assert np.isfinite(row.interval.low)
    assert row.interval.high == np.inf
    assert "separate the classes" in (row.remark or "")
    assert "AC042" in [a.code for a in found.advice]
    facts = json.loads(found.to_json())
    (slope,) = [e for e in facts["estimates"] if e["measure"] == "calibration_slope"]
    assert slope["value"] == "Infinity"
    assert slope["interval"]["high"] == "Infinity"


@pytest.mark.parametrize(
    "p",
    [
        [0.0, 0.0, 1.0, 1.0, 0.0, 1.0],
        [0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
        [0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        [0.0, 0.2, 1.0, 0.7, 0.4, 0.9],
    ],
    ids=["certain and right", "constant", "certain and wrong", "some certain"],
)
def test_extreme_probabilities_are_assessed_with_reasons(p: list[float]) -> None:
    found = ac.assess(ac.Binary([0, 0, 1, 1, 0, 1], probability=p), rng=1, draws=99)
    for row in found:
        if np.isnan(row.value):
            assert row.undefined or row.remark
    json.loads(found.to_json())


def test_clusters_have_intervals_and_a_reason_for_no_test() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(2, 2, 160)
    groups = np.repeat(np.arange(40), 4)
    predictions = ac.Binary(rng.random(160) < p, probability=p, groups=groups)
    found = ac.assess(predictions, rng=1, draws=99)
    slope = found["calibration_slope"]
    assert slope.interval is not None
    assert "40 clusters" in slope.interval.method
    assert slope.p_value is None
    assert "AC041" in [a.code for a in found.advice]
    assert found["net_benefit"].interval is not None


def test_cross_validated_distances_have_no_interval_over_folds() -> None:
    rng = np.random.default_rng(3)
    p = rng.beta(2, 2, 200)
    predictions = ac.Binary(rng.random(200) < p, probability=p, fold=np.arange(200) % 5)
    found = ac.assess(predictions, rng=1)
    assert found["calibration_slope"].interval is None
    assert "biased" in str(found["calibration_slope"].remark)
    assert found["ece"].interval is None
    assert found["ece"].p_value is None


def test_sampling_weights_give_intervals_of_lines() -> None:
    rng = np.random.default_rng(4)
    p = rng.beta(2, 2, 120)
    weight = rng.uniform(0.5, 2, 120)
    predictions = ac.Binary(rng.random(120) < p, probability=p, sample_weight=weight)
    found = ac.assess(predictions, rng=1, draws=199)
    slope = found["calibration_slope"].interval
    assert slope is not None
    assert "jackknife" in slope.method
    assert found["ece"].interval is None


def test_classes_numbers_and_survival_are_assessed_too() -> None:
    several = ac.assess(examples.iris(), rng=1, draws=99)
    assert {"ece", "classwise_ece", "ici"} <= {e.measure for e in several if e.class_ is None}
    slopes = [e for e in several if e.measure == "calibration_slope"]
    assert [e.class_ for e in slopes] == ["setosa", "versicolor", "virginica"]
    numbers = ac.assess(examples.diabetes(), rng=1, draws=99)
    assert numbers["linear_calibration_slope"].interval is None  # of folds
    whole = examples.diabetes()
    tested = ac.Numeric(whole.outcome[0], whole.value[0])
    assert ac.assess(tested, ["linear_calibration_slope"], rng=1).estimates[0].interval is not None
    rng = np.random.default_rng(5)
    rate = rng.uniform(0.1, 0.5, 150)
    time, until = rng.exponential(1 / rate), rng.uniform(1, 9, 150)
    predicted = np.exp(-np.outer(rate, [1.0, 2.0]))
    alive = ac.Survival(np.minimum(time, until), time <= until, survival=predicted, times=[1, 2])
    survival = ac.assess(alive, rng=1, draws=99)
    for name in ("observed_expected_at", "calibration_slope_at"):
        assert survival[name].interval is not None
        assert survival[name].value in survival[name].interval
    assert survival["ici_at"].interval is None


def test_the_printed_assessment_shows_its_advice_and_no_rounding() -> None:
    y = np.arange(40) % 2
    reversed_ = ac.assess(ac.Binary(y, probability=0.7 - 0.4 * y), measures=["auc", "brier"], rng=1)
    assert [a.code for a in reversed_.advice if a.code in str(reversed_)]
    level = ac.assess(ac.Binary(y, probability=np.full(40, 0.5)), ["calibration_in_the_large"])
    assert "e-" not in str(level).splitlines()[1].split("[")[0]


@pytest.mark.parametrize("kind", ["binary", "numeric"])
def test_equal_losses_tell_no_spread_of_what_scales_them(kind: str) -> None:
    y = (np.arange(60) % 3 == 0).astype(int)
    if kind == "binary":
        cases: ac.Binary | ac.Numeric = ac.Binary(y, probability=0.01 + 0.98 * y)
        names = ["brier", "scaled_brier", "log_loss", "nagelkerke_r2", "mcfadden_r2"]
    else:
        cases = ac.Numeric(np.arange(60.0), np.arange(60.0) + 1.0)
        names = ["mse", "r2", "rse", "rae"]
    for row in ac.assess(cases, names, rng=1, draws=99):
        assert row.interval is None, row.measure
        assert "same loss" in (row.remark or ""), row.measure
