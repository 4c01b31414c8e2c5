"""Tables: columns asked for by name."""

import numpy as np
import pytest

from abovechance.errors import ColumnError
from abovechance.io import Kind, read_table

TABLE = read_table(b"id,Outcome,p,flag\n007,NA,0.5,TRUE\n008,EU,,FALSE\n", name="a.csv")


def test_a_missing_column_is_named_with_the_nearest_and_the_list():
    with pytest.raises(ColumnError) as caught:
        TABLE.number("outcom")
    assert str(caught.value) == (
        "no column 'outcom' in a.csv; did you mean 'Outcome'? Its columns: id, Outcome, p, flag."
    )


def test_a_name_in_other_letters_is_suggested():
    with pytest.raises(ColumnError, match=r"no column 'P' in a\.csv; did you mean 'p'\?"):
        TABLE.require(["id", "P"])


def test_a_name_like_no_other_gets_the_list_only():
    with pytest.raises(ColumnError, match=r"no column 'zzz' in a\.csv\. Its columns: id"):
        TABLE.text("zzz")


def test_a_column_is_read_as_asked():
    assert TABLE.names == ("id", "Outcome", "p", "flag")
    assert TABLE.text("id").tolist() == ["007", "008"]
    assert TABLE.labels("Outcome").tolist() == ["NA", "EU"]
    np.testing.assert_array_equal(TABLE.number("p"), [0.5, np.nan])
    assert TABLE.missing("p").tolist() == [False, True]
    assert not TABLE.missing("Outcome").any()
    assert [TABLE.kind(n) for n in TABLE.names] == [
        Kind.TEXT,
        Kind.TEXT,
        Kind.NUMBER,
        Kind.LOGICAL,
    ]


def test_names_that_would_not_print_are_escaped_in_messages():
    table = read_table({"a\x1b[31m": [1], "b\u202e": [2]})
    with pytest.raises(ColumnError) as caught:
        table.require(["c"])
    assert str(caught.value).isprintable()
