"""What can go wrong, as a tree.

AboveChanceError          anything this package refuses, a ValueError
├── DataError             the data are not what they must be
│   ├── ColumnError       a column is missing, or could not be told from the others
│   └── FileError         a file cannot be read as a table
├── UnknownMeasure        no measure goes by that name
├── UnknownMethod         no interval, test or comparison goes by that name
├── NotApplicable         the question cannot be asked of these predictions
└── Unfinished            the answer could not be completed: disk, cluster, interruption

PluginWarning             a package that extends this one is broken; it is left out

A message says what must hold; what was found, and where; what to do.
"""

from collections.abc import Iterable, Sequence

__all__ = [
    "AboveChanceError",
    "ColumnError",
    "DataError",
    "FileError",
    "NotApplicable",
    "PluginWarning",
    "Unfinished",
    "UnknownMeasure",
    "UnknownMethod",
    "did_you_mean",
]


class AboveChanceError(ValueError):
    """Anything this package refuses, with the remedy in its message: one line that can be read."""

    def __init__(self, *said: object) -> None:
        super().__init__(*(in_one_line(part) if isinstance(part, str) else part for part in said))


class DataError(AboveChanceError):
    """The data are not what they must be."""


class ColumnError(DataError):
    """A column is missing, or could not be told from the others."""


class FileError(DataError):
    """A file cannot be read as a table."""


class UnknownMeasure(AboveChanceError):
    """No measure goes by that name."""


class UnknownMethod(AboveChanceError):
    """No interval, test or comparison goes by that name."""


class NotApplicable(AboveChanceError):
    """The question cannot be asked of these predictions."""


class Unfinished(AboveChanceError):
    """The answer could not be completed: disk, cluster, interruption."""


class PluginWarning(UserWarning):
    """A package that extends this one is broken, or uses a name that is taken."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one, or nothing.

    Parameters
    ----------
    name
        What was given.
    known
        The names there are.

    Returns
    -------
    str
        Words to put after a message, as "; did you mean 'brier'?"; empty if none is near.

    See Also
    --------
    AboveChanceError : what such messages are raised as.

    Examples
    --------
    >>> did_you_mean("brierr", ["auc", "brier"])
    "; did you mean 'brier'?"
    """
    from difflib import get_close_matches

    close = get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


LONGEST_WORD, LONGEST = 100, 480


def in_one_line(text: str) -> str:
    """A message that quotes what was given, however long and strange that is.

    Line ends become spaces, what no screen shows is spelt out, and long names are cut.

    >>> in_one_line("no column 'a\\nb'."), in_one_line("\\x1b[2J")
    ("no column 'a b'.", '\\\\x1b[2J')
    >>> in_one_line("no column " + 1000 * "x" + "; did you mean 'y'?")
    "no column xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxx; did you mean 'y'?"
    """
    if len(text) <= LONGEST_WORD and text.isprintable():
        return text
    shown = "".join(c if c.isprintable() or c == "\u00a0" else _spelt(c) for c in text[:20_000])
    words = (w if len(w) <= LONGEST_WORD else f"{w[:48]}…{w[-12:]}" for w in shown.split(" "))
    line = " ".join(words)
    return line if len(line) <= LONGEST else f"{line[:320]} … {line[-120:]}"


def _spelt(sign: str) -> str:
    return " " if sign.isspace() else sign.encode("unicode_escape").decode("ascii")


def missing_extra(what: str, library: str, extra: str) -> FileError:
    """The refusal for want of an optional library, with the extra that brings it.

    >>> str(missing_extra("to read workbooks", "python-calamine", "excel"))
    "to read workbooks python-calamine is needed; pip install 'abovechance[excel]'."
    """
    return FileError(f"{what} {library} is needed; pip install 'abovechance[{extra}]'.")


def shown(value: object) -> str:
    """What was given, for a message: itself where short, else what kind of thing it is.

    >>> shown("auc"), shown(list(range(100)))
    ("'auc'", 'list')
    """
    if isinstance(value, int) and abs(value) >= 10**50:
        return "a whole number of more than 50 digits"  # Python refuses to write long ones
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else type(value).__name__


def listed(items: Sequence[object], most: int = 5) -> str:
    """A list for a message, cut where it would tire the reader.

    >>> listed([3, 7, 9, 12], most=3)
    '3, 7, 9 and 1 more'
    """
    shown = ", ".join(str(item) for item in items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
