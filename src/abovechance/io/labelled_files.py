"""SPSS, Stata and SAS files: numbers that stand for labels, and values declared missing."""

import io
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


def read_labelled(data: bytes, kind: Format, source: str) -> Table:
    """The table in a file of SPSS, Stata or SAS.

    A column whose every value has a label is read by its labels where classes or words are
    wanted, and by its numbers where numbers are. Values declared missing are missing.
    """
    try:
        import pyreadstat
    except ImportError:
        raise missing_extra(
            f"{source} is a {kind.value}, and to read it", "pyreadstat", "stats"
        ) from None
    # only SPSS declares its own missing values as values; elsewhere they come as missing
    options = {"user_missing": True} if kind is Format.SPSS else {}
    try:
        columns, about = getattr(pyreadstat, READERS[kind])(
            io.BytesIO(data), output_format="dict", **options
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OverflowError) as error:
        said = str(error).split("\n")[0].rstrip(".")
        raise FileError(
            f"{source} must be a whole {kind.value}; it is damaged, cut off or of an unknown "
            f"version ({said}). Write it again, or as CSV."
        ) from None
    notes: dict[str, tuple[Advice, ...]] = {}
    known = {
        name: _without(name, list(values), about.missing_ranges.get(name, ()), notes)
        for name, values in columns.items()
    }
    rows = len(next(iter(known.values()), ()))
    return labelled({n: arrow(v) for n, v in known.items()}, rows, source, _labels(about), notes)


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
    name: str, values: list[Any], ranges: Sequence[Any], notes: dict[str, tuple[Advice, ...]]
) -> list[Any]:
    """The values but those declared missing, which a remark counts."""
    gone = {
        value
        for value in set(values)
        if value is not None and any(_within(value, span) for span in ranges)
    }
    if not gone:
        return values
    count = sum(value in gone for value in values)
    said = (
        f"column {name!r}: {count} value{'s' * (count != 1)} declared missing in the file "
        f"({listed_names(map(_short, sorted(gone)), MOST_LABELS)}) count as missing"
    )
    notes[name] = (Advice("AC707", said),)
    return [None if value in gone else value for value in values]


def _within(value: Any, span: Mapping[str, Any]) -> bool:
    return type(value) is type(span["lo"]) and bool(span["lo"] <= value <= span["hi"])


def _labels(about: Any) -> dict[str, dict[Any, str]]:
    return {
        name: {value: str(word).strip() for value, word in words.items()}
        for name, words in about.variable_value_labels.items()
    }


def _about_labels(name: str, named: Mapping[Any, str], whole: bool) -> str:
    pairs = [f"{_short(value)} = {word}" for value, word in sorted(named.items())]
    shown = listed_names(pairs, MOST_LABELS)
    if whole:
        return f"column {name!r} has value labels ({shown}); as classes its values go by them"
    return f"column {name!r} has labels for some of its values only ({shown}); values were read"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
