"""What a report holds, as data: the template shows these blocks and computes nothing."""

from dataclasses import dataclass

from markupsafe import Markup

from abovechance.plots.chart import Chart
from abovechance.reports.citations import Source
from abovechance.tabular import Table


@dataclass(frozen=True)
class Tile:
    """One large fact at the top."""

    label: str
    value: str
    note: str = ""


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
    read: tuple[str, ...] = ()
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
