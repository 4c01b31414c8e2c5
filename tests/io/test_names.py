"""Names of columns."""

import pytest

from abovechance.io.names import NAMES, PREDICTION, SECOND_NAMES, fitting, normal, time_of


def test_names_are_compared_without_case_blanks_dots_and_dashes():
    assert normal(" Y True ") == normal("y.true") == normal("Y-TRUE") == "y_true"


def test_no_name_stands_for_two_roles():
    every = [n for names in (*NAMES.values(), *SECOND_NAMES.values(), PREDICTION) for n in names]
    assert len(every) == len(set(every))
    assert all(normal(name) == name for name in every)


def test_a_second_name_counts_only_without_a_first():
    assert fitting("id", ["case", "p"]) == ["case"]
    assert fitting("id", ["case", "ID", "p"]) == ["ID"]


@pytest.mark.parametrize(
    ("name", "time"),
    [("S_12", 12.0), ("surv_0.5", 0.5), ("Survival 365", 365.0), ("s12", None), ("S_x", None)],
)
def test_times_are_read_from_names(name, time):
    assert time_of(name) == time
