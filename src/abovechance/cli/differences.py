"""A comparison on the terminal."""

import re
from itertools import groupby
from typing import Any

import click

from abovechance.cli.show import _plain, console, limits, number, p_value

STUDENT = re.compile(r"\bt\(([0-9.]+)\)")


def show_comparison(result: Any, format_: str) -> None:
    """Print a comparison as text, JSON or CSV; remarks that CSV cannot hold go to stderr."""
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
    how = f"paired by {result.matched_by}" if result.paired else "not paired"
    screen.print(f"{result.n} cases, {how}; difference = first − second", style="dim")
    whole = [row for row in result if row.model is None]
    _values(screen, result)
    if whole:
        _differences(screen, whole, result, "Differences")
    _margins(screen, [row for row in whole if row.margin is not None])
    _posteriors(screen, [row for row in whole if row.posterior is not None])
    _omnibus(screen, result)
    apart = [row for row in result if row.model is not None]
    if apart:
        _differences(screen, apart, result, "Subgroups, not paired")
    _methods(screen, list(result))
    for advice in result.advice:
        screen.print(f"{advice}", markup=False)


def _table(title: str, *columns: tuple[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim")
    for heading, side in columns:
        table.add_column(heading, justify=side, no_wrap=heading != "remark")
    return table


def _values(screen: Any, result: Any) -> None:
    """Measures down, models across; letters where there are more than two models."""
    letters = {(place.measure, place.model): place.letters for place in result.ranking}
    models = [(_plain(model), "right") for model in result.models]
    table = _table("Values", ("", "left"), *models)
    rows = sorted(
        {e.measure: i for i, e in enumerate(result.estimates)}.items(), key=lambda m: m[1]
    )
    values = {(e.measure, e.model): e for e in result.estimates}
    for measure, _ in rows:
        title = values[measure, result.models[0]].title
        mark = " [bold]*[/]" if measure == result.primary else ""
        cells = [
            f"{number(values[measure, model].value)} {letters.get((measure, model), '')}".rstrip()
            for model in result.models
        ]
        table.add_row(f"  {_plain(title)}{mark}", *cells)
    screen.print()
    screen.print(table)
    if result.ranking:
        said = "Models that share a letter were not told apart."
        screen.print(said, style="dim")


def _differences(screen: Any, rows: list[Any], result: Any, title: str) -> None:
    level = next((row.interval.level for row in rows if row.interval), 0.95)
    several = len(rows) > len({(row.measure, row.model) for row in rows})
    adjusted = several and result.adjust != "none"
    shown = {
        "mid-p": any(row.mid_p is not None for row in rows),
        f"p ({result.adjust})": adjusted,
        "better": True,
        "remark": any(row.undefined for row in rows),
    }
    table = _table(
        title,
        ("", "left"),
        ("first", "left"),
        ("second", "left"),
        ("difference", "right"),
        (f"{level:.0%} interval", "left"),
        ("p", "right"),
        *(
            (name, "right" if "p" in name else "left")
            for name, is_there in shown.items()
            if is_there
        ),
    )
    for (name, model), group in groupby(rows, key=lambda row: (row.title, row.model)):
        heading = f"  {_plain(name)}" + (f" [dim]{_plain(model)}[/]" if model else "")
        for row in group:
            cells = [
                heading,
                _plain(row.first),
                _plain(row.second),
                signed(row.difference),
                limits(row.interval),
                _p(row.p_value),
            ]
            last = (_p(row.mid_p), _p(row.p_adjusted), row.better or "", row.undefined or "")
            kept = [cell for cell, wanted in zip(last, shown.values(), strict=True) if wanted]
            table.add_row(*cells, *map(_plain, kept))
            heading = ""
    screen.print()
    screen.print(table)


def _p(value: float | None) -> str:
    return "" if value is None else p_value(value)


def _margins(screen: Any, rows: list[Any]) -> None:
    if not rows:
        return
    level = rows[0].margin.interval.level
    table = _table(
        "Margins: is the first no worse than the second?",
        ("", "left"),
        ("first", "left"),
        ("second", "left"),
        ("margin", "right"),
        (f"{level:.0%} interval", "left"),
        ("not inferior (p)", "left"),
        ("equivalent (p)", "left"),
    )
    for row in rows:
        found = row.margin
        table.add_row(
            f"  {_plain(row.title)}",
            _plain(row.first),
            _plain(row.second),
            number(found.margin),
            limits(found.interval),
            _verdict(found.noninferior, found.p_noninferior),
            _verdict(found.equivalent, found.p_equivalent),
        )
    screen.print()
    screen.print(table)


def _verdict(holds: bool, p: float | None) -> str:
    said = "yes" if holds else "not shown"
    return said if p is None else f"{said} ({p_value(p)})"


def _posteriors(screen: Any, rows: list[Any]) -> None:
    if not rows:
        return
    rope = next((row.posterior.rope for row in rows if row.posterior.rope is not None), None)
    parts = ["P(first better)"]
    if rope is not None:
        parts = ["P(first by more)", f"P(equal within {rope:g})", "P(second by more)"]
    table = _table(
        "Posterior, not a test",
        ("", "left"),
        ("first", "left"),
        ("second", "left"),
        *((part, "right") for part in parts),
    )
    for row in rows:
        found = row.posterior
        shown = [found.p_better]
        if rope is not None:
            shown = [found.p_first, found.p_equal, found.p_second]
        names = (row.title, row.first, row.second)
        title, first, second = (_plain(name) for name in names)
        table.add_row(f"  {title}", first, second, *map(number, shown))
    screen.print()
    screen.print(table)


def _omnibus(screen: Any, result: Any) -> None:
    if not result.omnibus:
        return
    table = _table(
        "All models at once",
        ("", "left"),
        ("statistic", "right"),
        ("df", "right"),
        ("p", "right"),
        ("test", "left"),
    )
    titles = {e.measure: e.title for e in result.estimates}
    for test in result.omnibus:
        table.add_row(
            f"  {_plain(titles[test.measure])}",
            number(test.statistic),
            freedom(test.df) + ("" if test.df_error is None else f", {freedom(test.df_error)}"),
            p_value(test.p_value),
            _plain(test.test),
        )
    screen.print()
    screen.print(table)


def _methods(screen: Any, rows: list[Any]) -> None:
    """Which interval and which test each measure had, once each."""
    intervals: dict[str, list[str]] = {}
    tests: dict[str, list[str]] = {}
    for row in rows:
        if row.interval is not None:
            intervals.setdefault(row.interval.method, []).append(row.measure)
        if row.test is not None:
            draws = f", {row.draws} draws" if row.draws else ""
            tests.setdefault(f"{row.test}{draws}; H0: {row.hypothesis}", []).append(row.measure)
    side = next((row.alternative for row in rows if row.alternative), "two-sided")
    for title, found in (("Intervals", intervals), (f"Tests, {side}", tests)):
        if found:
            screen.print()
            screen.print(title, style="dim", markup=False)
        for method, measures in once(found).items():
            names = ", ".join(dict.fromkeys(measures))
            screen.print(f"  {method}: {names}", style="dim", markup=False)


def once(methods: dict[str, list[str]]) -> dict[str, list[str]]:
    """Methods that differ in degrees of freedom only, as one with the range of these.

    >>> once({"DeLong, t(102.2)": ["auc"], "DeLong, t(117.6)": ["auc"], "Tango": ["accuracy"]})
    {'DeLong, t(102 to 118)': ['auc', 'auc'], 'Tango': ['accuracy']}
    >>> once({"DeLong, t(9.0)": ["auc"]})
    {'DeLong, t(9.0)': ['auc']}
    """
    alike: dict[str, list[str]] = {}
    for method in methods:
        alike.setdefault(STUDENT.sub("t(…)", method), []).append(method)
    found = {}
    for general, those in alike.items():
        said = those[0]
        if len(those) > 1:
            freedoms = [round(float(df)) for method in those for df in STUDENT.findall(method)]
            low, high = min(freedoms), max(freedoms)
            said = general.replace("t(…)", f"t({low})" if low == high else f"t({low} to {high})")
        found[said] = [name for method in those for name in methods[method]]
    return found


def freedom(df: float) -> str:
    """Degrees of freedom for a table.

    >>> freedom(3.0), freedom(2.64)
    ('3', '2.6')
    """
    return f"{df:.1f}".removesuffix(".0")


def signed(value: float) -> str:
    """A difference for a table, its sign always shown.

    >>> signed(0.0421), signed(-0.5), signed(0.0)
    ('+0.042', '-0.500', '0.000')
    """
    return f"+{number(value)}" if value == value and value > 0 else number(value)
