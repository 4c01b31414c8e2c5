"""Pictures of results: forests, differences, power, posteriors, and values under permutation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.format import as_float, between, number, p_phrase, percent, plural, thousands
from abovechance.inference.contract import FIRST, complete, contract, overall_rows
from abovechance.inference.printing import sides_and_level, tested_p
from abovechance.inference.prose import lower
from abovechance.inference.shares import chance_words
from abovechance.inference.significance import null_distribution
from abovechance.plots.chart import (
    Axis,
    Band,
    Bars,
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
from abovechance.plots.plotting import SEED, ends, picture
from abovechance.predictions import Predictions
from abovechance.tabular import SERIES, series_colour

# ----------------------------------------------------------------------------------------------
# Pictures of results: measures and chance, differences, power and sizes, posterior densities.
# ----------------------------------------------------------------------------------------------


MOST_MEASURES = 14
ALIKE = 1e-6  # chances this near are one mark
MOST_DIFFERENCES = 20
SIDE_BY_SIDE = 2  # models that share the line of a measure; more make it higher
USUAL = 0.8
TITLES = {"n": "Number of cases", "effect": "Effect"}
POINTS = 161
AGAINST_CHANCE = {
    "accuracy": "Binomial test of accuracy",
    "fisher": "Fisher's exact test",
    "auc": "Mann–Whitney test of the AUC",
    "brier": "Permutation test of the Brier score",
    "log_score": "Permutation test of the log score",
}
OF_TWO_MODELS = {
    "accuracy": "McNemar's test of accuracy",
    "auc": "DeLong's test of the AUC",
    "brier": "Sign-flip test of the Brier score",
    "log_score": "Sign-flip test of the log score",
}
TWO_MODELS = ("correlated models", "trained on less")
WIDE = 1.959963984540054  # standard errors in a 95 % interval


@picture(of=("assessment", "comparison"), usual=("assessment",), report=80)
def forest(result: Any, measures: Sequence[str] | None = None) -> Chart:
    """Measures of an assessment that share the scale from −1 to 1, with chance on each line.

    Examples
    --------
    >>> from abovechance import assess, examples
    >>> forest(assess(examples.breast_cancer("p_texture"), ["auc", "mcc"], rng=1)).y.labels
    ('Area under the ROC curve', 'Matthews correlation')
    """
    facts = contract(result)
    found = [e for e in overall_rows(facts) if e.get("output") is None and bounded(e["measure"])]
    if measures is not None:
        found = [e for e in found if e["measure"] in measures]
    elif len({e["measure"] for e in found}) > MOST_MEASURES:
        found = [e for e in found if e["measure"].removesuffix("_macro") in FIRST]
    found = [e for e in found if np.isfinite(as_float(e["value"]))]
    if not found:
        raise NotApplicable("no measure between −1 and 1 is defined here; see the table.")
    titles = list(dict.fromkeys((e["measure"], e["title"]) for e in found))
    models = list(dict.fromkeys(e["model"] or "" for e in found))
    shared = _shared_chances(found)
    layers: list[Layer] = []
    series = []
    for i, model in enumerate(models):
        mine = [e for e in found if (e["model"] or "") == model]
        places = np.array([_place(e, titles, i, len(models)) for e in mine])
        layers += _own_chances(mine, places, series_colour(i), shared)
        layers += _chance_marks(
            mine, places, series_colour(i), shared if i == len(models) - 1 else {}
        )
        series.append(_estimate_series(mine, places, model, series_colour(i)))
    level = next((e["interval"]["level"] for e in found if e["interval"]), None)
    said = "" if level is None else f"Points with {percent(level)} intervals. "
    chance = chance_words(
        {str(e["title"]): e["hypothesis"] for e in found if e["chance"] is not None},
        "means when outcomes are shuffled",
    )
    lowest = min(as_float(v) for e in found for v in (e["value"], _low(e)))
    known = any(e["chance"] is not None for e in found)
    return Chart(
        title="Measures and chance" if known else "Measures",
        caption=f"{said}Upright marks are chance: {chance}." if known else said.strip(),
        x=unit("Value") if lowest >= 0 else spanning("Value", [max(lowest, -1.0), 1.0], room=0.02),
        y=rows([title for _, title in titles]),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=1.35 * len(titles) * max(1.0, len(models) / SIDE_BY_SIDE) + 0.5,
    )


def bounded(measure: str) -> bool:
    """Whether a measure of this name lies between −1 and 1."""
    from abovechance.measures import find

    try:
        low, high = find(measure).range
    except AboveChanceError:
        return False
    return low >= -1.0 and high <= 1.0


def _place(
    estimate: Mapping[str, Any], titles: list[tuple[str, str]], model: int, models: int
) -> float:
    row = len(titles) - 1 - titles.index((estimate["measure"], estimate["title"]))
    return row + (0.5 - (model + 0.5) / models) * (0.55 if models <= SIDE_BY_SIDE else 0.8)


def _low(estimate: Mapping[str, Any]) -> Any:
    return estimate["interval"]["low"] if estimate["interval"] else estimate["value"]


def _high(estimate: Mapping[str, Any]) -> Any:
    return estimate["interval"]["high"] if estimate["interval"] else estimate["value"]


def _shared_chances(estimates: list[Any]) -> dict[str, float]:
    """Chance by measure where it is the same for every model, as it need not be."""
    found: dict[str, list[float]] = {}
    for e in estimates:
        found.setdefault(e["measure"], []).append(as_float(e["chance"]))
    return {name: all_[0] for name, all_ in found.items() if max(all_) - min(all_) < ALIKE}


def _own_chances(
    estimates: list[Any], places: Any, colour: str, shared: Mapping[str, float]
) -> list[Layer]:
    """Chance of this model alone, in its colour and on its own line."""
    known = [
        i for i, e in enumerate(estimates) if e["chance"] is not None and e["measure"] not in shared
    ]
    if not known:
        return []
    x = np.array([as_float(estimates[i]["chance"]) for i in known])
    return [Points(x=x, y=places[known], colour=colour, shape="tick", size=4.0)]


def _chance_marks(
    estimates: list[Any], places: Any, colour: str, shared: Mapping[str, float]
) -> list[Layer]:
    points = Points(
        x=np.array([as_float(e["value"]) for e in estimates]),
        y=places,
        left=np.array([as_float(_low(e)) for e in estimates]),
        right=np.array([as_float(_high(e)) for e in estimates]),
        colour=colour,
        size=7.0,
    )
    known = [i for i, e in enumerate(estimates) if e["measure"] in shared]
    chance = Points(
        x=np.array([shared[estimates[i]["measure"]] for i in known]),
        y=np.round(places[known]),
        colour="muted",
        shape="tick",
        size=9.0,
    )
    return [chance, points] if known else [points]


def _estimate_series(estimates: list[Any], places: Any, model: str, colour: str) -> Series:
    columns = [
        [as_float(value) for value in values]
        for values in zip(
            *((e["value"], _low(e), _high(e), e["chance"]) for e in estimates), strict=True
        )
    ]
    return Series(
        name=model,
        headings=("Measure", "Value", "Low", "High", "Chance"),
        columns=([e["title"] for e in estimates], *columns),
        colour=colour,
        place=(np.array(columns[0]), places),
    )


@picture(of=("comparison",), usual=("comparison",), report=1)
def differences(result: Any) -> Chart:
    """The differences of a comparison with their intervals; no difference is marked.

    Examples
    --------
    >>> from abovechance import compare, examples
    >>> models = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    >>> differences(compare(models, ["auc"])).y.labels
    ('Area under the ROC curve',)
    """
    facts = contract(result)
    every = facts.get("differences") or ()
    whole = [d for d in every if d.get("model") is None and d.get("by") is None]
    found = [d for d in whole or every if np.isfinite(as_float(d["difference"]))]
    if not found:
        raise NotApplicable("the result holds no defined difference to show.")
    what = "Difference"
    if len({(d["first"], d["second"]) for d in found}) > 1:  # measures do not share a scale
        primary = [d for d in found if d["measure"] == facts.get("primary")]
        found = primary or [d for d in found if d["measure"] == found[0]["measure"]]
        what = f"Difference in {lower(str(found[0].get('title') or found[0]['measure']))}"
    every, found = len(found), found[:MOST_DIFFERENCES]
    pairs = {(d["first"], d["second"]) for d in found}
    models = {d.get("model") for d in found}
    labels = [
        (
            str(d.get("title") or d["measure"])
            if len(pairs) == 1
            else f"{d['first']} − {d['second']}"
        )
        + ("" if len(models) == 1 else f", {d['model']}")
        for d in found
    ]
    value = np.array([as_float(d["difference"]) for d in found])
    low, high = ends(found, "difference")
    places = np.arange(len(found))[::-1].astype(np.float64)
    level = next((d["interval"]["level"] for d in found if d.get("interval")), None)
    sides = "subgroups" if all(d.get("model") for d in found) else "models"
    said = "Differences"
    if len(pairs) == 1:
        said += f", {found[0]['first']} minus {found[0]['second']}"
    said += "." if level is None else f", with {percent(level)} intervals."
    if every > MOST_DIFFERENCES:
        said += f" The first {MOST_DIFFERENCES} of {every}."
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
                headings=(
                    "Measure" if len(pairs) == 1 else "Pair",
                    "Difference",
                    "Low",
                    "High",
                    "p",
                ),
                columns=([labels[i] for i in rows_], x, low[rows_], high[rows_], p),
                colour=colour,
                place=(x, y),
            )
        )
    return Chart(
        title=f"Differences between {sides}",
        caption=said,
        x=spanning(what, low, high, [0.0], room=0.06),
        y=rows(labels),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=room_for(labels),
    )


@picture(of=("comparison",), name="subgroups", report=2)
def within(result: Any) -> Chart:
    """The difference of the primary measure within each subgroup, under that of all cases.

    Examples
    --------
    >>> from abovechance import compare, examples
    >>> models = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    >>> half = ["odd" if row % 2 else "even" for row in range(285)]
    >>> within(compare(models, ["auc"], by=half)).y.labels[-1]
    'odd (142 cases)'
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
    found = [d for pair in pairs for d in own if (d["first"], d["second"]) == pair][
        :MOST_DIFFERENCES
    ]
    many = len(pairs) > 1
    labels = [
        (f"{d['first']} − {d['second']}, " if many else "")
        + f"{d.get('by') or 'all'} ({plural(int(d.get('n') or 0), 'case')})"
        for d in found
    ]
    title = str(found[0].get("title") or measure)
    said = f"{title}, " + ("first minus second" if many else " minus ".join(pairs[0]))
    if len(own) > MOST_DIFFERENCES:
        said += f"; the first {MOST_DIFFERENCES} of {len(own)}"
    level = next((d["interval"]["level"] for d in found if d.get("interval")), None)
    said += "." if level is None else f", with {percent(level)} intervals."
    value = np.array([as_float(d["difference"]) for d in found])
    low, high = ends(found, "difference")
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


@picture(of=("assessment",), name="by_subgroup", report=2)
def by_subgroup(result: Any) -> Chart:
    """The primary measure within each subgroup, under that of all cases.

    Examples
    --------
    >>> inside = {"low": 0.6, "high": 0.9, "level": 0.95}
    >>> row = {"measure": "auc", "value": 0.8, "interval": inside, "by": "sex=f"}
    >>> sizes = [{"by": "sex=f", "n": 90, "events": 30}]
    >>> by_subgroup({"estimates": [row], "primary": "auc", "subgroups": sizes}).y.labels
    ('sex=f (30 of 90)',)
    """
    facts = contract(result)
    every = [complete(row) for row in facts.get("estimates") or ()]
    every = [r for r in every if r["class"] is None and np.isfinite(as_float(r["value"]))]
    within = [r for r in every if r["by"] is not None]
    if not within:
        raise NotApplicable("nothing was assessed within subgroups (by=).")
    wanted = facts.get("primary")
    measure = wanted if any(r["measure"] == wanted for r in within) else within[0]["measure"]
    own = [r for r in every if r["measure"] == measure]
    output = own[0]["output"]
    own = [r for r in own if r["output"] == output]
    found = sorted(own, key=lambda r: r["by"] is not None)[:MOST_DIFFERENCES]
    sizes = {str(size["by"]): size for size in facts.get("subgroups") or ()}
    sizes["None"] = {"n": facts.get("n"), "events": None}
    many = len({r["model"] for r in found}) > 1
    labels = [_of_subgroup(r, sizes.get(str(r["by"]), {}), named=many) for r in found]
    value = np.array([as_float(r["value"]) for r in found])
    low, high = ends(found, "value")
    level = next((r["interval"]["level"] for r in found if r["interval"]), None)
    said = "" if level is None else f" with {percent(level)} intervals"
    counted = any(size.get("events") is not None for size in sizes.values())
    said += "; in brackets events of cases." if counted else "; in brackets cases."
    places = np.arange(len(found))[::-1].astype(np.float64)
    whole = np.array([r["by"] is None for r in found])
    title = str(found[0]["title"])
    return Chart(
        title=f"{title} by subgroup",
        caption=f"The value of all cases and of each subgroup{said}",
        x=spanning(title, low, high, room=0.04),
        y=rows(labels),
        layers=tuple(
            Points(x=value[own], y=places[own], left=low[own], right=high[own], colour=colour)
            for colour, own in (("muted", whole), ("0", ~whole))
        ),
        series=(
            Series(
                name="",
                headings=("Subgroup", "Value", "Low", "High"),
                columns=(labels, value, low, high),
                place=(value, places),
            ),
        ),
        readout="nearest",
        rows=1.35 * len(found) + 0.5,
    )


def _of_subgroup(row: Any, size: Mapping[str, Any], *, named: bool) -> str:
    """A subgroup with its cases, and how many of them are events."""
    who = f"{row['model']}, " if named and row["model"] else ""
    name = f"{who}{row['by'] or 'all'}"
    if size.get("n") is None:
        return name
    events = size.get("events")
    return f"{name} ({size['n']})" if events is None else f"{name} ({events} of {size['n']})"


@picture(of=("power",), usual=("power",), report=90)
def power(result: Any, *, target: float | None = USUAL) -> Chart:
    """Power of each statistic with its Monte-Carlo error; the usual 80 % is marked.

    Drawn against the number of cases when that varies, else against the effect. Where both vary
    and lines would be too many to tell apart, every test has a line of text as in `replication`.

    Examples
    --------
    >>> cell = {"statistic": "auc", "n": 20, "effect": 0.5, "power": 0.2, "se": 0.01}
    >>> power({"cells": [cell, {**cell, "n": 80, "power": 0.7}]}).x.title
    'Number of cases'
    """
    cells = [c for c in contract(result).get("cells") or () if c.get("power") is not None]
    if not cells:
        raise NotApplicable("the result holds no power to show.")
    along = "n" if len({c.get("n") for c in cells}) > 1 else "effect"
    if any(c.get(along) is None for c in cells):
        raise NotApplicable("power is drawn against the number of cases or the effect; see n=.")
    other = "effect" if along == "n" else "n"
    several = len({c.get(other) for c in cells}) > 1
    groups: dict[str, list[Any]] = {}
    for cell in cells:
        name = title_of_test(cell)
        if several:
            name += f", {TITLES[other].lower()} {cell.get(other)}"
        groups.setdefault(name, []).append(cell)
    if len(groups) > SERIES:
        return replication(result)
    layers: list[Any] = []
    if target is not None:
        layers.append(Rule(at=target, axis="y", text=f"{target:.0%}"))
    series = []
    for i, (name, mine) in enumerate(groups.items()):
        mine.sort(key=lambda c: float(c[along]))
        x = np.array([float(c[along]) for c in mine])
        y = np.array([as_float(c["power"]) for c in mine])
        low, high = np.array([power_limits(c) for c in mine]).T
        colour = series_colour(i)
        layers += [
            Line(x=x, y=y, colour=colour),
            Points(x=x, y=y, low=low, high=high, colour=colour, size=6.0),
        ]
        series.append(
            Series(
                name=name,
                headings=(TITLES[along], "Power", "Low", "High"),
                columns=(x, y, low, high),
                colour=colour,
            )
        )
    return Chart(
        title="Power",
        caption="Share of samples in which the test rejects; bars are 95% Monte-Carlo limits."
        f"{assumed(contract(result))}",
        x=spanning(TITLES[along], [c[along] for c in cells]),
        y=unit("Power"),
        layers=tuple(layers),
        series=tuple(series),
        height=0.75,
    )


@picture(of=("sample_size",), usual=("sample_size",), report=90)
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
    titles = [title_of_test(size) for size in found]
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


@picture(of=("thresholds",), usual=("thresholds",), name="choices", report=1)
def chosen_thresholds(result: Any) -> Chart:
    """Where each criterion would cut, with the interval of that threshold.

    Examples
    --------
    >>> from abovechance import examples, thresholds
    >>> found = thresholds(examples.breast_cancer("p_texture"), draws=99, rng=1)
    >>> "Greatest Youden's J" in chosen_thresholds(found).y.labels
    True
    """
    facts = contract(result)
    found = [c for c in facts.get("choices") or () if np.isfinite(as_float(c["threshold"]))]
    if not found:
        raise NotApplicable("no criterion has a finite threshold, so there is none to show.")
    at = np.array([as_float(c["threshold"]) for c in found])
    low, high = ends(found, "threshold")
    low, high = np.where(np.isfinite(low), low, at), np.where(np.isfinite(high), high, at)
    places = np.arange(len(found))[::-1].astype(np.float64)
    titles = [str(c["title"]) for c in found]
    level = next((c["interval"]["level"] for c in found if c.get("interval")), None)
    inside = "" if level is None else f", with {percent(level)} intervals"
    rates = [np.array([as_float(c.get(k)) for c in found]) for k in ("sensitivity", "specificity")]
    return Chart(
        title="Thresholds",
        caption=f"Above which to call a case positive, by each criterion{inside}.",
        x=spanning("Threshold", low, high, room=0.04),
        y=rows(titles),
        layers=(Points(x=at, y=places, left=low, right=high, size=7.0),),
        series=(
            Series(
                name="",
                headings=("Criterion", "Threshold", "Low", "High", "Sensitivity", "Specificity"),
                columns=(titles, at, low, high, *rates),
                place=(at, places),
            ),
        ),
        readout="nearest",
        rows=1.35 * len(found) + 0.5,
    )


@picture(of=("power",))
def replication(result: Any) -> Chart:
    """Power of every statistic at every effect, as the papers draw it.

    Upright marks are the published values or, where there are none, the formula's.

    Examples
    --------
    >>> cell = {"statistic": "sd", "n": 40, "effect": 0.5, "power": 0.9, "se": 0.02}
    >>> replication({"cells": [{**cell, "reference": 1.0}]}).y.labels
    ('sd',)
    """
    facts = contract(result)
    cells = [c for c in facts.get("cells") or () if c.get("power") is not None]
    if not cells:
        raise NotApplicable("the result holds no power to show.")
    several = len({c["n"] for c in cells}) > 1
    names = list(dict.fromkeys(_statistic(c, several) for c in cells))
    effects = list(dict.fromkeys(c["effect"] for c in cells))
    layers: list[Layer] = []
    series = []
    known: list[tuple[Any, float]] = []
    for i, effect in enumerate(effects):
        mine = [c for c in cells if c["effect"] == effect]
        places = np.array(
            [
                len(names) - 1 - names.index(_statistic(c, several)) + _aside(i, len(effects))
                for c in mine
            ]
        )
        layers += _power_marks(mine, places, series_colour(i))
        known += [
            (c, place)
            for c, place in zip(mine, places.tolist(), strict=True)
            if c.get("reference") is not None
        ]
        series.append(
            Series(
                name=f"effect {effect:.3g}",
                headings=("Statistic", "Power", "Published or known"),
                columns=(
                    [_statistic(c, several) for c in mine],
                    [as_float(c["power"]) for c in mine],
                    [as_float(c.get("reference")) for c in mine],
                ),
                colour=series_colour(i),
                place=(np.array([as_float(c["power"]) for c in mine]), places),
            )
        )
    if known:
        values = np.array([as_float(c["reference"]) for c, _ in known])
        series.append(
            Series(
                name="published or known",
                headings=("Statistic", "Power"),
                columns=([_statistic(c, several) for c, _ in known], values),
                colour="ink",
                place=(values, np.array([place for _, place in known])),
            )
        )
    return Chart(
        title=str(facts.get("title") or "Power").split(":")[0],
        caption="Points with 95% Monte-Carlo limits; upright marks are published or known values.",
        x=unit("Power"),
        y=rows(names),
        layers=tuple(layers),
        series=tuple(series),
        readout="nearest",
        rows=1.1 * len(names) + 0.5,
    )


def _statistic(cell: Any, several: bool) -> str:
    return f"{cell['statistic']}, n = {cell['n']}" if several else str(cell["statistic"])


def _aside(number: int, count: int) -> float:
    """How far off the middle of a line the marks of one effect stand."""
    return (0.5 - (number + 0.5) / count) * 0.6


def _power_marks(cells: list[Any], places: Any, colour: str) -> list[Layer]:
    power = np.array([as_float(c["power"]) for c in cells])
    low, high = np.array([power_limits(c) for c in cells]).T
    known = [i for i, c in enumerate(cells) if c.get("reference") is not None]
    return [
        Points(
            x=np.array([as_float(cells[i]["reference"]) for i in known]),
            y=places[known],
            colour="ink",
            shape="tick",
            size=5.0,
        ),
        Points(
            x=power,
            y=places,
            left=low,
            right=high,
            colour=colour,
            size=6.0,
        ),
    ]


@picture(of=("posterior",), usual=("posterior",), several=True)
def posterior(posteriors: Mapping[str, Any]) -> Chart:
    """Posterior densities, their central intervals filled, and chance where all have the same."""
    shown = {name or str(getattr(one, "quantity", "")): one for name, one in posteriors.items()}
    chances = {getattr(one, "chance", None) for one in shown.values()}
    return densities(shown, chance=chances.pop() if len(chances) == 1 else None)


def densities(
    posteriors: Mapping[str, Any],
    *,
    chance: float | None = None,
    level: float = 0.95,
    title: str = "Posterior density",
) -> Chart:
    """Densities of one posterior, or of several by name, their central intervals filled.

    Anything with `pdf` and `ppf` can be drawn. `chance` is marked when given.

    References
    ----------
    Brodersen et al. (2010), figures 1 and 2.

    Examples
    --------
    >>> from scipy.stats import beta
    >>> densities({"accuracy": beta(46, 3)}, chance=0.5).series[0].note
    '0.945, 95% 0.857 to 0.987'
    """
    found = dict(posteriors)
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = _extent(list(found.values()), chance)
    layers: list[Layer] = []
    series = []
    top = 0.0
    for i, (name, one) in enumerate(found.items()):
        colour = series_colour(i)
        inner = np.asarray(one.ppf(ends), dtype=np.float64)
        x = np.unique(np.concatenate([np.linspace(low, high, POINTS), inner]))
        density = _finite(np.asarray(one.pdf(x), dtype=np.float64))
        top = max(top, float(density.max()))
        inside = (x >= inner[0]) & (x <= inner[1])
        zero = np.zeros(int(inside.sum()))
        layers.append(Band(x=x[inside], low=zero, high=density[inside], colour=colour, solid=True))
        layers.append(Line(x=x, y=density, colour=colour))
        median = float(one.ppf(0.5))
        series.append(
            Series(
                name=name,
                headings=("Value", "Density"),
                columns=(x, density),
                colour=colour,
                note=f"{number(median)}, {percent(level)} {between(*inner)}",
            )
        )
    if chance is not None:
        layers.append(Rule(at=chance, text="chance"))
    return Chart(
        title=title,
        caption=f"Filled: central {percent(level)} of each posterior.",
        x=spanning("Value", [low, high], room=0.0),
        y=Axis(title="Density", low=0.0, high=top * 1.12, ticks=(), grid=False),
        layers=tuple(layers),
        series=tuple(series),
        height=0.62,
    )


def _extent(posteriors: list[Any], chance: float | None) -> tuple[float, float]:
    """Where nearly all of the mass is, chance included, within the support when it is known."""
    low = min(float(one.ppf(0.0005)) for one in posteriors)
    high = max(float(one.ppf(0.9995)) for one in posteriors)
    if chance is not None:
        low, high = min(low, chance), max(high, chance)
    room = 0.06 * (high - low)
    floor = 0.0 if low >= 0 else -np.inf
    ceiling = 1.0 if high <= 1 else np.inf
    return max(low - room, floor), min(high + room, ceiling)


def _finite(density: Any) -> Any:
    """A density infinite at an end is drawn as high as the highest finite value."""
    known = density[np.isfinite(density)]
    return np.where(np.isfinite(density), density, known.max(initial=1.0))


def title_of_test(cell: Mapping[str, Any]) -> str:
    """A test in words, from its name and the design it was simulated in.

    >>> title_of_test({"statistic": "auc", "design": "binormal"})
    'Mann–Whitney test of the AUC'
    """
    name = str(cell["statistic"])
    known = OF_TWO_MODELS if cell.get("design") in TWO_MODELS else AGAINST_CHANCE
    if cell.get("title"):
        return str(cell["title"])
    if name in known:
        return known[name]
    from abovechance.signal import find

    try:
        return str(find(name).title)
    except AboveChanceError:
        return name


def setting(cell: Mapping[str, Any]) -> str:
    """The effect of a design in words.

    >>> setting({"design": "binormal", "effect": 0.7})
    'a calibrated model with an AUC of 0.7'
    """
    if cell.get("setting"):
        return str(cell["setting"])
    design, effect = str(cell.get("design") or ""), as_float(cell.get("effect"))
    if effect != effect:
        return design
    if design == "binormal":
        return f"a calibrated model with an AUC of {effect:g}"
    if design == "pilot":
        kept = "" if effect == 1 else f", of which {percent(effect)} keep their signal"
        return f"predictions like those of the pilot{kept}"
    return f"{design or 'the design'} with effect {effect:g}"


def assumed(facts: Mapping[str, Any]) -> str:
    """What the powers depend on besides sizes, for a caption."""
    rows = facts.get("cells") or facts.get("sizes") or ()
    settings = list(dict.fromkeys(str(row["setting"]) for row in rows if row.get("setting")))
    if len(settings) != 1:
        return ""
    return f" {settings[0][0].upper()}{settings[0][1:]}. {sides_and_level(facts)}."


def power_limits(cell: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a power, or what its standard error gives."""
    if cell.get("interval"):
        return as_float(cell["interval"]["low"]), as_float(cell["interval"]["high"])
    power, se = as_float(cell["power"]), as_float(cell.get("se") or 0.0)
    return max(power - WIDE * se, 0.0), min(power + WIDE * se, 1.0)


# ----------------------------------------------------------------------------------------------
# What chance alone would have given, and what was observed.
# ----------------------------------------------------------------------------------------------


BINS = 40
PREDICTED = ("binary", "multiclass", "numeric", "survival")
PERMUTED = ("detection", "permutation_test", "null_distribution")


@picture(of=(*PREDICTED, *PERMUTED), usual=PERMUTED, seeded=True)
def null(shown: Any, seed: int = SEED, test: str | None = None) -> Chart:
    """Chance and the observed value: a measure or a statistic under permuted outcomes.

    Of predictions their primary measure is shown, of a detection its first test unless one is
    named.
    """
    if hasattr(shown, "tests"):
        return _of_tests(shown, test)
    if isinstance(shown, Mapping):
        ((_, predictions),) = shown.items()
        assert isinstance(predictions, Predictions)
        shown = null_distribution(predictions, rng=seed)
    return histogram(shown.values, shown.value, title=shown.title)


def _of_tests(result: Any, test: str | None) -> Chart:
    """A statistic under permutation, the first when none is named."""
    row = result.tests[0] if test is None else result[test]
    name = getattr(row, "statistic", None) or row.measure
    facts = {"rule": getattr(result, "rule", "")}
    p = p_phrase(row.p_value)
    if facts["rule"] == "paper":  # by that rule p can be 0
        p = f"p = {tested_p(vars(row), facts).text} draws"
    made = histogram(result.null[name], row.value, title="Value", p=p, what="labels", height=0.75)
    return replace(made, title=row.title)


def histogram(
    replicates: Any,
    observed: float,
    *,
    title: str = "Statistic",
    p: str = "",
    chance: float | None = None,
    what: str = "outcomes",
    height: float = 0.6,
) -> Chart:
    """The values of a statistic when `what` is permuted, beside the observed one.

    `chance`, their mean as a table has it, is marked when given.

    Examples
    --------
    >>> histogram(np.arange(100) / 100, 0.99, title="Area", p="p = 0.020").layers[1].text
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
    counts, edges = _counts(values)
    said = f"observed {number(observed)}" + (f", {p}" if p else "")
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


def _counts(values: Any) -> tuple[Any, Any]:
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
