"""Results out: CSV that no spreadsheet takes for formulas, JSON without NaN, whole files."""

import csv
import dataclasses
import io
import math
import os
import secrets
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.errors import FileError
from abovechance.io.table import NUMBER
from abovechance.paths import place, written

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def to_csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV text, the columns in order of first appearance.

    A text that a spreadsheet would run as a formula gets an apostrophe in front; numbers stay as
    they are. What is absent is an empty field.

    >>> print(to_csv_text([{"model": "=1+1", "value": -0.5}, {"model": "b", "p": None}]), end="")
    model,value,p
    '=1+1,-0.5,
    b,,
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def jsonable(value: Any) -> Any:
    """The same value for `json.dumps`: NaN becomes null, infinities become words.

    >>> jsonable({"value": np.float64("nan"), "interval": (np.int64(0), float("inf"))})
    {'value': None, 'interval': [0, 'Infinity']}
    """
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float | np.floating):
        return _json_float(float(value))
    if isinstance(value, np.bool_ | np.integer | np.str_):
        return value.item()
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(jsonable(key)): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((jsonable(item) for item in value), key=str)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all; what is no text of any encoding is spelt out."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all: beside its place first, then moved there in one step."""
    target = Path(os.path.realpath(place(path)))
    with written(target):
        if target.is_dir():
            raise FileError(f"{str(path)!r} must be a file to write; it is a folder.")
        if target.exists() and not target.is_file():  # a pipe or a terminal cannot be replaced
            target.write_bytes(content)
        else:
            _replace(target, content)


def _replace(target: Path, content: bytes) -> None:
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with draft.open("xb") as file:
            if target.exists():
                os.chmod(draft, target.stat().st_mode & 0o777)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _cell(value: Any) -> str:
    value = jsonable(value) if not isinstance(value, float) else value
    if value is None:
        return ""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else str(_json_float(value))
    if isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value):
        return "'" + value
    return str(value)


def _json_float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
