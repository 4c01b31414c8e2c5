"""Pictures of learners: validated, on growing samples, with selected features, and their folds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.format import as_float, number, percent, plural, thousands
from abovechance.inference.contract import contract, level_of
from abovechance.inference.printing import CORRECTED
from abovechance.plots.chart import (
    Axis,
    Band,
    Chart,
    Layer,
    Line,
    Points,
    Rule,
    Series,
    room_for,
    rows,
    spanning,
    unit,
)
from abovechance.plots.plotting import ends, picture
from abovechance.tabular import SERIES, series_colour

# ----------------------------------------------------------------------------------------------
# Validated models: optimism by measure, corrected calibration, learning curves.
# ----------------------------------------------------------------------------------------------


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
    low, high = (np.where(np.isfinite(x), x, corrected) for x in ends(found, "corrected"))
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
    low, high = (np.where(np.isfinite(x), x, value) for x in ends(points, "value"))
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


# ----------------------------------------------------------------------------------------------
# Selected features, and cross-validation beside held-out cases.
# ----------------------------------------------------------------------------------------------


SIGNAL, NOISE = "1", "muted"  # the colours of features as they are, and of permuted copies
MARKS = 10  # on an axis of whole numbers


@picture(of=("selection",), usual=("selection",), report=10)
def steps(result: Any) -> Chart:
    """The value of the measure after each selected feature.

    Examples
    --------
    >>> found = {"title": "Brier score", "start": 0.25, "steps": [{"feature": "age", "value": 0.2}]}
    >>> steps(found).x.labels
    ('none', 'age')
    """
    facts = contract(result)
    names = ["none", *(str(step["feature"]) for step in facts["steps"])]
    y = np.array([as_float(facts["start"]), *(as_float(s["value"]) for s in facts["steps"])])
    x = np.arange(len(names), dtype=np.float64)
    axis = spanning("Features, in the order of selection", x, room=0.06)
    return Chart(
        title="Forward selection",
        caption="The measure with each feature and all before it; it chose them, so its last value "
        "flatters.",
        x=replace(axis, ticks=tuple(x.tolist()), labels=tuple(names)),
        y=spanning(str(facts["title"]), y[np.isfinite(y)]),
        layers=(Line(x=x, y=y), Points(x=x, y=y, size=7.0)),
        series=(
            Series(
                name="",
                headings=("Step", str(facts["title"]), "Feature"),
                columns=(x, y, names),
            ),
        ),
    )


@picture(of=("stability",), usual=("stability",), name="stability_paths")
def stability_paths(result: Any, selector: str | None = None) -> Chart:
    """How often each feature is among the first 1, 2, … that are selected.

    Features in one colour, permuted copies, known to be noise, in another. Of several measures the
    first is shown, or the one named.

    Examples
    --------
    >>> row = {"selector": "auc", "feature": "age", "frequency": 0.9, "path": [0.9, 1.0],
    ...        "noise": False, "stable": True}
    >>> facts = {"frequencies": [row], "selected": 1, "pairs": 50,
    ...          "selectors": [{"selector": "auc", "title": "AUC", "cutoff": 0.75}]}
    >>> stability_paths(facts).x.title
    'Features selected'
    """
    facts = contract(result)
    drawn = [row for row in facts["frequencies"] if row.get("path")]
    if not drawn:
        raise NotApplicable("selectors have no paths: they choose all their features at once.")
    wanted = drawn[0]["selector"] if selector is None else selector
    about = next((one for one in facts["selectors"] if one["selector"] == wanted), None)
    mine = [row for row in drawn if row["selector"] == wanted]
    if about is None or not mine:
        raise NotApplicable(f"there is no path of {wanted!r}.")
    x = np.arange(1, len(mine[0]["path"]) + 1, dtype=np.float64)
    layers: list[Layer] = [
        Rule(at=as_float(about["cutoff"]), axis="y", text=f"cut-off {about['cutoff']:g}"),
        Rule(at=as_float(facts["selected"]), axis="x", text="selected per half"),
    ]
    series = []
    for row in sorted(mine, key=lambda row: not row["noise"]):  # noise lies underneath
        colour = NOISE if row["noise"] else SIGNAL
        y = np.array([as_float(value) for value in row["path"]])
        layers.append(Line(x=x, y=y, colour=colour, thin=bool(row["noise"])))
        series.append(
            Series(
                name=str(row["feature"]),
                headings=("Features selected", "Share of halves"),
                columns=(x, y),
                colour=colour,
            )
        )
    noise = " Thin grey lines are permuted copies, known to be noise." if _noisy(mine) else ""
    return Chart(
        title=f"Stability paths: {about['title']}",
        caption="Share of halves in which a feature is among the first so many that forward "
        f"selection takes; {thousands(2 * int(facts['pairs']))} halves.{noise}",
        x=_counting_axis("Features selected", x),
        y=unit("Share of halves"),
        layers=tuple(layers),
        series=tuple(series),
        legend=False,
        height=0.75,
    )


def _counting_axis(title: str, values: Floats) -> Axis:
    """An axis of whole numbers, with no more marks than can be read."""
    axis = spanning(title, values, room=0.02)
    step = max(1, -(-len(values) // MARKS))
    return replace(axis, ticks=tuple(values[::step].tolist()))


def _noisy(rows_: list[Any]) -> bool:
    return any(row["noise"] for row in rows_)


@picture(of=("stability",), usual=("stability",), name="selection_frequencies", report=11)
def selection_frequencies(result: Any) -> Chart:
    """How often each feature was selected, by every measure or selector, beside the cut-off.

    Examples
    --------
    >>> row = {"selector": "auc", "feature": "age", "frequency": 0.9, "stable": True}
    >>> facts = {"frequencies": [row], "pairs": 50,
    ...          "selectors": [{"selector": "auc", "title": "AUC", "cutoff": 0.75}]}
    >>> selection_frequencies(facts).y.labels
    ('age',)
    """
    facts = contract(result)
    features = list(dict.fromkeys(str(row["feature"]) for row in facts["frequencies"]))
    if not features:
        raise NotApplicable("the result holds no features to show.")
    places = {name: len(features) - 1.0 - i for i, name in enumerate(features)}
    chosen = facts["selectors"][:SERIES]
    layers: list[Layer] = [
        Rule(at=cutoff, text=f"cut-off {cutoff:g}")
        for cutoff in dict.fromkeys(as_float(one["cutoff"]) for one in chosen)
    ]
    series = []
    for i, one in enumerate(chosen):
        mine = [row for row in facts["frequencies"] if row["selector"] == one["selector"]]
        x = np.array([as_float(row["frequency"]) for row in mine])
        aside = 0.0 if len(chosen) == 1 else 0.3 * (0.5 - i / (len(chosen) - 1))
        y = np.array([places[str(row["feature"])] + aside for row in mine])
        colour = series_colour(i)
        layers.append(Points(x=x, y=y, colour=colour, size=6.0))
        series.append(
            Series(
                name=str(one["title"]),
                headings=("Feature", "Share of halves"),
                columns=([str(row["feature"]) for row in mine], x),
                colour=colour,
                place=(x, y),
            )
        )
    return Chart(
        title="How often features were selected",
        caption=f"Share of {thousands(2 * int(facts['pairs']))} halves of the cases in which each "
        "feature was selected; right of the cut-off it is stable.",
        x=unit("Share of halves"),
        y=rows(features),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=room_for(features),
    )


@picture(of=("reliability",), usual=("reliability",), name="cv_reliability", report=10)
def cv_reliability(result: Any) -> Chart:
    """Rank correlation of cross-validated and held-out values by measure and number of cases.

    Examples
    --------
    >>> row = {"measure": "auc", "title": "AUC", "n": 50, "spearman": 0.6, "interval": None}
    >>> cv_reliability({"measures": [row], "repetitions": 100, "holdout": 1000}).y.title
    "Spearman's correlation"
    """
    facts = contract(result)
    found = [r for r in facts["measures"] if np.isfinite(as_float(r["spearman"]))]
    if not found:
        raise NotApplicable("the result holds no correlation to show.")
    names = list(dict.fromkeys(str(row["title"]) for row in found))[:SERIES]
    sizes = sorted({int(row["n"]) for row in found})
    layers: list[Layer] = []
    series = []
    # measures beside each other at every number of cases, so that their bars do not overlap
    gap = 0.02 * (sizes[-1] - sizes[0]) if len(sizes) > 1 else 0.2
    for i, name in enumerate(names):
        mine = sorted((r for r in found if r["title"] == name), key=lambda r: int(r["n"]))
        n = np.array([float(r["n"]) for r in mine])
        x = n + gap * (i - (len(names) - 1) / 2)
        y = np.array([as_float(r["spearman"]) for r in mine])
        low, high = ends(mine, "spearman")
        colour = series_colour(i)
        layers += [
            Line(x=x, y=y, colour=colour, thin=True),
            Points(x=x, y=y, low=low, high=high, colour=colour, size=6.0),
        ]
        series.append(
            Series(
                name=name,
                headings=("Number of cases", "Spearman", "Low", "High"),
                columns=(n, y, low, high),
                colour=colour,
                place=(x, y),
            )
        )
    every = [series_.columns[2] for series_ in series] + [series_.columns[3] for series_ in series]
    level = next((r["interval"]["level"] for r in found if r.get("interval")), None)
    inside = "" if level is None else f", with {percent(level)} intervals"
    return Chart(
        title="Can the cross-validation be believed?",
        caption="Spearman's correlation of cross-validated with held-out values over "
        f"{thousands(int(facts['repetitions']))} repetitions{inside}; "
        f"{plural(int(facts['holdout']), 'case')} held out.",
        x=spanning("Number of cases", [min(sizes) - gap * 2, max(sizes) + gap * 2]),
        y=spanning("Spearman's correlation", *every, [1.0]),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
    )


@picture(of=("reliability",), name="cv_against_holdout", report=11)
def cv_against_holdout(result: Any, measure: str | None = None, n: int | None = None) -> Chart:
    """Cross-validated against held-out values of one measure, a point per repetition.

    Of the first measure and number of cases, or those named; on the line both are equal.

    Examples
    --------
    >>> facts = {"measures": [{"measure": "auc", "title": "AUC", "n": 50}],
    ...          "repeated": [{"n": 50, "flip": [0.0, 0.1], "cv": {"auc": [0.8, 0.7]},
    ...                        "holdout": {"auc": [0.82, 0.69]}}]}
    >>> cv_against_holdout(facts).x.title
    'AUC, held out'
    """
    facts = contract(result)
    wanted = facts["measures"][-1]["measure"] if measure is None else measure
    size = int(facts["measures"][0]["n"]) if n is None else n
    part = next((one for one in facts.get("repeated") or () if int(one["n"]) == size), None)
    if part is None or wanted not in part["cv"]:
        raise NotApplicable(f"there are no repetitions of {wanted!r} at n = {size}.")
    title = next(str(r["title"]) for r in facts["measures"] if r["measure"] == wanted)
    y, x = (np.array([as_float(v) for v in part[key][wanted]]) for key in ("cv", "holdout"))
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if not x.size:
        raise NotApplicable(f"{title} is undefined in all repetitions.")
    flip = np.array([as_float(v) for v in part["flip"]])[there]
    ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())])
    return Chart(
        title=f"{title}: cross-validated against held out",
        caption=f"A point is one repetition of {size} cases; on the line both values are equal.",
        x=spanning(f"{title}, held out", ends),
        y=spanning(f"{title}, cross-validated", ends),
        layers=(
            Line(x=ends, y=ends, colour="muted", dashed=True, thin=True),
            Points(x=x, y=y, size=5.0, faint=True),
        ),
        series=(
            Series(
                name="",
                headings=("Held out", "Cross-validated", "Labels flipped"),
                columns=(x, y, flip),
            ),
        ),
        readout="nearest",
        height=1.0,
    )
