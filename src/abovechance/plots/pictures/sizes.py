"""How many cases each test needs."""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.plots.axes import rows, spanning
from abovechance.plots.chart import Chart, Points, Series
from abovechance.plots.contract import contract
from abovechance.plots.tests_asked import assumed, test_title
from abovechance.plots.words import as_float, percent


def sizes(result: Any) -> Chart:
    """The cases that each test needs for the target power, with the search's interval.

    Examples
    --------
    >>> size = {"statistic": "fisher", "n": 502, "interval": [450, 552], "formula": 513}
    >>> sizes({"sizes": [size], "target": 0.8}).y.labels
    ("Fisher's exact test",)
    """
    facts = contract(result)
    found = [size for size in facts.get("sizes") or () if size.get("n") is not None]
    if not found:
        raise NotApplicable("no test reached the target, so there is no size to show.")
    n = np.array([float(size["n"]) for size in found])
    low, high = np.array([size.get("interval") or (size["n"],) * 2 for size in found], float).T
    formula = np.array([as_float(size.get("formula")) for size in found])
    places = np.arange(len(found))[::-1].astype(np.float64)
    known = np.isfinite(formula)
    titles = [test_title(size) for size in found]
    upright = " Upright marks are sizes by formula." if known.any() else ""
    return Chart(
        title="Cases needed",
        caption=f"For a power of {percent(facts.get('target'))}, with 95% intervals of the "
        f"search.{upright}{assumed(facts)}",
        x=spanning("Number of cases", [0.0], high, formula[known], room=0.04),
        y=rows(titles),
        layers=(
            Points(x=formula[known], y=places[known], colour="muted", shape="tick", size=9.0),
            Points(x=n, y=places, left=low, right=high, size=7.0),
        ),
        series=(
            Series(
                name="",
                headings=("Test", "Cases", "Low", "High", "By formula"),
                columns=(titles, n, low, high, formula),
                place=(n, places),
            ),
        ),
        readout="nearest",
        rows=1.35 * len(found) + 0.5,
    )
