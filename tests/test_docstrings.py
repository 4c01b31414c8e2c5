"""What many docstrings have in common is declared once, and `help` shows it in full."""

import inspect

import pytest

import abovechance as ac
from abovechance.docstrings import ATTRIBUTES, PARAMETERS, RETURNS, completed, entries, parted
from abovechance.inference.proportions import wald

OWN = """A share.

Parameters
----------
y
    Other cases.
rng
    Its own words.

Examples
--------
>>> 1 + 1
2
"""


def test_entries_are_added_in_the_order_of_the_signature() -> None:
    before, sections = parted(completed(OWN, ["x", "n", "y", "rng", "order"], "Interval") or "")
    assert before == "A share."
    assert list(sections) == ["Parameters", "Returns", "Raises", "Examples"]
    said = dict(entries(sections["Parameters"]))
    assert list(said) == ["x", "n", "y", "rng", "order"]
    assert said["rng"] == "Its own words."
    assert said["order"] == PARAMETERS["order"]
    assert dict(entries(sections["Returns"])) == {"Interval": RETURNS["Interval"]}
    assert sections["Examples"] == ">>> 1 + 1\n2"


def test_a_docstring_that_lacks_nothing_is_left_as_it_is() -> None:
    assert completed(OWN, ["y", "rng"]) is OWN
    assert completed(None, ["rng"]) is None  # python -OO


def test_a_pair_is_added_only_where_neither_is_explained() -> None:
    own = "A fold.\n\nParameters\n----------\nfold\n    Mine."
    assert completed(own, ["fold", "repeat"]) is own


@pytest.mark.parametrize(
    ("thing", "section", "names"),
    [
        (ac.intervals.wald, "Parameters", ("x", "n", "confidence_level")),
        (ac.intervals.wald, "Returns", ("Interval",)),
        (ac.intervals.wald, "Raises", ("DataError",)),
        (ac.Numeric, "Parameters", ("id", "fold", "repeat", "groups", "missing")),
        (ac.Assessment, "Attributes", ("advice", "described")),
        (ac.measures.emax, "Parameters", ("smoother", "span")),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_help_shows_what_is_declared(thing: object, section: str, names: tuple[str, ...]) -> None:
    said = dict(entries(parted(inspect.getdoc(thing) or "")[1][section]))
    assert all(len(said[name]) > 10 for name in names)


def test_what_is_declared_is_not_written_again() -> None:
    assert all(text not in str(wald.__doc__) for text in RETURNS.values())
    assert ATTRIBUTES["advice"] in " ".join(str(ac.Assessment.__doc__).split())
