"""What is said of detections and of permutation tests of learners."""

from collections.abc import Mapping
from typing import Any

from abovechance.plots.words import as_float, number, p_phrase, plural, thousands
from abovechance.reports.facts import adjusted
from abovechance.reports.grammar import MOST, listed
from abovechance.reports.prose import cite, label
from abovechance.reports.sentences import begun, bracketed, named

ALPHA = 0.05
PERMUTED = {
    "labels": "the class labels",
    "within": "the class labels within blocks",
    "blocks": "whole blocks",
    "features": "the features",
}


def verdict(facts: Mapping[str, Any]) -> str:
    """The answer in a few words; of several measures of a learner, the first decides."""
    tests = facts["tests"]
    if _refitted(facts):
        better = as_float(tests[0]["p_value"]) < ALPHA
        return "Better than chance" if better else "Not shown to be better than chance"
    found = any(as_float(adjusted(test)) < ALPHA for test in tests)
    if _of_numbers(facts):
        return "Associated with the outcome" if found else "No association shown"
    return "The classes differ" if found else "No difference between the classes shown"


def headline(facts: Mapping[str, Any]) -> str:
    """The first tests, a sentence each."""
    return " ".join(_tested(test, past=False) for test in facts["tests"][:3])


def methods(facts: Mapping[str, Any]) -> str:
    """What was tested, on what, by which permutations."""
    tests = facts["tests"]
    names = listed([named(_title(test)) for test in tests], MOST)
    on = f" on {plural(int(facts['n']), 'case')}" if facts.get("n") else ""
    if _refitted(facts):
        said = [f"A learner was cross-validated{on} and judged by {names}."]
    elif _of_numbers(facts):
        many = plural(int(facts["features"]), "feature")
        said = [f"Association of {many} with the outcome was tested{on} by {names}."]
    else:
        classes = [label(name) for name in facts.get("classes") or ()]
        who = listed(classes, MOST) if classes else "the classes"
        where = f" in {plural(int(facts['features']), 'feature')}" if facts.get("features") else ""
        said = [f"Whether {who} differ{where} was tested{on} by {names}."]
    draws = max((int(test.get("draws") or 0) for test in tests), default=0)
    if draws:
        what = PERMUTED.get(str(facts.get("permute")), "the labels")
        if _of_numbers(facts):
            what = what.replace("the class labels", "the outcomes")
        refit = ", the learner refitted after each" if _refitted(facts) else ""
        drawn = f"{thousands(draws)} permutations of {what}{cite('phipson2010')}"
        said.append(f"P-values come from {drawn}{refit}.")
    if any(test.get("p_adjusted") is not None for test in tests):
        many = plural(len(tests), "test")
        said.append(f"They were adjusted for {many} by Holm's method{cite('holm1979')}.")
    if facts.get("hypothesis"):
        said.append(f"The null hypothesis is that {label(facts['hypothesis'])}.")
    return " ".join(said)


def results(facts: Mapping[str, Any]) -> str:
    """Every test with its p-values, and whether the hypothesis was rejected."""
    tests = facts["tests"]
    said = [_tested(test, past=True) for test in tests[: MOST + 2]]
    if facts.get("hypothesis"):
        rejecting = sum(as_float(adjusted(test)) < ALPHA for test in tests)
        how = f"was rejected by {rejecting} of {plural(len(tests), 'test')}"
        if len(tests) == 1 or not rejecting:
            how = "was rejected" if rejecting else "was not rejected"
        said.append(f"At level {ALPHA:g}, the hypothesis that {label(facts['hypothesis'])} {how}.")
    return " ".join(sentence for sentence in said if sentence)


def _tested(test: Mapping[str, Any], *, past: bool) -> str:
    if test.get("p_value") is None:
        return ""
    said = f"{begun(_title(test))} {'was' if past else 'is'} {number(test['value'])}"
    if test.get("null_mean") is not None:
        give = "gave" if past else "give"
        said += f", where permutations {give} {number(test['null_mean'])} on average"
    many = test.get("p_adjusted")
    both = "" if many is None else f"adjusted {p_phrase(many)}"
    return f"{said}{bracketed(p_phrase(test['p_value']), both)}."


def _title(test: Mapping[str, Any]) -> str:
    return str(test.get("title") or test.get("statistic") or test["measure"])


def _of_numbers(facts: Mapping[str, Any]) -> bool:
    return facts.get("kind") == "numeric"


def _refitted(facts: Mapping[str, Any]) -> bool:
    return "measure" in facts["tests"][0]
