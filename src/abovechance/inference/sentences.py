"""What is said in a sentence: of methods by their declarations, of results with all numbers."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from abovechance.format import (
    as_float,
    between,
    number,
    p_phrase,
    percent,
    probability,
    signed,
)
from abovechance.inference.contract import (
    adjusted,
    better_of,
    is_shown,
    overall_rows,
    reference_words,
)
from abovechance.inference.method import Kind, Use
from abovechance.inference.prose import capital, label, listed, the

# ----------------------------------------------------------------------------------------------
# How the methods that results name are spoken of in a sentence, from their declarations.
# ----------------------------------------------------------------------------------------------


ARTICLES = ("an ", "a ", "the ")
MOST_PAIRS = 12  # of models whose differences are told in numbers


def interval_words(interval: Mapping[str, Any]) -> str:
    """The method of an interval, after "obtained by".

    >>> interval_words({"method": "Wilson", "by": {"name": "wilson"}})
    "Wilson's score method"
    >>> interval_words({"method": "my own"})
    'my own'
    """
    return Use.of_interval(interval).words


def words_of_test(test: object, by: Mapping[str, Any] | None = None) -> str:
    """A test, after "by".

    >>> words_of_test("McNemar, exact", {"name": "mcnemar", "version": "exact"})
    "McNemar's exact test"
    >>> words_of_test("my own")
    'my own'
    """
    return Use.of(Kind.TEST, test, by).words


def name_of_test(test: object, by: Mapping[str, Any] | None = None) -> str:
    """A test beside its p-value, without its circumstances.

    >>> name_of_test("sign flip"), name_of_test("Mann–Whitney, exact", {"name": "mann_whitney"})
    ('sign-flip test', 'Mann–Whitney test')
    """
    words = words_of_test(test, by).partition(" (")[0]
    article = next((a for a in ARTICLES if words.startswith(a)), "")
    return words.removeprefix(article)


def hypothesis_words(hypothesis: object) -> str:
    """A hypothesis without brackets, so that it can stand in some.

    >>> hypothesis_words("both are independent (margins fixed)")
    'both are independent, margins fixed'
    """
    return str(hypothesis).replace(" (", ", ").replace(")", "")


# ----------------------------------------------------------------------------------------------
# One estimate, one difference, one posterior: each in a sentence with all its numbers.
#
# In the present tense for the answer at the top, in the past for the paragraph of results.
# ----------------------------------------------------------------------------------------------


def named(title: object) -> str:
    """The title of a measure within a sentence."""
    return label(the(str(title)))


def begun(title: object) -> str:
    """The title of a measure at the beginning of a sentence."""
    return label(capital(the(str(title))))


def limits(interval: Mapping[str, Any] | None) -> str:
    """The level and limits of an interval, when there is one."""
    if not interval:
        return ""
    return f"{percent(interval['level'])} CI {between(interval['low'], interval['high'])}"


def bracketed(*parts: str) -> str:
    """What there is of the parts, in brackets."""
    there = [part for part in parts if part]
    return f" ({'; '.join(there)})" if there else ""


def estimate_sentence(
    row: Mapping[str, Any], facts: Mapping[str, Any], *, of_model: bool, past: bool = False
) -> str:
    """One estimate with interval, chance level and test."""
    is_ = "was" if past else "is"
    who = f" of {label(row['model'])}" if of_model and row.get("model") else ""
    subject = f"{begun(row['title'])}{who}"
    if row.get("undefined") and as_float(row["value"]) != as_float(row["value"]):
        return f"{subject} {is_} not defined: {label(row['undefined'])}."
    said = f"{subject} {is_} {number(row['value'])}"
    inside, test = limits(row.get("interval")), ""
    if row.get("p_value") is not None:
        test = f"{label(name_of_test(row['test'], row.get('test_by')))}, {p_phrase(row['p_value'])}"
    # forecasts of exactly 0 or 1 are infinitely wrong when shuffled: no level to compare with
    if row.get("chance") is not None and isfinite(as_float(row["chance"])):
        chance = f", where chance would give {number(row['chance'])}"
        said += f"{bracketed(inside)}{chance}{bracketed(test)}."
    else:
        said += f"{bracketed(inside, test)}."
    note = row.get("undefined") or row.get("remark")
    if note:
        said += f" Note: {label(str(note).removesuffix('.'))}."
    why = "" if past else _untested(row, facts)
    return " ".join(part for part in (said, _skill(row, facts, is_), why) if part)


def values_sentence(rows: Sequence[Mapping[str, Any]], *, past: bool = False) -> str:
    """The values of several models, side by side."""
    known = [row for row in rows if as_float(row["value"]) == as_float(row["value"])]
    if not known:
        return ""
    each = listed(
        [
            f"{number(row['value'])}{bracketed(limits(row['interval']))} for {label(row['model'])}"
            for row in known
        ]
    )
    said = f"{begun(known[0]['title'])} {'was' if past else 'is'} {each}"
    levels = {row["reference"] for row in known}
    level = levels.pop() if len(levels) == 1 else None
    if level is None:
        return f"{said}."
    return f"{said}; {reference_words(known[0])} would give {number(level)}."


def _skill(row: Mapping[str, Any], facts: Mapping[str, Any], is_: str) -> str:
    skill = row.get("skill") or {}
    if not skill:
        return ""
    p = skill.get("p_value")
    inside = bracketed(limits(skill.get("interval")), "" if p is None else p_phrase(p))
    worth = f"{label(reference_words(row))}, which gives {number(skill['reference'])},"
    return f"The gain over {worth} {is_} {number(skill['difference'])}{inside}."


def _untested(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    crossed = str(facts.get("origin")) in ("cv", "repeated_cv")
    if row.get("p_value") is not None or not crossed:
        return ""
    return "There is no p-value, because cross-validated predictions depend on each other."


def difference_sentence(
    row: Mapping[str, Any], facts: Mapping[str, Any], *, past: bool = False
) -> str:
    """One difference: both values where known, how far apart they are, how sure it is."""
    is_ = "was" if past else "is"
    first, second = label(row["first"]), label(row["second"])
    title = row.get("title") or row["measure"]
    of = f" of {label(row['model'])}" if row.get("model") else ""
    limited = past and row["measure"] == facts.get("primary")
    both = [_value(row, side, facts, limited=limited) for side in ("first", "second")]
    inside = bracketed(limits(row.get("interval")), _tested(row))
    difference = signed(row["difference"])
    if None in both:
        said = f"The difference in {label(the(str(title)).removeprefix('the '))}{of}, "
        said += f"{first} minus {second}, {is_} {difference}{inside}"
    else:
        one, other = both
        said = f"{begun(title)}{of} {is_} {one} for {first} and {other} for {second}, "
        said += f"a difference of {difference}{inside}"
    return f"{said}{_favour(row, facts)}.{_margin(row, is_)}"


def pairs_sentences(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> list[str]:
    """Differences of one measure between many models: which were shown, and how many were not.

    >>> from abovechance.inference.prose import as_text
    >>> row = {"title": "Accuracy", "measure": "accuracy", "first": "a", "second": "b",
    ...        "difference": 0.2, "interval": {"level": 0.95, "low": 0.1, "high": 0.3},
    ...        "p_value": 0.01, "p_adjusted": 0.02}
    >>> other = {**row, "first": "b", "second": "c", "p_value": 0.4, "p_adjusted": 0.4}
    >>> for said in pairs_sentences([row, {**row, "second": "c"}, other], {}):
    ...     print(as_text(said, {}))
    Accuracy was better for a than for b (difference +0.200, 95% CI 0.100 to 0.300; adjusted
    p = 0.020) and c (+0.200, 0.100 to 0.300; adjusted p = 0.020).
    No difference was shown in the other pair (adjusted p = 0.400).
    """
    found = [(row, better_of(row) if is_shown(row, facts) else None) for row in rows]
    shown = [(row, better) for row, better in found if better is not None]
    told = len(shown) <= MOST_PAIRS  # in numbers; else the table has them
    of: dict[str, list[str]] = {}
    for i, (row, better) in enumerate(shown):
        worse = label(row["second"] if better == row["first"] else row["first"])
        inside = _difference_words(row, better, whole=i == 0) if told else ""
        of.setdefault(better, []).append(f"{worse}{bracketed(inside)}")
    said = []
    if shown:
        each = [f"for {label(who)} than for {listed(than)}" for who, than in of.items()]
        range_ = "" if told else bracketed(_p_range([row for row, _ in shown]))
        title = shown[0][0].get("title") or shown[0][0]["measure"]
        said.append(f"{begun(title)} was better {', '.join(each)}{range_}.")
    others = [row for row, better in found if better is None]
    if others:
        many = "the other pair" if len(others) == 1 else f"the other {len(others)} pairs"
        which = many if shown else "any pair"
        said.append(f"No difference was shown in {which}{bracketed(_p_range(others))}.")
    return said


def _difference_words(row: Mapping[str, Any], better: str, *, whole: bool) -> str:
    """How far the better model is from the other; the words are said once."""
    sign = 1.0 if better == row["first"] else -1.0
    difference = signed(sign * as_float(row["difference"]))
    interval = row.get("interval")
    inside = ""
    if interval:
        low, high = sorted(sign * as_float(interval[end]) for end in ("low", "high"))
        level = f"{percent(interval['level'])} CI " if whole else ""
        inside = f", {level}{between(low, high)}"
    p = "; " + _p_range([row]) if adjusted(row) is not None else ""
    return f"{'difference ' if whole else ''}{difference}{inside}{p}"


def _p_range(rows: Sequence[Mapping[str, Any]]) -> str:
    """The p-value of a row, or the range of several."""
    known = sorted(as_float(adjusted(row)) for row in rows if adjusted(row) is not None)
    if not known:
        return ""
    word = "adjusted " if any(row.get("p_adjusted") is not None for row in rows) else ""
    low, high = p_phrase(known[0]), p_phrase(known[-1])
    if low == high:
        return f"{word}{low}"
    return f"{word}{low.replace('p = ', 'p from ')} to {high.removeprefix('p = ')}"


def difference_numbers(row: Mapping[str, Any]) -> str:
    """A difference with what is known of it, within a sentence."""
    inside = bracketed(limits(row.get("interval")), _tested(row))
    return f"{signed(row['difference'])}{inside}"


def interaction_sentence(test: Mapping[str, Any]) -> str:
    """Whether a difference differs between subgroups, in the past tense."""
    if test.get("p_value") is None:
        return f"Whether it differs between subgroups was not tested: {label(test['undefined'])}."
    f = f"F = {number(test.get('statistic'))}, df {number(test.get('df'), 0)} and "
    f += f"{number(test.get('df_error'), 1)}, {p_phrase(adjusted(test))}"
    not_ = "" if as_float(adjusted(test)) <= 0.05 else "not "
    return f"The difference was {not_}shown to differ between the subgroups ({f})."


def _value(
    row: Mapping[str, Any], side: str, facts: Mapping[str, Any], *, limited: bool
) -> str | None:
    """The value of one of the two models, with its interval where there is room for it."""
    for e in overall_rows(facts):
        if (e["measure"], e["model"], e["output"]) == (row["measure"], row[side], None):
            if as_float(e["value"]) != as_float(e["value"]):
                return None
            inside = bracketed(limits(e["interval"])) if limited else ""
            return f"{number(e['value'])}{inside}"
    return None


def _tested(row: Mapping[str, Any]) -> str:
    if row.get("p_value") is None:
        return ""
    said = f"{label(name_of_test(row['test'], row.get('test_by')))}, " if row.get("test") else ""
    said += p_phrase(row["p_value"])
    if row.get("p_adjusted") not in (None, row["p_value"]):
        said += f", adjusted {p_phrase(row['p_adjusted'])}"
    return said


def _favour(row: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    better = better_of(row)
    return f" in favour of {label(better)}" if better and is_shown(row, facts) else ""


def _margin(row: Mapping[str, Any], is_: str) -> str:
    margin = row.get("margin")
    if not margin:
        return ""
    first, second, wide = label(row["first"]), label(row["second"]), number(margin["margin"])
    inside = bracketed(limits(margin.get("interval")))
    if margin["equivalent"]:
        are = "were" if is_ == "was" else "are"
        return f" Within a margin of {wide} the two {are} equivalent{inside}."
    shown = "" if margin["noninferior"] else "not shown to be "
    return f" With a margin of {wide}, {first} {is_} {shown}noninferior to {second}{inside}."


def posterior_sentence(facts: Mapping[str, Any]) -> str:
    """A posterior: where it lies, and how much of it above chance."""
    interval = facts["interval"]
    said = (
        f"The posterior median of {label(facts['quantity'])} is {number(facts['median'])}; with "
        f"probability {percent(interval['level'])} it lies between {number(interval['low'])} and "
        f"{number(interval['high'])}."
    )
    if facts.get("prob_above_chance") is not None and facts.get("chance") is not None:
        said += (
            f" It is above chance ({number(facts['chance'])}) with probability "
            f"{probability(facts['prob_above_chance'])}, which is not a p-value."
        )
    return f"{said} Prior: {label(facts['prior'])}." if facts.get("prior") else said
