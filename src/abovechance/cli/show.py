"""Results on the terminal: tables to stdout, remarks to stderr."""

import sys
from typing import Any

import click


def console(stderr: bool = False) -> Any:
    """A rich console that neither wraps pipes nor colours them."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 110
    return Console(file=stream, width=width, soft_wrap=False, highlight=False)


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
    per_class = [e for e in result if e.by is None and e.class_ is not None]
    if per_class:
        _grid(screen, "Per class", per_class, "class_")
    groups = [e for e in result if e.by is not None and e.class_ is None]
    if groups:
        _grid(screen, "By subgroup", groups, "by")


def _by_family(screen: Any, rows: list[Any], result: Any) -> None:
    from itertools import groupby

    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    outputs = any(e.output for e in rows)
    for heading, side in _columns(rows, outputs):
        table.add_column(heading, justify=side, no_wrap=heading != "remark")
    for family, group in groupby(rows, key=lambda e: e.family):
        table.add_row(f"[bold]{family.capitalize()}[/]")
        for e in group:
            mark = " [bold]*[/]" if e.measure == result.primary and e.output is None else ""
            cells = [f"  {_plain(e.title)}{mark}"]
            if outputs:
                cells.append(_plain(e.output or ""))
            cells += [number(e.value), "" if e.chance is None else number(e.chance)]
            cells.append(_plain(e.undefined or ""))
            table.add_row(*cells)
    screen.print(table)
    if result.primary is not None:
        screen.print("* primary measure; the others are descriptive.", style="dim")


def _columns(rows: list[Any], outputs: bool) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [("", "left")]
    if outputs:
        found.append(("output", "left"))
    return [*found, ("value", "right"), ("chance", "right"), ("remark", "left")]


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


def _plain(text: str) -> str:
    """Text that rich prints as it is, control characters shown rather than obeyed."""
    from rich.markup import escape

    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))
    return escape(visible)
