"""The stories of predictions: better than chance, and by how much? Which model is better?"""

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
    signed,
)
from abovechance.inference.contract import (
    UNSTATED,
    adjusted,
    best_first,
    between_models,
    complete,
    key_rows,
    level_of,
    main_difference,
    model_words,
    models_of,
    of_items,
    overall_rows,
    primary_rows,
    within_subgroups,
)
from abovechance.inference.method import Kind, Use, freedom_as_range
from abovechance.inference.printing import (
    baseline_blocks,
    differences_tables,
    goal_words,
    goals_table,
    measures_table,
    per_class_table,
    skill_table,
    subgroup_table,
)
from abovechance.inference.prose import MOST, label, listed, the
from abovechance.inference.sentences import (
    begun,
    bracketed,
    difference_numbers,
    difference_sentence,
    estimate_sentence,
    interaction_sentence,
    limits,
    named,
    pairs_sentences,
    values_sentence,
)
from abovechance.inference.significance import null_distribution
from abovechance.inference.verdicts import VERDICTS, headline, verdict
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import Picture, pictures
from abovechance.plots.result_pictures import histogram
from abovechance.predictions import Binary, Multiclass, Predictions, Survival
from abovechance.reports.methods import methods
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

# ----------------------------------------------------------------------------------------------
# An assessment: are these predictions better than chance, and by how much?
# ----------------------------------------------------------------------------------------------


MOST_MODELS = 6
MANY_ALONE = 3  # models beyond which pictures of one model at a time are of the best only
MOST_ALONE = 2
MOST_GOALS = 3  # in the headline; the table has them all
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
    tiles = [*goals_tile(facts), *tiles]
    names = models_of(facts)
    return Story(
        kicker="Model assessment",
        title=title_of_models(names) or "How good are these predictions?",
        subtitle=subtitle_of(facts, described),
        verdict=verdict(facts),
        headline=" ".join([*goals_sentences(facts)[:MOST_GOALS], headline(facts)]),
        methods=methods(facts, described, *goals_methods(facts)),
        results=" ".join(
            [
                *values_of_models(facts),
                *goals_sentences(facts, past=True),
                *values_in_subgroups(facts),
            ]
        ),
        tiles=(*tiles, *cases_tile(facts, described or origin_of(facts)))[:4],
        tables=(*goals_tables(facts), *estimates_tables(facts)),
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
        f"{facts['outcome']} outcome" if facts.get("outcome") and not of_items(facts) else "",
        origin_of(facts),
        f"threshold {facts['threshold']:g}" if facts.get("threshold") is not None else "",
    )


def estimates_tables(facts: Facts) -> list[Table | None]:
    """Key measures with their intervals drawn; all measures, folded; skill, classes, subgroups."""
    keys, every = key_rows(facts), overall_rows(facts)
    if not every:
        return []
    known = any(row["interval"] for row in keys)
    title = f"Measures with {percent(level_of(facts))} intervals" if known else "Measures"
    tables: list[Table | None] = [measures_table(facts, keys, title=title, drawn=True)]
    if len(every) > len(keys):
        many = len({row["measure"] for row in every})
        tables.append(measures_table(facts, every, title=f"All {many} measures", folded=True))
    return [*tables, skill_table(facts), per_class_table(facts), subgroup_table(facts)]


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


def values_in_subgroups(facts: Mapping[str, Any]) -> list[str]:
    """The primary measure of each subgroup, with how many cases and events it has."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    primary = {row["measure"] for row in primary_rows(facts)}
    rows = [
        row
        for row in rows
        if row["by"] is not None
        and row["class"] is row["output"] is None
        and row["measure"] in primary
        and as_float(row["value"]) == as_float(row["value"])
    ]
    sizes = {str(size["by"]): size for size in facts.get("subgroups") or ()}
    said = []
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        of = f" of {label(model)}" if model else ""
        each = [
            f"{number(row['value'])}{bracketed(limits(row['interval']))} in {label(row['by'])}"
            f"{_size(sizes.get(str(row['by']), {}))}"
            for row in own
        ]
        said.append(f"By subgroup, {named(own[0]['title'])}{of} was {listed(each)}.")
    return said


def _size(size: Mapping[str, Any]) -> str:
    if size.get("n") is None:
        return ""
    events = size.get("events")
    with_event = "" if events is None else f", {events} with the event"
    return f" ({plural(int(size['n']), 'case')}{with_event})"


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
        # "at time 365 0.645" would be two numbers on end
        verb = " was" if str(row["title"])[-1:].isdigit() else ""
        parts.append(f"{named(row['title'])}{verb} {number(row['value'])}{bracketed(inside)}")
    return f"{who}{listed(parts)}."


def goals_tile(facts: Facts) -> list[Tile]:
    """The verdict on the stated goals, as the first of the tiles."""
    if not facts.get("goals"):
        return []
    rows = facts["goals"]["goals"]
    label = "Goals" if len(rows) > 1 else goal_words(rows[0])
    counts = [(verdict, sum(row["verdict"] == verdict for row in rows)) for verdict in VERDICTS]
    note = ", ".join(f"{many} {verdict}" for verdict, many in counts if many)
    if len(rows) == 1 and rows[0]["interval"]:
        note = f"{number(rows[0]['value'])}, {limits(rows[0]['interval'])}"
    return [Tile(label, str(facts["goals"]["verdict"]).capitalize(), note)]


def goals_tables(facts: Facts) -> list[Table]:
    """The goals, each with the interval it was judged by."""
    return [goals_table(facts["goals"])] if facts.get("goals") else []


def goals_sentences(facts: Facts, *, past: bool = False) -> list[str]:
    """What became of each goal, as a paper would say it."""
    if not facts.get("goals"):
        return []
    is_ = "was" if past else "is"
    said = []
    for row in facts["goals"]["goals"]:
        who = f"{begun(row['title'])}{bracketed(label(row['by']) if row.get('by') else '')}"
        found = f"{number(row['value'])}{bracketed(limits(row['interval']))}"
        said.append(
            f"{who} {is_} {found}; the goal stated beforehand, {_aim(row)}, {is_} {row['verdict']}."
        )
    return said


def _aim(row: Mapping[str, Any]) -> str:
    """The limits of a goal in words.

    >>> _aim({"sign": ">=", "goal": 0.85}), _aim({"sign": "in", "goal": [0.8, 1.25]})
    ('at least 0.85', '0.8 to 1.25')
    """
    if row["sign"] == "in":
        low, high = row["goal"]
        return f"{low:g} to {high:g}"
    return f"at {'least' if row['sign'] == '>=' else 'most'} {row['goal']:g}"


def goals_methods(facts: Facts) -> list[str]:
    """How goals were judged, for the paragraph on methods."""
    found = facts.get("goals")
    if not found:
        return []
    level = percent(found.get("level") or level_of(facts))
    said = (
        f"A goal counted as met when the whole {level} interval reached it, as not met when none "
        "of it did, and else as undecided"
    )
    if len(found["goals"]) > 1:
        needed = "all of them" if found.get("rule") == "all" else "any of them"
        said += (
            f"; of {len(found['goals'])} goals {needed} had to be met, and a claim that rests on "
            "one of them was adjusted after Holm"
        )
    return [f"{said}."]


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
    rows = {row["measure"]: row for row in overall_rows(facts) if row["output"] is None}
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
    if facts.get("without_cases"):
        fitting = [one for one in fitting if not one.cases]
    charts: list[Chart] = []
    best = {str(row["model"]) for row in best_first(primary_rows(facts), facts)[:MOST_ALONE]}
    for one in sorted(fitting, key=lambda one: one.report):
        if one.several:
            charts += _drawn(one, shown, seed_of(facts))
            continue
        for i, (name, predictions) in enumerate(shown.items()):
            if len(shown) > MANY_ALONE and best and name not in best:
                continue  # one picture per model would fill screens
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
    rows = [
        *primary_rows(facts),
        *(row for row in overall_rows(facts) if row["measure"] == "brier"),
    ]
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


# After the items of TRIPOD+AI, in our own words: what the numbers cannot know is left for the
# authors to state. (D) marks what only a study that develops a model is asked for.
TO_STATE = "for the authors to state"


def checklist(facts: Mapping[str, Any], described: str = "") -> Table:
    """The items with what this analysis says to each.

    >>> rows = checklist({"n": 12, "outcome": "binary", "origin": "cv"}).rows
    >>> [cell.text for cell in rows[1]]
    ['5a', 'Source of data', 'predictions from cross-validation']
    """
    estimates = overall_rows(facts)
    measures = list(dict.fromkeys(str(row["title"]) for row in key_rows(facts)))
    intervals = sorted({str(r["interval"]["method"]) for r in estimates if r["interval"]})
    dropped = int(facts.get("dropped") or 0)
    items = [
        ("1–4", "Title, abstract, background, objectives", ""),
        ("5a", "Source of data", _source(facts)),
        ("5b–6c", "Dates, setting, eligibility, treatments", ""),
        ("7", "Preparation of the data", ""),
        ("8a–c", "Outcome", _outcome(facts, described)),
        ("9a (D), b–c", "Predictors", ""),
        ("10", "Sample size and how it was arrived at", _sample_size(facts, described)),
        ("11", "Missing data", f"{plural(dropped, 'case') if dropped else 'none'} left out"),
        ("12a (D)", "How the data were used", _source(facts)),
        ("12b–c (D)", "Handling of predictors, building of the model", ""),
        ("12d", "Differences between clusters of cases", _clusters(estimates)),
        ("12e", "Measures of performance", "; ".join(measures)),
        ("12e", "Comparison of models", _compared(facts)),
        ("12f", "Updating of the model", ""),
        ("12g", "How predictions were made", _made_by(facts)),
        ("13", "Methods against class imbalance", ""),
        ("14", "Methods to make the model fair", ""),
        ("15 (D)", "Output of the model, thresholds", _output(facts)),
        ("16", "Differences between training and evaluation data", ""),
        ("17", "Ethical approval, consent", ""),
        ("18a–d", "Funding, interests, protocol, registration", ""),
        ("18e–f", "Data and code", "the result is embedded in this file as JSON"),
        ("19", "Involvement of patients and the public", ""),
        ("20a–c", "Flow and characteristics of participants", ""),
        ("21", "Participants and events analysed", _analysed(facts, described)),
        ("22 (D)", "The whole model, for use by others", ""),
        ("23a", "Performance with intervals", _intervals(facts, intervals)),
        ("23a", "Performance in subgroups", _subgroups(facts)),
        ("23b", "Heterogeneity of performance between clusters", ""),
        ("24", "Results of updating the model", ""),
        ("25", "Interpretation, fairness included", ""),
        ("26", "Limitations", _limits(facts)),
        ("27a–b (D), c", "Use in practice, next steps", ""),
    ]
    return Table(
        title="Reporting checklist",
        caption="Items after TRIPOD+AI (Collins et al. 2024); (D): asked only of studies that "
        "develop a model.",
        columns=(Column("item", "name"), Column("what", "text"), Column("this analysis", "text")),
        rows=tuple(
            (Cell(item), Cell(what), Cell(answer or TO_STATE, mark="" if answer else "open"))
            for item, what, answer in items
        ),
        folded=True,
        name="checklist",
    )


def _clusters(rows: Sequence[Mapping[str, Any]]) -> str:
    known = (((row["interval"] or {}).get("by") or {}).get("clusters") for row in rows)
    most = max((int(number) for number in known if number is not None), default=0)
    return f"allowed for: {plural(most, 'cluster')}" if most else ""


def _subgroups(facts: Mapping[str, Any]) -> str:
    names = dict.fromkeys(str(s["by"]) for s in facts.get("subgroups") or ())
    return f"by subgroup: {', '.join(names)}" if names else ""


def _output(facts: Mapping[str, Any]) -> str:
    if facts.get("threshold") is None:
        return ""
    return f"cases above {facts['threshold']:g} are called positive"


def _analysed(facts: Mapping[str, Any], described: str) -> str:
    cases = _sample_size(facts, described)
    return f"{cases}, {described}" if cases and described else cases


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


def _compared(facts: Mapping[str, Any]) -> str:
    tested = [d for d in facts.get("differences") or () if d.get("test")]
    uses = freedom_as_range([Use.of(Kind.TEST, d["test"], d.get("test_by")) for d in tested])
    tests = sorted({use.title for use in uses})
    return "; ".join(tests) if tests else "no models compared"


def _intervals(facts: Mapping[str, Any], methods: list[str]) -> str:
    if not methods:
        return "values without intervals"
    return f"{percent(level_of(facts))} intervals: {'; '.join(methods)}"


def _limits(facts: Mapping[str, Any]) -> str:
    codes = [str(a.get("code")) for a in facts.get("advice") or ()]
    return f"see advice {', '.join(codes)}" if codes else ""


# ----------------------------------------------------------------------------------------------
# A comparison: which model is better, and is that shown?
# ----------------------------------------------------------------------------------------------


AFTER = "Measures and chance"  # comes after the pictures of predictions


@story("comparison")
def comparison(facts: Facts, models: Models) -> Story:
    """Differences between models, within subgroups and between them."""
    described = about_outcome(models)
    main = main_difference(facts)
    first = best_first(primary_rows(facts), facts)
    tiles = [estimate_tile(row, facts) for row in first[:2]]
    if main is not None:
        p = adjusted(main)
        note = f"{main.get('test') or 'difference'}, {p_phrase(p)}" if p else "difference"
        tiles.append(Tile("Difference", signed(main["difference"]), note))
    tiles = [*_baseline_tile(facts), *tiles]
    charts = charts_of("comparison", facts)
    return Story(
        kicker="Model comparison",
        title=title_of_models(models_of(facts)),
        subtitle=subtitle_of(facts, described),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=methods(facts, described),
        results=_results(facts),
        tiles=(*tiles, *cases_tile(facts, described or origin_of(facts)))[:4],
        tables=(*_tables(facts), *estimates_tables(facts)),
        charts=(
            *(chart for chart in charts if chart.title != AFTER),
            *charts_of_models(facts, models),
            *(chart for chart in charts if chart.title == AFTER),
        ),
        checklist=_checklist_of_models(facts, described),
        measures=tuple(row["measure"] for row in key_rows(facts)),
    )


def _checklist_of_models(facts: Facts, described: str) -> Table | None:
    """What a study of prediction models should report; items are no such study."""
    asked = facts.get("estimates") and not of_items(facts)
    return checklist(facts, described) if asked else None


def _tables(facts: Facts) -> list[Table | None]:
    both = [*baseline_blocks(facts), *differences_tables(facts)]
    return [table for table in both if isinstance(table, Table)]


def _baseline_tile(facts: Facts) -> list[Tile]:
    """The verdict beside the model in use."""
    found = facts.get("baseline")
    if not found:
        return []
    margins = ", ".join(f"{row['title']} {number(row['margin'])}" for row in found["rows"][:1])
    return [Tile(f"Beside {found['model']}", found["verdict"].capitalize(), f"margin {margins}")]


def _results(facts: Facts) -> str:
    """The primary measure in full, then those that readers look for, then subgroups."""
    rows = between_models(facts) or facts.get("differences") or ()
    differences = [d for d in rows if d.get("difference") is not None]
    first = [d for d in differences if d["measure"] == facts.get("primary")]
    if main_difference(facts) is None:
        sentences = [*values_of_models(facts), *pairs_sentences(first, facts)]
    else:
        shown = [*first, *(d for d in differences if d not in first)][:MOST]
        sentences = [difference_sentence(row, facts, past=True) for row in shown]
    return " ".join([*sentences, *_differences_in_subgroups(facts)])


def _differences_in_subgroups(facts: Mapping[str, Any]) -> list[str]:
    """The primary measure within subgroups, and whether its difference differs between them."""
    rows = [
        row
        for row in within_subgroups(facts)
        if row["measure"] == facts.get("primary") and row.get("difference") is not None
    ]
    said = []
    for pair in list(dict.fromkeys((row["first"], row["second"]) for row in rows))[:MOST]:
        own = [row for row in rows if (row["first"], row["second"]) == pair]
        each = [
            f"{difference_numbers(row)} within {label(row['by'])}{_cases_of(row)}" for row in own
        ]
        what = label(the(str(own[0]["title"])).removeprefix("the "))
        first, second = (label(name) for name in pair)
        said.append(f"The difference in {what}, {first} minus {second}, was {listed(each)}.")
        said += [
            interaction_sentence(test)
            for test in facts.get("interactions") or ()
            if (test["measure"], test["first"], test["second"]) == (own[0]["measure"], *pair)
        ]
    return said


def _cases_of(row: Mapping[str, Any]) -> str:
    parts = [plural(int(row["n"]), "case")]
    if row.get("events") is not None:
        parts.append(f"{row['events']} with the event")
    return f" ({', '.join(parts)})"
