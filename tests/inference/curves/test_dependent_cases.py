"""No curve, threshold or posterior takes cases that depend on each other for independent ones."""

from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable

N = 120
FACTS: dict[str, dict[str, Any]] = {
    "folds": {"fold": np.arange(N) % 5},
    "time order": {"order": np.arange(N)},
    "clusters": {"groups": np.arange(N) // 10},
}


def of_two(**facts: Any) -> ac.Binary:
    rng = np.random.default_rng(1)
    y = (rng.random(N) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(size=N) - y))
    return ac.Binary(y, probability=p, pos_label=1, **facts)


def of_times(**facts: Any) -> ac.Survival:
    rng = np.random.default_rng(1)
    time = rng.exponential(size=N)
    return ac.Survival(time, rng.random(N) < 0.7, risk=rng.normal(size=N) - time, **facts)


CURVES = {
    "roc": lambda **facts: ac.curves.roc(of_two(**facts), rng=1),
    "precision_recall": lambda **facts: ac.curves.precision_recall(of_two(**facts), rng=1),
    "calibration, loess": lambda **facts: ac.curves.calibration(of_two(**facts)),
    "calibration, binned": lambda **facts: ac.curves.calibration(of_two(**facts), method="binned"),
    "calibration, isotonic": lambda **facts: ac.curves.calibration(
        of_two(**facts), method="isotonic"
    ),
    "decision": lambda **facts: ac.curves.decision(of_two(**facts), rng=1),
    "decision_difference": lambda **facts: ac.curves.decision_difference(
        of_two(**facts), of_two(**facts), rng=1
    ),
    "cost": lambda **facts: ac.curves.cost(of_two(**facts), rng=1),
    "survival": lambda **facts: ac.curves.survival(of_times(**facts))["low risk"],
}


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("curve", CURVES)
def test_a_band_allows_for_dependence_or_is_not_there(curve: str, fact: str) -> None:
    alone, found = CURVES[curve](), CURVES[curve](**FACTS[fact])
    assert alone.low is not None
    assert found.advice, "nothing is said"
    if curve == "calibration, binned" and fact == "clusters":
        return  # limits of independent cases, which the advice says
    if fact == "clusters":
        if curve != "decision_difference":  # two equal models differ nowhere
            assert not np.array_equal(found.low, alone.low, equal_nan=True)
    else:
        assert found.low is None
        assert found.high is None


@pytest.mark.parametrize("fact", ["folds", "time order"])
def test_limits_of_thresholds_say_that_cases_are_taken_for_independent(fact: str) -> None:
    assert "AC364" not in {a.code for a in ac.thresholds(of_two(), rng=1).advice}
    assert "AC364" in {a.code for a in ac.thresholds(of_two(**FACTS[fact]), rng=1).advice}


@pytest.mark.parametrize("fact", ["time order", "clusters"])
def test_posteriors_of_dependent_cases_are_refused(fact: str) -> None:
    for ask in (ac.posterior.balanced_accuracy, lambda p: ac.posterior.of("accuracy", p)):
        with pytest.raises(NotApplicable, match="independent cases"):
            ask(of_two(**FACTS[fact]))


def test_survival_over_clusters_has_the_variance_of_their_sums() -> None:
    # two groups of risk; in the higher one five clusters of two cases each, which are alike
    rng = np.random.default_rng(3)
    groups, event = np.arange(20) // 2, np.repeat(rng.random(10) < 0.8, 2)
    time = np.repeat(rng.exponential(size=10), 2) + 0.01 * rng.random(20)
    risk = np.repeat([1.0, 0.0], 10)
    found = ac.curves.survival(ac.Survival(time, event, risk=risk, groups=groups), groups=2)
    curve, part = found["higher risk"], slice(0, 10)
    t, e, g = time[part], event[part], groups[part]
    at = curve.x[5]
    moved = np.zeros(5)
    for s in np.unique(t[e & (t <= at)]):
        risk_set, dead = int((t >= s).sum()), int(((t == s) & e).sum())
        for c in range(5):
            own, present = ((t == s) & e & (g == c)).sum(), ((t >= s) & (g == c)).sum()
            moved[c] += (own / risk_set - dead * present / risk_set**2) / (1 - dead / risk_set)
    spread = np.sqrt(5 / 4 * (moved**2).sum())
    wide = 2.7764451051977987 * spread / np.log(curve.y[5])
    assert curve.low[5] == pytest.approx(curve.y[5] ** np.exp(-wide), rel=1e-9)
    assert curve.high[5] == pytest.approx(curve.y[5] ** np.exp(wide), rel=1e-9)
    assert "clusters" in curve.method


def test_survival_of_clusters_of_one_case_is_that_of_cases() -> None:
    alone, found = (
        ac.curves.survival(of_times(**facts))["high risk"] for facts in ({}, {"groups": range(N)})
    )
    assert np.array_equal(found.low, alone.low, equal_nan=True)
    assert found.advice == ()


def test_clusters_that_hold_the_rarer_class_count_for_a_curve() -> None:
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(40), 5)
    y, p = (groups < 4).astype(int), rng.random(200)
    for curve in (ac.curves.roc, ac.curves.calibration):
        found = curve(ac.Binary(y, probability=p, pos_label=1, groups=groups))
        assert any("4 clusters with cases of 1 are few" in a.text for a in found.advice)
    alone = ac.curves.roc(ac.Binary(groups < 1, probability=p, pos_label=True, groups=groups))
    assert alone.low is None
    assert "a single cluster" in alone.advice[-1].text


def test_few_cases_of_a_class_are_said() -> None:
    p = np.linspace(0.05, 0.95, 60)
    found = ac.curves.precision_recall(ac.Binary(p > 0.9, probability=p, pos_label=True))
    assert [a.text for a in found.advice] == [
        "a class has 4 cases, few for a curve: its band may cover less than it says."
    ]
    with pytest.raises(NotApplicable, match="both classes"):
        ac.curves.roc(
            ac.Binary(p > 0.9, probability=p, pos_label=True, sample_weight=(p < 0.9) * 1.0)
        )


def test_a_calibration_curve_of_mostly_tied_probabilities_has_its_band() -> None:
    rng = np.random.default_rng(1)
    p = np.where(rng.random(400) < 0.85, 0.0, np.round(rng.random(400), 2))
    curve = ac.curves.calibration(ac.Binary(rng.random(400) < p, probability=p, pos_label=True))
    assert np.isfinite(curve.low).all()
    assert (curve.low <= curve.y).all()
    assert (curve.y <= curve.high).all()
    none = curve.at(0.0)
    assert none["high"] < 0.03


def test_survival_of_clusters_that_agree_by_chance_keeps_its_width() -> None:
    time, event = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 8), np.tile([1, 0, 1, 0, 1], 8)
    facts = {"risk": np.zeros(40), "groups": np.repeat(np.arange(8), 5)}
    found = ac.curves.survival(ac.Survival(time, event, **facts), groups=2)["lower risk"]
    alone = ac.curves.survival(ac.Survival(time, event, risk=np.zeros(40)), groups=2)["lower risk"]
    inside = (alone.y > 0) & (alone.y < 1)
    assert (found.low[inside] < alone.low[inside]).all()


def test_counts_are_cases() -> None:
    rng = np.random.default_rng(2)
    p, counts = np.round(rng.random(40), 2), rng.integers(1, 6, 40)
    y = rng.random(40) < p
    rows = ac.Binary(y, probability=p, pos_label=True, counts=counts)
    spelled = ac.Binary(np.repeat(y, counts), probability=np.repeat(p, counts), pos_label=True)
    for curve in (ac.curves.roc, ac.curves.precision_recall, ac.curves.decision, ac.curves.cost):
        one, other = (curve(predictions, rng=1) for predictions in (rows, spelled))
        assert np.array_equal(one.low, other.low, equal_nan=True)
    one, other = (ac.curves.calibration(predictions) for predictions in (rows, spelled))
    assert one.low == pytest.approx(other.low)


def test_clusters_of_a_class_that_a_curve_is_not_about_do_not_count() -> None:
    rng = np.random.default_rng(3)
    y = np.array(["a", "b"])[rng.integers(0, 2, 300)].astype(object)
    y[:3] = "c"
    p = rng.dirichlet(np.ones(3), 300)
    three = ac.Multiclass(y, probability=p, labels=["a", "b", "c"], groups=np.arange(300) // 6)
    for which in ("a", None):
        found = ac.curves.calibration(three, pos_label=which)
        assert found.low is not None


def test_where_there_is_no_band_nothing_is_said_of_one() -> None:
    y, p = np.arange(90) < 4, np.linspace(0.9, 0.1, 90)
    timed = ac.Binary(y, probability=p, pos_label=True, order=np.arange(90))
    for curve in (ac.curves.roc, ac.curves.calibration):
        assert [a.code for a in curve(timed).advice] == ["AC254"]
