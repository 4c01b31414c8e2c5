"""Methods and results, as paragraphs ready for a manuscript."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from abovechance.plots.words import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    plural,
    signed,
    thousands,
)
from abovechance.reports.citations import of_measure, of_method
from abovechance.reports.facts import key_rows, level_of, model_words, models_of, primary_rows
from abovechance.reports.headline import estimate_sentence, headline
from abovechance.reports.prose import cite, label

MOST = 6


def methods(facts: Mapping[str, Any]) -> str:
    """What was done: data, measures, intervals, tests, draws and seed."""
    if facts.get("quantity"):
        return _posterior(facts)
    if facts.get("tests"):
        return _detection(facts)
    if facts.get("cells"):
        return _power(facts)
    sentences = [_data(facts), _measures(facts)]
    rows = key_rows(facts)
    sentences += [_intervals(rows, facts), *_tests(rows)]
    if rows and str(facts.get("origin")) in ("cv", "repeated_cv"):
        sentences.append(
            "Because predictions of different folds depend on each other, no p-value is given"
            f"{cite('bengio2004')}."
        )
    sentences += _comparison(facts)
    if any(row["skill"] and row["skill"].get("p_value") is not None for row in rows):
        sentences.append(
            "Skill compares losses with those of the best constant forecast, case by case."
        )
    sentences.append(_software(facts))
    return " ".join(s for s in sentences if s)


def _intervals(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    methods: dict[str, list[str]] = {}
    for row in rows:
        if row["interval"]:
            method = str(row["interval"]["method"]).split(" (mean")[0]
            methods.setdefault(method, []).append(row["title"])
    if not methods:
        return ""
    parts = [f"{label(m)}{cite(*of_method(m))} for {_titles(t)}" for m, t in methods.items()]
    return f"Intervals at {percent(level_of(facts))} are by {'; '.join(parts)}."


def _tests(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How values were tested: against chance, and of calibration against being right."""
    found = []
    calibrated = [row for row in rows if row["test"] and row["family"] == "calibration"]
    others = [row for row in rows if row["test"] and row["family"] != "calibration"]
    for chosen, subject in (
        (others, "One-sided tests against chance are by"),
        (calibrated, "Calibration is tested by"),
    ):
        tests: dict[str, list[str]] = {}
        for row in chosen:
            tests.setdefault(_test(row), []).append(row["title"])
        if tests:
            parts = [f"{name}, for {_titles(titles)}" for name, titles in tests.items()]
            found.append(f"{subject} {'; '.join(parts)}.")
    return found


def results(facts: Mapping[str, Any]) -> str:
    """What was found: the primary measure in full, then the best known others."""
    if facts.get("quantity"):
        return headline(facts)
    primary = primary_rows(facts)
    named = len(models_of(facts)) > 1
    sentences = [estimate_sentence(row, facts, named=named) for row in primary]
    others = [row for row in key_rows(facts) if row not in primary and row["output"] is None]
    for model in models_of(facts) or ("",):
        mine = [_short(r) for r in others if str(r["model"] or "") == model]
        mine = [text for text in mine if text][:8]
        if mine:
            who = f" of {label(model)}" if named else ""
            sentences.append(f"Other measures{who}: {'; '.join(mine)}.")
    sentences += [_difference(d) for d in _differences(facts)]
    sentences += [_detected(t) for t in (facts.get("tests") or ())[:8]]
    return " ".join(s for s in sentences if s)


def _posterior(facts: Mapping[str, Any]) -> str:
    return (
        f"The posterior of {label(facts['quantity'])} was computed from the confusion counts of "
        f"{plural(int(facts['n']), 'case')}{cite('brodersen2010')}, with the prior "
        f"{label(facts.get('prior') or 'flat')}; the interval is "
        f"{label(facts['interval']['method'])}. "
        f"{_software(facts)}"
    )


def _detection(facts: Mapping[str, Any]) -> str:
    tests = facts["tests"]
    named = ", ".join(label(t.get("title") or t["statistic"]) for t in tests[:MOST])
    draws = max((int(t.get("draws") or 0) for t in tests), default=0)
    said = f"Tests of {plural(int(facts['n']), 'case')}" if facts.get("n") else "Tests"
    if facts.get("features"):
        said += f" with {plural(int(facts['features']), 'feature')}"
    said += f": {named}."
    if draws:
        said += f" P-values by {thousands(draws)} permutations{cite('phipson2010')}."
    if facts.get("hypothesis"):
        said += f" Null hypothesis: {label(facts['hypothesis'])}."
    return f"{said} {_software(facts)}"


def _power(facts: Mapping[str, Any]) -> str:
    cells = facts["cells"]
    names = list(dict.fromkeys(str(c.get("title") or c["statistic"]) for c in cells))
    sizes = sorted({int(c["n"]) for c in cells if c.get("n") is not None})
    runs = max((int(c.get("replications") or 0) for c in cells), default=0)
    said = f"Power of {', '.join(map(label, names[:MOST]))}"
    if sizes:
        said += f" with {', '.join(map(str, sizes[:12]))} cases"
    said += f", by simulation of {thousands(runs)} samples each." if runs else ", by simulation."
    return f"{said} {_software(facts)}"


def _data(facts: Mapping[str, Any]) -> str:
    if facts.get("n") is None:
        return ""
    origin = model_words(facts)
    models = models_of(facts)
    who = "Predictions"
    if len(models) > 1:
        who = f"Predictions of {plural(len(models), 'model')} ({', '.join(map(label, models))})"
    said = f"{who} for {plural(int(facts['n']), 'case')} with {_a(facts.get('outcome'))} outcome"
    said += f", from {label(origin)}, were evaluated" if origin else " were evaluated"
    if facts.get("dropped"):
        said += f"; {plural(int(facts['dropped']), 'case')} with missing values were left out"
    return f"{said}."


def _a(outcome: Any) -> str:
    words = {"binary": "a binary", "multiclass": "a categorical", "numeric": "a numeric"}
    return words.get(str(outcome), "a censored" if outcome == "survival" else "an")


def _measures(facts: Mapping[str, Any]) -> str:
    rows = primary_rows(facts)
    if not rows or not facts.get("primary"):
        return ""
    title, sources = rows[0]["title"], of_measure(str(rows[0]["measure"]))
    return (
        f"The primary measure is {_lower(title)}{cite(*sources[:1])}; the others are descriptive."
    )


def _test(row: Mapping[str, Any]) -> str:
    drawn = row["draws"] and "exact" not in str(row["test"])
    draws = f" with {thousands(row['draws'])} draws" if drawn else ""
    sources = cite(*of_method(row["test"]))
    return f"{label(row['test'])}{draws}{sources} (null hypothesis: {label(row['hypothesis'])})"


def _comparison(facts: Mapping[str, Any]) -> list[str]:
    tests: dict[str, list[str]] = {}
    for row in facts.get("differences") or ():
        if row.get("test"):
            tests.setdefault(str(row["test"]), []).append(str(row.get("title") or row["measure"]))
    if not tests:
        return []
    parts = [f"{label(t)}{cite(*of_method(t))} for {_titles(m)}" for t, m in tests.items()]
    return [f"Models are compared on the same cases, two-sided, by {'; '.join(parts)}."]


def _software(facts: Mapping[str, Any]) -> str:
    version = facts.get("abovechance")
    said = "Computed with abovechance" + (f" {label(version)}" if version else "")
    return f"{said}, seed {facts['seed']}." if facts.get("seed") is not None else f"{said}."


def _short(row: Mapping[str, Any]) -> str:
    if as_float(row["value"]) != as_float(row["value"]):
        return ""
    interval = row["interval"]
    limits = f" ({between(interval['low'], interval['high'])})" if interval else ""
    return f"{_lower(row['title'])} {number(row['value'])}{limits}"


def _differences(facts: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found = [d for d in facts.get("differences") or () if d.get("difference") is not None]
    first = [d for d in found if d["measure"] == facts.get("primary")]
    return [*first, *(d for d in found if d not in first)][:MOST]


def _difference(row: Mapping[str, Any]) -> str:
    inside = []
    interval = row.get("interval")
    if interval:
        limits = between(interval["low"], interval["high"])
        inside.append(f"{percent(interval['level'])} interval {limits}")
    if row.get("p_value") is not None:
        inside.append(p_phrase(row["p_value"]))
    title = _lower(str(row.get("title") or row["measure"]))
    about = f" ({'; '.join(inside)})" if inside else ""
    return (
        f"Difference in {title}, {label(row['first'])} minus {label(row['second'])}: "
        f"{signed(row['difference'])}{about}."
    )


def _detected(test: Mapping[str, Any]) -> str:
    if test.get("p_value") is None:
        return ""
    name = label(test.get("title") or test["statistic"])
    return f"{name}: {number(test['value'])}, {p_phrase(test['p_value'])}."


def _lower(title: str) -> str:
    """A title within a sentence: names and abbreviations keep their capitals.

    >>> _lower("Balanced accuracy"), _lower("F1")
    ('\\ue000balanced accuracy\\ue001', '\\ue000F1\\ue001')
    """
    first = title.split(" ")[0].split("-")[0]
    keeps = not first[:1].isupper() or first != first.capitalize() or re.search(r"\d|^.$", first)
    named = re.sub("[’']s?$", "", first) in NAMES
    return label(title if keeps or named else title[:1].lower() + title[1:])


NAMES = {"Brier", "Cohen", "Matthews", "Tjur", "Youden", "Somers", "Pearson", "Spearman", "Kendall",
         "Nagelkerke", "Cox", "McFadden", "Uno", "Harrell", "Kolmogorov", "Jaccard"}  # fmt: skip


def _titles(titles: Sequence[str]) -> str:
    found = [_lower(t) for t in dict.fromkeys(titles)]
    if len(found) > MOST:
        return f"{', '.join(found[: MOST - 1])} and {len(found) - MOST + 1} more"
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
