"""Tables as text that fit the screen: names wrap, numbers are never cut."""

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["name", "number", "limits", "remark"]
Style: TypeAlias = Literal["", "bold", "dim"]
Lines: TypeAlias = Iterator[tuple[Style, str]]
GAP = 2
PIPE = 110  # columns where nobody says how wide the screen is
NARROWEST = 14  # a name is not wrapped more narrowly than this
BREAKS = "-_=/,;:."  # where a word that is too long for its line may be cut


@dataclass(frozen=True)
class Column:
    """A heading and what stands under it: names wrap, numbers and limits do not, remarks move."""

    heading: str
    kind: Kind = "number"


@dataclass(frozen=True)
class Row:
    """Cells, one per column; a row of a single cell is a heading across the table."""

    cells: tuple[str, ...]

    @property
    def across(self) -> bool:
        return len(self.cells) == 1


@dataclass(frozen=True)
class TextTable:
    """A table as data; `lines` lays it out for a screen."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""

    def lines(self, width: int) -> Lines:
        """The lines, each with its style, none wider than the screen unless a number is."""
        if self.title:
            for line in wrapped(self.title, width):
                yield "bold", line
        shown = _without_empty(self)
        full = [row for row in shown.rows if not row.across]
        for beside in (True, False):
            widths = _widths(shown, full, width, beside=beside)
            if widths is not None:
                yield from _aligned(shown, widths, width, beside=beside)
                return
        yield from _stacked(shown, width)

    def text(self, width: int | None = None) -> str:
        """All lines as one text."""
        found = self.lines(screen_width() if width is None else width)
        return "\n".join(line.rstrip() for _, line in found)


def below(table: TextTable | None, width: int) -> Lines:
    """A table under an empty line; nothing when there is none."""
    if table is not None and table.rows:
        yield "", ""
        yield from table.lines(width)


def paragraph(text: str, width: int, style: Style = "dim") -> Lines:
    """A paragraph; nothing when there is nothing to say."""
    if text:
        yield from ((style, line) for line in wrapped(visible(text), width))


def screen_width(stream: Any = None) -> int:
    """Columns of the screen: COLUMNS where it is set, the terminal's, else those of a pipe.

    >>> screen_width() > 0
    True
    """
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated) > 0:
        return int(stated)
    try:
        if (sys.stdout if stream is None else stream).isatty():
            return shutil.get_terminal_size((PIPE, 24)).columns
    except (AttributeError, ValueError):  # a replaced or closed stream
        pass
    return PIPE


def visible(text: object) -> str:
    """Text with control characters shown rather than obeyed.

    >>> visible("a\\x1b[31mb")
    'a�[31mb'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


def extent(text: str) -> int:
    """Columns a text takes: wide letters take two, combining marks none.

    >>> extent("AUC"), extent("精度")
    (3, 4)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def wrapped(text: str, width: int, hang: str = "  ") -> list[str]:
    """Words on lines of at most so many columns, indented as the first is, and further.

    >>> wrapped("  Area under the ROC curve", 16)
    ['  Area under the', '    ROC curve']
    """
    indent = text[: len(text) - len(text.lstrip())]
    lines, line = [], indent
    for word in text.split():
        rest = word
        while rest:
            begun = bool(line.strip())
            room = width - extent(line) - begun
            if extent(rest) <= room:
                line += f"{' ' * begun}{rest}"
                break
            # A word that fits on no line is cut; one that fits on the next waits for it.
            if begun and (extent(rest) <= width - extent(indent + hang) or room < NARROWEST // 2):
                lines.append(line)
                line = f"{indent}{hang}"
                continue
            part = _cut(rest, max(room, 1))
            lines.append(f"{line}{' ' * begun}{part}")
            rest, line = rest[len(part) :], f"{indent}{hang}"
    return [*lines, line] if line.strip() or not lines else lines


def _cut(word: str, room: int) -> str:
    """The beginning of a word that fits, cut after a sign where there is one."""
    size = 1
    while size < len(word) and extent(word[: size + 1]) <= room:
        size += 1
    signs = [i + 1 for i, c in enumerate(word[:size]) if c in BREAKS and i > 0]
    return word[: signs[-1]] if signs else word[:size]


def _without_empty(table: TextTable) -> TextTable:
    """Columns in which nothing stands are left out."""
    full = [row for row in table.rows if not row.across]
    kept = [i for i in range(len(table.columns)) if not full or any(r.cells[i] for r in full)]
    rows = [
        Row(tuple(visible(c) for c in row.cells))
        if row.across
        else Row(tuple(visible(row.cells[i]) for i in kept))
        for row in table.rows
    ]
    return TextTable(tuple(table.columns[i] for i in kept), tuple(rows))


def _widths(table: TextTable, rows: Sequence[Row], width: int, *, beside: bool) -> list[int] | None:
    """Widths that fit the screen; None when there are none. Remarks stand beside, or below."""
    widest, least = [], []
    remarked = beside and any(column.kind == "remark" for column in table.columns)
    for i, column in enumerate(table.columns):
        if column.kind == "remark" and not beside:
            widest.append(0)
            least.append(0)
            continue
        cells = [extent(row.cells[i]) for row in rows]
        words = [extent(word) for word in column.heading.split()]
        content = max(cells, default=0)
        widest.append(max(content, extent(column.heading)))
        if column.kind in ("number", "limits"):
            least.append(max([content, *words]))
        elif column.kind == "remark":
            least.append(min(widest[-1], 2 * NARROWEST))
        elif remarked:  # rather a remark below than a name on two lines
            least.append(widest[-1])
        else:
            least.append(min(widest[-1], max([NARROWEST, *words])))
    gaps = GAP * (sum(w > 0 for w in widest) - 1)
    if sum(least) + gaps > width:
        return None
    found = list(widest)
    order = {"remark": 0, "number": 1, "limits": 1, "name": 2}
    while sum(found) + gaps > width:
        slack = [i for i in range(len(found)) if found[i] > least[i]]
        first = min(order[table.columns[i].kind] for i in slack)
        widest_of = [i for i in slack if order[table.columns[i].kind] == first]
        found[max(widest_of, key=lambda i: found[i])] -= 1
    return found


def _aligned(table: TextTable, widths: Sequence[int], width: int, *, beside: bool) -> Lines:
    kinds = [column.kind for column in table.columns]
    heading = Row(tuple(column.heading for column in table.columns))
    if any(heading.cells):
        yield from (("dim", line) for line in _lines_of(heading, kinds, widths, end=True))
    for row in table.rows:
        if row.across:
            yield from (("bold", line) for line in wrapped(row.cells[0], width))
            continue
        yield from (("", line) for line in _lines_of(row, kinds, widths))
        if not beside:
            for cell, kind in zip(row.cells, kinds, strict=True):
                if kind == "remark" and cell:
                    yield from (("dim", line) for line in wrapped(f"      {cell}", width))


def _lines_of(
    row: Row, kinds: Sequence[Kind], widths: Sequence[int], *, end: bool = False
) -> Iterator[str]:
    """The lines of a row, numbers on the first of them; headings end on one line."""
    shown = [i for i, w in enumerate(widths) if w > 0]
    hang = "" if end else "  "
    blocks = {i: wrapped(row.cells[i], widths[i], hang) if row.cells[i] else [""] for i in shown}
    height = max((len(block) for block in blocks.values()), default=0)
    for k in range(height):
        parts = []
        for i in shown:
            at = k - (height - len(blocks[i])) if end else k
            cell = blocks[i][at] if 0 <= at < len(blocks[i]) else ""
            room = " " * max(widths[i] - extent(cell), 0)
            parts.append(f"{room}{cell}" if kinds[i] == "number" else f"{cell}{room}")
        yield (" " * GAP).join(parts).rstrip()


def _stacked(table: TextTable, width: int) -> Lines:
    """A screen too narrow for columns: every row its name, and its cells below with headings."""
    for row in table.rows:
        if row.across:
            yield from (("bold", line) for line in wrapped(row.cells[0], width))
            continue
        named = table.columns[0].kind == "name"
        if named:
            yield from (("", line) for line in wrapped(row.cells[0], width))
        indent = "    "
        line = indent
        for column, cell in list(zip(table.columns, row.cells, strict=True))[named:]:
            if not cell:
                continue
            part = f"{column.heading} {cell}".strip()
            if line.strip() and extent(line) + extent(part) + GAP > width:
                yield "", line
                line = indent
            if column.kind in ("name", "remark") and extent(indent + part) > width:
                yield from (("", piece) for piece in wrapped(indent + part, width))
                continue
            line += f"{' ' * (GAP if line.strip() else 0)}{part}"
        if line.strip():
            yield "", line
