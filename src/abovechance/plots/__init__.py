"""Pictures: charts described as data, drawn by matplotlib for papers and as SVG for the report."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.plots.chart import Chart
    from abovechance.plots.class_pictures import binomial_null
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
    from abovechance.plots.plotting import Picture, chart_of, picture, pictures, plot

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
    "Picture": "plotting",
    "chart_of": "plotting",
    "picture": "plotting",
    "pictures": "plotting",
    "plot": "plotting",
    "binomial_null": "class_pictures",
}

__all__ = [
    "CalibrationDisplay",
    "Chart",
    "ConfusionDisplay",
    "DecisionDisplay",
    "Picture",
    "PrecisionRecallDisplay",
    "PredictedObservedDisplay",
    "ProbabilityDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "binomial_null",
    "chart_of",
    "picture",
    "pictures",
    "plot",
]

__getattr__ = lazily(__name__, _HOMES)
