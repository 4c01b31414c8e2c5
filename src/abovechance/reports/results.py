"""What was found, as a paragraph ready for a manuscript."""

from collections.abc import Mapping, Sequence
from typing import Any

from abovechance.plots.words import as_float, between, number, plural
from abovechance.reports import detections, powers
from abovechance.reports.facts import (
    between_models,
    key_rows,
    kind_of,
    main_difference,
    models_of,
    primary_rows,
    within_subgroups,
)
from abovechance.reports.grammar import MOST, listed, the
from abovechance.reports.prose import label
from abovechance.reports.sentences import (
    begun,
    bracketed,
    difference_numbers,
    difference_sentence,
    estimate_sentence,
    interaction_sentence,
    limits,
    named,
    posterior_sentence,
    values_sentence,
)

MEASURES = 9
# What a reader of a prediction study looks for: discrimination, calls, calibration, error.
ASKED_FOR = (
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


def results(facts: Mapping[str, Any]) -> str:
    """What was found: the primary measure in full, then those that readers look for."""
    return {
        "posterior": posterior_sentence,
        "detection": detections.results,
        "power": powers.results,
        "estimates": _estimates,
    }[kind_of(facts)](facts)


def _estimates(facts: Mapping[str, Any]) -> str:
    rows = between_models(facts) or facts.get("differences") or ()
    differences = [d for d in rows if d.get("difference") is not None]
    first = [d for d in differences if d["measure"] == facts.get("primary")]
    two = main_difference(facts) is not None
    shown = [*first, *(d for d in differences if two and d not in first)][:MOST]
    sentences = [] if two else _of_models(facts)
    sentences += [difference_sentence(row, facts, past=True, values=two) for row in shown]
    return " ".join([*sentences, *_within(facts)])


def _within(facts: Mapping[str, Any]) -> list[str]:
    """The primary measure within subgroups, and whether its difference differs between them."""
    rows = [
        row
        for row in within_subgroups(facts)
        if row["measure"] == facts.get("primary") and row.get("difference") is not None
    ]
    said = []
    for pair in list(dict.fromkeys((row["first"], row["second"]) for row in rows))[:MOST]:
        own = [row for row in rows if (row["first"], row["second"]) == pair]
        each = [f"{difference_numbers(row)} within {label(row['by'])}{_size(row)}" for row in own]
        what = label(the(str(own[0]["title"])).removeprefix("the "))
        first, second = (label(name) for name in pair)
        said.append(f"The difference in {what}, {first} minus {second}, was {listed(each)}.")
        said += [
            interaction_sentence(test)
            for test in facts.get("interactions") or ()
            if (test["measure"], test["first"], test["second"]) == (own[0]["measure"], *pair)
        ]
    return said


def _size(row: Mapping[str, Any]) -> str:
    parts = [plural(int(row["n"]), "case")]
    if row.get("events") is not None:
        parts.append(f"{row['events']} with the event")
    return f" ({', '.join(parts)})"


def _of_models(facts: Mapping[str, Any]) -> list[str]:
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
            said.append(_row(sorted(known, key=_wanted)[:MEASURES], who))
    return said


def _wanted(row: Mapping[str, Any]) -> int:
    name = str(row["measure"]).removesuffix("_macro")
    return ASKED_FOR.index(name) if name in ASKED_FOR else len(ASKED_FOR)


def _row(rows: Sequence[Mapping[str, Any]], who: str) -> str:
    first, *others = rows
    title = named(first["title"]) if who else begun(first["title"])
    parts = [f"{title} was {number(first['value'])}{bracketed(limits(first['interval']))}"]
    for row in others:
        interval = row["interval"]
        inside = between(interval["low"], interval["high"]) if interval else ""
        parts.append(f"{named(row['title'])} {number(row['value'])}{bracketed(inside)}")
    return f"{who}{listed(parts)}."
