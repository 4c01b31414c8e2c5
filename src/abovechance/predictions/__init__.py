"""Predictions beside what was observed: four kinds, checked once when built, then frozen."""

from abovechance.predictions.base import ORIGINS, Predictions, View
from abovechance.predictions.binary import Binary
from abovechance.predictions.multiclass import Multiclass
from abovechance.predictions.numeric import Numeric
from abovechance.predictions.time_to_event import Survival

__all__ = ["ORIGINS", "Binary", "Multiclass", "Numeric", "Predictions", "Survival", "View"]
