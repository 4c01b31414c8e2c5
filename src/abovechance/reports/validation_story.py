"""The story of a validated model and of a learning curve: how good will it be on new cases?"""

from collections.abc import Mapping
from typing import Any

from abovechance.format import as_float, number, percent, plural, signed, thousands
from abovechance.inference.contract import level_of
from abovechance.inference.printing import (
    about_bands,
    about_intervals,
    about_shrinkage,
    goal_sizes_table,
    learning_table,
    validation_table,
)
from abovechance.inference.prose import cite, label, listed
from abovechance.inference.sentences import begun, bracketed, limits
from abovechance.inference.verdicts import headline, verdict
from abovechance.reports.methods import software
from abovechance.reports.story import (
    Facts,
    Models,
    Story,
    Tile,
    cases_tile,
    charts_of,
    story,
    subtitle,
)

DONE = {
    "optimism": "optimism, the mean by which models of {draws} bootstrap samples did better on "
    "their own sample than on all cases, was taken from the apparent value",
    ".632": "values of the cases that {draws} bootstrap samples left out were mixed with the "
    "apparent value, 0.632 to 0.368",
    ".632+": "values of the cases that {draws} bootstrap samples left out were mixed with the "
    "apparent value, by weights that grow with overfitting",
    "cv": "models were cross-validated in {folds} folds",
    "repeated_cv": "models were cross-validated in {folds} folds, {draws} times over",
    "bootstrap_cv": "each of {draws} bootstrap samples was cross-validated in {folds} folds",
}
SOURCES = {
    "optimism": "harrell1996",
    ".632": "efron1997",
    ".632+": "efron1997",
    "cv": "",
    "repeated_cv": "",
    "bootstrap_cv": "fu2005",
}
TILES = 3


@story("validation")
def validation(facts: Facts, models: Models) -> Story:
    """Apparent and corrected values of a model."""
    return Story(
        kicker="Internal validation",
        title="How good will it be on the next cases?",
        subtitle=subtitle(facts, plural(int(facts["features"]), "feature")),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{_methods(facts)} {software(facts)}",
        results=_results(facts),
        tiles=_tiles(facts),
        tables=(validation_table(facts, title="Measures"),),
        charts=tuple(charts_of("validation", facts)),
        measures=tuple(str(row["measure"]) for row in facts["validated"]),
    )


def _methods(facts: Mapping[str, Any]) -> str:
    """What was fitted, to which parts, and how values were corrected."""
    how = DONE[str(facts["method"])].format(
        draws=thousands(facts["draws"]), folds=facts.get("folds")
    )
    source = SOURCES[str(facts["method"])]
    said = [
        f"{label(facts['estimator'])} was trained on {plural(int(facts['n']), 'case')} with "
        f"{plural(int(facts['features']), 'feature')} and validated internally: {how}"
        f"{cite(source) if source else ''}. Everything that is fitted was fitted again to every "
        "part of the cases."
    ]
    if facts.get("groups"):
        said.append(f"The {plural(int(facts['groups']), 'group')} of cases were kept whole.")
    if any(row.get("interval") for row in facts["validated"]):
        by = "how much each case moves the cross-validated values, with the Nadeau–Bengio "
        by += f"correction{cite('nadeau2003')}"
        said.append(
            f"The {percent(level_of(facts))} intervals (CI), by {by}, are for "
            f"{facts['interval_for']}."
        )
    return " ".join(said)


def _results(facts: Mapping[str, Any]) -> str:
    """Every measure in a sentence, what has no interval, and the shrinkage factor."""
    said = []
    for row in facts["validated"]:
        if row.get("undefined"):
            said.append(f"{begun(row['title'])} had no corrected value: {row['undefined']}.")
            continue
        said.append(
            f"{begun(row['title'])} was {number(row['corrected'])} after correction"
            f"{bracketed(limits(row.get('interval')))}, {number(row['apparent'])} as it appeared."
        )
    said += [text for text in about_intervals(facts) if text.startswith("No interval")]
    return " ".join([*said, *about_shrinkage(facts)])


def _tiles(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    """The first measures, corrected, beside what they appear to be."""
    found = [
        Tile(
            str(row["title"]),
            number(row["corrected"]),
            f"apparent {number(row['apparent'])}, optimism {signed(row['optimism'])}",
        )
        for row in facts["validated"]
        if not row.get("undefined")
    ]
    return (*found[:TILES], *cases_tile(facts, plural(int(facts["features"]), "feature")))


@story("learning_curve")
def learning_curve(facts: Facts, models: Models) -> Story:
    """A learner along training sizes."""
    return Story(
        kicker="Learning curve",
        title="Would more cases make it better?",
        subtitle=subtitle(facts, plural(int(facts["features"]), "feature")),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{_grown(facts)} {software(facts)}",
        results=_along(facts),
        tiles=_sizes(facts),
        tables=(
            goal_sizes_table(facts),
            *(learning_table(facts, curve) for curve in facts["curves"]),
        ),
        charts=tuple(charts_of("learning_curve", facts)),
        measures=tuple(str(curve["measure"]) for curve in facts["curves"]),
    )


def _grown(facts: Mapping[str, Any]) -> str:
    sizes = [round(as_float(point["size"])) for point in facts["curves"][0]["points"]]
    said = [
        f"{label(facts['estimator'])} was trained on growing parts of "
        f"{plural(int(facts['n']), 'case')} ({listed([thousands(n) for n in sizes], 12)}) and "
        f"judged on cases outside them, in {facts['folds']} folds, "
        f"{plural(int(facts['draws']), 'time')} over."
    ]
    if any(curve.get("continued") for curve in facts["curves"]):
        said.append(
            f"Curves were continued by an inverse power law{cite('figueroa2012')}; their limits "
            "join the uncertainty of the curve's shape and that of its level."
        )
    said += [text for text in about_bands(facts) if text.startswith("Intervals")]
    return " ".join(said)


def _along(facts: Mapping[str, Any]) -> str:
    """Where each curve begins and ends, and at which sizes goals would be met."""
    said = []
    for curve in facts["curves"]:
        first, last = curve["points"][0], curve["points"][-1]
        few, many = (plural(round(as_float(p["size"])), "case") for p in (first, last))
        said.append(
            f"{begun(curve['title'])} went from {number(first['value'])} after {few} to "
            f"{number(last['value'])} after {many}{bracketed(limits(last.get('interval')))}."
        )
        for goal in curve.get("goals") or ():
            said.append(_met(goal))
    return " ".join(said)


def _met(goal: Mapping[str, Any]) -> str:
    if goal.get("size") is None:
        return f"The goal {label(goal['goal'])} would not be met by any number of cases."
    upper = "no limit" if goal.get("high") is None else thousands(goal["high"])
    within = "" if goal.get("low") is None else f" (limits {thousands(goal['low'])} to {upper})"
    cases = plural(int(goal["size"]), "case")
    return f"The goal {label(goal['goal'])} would be met after {cases}{within}."


def _sizes(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    found = [
        Tile(
            str(curve["title"]),
            number(curve["points"][-1]["value"]),
            f"after {plural(round(as_float(curve['points'][-1]['size'])), 'case')}",
        )
        for curve in facts["curves"][:TILES]
    ]
    return (*found, *cases_tile(facts, plural(int(facts["features"]), "feature")))
