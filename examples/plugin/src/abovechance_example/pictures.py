"""Pictures that this package adds: a chart is data, which reports and matplotlib draw."""

from collections.abc import Mapping

import numpy as np

from abovechance.plots import Chart, picture
from abovechance.plots.chart import Bars, Rule, Series, spanning
from abovechance.predictions import Numeric


@picture(of=("numeric",), report=25)
def errors(models: Mapping[str, Numeric]) -> Chart:
    """How often numbers were predicted too low, too high and about right.

    Examples
    --------
    >>> from abovechance import examples
    >>> errors({"": examples.diabetes()}).series[0].columns[1].sum()
    442.0
    """
    ((name, predictions),) = models.items()
    left = np.ravel(predictions.outcome - predictions.value)
    edges = np.histogram_bin_edges(left, bins="sturges")
    counts = np.histogram(left, edges)[0].astype(float)
    return Chart(
        title="Errors",
        name=name,
        caption="Cases to the right of the line were predicted too low.",
        x=spanning("Observed minus predicted", edges),
        y=spanning("Cases", [0.0, counts.max() * 1.05], room=0.0, count=4),
        layers=(
            Bars(left=edges[:-1], right=edges[1:], height=counts),
            Rule(at=0.0, text="no error"),
        ),
        series=(
            Series(
                name=name,
                headings=("From", "Cases", "To"),
                columns=(edges[:-1], counts, edges[1:]),
                place=((edges[:-1] + edges[1:]) / 2, counts),
            ),
        ),
        readout="nearest",
        height=0.6,
    )
