"""What was done, as a paragraph ready for a manuscript."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from abovechance.format import percent, plural, thousands
from abovechance.inference.contract import (
    UNSTATED,
    between_models,
    between_subgroups,
    key_rows,
    level_of,
    model_words,
    models_of,
    of_items,
    overall_rows,
    primary_rows,
    size_words,
    within_subgroups,
)
from abovechance.inference.method import Kind, Use, freedom_as_range
from abovechance.inference.prose import cite, label, listed, lower
from abovechance.inference.sentences import hypothesis_words, interval_words, named, words_of_test
from abovechance.inference.shares import chance_words
from abovechance.reports.citations import of_measure

ADJUSTED = {
    "holm": ("Holm's method", "holm1979"),
    "bh": ("Benjamini and Hochberg's method", "benjamini1995"),
}


def methods(facts: Mapping[str, Any], described: str = "", *more: str) -> str:
    """What was done to values and differences: data, measures, intervals, tests, draws and seed.

    `described` says how the outcomes are distributed, where that is known; `more` are sentences
    on what else was done.
    """
    rows = key_rows(facts)
    sentences = [_data(facts, described), _primary(facts), _intervals(rows, facts)]
    sentences += [*_tests(rows), *_skill(rows), *_folds(rows, facts)]
    sentences += [*_compared(facts), *more]
    done = " ".join(sentence for sentence in sentences if sentence)
    return f"{done} {software(facts)}"


def _data(facts: Mapping[str, Any], described: str) -> str:
    if facts.get("n") is None:
        return ""
    models, origin = models_of(facts), model_words(facts)
    who = "Scores" if of_items(facts) else "Predictions"
    if len(models) > 1:
        names = listed([label(model) for model in models])
        who += f" of {plural(len(models), 'model')} ({names})"
    said = f"{who} for {size_words(facts)}{f' ({label(described)})' if described else ''}"
    said += "" if of_items(facts) else f" with {_a(facts.get('outcome'))}"
    said += f", from {label(origin)}," if origin else ""
    said += " were evaluated"
    if origin == UNSTATED:
        said += " as if none of these cases had been used to make the model"
    if facts.get("dropped"):
        were = "was" if int(facts["dropped"]) == 1 else "were"
        said += f"; {plural(int(facts['dropped']), 'case')} with missing values {were} left out"
    if facts.get("threshold") is not None:
        said += f". Cases above a threshold of {facts['threshold']:g} were called positive"
    return f"{said}."


def _a(outcome: Any) -> str:
    return {
        "binary": "a binary outcome",
        "multiclass": "a categorical outcome",
        "numeric": "a numeric outcome",
        "survival": "a possibly censored time to an event",
    }.get(str(outcome), "an outcome")


def _primary(facts: Mapping[str, Any]) -> str:
    rows = primary_rows(facts)
    if not rows or not facts.get("primary"):
        return ""
    sources = of_measure(str(rows[0]["measure"]))
    which = f"{named(rows[0]['title'])}{cite(*sources[:1])}"
    if len({row["measure"] for row in overall_rows(facts)}) == 1:
        return f"The measure was {which}."
    return f"The primary measure was {which}; the others are descriptive."


def _intervals(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    found = [row for row in rows if row["interval"]]
    if not found:
        return ""
    return f"The {percent(level_of(facts))} intervals (CI) were obtained by {_by_method(found)}."


def _tests(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How values were tested: against chance, and of calibration against being right."""
    tested = [row for row in rows if row["test"]]
    others = [row for row in tested if row["family"] != "calibration"]
    calibrated = [row for row in tested if row["family"] == "calibration"]
    sides = {row["alternative"] for row in others}
    sided = "one-sided, " if sides == {"greater"} else ""
    found = []
    if others:
        level = chance_words(
            {str(row["title"]): row.get("hypothesis") for row in others},
            "the mean of a measure when outcomes are shuffled among the cases",
        )
        found.append(
            f"Chance is {level}. Tests against it were {sided}by {'; '.join(_test_parts(others))}."
        )
    if calibrated:
        found.append(f"Calibration was tested by {'; '.join(_test_parts(calibrated))}.")
    return found


def _test_parts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Tests with the measures they were used for, those of one hypothesis together."""
    uses = freedom_as_range([Use.of(Kind.TEST, row["test"], row.get("test_by")) for row in rows])
    parts: dict[str, dict[str, list[str]]] = {}
    for row, use in zip(rows, uses, strict=True):
        drawn = row.get("draws") and "exact" not in use.known
        draws = f" with {thousands(row['draws'])} draws" if drawn else ""
        hypothesis = hypothesis_words(row.get("hypothesis") or "no difference")
        said = f"{label(use.words)}{draws}{cite(*use.sources)}"
        parts.setdefault(hypothesis, {}).setdefault(said, []).append(_title(row))
    found = []
    for hypothesis, tests in parts.items():
        named = [f"{test} for {_titles(titles)}" for test, titles in tests.items()]
        found.append(f"{', '.join(named)} (null hypothesis: {label(hypothesis)})")
    return found


def _skill(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    tests: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        skill = row["skill"] or {}
        if skill.get("p_value") is not None and skill.get("test"):
            words = words_of_test(skill["test"], skill.get("test_by"))
            key = words, hypothesis_words(skill.get("hypothesis") or "no gain")
            tests.setdefault(key, []).append(_title(row))
    parts = [
        f"{label(test)} for {_titles(titles)} (null hypothesis: {label(hypothesis)})"
        for (test, hypothesis), titles in tests.items()
    ]
    said = "Skill is the gain over the best prediction that is the same for every case"
    return [f"{said}, tested one-sided by {'; '.join(parts)}."] if parts else []


def _folds(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> list[str]:
    if not rows or str(facts.get("origin")) not in ("cv", "repeated_cv"):
        return []
    why = "Because predictions of different folds depend on each other, no p-value is given"
    return [f"{why}{cite('bengio2004')}."] if all(row["p_value"] is None for row in rows) else []


def _compared(facts: Mapping[str, Any]) -> list[str]:
    """How models were compared, also within subgroups; and subgroups with each other."""
    whole, within, between = (
        between_models(facts),
        within_subgroups(facts),
        between_subgroups(facts),
    )
    found = _differences(whole, facts, "Models were compared")
    if within:
        found += _within(within, facts)
    what = "Subgroups were compared"
    if whole:
        what = "Each model was also compared between subgroups,"
    return found + _differences(between, facts, what)


def _within(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> list[str]:
    names = listed([label(name) for name in dict.fromkeys(str(row["by"]) for row in rows)])
    said = f"Models were also compared within subgroups ({names}) by the same methods"
    method, source = ADJUSTED.get(str(facts.get("adjust")), ("", ""))
    if method:
        said += f", with p-values adjusted over subgroups by {method}{cite(source)}"
    found = [f"{said}."]
    tested = [t for t in facts.get("interactions") or () if t.get("p_value") is not None]
    if tested:
        found.append(
            "Whether the difference differs between subgroups was tested by Welch's F on the "
            "differences, with standard errors from their intervals (null hypothesis: "
            f"{label(tested[0]['hypothesis'])})."
        )
    return found


def _differences(
    rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any], what: str
) -> list[str]:
    if not rows:
        return []
    paired = all(row.get("paired", True) for row in rows)
    cases = f"{'the same' if paired else 'different'} {'items' if of_items(facts) else 'cases'}"
    sides = {row.get("alternative") for row in rows if row.get("test")}
    sided = "two-sided, " if sides == {"two-sided"} else "one-sided, " if len(sides) == 1 else ""
    tested = [row for row in rows if row.get("test")]
    found = []
    if tested:
        found.append(f"{what} on {cases}, {sided}by {'; '.join(_test_parts(tested))}.")
    inside = [row for row in rows if row.get("interval")]
    if inside:
        level = percent(inside[0]["interval"]["level"])
        found.append(
            f"The {level} intervals (CI) of differences were obtained by {_by_method(inside)}."
        )
    method, source = ADJUSTED.get(str(facts.get("adjust")), ("", ""))
    if method and any(row.get("p_adjusted") not in (None, row.get("p_value")) for row in rows):
        found.append(f"P-values of all pairs were adjusted by {method}{cite(source)}.")
    return found


def _by_method(rows: Sequence[Mapping[str, Any]]) -> str:
    """Methods of intervals with their sources, each with the measures it was used for."""
    uses = freedom_as_range([Use.of_interval(row["interval"]) for row in rows])
    groups: dict[str, list[str]] = {}
    for row, use in zip(rows, uses, strict=True):
        groups.setdefault(f"{label(use.words)}{cite(*use.sources)}", []).append(_title(row))
    return "; ".join(f"{said} for {_titles(titles)}" for said, titles in groups.items())


def _title(row: Mapping[str, Any]) -> str:
    return str(row.get("title") or row["measure"])


def _titles(titles: Sequence[str]) -> str:
    return listed([label(lower(title)) for title in dict.fromkeys(titles)])


def of_posterior(facts: Mapping[str, Any]) -> str:
    """How a posterior was computed."""
    return (
        f"The posterior of {label(facts['quantity'])} was computed from the confusion counts of "
        f"{plural(int(facts['n']), 'case')}{cite('brodersen2010')}, with the prior "
        f"{label(facts.get('prior') or 'flat')}; the interval is "
        f"{label(interval_words(facts['interval']))}."
    )


def software(facts: Mapping[str, Any]) -> str:
    """What computed the numbers, and the seed."""
    version = facts.get("abovechance")
    said = "Computed with abovechance" + (f" {label(version)}" if version else "")
    return f"{said}, seed {facts['seed']}." if facts.get("seed") is not None else f"{said}."
