"""Results as text, on screens of any width."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import abovechance as ac
from abovechance.cli import main
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.contract import beats_chance, has_skill
from abovechance.inference.results import SCREEN, Result, on_a_screen

# ----------------------------------------------------------------------------------------------
# Forms that the papers print, each under a name that says what it is.
# ----------------------------------------------------------------------------------------------


def test_ties_of_the_c_index_as_printed_count_events_whatever_their_times() -> None:
    time, event, risk = [1, 1, 2, 3, 4], [1, 1, 1, 0, 1], [0.5, 0.5, 0.5, 0.5, 0.1]
    # all pairs of the three events of risk .5 are tied: 3; with the last case concordant: 3
    found = ac.measures.c_index(time, event, risk=risk, ties="both_events")
    assert found == pytest.approx((3 + 1.5) / (3 + 3))
    doubled = ac.measures.c_index(time, event, risk=risk, ties="both_events", counts=[2] * 5)
    rows = np.repeat(np.arange(5), 2)
    spelled = [np.asarray(column)[rows] for column in (time, event, risk)]
    assert doubled == ac.measures.c_index(*spelled[:2], risk=spelled[2], ties="both_events")


def test_an_interval_of_a_c_index_contains_it_or_is_not_given() -> None:
    rng = np.random.default_rng(1)
    made = ac.Survival(
        rng.integers(1, 9, 60), rng.integers(0, 2, 60), risk=rng.integers(0, 3, 60).astype(float)
    )
    for ties in ("harrell", "strict", "drop", "both_events"):
        row = next(iter(ac.assess(made, [f"c_index(ties={ties})"], rng=1, draws=99).estimates))
        assert row.interval is None or row.value in row.interval


def test_several_outputs_summed_and_squared() -> None:
    y = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 20.0]])
    p = np.array([[1.5, 10.0], [2.0, 30.0], [3.0, 22.0]])
    assert ac.measures.mse_sum(y, p) == pytest.approx((0.25 + 1) / 3 + 4 / 3)
    assert ac.measures.mse_sum(y, p) == pytest.approx(2 * ac.measures.mse(y, p))
    assert ac.measures.arrmse_squared(y, p) == pytest.approx(ac.measures.arrmse(y, p) ** 2)
    names = {m.name for m in ac.measures.applicable(ac.Numeric(y, p))}
    assert {"mse_sum", "arrmse_squared"} <= names


def test_balance_over_a_variable_that_goes_with_the_class() -> None:
    y = [0] * 6 + [1] * 6
    scanner = [0] * 4 + [1] * 2 + [0] * 2 + [1] * 4
    assert ac.measures.balanced_accuracy(y, scanner) == pytest.approx(2 / 3)
    assert ac.measures.covariate_balanced_accuracy(y, scanner, scanner) == 0.5
    assert ac.measures.covariate_balanced_accuracy(y, y, scanner) == 1.0
    turned = pd.Series(scanner).sort_index(ascending=False)
    found = ac.measures.covariate_balanced_accuracy(pd.Series(y), pd.Series(scanner), turned)
    assert found == 0.5
    with pytest.raises(DataError, match="no case of 0 at 1"):
        ac.measures.covariate_balanced_accuracy(y, y, y)


@pytest.mark.parametrize(("n", "rate"), [(20, 0.5), (7, 0.3), (100, 1 / 3), (55, 0.9)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_count_that_must_be_reached(n: int, rate: float, alpha: float) -> None:
    enough = [x for x in range(n + 1) if binomtest(x, n, rate, "greater").pvalue <= alpha]
    assert ac.significance.binomial_critical(n, rate, alpha) == (enough[0] if enough else None)


def test_no_count_suffices_of_very_few_cases() -> None:
    assert ac.significance.binomial_critical(3, 0.5) is None
    with pytest.raises(DataError, match="rate must lie between 0 and 1"):
        ac.significance.binomial_critical(20, 1.5)


def test_the_posterior_prints_its_mode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["posterior", "--tp", "45", "--fn", "5", "--tn", "48", "--fp", "2"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"median +mode +interval", printed)
    assert re.search(r"accuracy\n +0\.922 +0\.924 +0\.930 ", printed)


def test_a_calibration_curve_takes_a_seed_as_the_others_do() -> None:
    made = ac.examples.breast_cancer()
    first, second = ac.curves.calibration(made, rng=0), ac.curves.calibration(made)
    assert np.array_equal(first.y, second.y, equal_nan=True)


def test_unknown_ties_are_refused() -> None:
    with pytest.raises(NotApplicable, match="both_events"):
        ac.measures.c_index([1, 2], [1, 1], risk=[1, 2], ties="printed")


# ----------------------------------------------------------------------------------------------
# What a REPL shows of a result: as it prints, on one screen.
# ----------------------------------------------------------------------------------------------


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
    assert cut.isdisjoint({"thresholds", "curve", "posterior", "test"})


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


def test_skill_is_shown_up_to_alpha_and_above_zero() -> None:
    assert has_skill({"skill": None}, 0.05) is True
    told = [has_skill({"skill": {"p_value": p}}, 0.05) for p in (0.0499, 0.05, 0.0501)]
    assert told == [True, True, False]
    limits = [has_skill({"skill": {"interval": {"low": low}}}, 0.05) for low in (-0.1, 0.0, 0.1)]
    assert limits == [False, False, True]
    assert has_skill({"skill": {"difference": 0.1}}, 0.05) is None


@pytest.mark.parametrize(("measure", "better"), [("auc", 0.6), ("brier", 0.4)])
def test_chance_itself_is_not_better_than_chance(measure: str, better: float) -> None:
    values = (better, 0.5, 1.0 - better, math.nan)
    told = [beats_chance({"measure": measure, "value": v, "chance": 0.5}) for v in values]
    assert told == [True, False, False, None]
    assert beats_chance({"measure": measure, "value": 0.5, "chance": None}) is None
