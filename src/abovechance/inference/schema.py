"""Results read back from JSON, checked against the published schema before anything uses them.

The schema (`results.schema.json`, made from the classes of results) is JSON Schema, draft 2020-12.
A few of its words are enough here, so no library is needed.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

from abovechance.errors import shown

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
    columns = {name: facts.get(name) for name in ("y", "low", "high")} | (
        facts.get("columns") or {}
    )
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
    return f"{where} must {must}; got {shown(value)}"


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
