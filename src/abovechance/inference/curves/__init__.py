"""Curves with bands: `curves.calibration(predictions)`, `curves.decision(predictions)`, …"""

from abovechance.inference.boundary import offered
from abovechance.inference.curves.calibration import calibration
from abovechance.inference.curves.cost import cost
from abovechance.inference.curves.curve import Curve
from abovechance.inference.curves.decision import decision, decision_difference
from abovechance.inference.curves.ranking import precision_recall, roc

__all__ = [
    "Curve",
    "calibration",
    "cost",
    "decision",
    "decision_difference",
    "precision_recall",
    "roc",
]

globals().update(offered(globals(), __all__))
