"""What chance alone would have given, and what was observed."""

from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.plots.axes import spanning
from abovechance.plots.chart import Bars, Chart, Rule, Series
from abovechance.plots.words import number, p_phrase, thousands

BINS = 40


def null(
    replicates: Any,
    observed: float,
    *,
    title: str = "Statistic",
    p_value: float | None = None,
    chance: float | None = None,
    what: str = "outcomes",
    height: float = 0.6,
) -> Chart:
    """The values of a statistic when `what` is permuted, beside the observed one.

    `chance`, their mean as a table has it, is marked when given.

    Examples
    --------
    >>> null(np.arange(100) / 100, 0.99, title="Area", p_value=0.02).layers[1].text
    'observed 0.990, p = 0.020'
    """
    every = np.asarray(replicates, dtype=np.float64)
    values = every[np.isfinite(every)]
    if np.isnan(observed):
        raise NotApplicable(f"{title} is undefined for what was observed.")
    if not values.size:
        raise NotApplicable(f"{title} is infinite or undefined under every permutation.")
    beyond = every.size - values.size
    infinite = f" {thousands(beyond)} more are infinite or undefined." if beyond else ""
    axis = spanning(title, values, [observed], room=0.05)
    counts, edges = _histogram(values)
    said = _said(observed, "" if p_value is None else p_phrase(p_value))
    highest = float(counts.max(initial=1))
    return Chart(
        title="Chance and the observed value",
        caption=f"{thousands(values.size)} values under permuted {what}.{infinite}",
        x=axis,
        y=spanning("Permutations", [0.0, highest * 1.18], room=0.0, count=4),
        layers=(
            Bars(left=edges[:-1], right=edges[1:], height=counts, colour="muted", faint=True),
            Rule(at=observed, text=said, colour="1", dashed=False),
            *(() if chance is None else (Rule(at=chance, text=f"chance {number(chance)}"),)),
        ),
        series=(
            Series(
                name="",
                headings=("From", "Permutations", "To"),
                columns=(edges[:-1], counts, edges[1:]),
                place=((edges[:-1] + edges[1:]) / 2, counts),
                colour="muted",
            ),
        ),
        readout="nearest",
        height=height,
    )


def told(chart: Chart, observed: float, p: str) -> Chart:
    """A picture of chance with a p-value in other words.

    >>> told(null(np.arange(100) / 100, 1.2, p_value=0.0), 1.2, "p = 0 of 100 draws").layers[1].text
    'observed 1.200, p = 0 of 100 draws'
    """
    layers = [
        replace(layer, text=_said(observed, p))
        if isinstance(layer, Rule) and not layer.dashed
        else layer
        for layer in chart.layers
    ]
    return replace(chart, layers=tuple(layers))


def _said(observed: float, p: str) -> str:
    return f"observed {number(observed)}" + (f", {p}" if p else "")


def _histogram(values: Any) -> tuple[Any, Any]:
    """Counts in bins; a statistic with few values gets a bar for each."""
    distinct = np.unique(values)
    if 1 < distinct.size <= BINS:
        gap = np.diff(distinct).min()
        if (distinct[-1] - distinct[0]) / gap <= 2 * BINS:
            edges = np.arange(distinct[0] - gap / 2, distinct[-1] + gap, gap)
            counts, edges = np.histogram(values, edges)
            return counts.astype(np.float64), edges
    counts, edges = np.histogram(values, BINS)
    return counts.astype(np.float64), edges
