"""Pictures: charts described as data, drawn by matplotlib for papers and as SVG for the report."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.plots.case_pictures import binomial_null
    from abovechance.plots.chart import Chart
    from abovechance.plots.map_pictures import glass_brain
    from abovechance.plots.plotting import (
        CalibrationDisplay,
        ConfusionDisplay,
        DecisionDisplay,
        Picture,
        PrecisionRecallDisplay,
        PredictedObservedDisplay,
        ProbabilityDisplay,
        ResidualsDisplay,
        RocDisplay,
        chart_of,
        picture,
        pictures,
        plot,
        save,
    )

_HOMES = {
    "CalibrationDisplay": "plotting",
    "Chart": "chart",
    "ConfusionDisplay": "plotting",
    "DecisionDisplay": "plotting",
    "PrecisionRecallDisplay": "plotting",
    "PredictedObservedDisplay": "plotting",
    "ProbabilityDisplay": "plotting",
    "ResidualsDisplay": "plotting",
    "RocDisplay": "plotting",
    "Picture": "plotting",
    "chart_of": "plotting",
    "glass_brain": "map_pictures",
    "picture": "plotting",
    "pictures": "plotting",
    "plot": "plotting",
    "save": "plotting",
    "binomial_null": "case_pictures",
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
    "glass_brain",
    "picture",
    "pictures",
    "plot",
    "save",
]

__getattr__ = lazily(__name__, _HOMES)
