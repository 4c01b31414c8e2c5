"""Tables of results: declared once, rendered as text that fits the screen, Markdown and HTML.

A table holds what stands in its cells and what is exact behind them. As text, names wrap and
numbers are never cut; a Markdown table is for pull requests; the report turns the same table into
HTML (`reports/html.py`).
"""

import math
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from abovechance.format import as_float, between, number, p_value, shown, signed, thousands

Kind: TypeAlias = Literal["name", "text", "number", "limits", "remark", "interval"]
Style: TypeAlias = Literal["", "bold", "dim"]
Lines: TypeAlias = Iterator[tuple[Style, str]]
GAP = 2
PIPE = 80  # columns where nobody says how wide the screen is
NARROWEST = 12  # a name is not wrapped more narrowly than this
INDENT = "    "  # of what stands below a name
BREAKS = "-_=/,;:."  # where a word that is too long for its line may be cut
SERIES = 6  # colours that can be told apart
DITTO = "″"
STAR = "★"  # beside the primary measure; text has an asterisk


@dataclass(frozen=True)
class Bar:
    """An interval drawn in a line of a page's table, in shares of the line's width."""

    low: float
    value: float
    high: float
    chance: float | None = None
    colour: str = "0"


@dataclass(frozen=True)
class Cell:
    """What stands in a table: its text and what is behind it.

    `value` is the exact number, `ends` are the two limits of an interval and `bar` is its picture.
    `same` marks a p that is the one above, of the same test; `mark` is "primary" for the measure
    the study is about and "open" for what is left to state; `note` says why there is no value.
    """

    text: str = ""
    value: float | None = None
    ends: tuple["Cell", "Cell"] | None = None
    bar: Bar | None = None
    colour: str = ""
    mark: str = ""
    note: str = ""
    same: bool = False

    @property
    def filled(self) -> bool:
        """Whether anything stands here."""
        return bool(self.text or self.bar is not None or self.colour)


EMPTY = Cell()


@dataclass(frozen=True)
class Column:
    """A heading and what stands under it: names wrap, numbers and limits do not, remarks move."""

    heading: str
    kind: Kind = "number"


Declared: TypeAlias = tuple[str, Kind, Callable[[Any], Cell | str]]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under headings.

    Rows may stand in groups, one name per row in `groups`; `grouped_by` says what the groups are.
    Text has them as headings across the table, Markdown and HTML as the first column. `rows_of`
    names the part of the result that the table shows, for an exact export; a `folded` table opens
    on demand.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    caption: str = ""
    groups: tuple[str, ...] = ()
    grouped_by: str = ""
    folded: bool = False
    name: str = ""
    rows_of: str = ""

    def lines(self, width: int) -> Lines:
        """The lines, each with its style, none wider than the screen unless a number is."""
        for line in wrapped(shown(self.title), width) if self.title else ():
            yield "bold", line
        laid = _laid_out(self)
        full = [row for row in laid.rows if len(row) > 1 or len(laid.columns) == 1]
        for beside in (True, False):
            widths = _widths(laid, full, width, beside=beside)
            if widths is not None:
                yield from _aligned(laid, widths, width, beside=beside)
                break
        else:
            yield from _under_names(laid, width)
        yield from paragraph(self.caption.replace(STAR, "*"), width)

    def ungrouped(self) -> "Table":
        """The same with its groups as the first column."""
        if not self.groups:
            return self
        named = zip(self.groups, self.rows, strict=True)
        return replace(
            self,
            columns=(Column(self.grouped_by, "name"), *self.columns),
            rows=tuple((_group(group), *row) for group, row in named),
            groups=(),
        )

    def markdown(self) -> str:
        """The table as Markdown, under its title."""
        whole = self.ungrouped()
        lines = [f"**{_escaped(self.title)}**", ""] if self.title else []
        lines.append(_piped(_escaped(column.heading) for column in whole.columns))
        right = [column.kind == "number" for column in whole.columns]
        lines.append(_piped("---:" if r else "---" for r in right))
        lines += [_piped(_escaped(_cell_text(cell)) for cell in row) for row in whole.rows]
        if self.caption:
            lines += ["", _escaped(self.caption)]
        return "\n".join(lines)


@dataclass(frozen=True)
class Note:
    """A paragraph between tables."""

    text: str
    style: Style = "dim"


@dataclass(frozen=True)
class Listing:
    """Short statements under a heading, such as methods with the measures they were used for."""

    title: str
    items: tuple[str, ...]


Block: TypeAlias = Table | Note | Listing


def tabulate(rows: Iterable[Any], *declared: Declared | None, **about: Any) -> Table:
    """A table of rows from its declared columns: heading, kind, what a row has there.

    Columns in which nothing stands are left out; None is a column that does not apply here.

    >>> table = tabulate([{"n": 3}], ("cases", "number", lambda r: count(r["n"])),
    ...                  ("events", "number", lambda r: ""))
    >>> [column.heading for column in table.columns], table.rows[0][0].text
    (['cases'], '3')
    """
    wanted = [one for one in declared if one is not None]
    cells = [[_cell(get(row)) for _, _, get in wanted] for row in rows]
    kept = [i for i in range(len(wanted)) if any(row[i].filled for row in cells)]
    return Table(
        columns=tuple(Column(*wanted[i][:2]) for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in cells),
        **about,
    )


def series_colour(index: int) -> str:
    """The colour of a model or a series by its number.

    >>> series_colour(0), series_colour(7)
    ('0', '1')
    """
    return str(index % SERIES)


def _group(name: str) -> Cell:
    """The name of a group as a cell; a star marks the primary measure."""
    primary = name.endswith(f" {STAR}")
    return Cell(name.removesuffix(f" {STAR}"), mark="primary" if primary else "")


def _cell(given: Cell | str) -> Cell:
    return given if isinstance(given, Cell) else Cell(given)


def numeric(value: Any, note: Any = None, *, plus: bool = False, beside: Any = None) -> Cell:
    """A number with its exact value, or a dash with the reason."""
    exact = as_float(value)
    text = signed(value, beside=beside) if plus else number(value, beside=beside)
    return Cell(text, value=None if exact != exact else exact, note=str(note or ""))


def given(value: Any, *, plus: bool = False) -> Cell:
    """A number where there is one; else nothing."""
    return EMPTY if value is None else numeric(value, plus=plus)


def count(value: Any) -> Cell:
    """A whole number where there is one; one that was saved may be infinite."""
    if value is None or math.isinf(float(value)):
        return given(value)
    return Cell(thousands(value), value=float(value))


def p_cell(value: Any) -> Cell:
    """A p-value where there is one."""
    return EMPTY if value is None else Cell(p_value(value), value=as_float(value))


def limits(interval: Any, bar: Bar | None = None, *, plus: bool = False) -> Cell:
    """Both limits of an interval under the names of the contract, where there is one."""
    if not interval:
        return EMPTY
    low, high = (numeric(interval[end], plus=plus) for end in ("low", "high"))
    return Cell(between(interval["low"], interval["high"]), ends=(low, high), bar=bar)


def lines(blocks: Iterable[Block], width: int) -> Lines:
    """Blocks one under the other, tables and lists under an empty line."""
    first = True
    for block in blocks:
        if isinstance(block, Note):
            yield from paragraph(block.text, width, block.style)
        elif isinstance(block, Listing):
            if not first:
                yield "", ""
            yield "dim", block.title
            for item in block.items:
                yield from paragraph(f"  {item}", width)
        elif block.rows:
            if not first and block.title:
                yield "", ""
            yield from block.lines(width)
        first = False


def text(blocks: Iterable[Block], width: int | None = None) -> str:
    """Blocks as one text, as wide as the screen when no width is given."""
    wide = screen_width() if width is None else width
    return "\n".join(line.rstrip() for _, line in lines(blocks, wide))


def markdown(blocks: Iterable[Block]) -> str:
    """Blocks as Markdown."""
    parts = []
    for block in blocks:
        if isinstance(block, Note):
            parts.append(_escaped(block.text))
        elif isinstance(block, Listing):
            items = "\n".join(f"- {_escaped(item)}" for item in block.items)
            parts.append(f"**{_escaped(block.title)}**\n\n{items}")
        elif block.rows:
            parts.append(block.markdown())
    return "\n\n".join(part for part in parts if part) + "\n"


MARKER = "<!-- abovechance -->"  # by which a robot finds its own comment
LONGEST = 60_000  # characters that a comment may have


def comment(first: Iterable[Block], rest: Iterable[Block], summary: str) -> str:
    """Blocks as a comment on a pull request: the verdict, and the rest to open on demand."""
    head = f"{MARKER}\n{markdown(first)}\n<details><summary>{_escaped(summary)}</summary>\n\n"
    foot, body = "\n</details>\n", markdown(rest)
    room = LONGEST - len(head) - len(foot)
    if len(body) > room:
        said = "\n\nThe rest is left out here: it is longer than a comment may be.\n"
        body = body[: room - len(said)].rpartition("\n")[0] + said
    return f"{head}{body}{foot}"


def paragraph(text: str, width: int, style: Style = "dim") -> Lines:
    """A paragraph; nothing when there is nothing to say."""
    if text:
        yield from ((style, line) for line in wrapped(shown(text), width))


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


def extent(text: str) -> int:
    """Columns a text takes: wide letters take two, combining marks none.

    >>> extent("AUC"), extent("精度")
    (3, 4)
    """
    if text.isascii():
        return len(text)
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


@dataclass(frozen=True)
class _Laid:
    """A table as text: rows of strings; a row of a single string is a heading across."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def _laid_out(table: Table) -> _Laid:
    """Groups as headings across, names under a heading indented, the first heading left out."""
    indent = "  " if table.title or table.groups else ""
    rows: list[tuple[str, ...]] = []
    last = None
    for i, cells in enumerate(table.rows):
        if table.groups and table.groups[i] != last:
            last = table.groups[i]
            rows.append((shown(last).replace(STAR, "*"),))
        first, *others = (shown(_cell_text(cell)) for cell in cells)
        rows.append((f"{indent}{first}" if table.columns[0].kind == "name" else first, *others))
    named = table.columns and table.columns[0].kind == "name"
    kinds: tuple[Column, ...] = tuple(
        replace(column, kind="name") if column.kind == "text" else column
        for column in table.columns
    )
    return _Laid((Column("", "name"), *kinds[1:]) if named else kinds, tuple(rows))


def _cell_text(cell: Cell) -> str:
    if cell.same:
        return DITTO
    return f"{cell.text} *" if cell.mark == "primary" else cell.text


def _widths(table: _Laid, rows: Sequence[Any], width: int, *, beside: bool) -> list[int] | None:
    """Widths that fit the screen; None when there are none. Remarks stand beside, or below."""
    widest, least = [], []
    remarked = beside and any(column.kind == "remark" for column in table.columns)
    for i, column in enumerate(table.columns):
        if column.kind == "remark" and not beside:
            widest.append(0)
            least.append(0)
            continue
        cells = [extent(row[i]) for row in rows]
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
    fitted = list(widest)
    order = {"remark": 0, "number": 1, "limits": 1, "name": 2}
    while sum(fitted) + gaps > width:
        slack = [i for i in range(len(fitted)) if fitted[i] > least[i]]
        first = min(order[table.columns[i].kind] for i in slack)
        widest_of = [i for i in slack if order[table.columns[i].kind] == first]
        fitted[max(widest_of, key=lambda i: fitted[i])] -= 1
    return fitted


def _aligned(table: _Laid, widths: Sequence[int], width: int, *, beside: bool) -> Lines:
    kinds = [column.kind for column in table.columns]
    headings = tuple(column.heading for column in table.columns)
    if any(headings):
        yield from (("dim", line) for line in _lines_of(headings, kinds, widths, end=True))
    for row in table.rows:
        if _across(row, table):
            yield from (("bold", line) for line in wrapped(row[0], width))
            continue
        yield from (("", line) for line in _lines_of(row, kinds, widths))
        if not beside:
            for cell, kind in zip(row, kinds, strict=True):
                if kind == "remark" and cell:
                    yield from (("dim", line) for line in wrapped(f"      {cell}", width))


def _across(row: Sequence[str], table: _Laid) -> bool:
    return len(row) == 1 < len(table.columns)


def _lines_of(
    row: Sequence[str], kinds: Sequence[Kind], widths: Sequence[int], *, end: bool = False
) -> Iterator[str]:
    """The lines of a row, numbers on the first of them; headings end on one line."""
    shown = [i for i, w in enumerate(widths) if w > 0]
    hang = "" if end else "  "
    blocks = {i: wrapped(row[i], widths[i], hang) if row[i] else [""] for i in shown}
    height = max((len(block) for block in blocks.values()), default=0)
    for k in range(height):
        parts = []
        for i in shown:
            at = k - (height - len(blocks[i])) if end else k
            cell = blocks[i][at] if 0 <= at < len(blocks[i]) else ""
            room = " " * max(widths[i] - extent(cell), 0)
            parts.append(f"{room}{cell}" if kinds[i] == "number" else f"{cell}{room}")
        yield (" " * GAP).join(parts).rstrip()


def _under_names(table: _Laid, width: int) -> Lines:
    """Every name on a line of its own and its numbers below it, in columns where these fit."""
    numbers = [row[1:] for row in table.rows if not _across(row, table)]
    widths = None
    if table.columns[0].kind == "name" and len(table.columns) > 1:
        inner = _Laid(table.columns[1:], ())
        widths = _widths(inner, numbers, width - len(INDENT), beside=False)
    if widths is None:
        yield from _stacked(table, width)
        return
    yield from _indented(_aligned(inner, widths, width - len(INDENT), beside=False))
    bare = tuple(replace(column, heading="") for column in inner.columns)
    for row in table.rows:
        style: Style = "bold" if _across(row, table) else ""
        yield from ((style, line) for line in wrapped(row[0], width))
        if not _across(row, table):
            one = _Laid(bare, (row[1:],))
            yield from _indented(_aligned(one, widths, width - len(INDENT), beside=False))


def _indented(lines: Lines) -> Lines:
    yield from ((style, f"{INDENT}{line}") for style, line in lines)


def _stacked(table: _Laid, width: int) -> Lines:
    """A screen too narrow for columns: every row its name, and its cells below with headings."""
    for row in table.rows:
        if _across(row, table):
            yield from (("bold", line) for line in wrapped(row[0], width))
            continue
        named = table.columns[0].kind == "name"
        if named:
            yield from (("", line) for line in wrapped(row[0], width))
        line = INDENT
        for column, cell in list(zip(table.columns, row, strict=True))[named:]:
            if not cell:
                continue
            part = f"{column.heading} {cell}".strip()
            if line.strip() and extent(line) + extent(part) + GAP > width:
                yield "", line
                line = INDENT
            if column.kind in ("name", "remark") and extent(INDENT + part) > width:
                yield from (("", piece) for piece in wrapped(INDENT + part, width))
                continue
            line += f"{' ' * (GAP if line.strip() else 0)}{part}"
        if line.strip():
            yield "", line


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, calls nobody and points to no issue."""
    plain = "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in shown(text))
    return re.sub(r"([@#])(?=\w)", r"\1<!-- -->", plain)
