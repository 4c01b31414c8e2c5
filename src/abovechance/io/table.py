"""A table as it was read: named columns, converted only when asked for and only as asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import ColumnError, did_you_mean, listed
from abovechance.io.columns import (
    Kind,
    as_labels,
    as_numbers,
    as_text,
    kind_of,
    where_missing,
)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, the number of rows, and what had to be assumed to read them.

    Attributes
    ----------
    columns
        Arrow arrays: text from CSV and its relatives, typed from other formats.
    notes
        What was assumed or left out while reading.
    source
        What messages call the table: a file name, or "the dataframe".
    decimal_comma
        Whether a comma in a number is the decimal sign.

    Examples
    --------
    >>> from abovechance.io import read_table
    >>> table = read_table(b"id,y,p\\n007,NA,0.5\\n008,EU,.\\n")
    >>> table.text("id").tolist(), table.labels("y").tolist(), table.number("p").tolist()
    (['007', '008'], ['NA', 'EU'], [0.5, nan])
    """

    columns: Mapping[str, Any]
    rows: int
    notes: tuple[Advice, ...] = ()
    source: str = "the table"
    decimal_comma: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    def text(self, name: str) -> Array:
        """A column as text, None where a field is empty; what identifies rather than measures."""
        return as_text(name, self._column(name))

    def number(self, name: str) -> Floats:
        """A column as floats, nan where a field is empty or says NA, NaN, null, None or a dot."""
        return as_numbers(name, self._column(name), decimal_comma=self.decimal_comma)

    def labels(self, name: str) -> Array:
        """A column as classes: numbers when all are, true/false when all are, else words.

        >>> from abovechance.io import read_table
        >>> table = read_table(b"y,z,w\\n1,TRUE,007\\n0,FALSE,7\\n")
        >>> [table.labels(name).tolist() for name in table.names]
        [[1, 0], [True, False], ['007', '7']]
        """
        return as_labels(name, self._column(name), decimal_comma=self.decimal_comma)

    def kind(self, name: str) -> Kind:
        """Whether a column holds numbers, true/false or words."""
        return kind_of(self.labels(name))

    def missing(self, name: str) -> Bools:
        """Where a column is missing: empty fields; among numbers also NA, NaN, null, None, dot."""
        return where_missing(self.labels(name))

    def require(self, names: Iterable[str]) -> None:
        """Refuse names that no column has."""
        for name in names:
            if name not in self.columns:
                raise ColumnError(unknown_column(name, self.names, self.source))

    def _column(self, name: str) -> Any:
        self.require([name])
        return self.columns[name]


def unknown_column(name: str, known: Iterable[str], source: str) -> str:
    """The message for a column that is not there, with the nearest one and the list.

    >>> unknown_column("outcom", ["id", "outcome"], "a.csv")
    "no column 'outcom' in a.csv; did you mean 'outcome'? Its columns: id, outcome."
    """
    names = list(known)
    alike = [n for n in names if n.casefold().strip() == str(name).casefold().strip()]
    meant = f"; did you mean {alike[0]!r}?" if alike else did_you_mean(str(name), names) or "."
    return f"no column {name!r} in {source}{meant} Its columns: {listed_names(names)}."


def counted(rows: int) -> str:
    """A number of rows for a message.

    >>> counted(1), counted(12000)
    ('1 row', '12,000 rows')
    """
    return f"{rows:,} row{'s' * (rows != 1)}"


def listed_names(names: Iterable[Any], most: int = 20) -> str:
    r"""Names for a message; one that would not print as it is, is quoted and escaped.

    >>> print(listed_names(["y", "red\x1b[31m"]))
    y, 'red\x1b[31m'
    """
    return listed([_shown(str(name)) for name in names], most)


def _shown(name: str) -> str:
    return name if name.isprintable() and name.strip() == name != "" else repr(name)
