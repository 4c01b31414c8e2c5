"""What a report holds, as data: the template shows these blocks and computes nothing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from markupsafe import Markup

from abovechance.plots.chart import Chart
from abovechance.reports.citations import Source

Kind: TypeAlias = Literal["name", "text", "number", "interval"]


@dataclass(frozen=True)
class Tile:
    """One large fact at the top."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Bar:
    """An interval in a line of a table, in shares of the line's width."""

    low: float
    value: float
    high: float
    chance: float | None = None
    colour: str = "0"


@dataclass(frozen=True)
class Cell:
    """What stands in a table: its text, the exact number behind it, or a small picture."""

    text: str = ""
    value: float | None = None
    bar: Bar | None = None
    colour: str = ""
    mark: str = ""
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A heading, and what kind of cells stand under it."""

    heading: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """Rows under headings; a folded one opens when asked."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    folded: bool = False
    name: str = ""
    rows_of: str = ""  # the part of the result it shows, for an exact export


@dataclass(frozen=True)
class Remark:
    """One piece of advice."""

    code: str
    text: str
    source: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph to read, to paste as text, and to set by LaTeX."""

    title: str
    html: Markup
    text: str
    latex: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Document:
    """A whole report."""

    title: str
    kicker: str
    subtitle: str
    verdict: str
    headline: Markup
    tiles: tuple[Tile, ...] = ()
    remarks: tuple[Remark, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    checklist: Table | None = None
    command: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()
    json: str = "{}"
