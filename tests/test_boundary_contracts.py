"""Whatever a user passes, a public name answers or refuses in one line of its own.

Every function, measure, design and display that the package offers is called with every wrong kind
of thing for each parameter in turn, beside right ones. Only errors of this package may come out,
and no warning. What is called is read from the package (`fuzz/things.py`): a new name is tried as
soon as it is offered, and asks for right arguments where its parameters do not tell them.
"""

import inspect
from pathlib import Path
from typing import Any

import matplotlib
import pytest

import abovechance as ac
from abovechance.gate import gated
from fuzz import things
from fuzz.frame import settle

matplotlib.use("Agg")
NAMES = list(things.catalogue())
# Tried with every name; of the others each parameter gets some, all of them in the slow tests.
ALWAYS = ("None", "text", "half", "a class", "0-d array", "too few", "complexes", "frame")
SOME = 5
DEAR = (
    *("reliability", "stability", "learning_curve", "permutation_test", "sample_size", "plots."),
    *("posterior.hierarchical", "report", "compare"),
)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is a right name of a store: it is made where nobody keeps it."""
    monkeypatch.chdir(tmp_path)


def fallen(name: str, wanted: Any) -> dict[str, str]:
    """What fell through, by parameter and thing."""
    found = {}
    for place, parameter in enumerate(things.parameters(name)):
        if parameter in things.NOT_TRIED:
            continue
        for thing in wanted(place):
            given = {**things.right(name), parameter: things.THINGS[thing]()}
            try:
                settle(lambda given=given: things.called(name, given))
            except Exception as error:
                found[f"{parameter}={thing}"] = f"{type(error).__name__}: {error}"[:200]
    return found


def some(name: str, place: int) -> list[str]:
    """The things that a parameter is tried with: some always, the others in turn."""
    others = [thing for thing in things.THINGS if thing not in ALWAYS]
    first = (sum(map(ord, name)) + 7 * place) % len(others)
    turn = [others[(first + k) % len(others)] for k in range(SOME)]
    return turn[:2] if name.startswith(DEAR) else [*ALWAYS, *turn]


@pytest.mark.parametrize("name", NAMES)
def test_right_arguments_are_answered(name: str) -> None:
    things.called(name, things.right(name))


@pytest.mark.part(3)
@pytest.mark.parametrize("name", NAMES)
def test_one_wrong_argument_among_right_ones(name: str) -> None:
    assert fallen(name, lambda place: some(name, place)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_argument_among_right_ones(name: str) -> None:
    assert fallen(name, lambda place: list(things.THINGS)) == {}


@pytest.mark.parametrize("name", [n for n in NAMES if inspect.isfunction(things.catalogue()[n])])
def test_nothing_given_at_all_is_said_to_be_wrong(name: str) -> None:
    function = things.catalogue()[name]
    needed = [p for p in things.parameters(name).values() if p.default is p.empty]
    if needed and hasattr(function, "__wrapped__"):
        with pytest.raises(ac.AboveChanceError, match="takes"):
            function()


@gated
def declared(
    number: float,
    whole: int = 1,
    word: str | None = None,
    pair: tuple[int, float] = (1, 0.5),
    yes: bool = False,
) -> Any:
    """A function with a declaration of each kind."""
    return number, whole, word, pair, yes


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"number": "a"}, "number must be a number; got 'a'."),
        (
            {"number": 10**400},
            "number must be a number; got a whole number of more than 50 digits.",
        ),
        ({"number": 1, "whole": 1.5}, "whole must be a whole number; got 1.5."),
        ({"number": 1, "word": 3}, "word must be a word or None; got 3."),
        ({"number": 1, "pair": (1.5, 2)}, "pair must be a list of whole numbers; got (1.5, 2)."),
        ({"number": 1, "yes": 1}, "yes must be True or False; got 1."),
    ],
)
def test_a_declaration_is_all_that_a_check_needs(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.errors.DataError) as refused:
        declared(**given)
    assert str(refused.value) == message
    assert declared(1, pair=[2, 0.25]) == (1, 1, None, [2, 0.25], False)


def test_an_error_inside_is_not_taken_for_a_wrong_argument() -> None:
    @gated
    def broken(number: float) -> float:
        raise KeyError(number)

    with pytest.raises(KeyError):
        broken(1.0)


def test_long_and_strange_names_are_cut_and_spelt_out() -> None:
    with pytest.raises(ac.errors.UnknownMeasure) as refused:
        ac.measures.find("x" * 10_000 + "\n\x1b[2J\udc80")
    said = str(refused.value)
    assert len(said) < 500
    assert said.isprintable()
