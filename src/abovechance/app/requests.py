"""From what the page sends to what it shows, without a server.

A request is a line of JSON and then the files one after the other. First the page wants to know
what their columns hold, with a guess at which is what for the reader to correct; then the report.
"""

import io
import json
import shlex
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from abovechance.errors import ColumnError, DataError, FileError
from abovechance.inference import assess, compare
from abovechance.io import read, read_table
from abovechance.io.roles import find_roles, fitting
from abovechance.io.table import Kind, Table
from abovechance.io.text_files import Format, is_gzip, is_zip, recognise
from abovechance.io.workbooks import sheets_in
from abovechance.measures import applicable
from abovechance.predictions import Predictions
from abovechance.reports import Report, report
from abovechance.settings import Progress

EXAMPLES = 3
FEW_CLASSES = 30
ABOUT_CASES = ("id", "groups", "fold")
OF_CLASSES = ("probability", "probabilities", "score", "label")
IN_TIME = ("risk", "survival")
KINDS = (*OF_CLASSES, "value", *IN_TIME)
SEVERAL_COLUMNS = ("probabilities", "survival")
TEXTS = ("outcome", "positive", "time", "event", *ABOUT_CASES, "by", "threshold", "missing",
         "primary", "times")  # fmt: skip
# What messages name as an argument or an option, as the page calls it.
CALLED = {
    'missing="drop" (--missing drop)': "“Cases that miss a value: leave out”",
    "pos_label": "“Positive class”",
}
LARGEST = 200 * 2**20  # bytes in all, as sent and as unpacked
MOST_FILES = 6
LONGEST = 200  # letters of a file name that are kept
LINE = 2**20
MOST_MODELS = 6
SEED = 1


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: its name, what it holds, some values, and its classes when they are few."""

    name: str
    kind: str
    examples: tuple[str, ...]
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Which column is what: `kind` says how the predicted columns are to be read.

    The last are about the question: subgroups, threshold, what to do with missing values, the
    primary measure, times at which to judge, and whether single cases stay out of the report.
    """

    kind: str = "probability"
    outcome: str = ""
    predicted: tuple[str, ...] = ()
    positive: str = ""
    time: str = ""
    event: str = ""
    id: str = ""
    groups: str = ""
    fold: str = ""
    by: str = ""
    threshold: str = ""
    missing: str = ""
    primary: str = ""
    times: str = ""
    hidden: bool = False


def described(table: Table) -> dict[str, Any]:
    """Columns, and a guess at their roles, as plain values.

    >>> from abovechance.io import read_table
    >>> found = described(read_table(b"id,y,p\\n1,sick,.9\\n2,well,.2\\n"))
    >>> found["guess"]["outcome"], found["guess"]["predicted"], found["guess"]["kind"]
    ('y', ('p',), 'probability')
    """
    columns = [_column(table, name) for name in table.names]
    return {
        "source": table.source,
        "sheet": table.sheet,
        "sheets": table.sheets,
        "rows": table.rows,
        "columns": [asdict(column) for column in columns],
        "guess": asdict(guessed(table, columns)),
        "notes": [str(note) for note in table.notes],
    }


def guessed(table: Table, columns: list[Column]) -> Choices:
    """By the names of the columns, and where those leave it open by what they hold."""
    try:
        roles = find_roles(table)
    except ColumnError:
        return _by_content(columns)
    kind = next((k for k in KINDS if roles.columns(k)), "label")
    outcome = roles.outcome[0] if roles.outcome else ""
    about: dict[str, Any] = {role: "".join(roles.columns(role)) for role in ABOUT_CASES}
    return Choices(
        kind=kind,
        outcome=outcome,
        predicted=roles.columns(kind),
        positive=_positive(outcome, columns) if kind in OF_CLASSES else "",
        time="".join(roles.columns("time")),
        event="".join(roles.columns("event")),
        **about,
    )


def _by_content(columns: list[Column]) -> Choices:
    """Several models in one file: every column of probabilities is one."""
    names = [c.name for c in columns]
    about: dict[str, Any] = {r: next(iter(fitting(r, names)), "") for r in ABOUT_CASES}
    free = [c for c in columns if c.name not in about.values()]
    fits = fitting("outcome", [c.name for c in free])
    outcome = next(iter(fits), next((c.name for c in free if c.classes), ""))
    shares = tuple(c.name for c in free if c.kind == "share" and c.name != outcome)
    if shares:
        positive = _positive(outcome, columns)
        return Choices(outcome=outcome, predicted=shares, positive=positive, **about)
    numbers = tuple(c.name for c in free if c.kind == "number" and c.name != outcome)
    return Choices(kind="value", outcome=outcome, predicted=numbers[:1], **about)


def _positive(outcome: str, columns: list[Column]) -> str:
    """The second of two classes; numbers 0 and 1 need no saying. Shown, for the reader to judge."""
    classes = next((c.classes for c in columns if c.name == outcome), ())
    if len(classes) != 2:
        return ""
    return "1" if set(classes) == {"0", "1"} else classes[1]


def _column(table: Table, name: str) -> Column:
    labels = table.labels(name)
    texts = [str(value) for value in labels[:200].tolist() if value is not None and value == value]
    distinct = list(dict.fromkeys(texts))
    whole = np.asarray(labels)
    kind = table.kind(name)
    if kind is Kind.NUMBER:
        known = table.number(name)
        known = known[np.isfinite(known)]
        inside = known.size and known.min() >= 0 and known.max() <= 1
        fractions = bool((known != np.rint(known)).any())
        held = "share" if inside and fractions else "number"
    else:
        held = str(kind.value)
    classes: tuple[str, ...] = ()
    if held != "share":
        seen = sorted({str(v) for v in whole.tolist() if v is not None and v == v}, key=_natural)
        classes = tuple(seen) if 1 < len(seen) <= FEW_CLASSES else ()
    return Column(name=name, kind=held, examples=tuple(distinct[:EXAMPLES]), classes=classes)


def _natural(text: str) -> tuple[bool, float, str]:
    try:
        return False, float(text), text
    except ValueError:
        return True, 0.0, text


def as_roles(choices: Choices, predicted: tuple[str, ...]) -> dict[str, Any]:
    """The choices as `read` takes them, for one model's columns."""
    several = choices.kind in SEVERAL_COLUMNS
    roles: dict[str, Any] = {choices.kind: list(predicted) if several else predicted[0]}
    if choices.kind in IN_TIME:
        roles |= {"time": choices.time, "event": choices.event}
    else:
        roles["outcome"] = choices.outcome
    taken = {choices.outcome, choices.time, choices.event, *predicted}
    for role in ABOUT_CASES:
        column = getattr(choices, role)
        roles[role] = column if column and column not in taken else False
    roles["repeat"] = False
    if choices.positive and choices.kind in OF_CLASSES:
        roles["pos_label"] = choices.positive
    if choices.threshold and choices.kind in OF_CLASSES:
        (roles["threshold"],) = _numbers("the threshold", choices.threshold)[:1]
    if choices.missing == "drop":
        roles["missing"] = "drop"
    return roles


def _numbers(what: str, text: str) -> list[float]:
    """Numbers as they are typed: 0.2, or several between spaces or semicolons.

    >>> _numbers("times", "100; 200"), _numbers("the threshold", "0,2")
    ([100.0, 200.0], [0.2])
    """
    try:
        return [float(part.replace(",", ".")) for part in text.replace(";", " ").split()]
    except ValueError:
        raise DataError(f"{what} must be a number; got {text!r}.") from None


class Sent(NamedTuple):
    """The files of a request as tables, and what was chosen."""

    tables: list[Table]
    choices: Choices


def opened(body: bytes) -> Sent:
    """Read a request.

    >>> sent = opened(b'{"files":[{"name":"a.csv","size":8}]}\\ny,p\\n1,.5')
    >>> sent.tables[0].source, sent.tables[0].rows
    ('a.csv', 1)
    """
    line, _, rest = body.partition(b"\n")
    try:
        stated = json.loads(line[:LINE])
        sizes = [
            (_letters(f["name"])[:LONGEST], int(f["size"]), _letters(f.get("sheet") or ""))
            for f in stated["files"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise DataError("the page sent something unreadable; load it again.") from None
    if not 1 <= len(sizes) <= MOST_FILES:
        raise DataError(f"there must be 1 to {MOST_FILES} files; got {len(sizes)}.")
    if any(size < 0 for _, size, _ in sizes) or sum(size for _, size, _ in sizes) != len(rest):
        raise DataError("the page sent something unreadable; load it again.")
    tables, at = [], 0
    for name, size, sheet in sizes:
        tables.append(_table(_bounded(rest[at : at + size], name), name, sheet))
        at += size
    return Sent(tables, _choices_in(stated.get("choices") or {}))


def _letters(sent: Any) -> str:
    """A text that can be sent back: half characters, which JSON can hold, are spelt out."""
    return str(sent).encode("utf-8", "backslashreplace").decode()


def _choices_in(sent: Any) -> Choices:
    if not isinstance(sent, dict) or sent.get("kind", "probability") not in KINDS:
        raise DataError("the page sent something unreadable; load it again.")
    predicted = sent.get("predicted") or []
    if not isinstance(predicted, Sequence) or isinstance(predicted, str):
        raise DataError("the page sent something unreadable; load it again.")
    texts: dict[str, Any] = {name: _letters(sent.get(name) or "") for name in TEXTS}
    return Choices(
        kind=str(sent.get("kind") or "probability"),
        predicted=tuple(map(_letters, predicted)),
        hidden=bool(sent.get("hidden")),
        **texts,
    )


def _table(data: bytes, name: str, sheet: str) -> Table:
    """The table of a file; of a workbook the first that a sheet holds, until another is chosen."""
    sheets = sheets_in(data, name) if recognise(data, name) is Format.WORKBOOK else ()
    for other in () if sheet else sheets[:-1]:
        with suppress(FileError):  # a page of notes, or a table for the eye alone
            return read_table(data, name=name, sheet=other)
    return read_table(data, name=name, sheet=sheet or (sheets[-1] if sheets else None))


def _bounded(data: bytes, name: str) -> bytes:
    """What was compressed, unpacked as far as is allowed; archives must not unpack to more."""
    if is_zip(data) and _unpacked(data) > LARGEST:
        raise FileError(f"{name} must unpack to at most {LARGEST >> 20} MB; it does not.")
    if not is_gzip(data):
        return data
    packed = zlib.decompressobj(wbits=31)
    try:
        found = packed.decompress(data, LARGEST)
    except zlib.error:
        return data  # the reader says what is wrong with it
    if packed.unconsumed_tail:
        raise FileError(f"{name} must unpack to at most {LARGEST >> 20} MB; it does not.")
    return found if packed.eof and not packed.unused_data else data


def _unpacked(data: bytes) -> int:
    try:
        return sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(data)).infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return 0  # the reader says what is wrong with it


def answer(
    tables: Sequence[Table], choices: Choices, *, progress: Progress | None = None
) -> Report:
    """Assess the one model there is, or compare the several: columns of a file, or files."""
    models = models_in(tables, choices)
    first = next(iter(models.values()))
    asked: dict[str, Any] = {"rng": SEED, **_subgroups(tables, choices, first)}
    asked["progress"] = progress
    if choices.primary:
        asked["primary"] = choices.primary
    at = measures_at(first, choices)
    if at:
        asked["measures"] = at
    if len(models) == 1:
        return report(
            assess(first, **asked),
            predictions=first,
            title=tables[0].source,
            command=command(tables, choices, "assess", at),
            cases=not choices.hidden,
        )
    return report(
        compare(models, **asked),
        predictions=models,
        command=command(tables, choices, "compare", at),
        cases=not choices.hidden,
    )


def measures_at(predictions: Predictions, choices: Choices) -> list[str]:
    """All measures, those of a time at each of the times stated; none where none is."""
    if not choices.times:
        return []
    found: list[str] = []
    for measure in applicable(predictions):
        if "t" not in measure.parameters:
            found.append(measure.label)
            continue
        times = _numbers("a time", choices.times)
        found += [measure.with_parameters(t=time).label for time in times]
    return found


def _subgroups(
    tables: Sequence[Table], choices: Choices, predictions: Predictions
) -> dict[str, Any]:
    """The subgroup of every case, as `assess` and `compare` take it."""
    if not choices.by:
        return {}
    if len(tables) > 1:
        raise DataError("subgroups need all models in one file; here there are several.")
    column = tables[0].text(choices.by)
    kept = predictions.kept
    return {"by": column if kept is None else column[kept], "by_name": choices.by}


def models_in(tables: Sequence[Table], choices: Choices) -> dict[str, Predictions]:
    """The predictions of each model by name."""
    if not choices.predicted:
        raise ColumnError("say which column holds the predictions.")
    timed = choices.kind in IN_TIME
    missing = not (choices.time and choices.event) if timed else not choices.outcome
    if missing:
        raise ColumnError("say which column holds what was observed.")
    if len(tables) > 1:
        return {_name(table, tables): _read(table, choices, choices.predicted) for table in tables}
    (table,) = tables
    if choices.kind in SEVERAL_COLUMNS or len(choices.predicted) == 1:
        return {choices.predicted[0]: _read(table, choices, choices.predicted)}
    if len(choices.predicted) > MOST_MODELS:
        raise DataError(
            f"at most {MOST_MODELS} models are compared here; {len(choices.predicted)} columns "
            "are marked as predictions."
        )
    return {name: _read(table, choices, (name,)) for name in choices.predicted}


def _read(table: Table, choices: Choices, predicted: tuple[str, ...]) -> Predictions:
    return read(table, **as_roles(choices, predicted))


def _name(table: Table, tables: Sequence[Table]) -> str:
    same = [i for i, other in enumerate(tables) if other.source == table.source]
    at = next(i for i, other in enumerate(tables) if other is table)
    return table.source if len(same) == 1 else f"{table.source} ({at + 1})"


def command(
    tables: Sequence[Table], choices: Choices, name: str, measures: Sequence[str] = ()
) -> str:
    """The command line that does the same.

    >>> from abovechance.io import read_table
    >>> table = read_table(b"y,p\\n1,.5\\n0,.4\\n", name="a b.csv")
    >>> command([table], Choices(outcome="y", predicted=("p",)), "assess")
    "abovechance assess 'a b.csv' --outcome y --probability p --seed 1"
    """
    words = ["abovechance", name, *(table.source for table in tables)]
    if any(len(table.sheets) > 1 for table in tables):
        words += ["--sheet", tables[0].sheet]
    if choices.kind in IN_TIME:
        words += ["--time", choices.time, "--event", choices.event]
    else:
        words += ["--outcome", choices.outcome]
    several = name == "compare" and len(tables) == 1
    words += ["--models" if several else f"--{choices.kind}", ",".join(choices.predicted)]
    if choices.positive:
        words += ["--positive", choices.positive]
    for role in (*ABOUT_CASES, "by", "primary"):
        if getattr(choices, role):
            words += [f"--{role}", getattr(choices, role)]
    if choices.threshold:
        words += ["--threshold", f"{_numbers('the threshold', choices.threshold)[0]:g}"]
    words += ["--missing", "drop"] if choices.missing == "drop" else []
    words += ["--measures", ",".join(measures)] if measures else []
    words += ["--no-cases"] if choices.hidden else []
    return shlex.join([*words, "--seed", str(SEED)])


def on_the_page(message: str) -> str:
    """A message in the words of the page: what it says to do can be done there."""
    for there, here in CALLED.items():
        message = message.replace(there, here)
    return message
