"""Pictures of validated models: optimism by measure, corrected calibration, learning curves."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.format import as_float, number, percent, thousands
from abovechance.inference.contract import contract, level_of
from abovechance.inference.printing import CORRECTED
from abovechance.plots.chart import Band, Chart, Layer, Line, Points, Rule, Series, rows, spanning
from abovechance.plots.plotting import picture

UNIT = (0.0, 1.0)


@picture(of=("validation",), usual=("validation",), report=1)
def optimism(result: Any) -> Chart:
    """Every measure between 0 and 1 as it appears, and corrected, with the interval.

    Examples
    --------
    >>> import abovechance as ac
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50:, :2], (y[50:] == 2).astype(int)
    >>> found = ac.validate(LogisticRegression(), X, y, measures=["auc"], draws=2, rng=1)
    >>> optimism(found).y.labels
    ('Area under the ROC curve',)
    """
    facts = contract(result)
    found = [row for row in facts.get("validated") or () if _drawable(row)]
    if not found:
        raise NotApplicable("no measure between 0 and 1 has a corrected value to show.")
    apparent, corrected = (
        np.array([as_float(row[name]) for row in found]) for name in ("apparent", "corrected")
    )
    low, high = (
        np.array([as_float((row.get("interval") or {}).get(end)) for row in found])
        for end in ("low", "high")
    )
    low, high = (np.where(np.isfinite(end), end, corrected) for end in (low, high))
    places = np.arange(len(found))[::-1].astype(np.float64)
    titles = [str(row["title"]) for row in found]
    layers: list[Layer] = [
        Line(x=np.array([a, c]), y=np.array([at, at]), colour="muted", thin=True)
        for a, c, at in zip(apparent, corrected, places, strict=True)
    ]
    level = percent(level_of(facts))
    inside = f" Bars are {level} intervals." if any(row.get("interval") for row in found) else ""
    return Chart(
        title="Optimism",
        caption="Upright marks: as it appears on the cases that the model was fitted to. Dots: "
        f"corrected ({CORRECTED.get(str(facts.get('method')), 'as stated')}).{inside}",
        x=spanning("Value", apparent, low, high, room=0.04),
        y=rows(titles),
        layers=(
            *layers,
            Points(x=apparent, y=places, colour="muted", shape="tick", size=9.0),
            Points(x=corrected, y=places, left=low, right=high, size=7.0),
        ),
        series=(
            Series(
                name="",
                headings=("Measure", "Apparent", "Corrected", "Low", "High"),
                columns=(titles, apparent, corrected, low, high),
                place=(corrected, places),
            ),
        ),
        readout="nearest",
        rows=1.35 * len(found) + 0.5,
    )


def _drawable(row: Mapping[str, Any]) -> bool:
    """Whether both values lie between 0 and 1, so that they share an axis."""
    values = [as_float(row.get(name)) for name in ("apparent", "corrected")]
    return all(UNIT[0] <= value <= UNIT[1] for value in values)


@picture(of=("validation",), name="corrected_calibration", report=2)
def corrected_calibration(result: Any) -> Chart:
    """The calibration curve as it appears, and corrected for optimism.

    Examples
    --------
    >>> import abovechance as ac
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50:, :2], (y[50:] == 2).astype(int)
    >>> found = ac.validate(LogisticRegression(), X, y, measures=["auc"], draws=2, rng=1)
    >>> len(corrected_calibration(found).series)
    2
    """
    facts = contract(result)
    curve = facts.get("calibration")
    if not curve:
        raise NotApplicable("this validation holds no calibration curve.")
    x, apparent, corrected = (
        np.array([as_float(value) for value in curve[name]])
        for name in ("predicted", "apparent", "corrected")
    )
    shares = facts.get("outcome") != "numeric"
    names = ("Predicted probability", "Observed share") if shares else ("Predicted", "Observed")
    ends = np.array([np.nanmin(x), np.nanmax(x)])
    layers = (
        Line(x=ends, y=ends, colour="muted", dashed=True, thin=True),
        Line(x=x, y=apparent, colour="1", thin=True),
        Line(x=x, y=corrected, colour="0"),
    )
    known = np.concatenate([values[np.isfinite(values)] for values in (apparent, corrected)])
    return Chart(
        title="Calibration, corrected for optimism",
        caption="Right predictions lie on the dashed line.",
        x=spanning(names[0], x),
        y=spanning(names[1], known, ends),
        layers=layers,
        series=tuple(
            Series(name=name, headings=names, columns=(x, values), colour=colour)
            for name, values, colour in (
                ("Corrected", corrected, "0"),
                ("Apparent", apparent, "1"),
            )
        ),
    )


@picture(of=("learning_curve",), usual=("learning_curve",), name="learning_curve", report=1)
def learning(result: Any, *, measure: str | None = None) -> Chart:
    """A measure by training size, on new cases and on those trained on, and continued.

    Examples
    --------
    >>> import abovechance as ac
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50:, :2], (y[50:] == 2).astype(int)
    >>> found = ac.learning_curve(LogisticRegression(), X, y, measures=["auc"], sizes=[30, 60],
    ...                           draws=2, rng=1)
    >>> learning(found).x.title
    'Cases trained on'
    """
    facts = contract(result)
    curves = facts.get("curves") or ()
    chosen = [one for one in curves if measure in (None, one["measure"])]
    if not chosen:
        raise NotApplicable(f"{measure!r} is not among the curves.")
    curve = chosen[0]
    points, ahead = curve["points"], curve.get("continued") or ()
    size, value, apparent = (
        np.array([as_float(point.get(name)) for point in points])
        for name in ("size", "value", "apparent")
    )
    low, high = (_ends(points, value, end) for end in ("low", "high"))
    layers: list[Layer] = []
    series = [
        Series(
            name="New cases",
            headings=("Cases trained on", "Value", "Low", "High"),
            columns=(size, value, low, high),
        )
    ]
    if curve.get("chance") is not None:
        at = as_float(curve["chance"])
        layers.append(Rule(at=at, axis="y", text=f"chance {number(at)}"))
    if any(point.get("interval") for point in points):
        layers.append(Band(x=size, low=low, high=high, colour="0"))
    seen = np.isfinite(apparent)
    if seen.any():
        layers.append(Line(x=size[seen], y=apparent[seen], colour="1", thin=True))
        series.append(
            Series(
                name="Cases trained on",
                headings=("Cases trained on", "Value"),
                columns=(size[seen], apparent[seen]),
                colour="1",
            )
        )
    layers += [Line(x=size, y=value), Points(x=size, y=value, size=5.0)]
    heights = [value, apparent[seen], low, high]
    if curve.get("chance") is not None:
        heights.append(np.array([as_float(curve["chance"])]))
    said = "Continued by an inverse power law (dashed)." if ahead else ""
    if ahead:
        far, then = (np.array([as_float(one[name]) for one in ahead]) for name in ("size", "value"))
        if ahead[0].get("low") is not None:
            bottom, top = (
                np.array([as_float(one[name]) for one in ahead]) for name in ("low", "high")
            )
            layers.append(Band(x=far, low=bottom, high=top, colour="2"))
            heights += [bottom, top]
        layers.append(Line(x=far, y=then, colour="2", dashed=True))
        series.append(
            Series(
                name="Continued",
                headings=("Cases trained on", "Value"),
                columns=(far, then),
                colour="2",
            )
        )
        heights.append(then)
    xs = [size, *([far] if ahead else [])]
    for goal in curve.get("goals") or ():
        if goal.get("size") is not None and as_float(goal["size"]) <= xs[-1][-1]:
            layers.append(
                Rule(at=as_float(goal["size"]), text=f"{goal['goal']}: {thousands(goal['size'])}")
            )
    return Chart(
        title=str(curve["title"]),
        caption=f"By training size, with {percent(level_of(facts))} limits. {said}".strip(),
        x=spanning("Cases trained on", *xs),
        y=spanning(str(curve["title"]), *heights),
        layers=tuple(layers),
        series=tuple(series),
    )


def _ends(points: Any, value: Floats, end: str) -> Floats:
    found = np.array([as_float((point.get("interval") or {}).get(end)) for point in points])
    return np.where(np.isfinite(found), found, value)
