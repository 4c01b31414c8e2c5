"""Pictures: charts described as data, drawn by matplotlib for papers and as SVG for the report."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.plots.chart import Chart
    from abovechance.plots.displays import (
        CalibrationDisplay,
        ConfusionDisplay,
        DecisionDisplay,
        PrecisionRecallDisplay,
        PredictedObservedDisplay,
        ProbabilityDisplay,
        ResidualsDisplay,
        RocDisplay,
    )
    from abovechance.plots.kinds import chart_of
    from abovechance.plots.pictures.classes import binomial_null
    from abovechance.plots.plotting import plot

_HOMES = {
    "CalibrationDisplay": "displays",
    "Chart": "chart",
    "ConfusionDisplay": "displays",
    "DecisionDisplay": "displays",
    "PrecisionRecallDisplay": "displays",
    "PredictedObservedDisplay": "displays",
    "ProbabilityDisplay": "displays",
    "ResidualsDisplay": "displays",
    "RocDisplay": "displays",
    "binomial_null": "pictures.classes",
    "chart_of": "kinds",
    "plot": "plotting",
}

__all__ = [
    "CalibrationDisplay",
    "Chart",
    "ConfusionDisplay",
    "DecisionDisplay",
    "PrecisionRecallDisplay",
    "PredictedObservedDisplay",
    "ProbabilityDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "binomial_null",
    "chart_of",
    "plot",
]

__getattr__ = lazily(__name__, _HOMES)
