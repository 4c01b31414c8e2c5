"""Estimates, intervals, tests and comparisons, chosen by a measure's law and the data's origin."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.inference import curves, intervals, posterior, significance
    from abovechance.inference.assessment import assess
    from abovechance.inference.comparison import Comparison, compare
    from abovechance.inference.detection import Detection, detect
    from abovechance.inference.estimates import Assessment, Estimate, Skill
    from abovechance.inference.refit import RefitTest, permutation_test
    from abovechance.inference.results import Interval, Result, Test

_HOMES = {
    "Assessment": "estimates",
    "Comparison": "comparison",
    "Detection": "detection",
    "Estimate": "estimates",
    "Interval": "results",
    "RefitTest": "refit",
    "Result": "results",
    "Skill": "estimates",
    "Test": "results",
    "assess": "assessment",
    "compare": "comparison",
    "detect": "detection",
    "permutation_test": "refit",
}
_MODULES = ("curves", "intervals", "posterior", "significance")

__all__ = [
    "Assessment",
    "Comparison",
    "Detection",
    "Estimate",
    "Interval",
    "RefitTest",
    "Result",
    "Skill",
    "Test",
    "assess",
    "compare",
    "curves",
    "detect",
    "intervals",
    "permutation_test",
    "posterior",
    "significance",
]

__getattr__ = lazily(__name__, _HOMES, _MODULES)
