"""How much better one model is than another, measure by measure."""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.plots.axes import rows, spanning
from abovechance.plots.chart import Chart, Points, Rule, Series
from abovechance.plots.contract import contract
from abovechance.plots.words import as_float, percent

MOST = 20


def differences(result: Any) -> Chart:
    """The differences of a comparison with their intervals; no difference is marked.

    Examples
    --------
    >>> row = {"measure": "auc", "first": "new", "second": "old", "difference": 0.07,
    ...        "interval": {"low": 0.02, "high": 0.12, "level": 0.95}, "p_value": 0.004}
    >>> differences({"differences": [row]}).y.labels
    ('auc',)
    """
    found = [
        d
        for d in contract(result).get("differences") or ()
        if np.isfinite(as_float(d["difference"]))
    ]
    if not found:
        raise NotApplicable("the result holds no defined difference to show.")
    found = found[:MOST]
    pairs = {(d["first"], d["second"]) for d in found}
    labels = [
        str(d.get("title") or d["measure"])
        + ("" if len(pairs) == 1 else f": {d['first']} − {d['second']}")
        for d in found
    ]
    value = np.array([as_float(d["difference"]) for d in found])
    low, high = (
        np.array([as_float((d.get("interval") or {}).get(end, d["difference"])) for d in found])
        for end in ("low", "high")
    )
    places = np.arange(len(found))[::-1].astype(np.float64)
    level = next((d["interval"]["level"] for d in found if d.get("interval")), None)
    said = "" if level is None else f"Differences with {percent(level)} intervals. "
    if len(pairs) == 1:
        said += f"Above 0: {found[0]['first']} has the higher value."
    return Chart(
        title="Differences between models",
        caption=said,
        x=spanning("Difference", low, high, [0.0], room=0.06),
        y=rows(labels),
        layers=(
            Rule(at=0.0, text=""),
            Points(x=value, y=places, left=low, right=high, size=7.0),
        ),
        series=(
            Series(
                name="",
                headings=("Measure", "Difference", "Low", "High", "p"),
                columns=(
                    labels,
                    value,
                    low,
                    high,
                    [as_float(d.get("p_value")) for d in found],
                ),
                place=(value, places),
            ),
        ),
        readout="nearest",
        rows=1.3 * len(found) + 0.6,
    )
