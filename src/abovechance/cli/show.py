"""Results on the terminal: tables to stdout, remarks to stderr."""

import sys
from collections.abc import Iterable
from typing import Any

import click

from abovechance.format import limits, number, p_value
from abovechance.io.text_tables import Column, Lines, Row, TextTable, below, paragraph, screen_width

MOST_BY = 8  # measures by subgroup on the terminal
# What a reader of subgroups looks for first; the others are a --measures away.
LOOKED_FOR = ("auc", "balanced_accuracy", "accuracy", "sensitivity", "specificity", "brier",
              "calibration_slope", "mse", "mae", "r2", "c_index", "integrated_brier")  # fmt: skip
CHANCE = "chance: the mean when outcomes are shuffled among the cases; p tests against it."
OF_CLUSTERS = (
    "chance: the mean when outcomes are shuffled as the tests below say; p tests against it."
)
SKILL = "Skill: gain over the reference, the best prediction that is the same for all"


def console(stderr: bool = False) -> Any:
    """A rich console that neither wraps pipes nor colours them."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=screen_width(stream), soft_wrap=False, highlight=False)


def print_lines(screen: Any, lines: Iterable[tuple[str, str]]) -> None:
    """Lines that are laid out already, in their styles."""
    for style, line in lines:
        screen.print(line, style=style or None, markup=False, emoji=False, soft_wrap=True)


def show(result: Any, format_: str) -> None:
    """Print a result as text, JSON or CSV; remarks that CSV cannot hold go to stderr."""
    if format_ == "json":
        click.echo(result.to_json())
        return
    if format_ == "csv":
        click.echo(result.to_csv(), nl=False)
        for advice in result.advice:
            click.echo(f"abovechance: {advice}", err=True)
        return
    screen = console()
    print_lines(screen, _assessment(result, screen.width))


def _assessment(result: Any, width: int) -> Lines:
    whole = [e for e in result if e.by is None and e.class_ is None]
    for line in result.described.splitlines():
        yield from paragraph(line, width)
    yield from _by_family(whole, result).lines(width)
    if result.primary is not None:
        yield from paragraph("* primary measure; the others are descriptive.", width)
    if result.threshold is not None and any(e.family == "categorical" for e in whole):
        yield from paragraph(f"Cases above {result.threshold:g} are called positive.", width)
    if any(e.chance is not None and e.p_value is not None for e in whole):
        clustered = any("scheme" in (e.test_by or {}) for e in whole)
        yield from paragraph(OF_CLUSTERS if clustered else CHANCE, width)
    yield from below(_skill([e for e in whole if e.skill is not None]), width)
    yield from _skill_tests(whole, width)
    per_class = [e for e in result if e.by is None and e.class_ is not None]
    if per_class:
        yield from below(_per_class(per_class), width)
        if any(e.interval is not None for e in per_class):
            yield from paragraph("Their intervals: --format json or csv.", width)
    yield from _subgroups(result, width)
    yield from _methods(whole, width)
    if result.advice:
        yield "", ""
    for advice in result.advice:
        yield from paragraph(f"{advice}", width, "")


def _by_family(rows: list[Any], result: Any) -> TextTable:
    from itertools import groupby

    level = next((e.interval.level for e in rows if e.interval), 0.95)
    columns = (
        Column("", "name"),
        Column("output", "name"),
        Column("value"),
        Column(f"{100 * level:.4g}% interval", "limits"),
        Column("chance"),
        Column("p"),
        Column("remark", "remark"),
    )
    told: set[str] = set()
    families = list(dict.fromkeys(e.family for e in rows))
    in_order = sorted(rows, key=lambda e: families.index(e.family))
    found = []
    for family, group in groupby(in_order, key=lambda e: e.family):
        found.append(Row((family.capitalize(),)))
        for e in group:
            mark = " *" if e.measure == result.primary and e.output is None else ""
            cells = (
                f"  {e.title}{mark}",
                e.output or "",
                number(e.value, e.interval),
                limits(e.interval),
                "" if e.chance is None else number(e.chance),
                _p_once(e, told),
                e.undefined or e.remark or "",
            )
            found.append(Row(cells))
    return TextTable(columns, tuple(found))


def _p_once(estimate: Any, told: set[str]) -> str:
    """The p of an exact table test once: it is the same for every measure of the table."""
    if estimate.p_value is None:
        return ""
    if (estimate.test_by or {}).get("name") == "fisher":
        if "fisher" in told:
            return "″"
        told.add("fisher")
    return p_value(estimate.p_value)


def _skill(rows: list[Any]) -> TextTable:
    columns = (
        Column("", "name"),
        Column("reference"),
        Column("gain"),
        Column("interval", "limits"),
        Column("p"),
    )
    found = [
        Row(
            (
                f"  {e.title}",
                number(e.skill.reference),
                number(e.skill.difference, e.skill.interval),
                limits(e.skill.interval),
                p_value(e.skill.p_value),
            )
        )
        for e in rows
    ]
    return TextTable(columns, tuple(found), SKILL)


def _skill_tests(rows: list[Any], width: int) -> Lines:
    known = [e.skill for e in rows if e.skill is not None]
    for words in sorted({f"{k.test}; H0: {k.hypothesis}" for k in known if k.test}):
        yield from paragraph(f"  {words}", width)


def _methods(rows: list[Any], width: int) -> Lines:
    """Which interval and which test each measure had, once each."""
    from abovechance.inference.method import Use

    intervals: dict[str, list[str]] = {}
    sides: dict[str, dict[str, list[str]]] = {"one-sided": {}, "two-sided": {}}
    for e in rows:
        if e.interval is not None:
            intervals.setdefault(Use.of_interval(e.interval).title, []).append(e.measure)
        if e.test is not None:
            drawn = e.draws and "exact" not in (e.test_by or {})
            draws = f", {e.draws} draws" if drawn else ""
            tests = sides["two-sided" if e.alternative == "two-sided" else "one-sided"]
            tests.setdefault(f"{e.test}{draws}; H0: {e.hypothesis}", []).append(e.measure)
    parts = {"Intervals": intervals} | {f"Tests, {side}": tests for side, tests in sides.items()}
    for title, found in parts.items():
        if found:
            yield "", ""
            yield "dim", title
        for method, measures in found.items():
            yield from paragraph(f"  {method}: {_listed(measures)}", width)


def _listed(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return (
        ", ".join(distinct)
        if len(distinct) < 7
        else f"{', '.join(distinct[:5])} and {len(distinct) - 5} more"
    )


def _per_class(rows: list[Any]) -> TextTable:
    """Measures across, classes down."""
    labels = list(dict.fromkeys(e.class_ for e in rows))
    measures = list(dict.fromkeys((e.measure, e.output) for e in rows))
    values = {(e.class_, e.measure, e.output): e.value for e in rows}
    names = [m if o is None else f"{m} [{o}]" for m, o in measures]
    found = [
        Row((f"  {label}", *(number(values.get((label, m, o))) for m, o in measures)))
        for label in labels
    ]
    columns = (Column("", "name"), *(Column(name.replace("_", " ")) for name in names))
    return TextTable(columns, tuple(found), "Per class")


def _subgroups(result: Any, width: int) -> Lines:
    """Subgroups under each measure, with how many cases they hold, values and intervals."""
    rows = [e for e in result if e.by is not None and e.class_ is None]
    if not rows:
        return
    measures = list(dict.fromkeys((e.measure, e.output) for e in rows))
    kept = measures
    if len(measures) > MOST_BY:
        looked_for = (result.primary, *LOOKED_FOR)
        kept = [m for name in dict.fromkeys(looked_for) for m in measures if m[0] == name]
        kept = kept[:MOST_BY] or measures[:MOST_BY]
    sizes = {s.by: s for s in result.subgroups}
    level = next((e.interval.level for e in rows if e.interval), 0.95)
    columns = (
        Column("", "name"),
        Column("cases"),
        Column("events"),
        Column("value"),
        Column(f"{100 * level:.4g}% interval", "limits"),
        Column("remark", "remark"),
    )
    found = []
    for measure, output in kept:
        own = [e for e in rows if (e.measure, e.output) == (measure, output)]
        found.append(Row((own[0].title + (f" [{output}]" if output else ""),)))
        for e in own:
            size = sizes.get(e.by)
            events = None if size is None else size.events
            cells = (
                f"  {e.by}",
                "" if size is None else f"{size.n}",
                "" if events is None else f"{events}",
                number(e.value, e.interval),
                limits(e.interval),
                e.undefined or e.remark or "",
            )
            found.append(Row(cells))
    yield from below(TextTable(columns, tuple(found), "By subgroup"), width)
    if len(kept) < len(measures):
        others = len(measures) - len(kept)
        yield from paragraph(
            f"{others} other measures: --measures, or --format json or csv.", width
        )


def write_report(result: Any, path: str, predictions: Any = None) -> None:
    """Write the HTML report, with the command that made it, and say where."""
    from abovechance.reports import report

    command = click.get_current_context().find_root().obj
    report(result, path, predictions=predictions, command=command or "")
    click.echo(f"abovechance: report written to {path}", err=True)
