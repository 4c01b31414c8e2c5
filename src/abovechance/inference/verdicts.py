"""The answer of a result in a few words, and in a sentence: what is printed and reported first."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from abovechance.format import as_float, between, number, p_phrase, percent, plural, thousands
from abovechance.inference.contract import (
    adjusted,
    alpha_of,
    beats_chance,
    best_first,
    better_of,
    between_models,
    has_skill,
    higher_is_better,
    is_shown,
    kind_of,
    main_difference,
    of_calibration,
    primary_rows,
)
from abovechance.inference.prose import as_text, label, listed
from abovechance.inference.sentences import (
    begun,
    bracketed,
    difference_sentence,
    estimate_sentence,
    limits,
    named,
    values_sentence,
)

Facts: TypeAlias = Mapping[str, Any]
ALPHA = 0.05
TARGET = 0.8  # the power that is usually wanted
MOST_NAMES = 8  # features or measures that a sentence names
_VERDICTS: dict[str, Callable[[Facts], str]] = {}
_HEADLINES: dict[str, Callable[[Facts], str]] = {}


def _of(
    collected: dict[str, Callable[[Facts], str]], *kinds: str
) -> Callable[[Callable[[Facts], str]], Callable[[Facts], str]]:
    """Declare the words of results of some kinds."""

    def collect(function: Callable[[Facts], str]) -> Callable[[Facts], str]:
        collected.update(dict.fromkeys(kinds, function))
        return function

    return collect


def verdict(facts: Facts) -> str:
    """The answer in a few words; "" of a result that answers no such question.

    >>> row = {"measure": "auc", "value": 0.8, "chance": 0.5, "p_value": 0.001}
    >>> verdict({"estimates": [row]}), verdict({"estimates": [{**row, "p_value": 0.3}]})
    ('Better than chance', 'Not shown to be better than chance')
    """
    said = _VERDICTS.get(kind_of(facts))
    return said(facts) if said else ""


def headline(facts: Facts) -> str:
    """The answer in a sentence or two, as `prose` renders it.

    >>> row = {"measure": "auc", "title": "Area under the ROC curve", "value": 0.8, "chance": 0.5}
    >>> as_text(headline({"estimates": [row]}), {})
    'The area under the ROC curve is 0.800, where chance would give 0.500.'
    """
    said = _HEADLINES.get(kind_of(facts))
    return said(facts) if said else ""


def answer(facts: Facts) -> str:
    """Verdict and headline as plain text, for the first lines of a screen.

    >>> answer({"kind": "curve"})
    ''
    """
    words = verdict(facts)
    return f"{words}. {as_text(headline(facts), {})}".strip() if words else ""


@_of(_VERDICTS, "assessment")
def _assessed(facts: Facts) -> str:
    if facts.get("goals"):
        return goals_sentence(facts["goals"]).removesuffix(".")
    rows = primary_rows(facts)
    if len(rows) == 1:
        return _against_chance(rows[0], facts)
    return "Several models, side by side" if rows else "Result"


@_of(_HEADLINES, "assessment")
def _values(facts: Facts) -> str:
    rows = best_first(primary_rows(facts), facts)
    if len(rows) > 1 and all(row["p_value"] is None for row in rows):
        return values_sentence(rows)
    return " ".join(estimate_sentence(row, facts, of_model=len(rows) > 1) for row in rows)


@_of(_HEADLINES, "comparison")
def _difference(facts: Facts) -> str:
    main = main_difference(facts)
    if main is not None:
        return difference_sentence(main, facts)
    return " ".join(part for part in (_values(facts), _of_the_first(facts)) if part)


def _of_the_first(facts: Facts) -> str:
    """What tells the first of several models from those that it is better than."""
    places = [p for p in facts.get("ranking") or () if p["measure"] == facts.get("primary")]
    if len(places) < 2:
        return ""
    first = str(min(places, key=lambda p: int(p["rank"]))["model"])
    than = [
        row
        for row in between_models(facts)
        if row["measure"] == facts.get("primary")
        and first in (row["first"], row["second"])
        and is_shown(row, facts)
        and better_of(row) == first
    ]
    known = [as_float(adjusted(row)) for row in than if adjusted(row) is not None]
    if not known:
        return ""
    names = [row["second"] if row["first"] == first else row["first"] for row in than]
    every = len(than) == len(places) - 1 > 2
    who = "each of the others" if every else listed([label(name) for name in names], MOST_NAMES)
    at_most = p_phrase(max(known)).replace("p = ", "p at most ")
    word = "adjusted " if any(row.get("p_adjusted") is not None for row in than) else ""
    return f"{label(first)} is shown to be better than {who} ({word}{at_most})."


def _against_chance(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    if as_float(row["value"]) != as_float(row["value"]):
        return "No value"
    if row["p_value"] is None:
        return _untested(row)
    alpha = alpha_of(facts)
    if of_calibration(row):  # its p is small where probabilities are wrong
        wrong = as_float(row["p_value"]) <= alpha
        return "Probabilities are not right" if wrong else "Probabilities not shown to be wrong"
    skilled = has_skill(row, alpha)
    if as_float(row["p_value"]) > alpha or beats_chance(row) is False:
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


@_of(_VERDICTS, "comparison")
def _of_models(facts: Facts) -> str:
    if facts.get("baseline"):
        return baseline_sentence(facts["baseline"]).removesuffix(".")
    main = main_difference(facts)
    return _ranked(facts) if main is None else _compared(main, facts)


def _ranked(facts: Mapping[str, Any]) -> str:
    """Which of several models is first, and whether that is more than chance."""
    places = [p for p in facts.get("ranking") or () if p["measure"] == facts.get("primary")]
    if len(places) < 2:
        return "Several models, side by side"
    first, *others = sorted(places, key=lambda p: int(p["rank"]))
    near = [str(p["model"]) for p in others if set(p["letters"]) & set(first["letters"])]
    if near:
        return f"{first['model']} ranks first, not told apart from {', '.join(near)}"
    return f"{first['model']} is better than each of the other {len(others)}"


def _compared(difference: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    margin = difference.get("margin")
    if margin:
        return _by_margin(difference, margin)
    if difference.get("identical"):
        return f"{difference['first']} and {difference['second']} predict the same"
    if adjusted(difference) is None and not difference.get("interval"):
        return "Difference without a test"
    if not is_shown(difference, facts):
        return "No difference shown"
    better = better_of(difference)
    if better is None:
        return f"{difference['first']} and {difference['second']} differ"
    if difference.get("model"):
        return f"{difference['model']} is better for {better}"
    return f"{better} is better"


def _by_margin(difference: Mapping[str, Any], margin: Mapping[str, Any]) -> str:
    first, second = difference["first"], difference["second"]
    if margin["equivalent"]:
        return f"{first} and {second} are equivalent within {number(margin['margin'])}"
    if margin["noninferior"]:
        return f"{first} is not worse than {second} by more than {number(margin['margin'])}"
    return f"Not shown: {first} no worse than {second} by more than {number(margin['margin'])}"


@_of(_VERDICTS, "subject_map", "subject_maps")
def _mapped(facts: Facts) -> str:
    many = len(facts.get("maps") or (facts,))
    return f"{plural(many, 'map')} with null maps, to be combined over subjects"


@_of(_VERDICTS, "detection", "permutation_test")
def _detected(facts: Facts) -> str:
    """Of several measures of a learner, the first decides."""
    tests = facts["tests"]
    if "measure" in tests[0]:
        better = as_float(tests[0]["p_value"]) <= ALPHA
        return "Better than chance" if better else "Not shown to be better than chance"
    level = as_float(facts["level"]) if facts.get("stop") else ALPHA
    found = any(as_float(adjusted(test)) <= level for test in tests)
    if "numeric" in (facts.get("outcome"), facts.get("kind")):  # older results: as their kind
        return "Associated with the outcome" if found else "No association shown"
    return "The classes differ" if found else "No difference between the classes shown"


@_of(_VERDICTS, "power", "sample_size")
def _enough(facts: Facts) -> str:
    target = as_float(facts.get("target") or TARGET)
    for_power = f"for a power of {percent(target)}"
    if facts.get("sizes"):
        found = [int(size["n"]) for size in facts["sizes"] if size.get("n") is not None]
        if not found:
            return f"More than {thousands(facts['largest'])} cases are needed {for_power}"
        return f"{plural(min(found), 'case')} {for_power}"
    cells = [cell for cell in facts["cells"] if cell.get("power") is not None]
    varied = len({cell.get("effect") for cell in facts["cells"]}) > 1
    if varied or any(cell.get("n") is None for cell in facts["cells"]):
        return "Power by effect and number of cases"
    reached = [int(cell["n"]) for cell in cells if as_float(cell["power"]) >= target]
    if not reached:
        return f"No test reaches a power of {percent(target)}"
    if len({int(cell["n"]) for cell in facts["cells"]}) == 1:
        return f"{plural(min(reached), 'case')} are enough {for_power}"
    return f"{plural(min(reached), 'case')}, of the sizes tried, {for_power}"


@_of(_VERDICTS, "validation")
def _expected(facts: Facts) -> str:
    row = facts["validated"][0]
    if row.get("undefined"):
        return "No corrected value"
    return f"{row['title']} of {number(row['corrected'])} expected on new cases"


@_of(_HEADLINES, "validation")
def _appearing(facts: Facts) -> str:
    row = facts["validated"][0]
    if row.get("undefined"):
        return f"{begun(row['title'])} is {row['undefined']}."
    said = f"{begun(row['title'])} is {number(row['apparent'])} on the cases that the model was "
    said += (
        f"fitted to, {number(row['corrected'])}{bracketed(limits(row.get('interval')))} corrected"
    )
    if not row.get("interval"):
        return f"{said} for optimism."
    return f"{said} for optimism. The interval is for {facts['interval_for']}."


@_of(_VERDICTS, "learning_curve")
def _learned(facts: Facts) -> str:
    curve = facts["curves"][0]
    last = curve["points"][-1]
    return (
        f"{curve['title']} of {number(last['value'])} after training on "
        f"{plural(round(as_float(last['size'])), 'case')}"
    )


@_of(_HEADLINES, "learning_curve")
def _going_on(facts: Facts) -> str:
    curve = facts["curves"][0]
    ahead = curve.get("continued") or ()
    if not ahead:
        return ""
    far = ahead[-1]
    within = "" if far.get("low") is None else f" ({between(far['low'], far['high'])})"
    return (
        f"Continued by an inverse power law, {thousands(round(as_float(far['size'])))} cases would "
        f"give about {number(far['value'])}{within}."
    )


# Features selected, and cross-validation that is to be believed.


@_of(_VERDICTS, "selection")
def _selected(facts: Facts) -> str:
    found, many = len(facts["steps"]), plural(int(facts["features"]), "feature")
    return f"{found} of {many} selected" if found else f"None of {many} selected"


@_of(_HEADLINES, "selection")
def _improved(facts: Facts) -> str:
    title = named(facts["title"])
    if not facts["steps"]:
        return f"No feature improves {title}, {number(facts['start'])} without any."
    names = listed([label(step["feature"]) for step in facts["steps"]], MOST_NAMES)
    last = number(facts["steps"][-1]["value"])
    said = f"In this order: {names}."
    return f"{said} {begun(facts['title'])} goes from {number(facts['start'])} to {last}."


@_of(_VERDICTS, "stability")
def _relied_on(facts: Facts) -> str:
    first = facts["selectors"][0]
    found, many = len(first["stable"]), plural(int(facts["features"]), "feature")
    by = f" by {as_text(named(first['title']), {})}" if len(facts["selectors"]) > 1 else ""
    are = "are" if found > 1 else "is"
    return f"{found or 'None'} of {many} {are} stable{by}"


@_of(_HEADLINES, "stability")
def _stable(facts: Facts) -> str:
    first = facts["selectors"][0]
    if not first["stable"]:
        return f"No feature was selected in at least {percent(first['cutoff'])} of the halves."
    names = listed([label(name) for name in first["stable"]], MOST_NAMES)
    bound = number(first["bound"])
    return (
        f"Selected in at least {percent(first['cutoff'])} of the halves: {names}; on average at "
        f"most {bound} of them would be there by accident."
    )


@_of(_VERDICTS, "reliability")
def _believed(facts: Facts) -> str:
    rows = [row for row in facts["measures"] if row["n"] == facts["measures"][0]["n"]]
    known = [row for row in rows if as_float(row["spearman"]) == as_float(row["spearman"])]
    if not known:
        return "No correlation to be computed"
    best = max(known, key=lambda row: as_float(row["spearman"]))
    value = number(best["spearman"])
    title = as_text(named(best["title"]), {})
    return f"Spearman's correlation at most {value}, by {title}, at {best['n']} cases"


@_of(_HEADLINES, "reliability")
def _went_together(facts: Facts) -> str:
    rows = [row for row in facts["measures"] if row["n"] == facts["measures"][0]["n"]]
    each = [f"{number(row['spearman'])} by {named(row['title'])}" for row in rows]
    return (
        f"Cross-validated and held-out values of {facts['measures'][0]['n']} cases have a rank "
        f"correlation of {listed(each, MOST_NAMES)}."
    )


@_of(_VERDICTS, "group_maps")
def _somewhere(facts: Facts) -> str:
    chosen = next(row for row in facts["controls"] if row["chosen"])
    many = thousands(facts["centres"])
    if not chosen["rejected"]:
        return f"No signal shown at any of {many} centres"
    return f"Signal at {thousands(chosen['rejected'])} of {many} centres"


@_of(_HEADLINES, "group_maps")
def _strongest(facts: Facts) -> str:
    """The highest peak, and what a rejection says."""
    if not facts["peaks"]:
        return ""
    peak = facts["peaks"][0]
    of_all = " allowing for all centres" if facts.get("share") is None else ""
    said = (
        f"The strongest is {place_words(peak, facts['geometry'])}: {peak_words(peak)}, "
        f"{p_phrase(peak['p_maximum'])}{of_all}."
    )
    return f"{said} A rejection says that {facts['conclusion']}." if peak["rejected"] else said


def place_words(peak: Facts, geometry: Facts) -> str:
    """Where a centre lies, as a sentence says it.

    >>> place_words({"at": [12.0, -3.5, 40.0]}, {"axes": ["x", "y", "z"], "unit": "mm"})
    'at x = 12, y = −3.5, z = 40 mm'
    """
    name = f"in {peak['name']}, " if peak.get("name") else ""
    pairs = zip(geometry["axes"], peak["at"], strict=True)
    said = ", ".join(f"{axis} = {at:g}".replace("-", "−") for axis, at in pairs)
    return f"{name}at {said} {geometry['unit']}".rstrip()


def peak_words(peak: Facts) -> str:
    """How high a peak is, in the units of its statistic and in standard deviations.

    >>> peak_words({"statistic": 0.61, "z": 4.2})
    'mean 0.610, z = 4.20'
    """
    if peak.get("z") is None:
        return f"smallest value over subjects {number(peak['statistic'])}"
    return f"mean {number(peak['statistic'])}, z = {as_float(peak['z']):.2f}"


# What was stated beforehand: goals, and a margin beside the model in use.


VERDICTS = {
    "met": "met",
    "not met": "not met",
    "undecided": "undecided: these cases do not tell",
}


def goals_sentence(goals: Facts) -> str:
    """The verdict on all goals in a sentence.

    >>> goals_sentence({"verdict": "met", "rule": "all", "goals": [{}, {}]})
    'All 2 goals are met.'
    """
    many, verdict, rule = len(goals["goals"]), goals["verdict"], goals.get("rule")
    if many == 1:
        return f"The goal is {VERDICTS[verdict]}."
    if verdict == "undecided":
        needed = "any goal is" if rule == "any" else "all goals are"
        return f"Undecided: these cases do not tell whether {needed} met."
    if verdict == "met":
        return f"All {many} goals are met." if rule == "all" else "At least one goal is met."
    return "The goals are not met." if rule == "all" else f"None of the {many} goals is met."


def baseline_sentence(found: Facts) -> str:
    """The verdict beside the model in use, in a sentence.

    >>> baseline_sentence({"model": "old", "verdict": "worse", "rows": [{"model": "new"}]})
    'new is worse than old.'
    """
    names = list(dict.fromkeys(str(row["model"]) for row in found["rows"]))
    who = names[0] if len(names) == 1 else "One of the models"
    if found["verdict"] == "worse":
        return f"{who} is worse than {found['model']}."
    if found["verdict"] == "no worse":
        who = names[0] if len(names) == 1 else "Every model"
        return f"{who} is no worse than {found['model']} by more than the margin."
    who = names[0] if len(names) == 1 else "every model"
    return f"Undecided: these cases do not tell whether {who} is as good as {found['model']}."
