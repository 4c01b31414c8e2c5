"""Power by formula: the values of the specification and of theory."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.studies import (
    Binormal,
    CorrelatedModels,
    GaussianPredictions,
    Mixture,
    Predicted,
    Shift,
    closed_form,
    power,
)
from abovechance.studies.closed_forms import _critical, level_of
from abovechance.studies.sample_tests import rejects, run_tests


@pytest.mark.parametrize(
    ("effect", "powers"),
    [(0.5, (0.123, 0.539, 0.718, 0.852)), (1.0, (0.384, 0.969, 0.998, 1.000))],
)
def test_accuracy_has_the_exact_powers_of_the_study(
    effect: float, powers: tuple[float, ...]
) -> None:
    for n, exact in zip((20, 80, 140, 200), powers, strict=True):
        known = closed_form(GaussianPredictions(), "binomial", n, effect)
        assert known is not None
        assert known.exact
        assert round(known.power, 3) == exact


def test_hotelling_has_the_power_of_a_noncentral_f() -> None:
    values = [
        closed_form(Shift(), "hotelling", 40, effect, draws=300, rule="paper")
        for effect in (0.25, 0.5)
    ]
    assert [round(known.power, 3) for known in values if known] == [0.264, 0.888]


@pytest.mark.parametrize(
    ("effect", "draws", "power"),
    [(5.0, 1000, 0.223), (10.0, 1000, 0.823), (5.75, 300, 0.304), (11.5, 300, 0.934)],
)
def test_a_shift_scaled_to_its_signal_has_the_published_powers(
    effect: float, draws: int, power: float
) -> None:
    for noise in ("identity", "ar1", "heteroskedastic"):
        design = Shift(noise=noise, scaling="snr")
        known = closed_form(design, "hotelling", 40, effect, draws=draws, rule="paper")
        assert known is not None
        assert known.power == pytest.approx(power, abs=6e-4)  # printed to three decimals


def test_the_oracle_has_more_power_than_hotelling() -> None:
    known = [closed_form(Shift(), name, 40, 0.25) for name in ("oracle", "hotelling")]
    assert known[0] is not None
    assert known[1] is not None
    assert known[0].power > known[1].power + 0.2


def test_fisher_enumerated_agrees_with_a_plain_sum_over_tables() -> None:
    from scipy.special import ndtr
    from scipy.stats import binom, fisher_exact

    cut = 0.25
    plain = sum(
        binom.pmf(hits, 10, ndtr(0.5 - cut)) * binom.pmf(alarms, 10, ndtr(-cut))
        for hits in range(11)
        for alarms in range(11)
        if fisher_exact([[hits, 10 - hits], [alarms, 10 - alarms]], "greater")[1] <= 0.05
    )
    known = closed_form(GaussianPredictions(), "fisher", 20, 0.5)
    assert known is not None
    assert known.power == pytest.approx(plain, rel=1e-10)


def fisher_by_fractions(hits: int, n1: int, n0: int, called: int) -> Fraction:
    tables = (comb(n1, k) * comb(n0, called - k) for k in range(hits, min(called, n1) + 1))
    return Fraction(sum(tables), comb(n1 + n0, called))


@pytest.mark.parametrize("alpha", ["0.01", "0.05", "0.1", "0.2"])
def test_fisher_rejects_by_formula_where_fractions_do(alpha: str) -> None:
    for n1 in range(1, 20):
        for n0 in range(1, 20):
            totals = np.arange(n1 + n0 + 1)
            for called, critical in zip(
                totals.tolist(), _critical(totals, n1, n0, float(alpha)).tolist(), strict=True
            ):
                level, most = Fraction(alpha), min(called, n1)
                if critical <= most:
                    assert fisher_by_fractions(critical, n1, n0, called) <= level
                if critical > max(called - n0, 0):
                    assert fisher_by_fractions(critical - 1, n1, n0, called) > level


def test_fisher_by_simulation_rejects_where_its_p_is_the_level() -> None:
    for hits, n1, n0, called, alpha in (
        (3, 3, 13, 8, 0.1),
        (3, 3, 3, 3, 0.05),
        (2, 6, 19, 2, 0.05),
        (19, 19, 6, 23, 0.01),
    ):
        positive = np.arange(n1 + n0) < n1
        yes = np.r_[np.arange(n1) < hits, np.arange(n0) < called - hits]
        (p,) = run_tests(
            Predicted(positive, np.where(yes, 0.9, 0.1)), ["fisher"], np.random.default_rng(1)
        )
        exact = fisher_by_fractions(hits, n1, n0, called)
        assert bool(rejects(p, alpha)) == (exact <= Fraction(str(alpha)))
        assert rejects(p, float(exact))


def test_six_cases_told_apart_are_at_the_level_and_found() -> None:
    from scipy.special import ndtr

    known = closed_form(GaussianPredictions(), "fisher", 6, 4.0)
    assert known is not None
    assert known.power == pytest.approx(ndtr(2.0) ** 6, rel=1e-10)
    (cell,) = power(
        GaussianPredictions(), "fisher", n=6, effects=4.0, replications=200, rng=2
    ).cells
    assert cell.z is not None
    assert abs(cell.z) < 4


@pytest.mark.parametrize("alpha", [0.0625, 0.125, 0.25, 0.5])
def test_mcnemar_rejects_alike_by_formula_and_by_simulation_at_the_level(alpha: float) -> None:
    (cell,) = power(
        CorrelatedModels(noise=1.0),
        "mcnemar",
        n=12,
        effects=2.0,
        alpha=alpha,
        replications=400,
        rng=1,
    ).cells
    assert cell.z is not None
    assert abs(cell.z) < 4


def test_mcnemar_never_exceeds_its_level_when_models_are_equal() -> None:
    for n in (20, 120, 420):
        known = closed_form(CorrelatedModels(per_class=True), "accuracy", n, 0.0)
        assert known is not None
        assert 0.0 < known.power <= 0.05


def test_the_area_has_hanley_and_mcneils_spread_when_classes_are_alike() -> None:
    from abovechance.studies.closed_forms import _auc_spread

    assert _auc_spread(0.0, 12, 30) == pytest.approx(np.sqrt(43 / (12 * 12 * 30)), rel=1e-10)


@pytest.mark.parametrize(("n", "correlation"), [(120, 0.0), (300, 0.7)])
def test_two_areas_are_compared_with_the_power_of_the_formula(n: int, correlation: float) -> None:
    from abovechance.studies import BinormalPair

    design = BinormalPair(auc=0.7, prevalence=0.4, correlation=correlation)
    study = power(design, ["auc"], n=n, effects=(0.7, 0.82), replications=200, rng=1)
    for cell in study.cells:
        assert cell.reference is not None
        assert abs(cell.power - cell.reference) < 0.02 + 3.9 * cell.se
    level, found = study.cells
    assert level.reference == pytest.approx(0.05)
    assert found.reference is not None
    assert found.reference > 0.4


def test_there_is_no_formula_for_every_test() -> None:
    assert closed_form(GaussianPredictions(), "brier", 80, 0.5) is None
    assert closed_form(Shift(tails=3), "hotelling", 40, 0.5) is None
    assert closed_form(Shift(features=50), "hotelling", 40, 0.5) is None


def test_more_cases_and_larger_areas_have_more_power() -> None:
    design = Binormal(prevalence=0.2)
    powers = [closed_form(design, "auc", n, auc) for n, auc in ((50, 0.7), (100, 0.7), (100, 0.8))]
    assert all(known is not None for known in powers)
    assert sorted(known.power for known in powers if known) == [k.power for k in powers if k]


@pytest.mark.parametrize(("draws", "level"), [(99, 0.05), (300, 15 / 301), (19, 0.05), (10, 0.0)])
def test_a_level_is_what_the_draws_can_reach(draws: int, level: float) -> None:
    assert level_of(0.05, draws) == level


@pytest.mark.parametrize(
    ("design", "alias", "name"),
    [
        (CorrelatedModels(), "mcnemar", "accuracy"),
        (GaussianPredictions(), "accuracy", "fisher"),
        (GaussianPredictions(), "log", "log_score"),
        (GaussianPredictions(), "mcc", "fisher"),
        (Shift(), "Hotelling", "hotelling"),
    ],
)
def test_formulas_go_by_every_name_of_a_test(design: Shift, alias: str, name: str) -> None:
    known = closed_form(design, alias, 40, 0.5)
    assert known is not None
    assert known == closed_form(design, name, 40, 0.5)


def test_names_of_the_other_question_and_unknown_ones_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="mcnemar compares two models"):
        closed_form(GaussianPredictions(), "mcnemar", 40, 0.5)
    with pytest.raises(AboveChanceError, match="unknown test 'brierr'; did you mean 'brier'"):
        closed_form(GaussianPredictions(), "brierr", 40, 0.5)
    with pytest.raises(AboveChanceError, match="n must be a whole number from 4 on"):
        closed_form(GaussianPredictions(), "auc", 2, 0.5)
    with pytest.raises(AboveChanceError, match="effect must be a finite number"):
        closed_form(GaussianPredictions(), "auc", 40, float("nan"))


def test_a_function_has_no_formula_whatever_it_is_called() -> None:
    def auc(sample: object, rng: np.random.Generator) -> float:
        return 1.0

    assert closed_form(GaussianPredictions(), auc, 40, 0.5) is None


class Shuffled(Binormal):
    def __call__(self, n: int, effect: float, rng: np.random.Generator) -> Predicted:
        sample = super().__call__(n, effect, rng)
        return Predicted(sample.positive, rng.permutation(sample.probability))


class Renamed(Binormal):
    name = "renamed"


def test_a_design_that_draws_in_its_own_way_has_no_formula() -> None:
    assert closed_form(Shuffled(), "auc", 100, 0.7) is None
    assert closed_form(Renamed(), "auc", 100, 0.7) == closed_form(Binormal(), "auc", 100, 0.7)


@pytest.mark.parametrize("name", ["auc", "log_score"])
def test_so_few_cases_that_no_arrangement_reaches_the_level_have_no_power(name: str) -> None:
    powers = [closed_form(GaussianPredictions(), name, n, 3.0) for n in (4, 5, 6)]
    assert [known.power > 0.5 for known in powers if known] == [False, False, True]
    assert [known.power for known in powers if known][:2] == [0.0, 0.0]


def test_the_normal_rank_test_of_one_positive_is_known_never_to_reject() -> None:
    known = closed_form(Binormal(0.001), "auc", 4, 0.7)
    assert known is not None
    assert known.power == 0.0
    rare = closed_form(Binormal(0.001), "auc", 201, 0.99, alpha=0.01)
    assert rare is not None
    assert rare.power == 0.0  # the exact p would be 1/201, but the normal one is never below .04


@pytest.mark.parametrize("name", ["binomial", "fisher", "auc", "wilcoxon", "log_score"])
@pytest.mark.parametrize("auc", [0.5, 0.7, 0.99])
def test_rare_outcomes_have_formulas_without_warnings(name: str, auc: float) -> None:
    known = closed_form(Binormal(0.001), name, 4, auc)
    assert known is not None
    assert known.power == 0.0


def test_fisher_is_enumerated_for_thousands_of_cases() -> None:
    known = closed_form(Binormal(), "fisher", 8_000, 0.55)
    assert known is not None
    assert 0.99 < known.power <= 1.0


def test_the_oracle_is_refused_alike_by_formula_and_by_simulation() -> None:
    for refused in (
        lambda: closed_form(Mixture(features=4), "oracle", 40, 0.5),
        lambda: power(Mixture(features=4), "oracle", n=40, effects=0.5, replications=2),
    ):
        with pytest.raises(AboveChanceError, match="the oracle needs a design whose covariance"):
            refused()
