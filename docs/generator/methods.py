"""A page for every declared method: interval, test, comparison."""

import importlib
import inspect
import re
from typing import Any

from . import measured

KINDS = {
    "interval": ("Intervals", "Of a value, or of a difference."),
    "test": ("Tests", "Of a value against chance, of calibration, of a difference."),
    "comparison": ("Comparisons", "Of two models: a test and an interval of the difference."),
    "omnibus": ("Several models at once", "One test of all of them."),
    "gain": ("Gains", "Of a value over the same prediction for every case."),
}
COLUMNS = {"Interval": "interval", "Test": "test", "Comparison of two models": "comparison"}


def declarations() -> Any:
    """The module that holds the declared methods, None where there is none."""
    try:
        return importlib.import_module("abovechance.inference.method")
    except ModuleNotFoundError:
        return None


def pages() -> dict[str, str]:
    """File name → text; without declarations a single page that says where methods are named."""
    found = declarations()
    if found is None:
        return {"methods/index.rst": _title("Methods") + WITHOUT}
    known = found.every()
    several = {f"methods/{_file(m)}.rst": _page(m, found) for m in known}
    return {**several, "methods/index.rst": _index(known, found)}


WITHOUT = """
Every result names the method of each interval and test, with its hypothesis; the law table in
:doc:`/architecture` says which law has which. Those that can be called by name are in the
:doc:`/reference`.
"""


def defaults_of(law: Any) -> dict[str, str]:
    """What a law has first and what stands in for it, as cells of a table."""
    found = declarations()
    if found is None:
        return {}
    cells = {}
    for heading, kind in COLUMNS.items():
        try:
            methods = list(found.chain(found.first_of(found.Kind(kind), law)))
        except ValueError:  # the law has none
            continue
        cells[heading] = " → ".join(_link(m, _named(m)) for m in methods)
    return cells


def _index(known: list[Any], found: Any) -> str:
    parts = [
        _title("Methods"),
        f"{len(known)} methods, a page each, made from their declarations. A measure states its "
        "law, a method which laws it answers and what of the data it allows for; which one is "
        "used by default follows from both. ``abovechance assess`` names the method of every "
        "number.\n",
    ]
    listed: list[str] = []
    for kind, (title, says) in KINDS.items():
        members = sorted((m for m in known if m.kind == kind), key=lambda m: _named(m).lower())
        listed += [f"   {_file(m)}" for m in members]
        if members:
            rows = [(_link(m, _named(m)), f"``{m.name}``", _laws(m), _allows(m)) for m in members]
            heads = ("method", "name", "laws", "allows for")
            parts += [_title(title, "-"), says + "\n", _table(heads, rows)]
    parts.append(".. toctree::\n   :hidden:\n\n" + "\n".join(listed) + "\n")
    return "\n".join(parts)


def _page(method: Any, found: Any) -> str:
    facts = {
        "Name": f"``{method.name}``",
        "Kind": str(method.kind.value),
        "In a sentence": f"by {_escaped(method.worded())}",
        "Hypothesis": _escaped(method.hypothesis),
        "Laws": _laws(method),
        "Used first for": ", ".join(sorted(law.value for law in method.default)),
        "Allows for": _allows(method),
        "Made for": ", ".join(sorted(fact.value for fact in method.needs)),
        "Smallest number of cases": str(method.smallest) if method.smallest > 1 else "",
        "Draws": "p rests on permutations, flips or resamples" if method.drawn else "",
        "Where it does not fit": _stand_in(method, found),
        "Called as": f"``ac.{method.address}``" if method.address else "",
    }
    parts = [_title(_titled(method, found)), _doc(method), _title("Facts", "-")]
    parts.append(_table(None, [(key, text) for key, text in facts.items() if text]))
    parts += [_title("Measured", "-"), measured.table(measured.of_method(method.kind, method.name))]
    sources = [_reference(key) for key in method.sources()]
    if sources:
        parts += [_title("Source", "-"), *(f"- {text}" for text in sources), ""]
    return "\n".join(parts)


def _titled(method: Any, found: Any) -> str:
    """A title of its own: with the kind, and the name, where others have the same."""
    title = _named(method)
    same = [m for m in found.every() if _named(m) == title]
    if len(same) == 1:
        return title
    alone = [m.kind for m in same].count(method.kind) == 1
    return (
        f"{title} ({method.kind.value})"
        if alone
        else f"{title} ({method.kind.value} {method.name})"
    )


def _doc(method: Any) -> str:
    """The first paragraphs of the function's docstring: up to its sections and examples."""
    doc = inspect.getdoc(method.function) if method.function is not None else ""
    return re.split(r"\n\w[\w ]*\n-{3,}\n|\n>>> ", doc or "")[0].strip() + "\n"


def _stand_in(method: Any, found: Any) -> str:
    if not method.otherwise:
        return ""
    other = found.find(method.otherwise, method.kind)
    return f"{_link(other, _named(other))} stands in"


def _laws(method: Any) -> str:
    from abovechance.measures import Law

    if method.laws == frozenset(Law):
        return "all"
    return ", ".join(sorted(law.value for law in method.laws))


def _allows(method: Any) -> str:
    facts = ", ".join(sorted(fact.value for fact in method.allows | method.needs))
    return facts or "independent cases only"


def _reference(key: str) -> str:
    """An entry of the bibliography as reports cite it."""
    from abovechance.reports.prose import bibliography

    source = bibliography()[key]
    return _escaped(f"{source.cited}. {source.title}." if source.title else source.cited)


def _named(method: Any) -> str:
    """The title, or where it says too little, the words; capital first."""
    title = method.listed.strip()
    if len(title) < 3:
        title = method.worded().strip()
    return title[:1].upper() + title[1:]


def _file(method: Any) -> str:
    return f"{method.kind.value}-{method.name}"


def _link(method: Any, text: str) -> str:
    return f":doc:`{_escaped(text)} </methods/{_file(method)}>`"


def _title(text: str, sign: str = "=") -> str:
    return f"{text}\n{sign * len(text)}\n"


def _escaped(text: str) -> str:
    return re.sub(r"([*_`|\\<>])", r"\\\1", text)


def _table(heads: tuple[str, ...] | None, rows: list[tuple[str, ...]]) -> str:
    from .measures import table

    return table(heads, rows)
