"""How much better one model is than another, measure by measure."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.plots.axes import room_for, rows, spanning
from abovechance.plots.chart import Chart, Layer, Points, Rule, Series
from abovechance.plots.contract import contract
from abovechance.plots.words import as_float, percent, plural

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
    every = contract(result).get("differences") or ()
    whole = [d for d in every if d.get("model") is None and d.get("by") is None]
    found = [d for d in whole or every if np.isfinite(as_float(d["difference"]))]
    if not found:
        raise NotApplicable("the result holds no defined difference to show.")
    every, found = len(found), found[:MOST]
    pairs = {(d["first"], d["second"]) for d in found}
    models = {d.get("model") for d in found}
    labels = [
        str(d.get("title") or d["measure"])
        + ("" if len(pairs) == 1 else f": {d['first']} − {d['second']}")
        + ("" if len(models) == 1 else f", {d['model']}")
        for d in found
    ]
    value = np.array([as_float(d["difference"]) for d in found])
    low, high = (
        np.array([as_float((d.get("interval") or {}).get(end, d["difference"])) for d in found])
        for end in ("low", "high")
    )
    places = np.arange(len(found))[::-1].astype(np.float64)
    level = next((d["interval"]["level"] for d in found if d.get("interval")), None)
    what = "subgroups" if all(d.get("model") for d in found) else "models"
    said = "Differences"
    if len(pairs) == 1:
        said += f", {found[0]['first']} minus {found[0]['second']}"
    said += "." if level is None else f", with {percent(level)} intervals."
    if every > MOST:
        said += f" The first {MOST} of {every}."
    groups = _groups(found, low, high) if len(pairs) == 1 else {("", "0"): list(range(len(found)))}
    layers: list[Layer] = [Rule(at=0.0)]
    series = []
    for (name, colour), rows_ in groups.items():
        x, y = value[rows_], places[rows_]
        layers.append(Points(x=x, y=y, left=low[rows_], right=high[rows_], colour=colour, size=7.0))
        p = [as_float(found[i].get("p_value")) for i in rows_]
        series.append(
            Series(
                name=name,
                headings=("Measure", "Difference", "Low", "High", "p"),
                columns=([labels[i] for i in rows_], x, low[rows_], high[rows_], p),
                colour=colour,
                place=(x, y),
            )
        )
    return Chart(
        title=f"Differences between {what}",
        caption=said,
        x=spanning("Difference", low, high, [0.0], room=0.06),
        y=rows(labels),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=room_for(labels),
    )


def within(result: Any) -> Chart:
    """The difference of the primary measure within each subgroup, under that of all cases.

    Examples
    --------
    >>> row = {"measure": "auc", "first": "new", "second": "old", "difference": 0.07, "n": 90,
    ...        "interval": {"low": 0.02, "high": 0.12, "level": 0.95}, "by": "sex=f"}
    >>> within({"differences": [row], "primary": "auc"}).y.labels
    ('sex=f (90 cases)',)
    """
    facts = contract(result)
    known = [
        d
        for d in facts.get("differences") or ()
        if d.get("model") is None and np.isfinite(as_float(d["difference"]))
    ]
    measure = facts.get("primary")
    if not any(d["measure"] == measure for d in known if d.get("by") is not None):
        measure = next((d["measure"] for d in known if d.get("by") is not None), None)
    own = [d for d in known if d["measure"] == measure]
    if measure is None:
        raise NotApplicable("the models were not compared within subgroups (by=).")
    pairs = list(dict.fromkeys((d["first"], d["second"]) for d in own))
    found = [d for pair in pairs for d in own if (d["first"], d["second"]) == pair][:MOST]
    many = len(pairs) > 1
    labels = [
        (f"{d['first']} − {d['second']}, " if many else "")
        + f"{d.get('by') or 'all'} ({plural(int(d.get('n') or 0), 'case')})"
        for d in found
    ]
    title = str(found[0].get("title") or measure)
    said = f"{title}, " + ("first minus second" if many else " minus ".join(pairs[0]))
    if len(own) > MOST:
        said += f"; the first {MOST} of {len(own)}"
    level = next((d["interval"]["level"] for d in found if d.get("interval")), None)
    said += "." if level is None else f", with {percent(level)} intervals."
    value = np.array([as_float(d["difference"]) for d in found])
    low, high = (
        np.array([as_float((d.get("interval") or {}).get(end, d["difference"])) for d in found])
        for end in ("low", "high")
    )
    places = np.arange(len(found))[::-1].astype(np.float64)
    layers: list[Layer] = [Rule(at=0.0)]
    for colour, chosen in (
        ("muted", [i for i, d in enumerate(found) if d.get("by") is None]),
        ("0", [i for i, d in enumerate(found) if d.get("by") is not None]),
    ):
        x, y = value[chosen], places[chosen]
        layers.append(Points(x=x, y=y, left=low[chosen], right=high[chosen], colour=colour))
    p = [as_float(d.get("p_adjusted")) for d in found]
    return Chart(
        title="Differences within subgroups",
        caption=said,
        x=spanning("Difference", low, high, [0.0], room=0.06),
        y=rows(labels),
        layers=tuple(layers),
        series=(
            Series(
                name="",
                headings=("Subgroup", "Difference", "Low", "High", "p adjusted"),
                columns=(labels, value, low, high, p),
                place=(value, places),
            ),
        ),
        readout="nearest",
        legend=False,
        rows=room_for(labels),
    )


def _groups(found: list[Any], low: Floats, high: Floats) -> dict[tuple[str, str], list[int]]:
    """Rows by the model that was shown to be better."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(found):
        better = row.get("better")
        apart = not low[i] <= 0.0 <= high[i]
        known = better is not None and row.get("shown", apart)
        colour = ("0" if better == row["first"] else "1") if known else "muted"
        name = f"{better} better" if known else "not told apart"
        groups.setdefault((name, colour), []).append(i)
    return groups
