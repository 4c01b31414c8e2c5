"""SPSS, Stata and SAS files: numbers that stand for labels, and values declared missing."""

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from abovechance.advice import Advice
from abovechance.errors import FileError, missing_extra
from abovechance.io.table import Table, listed_names
from abovechance.io.text_files import Format, arrow

READERS = {
    Format.SPSS: "read_sav",
    Format.SPSS_PORTABLE: "read_por",
    Format.STATA: "read_dta",
    Format.SAS: "read_sas7bdat",
    Format.SAS_TRANSPORT: "read_xport",
}
MOST_LABELS = 6  # that a remark spells out


# The reader is a library in C that a damaged file can crash, so it is given files in a process of
# its own, which hands over Arrow's stream. It imports what this process would, not what happens to
# lie in the folder it is started in.
READING = "from abovechance.io.labelled_files import hand_over; hand_over()"
REFUSED = 3


def read_labelled(data: bytes, kind: Format, source: str) -> Table:
    """The table in a file of SPSS, Stata or SAS.

    A column whose every value has a label is read by its labels where classes or words are
    wanted, and by its numbers where numbers are. Values declared missing are missing.
    """
    import pyarrow as pa

    try:
        import pyreadstat  # noqa: F401
    except ImportError:
        raise missing_extra(
            f"{source} is a {kind.value}, and to read it", "pyreadstat", "stats"
        ) from None
    done = subprocess.run(
        [sys.executable, "-P", "-c", READING, kind.name],
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace") if done.returncode == REFUSED else ""
        raise FileError(
            f"{source} must be a whole {kind.value}; it is damaged, cut off or of an unknown "
            f"version ({said or 'its reader crashed'}). Write it again, or as CSV."
        )
    table = pa.ipc.open_stream(done.stdout).read_all()
    about = json.loads(table.schema.metadata[b"about"])
    return labelled(
        dict(zip(table.column_names, table.columns, strict=True)),
        len(table),
        source,
        {name: dict(pairs) for name, pairs in about["labels"].items()},
        {
            name: (Advice("AC707", _about_missing(name, *gone)),)
            for name, gone in about["missing"].items()
        },
    )


def hand_over() -> None:
    """Read the file that is standard input and write what it holds to standard output."""
    import pyarrow as pa

    try:
        known, about = _parsed(sys.stdin.buffer.read(), Format[sys.argv[1]])
    except Exception as error:  # the reader lets through whatever damaged bytes lead it to
        sys.stderr.write(str(error).split("\n")[0].rstrip("."))
        raise SystemExit(REFUSED) from None
    table = pa.table(known).replace_schema_metadata({"about": json.dumps(about)})
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


def _parsed(data: bytes, kind: Format) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of a file, the labels of their values, and what was declared missing."""
    import pyreadstat

    # only SPSS declares its own missing values as values; elsewhere they come as missing
    options = {"user_missing": True} if kind is Format.SPSS else {}
    with warnings.catch_warnings():
        # two columns of one name: it would go on under names of its own
        warnings.filterwarnings("error", message=".* is duplicated")
        columns, about = getattr(pyreadstat, READERS[kind])(
            io.BytesIO(data), output_format="dict", **options
        )
    if not all(columns):
        raise ValueError(f"column {[bool(name) for name in columns].index(False) + 1} has no name")
    missing: dict[str, tuple[int, list[str]]] = {}
    known = {
        name: arrow(_without(name, list(values), about.missing_ranges.get(name, ()), missing))
        for name, values in columns.items()
    }
    labels = {
        name: [(value, str(word).strip()) for value, word in words.items()]
        for name, words in about.variable_value_labels.items()
    }
    return known, {"labels": labels, "missing": missing}


def labelled(
    columns: Mapping[str, Any],
    rows: int,
    source: str,
    labels: Mapping[str, Mapping[Any, str]],
    notes: Mapping[str, tuple[Advice, ...]],
) -> Table:
    """A table some of whose numbers stand for labels."""
    shown, codes, said = dict(columns), {}, dict(notes)
    for name, words in labels.items():
        values = columns[name].to_pylist()
        known = dict.fromkeys(value for value in values if value is not None)
        named = {value: words[value] for value in known if value in words}
        if not named:
            continue
        whole = len(named) == len(known) == len(set(named.values()))
        if whole:
            shown[name] = arrow([None if value is None else words[value] for value in values])
            codes[name] = columns[name]
        said[name] = (*said.get(name, ()), Advice("AC708", _about_labels(name, named, whole)))
    return Table(shown, rows, (), source, codes=codes, remarks=said)


def _without(
    name: str, values: list[Any], ranges: Sequence[Any], missing: dict[str, tuple[int, list[str]]]
) -> list[Any]:
    """The values but those declared missing, which are noted: how many, and which."""
    gone = {
        value
        for value in set(values)
        if value is not None and any(_within(value, span) for span in ranges)
    }
    if not gone:
        return values
    missing[name] = (sum(value in gone for value in values), [_short(v) for v in sorted(gone)])
    return [None if value in gone else value for value in values]


def _within(value: Any, span: Mapping[str, Any]) -> bool:
    return type(value) is type(span["lo"]) and bool(span["lo"] <= value <= span["hi"])


def _about_missing(name: str, count: int, gone: Sequence[str]) -> str:
    return (
        f"column {name!r}: {count} value{'s' * (count != 1)} declared missing in the file "
        f"({listed_names(gone, MOST_LABELS)}) count as missing"
    )


def _about_labels(name: str, named: Mapping[Any, str], whole: bool) -> str:
    pairs = [f"{_short(value)} = {word}" for value, word in sorted(named.items())]
    shown = listed_names(pairs, MOST_LABELS)
    if whole:
        return f"column {name!r} has value labels ({shown}); as classes its values go by them"
    return f"column {name!r} has labels for some of its values only ({shown}); values were read"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
