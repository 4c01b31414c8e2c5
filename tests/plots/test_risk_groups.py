"""Survival of cases in groups of predicted risk."""

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.plots.risk_groups import risk_groups
from abovechance.predictions import Survival


def test_survival_and_limits_equal_those_computed_by_hand() -> None:
    # One group of six: events at 1, 3 (two of them) and 6; censored at 2 and 5.
    time, event = [1, 2, 3, 3, 5, 6], [1, 0, 1, 1, 0, 1]
    doubled = Survival([*time, *[9] * 6], [*event, *[0] * 6], risk=[2.0] * 6 + [1.0] * 6)
    group = next(g for g in risk_groups(doubled, 2) if g.name == "higher risk")
    assert group.curve.x.tolist() == [0, 1, 3, 6]
    s1, s3 = 5 / 6, 5 / 6 * 2 / 4
    assert group.curve.y == pytest.approx([1, s1, s3, 0], rel=1e-12)
    variance = np.array([1 / (6 * 5), 1 / (6 * 5) + 2 / (4 * 2)])
    wide = 1.959963984540054 * np.sqrt(variance) / np.log([s1, s3])
    low = np.array([s1, s3]) ** np.exp(-wide)
    high = np.array([s1, s3]) ** np.exp(wide)
    assert group.curve.low is not None
    assert group.curve.high is not None
    assert group.curve.low[1:3] == pytest.approx(low, rel=1e-10)
    assert group.curve.high[1:3] == pytest.approx(high, rel=1e-10)
    assert group.censored.x.tolist() == [2, 5]
    assert group.censored.y == pytest.approx([s1, s3], rel=1e-12)


def test_groups_split_at_quantiles_of_risk() -> None:
    predictions = Survival(np.arange(1, 10), np.ones(9), risk=np.arange(9)[::-1])
    found = risk_groups(predictions, 3)
    assert [(g.name, g.n) for g in found] == [("low risk", 3), ("middle risk", 3), ("high risk", 3)]


def test_limits_stay_between_zero_and_one() -> None:
    rng = np.random.default_rng(5)
    time = rng.exponential(size=200)
    predictions = Survival(time, rng.random(200) < 0.7, risk=rng.normal(size=200))
    for group in risk_groups(predictions, 4):
        low, high = group.curve.low, group.curve.high
        assert low is not None
        assert high is not None
        assert (low >= 0).all()
        assert (high <= 1).all()
        assert (low <= group.curve.y + 1e-12).all()
        assert (high >= group.curve.y - 1e-12).all()


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
        risk_groups(Survival([1, 2], [1, 1], **options), groups)
