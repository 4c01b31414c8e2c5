"""No closed form says that something is impossible."""

from collections.abc import Callable

import numpy as np
import pytest

from abovechance.format import p_equation, p_phrase, p_value
from abovechance.inference import significance
from abovechance.inference.results import Test
from abovechance.inference.significance.summarised import against_chance
from abovechance.measures import find
from abovechance.measures.summary import BinarySummary, Summarised
from abovechance.numerics.exact import SMALLEST, never_zero
from abovechance.predictions import Binary

N = 20_000
Y = np.arange(N) % 2
NOISE = np.random.default_rng(1).random(N)
CLOSE = 0.02 + 0.48 * Y + 0.48 * NOISE
STRONG = Binary(Y, probability=CLOSE)
WEAK = Binary(Y, probability=NOISE)
WRONG = Binary(Y, probability=0.9 + 0.09 * NOISE)

CLOSED: dict[str, Callable[[], Test]] = {
    "binomial": lambda: significance.binomial(N, N, 0.5),
    "binomial below": lambda: significance.binomial(0, N, 0.5, alternative="less"),
    "binomial, two-sided": lambda: significance.binomial(N, N, 0.5, alternative="two-sided"),
    "against_rate": lambda: significance.against_rate(STRONG, 0.5),
    "against_majority": lambda: significance.against_majority(STRONG),
    "fisher": lambda: significance.fisher(STRONG),
    "fisher_counts": lambda: significance.fisher_counts([[N, 0], [0, N]], alternative="two-sided"),
    "mcnemar": lambda: significance.mcnemar(N, 0),
    "mcnemar, mid-p": lambda: significance.mcnemar(N, 0, method="mid-p"),
    "mcnemar, chi2": lambda: significance.mcnemar(N, 0, method="chi2"),
    "mcnemar, corrected": lambda: significance.mcnemar(N, 0, method="chi2_corrected"),
    "mann_whitney": lambda: significance.mann_whitney(STRONG),
    "mann_whitney, two-sided": lambda: significance.mann_whitney(STRONG, alternative="two-sided"),
    "mann_whitney below": lambda: significance.mann_whitney(
        Binary(Y, score=-CLOSE), alternative="less"
    ),
    "delong": lambda: significance.delong(STRONG, WEAK),
    "diebold_mariano": lambda: significance.diebold_mariano(1.0 + 0.001 * NOISE),
    "delong, unpaired": lambda: significance.delong(STRONG, WEAK, paired=False),
    "likelihood_ratio": lambda: significance.likelihood_ratio(WRONG),
    "hosmer_lemeshow": lambda: significance.hosmer_lemeshow(WRONG, method="chi2"),
    "spiegelhalter": lambda: significance.spiegelhalter(WRONG),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_form_underflows_to_one_floor(name: str) -> None:
    found = CLOSED[name]()
    assert found.p_value == SMALLEST
    assert str(found).startswith("p < 1e-300, ")


def test_every_closed_form_is_here() -> None:
    resampled = {
        "binomial_critical",  # a count
        "boundaries",
        "calibration",
        "exchange",
        "null_distribution",
        "permutation",
        "sign_flip",
        "skill",
        "studentised_permutation",
    }
    few = {"ibragimov_mueller", "ordered"}  # Student's t of few degrees does not underflow
    named = {name.partition(",")[0].partition(" ")[0] for name in CLOSED}
    assert named | resampled | few == set(significance.__all__)


def test_tests_of_summaries_have_the_same_floor() -> None:
    summary = Summarised(BinarySummary.of(Y, CLOSE))
    measures = [find(name) for name in ("accuracy", "auc", "brier", "log_score")]
    found = against_chance(summary, {m: m.of(STRONG) for m in measures})
    assert {label: test.p_value for label, test in found.items()} == {
        m.label: SMALLEST for m in measures
    }


def test_flips_of_many_equal_differences_are_drawn_not_called_impossible() -> None:
    right, wrong = Binary(Y, label=Y), Binary(Y, label=1 - Y)
    found = significance.sign_flip(right, wrong, "accuracy", rng=1, draws=99)
    assert found.p_value == pytest.approx(0.01)
    few = slice(0, 900)
    found = significance.sign_flip(right.take(few), wrong.take(few), "accuracy", rng=1)
    assert found.p_value == pytest.approx(2.0**-899)


@pytest.mark.parametrize("p", [0.0, 5e-324, 1e-310, SMALLEST, 1e-300])
def test_the_smallest_are_shown_as_bounds(p: float) -> None:
    assert never_zero(p) >= SMALLEST
    assert p_equation(p) == "p < 1e-300"
    assert p_value(p) == "<0.0001"
    assert p_phrase(p) == "p < 0.001"


def test_other_values_are_shown_as_they_are() -> None:
    assert p_equation(1.1e-300) == "p = 1.1e-300"
    assert p_value(2e-4) == "0.0002"
    assert never_zero(1e-307) == 1e-307
    assert np.isnan(never_zero(float("nan")))
