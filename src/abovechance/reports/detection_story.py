"""The story of a detection and of a learner refitted under permuted outcomes."""

import math
from collections.abc import Mapping
from typing import Any

from abovechance.format import as_float, number, p_phrase, plural, thousands
from abovechance.inference.contract import adjusted
from abovechance.inference.printing import by_papers_rule, tested_p, tests_table
from abovechance.inference.prose import cite, label, listed
from abovechance.inference.sentences import begun, bracketed, named
from abovechance.inference.verdicts import ALPHA, verdict
from abovechance.reports.methods import software
from abovechance.reports.story import Facts, Models, Story, Tile, cases_tile, story, subtitle

NAMED = 12  # features beyond which a sentence says how many, and their names are in the table
PERMUTED = {
    "labels": "the class labels",
    "rows": "whole rows of features, folds kept,",
    "within": "the class labels within blocks",
    "blocks": "whole blocks",
    "features": "the features",
}


@story("detection", "permutation_test")
def detection(facts: Facts, models: Models) -> Story:
    """Statistics, or measures of a learner, against their permutations."""
    refitted = _refitted(facts)
    question = "Any association?" if _of_numbers(facts) else "Do the classes differ?"
    features = plural(int(facts["features"]), "feature") if facts.get("features") else ""
    return Story(
        kicker="Permutation test" if refitted else "Signal detection",
        title="Better than chance?" if refitted else question,
        subtitle=subtitle(facts, features, " and ".join(map(str, facts.get("classes") or ()))),
        verdict=verdict(facts),
        headline=_headline(facts),
        methods=f"{_methods(facts)} {software(facts)}",
        results=_results(facts),
        tiles=_tiles(facts),
        tables=(tests_table(facts, title="Tests"),),
    )


def _headline(facts: Mapping[str, Any]) -> str:
    """The first tests, a sentence each."""
    return " ".join(_tested(test, facts, past=False) for test in facts["tests"][:3])


def _methods(facts: Mapping[str, Any]) -> str:
    """What was tested, on what, by which permutations."""
    tests = facts["tests"]
    names = listed([named(_title(test)) for test in tests])
    on = f" on {plural(int(facts['n']), 'case')}" if facts.get("n") else ""
    if _refitted(facts):
        said = [f"A learner was cross-validated{on} and judged by {names}."]
    elif _of_numbers(facts):
        said = [f"Association of {_features(facts)} with the outcome was tested{on} by {names}."]
    else:
        classes = [label(name) for name in facts.get("classes") or ()]
        who = listed(classes) if classes else "the classes"
        where = f" in {_features(facts)}" if facts.get("features") else ""
        said = [f"Whether {who} differ{where} was tested{on} by {names}."]
    said += _permuted(facts)
    if any(test.get("p_adjusted") is not None for test in tests):
        many = plural(len(tests), "test")
        said.append(f"They were adjusted for {many} by Holm's method{cite('holm1979')}.")
    if facts.get("hypothesis"):
        said.append(f"The null hypothesis is that {label(facts['hypothesis'])}.")
    return " ".join(said)


def _results(facts: Mapping[str, Any]) -> str:
    """Every test with its p-values, and whether the hypothesis was rejected."""
    tests = facts["tests"]
    said = [_tested(test, facts, past=True) for test in tests]
    if facts.get("hypothesis"):
        level = _level(facts)
        rejecting = sum(as_float(adjusted(test)) <= level for test in tests)
        how = f"was rejected by {rejecting} of {plural(len(tests), 'test')}"
        if len(tests) == 1 or not rejecting:
            how = "was rejected" if rejecting else "was not rejected"
        said.append(f"At level {level:g}, the hypothesis that {label(facts['hypothesis'])} {how}.")
    return " ".join(sentence for sentence in said if sentence)


def _features(facts: Mapping[str, Any]) -> str:
    """How many features, and their names where they are known."""
    many = plural(int(facts["features"]), "feature")
    names = [label(name) for name in facts.get("feature_names") or ()]
    return f"{many} ({listed(names)})" if 0 < len(names) <= NAMED else many


def _permuted(facts: Mapping[str, Any]) -> list[str]:
    """How the permutations were made, when drawing stopped and how p was counted."""
    draws = max((int(test.get("draws") or 0) for test in facts["tests"]), default=0)
    if not draws:
        return []
    what = PERMUTED.get(str(facts.get("permute")), "the labels")
    if _of_numbers(facts):
        what = what.replace("the class labels", "the outcomes")
    refit = ", the learner refitted after each" if _refitted(facts) else ""
    up_to = "up to " if facts.get("stop") else ""
    drawn = f"{up_to}{thousands(draws)} permutations of {what}"
    if by_papers_rule(facts):
        said = [
            f"P-values are shares of {drawn}{refit} whose statistic is at least as large as the "
            f"observed one, by the papers' rule{cite('rosenblatt2019')}, which leaves the observed "
            "labelling out, so that p can be 0 and the size exceeds the level."
        ]
    else:
        said = [f"P-values come from {drawn}{cite('phipson2010')}{refit}."]
    if facts.get("stop"):
        said.append(
            "Drawing stopped early, for every test as soon as its p-value was known to lie on one "
            f"side of {_decided_at(facts)}, by a sequential test{cite('gandy2009')}."
        )
        open_ = [t for t in facts["tests"] if t.get("decision") is None and not t.get("undefined")]
        if open_:
            names = listed([named(_title(test)) for test in open_])
            said.append(f"Not decided when the draws ran out: {names}.")
    return said


def _tested(test: Mapping[str, Any], facts: Mapping[str, Any], *, past: bool) -> str:
    if test.get("undefined"):
        return f"{begun(_title(test))} {'was' if past else 'is'} undefined: {test['undefined']}."
    if test.get("p_value") is None:
        return ""
    said = f"{begun(_title(test))} {'was' if past else 'is'} {number(test['value'])}"
    if test.get("null_mean") is not None:
        give = "gave" if past else "give"
        said += f", where permutations {give} {number(test['null_mean'])} on average"
    own, many = p_phrase(test["p_value"]), test.get("p_adjusted")
    both = "" if many is None else f"adjusted {p_phrase(many)}"
    if by_papers_rule(facts):
        own = f"p = {tested_p(test, facts).text} draws"
        both = "" if many is None else f"adjusted p = {as_float(many):.3g}"
    return f"{said}{bracketed(own, both)}."


def _level(facts: Mapping[str, Any]) -> float:
    """The level of a sequential test, otherwise the usual one."""
    return as_float(facts["level"]) if facts.get("stop") else ALPHA


def _decided_at(facts: Mapping[str, Any]) -> str:
    """The level at which each test was decided; results saved by older versions do not say."""
    level = _level(facts)
    part = as_float(facts.get("decided_at") or level)
    if part == level:
        return f"{level:g}"
    return f"{part:.3g} ({level:g} divided by {plural(len(facts['tests']), 'test')})"


def _title(test: Mapping[str, Any]) -> str:
    return str(test.get("title") or test.get("statistic") or test["measure"])


def _of_numbers(facts: Mapping[str, Any]) -> bool:
    # Results of older versions say it as their kind.
    return "numeric" in (facts.get("outcome"), facts.get("kind"))


def _refitted(facts: Mapping[str, Any]) -> bool:
    return "measure" in facts["tests"][0]


def _tiles(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    """The most telling tests by their p-values, and the cases; what is undefined tells nothing."""
    tests = [test for test in facts["tests"] if not math.isnan(as_float(test.get("p_value")))]
    found = []
    for test in sorted(tests, key=lambda t: as_float(t["p_value"]))[:3]:
        many, note = test.get("p_adjusted"), number(test["value"])
        if many is not None:
            counted = f"p = {as_float(many):.3g}"
            note += f"; adjusted {counted if by_papers_rule(facts) else p_phrase(many)}"
        name = str(test.get("title") or test.get("statistic") or test["measure"])
        found.append(Tile(f"p, {name}", tested_p(test, facts).text, note))
    note = f"{facts['features']} features" if facts.get("features") else ""
    return (*found, *cases_tile(facts, note))
