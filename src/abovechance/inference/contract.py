"""Results as the JSON contract has them: tables, charts and reports read nothing else.

So a result, its JSON read back years later, and a dictionary make the same table, picture and
report.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

from abovechance import __version__
from abovechance.errors import AboveChanceError, DataError, FileError
from abovechance.errors import shown as quoted
from abovechance.format import as_float, plural
from abovechance.inference.results import CONTRACT, shown
from abovechance.paths import place

KINDS = (
    "assessment",
    "comparison",
    "detection",
    "permutation_test",
    "power",
    "sample_size",
    "precision_size",
    "validation",
    "learning_curve",
    "posterior",
    "posteriors",
    "hierarchical_posterior",
    "curve",
    "thresholds",
    "selection",
    "stability",
    "reliability",
    "calibration_error",
    "null_distribution",
    "test",
    "subject_map",
    "subject_maps",
    "group_maps",
)
# Results that were saved before they said their kind are known by what they hold.
HOLDING: tuple[tuple[str, set[str]], ...] = (
    ("posterior", {"quantity"}),
    ("assessment", {"estimates"}),
    ("curve", {"x_name", "y_name", "x", "y"}),
    ("thresholds", {"choices"}),
    ("posteriors", {"posteriors"}),
    ("hierarchical_posterior", {"population", "subjects"}),
    ("calibration_error", {"expected", "debiased", "test"}),
    ("test", {"p_value", "hypothesis", "method"}),
    ("subject_map", {"neighbourhood", "geometry", "sizes"}),
    ("sample_size", {"sizes"}),
    ("precision_size", {"widths", "width", "level"}),
    ("power", {"cells"}),
    ("comparison", {"differences"}),
)


def kind_of(facts: Mapping[str, Any]) -> str:
    """The kind of a result; "" when it is of none that is known.

    >>> kind_of({"kind": "assessment"}), kind_of({"tests": [{}]}), kind_of({"cells": [{}]})
    ('assessment', 'detection', 'power')
    """
    if facts.get("kind") in KINDS:
        return str(facts["kind"])
    tests, posteriors = _rows(facts, "tests"), _rows(facts, "posteriors")
    if tests:
        return "permutation_test" if "measure" in tests[0] else "detection"
    if facts.get("differences") or facts.get("ranking"):
        return "comparison"
    held = set(facts)
    if any("quantity" not in row for row in posteriors):
        held -= {"posteriors"}  # parts of another result
    return next((kind for kind, keys in HOLDING if keys <= held), "")


def _rows(facts: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The rows that a result holds under a name; none where that is no list of them."""
    found = facts.get(name)
    return [r for r in found if isinstance(r, Mapping)] if isinstance(found, list | tuple) else []


PARTS = {"estimates", "differences", "tests", "sizes", "cells", "quantity"}


class CheckedFacts(dict[str, Any]):
    """Facts that are known to be those of a result: made by one, or checked before."""


def contract(result: Any) -> dict[str, Any]:
    """The facts of a result under the names of the contract.

    >>> contract({"estimates": []})
    {'estimates': []}
    """
    if isinstance(result, CheckedFacts):
        return result
    if isinstance(result, Mapping):
        values = list(result.values())
        several = [one for one in values if hasattr(one, "pdf") and hasattr(one, "summary")]
        if several and len(several) == len(result):
            rows = [one.summary() for one in several]
            return {"abovechance": __version__, "kind": "posteriors", "posteriors": rows}
        found = CheckedFacts(result)
        wrong = fault(found, kind_of(found))
        if wrong is not None:
            raise DataError(f"this is not a result that abovechance saved: {wrong}.")
        return found
    to_dict = getattr(result, "to_dict", None)
    if to_dict is None or not hasattr(result, "kind"):
        raise DataError(
            f"a result of abovechance is needed, such as assess() returns; "
            f"got {type(result).__name__}."
        )
    found = to_dict()
    assert isinstance(found, dict)
    return CheckedFacts({"abovechance": __version__, **found})


def read_result(path: str | Path) -> dict[str, Any]:
    """A result saved with `--format json` or `to_json()`; "-" reads it from standard input."""
    try:
        text = sys.stdin.read() if path == "-" else place(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"{str(path)!r} cannot be read: {reason}.") from None
    try:
        found = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{str(path)!r} must hold JSON; {error}.") from None
    if not is_result(found):
        raise FileError(
            f"{str(path)!r} is not a result of abovechance; save one with --format json."
        )
    wrong = fault(found, kind_of(found))
    if wrong is not None:
        raise FileError(f"{str(path)!r} is not as abovechance saved it: {wrong}.")
    return found


def _refused(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def is_result(facts: Any) -> bool:
    """Whether these are the facts of a result, of any kind.

    >>> is_result({"estimates": []}), is_result({"abovechance": "1.0"}), is_result({"x": 1})
    (True, False, False)
    """
    if not isinstance(facts, Mapping):
        return False
    return bool(PARTS & facts.keys()) or ("abovechance" in facts and len(facts) > 1)


def overall_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The estimates of all cases together: of no subgroup and no single class."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    return [row for row in rows if row["by"] is None and row["class"] is None]


def complete(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with null for every part that it does not mention."""
    return {
        **dict.fromkeys(CONTRACT),
        "measure": "",
        **row,
        "title": row.get("title") or row["measure"],
    }


ORIGINS = {
    "test": "an independent test set",
    "cv": "cross-validation",
    "repeated_cv": "repeated cross-validation",
}


UNSTATED = "a source that was not stated"
ITEMS = "items"  # in place of a kind of outcome: what models got, item by item

# Of many measures a reader looks at these first; the tables hold them all.
FIRST = (
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "auc",
    "average_precision",
    "brier",
    "scaled_brier",
    "tjur_r2",
    "c_index",
    "uno_c",
    "integrated_brier",
    "r2",
    "pearson",
    "spearman",
    "concordance_correlation",
)
ALSO = (
    "nagelkerke_r2",
    "calibration_in_the_large",
    "calibration_slope",
    "ici",
    "net_benefit",
    "mae",
    "mse",
    "rmse",
    "medae",
    "kendall",
)


def models_of(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the models, in order; none when the result speaks of one unnamed model.

    >>> models_of({"estimates": [{"measure": "auc", "model": "a"}]})
    ('a',)
    """
    named = [row.get("model") for row in facts.get("estimates") or ()]
    for row in facts.get("differences") or ():
        if row.get("model") is None:  # else subgroups of one model are compared
            named += [row.get("first"), row.get("second")]
    return tuple(dict.fromkeys(str(name) for name in named if name is not None))


def primary_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The estimates of the primary measure, one per model; of the first measure if none is."""
    rows = [row for row in overall_rows(facts) if row["output"] is None] or overall_rows(facts)
    wanted = facts.get("primary") or (rows[0]["measure"] if rows else None)
    return [row for row in rows if row["measure"] == wanted]


def best_first(
    rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Rows of one measure, the best model first where models were ranked; else as they are.

    >>> ranking = [{"measure": "auc", "model": m, "rank": r} for m, r in zip("abc", (3, 1, 2))]
    >>> rows = [{"measure": "auc", "model": model} for model in "abc"]
    >>> [row["model"] for row in best_first(rows, {"ranking": ranking})]
    ['b', 'c', 'a']
    """
    ranks = {(p["measure"], p["model"]): int(p["rank"]) for p in facts.get("ranking") or ()}
    return sorted(rows, key=lambda row: ranks.get((row["measure"], row["model"]), len(ranks)))


def key_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The primary measure and the best known others: what a reader looks at first."""
    rows = overall_rows(facts)
    names = list(dict.fromkeys(row["measure"] for row in rows))
    chosen = [name for name in names if name == facts.get("primary")]
    known = [*FIRST, *ALSO]
    plain = {n: n.partition("(")[0].removesuffix("_macro") for n in names}
    chosen += [n for n in names if plain[n] in known and n not in chosen]
    if len(names) <= len(known) // 2:
        chosen += [name for name in names if name not in chosen]
    return [row for name in chosen for row in rows if row["measure"] == name]


# Of these a screen shows what there is, when there are more measures than fit it: how well cases
# are told apart and called, how far off predictions are, whether probabilities are right.
FEW = ("auc", "c_index", "uno_c", "balanced_accuracy", "accuracy", "sensitivity", "specificity",
       "mcc", "f1", "brier", "integrated_brier", "calibration_in_the_large", "calibration_slope",
       "net_benefit", "r2", "mae", "mse", "rmse", "pearson", "log_score")  # fmt: skip
MANY = 20  # measures beyond which few are shown


def few_rows(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a screen has room for: the primary measure and the best known others, or all."""
    rows = overall_rows(facts)
    names = list(dict.fromkeys(row["measure"] for row in rows))
    if len(names) <= MANY:
        return rows
    plain = {name: name.partition("(")[0].removesuffix("_macro") for name in names}
    kept = [n for n in names if n == facts.get("primary") or plain[n] in FEW]
    return [row for row in rows if row["measure"] in (kept or names[:MANY])]


def higher_is_better(measure: str) -> bool | None:
    """The direction of a measure; None when it has none or is not in the catalogue."""
    from abovechance.measures import find

    try:
        return find(measure).higher_is_better
    except AboveChanceError:
        return None


def measure_range(measure: str) -> tuple[float, float]:
    """The range of a measure; without end when it is not in the catalogue."""
    from abovechance.measures import find

    try:
        return find(measure).range
    except AboveChanceError:
        return (float("-inf"), float("inf"))


def level_of(facts: Mapping[str, Any]) -> float:
    """The level of the intervals; of an assessment saved before it said so, that of a row."""
    if facts.get("level") is not None:
        return as_float(facts["level"])
    for row in [*(facts.get("estimates") or ()), *(facts.get("differences") or ())]:
        if row.get("interval"):
            return as_float(row["interval"]["level"])
    return 0.95


def alpha_of(facts: Mapping[str, Any]) -> float:
    """The level of tests that goes with the intervals; p shows something where it is no greater.

    >>> alpha_of({"level": 0.95})
    0.05
    """
    return round(1.0 - level_of(facts), 12)  # 1 - 0.95 is a little more than 0.05


def of_calibration(row: Mapping[str, Any]) -> bool:
    """Whether a row's p tests that probabilities are right, not that they are better than chance.

    >>> of_calibration({"measure": "ici"}), of_calibration({"measure": "auc"})
    (True, False)
    """
    from abovechance.measures import Law, find

    try:
        return find(str(row["measure"])).law is Law.CALIBRATION
    except AboveChanceError:
        return False


def beats_chance(row: Mapping[str, Any]) -> bool | None:
    """Whether an estimate lies on the better side of chance; None when that cannot be said."""
    value, chance = as_float(row.get("value")), as_float(row.get("chance"))
    up = higher_is_better(str(row["measure"]))
    if value != value or chance != chance or up is None:
        return None
    return value > chance if up else value < chance


def reference_words(row: Mapping[str, Any]) -> str:
    """The best prediction that is the same for every case, in words.

    >>> reference_words({"measure": "accuracy"}), reference_words({"measure": "mse"})
    ('always predicting the largest class', 'always predicting the mean')
    """
    from abovechance.measures import Family, find
    from abovechance.predictions import View

    try:
        measure = find(str(row["measure"]))
    except AboveChanceError:
        return "the same prediction for every case"
    if measure.family is Family.UTILITY:
        return "the better of acting on every case and on none"
    return {
        View.LABEL: "always predicting the largest class",
        View.PROBABILITY: "always predicting the prevalence",
        View.VALUE: "always predicting the mean",
        View.SURVIVAL: "the Kaplan–Meier curve for every case",
    }.get(measure.reads, "the same prediction for every case")


def has_skill(row: Mapping[str, Any], alpha: float) -> bool | None:
    """Whether a value is shown to be better than its reference; None where that is not known."""
    skill = row.get("skill")
    if not skill:
        return True
    interval = skill.get("interval")
    if skill.get("p_value") is not None:
        return as_float(skill["p_value"]) <= alpha
    return as_float(interval["low"]) > 0 if interval else None


def model_words(facts: Mapping[str, Any]) -> str:
    """Where the predictions came from, in words."""
    origin = "" if of_items(facts) else str(facts.get("origin") or "")
    if origin == "test" and facts.get("origin_stated") is False:
        return UNSTATED
    return ORIGINS.get(origin, origin)


def size_words(facts: Mapping[str, Any]) -> str:
    """How many cases, or items, a result is of; "" where that is not known.

    >>> size_words({"n": 300, "outcome": "items"}), size_words({"n": 1, "outcome": "binary"})
    ('300 items', '1 case')
    """
    if facts.get("n") is None:
        return ""
    return plural(int(facts["n"]), "item" if of_items(facts) else "case")


def of_items(facts: Mapping[str, Any]) -> bool:
    """Whether models were judged item by item, without outcomes to predict."""
    return facts.get("outcome") == ITEMS


def main_difference(facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The difference of the primary measure when two models, or two subgroups, are compared."""
    rows = between_models(facts) or facts.get("differences") or ()
    found = [d for d in rows if d.get("difference") is not None]
    if len({(d["first"], d["second"]) for d in found}) != 1:
        return None
    return next((d for d in found if d["measure"] == facts.get("primary")), found[0])


def between_models(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Differences between models over all cases."""
    rows = facts.get("differences") or ()
    return [row for row in rows if row.get("model") is None and row.get("by") is None]


def within_subgroups(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Differences between models within subgroups."""
    return [row for row in facts.get("differences") or () if row.get("by") is not None]


def between_subgroups(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Differences between subgroups of a model's cases."""
    return [row for row in facts.get("differences") or () if row.get("model") is not None]


def adjusted(row: Mapping[str, Any]) -> Any:
    """The p-value to judge a difference or a test by: adjusted for many, where it is."""
    own, many = row.get("p_value"), row.get("p_adjusted")
    return own if many is None else many


def is_shown(row: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Whether p-value and interval of a difference both tell the two apart."""
    if row.get("shown") is not None:
        return bool(row["shown"])
    p, interval = adjusted(row), row.get("interval")
    return shown(
        difference=as_float(row.get("difference")),
        p=None if p is None else as_float(p),
        interval=(as_float(interval["low"]), as_float(interval["high"])) if interval else None,
        alternative=row.get("alternative"),
        alpha=alpha_of(facts),
    )


def better_of(row: Mapping[str, Any]) -> str | None:
    """Which of the two compared is better by the sign of the difference; None when unknown."""
    if "better" in row:
        return None if row["better"] is None else str(row["better"])
    value, up = as_float(row.get("difference")), higher_is_better(str(row["measure"]))
    if up is None or value != value or value == 0:
        return None
    return str(row["first"] if (value > 0) == up else row["second"])


# ----------------------------------------------------------------------------------------------
# JSON read back, checked against the published schema before anything uses it. The schema
# (`results.schema.json`, made from the classes of results) is JSON Schema, draft 2020-12; a few of
# its words are enough here, so no library is needed.
# ----------------------------------------------------------------------------------------------


VERSION = 1
FILE = Path(__file__).with_name("results.schema.json")
DEEPEST = 30  # levels of nesting; results have six
SHARED = {
    "Comparison": ("estimates", "differences", "advice"),
    "Assessment": ("described", "seed"),
    "PowerStudy": ("findings", "remarks"),
    "Size": ("n",),
}
TYPES: dict[str, tuple[type, str]] = {
    "object": (Mapping, "an object"),
    "array": (list, "a list"),
    "string": (str, "text"),
    "number": (Real, "a number"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "null": (type(None), "null"),
}


@cache
def published() -> dict[str, Any]:
    """The schema, as it is in the package."""
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


@cache
def _kinds() -> dict[str, Any]:
    """What holds of each kind of result."""
    each = published()["allOf"]
    return {one["if"]["properties"]["kind"]["const"]: one["then"] for one in each}


def fault(facts: Any, kind: str = "") -> str | None:
    """What is wrong with facts read from JSON, and where; None for a result of that kind.

    >>> fault({"kind": "posterior", "quantity": 3}, "posterior")
    "it must have 'n'; there is none"
    >>> fault({"p_value": float("nan")})
    'p_value must be a finite number; got nan'
    """
    found = next(_strange(facts, (), 0), None)
    if found is None and isinstance(facts, Mapping):
        own = _kinds().get(kind, {})
        found = next(_faults(facts, own, ()), None)
        found = found or next(_inside(facts, {"properties": _shared()}, ()), None)
        found = found or next(_of_other_length(facts), None)
        if kind == "group_maps":
            found = found or next(_of_other_places(facts), None)
        if kind in ("subject_map", "subject_maps"):
            for one in facts.get("maps", [facts]):
                for name in ("reached", "course"):
                    found = found or next(_of_several_lengths(name, one.get(name) or {}), None)
    return found


@cache
def _shared() -> dict[str, Any]:
    """The parts of several kinds, which tables and citations look for in any."""
    parts = published()["$defs"]
    return {
        name: parts[home]["properties"][name] for home, names in SHARED.items() for name in names
    }


def _of_other_length(facts: Mapping[str, Any]) -> Iterator[str]:
    """Columns of a curve that do not go with its places."""
    if not isinstance(facts.get("x"), list):
        return
    columns = {name: facts.get(name) for name in ("y", "low", "high")}
    if isinstance(others := facts.get("columns"), Mapping):
        columns |= others
    for name, column in columns.items():
        if isinstance(column, list) and len(column) != len(facts["x"]):
            yield f"{name} must have {len(facts['x'])} entries, as x has; got {len(column)}"


def _of_several_lengths(name: str, columns: Mapping[str, Any]) -> Iterator[str]:
    """Lists that go together and are not of one length."""
    sizes = {key: len(column) for key, column in columns.items() if isinstance(column, list)}
    if len(set(sizes.values())) > 1:
        yield _at((name,), "hold lists of one length", sorted(set(sizes.values())))


def _of_other_places(facts: Mapping[str, Any]) -> Iterator[str]:
    """Places of a map that have not a number for each axis, cuts of two sizes, no rule chosen."""
    axes, view = facts["geometry"]["axes"], facts.get("view") or {}
    yield from _of_several_lengths("view", view if "x" in view else {})
    for name in ("peaks", "clusters"):
        for number, row in enumerate(facts[name], 1):
            if len(row["at"]) != len(axes):
                must = f"have {len(axes)} numbers, one for each axis"
                yield _at((name, f"entry {number}", "at"), must, row["at"])
    for number, plane in enumerate(view.get("planes", [view] if "values" in view else ()), 1):
        sizes = [len(plane["values"]), *map(len, plane["values"])]
        if 0 in sizes or len(set(sizes[1:])) > 1:
            yield _at(("view", f"cut {number}"), "be rows of one length", sizes[1:])
        if [len(plane["rejected"]), *map(len, plane["rejected"])] != sizes:
            yield f"view, cut {number} must be of one size for values and rejected; it is of two"
    chosen = [row["control"] for row in facts["controls"] if row["chosen"]]
    if chosen != [facts["control"]]:
        yield _at(("controls",), f"have {facts['control']!r} chosen", chosen)


def _at(path: tuple[str, ...], must: str, value: Any) -> str:
    where = ", ".join(path) or "it"
    return f"{where} must {must}; got {quoted(value)}"


def _strange(value: Any, path: tuple[str, ...], depth: int) -> Iterator[str]:
    """What no JSON of a result holds: numbers without end, broken text, endless nesting."""
    if depth > DEEPEST:
        yield _at(path[:3], f"not nest deeper than {DEEPEST} levels", "deeper")
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                yield _at(path, "have names that are text", key)
            yield from _strange(key, path, depth)
            yield from _strange(part, (*path, str(key)), depth + 1)
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value, 1):
            yield from _strange(part, (*path, f"entry {number}"), depth + 1)
    elif isinstance(value, str):
        if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            yield _at(path, "be text of whole characters", value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) <= 1.7976931348623157e308:
            yield _at(path, "be a finite number", value)
    elif value is not None and not isinstance(value, bool):
        yield _at(path, "be plain JSON: text, a number, a list or an object", value)


def _faults(value: Any, rule: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    if "$ref" in rule:
        yield from _faults(value, published()["$defs"][rule["$ref"].removeprefix("#/$defs/")], path)
    if "anyOf" in rule:
        several = [list(_faults(value, one, path)) for one in rule["anyOf"]]
        if all(several):  # of those that are wrong somewhere inside, the nearest is told
            yield max((found[0] for found in several), key=lambda said: (said.count(", "), said))
        return
    if "enum" in rule and value not in rule["enum"]:
        yield _at(path, f"be one of {', '.join(map(repr, rule['enum']))}", value)
    if "type" in rule:
        kind, words = TYPES[rule["type"]]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            yield _at(path, f"be {words}", value)
            return
    yield from _inside(value, rule, path)


def _inside(value: Any, rule: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name in rule.get("required", ()):
            if name not in value:
                yield f"{', '.join(path) or 'it'} must have {name!r}; there is none"
        known, others = rule.get("properties", {}), rule.get("additionalProperties")
        for name, part in value.items():
            own = known.get(name, others)
            if own:
                yield from _faults(part, own, (*path, str(name)))
    elif isinstance(value, list):
        least, most = rule.get("minItems", 0), rule.get("maxItems", len(value))
        if not least <= len(value) <= most:
            must = "not be empty" if least == 1 else f"have {least} entries"
            yield _at(path, must, value)
        for number, part in enumerate(value, 1):
            yield from _faults(part, rule.get("items", {}), (*path, f"entry {number}"))
