"""What was not seen among some cases may happen among others: no band is without a width."""

from typing import Any

import numpy as np
import pytest

import abovechance as ac

N = 120
Y = np.arange(N) % 2
RANDOM = np.random.default_rng(1)
PREDICTED = {
    "perfect": np.where(Y == 1, 0.9, 0.1) + 0.001 * RANDOM.random(N),
    "grades": np.where(Y == 1, 0.8, 0.2),
    "nearly": np.clip(np.where(Y == 1, 0.8, 0.2) + 0.1 * RANDOM.normal(size=N), 0.01, 0.99),
}
CASES: dict[str, dict[str, Any]] = {
    "alone": {},
    "weights": {"sample_weight": RANDOM.uniform(0.5, 2.0, N)},
    "clusters": {"groups": RANDOM.integers(0, 25, N)},
    "clusters of one class": {"groups": np.arange(N) % 24},
    "weights in clusters": {
        "sample_weight": RANDOM.uniform(0.5, 2.0, N),
        "groups": RANDOM.integers(0, 25, N),
    },
}


def bands(p: Any, facts: dict[str, Any]) -> dict[str, ac.curves.Curve]:
    made = ac.Binary(Y, probability=p, pos_label=1, **facts)
    drawn: dict[str, Any] = {"draws": 100, "rng": 1}
    found = {
        "roc": ac.curves.roc(made, **drawn),
        "precision_recall": ac.curves.precision_recall(made, **drawn),
        "calibration": ac.curves.calibration(made),
        "decision": ac.curves.decision(made, **drawn),
        "cost": ac.curves.cost(made, **drawn),
    }
    if "sample_weight" not in facts:
        other = ac.Binary(Y, probability=np.clip(p + 0.02, 0.0, 1.0), pos_label=1, **facts)
        found["decision_difference"] = ac.curves.decision_difference(made, other, **drawn)
    return found


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize("predicted", PREDICTED)
def test_every_band_holds_its_curve_and_has_a_width(predicted: str, cases: str) -> None:
    for name, curve in bands(PREDICTED[predicted], CASES[cases]).items():
        assert curve.low is not None, name
        assert curve.high is not None, name
        assert (curve.low <= curve.y + 1e-12).all(), name
        assert (curve.y <= curve.high + 1e-12).all(), name
        assert (curve.high - curve.low > 1e-6).all(), name


@pytest.mark.parametrize("cases", ["weights", "clusters", "weights in clusters"])
def test_net_benefit_is_as_open_as_that_of_cases_alone(cases: str) -> None:
    alone, found = (bands(PREDICTED["perfect"], f)["decision"] for f in ({}, CASES[cases]))
    assert alone.low is not None
    assert alone.high is not None
    assert found.low is not None
    assert found.high is not None
    ratio = (found.high - found.low) / (alone.high - alone.low)
    assert ratio.min() > 0.8
    assert ratio.max() < 3.0


@pytest.mark.parametrize("negatives", [1, 2, 3, 5])
def test_matched_sets_have_a_band_where_all_are_acted_on(negatives: int) -> None:
    """Shares that are the same in every set are the same in every resample, but for rounding."""
    sets = np.repeat(np.arange(60), negatives + 1)
    y = np.tile([1] + [0] * negatives, 60)
    p = 0.9 - 0.001 * np.random.default_rng(0).random(len(y))
    made = ac.Binary(y, probability=p, pos_label=1, groups=sets)
    curve = ac.curves.decision(made, [0.3, 0.5, 0.7], rng=1)
    assert curve.low is not None
    assert curve.high is not None
    assert (curve.high - curve.low > 0.05).all()


def test_a_resample_without_a_class_or_weight_does_not_pass_over_clusters() -> None:
    group = np.r_[np.repeat(np.arange(7), 30), np.arange(7, 207)]
    y = (group < 7).astype(int)
    shared = np.r_[np.repeat(np.random.default_rng(8).normal(size=7) * 2, 30), np.zeros(200)]
    noise = np.random.default_rng(9).normal(size=410)
    p = 1.0 / (1.0 + np.exp(-(noise + shared + 2.0 * y - 1.0)))
    made = ac.Binary(y, probability=p, pos_label=1, groups=group)
    found = [ac.curves.cost(made, rng=seed).at(0.5) for seed in range(1, 7)]
    widths = [at["high"] - at["low"] for at in found]
    assert max(widths) < 1.25 * min(widths)


def test_clusters_without_weight_hardly_change_a_band() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(30), 20)
    u = rng.normal(size=30)[group]
    y = (rng.random(600) < 1.0 / (1.0 + np.exp(-u))).astype(int)
    p = 1.0 / (1.0 + np.exp(-rng.normal(size=600) - u))
    weight = np.where(group < 10, rng.uniform(0.5, 2.0, 600), 0.0)
    kept = weight > 0
    every = ac.Binary(y, probability=p, pos_label=1, groups=group, sample_weight=weight)
    part = ac.Binary(
        y[kept], probability=p[kept], pos_label=1, groups=group[kept], sample_weight=weight[kept]
    )
    one, other = (ac.curves.decision(made, [0.3, 0.5], rng=1) for made in (every, part))
    assert one.low is not None
    assert one.high is not None
    assert other.low is not None
    assert other.high is not None
    assert (one.high - one.low) / (other.high - other.low) == pytest.approx(1.0, abs=0.3)


def test_perfect_predictions_over_clusters_are_as_open_as_their_sensitivity() -> None:
    group = np.repeat(np.arange(10), 100)
    y = group % 2
    made = ac.Binary(y, probability=np.where(y == 1, 0.9, 0.1), pos_label=1, groups=group)
    (row,) = ac.assess(made, ["sensitivity"], rng=1).estimates
    assert row.interval is not None
    roc, cost = ac.curves.roc(made, rng=1), ac.curves.cost(made, rng=1).at(0.5)
    assert roc.at(0.0)["low"] < row.interval.low + 0.05
    assert cost["high"] > 0.2
