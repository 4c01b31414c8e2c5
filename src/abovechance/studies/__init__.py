"""Many samples, not one: designs, power and sample sizes, and the papers' studies again."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.studies.closed_forms import Known, closed_form
    from abovechance.studies.groups import Logistic, Mixture, Scale, Shift
    from abovechance.studies.powering import Cell, PowerStudy, power
    from abovechance.studies.predictions import (
        Binormal,
        BinormalPair,
        CorrelatedModels,
        GaussianPredictions,
        Pilot,
    )
    from abovechance.studies.samples import Design, Groups, Pair, Predicted
    from abovechance.studies.sizing import SampleSize, Size, sample_size
    from abovechance.studies.trained import Features, Table, Trained, TrainedOnLess

_HOMES = {
    "Binormal": "predictions",
    "BinormalPair": "predictions",
    "Cell": "powering",
    "CorrelatedModels": "predictions",
    "Design": "samples",
    "Features": "trained",
    "GaussianPredictions": "predictions",
    "Groups": "samples",
    "Known": "closed_forms",
    "Logistic": "groups",
    "Mixture": "groups",
    "Pair": "samples",
    "Pilot": "predictions",
    "PowerStudy": "powering",
    "Predicted": "samples",
    "SampleSize": "sizing",
    "Scale": "groups",
    "Shift": "groups",
    "Size": "sizing",
    "Table": "trained",
    "Trained": "trained",
    "TrainedOnLess": "trained",
    "closed_form": "closed_forms",
    "power": "powering",
    "sample_size": "sizing",
}

__all__ = [
    "Binormal",
    "BinormalPair",
    "Cell",
    "CorrelatedModels",
    "Design",
    "Features",
    "GaussianPredictions",
    "Groups",
    "Known",
    "Logistic",
    "Mixture",
    "Pair",
    "Pilot",
    "PowerStudy",
    "Predicted",
    "SampleSize",
    "Scale",
    "Shift",
    "Size",
    "Table",
    "Trained",
    "TrainedOnLess",
    "closed_form",
    "power",
    "sample_size",
]

__getattr__ = lazily(__name__, _HOMES)
