"""Goals in a test suite: `assert_met(predictions, "auc>=.8")` fails with what was found.

from abovechance.testing import assert_met

def test_the_model_is_good_enough():
    assert_met(predictions, ["sensitivity>=.85", "brier<=.2"], rng=1)
"""

from typing import Any

from abovechance.errors import DataError
from abovechance.gate import gated
from abovechance.inference import Assessment, assess

__all__ = ["assert_met"]

CHOICES = ("fail", "pass", "skip")


@gated
def assert_met(
    predictions: Any,
    goals: Any,
    *,
    goal_rule: str | None = None,
    undecided: str = "fail",
    **options: Any,
) -> Assessment:
    """Fail a test unless the goals are met.

    Parameters
    ----------
    predictions
        As `assess` takes them.
    goals
        Standards stated beforehand, as `assess` takes them: "sensitivity>=.85", several, a mapping
        from measures, or the path of a file.
    goal_rule
        "all" goals must be met, or "any"; all unless stated.
    undecided
        What becomes of the test when these cases do not tell: "fail", "pass" or "skip".
    **options
        As in `assess`: measures=, by=, confidence_level=, rng=, …

    Returns
    -------
    Assessment
        Its `goals` hold the verdicts.

    Raises
    ------
    AssertionError
        If the goals are not met, or undecided unless told otherwise; the message is their table.
    DataError
        If a goal cannot be read.

    See Also
    --------
    abovechance.assess : the same without a test.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = assert_met(examples.breast_cancer("p_texture"), "auc>=.7", measures="auc", rng=1)
    >>> found.goals.verdict
    'met'
    """
    if undecided not in CHOICES:
        raise DataError(f"undecided must be 'fail', 'pass' or 'skip'; got {undecided!r}.")
    if goals is None:
        raise DataError("assert_met needs goals, as 'sensitivity>=.85'.")
    __tracebackhide__ = True  # pytest shows the line of the test, not this one
    found = assess(predictions, goals=goals, goal_rule=goal_rule, **options)
    assert found.goals is not None
    if found.goals.verdict == "undecided" and undecided == "skip":
        import pytest

        pytest.skip(str(found.goals))
    fine = ("met", "undecided") if undecided == "pass" else ("met",)
    if found.goals.verdict not in fine:
        raise AssertionError(str(found.goals))
    return found
