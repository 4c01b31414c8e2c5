"""Reports as one HTML file that loads nothing."""

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from abovechance.format import number, shown, turns
from abovechance.plots.chart import DARK, LIGHT, Chart, Line, Series
from abovechance.plots.svg_render import render
from abovechance.reports.story import Document
from abovechance.tabular import EMPTY, Bar, Cell, Column, Kind, Table

if TYPE_CHECKING:
    from jinja2 import Environment

UNSAFE = "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"  # within a script
ON_PAGE: dict[Kind, Kind] = {"remark": "name", "limits": "text"}
SYMBOLS = ("p", "mid-p", "df")
PLAIN = 32_000  # characters of JSON that are embedded as they are


def page(document: Document) -> str:
    """The whole page."""
    script = report_script()
    return (
        environment()
        .get_template("report.html")
        .render(
            document=document,
            style=Markup(style_sheet()),
            script=Markup(script),
            script_digest=digest(script),
            data=Markup(inert(document.json)),
            packed=packed(document.json),
        )
    )


@cache
def report_script() -> str:
    """The script of the page, without its indentation."""
    return "\n".join(line.strip() for line in template_text("report.js").splitlines())


def digest(script: str) -> str:
    """What a policy must name for a script to run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def fragment(document: Document) -> str:
    """The answer, its numbers and first pictures, for a notebook: no script, styles kept inside."""
    light = "".join(f"--c-{name}:{colour};" for name, colour in LIGHT.items())
    style = template_text("notebook.css").replace("/* colours */", light)
    template = environment().get_template("notebook.html")
    return template.render(document=document, style=Markup(style))


@cache
def environment() -> "Environment":
    """Templates in which everything is escaped, and invisible characters are made visible."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("abovechance.reports"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    found.filters.update(
        base64=lambda data: Markup(base64.b64encode(data).decode()),
        laid_out=_laid_out,
        lines=_lines,
        on_page=on_page,
        places=_places,
        plot=render,
        reading=_reading,
        rows=_rows,
        sort_key=_sort_key,
        turns=turns,
        wide=_wide,
    )
    return found


def on_page(table: Table) -> Table:
    """A table as a page has it: groups in a column, limits in two that can be sorted, bars beside.

    >>> from abovechance.tabular import limits, tabulate
    >>> rows = [{"low": 0.1, "high": 0.2}]
    >>> table = on_page(tabulate(rows, ("95% interval", "limits", limits)))
    >>> [(c.heading, cell.text) for c, cell in zip(table.columns, table.rows[0], strict=True)]
    [('Low', '0.100'), ('High', '0.200')]
    """
    whole = table.ungrouped()
    columns: list[Column] = []
    cells: list[list[Cell]] = [[] for _ in whole.rows]
    for i, column in enumerate(whole.columns):
        own = [row[i] for row in whole.rows]
        if column.kind != "limits" or not any(cell.ends for cell in own):
            parts = [(Column(_heading(column.heading), ON_PAGE.get(column.kind, column.kind)), own)]
        else:
            ends = [cell.ends or (EMPTY, EMPTY) for cell in own]
            parts = [(Column(name), [e[k] for e in ends]) for k, name in ((0, "Low"), (1, "High"))]
            if any(cell.bar for cell in own):
                parts.append((Column("Interval", "interval"), [Cell(bar=c.bar) for c in own]))
        for heading, values in parts:
            columns.append(heading)
            for row, value in zip(cells, values, strict=True):
                row.append(value)
    return replace(whole, columns=tuple(columns), rows=tuple(map(tuple, cells)))


def _heading(text: str) -> str:
    """A heading with a capital, unless it is a symbol.

    >>> _heading("by formula"), _heading("p (holm)"), _heading("df")
    ('By formula', 'p (holm)', 'df')
    """
    return text if text.partition(" ")[0] in SYMBOLS else text[:1].upper() + text[1:]


def _rows(series: Series) -> Iterator[list[str]]:
    """The numbers behind a part of a chart, as they are shown."""
    for row in zip(*series.columns, strict=True):
        yield [cell if isinstance(cell, str) else _short(cell) for cell in row]


def _short(value: object) -> str:
    """Three digits, without the zeros that say nothing.

    >>> _short(0.25), _short(3.0), _short(120)
    ('0.25', '3', '120')
    """
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _sort_key(cell: Cell) -> str:
    """A number to sort by, where what is shown is not one."""
    if cell.value is None or cell.text.replace("−", "").replace("+", "").replace(".", "").isdigit():
        return ""
    return f"{cell.value:.3g}"


def _places(bar: Bar) -> str:
    """Where an interval begins, has its value and ends, and where chance is: for the style sheet.

    >>> _places(Bar(0.5, 0.75, 1.0, 0.25))
    '--l:.5;--v:.75;--h:1;--c:.25'
    """
    shares = {"l": bar.low, "v": bar.value, "h": bar.high, "c": bar.chance}
    return ";".join(
        f"--{name}:{f'{share:.3f}'.lstrip('0').rstrip('0').rstrip('.') or '0'}"
        for name, share in shares.items()
        if share is not None
    )


def _laid_out(charts: Sequence[Chart]) -> list[tuple[Chart, int]]:
    """The charts in rows of six columns without gaps, each with the columns it spans.

    Wide ones want four, others two; a row is filled by the next chart that fits, and what is
    left over is shared.
    """
    waiting, found = list(charts), []
    while waiting:
        row = [waiting.pop(0)]
        while room := 6 - sum(4 if _wide(c) else 2 for c in row):
            fits = next((c for c in waiting if (4 if _wide(c) else 2) <= room), None)
            if fits is None:
                break
            waiting.remove(fits)
            row.append(fits)
        spans = [4 if _wide(c) else 2 for c in row]
        spare = (6 - sum(spans)) // len(row)
        found += [(chart, span + spare) for chart, span in zip(row, spans, strict=True)]
    return found


def _wide(chart: Chart) -> bool:
    """Whether a chart needs the room of two."""
    return bool(chart.rows) or chart.height < 0.7


def _reading(chart: Chart) -> str:
    """How the page reads a chart: steps keep their value, lines are interpolated."""
    steps = any(isinstance(layer, Line) and layer.steps for layer in chart.layers)
    return "steps" if steps and chart.readout == "along" else chart.readout


def _lines(text: str) -> Markup:
    """Text of several lines, which `shown` would put on one."""
    return Markup("\n").join(shown(line) for line in text.splitlines())


@cache
def template_text(name: str) -> str:
    """A file beside the templates, as it is."""
    return (files("abovechance.reports") / "templates" / name).read_text("utf-8")


@cache
def style_sheet() -> str:
    """The style sheet, with the palette that figures use too."""
    light, dark = (
        "".join(f"--c-{name}:{colour};" for name, colour in palette.items())
        for palette in (LIGHT, DARK)
    )
    colours = (
        f":root{{{light}color-scheme:light}}"
        f"@media screen and (prefers-color-scheme:dark)"
        f"{{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}"
        f"@media screen{{:root[data-theme=dark]{{{dark}color-scheme:dark}}}}"
    )
    return colours + template_text("report.css")


def packed(json: str) -> str:
    """A long JSON as gzip in base64, so that the file stays small; nothing for a short one.

    >>> packed("{}")
    ''
    """
    if len(json) <= PLAIN:
        return ""
    return base64.b64encode(gzip.compress(json.encode(), mtime=0)).decode()


def inert(json: str) -> str:
    """JSON that cannot end the element it stands in, and that any reader takes for the same.

    >>> inert('{"a":"</script>"}')
    '{"a":"\\\\u003c/script\\\\u003e"}'
    """
    return re.sub(UNSAFE, lambda found: f"\\u{ord(found[0]):04x}", json)
