"""Results on the terminal: tables to stdout, remarks to stderr."""

import sys
from collections.abc import Iterable
from typing import Any

import click

from abovechance.numerics.p_values import p_text


def console(stderr: bool = False) -> Any:
    """A rich console that neither wraps pipes nor colours them."""
    from rich.console import Console

    from abovechance.io.text import screen_width

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
    if result.described:
        screen.print(result.described, style="dim", markup=False)
    _assessment(screen, result)
    for advice in result.advice:
        screen.print(f"{advice}", markup=False)


def _assessment(screen: Any, result: Any) -> None:
    whole = [e for e in result if e.by is None and e.class_ is None]
    _by_family(screen, whole, result)
    _skill(screen, [e for e in whole if e.skill is not None])
    per_class = [e for e in result if e.by is None and e.class_ is not None]
    if per_class:
        _grid(screen, "Per class", per_class, "class_")
    groups = [e for e in result if e.by is not None and e.class_ is None]
    if groups:
        _grid(screen, "By subgroup", groups, "by")
    _methods(screen, whole)


def _by_family(screen: Any, rows: list[Any], result: Any) -> None:
    from itertools import groupby

    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    shown = {
        "output": any(e.output for e in rows),
        "interval": any(e.interval for e in rows),
        "p": any(e.p_value is not None for e in rows),
        "remark": any(e.undefined for e in rows),
    }
    level = next((e.interval.level for e in rows if e.interval), 0.95)
    for heading, side in _columns(shown, level):
        table.add_column(heading, justify=side, no_wrap=heading != "remark")
    told: set[str] = set()
    families = list(dict.fromkeys(e.family for e in rows))
    in_order = sorted(rows, key=lambda e: families.index(e.family))
    for family, group in groupby(in_order, key=lambda e: e.family):
        table.add_row(f"[bold]{family.capitalize()}[/]")
        for e in group:
            mark = " [bold]*[/]" if e.measure == result.primary and e.output is None else ""
            cells = [f"  {_plain(e.title)}{mark}"]
            if shown["output"]:
                cells.append(_plain(e.output or ""))
            cells.append(number(e.value))
            if shown["interval"]:
                cells.append(limits(e.interval))
            cells.append("" if e.chance is None else number(e.chance))
            if shown["p"]:
                cells.append(_p_once(e, told))
            if shown["remark"]:
                cells.append(_plain(e.undefined or ""))
            table.add_row(*cells)
    screen.print(table)
    if result.primary is not None:
        screen.print("* primary measure; the others are descriptive.", style="dim")


def _columns(shown: dict[str, bool], level: float) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [("", "left")]
    if shown["output"]:
        found.append(("output", "left"))
    found.append(("value", "right"))
    if shown["interval"]:
        found.append((f"{level:.0%} interval", "left"))
    found.append(("chance", "right"))
    if shown["p"]:
        found.append(("p", "right"))
    return [*found, ("remark", "left")] if shown["remark"] else found


def _p_once(estimate: Any, told: set[str]) -> str:
    """The p of an exact table test once: it is the same for every measure of the table."""
    if estimate.p_value is None:
        return ""
    if (estimate.test or "").startswith("Fisher"):
        if "Fisher" in told:
            return "″"
        told.add("Fisher")
    return p_value(estimate.p_value)


def _skill(screen: Any, rows: list[Any]) -> None:
    from rich.table import Table

    if not rows:
        return
    table = Table(
        title="Skill: gain over the uninformative forecast",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="dim",
    )
    for heading in ("", "forecast", "gain", "interval", "p"):
        table.add_column(heading, justify="left" if heading in ("", "interval") else "right")
    for e in rows:
        p = "" if e.skill.p_value is None else p_value(e.skill.p_value)
        cells = [number(e.skill.reference), number(e.skill.difference), limits(e.skill.interval), p]
        table.add_row(f"  {_plain(e.title)}", *cells)
    screen.print()
    screen.print(table)
    tests = {f"{e.skill.test}; H0: {e.skill.hypothesis}" for e in rows if e.skill.test}
    for words in sorted(tests):
        screen.print(f"  {words}", style="dim", markup=False)


def _methods(screen: Any, rows: list[Any]) -> None:
    """Which interval and which test each measure had, once each."""
    intervals: dict[str, list[str]] = {}
    sides: dict[str, dict[str, list[str]]] = {"one-sided": {}, "two-sided": {}}
    for e in rows:
        if e.interval is not None:
            intervals.setdefault(e.interval.method.split(" (mean")[0], []).append(e.measure)
        if e.test is not None:
            draws = f", {e.draws} draws" if e.draws and "exact" not in e.test else ""
            tests = sides["two-sided" if e.alternative == "two-sided" else "one-sided"]
            tests.setdefault(f"{e.test}{draws}; H0: {e.hypothesis}", []).append(e.measure)
    parts = {"Intervals": intervals} | {f"Tests, {side}": tests for side, tests in sides.items()}
    for title, found in parts.items():
        if found:
            screen.print()
            screen.print(f"{title}", style="dim")
        for method, measures in found.items():
            screen.print(f"  {method}: {_listed(measures)}", style="dim", markup=False)


def _listed(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return (
        ", ".join(distinct)
        if len(distinct) < 7
        else f"{', '.join(distinct[:5])} and {len(distinct) - 5} more"
    )


def _grid(screen: Any, title: str, rows: list[Any], key: str) -> None:
    """Measures across, classes or subgroups down."""
    from rich.table import Table

    labels = list(dict.fromkeys(getattr(e, key) for e in rows))
    measures = list(dict.fromkeys((e.measure, e.output) for e in rows))
    values = {(getattr(e, key), e.measure, e.output): e.value for e in rows}
    across = key == "class_"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim")
    names = [_plain(m if o is None else f"{m} [{o}]") for m, o in measures]
    table.add_column("")
    for heading in names if across else [_plain(x) for x in labels]:
        table.add_column(heading, justify="right")
    if across:
        for label in labels:
            cells = [number(values.get((label, m, o))) for m, o in measures]
            table.add_row(f"  {_plain(label)}", *cells)
    else:
        for (m, o), name in zip(measures, names, strict=True):
            table.add_row(f"  {name}", *(number(values.get((x, m, o))) for x in labels))
    screen.print()
    screen.print(table)
    if any(e.interval is not None for e in rows):
        screen.print("Their intervals: --format json or csv.", style="dim")


def write_report(result: Any, path: str, predictions: Any = None) -> None:
    """Write the HTML report, with the command that made it, and say where."""
    from abovechance.reports import report

    command = click.get_current_context().find_root().obj
    report(result, path, predictions=predictions, command=command or "")
    click.echo(f"abovechance: report written to {path}", err=True)


def number(value: float | None) -> str:
    """A number for a table: three digits after the point where that says enough."""
    if value is None or value != value:
        return "–"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size == 0 or 0.001 <= size < 1000:
        return f"{value:.3f}"
    return f"{value:.4g}"


def limits(interval: Any) -> str:
    """Both limits of an interval for a table."""
    return "" if interval is None else f"{number(interval.low)} to {number(interval.high)}"


def p_value(p: float) -> str:
    """A p-value for a table, never 0.

    >>> p_value(0.00002), p_value(0.0499), p_value(2.3e-308)
    ('2e-05', '0.050', '< 1e-300')
    """
    if p != p:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else p_text(p, 1)


def _plain(text: str) -> str:
    """Text that rich prints as it is, control characters shown rather than obeyed."""
    from rich.markup import escape

    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))
    return escape(visible)
