"""Survival of cases in groups of predicted risk, and discrimination over time."""

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import curves
from abovechance.measures import find
from abovechance.predictions import Survival


def test_survival_and_limits_equal_those_computed_by_hand() -> None:
    # One group of six: events at 1, 3 (two of them) and 6; censored at 2 and 5.
    time, event = [1, 2, 3, 3, 5, 6], [1, 0, 1, 1, 0, 1]
    doubled = Survival([*time, *[9] * 6], [*event, *[0] * 6], risk=[2.0] * 6 + [1.0] * 6)
    group = curves.survival(doubled, groups=2)["higher risk"]
    assert group.x.tolist() == [0, 1, 2, 3, 5, 6]
    s1, s3 = 5 / 6, 5 / 6 * 2 / 4
    assert group.y == pytest.approx([1, s1, s1, s3, s3, 0], rel=1e-12)
    variance = np.array([1 / (6 * 5), 1 / (6 * 5) + 2 / (4 * 2)])
    wide = 1.959963984540054 * np.sqrt(variance) / np.log([s1, s3])
    low = np.array([s1, s3]) ** np.exp(-wide)
    high = np.array([s1, s3]) ** np.exp(wide)
    assert group.low is not None
    assert group.high is not None
    assert group.low[[1, 3]] == pytest.approx(low, rel=1e-10)
    assert group.high[[1, 3]] == pytest.approx(high, rel=1e-10)
    assert group.columns["at_risk"].tolist() == [6, 6, 5, 4, 2, 1]
    assert group.columns["events"].tolist() == [0, 1, 0, 2, 0, 1]
    assert group.columns["censored"].tolist() == [0, 0, 1, 0, 1, 0]


def test_groups_split_at_quantiles_of_risk() -> None:
    predictions = Survival(np.arange(1, 10), np.ones(9), risk=np.arange(9)[::-1])
    by_risk = curves.survival(predictions)
    assert {name: curve.n for name, curve in by_risk.items()} == {
        "low risk": 3,
        "middle risk": 3,
        "high risk": 3,
    }


def test_limits_stay_between_zero_and_one() -> None:
    rng = np.random.default_rng(5)
    time = rng.exponential(size=200)
    predictions = Survival(time, rng.random(200) < 0.7, risk=rng.normal(size=200))
    for curve in curves.survival(predictions, groups=4).values():
        assert curve.low is not None
        assert curve.high is not None
        assert (curve.low >= 0).all()
        assert (curve.high <= 1).all()
        assert (curve.low <= curve.y + 1e-12).all()
        assert (curve.high >= curve.y - 1e-12).all()


def test_the_area_over_time_is_that_of_the_measure_at_each_time() -> None:
    rng = np.random.default_rng(6)
    predictions = Survival(rng.exponential(size=80), rng.random(80) < 0.7, risk=rng.normal(size=80))
    curve = curves.auc_over_time(predictions, [0.3, 0.8])
    values = [find("auc_at").with_parameters(t=t).of(predictions) for t in (0.3, 0.8)]
    assert curve.y == pytest.approx(values, rel=1e-12)
    assert len(curves.auc_over_time(predictions).x) == 20
    with pytest.raises(NotApplicable, match="needs events"):
        curves.auc_over_time(Survival([1, 2], [0, 0], risk=[1, 2]))
    with pytest.raises(DataError, match="finite"):
        curves.auc_over_time(predictions, [float("nan")])


@pytest.mark.parametrize(
    ("options", "groups", "reason"),
    [
        ({"risk": [1, 2]}, 5, "2, 3 or 4"),
        ({"risk": [1, 2], "sample_weight": [1, 2]}, 3, "count one each"),
    ],
)
def test_what_cannot_be_grouped_is_refused(
    options: dict[str, object], groups: int, reason: str
) -> None:
    with pytest.raises(NotApplicable, match=reason):
        curves.survival(Survival([1, 2], [1, 1], **options), groups=groups)


def test_curves_alone_are_grouped_by_what_they_leave_to_fear() -> None:
    rng = np.random.default_rng(3)
    time, event = rng.exponential(size=60), np.arange(60) % 3 > 0
    alive = rng.uniform(0.1, 0.9, size=(60, 1))
    alone = curves.survival(Survival(time, event, survival=alive, times=[1.0]), groups=2)
    stated = curves.survival(Survival(time, event, risk=1.0 - alive[:, 0]), groups=2)
    for one, other in zip(alone.values(), stated.values(), strict=True):
        assert one.y == pytest.approx(other.y)
