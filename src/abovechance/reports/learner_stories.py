"""The stories of learners: how good on new cases, which features, can the folds be believed?"""

from collections.abc import Mapping
from typing import Any

from abovechance.errors import AboveChanceError
from abovechance.format import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    plural,
    signed,
    thousands,
)
from abovechance.inference.contract import level_of
from abovechance.inference.printing import (
    about_bands,
    about_intervals,
    about_shrinkage,
    correlation_differences_table,
    frequencies_table,
    goal_sizes_table,
    index_differences_table,
    learning_table,
    reliability_table,
    selectors_table,
    steps_table,
    validation_table,
)
from abovechance.inference.prose import cite, label, listed
from abovechance.inference.sentences import begun, bracketed, limits, named
from abovechance.inference.verdicts import headline, verdict
from abovechance.plots.chart import Chart
from abovechance.plots.plotting import pictures
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

# ----------------------------------------------------------------------------------------------
# A validated model, and a learning curve: how good will it be on new cases?
# ----------------------------------------------------------------------------------------------


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
        f"{cite(source) if source else ''}. All steps that are fitted were fitted anew each time."
    ]
    if facts.get("groups"):
        said.append(f"The {plural(int(facts['groups']), 'group')} of cases were kept whole.")
    if any(row.get("interval") for row in facts["validated"]):
        by = "the influence of each case on the cross-validated values, with Nadeau and Bengio's "
        by += f"correction for shared training cases{cite('nadeau2003')}"
        said.append(
            f"The {percent(level_of(facts))} intervals (CI), from {by}, are for "
            f"{facts['interval_for']}."
        )
    return " ".join(said)


def _results(facts: Mapping[str, Any]) -> str:
    """Every measure in a sentence, what has no interval, and the shrinkage factor."""
    said: list[str] = []
    known = []
    for row in facts["validated"]:
        if row.get("undefined"):
            said.append(f"{begun(row['title'])} had no corrected value: {row['undefined']}.")
            continue
        known.append(row)
    if known:
        first, *others = known
        each = [
            f"{begun(first['title'])} was {number(first['apparent'])} on the cases that the model "
            f"was fitted to and {number(first['corrected'])}"
            f"{bracketed(limits(first.get('interval')))} corrected for optimism"
        ]
        each += [f"{named(row['title'])} {_both(row)}" for row in others]
        said.insert(0, f"{'; '.join(each)}.")
    said += [text for text in about_intervals(facts) if text.startswith("No interval")]
    return " ".join([*said, *about_shrinkage(facts)])


def _both(row: Mapping[str, Any]) -> str:
    """A measure as it appears and corrected, after the first has said which is which."""
    interval = row.get("interval")
    inside = between(interval["low"], interval["high"]) if interval else ""
    return f"{number(row['apparent'])} and {number(row['corrected'])}{bracketed(inside)}"


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


# ----------------------------------------------------------------------------------------------
# Selected features, and cross-validation beside held-out cases.
# ----------------------------------------------------------------------------------------------


PANELS = 4  # measures whose paths are drawn
NAMED = 12  # features that a sentence names
BOUNDS = {
    "none": f"without assumptions{cite('meinshausen2010')}",
    "unimodal": "if the share of pairs in which both halves select a feature has one mode"
    f"{cite('shah2013')}",
    "r-concave": f"if the shares of halves and of pairs are r-concave{cite('shah2013')}",
}


@story("selection")
def selection(facts: Facts, models: Models) -> Story:
    """Features in the order of selection."""
    many = plural(int(facts["features"]), "feature")
    done = (
        f"Features were selected from {many} by greedy forward selection on "
        f"{plural(int(facts['n']), 'case')}: beginning with none, each step took the feature that "
        f"improved {named(facts['title'])} most, with {label(facts['learner'])}, judged "
        f"{label(facts['judged'])}. It ended because {label(facts['stopped'])}."
    )
    last = facts["steps"][-1]["value"] if facts["steps"] else facts["start"]
    return Story(
        kicker="Feature selection",
        title="Which features, in which order?",
        subtitle=subtitle(facts, many),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{done} {software(facts)}",
        results=headline(facts),
        tiles=(
            Tile("Selected", str(len(facts["steps"])), f"of {many}"),
            Tile(str(facts["title"]), number(last), f"{number(facts['start'])} without features"),
            *cases_tile(facts),
        ),
        tables=(steps_table(facts, title="Order of selection"),),
        charts=tuple(charts_of("selection", facts)),
        measures=(str(facts["measure"]),),
    )


@story("stability")
def stability(facts: Facts, models: Models) -> Story:
    """Features selected again and again."""
    rows = facts["selectors"]
    many = plural(int(facts["features"]), "feature")
    tiles = [
        Tile(
            str(row["title"]),
            f"{len(row['stable'])} stable",
            f"at most {number(row['bound'])} by accident; index {number(row['index'])}",
        )
        for row in rows[:PANELS]
    ]
    return Story(
        kicker="Stability of selection",
        title="Which features can be relied on?",
        subtitle=subtitle(facts, many),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{_halves(facts)} {software(facts)}",
        results=" ".join([*(_stable(row) for row in rows), *_differences(facts)]),
        tiles=(*tiles, *cases_tile(facts, many)),
        tables=(
            selectors_table(facts, title="Stability"),
            frequencies_table(facts, title="How often each feature was selected"),
            index_differences_table(facts),
        ),
        charts=(*_paths(facts), *charts_of("stability", facts)),
        measures=tuple(str(row["selector"]) for row in rows) if facts.get("learner") else (),
    )


def _paths(facts: Facts) -> list[Chart]:
    """The paths of each measure."""
    found = []
    for row in facts["selectors"][:PANELS]:
        try:
            found.append(pictures()["stability_paths"](facts, selector=row["selector"]))
        except AboveChanceError:
            continue
    return found


def _halves(facts: Facts) -> str:
    rows = facts["selectors"]
    names = listed([named(row["title"]) for row in rows])
    copied = ""
    if facts.get("copies"):
        copied = (
            f", {facts['copies']} of them permuted copies of the others, which are known to be "
            "noise,"
        )
    said = (
        f"{plural(int(facts['n']), 'case')} with {plural(int(facts['features']), 'feature')}"
        f"{copied} were cut into two halves {thousands(int(facts['pairs']))} times"
        f"{cite('shah2013')}."
    )
    if facts.get("learner"):
        said += (
            " In each half, greedy forward selection took "
            f"{plural(int(facts['selected']), 'feature')} by {names}, with "
            f"{label(facts['learner'])}, judged {label(facts['judged'])}."
        )
    else:
        said += f" In each half features were selected by {names}."
    cutoffs = listed(list(dict.fromkeys(percent(row["cutoff"]) for row in rows)))
    return (
        f"{said} Features selected in at least {cutoffs} of the halves are stable"
        f"{cite('meinshausen2010')}. The bound on false selections holds on average for features "
        "selected no more often than a choice blind to the outcome would, "
        f"{BOUNDS[str(facts['assumption'])]}. How alike selections are is the index of Nogueira, "
        f"Sechidis and Brown{cite('nogueira2018')}, with intervals by Student's t over pairs."
    )


def _stable(row: Any) -> str:
    names = listed([label(name) for name in row["stable"]], NAMED) if row["stable"] else "none"
    false = f", at most {number(row['bound'])} of them false on average" if row["stable"] else ""
    index = f"{number(row['index'])}{bracketed(limits(row.get('interval')))}"
    if row.get("undefined"):
        index = f"undefined: {row['undefined']}"
    return f"By {named(row['title'])} these were stable: {names}{false}; the index was {index}."


def _differences(facts: Facts) -> list[str]:
    """Differences that were shown, with Holm's adjustment."""
    rows = [row for row in facts.get("comparisons") or () if row.get("p_value") is not None]
    small = [row for row in rows if _p(row) <= 1 - as_float(facts["level"])]
    adjusted = f", adjusted by Holm's method{cite('holm1979')}" if len(rows) > 1 else ""
    if not rows:
        return []
    if not small:
        return [f"No difference between them was shown{adjusted}."]
    each = [
        f"{label(row['first'])} minus {label(row['second'])} {number(row['difference'])} "
        f"({p_phrase(_p(row))})"
        for row in small
    ]
    return [f"Differences shown{adjusted}: {listed(each, NAMED)}."]


def _p(row: Any) -> float:
    many = row.get("p_adjusted")
    return as_float(row["p_value"] if many is None else many)


@story("reliability")
def reliability(facts: Facts, models: Models) -> Story:
    """Cross-validated beside held-out values."""
    rows = facts["measures"]
    first = [row for row in rows if row["n"] == rows[0]["n"]]
    tiles = [
        Tile(str(row["title"]), number(row["spearman"]), _ends(row, int(row["n"])))
        for row in first[:PANELS]
    ]
    return Story(
        kicker="Reliability of cross-validation",
        title="Can the cross-validation be believed?",
        subtitle=subtitle(facts),
        verdict=verdict(facts),
        headline=headline(facts),
        methods=f"{_repeated(facts)} {software(facts)}",
        results=" ".join([*(_row(row) for row in rows), *_differences(facts)]),
        tiles=tuple(tiles),
        tables=(
            reliability_table(facts, title="Cross-validation beside held-out cases"),
            correlation_differences_table(facts),
        ),
        charts=tuple(charts_of("reliability", facts)),
        measures=tuple(dict.fromkeys(str(row["measure"]) for row in rows)),
    )


def _ends(row: Any, n: int) -> str:
    interval = row.get("interval")
    ends = f"; {between(interval['low'], interval['high'])}" if interval else ""
    return f"{n} cases{ends}"


def _repeated(facts: Facts) -> str:
    sizes = listed([str(n) for n in facts["drawn"]])
    flips = max(as_float(one) for one in facts["flips"])
    flipped = ""
    if flips:
        flipped = (
            f" Between 0 and {percent(flips)} of the labels were flipped at random in both, the "
            "same share within a repetition, so that repetitions differ in how good a model can be."
        )
    equal = " in equal numbers of each class" if facts.get("balanced") else ""
    return (
        f"From {facts['n']} cases, {sizes} were drawn{equal} to learn from and "
        f"{facts['holdout']} others were held out, {thousands(int(facts['repetitions']))} times "
        f"for each number{cite('varoquaux2017')}.{flipped} {label(facts['learner'])} was "
        f"cross-validated on the first ({label(facts['folds'])}, mean over folds) and, fitted to "
        "all of them, judged on those held out. Spearman's correlation of the two values over "
        "repetitions has intervals by the jackknife over repetitions on Fisher's z scale; "
        "differences between measures are over the same repetitions."
    )


def _row(row: Any) -> str:
    if row.get("undefined"):
        return f"{begun(row['title'])} at {row['n']} cases: {row['undefined']}."
    return (
        f"By {named(row['title'])} the correlation at {row['n']} cases was "
        f"{number(row['spearman'])}{bracketed(limits(row.get('interval')))}, the bias of "
        f"cross-validation {number(row['bias'])} and its spread {number(row['spread'])}."
    )
