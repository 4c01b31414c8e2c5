"""Times to an event: directions stated, censoring coded, curves with their times."""

from typing import Any

import numpy as np
import pytest

from abovechance.errors import DataError
from abovechance.measures import find
from abovechance.predictions import Survival, View


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing was predicted; give risk=, predicted_time= or survival=."),
        ({"risk": [1, 2], "predicted_time": [1, 2]}, "not both: they order cases oppositely."),
        ({"risk": [1, np.nan]}, "risk must not be missing; it is at row 2."),
        ({"risk": [1, 2, 3]}, "time has 2, event has 2, risk has 3."),
        ({"survival": [[0.9], [0.2]]}, "times must say which time each column"),
        ({"survival": [[0.9], [0.2]], "times": [1, 2]}, "got 2 for 1 columns."),
        ({"survival": [[0.9, 0.8], [0.2, 0.1]], "times": [2, 1]}, "times must be ascending."),
        (
            {"survival": [[0.9], [1.2]], "times": [1]},
            "survival must lie in [0, 1]; got 1.2 at row 2.",
        ),
    ],
)
def test_what_is_refused_says_what_must_hold(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        Survival([1, 2], [1, 0], **given)
    assert message in str(refused.value)
    assert "score=" not in str(refused.value)


@pytest.mark.parametrize(
    ("time", "event", "message"),
    [
        ([-1, 2], [1, 0], "time must not be negative; got -1 at row 1."),
        ([1, np.inf], [1, 0], "time must be finite; got an infinite value at row 2."),
        ([1, 2], [1, 2], "got 2 at row 2. Recode it (many files use 1/2)."),
        ([1, 2], ["dead", "alive"], "event must hold numbers; got 'dead' at row 1."),
        ([], [], "there must be at least one case; got 0 rows."),
    ],
)
def test_outcomes_that_cannot_be_are_refused(time: Any, event: Any, message: str) -> None:
    with pytest.raises(DataError) as refused:
        Survival(time, event, risk=[1] * len(time))
    assert message in str(refused.value)


def test_a_predicted_time_is_a_risk_the_other_way_round() -> None:
    early = Survival([1, 2, 3], [1, 1, 0], predicted_time=[10, 20, 30])
    assert find("c_index").of(early) == 1.0
    assert early.risk.tolist() == [-10, -20, -30]


def test_events_may_be_true_and_false() -> None:
    assert Survival([1, 2], [True, False], risk=[2, 1]).event.tolist() == [True, False]


def test_curves_come_with_their_times() -> None:
    curves = Survival([1, 2], [1, 0], survival=[[0.9, 0.5], [0.8, 0.7]], times=[1, 2])
    assert curves.views == {View.SURVIVAL}
    assert curves.survival.tolist() == [[0.9, 0.8], [0.5, 0.7]]
    one = Survival([1, 2], [1, 0], survival=[0.9, 0.8], times=2)
    assert one.survival.tolist() == [[0.9, 0.8]]


def test_censoring_is_taken_from_the_training_data_when_given() -> None:
    own = Survival([1, 2, 3], [1, 0, 1], risk=[3, 2, 1])
    given = Survival([1, 2, 3], [1, 0, 1], risk=[3, 2, 1], censoring=([4, 5, 6], [0, 0, 1]))
    at = np.array([2.0])
    assert own.censoring_survival.at(at)[0] == pytest.approx(0.5)
    assert given.censoring_survival.at(at)[0] == 1.0
    with pytest.raises(DataError, match="time must not be negative"):
        Survival([1], [1], risk=[1], censoring=([-4], [0]))
