"""Curves with bands: `curves.calibration(predictions)`, `curves.decision(predictions)`, …"""

from abovechance.inference.boundary import offered
from abovechance.inference.curves.calibration import calibration
from abovechance.inference.curves.cost import cost
from abovechance.inference.curves.curve import Curve
from abovechance.inference.curves.decision import decision, decision_difference
from abovechance.inference.curves.distributions import cumulative, guesses
from abovechance.inference.curves.ranking import precision_recall, roc
from abovechance.inference.curves.survival_curves import auc_over_time, survival

__all__ = [
    "Curve",
    "auc_over_time",
    "calibration",
    "cost",
    "cumulative",
    "decision",
    "decision_difference",
    "guesses",
    "precision_recall",
    "roc",
    "survival",
]

globals().update(offered(globals(), __all__))
