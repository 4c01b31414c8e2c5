"""Pictures: charts described as data, drawn by matplotlib for papers and as SVG for the report."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abovechance.plots.chart import Chart
    from abovechance.plots.class_pictures import right_by_chance
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
    from abovechance.plots.picture import Picture, chart_of, picture, pictures, plot

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
    "Picture": "picture",
    "chart_of": "picture",
    "picture": "picture",
    "pictures": "picture",
    "plot": "picture",
    "right_by_chance": "class_pictures",
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
    "chart_of",
    "picture",
    "pictures",
    "plot",
    "right_by_chance",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'abovechance.plots' has no attribute {name!r}")
    value = getattr(import_module(f"abovechance.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
