"""Predicted numbers beside observed ones, and what is left between them."""

from collections.abc import Mapping

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.format import plural
from abovechance.plots.axes import spanning
from abovechance.plots.chart import Chart, Line, Points, Rule, Series
from abovechance.plots.plotting import picture
from abovechance.predictions import Numeric

MOST = 600


@picture(of=("numeric",), usual=("numeric",), report=10)
def predicted_observed(models: Mapping[str, Numeric]) -> Chart:
    """Observed against predicted numbers; on the dashed line they are equal.

    Examples
    --------
    >>> from abovechance import examples
    >>> predicted_observed({"": examples.diabetes()}).series[0].note
    '442 cases'
    """
    ((name, predictions),) = models.items()
    value, outcome, said = _cases(predictions)
    both = spanning("", value, outcome, room=0.03)
    ends = np.array([both.low, both.high])
    across, up = (
        type(both)(title=title, low=both.low, high=both.high, ticks=both.ticks)
        for title in ("Predicted", "Observed")
    )
    return Chart(
        title="Predicted and observed",
        name=name,
        caption=said + "Observed values above the dashed line were predicted too low.",
        x=across,
        y=up,
        layers=(
            Line(x=ends, y=ends, colour="muted", dashed=True, thin=True),
            Points(x=value, y=outcome, size=5.0, faint=True),
        ),
        series=(_series(value, outcome, "Observed", predictions.n),),
        readout="nearest",
        height=1.0,
    )


@picture(of=("numeric",), report=20)
def residuals(models: Mapping[str, Numeric]) -> Chart:
    """What was observed beyond the prediction, against the prediction.

    A trend or a funnel shows that the errors depend on what was predicted.
    """
    ((name, predictions),) = models.items()
    value, outcome, said = _cases(predictions)
    left = outcome - value
    return Chart(
        title="Residuals",
        name=name,
        caption=said + "Observed minus predicted; a trend or a funnel means room to improve.",
        x=spanning("Predicted", value),
        y=spanning("Residual", left, [0.0]),
        layers=(
            Rule(at=0.0, axis="y"),
            Points(x=value, y=left, size=5.0, faint=True),
        ),
        series=(_series(value, left, "Residual", predictions.n),),
        readout="nearest",
        height=1.0,
    )


def _cases(predictions: Numeric) -> tuple[Floats, Floats, str]:
    """The single output's pairs, every so many-th where there are more than can be seen."""
    if len(predictions.outputs) > 1:
        raise NotApplicable(
            f"one output is drawn at a time; choose among {len(predictions.outputs)} with "
            "predictions.output(0)."
        )
    value, outcome = predictions.value[0], predictions.outcome[0]
    if value.size <= MOST:
        return value, outcome, ""
    order: Array = np.argsort(value)
    kept = order[np.rint(np.linspace(0, value.size - 1, MOST)).astype(np.int64)]
    return value[kept], outcome[kept], f"{MOST} cases shown, evenly spaced in prediction. "


def _series(x: Floats, y: Floats, heading: str, n: int) -> Series:
    return Series(
        name="",
        headings=("Predicted", heading),
        columns=(x, y),
        note=plural(n, "case"),
    )
