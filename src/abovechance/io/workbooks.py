"""Sheets of Excel and OpenDocument workbooks: one table each, with its names in the first row."""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from abovechance.errors import AboveChanceError, FileError, did_you_mean, listed, missing_extra
from abovechance.format import thousands
from abovechance.io.table import Table, listed_names
from abovechance.io.text_files import arrow, is_zip, refuse_twins
from abovechance.limits import refuse_larger

Cells = list[list[Any]]
CELL = 64  # bytes that a cell takes, at the least
ROW = re.compile(rb'<(?:\w+:)?(?:row|c)\s[^<>]*?\br\s*=\s*["\'](?:[A-Z]{1,7})?(\d{1,15})')
CELL_AT = re.compile(rb'<(?:\w+:)?c\s[^<>]*?\br\s*=\s*["\']([A-Z]{1,7})')
MOST_SAID = 120  # letters of what the reader says about damage


def read_workbook(data: bytes, source: str, sheet: str | None = None) -> Table:
    """The table on a sheet; which one must be said when several hold something.

    What a person sees as a table and a program cannot read as one is refused with its place:
    titles above the names, merged cells, empty rows, values under no name.
    """
    workbook = _opened(data, source)
    filled = _filled(workbook, source)
    if not filled:
        raise FileError(f"{source} must hold a table; all its visible sheets are empty.")
    if sheet is None and len(filled) > 1:
        raise FileError(
            f"{source} has {len(filled)} sheets with content: {listed_names(filled)}; say which "
            "with sheet= (--sheet)."
        )
    chosen = filled[0] if sheet is None else sheet
    if chosen not in workbook.sheet_names:
        near = did_you_mean(chosen, workbook.sheet_names) or "."
        raise FileError(
            f"no sheet {chosen!r} in {source}{near} Its sheets: "
            f"{listed_names(workbook.sheet_names)}."
        )
    page = _sheet(workbook, chosen, source)
    where = source if len(filled) == 1 else f"{source}, sheet {listed_names([chosen])}"
    table = _table(page.to_python(skip_empty_area=False), page.merged_cell_ranges, where)
    return replace(table, source=source, sheet=chosen, sheets=filled)


def sheets_in(data: bytes, source: str) -> tuple[str, ...]:
    """The visible sheets of a workbook that hold something, in their order."""
    return _filled(_opened(data, source), source)


def _opened(data: bytes, source: str) -> Any:
    try:
        import python_calamine as calamine
    except ImportError:
        raise missing_extra(
            f"{source} is a workbook, and to read it", "python-calamine", "excel"
        ) from None
    with _decoded(source):
        _refuse_far_cells(data, source)
        return calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))


def _refuse_far_cells(data: bytes, source: str) -> None:
    """Refuse a sheet whose last cell lies far out: the reader makes every cell up to it.

    Where that does not fit the memory it ends the process, so it is asked here.
    """
    if not is_zip(data):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                text = archive.read(name)
                rows = max((int(row) for row in set(ROW.findall(text))), default=0)
                wide = max((_number(letters) for letters in set(CELL_AT.findall(text))), default=0)
                refuse_larger(
                    CELL * rows * wide,
                    source,
                    f"a sheet of {thousands(rows)} × {thousands(wide)} cells",
                )


def _number(letters: bytes) -> int:
    """The number of a column by its letters, from 1 on.

    >>> _number(b"A"), _number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


@contextmanager
def _decoded(source: str) -> Iterator[None]:
    """What the reader says of a workbook it cannot read, in one line of ours."""
    import python_calamine as calamine

    try:
        yield
    except calamine.PasswordError:
        raise FileError(f"{source} is protected by a password; save it without one.") from None
    except (KeyboardInterrupt, SystemExit, GeneratorExit, AboveChanceError):
        raise
    except BaseException as error:  # a panic of the reader is no Exception
        said = str(error).split("\n")[0].rstrip(".")[:MOST_SAID]
        raise FileError(
            f"{source} must be a whole workbook; it is damaged, or another kind of file ({said}). "
            "Save the sheet again, or as CSV."
        ) from None


def _sheet(workbook: Any, name: str, source: str) -> Any:
    with _decoded(source):
        return workbook.get_sheet_by_name(name)


def _filled(workbook: Any, source: str) -> tuple[str, ...]:
    """Hidden sheets, charts and empty sheets are not offered."""
    visible = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if str(sheet.visible).endswith(".Visible") and str(sheet.typ).endswith(".WorkSheet")
    ]
    return tuple(name for name in visible if _sheet(workbook, name, source).height)


def _table(cells: Cells, merged: Any, source: str) -> Table:
    rows = [number for number, row in enumerate(cells) if any(map(_has_content, row))]
    if not rows:
        raise FileError(f"{source} must hold a table; it is empty.")
    top, end = rows[0], rows[-1]
    head = cells[top]
    used = [
        at for at in range(len(head)) if any(_has_content(cells[number][at]) for number in rows)
    ]
    named = [at for at in used if _has_content(head[at])]
    if len(named) == 1 < len(used):
        raise FileError(
            f"the first row of {source} must hold the names of the columns; row {top + 1} has one "
            f"cell, {str(head[named[0]])!r}. Delete what stands above the names."
        )
    _refuse_merged(merged or (), top, source)
    if named != used:
        lost = next(at for at in used if at not in named)
        raise FileError(
            f"every column of {source} must have a name in row {top + 1}; {_column(lost)}"
            f"{top + 1} is empty and there are values below it."
        )
    gaps = sorted(set(range(top, end + 1)) - set(rows))
    if gaps:
        raise FileError(
            f"{source} must hold one table without empty rows; row {gaps[0] + 1} is empty and "
            "rows follow. Delete it, or put what follows on a sheet of its own."
        )
    names = [str(_plain(head[at])).strip() for at in used]
    refuse_twins(names, source)
    body = cells[top + 1 : end + 1]
    columns = {
        name: _values([row[at] for row in body], name, source)
        for name, at in zip(names, used, strict=True)
    }
    return Table(columns, len(body), (), source)


def _refuse_merged(merged: Sequence[Any], top: int, source: str) -> None:
    """Only the first of merged cells has their value, so the others would pass for missing."""
    within = [corners for corners in merged if corners[1][0] >= top]
    if within:
        places = [
            f"{_column(left)}{first + 1}:{_column(right)}{last + 1}"
            for (first, left), (last, right) in within
        ]
        part = "names of columns" if within[0][0][0] <= top else "values"
        raise FileError(
            f"{source} must have one cell per value; {part} are in merged cells "
            f"({listed(places, 3)}). Unmerge them and write in each what it stands for."
        )


def _values(cells: list[Any], name: str, source: str) -> Any:
    """A column; a cell with an error, or with a formula never calculated, is missing."""
    values = [_plain(cell) if _has_content(cell) else None for cell in cells]
    if values and all(value is None for value in values):
        raise FileError(
            f"column {name!r} of {source} has a name and no values. If it holds formulas, open the "
            "workbook where they are calculated and save it; else delete the name."
        )
    return arrow(values)


def _has_content(cell: Any) -> bool:
    return cell is not None and not (isinstance(cell, str) and not cell.strip())


def _plain(cell: Any) -> Any:
    """Whole numbers as integers, so that beside words 7 is written 7: sheets know only floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _column(at: int) -> str:
    """The letters of a column.

    >>> _column(0), _column(27)
    ('A', 'AB')
    """
    return (_column(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)
