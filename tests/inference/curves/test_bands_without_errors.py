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
