"""The story of an assessment: are these predictions better than chance, and by how much?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.format import (
    as_float,
    between,
    number,
    p_phrase,
    p_value,
    percent,
    plural,
)
from abovechance.inference.contract import (
    UNSTATED,
    beats_chance,
    has_skill,
    higher_is_better,
    key_rows,
    level_of,
    model_words,
    models_of,
    primary_rows,
    whole,
)
from abovechance.inference.method import Kind, Use, together
from abovechance.inference.printing import (
    measures_table,
    per_class_table,
    skill_table,
    subgroup_table,
)
from abovechance.inference.significance import null_distribution
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import Picture, pictures
from abovechance.plots.result_pictures import histogram
from abovechance.predictions import Binary, Multiclass, Predictions, Survival
from abovechance.reports.methods import methods
from abovechance.reports.prose import label, listed
from abovechance.reports.sentences import (
    begun,
    bracketed,
    estimate_sentence,
    limits,
    named,
    values_sentence,
)
from abovechance.reports.story import (
    Facts,
    Models,
    Story,
    Tile,
    cases_tile,
    charts_of,
    origin_of,
    seed_of,
    story,
    subtitle,
)
from abovechance.tabular import Cell, Column, Table, series_colour

MOST_MODELS = 6
MEASURES = 9
# What a reader of a prediction study looks for: discrimination, calls, calibration, error.
LOOKED_FOR = (
    "auc",
    "balanced_accuracy",
    "accuracy",
    "sensitivity",
    "specificity",
    "brier",
    "calibration_in_the_large",
    "calibration_slope",
    "r2",
    "mae",
    "rmse",
    "pearson",
    "c_index",
    "uno_c",
    "mcc",
)


@story("assessment")
def assessment(facts: Facts, models: Models) -> Story:
    """Measures against chance and against the best constant prediction."""
    described = about_outcome(models)
    rows = primary_rows(facts)
    tiles = [estimate_tile(row, facts) for row in rows[:2]]
    tiles += _second_tiles(facts) if len(tiles) == 1 else []
    names = models_of(facts)
    return Story(
        kicker="Model assessment",
        title=title_of_models(names) or "How good are these predictions?",
        subtitle=subtitle_of(facts, described),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=methods(facts),
        results=" ".join(values_of_models(facts)),
        tiles=(*tiles, *cases_tile(facts, described or origin_of(facts)))[:4],
        tables=tuple(estimates_tables(facts)),
        charts=(*charts_of_models(facts, models), *charts_of("assessment", facts)),
        checklist=checklist(facts, described),
        measures=tuple(row["measure"] for row in key_rows(facts)),
    )


def title_of_models(names: Sequence[str]) -> str:
    """Two models by their names, more by their number."""
    return " and ".join(names) if len(names) <= 2 else plural(len(names), "model")


def subtitle_of(facts: Facts, described: str) -> str:
    """Cases, outcome, origin, threshold and seed."""
    return subtitle(
        facts,
        described,
        f"{facts['outcome']} outcome" if facts.get("outcome") else "",
        origin_of(facts),
        f"threshold {facts['threshold']:g}" if facts.get("threshold") is not None else "",
    )


def estimates_tables(facts: Facts) -> list[Table | None]:
    """Key measures with their intervals drawn; all measures, folded; skill, classes, subgroups."""
    keys, every = key_rows(facts), whole(facts)
    if not every:
        return []
    known = any(row["interval"] for row in keys)
    title = f"Measures with {percent(level_of(facts))} intervals" if known else "Measures"
    tables: list[Table | None] = [measures_table(facts, keys, title=title, drawn=True)]
    if len(every) > len(keys):
        many = len({row["measure"] for row in every})
        tables.append(measures_table(facts, every, title=f"All {many} measures", folded=True))
    return [*tables, skill_table(facts), per_class_table(facts), subgroup_table(facts)]


def verdict(facts: Facts) -> str:
    """The answer in a few words.

    >>> row = {"measure": "auc", "value": 0.8, "chance": 0.5, "p_value": 0.001}
    >>> verdict({"estimates": [row]}), verdict({"estimates": [{**row, "p_value": 0.3}]})
    ('Better than chance', 'Not shown to be better than chance')
    """
    rows = primary_rows(facts)
    if len(rows) == 1:
        return _against_chance(rows[0], facts)
    return "Several models, side by side" if rows else "Result"


def headline(facts: Facts) -> str:
    """The answer in a sentence or two.

    >>> from abovechance.reports.prose import as_text
    >>> row = {"measure": "auc", "title": "Area under the ROC curve", "value": 0.8, "chance": 0.5}
    >>> as_text(headline({"estimates": [row]}), {})
    'The area under the ROC curve is 0.800, where chance would give 0.500.'
    """
    rows = primary_rows(facts)
    if len(rows) > 1 and all(row["p_value"] is None for row in rows):
        return values_sentence(rows)
    return " ".join(estimate_sentence(row, facts, of_model=len(rows) > 1) for row in rows)


def _against_chance(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    if as_float(row["value"]) != as_float(row["value"]):
        return "No value"
    if row["p_value"] is None:
        return _untested(row)
    alpha = 1 - level_of(facts)
    skilled = has_skill(row, alpha)
    if as_float(row["p_value"]) >= alpha or beats_chance(row) is False:
        if row["skill"] and skilled:
            return "Better than a constant prediction, association not shown"
        return "Not shown to be better than chance"
    if skilled:
        return "Better than chance"
    interval = (row["skill"] or {}).get("interval")
    if interval and as_float(interval["high"]) < 0:
        return "Associated with the outcome, but worse than a constant prediction"
    tested = "shown" if skilled is False else "tested"
    return f"Associated with the outcome, skill not {tested}"


def _untested(row: Mapping[str, Any]) -> str:
    """Without a test the interval may still lie wholly on the better side of both levels."""
    levels = [as_float(row[key]) for key in ("chance", "reference") if row[key] is not None]
    interval, up = row["interval"], higher_is_better(str(row["measure"]))
    if not interval or not levels or up is None:
        return "No test against chance"
    low, high = as_float(interval["low"]), as_float(interval["high"])
    if low > max(levels) if up else high < min(levels):
        return "Better than chance, judged by the interval"
    return "No test against chance"


def values_of_models(facts: Mapping[str, Any]) -> list[str]:
    """The primary measure of each model in full, and its other measures in one sentence."""
    models = models_of(facts)
    several = len(models) > 1
    primary = primary_rows(facts)
    if several and all(row["p_value"] is None for row in primary):
        said = [values_sentence(primary, past=True)]
    else:
        said = [estimate_sentence(row, facts, of_model=several, past=True) for row in primary]
    others = [row for row in key_rows(facts) if row not in primary and row["output"] is None]
    for model in models or ("",):
        mine = [row for row in others if str(row["model"] or "") == model]
        known = [row for row in mine if as_float(row["value"]) == as_float(row["value"])]
        if known:
            who = f"For {label(model)}, " if several else ""
            said.append(_row(sorted(known, key=_place)[:MEASURES], who))
    return said


def _place(row: Mapping[str, Any]) -> int:
    name = str(row["measure"]).removesuffix("_macro")
    return LOOKED_FOR.index(name) if name in LOOKED_FOR else len(LOOKED_FOR)


def _row(rows: Sequence[Mapping[str, Any]], who: str) -> str:
    first, *others = rows
    title = named(first["title"]) if who else begun(first["title"])
    parts = [f"{title} was {number(first['value'])}{bracketed(limits(first['interval']))}"]
    for row in others:
        interval = row["interval"]
        inside = between(interval["low"], interval["high"]) if interval else ""
        parts.append(f"{named(row['title'])} {number(row['value'])}{bracketed(inside)}")
    return f"{who}{listed(parts)}."


def estimate_tile(row: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    interval = row["interval"]
    note = "" if row["chance"] is None else f"chance {number(row['chance'])}"
    if interval:
        note = f"{percent(interval['level'])} {between(interval['low'], interval['high'])}"
    named = len(models_of(facts)) > 1 and row["model"]
    label = f"{row['title']}, {row['model']}" if named else str(row["title"])
    return Tile(label, number(row["value"]), note)


def _second_tiles(facts: Mapping[str, Any]) -> list[Tile]:
    """Another well-known measure, and the evidence against chance."""
    primary = primary_rows(facts)[0]
    wanted = ("auc", "balanced_accuracy", "accuracy", "r2", "mae", "c_index", "brier")
    rows = {row["measure"]: row for row in whole(facts) if row["output"] is None}
    found = [rows[m] for m in wanted if m in rows and m != primary["measure"]][:1]
    tiles = [estimate_tile(row, facts) for row in found]
    if primary["p_value"] is not None:
        note = str(primary["test"] or "").split(";")[0]
        skill = primary["skill"] or {}
        if skill.get("p_value") is not None:
            note += f"; skill {p_phrase(skill['p_value'])}"
        tiles.append(Tile("p against chance", p_value(primary["p_value"]), note))
    elif primary["chance"] is not None:
        tiles.append(Tile("Chance", number(primary["chance"]), str(primary["title"])))
    return tiles


def about_outcome(predictions: Mapping[str, Predictions]) -> str:
    """How the outcomes are distributed, when predictions are at hand."""
    one = next(iter(predictions.values()), None)
    if isinstance(one, Binary):
        name = str(one.classes[1])
        called = name if name[:1].isalpha() else f"positive ({name})"
        return f"{percent(round(float(one.prevalences[1]), 3))} {called}"
    if isinstance(one, Multiclass):
        return f"{len(one.classes)} classes"
    if isinstance(one, Survival):
        return plural(int(one.event.sum()), "event")
    return ""


def charts_of_models(facts: Facts, models: Models) -> list[Chart]:
    """The pictures of predictions in the order they should be looked at, those that can be drawn.

    >>> from abovechance import examples
    >>> [c.title for c in charts_of_models({}, {"": examples.iris()})]
    ['Probability given to the class that occurred', 'Calibration', 'Confusion matrix']
    """
    shown = dict(list(models.items())[:MOST_MODELS])
    if not shown:
        return []
    kind = next(iter(shown.values())).kind
    fitting = [one for one in pictures().values() if one.report and kind in one.reported]
    charts: list[Chart] = []
    for one in sorted(fitting, key=lambda one: one.report):
        if one.several:
            charts += _drawn(one, shown, seed_of(facts))
            continue
        for i, (name, predictions) in enumerate(shown.items()):
            for chart in _drawn(one, {name: predictions}, seed_of(facts)):
                charts.append(_painted(chart, series_colour(i)))
    return [*charts, *_null(facts, shown)]


def _drawn(one: Picture, models: Models, seed: int) -> list[Chart]:
    try:
        return [one.draw(models, seed=seed)]
    except AboveChanceError:
        return []


def _null(facts: Facts, models: Models) -> list[Chart]:
    """Chance and the observed value, for one model that was tested.

    Of the primary measure; of the Brier score when a permuted log score could be infinite.
    """
    rows = [*primary_rows(facts), *(row for row in whole(facts) if row["measure"] == "brier")]
    rows = [row for row in rows if row["p_value"] is not None]
    if len(models) != 1:
        return []
    (one,) = models.values()
    for row in rows:
        try:
            drawn = {} if row["draws"] is None else {"draws": _as_many(row["draws"], one.n)}
            values = null_distribution(one, str(row["measure"]), rng=seed_of(facts), **drawn).values
            if np.isfinite(values).all():
                level = None if row["chance"] is None else as_float(row["chance"])
                p = p_phrase(row["p_value"])
                title, value = str(row["title"]), as_float(row["value"])
                return [histogram(values, value, title=title, p=p, chance=level)]
        except (AboveChanceError, NotApplicable):
            continue
    return []


def _as_many(draws: int, n: int) -> int:
    """As many as the p-value had, fewer where there are too many cases to hold them."""
    return min(int(draws), max(999, 30_000_000 // n))


def _painted(chart: Chart, colour: str) -> Chart:
    """A chart of one model in the colour of that model; what is muted stays so."""
    if colour == "0":
        return chart
    change = {"0": colour}
    layers = [
        replace(layer, colour=change.get(layer.colour, layer.colour)) for layer in chart.layers
    ]
    series = [replace(s, colour=change.get(s.colour, s.colour)) for s in chart.series]
    return replace(chart, layers=tuple(layers), series=tuple(series))


# After the items for validation of the TRIPOD statement, in our own words: what the numbers cannot
# know is left for the authors to state.
TO_STATE = "for the authors to state"


def checklist(facts: Mapping[str, Any], described: str = "") -> Table:
    """The items with what this analysis says to each.

    >>> rows = checklist({"n": 12, "outcome": "binary", "origin": "cv"}).rows
    >>> [cell.text for cell in rows[0]]
    ['4a', 'Source of data', 'predictions from cross-validation']
    """
    estimates = whole(facts)
    measures = list(dict.fromkeys(str(row["title"]) for row in estimates))
    intervals = sorted({str(r["interval"]["method"]) for r in estimates if r["interval"]})
    dropped = int(facts.get("dropped") or 0)
    items = [
        ("4a", "Source of data", _source(facts)),
        ("4b", "Dates, setting, eligibility (4b, 5a, 5b)", ""),
        ("6a", "Outcome", _outcome(facts, described)),
        ("7a", "Predictors", ""),
        ("8", "Sample size", _sample_size(facts, described)),
        (
            "9",
            "Missing data",
            f"{plural(dropped, 'case')} left out" if dropped else "none left out",
        ),
        ("10c", "How predictions were made", _made_by(facts)),
        ("10d", "Measures of performance", _measures_named(measures)),
        ("10d", "Comparison of models", _compared(facts)),
        ("11", "Risk groups", ""),
        ("13a", "Flow and characteristics of participants (13a–c)", ""),
        ("16", "Performance with intervals", _intervals(facts, intervals)),
        ("18", "Limitations", _limits(facts)),
        ("21", "Supplementary information", "the result is embedded in this file as JSON"),
    ]
    return Table(
        title="Reporting checklist",
        caption="Items for validation after TRIPOD (Collins et al. 2015).",
        columns=(Column("item", "name"), Column("what", "text"), Column("this analysis", "text")),
        rows=tuple(
            (Cell(item), Cell(what), Cell(answer or TO_STATE, mark="" if answer else "open"))
            for item, what, answer in items
        ),
        folded=True,
        name="checklist",
    )


def _source(facts: Mapping[str, Any]) -> str:
    origin = model_words(facts)
    return "" if origin in ("", UNSTATED) else f"predictions from {origin}"


def _outcome(facts: Mapping[str, Any], described: str) -> str:
    kind = str(facts.get("outcome") or "")
    return f"{kind}; {described}" if described else kind


def _sample_size(facts: Mapping[str, Any], described: str) -> str:
    return plural(int(facts["n"]), "case") if facts.get("n") is not None else ""


def _made_by(facts: Mapping[str, Any]) -> str:
    models = models_of(facts)
    return f"given by {', '.join(models)}; how, {TO_STATE}" if models else ""


def _measures_named(measures: list[str]) -> str:
    if len(measures) > 8:
        return f"{', '.join(measures[:8])} and {len(measures) - 8} more"
    return ", ".join(measures)


def _compared(facts: Mapping[str, Any]) -> str:
    tested = [d for d in facts.get("differences") or () if d.get("test")]
    uses = together([Use.of(Kind.TEST, d["test"], d.get("test_by")) for d in tested])
    tests = sorted({use.title for use in uses})
    return "; ".join(tests) if tests else "no models compared"


def _intervals(facts: Mapping[str, Any], methods: list[str]) -> str:
    if not methods:
        return "values without intervals"
    return f"{percent(level_of(facts))} intervals: {'; '.join(methods)}"


def _limits(facts: Mapping[str, Any]) -> str:
    codes = [str(a.get("code")) for a in facts.get("advice") or ()]
    return f"see advice {', '.join(codes)}" if codes else ""
