"""Estimates, intervals, tests and comparisons, chosen by a measure's law and the data's origin."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.inference import curves, intervals, posterior, significance
    from abovechance.inference.assessment import assess
    from abovechance.inference.comparison import compare
    from abovechance.inference.detection import detect
    from abovechance.inference.refit import RefitTest, permutation_test
    from abovechance.inference.results import (
        Assessment,
        Comparison,
        Detection,
        Estimate,
        Interval,
        Result,
        Skill,
        Test,
    )

_HOMES = {
    "Assessment": "results",
    "Comparison": "results",
    "Detection": "results",
    "Estimate": "results",
    "Interval": "results",
    "RefitTest": "refit",
    "Result": "results",
    "Skill": "results",
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
