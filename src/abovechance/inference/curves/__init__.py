"""Curves with bands: `curves.calibration(predictions)`, `curves.decision(predictions)`, …"""

from abovechance.gate import offered
from abovechance.inference.curves.calibration_curves import calibration
from abovechance.inference.curves.curve import Curve
from abovechance.inference.curves.decision_curves import cost, decision, decision_difference
from abovechance.inference.curves.ranking_curves import cumulative, guesses, precision_recall, roc
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
