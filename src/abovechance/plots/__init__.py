"""Pictures: charts described as data, drawn by matplotlib for papers and as SVG for the report."""

from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'abovechance.plots' has no attribute {name!r}")
    value = getattr(import_module(f"abovechance.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
