"""The story of a power study and of sample sizes: how many cases, and by which test?"""

from collections.abc import Mapping
from typing import Any

from abovechance.format import as_float, number, percent, plural, thousands
from abovechance.inference.printing import (
    power_table,
    sides_and_level,
    sizes_table,
    widths_table,
)
from abovechance.inference.prose import cite, label, listed, lower
from abovechance.inference.sentences import begun, bracketed, limits, named
from abovechance.inference.verdicts import TARGET, verdict
from abovechance.plots.result_pictures import setting, test_title
from abovechance.reports.methods import software
from abovechance.reports.story import Facts, Models, Story, Tile, charts_of, story, subtitle

CLOSED = ("accuracy", "fisher", "auc", "binomial", "wilcoxon", "delong")  # they permute nothing


@story("power", "sample_size")
def power(facts: Facts, models: Models) -> Story:
    """Powers over sizes and effects, or the cases needed for a target."""
    sizes = bool(facts.get("sizes"))
    settings = dict.fromkeys(setting(c) for c in facts.get("sizes") or facts["cells"])
    return Story(
        kicker="Sample size" if sizes else "Power study",
        title="How many cases?" if sizes else "How often would it be found?",
        subtitle=subtitle(
            facts,
            next(iter(settings)) if len(settings) == 1 else "",
            f"threshold {facts['threshold']:g}" if facts.get("threshold") is not None else "",
        ),
        verdict=verdict(facts),
        headline=_headline(facts),
        methods=f"{_methods(facts)} {software(facts)}",
        results=_headline(facts, past=True),
        tiles=_tiles(facts),
        tables=(sizes_table(facts) if sizes else power_table(facts),),
        charts=tuple(charts_of("sample_size" if sizes else "power", facts)),
    )


def _headline(facts: Mapping[str, Any], *, past: bool = False) -> str:
    """How many cases each test needs, or what power it has."""
    if facts.get("sizes"):
        return _needed(facts, "needed" if past else "needs")
    return " ".join(_reached(cells, facts, past=past) for cells in _by_test(facts).values())


def _methods(facts: Mapping[str, Any]) -> str:
    """What was simulated, how often, and at which level."""
    cells = facts.get("cells") or facts.get("sizes") or ()
    names = listed(list(dict.fromkeys(named(test_title(cell)) for cell in cells)))
    samples = max((int(cell.get("replications") or 0) for cell in cells), default=0)
    drawn = f"{thousands(samples)} simulated samples" if samples else "simulated samples"
    what = listed(list(dict.fromkeys(label(setting(cell)) for cell in cells)))
    if facts.get("sizes"):
        said = f"How many cases a power of {percent(_target(facts))} takes was found for {names} "
        said += f"from {drawn} each, and the power at that number from as many new ones."
    else:
        sizes = sorted({int(cell["n"]) for cell in cells if cell.get("n") is not None})
        said = f"The power of {names} was estimated from {drawn}"
        if sizes:
            said += f" of each size ({listed([thousands(n) for n in sizes], 12)} cases)"
        said += "."
    draws = facts.get("draws")
    permuted = any(cell["statistic"] not in CLOSED for cell in cells)
    drawn = f", permutation tests with {thousands(draws)} draws" if draws and permuted else ""
    level = sides_and_level(facts).replace(" at level", " were at level")
    return f"{said} The samples came from {what}. {level}{_threshold(facts)}{drawn}."


def _needed(facts: Mapping[str, Any], needs: str) -> str:
    parts: list[str] = []
    for size in sorted(facts["sizes"], key=lambda s: as_float(s["n"] or "Infinity")):
        verb = "" if parts else f" {needs}"
        if size.get("n") is None:
            many = f"more than {plural(int(facts['largest']), 'case')}"
        else:
            many = plural(int(size["n"]), "case")
            if size.get("interval"):
                low, high = size["interval"]
                many += f" (95% CI {thousands(low)} to {thousands(high)})"
        parts.append(f"{named(test_title(size))}{verb} {many}")
    level = sides_and_level(facts)
    asked = f"a power of {percent(_target(facts))} of {level[0].lower()}{level[1:]}"
    about = label(setting(facts["sizes"][0]))
    return f"For {asked} with {about}, {listed(parts)}."


def _reached(cells: list[Mapping[str, Any]], facts: Mapping[str, Any], *, past: bool) -> str:
    """The fewest cases with which a test reaches the target, or how far it gets."""
    subject, has = begun(test_title(cells[0])), "had" if past else "has"
    if not _by_size(facts):
        best = max(cells, key=lambda cell: as_float(cell["power"]))
        return f"{subject} {has} a power of at most {_power(best)}."
    first = _first(cells, facts)
    if first is None:
        most = max(cells, key=lambda cell: int(cell["n"]))
        with_ = plural(int(most["n"]), "case")
        return f"{subject} {has} a power of only {_power(most)} with {with_}."
    reaches = "reached" if past else "reaches"
    with_ = plural(int(first["n"]), "case")
    fewer = [int(cell["n"]) for cell in cells if int(cell["n"]) < int(first["n"])]
    does = "did" if past else "does"
    grid = f", the first size tried that {does}, after {thousands(max(fewer))}" if fewer else ""
    return f"{subject} {reaches} a power of {_power(first)} with {with_}{grid}."


def _by_test(facts: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for cell in facts["cells"]:
        if cell.get("power") is not None:
            found.setdefault(str(cell["statistic"]), []).append(cell)
    return found


def _first(cells: list[Mapping[str, Any]], facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The smallest size that reaches the target."""
    enough = [cell for cell in cells if as_float(cell["power"]) >= _target(facts)]
    return min(enough, key=lambda cell: int(cell["n"]), default=None)


def _by_size(facts: Mapping[str, Any]) -> bool:
    """Whether only the number of cases varies."""
    cells = facts["cells"]
    one = len({cell.get("effect") for cell in cells}) == 1
    return one and all(cell.get("n") is not None for cell in cells)


def _power(cell: Mapping[str, Any]) -> str:
    return f"{number(cell['power'])}{bracketed(limits(cell.get('interval')))}"


def _threshold(facts: Mapping[str, Any]) -> str:
    """Above what a label is positive, where a test sees labels."""
    titles = [str(row.get("title") or "") for row in facts.get("cells") or facts.get("sizes") or ()]
    seen = any(title.startswith(("Fisher", "Binomial", "McNemar")) for title in titles)
    if not seen or facts.get("threshold") is None:
        return ""
    return f", predicted labels positive above {as_float(facts['threshold']):g}"


def _target(facts: Mapping[str, Any]) -> float:
    return as_float(facts.get("target") or TARGET)


def _tiles(facts: Mapping[str, Any]) -> tuple[Tile, ...]:
    """Of each test the cases needed, or its power with the most cases."""
    if facts.get("sizes"):
        sizes = sorted(facts["sizes"], key=lambda s: as_float(s["n"] or "Infinity"))
        return tuple(_size_tile(size, facts) for size in sizes[:4])
    last: dict[str, Mapping[str, Any]] = {}
    for cell in sorted(facts["cells"], key=lambda c: as_float(c.get("n") or 0)):
        last[str(cell["statistic"])] = cell
    return tuple(
        Tile(
            test_title(cell),
            number(cell["power"]),
            f"with {thousands(cell['n'])} cases" if cell.get("n") else "",
        )
        for cell in list(last.values())[:4]
    )


def _size_tile(size: Mapping[str, Any], facts: Mapping[str, Any]) -> Tile:
    name = test_title(size)
    if size.get("n") is None:
        return Tile(name, f">{thousands(facts['largest'])}", "cases")
    low, high = size.get("interval") or (None, None)
    limits = "" if low is None else f", 95% {thousands(low)} to {thousands(high)}"
    return Tile(name, thousands(size["n"]), f"cases{limits}")


@story("precision_size")
def precision_size(facts: Facts, models: Models) -> Story:
    """The cases that intervals of a width take."""
    rows, width = facts["widths"], number(facts["width"])
    level = percent(facts["level"])
    parts, tiles = [], []
    for row in rows:
        if row.get("n") is None:
            many = f"more than {thousands(facts['largest'])} cases"
        else:
            low, high = row["interval"]
            ends = f"{thousands(low)} to {thousands(high)}"
            many = f"{plural(int(row['n']), 'case')} (95% CI {ends})"
        parts.append(f"{label(lower(str(row['title'])))} needs {many}")
        shown = thousands(row["n"]) if row.get("n") else f">{thousands(facts['largest'])}"
        tiles.append(Tile(str(row["title"]), shown, "cases"))
    enough = [int(row["n"]) for row in rows if row.get("n") is not None]
    whole = len(enough) == len(rows)
    many = (
        plural(max(enough), "case") if whole else f"More than {thousands(facts['largest'])} cases"
    )
    samples, setting = thousands(rows[0]["replications"]), label(rows[0]["setting"])
    return Story(
        kicker="Sample size",
        title="How many cases?",
        subtitle=subtitle(facts),
        verdict=f"{many} for intervals no wider than {width}",
        headline=f"For a {level} interval with a mean width of {width} in {setting}, "
        f"{listed(parts)}.",
        methods=f"How many cases a mean width of {width} takes was found by simulating the {level} "
        "intervals of the assessment, and the mean width at that number from "
        f"{samples} new samples{cite('riley2021')}. The samples came from {setting}. "
        f"{software(facts)}",
        tiles=tuple(tiles[:3]),
        tables=(widths_table(facts),),
    )
