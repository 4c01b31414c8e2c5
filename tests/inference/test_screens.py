"""What a REPL shows of a result: as it prints, on one screen."""

import math
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.inference.results import SCREEN, Result, on_a_screen

TEXTURE = ac.examples.breast_cancer("p_texture")
FOREST = ac.examples.breast_cancer()
MANY = {str(i): ac.Binary(np.arange(40) % 2, score=np.roll(np.arange(40), i)) for i in range(8)}
X, Y = np.random.default_rng(1).normal(size=(30, 3)), np.arange(30) % 2
MADE: dict[str, Any] = {
    "assessment": lambda: ac.assess(TEXTURE, draws=19, rng=1),
    "comparison": lambda: ac.compare({"a": TEXTURE, "b": FOREST}, ["brier"], draws=19, rng=1),
    "many models": lambda: ac.compare(MANY, ["auc"], draws=19, rng=1),
    "thresholds": lambda: ac.thresholds(TEXTURE, draws=19, rng=1),
    "curve": lambda: ac.curves.roc(TEXTURE, draws=19, rng=1),
    "detection": lambda: ac.detect(X, Y, tests=["hotelling", "goeman"], draws=19, rng=1),
    "posterior": lambda: ac.posterior.balanced_accuracy([[48, 2], [5, 45]]),
    "test": lambda: ac.significance.fisher(TEXTURE),
    "power": lambda: ac.power("auc", n=list(range(10, 60)), replications=2, rng=1),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_result_fits_a_screen_and_begins_as_it_prints(kind: str) -> None:
    result = MADE[kind]()
    assert isinstance(result, Result)
    shown, printed = repr(result), str(result)
    width, height = SCREEN
    assert sum(max(1, math.ceil(len(line) / width)) for line in shown.splitlines()) <= height
    if shown != printed:
        *kept, last = shown.splitlines()
        assert printed.splitlines()[: len(kept)] == kept
        missing = len(printed.splitlines()) - len(kept)
        assert last == f"… and {missing} more lines; print() shows them all."


def test_some_results_are_cut_and_some_are_not() -> None:
    cut = {kind for kind, make in MADE.items() if repr(make()) != str(make())}
    assert {"many models", "power"} <= cut
    assert cut.isdisjoint({"thresholds", "posterior", "test"})


def test_long_lines_count_as_the_rows_they_take() -> None:
    width, height = SCREEN
    assert on_a_screen("x" * width * (height - 1)) == "x" * width * (height - 1)
    assert on_a_screen("\n".join(["x" * (width + 1)] * 12)).count("x") == 11 * (width + 1)


def test_a_result_without_words_of_its_own_shows_its_fields() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True, kw_only=True)
    class Small(Result):
        n: int

    assert repr(Small(n=3)) == str(Small(n=3)) == "Small(n=3)"
