"""`abovechance.testing`: a goal as an assertion of a test suite."""

import pytest

from abovechance import examples
from abovechance.errors import DataError
from abovechance.testing import assert_met

CANCER = examples.breast_cancer("p_texture")


def test_what_is_met_returns_the_assessment() -> None:
    found = assert_met(CANCER, ["auc>=.7"], measures=["auc"], rng=1)
    assert found.goals is not None
    assert found.goals.verdict == "met"


def test_the_failure_is_the_table_of_goals() -> None:
    with pytest.raises(AssertionError) as failed:
        assert_met(CANCER, {"auc": ">= .9", "sensitivity": ">= .5"}, measures=["auc"], rng=1)
    said = str(failed.value)
    assert said.startswith("The goals are not met.")
    assert "Area under the ROC curve ≥ 0.9  not met       0.817  0.756 to 0.865" in said
    assert "Sensitivity ≥ 0.5               undecided     0.547  0.448 to 0.644" in said


def test_undecided_fails_unless_told_otherwise() -> None:
    asked = {"measures": ["auc"], "rng": 1}
    with pytest.raises(AssertionError, match="undecided: these cases do not tell"):
        assert_met(CANCER, "sensitivity>=.5", **asked)
    with pytest.raises(pytest.skip.Exception, match="undecided"):
        assert_met(CANCER, "sensitivity>=.5", undecided="skip", **asked)
    passed = assert_met(CANCER, "sensitivity>=.5", undecided="pass", **asked)
    assert passed.goals is not None
    assert passed.goals.verdict == "undecided"
    with pytest.raises(AssertionError):
        assert_met(CANCER, "auc>=.9", undecided="pass", **asked)


@pytest.mark.parametrize(
    ("goals", "options", "said"),
    [
        (None, {}, "assert_met needs goals"),
        ("auc>=.7", {"undecided": "ignore"}, "'fail', 'pass' or 'skip'"),
        ("auc is good", {}, "cannot read the goal"),
    ],
)
def test_what_cannot_be_asserted(goals: object, options: dict[str, str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        assert_met(CANCER, goals, **options)
