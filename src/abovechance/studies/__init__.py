"""Many samples, not one: designs, power and sample sizes."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.studies.closed_forms import Known, closed_form, expected_width
    from abovechance.studies.designs import (
        Binormal,
        BinormalPair,
        CorrelatedModels,
        Design,
        GaussianPredictions,
        Groups,
        Logistic,
        Mixture,
        Pair,
        Pilot,
        Predicted,
        Scale,
        Shift,
    )
    from abovechance.studies.power_study import Cell, PowerStudy, power
    from abovechance.studies.sample_sizes import PrecisionSize, SampleSize, Size, Width, sample_size
    from abovechance.studies.trained import Features, Table, Trained, TrainedOnLess

_HOMES = {
    "Binormal": "designs",
    "BinormalPair": "designs",
    "Cell": "power_study",
    "CorrelatedModels": "designs",
    "Design": "designs",
    "Features": "trained",
    "GaussianPredictions": "designs",
    "Groups": "designs",
    "Known": "closed_forms",
    "Logistic": "designs",
    "Mixture": "designs",
    "Pair": "designs",
    "Pilot": "designs",
    "PowerStudy": "power_study",
    "PrecisionSize": "sample_sizes",
    "Predicted": "designs",
    "SampleSize": "sample_sizes",
    "Scale": "designs",
    "Shift": "designs",
    "Size": "sample_sizes",
    "Table": "trained",
    "Trained": "trained",
    "TrainedOnLess": "trained",
    "Width": "sample_sizes",
    "closed_form": "closed_forms",
    "expected_width": "closed_forms",
    "power": "power_study",
    "sample_size": "sample_sizes",
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
    "PrecisionSize",
    "Predicted",
    "SampleSize",
    "Scale",
    "Shift",
    "Size",
    "Table",
    "Trained",
    "TrainedOnLess",
    "Width",
    "closed_form",
    "expected_width",
    "power",
    "sample_size",
]

__getattr__ = lazily(__name__, _HOMES)
