"""Power by simulation: the studies' cells, theory, and the same bits wherever it runs."""

import re
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.numerics.ranks import midranks
from abovechance.studies import (
    Binormal,
    BinormalPair,
    CorrelatedModels,
    GaussianPredictions,
    Mixture,
    Pair,
    Pilot,
    PowerStudy,
    Predicted,
    Scale,
    Shift,
    power,
    sample_size,
)
from abovechance.studies.paper_tests import least_rank_sum_p, rank_sum_p
from abovechance.studies.power_study import distance
from abovechance.studies.sample_tests import canonical, run_tests

FAR = 3.9  # standard errors beyond which a cell is not the study's

# Spec of the study, 1000 replications: AUC, Brier, log score at half a standard deviation.
GAUSSIAN = {20: (0.245, 0.272, 0.272), 80: (0.686, 0.695, 0.701)}
# 300 replications: accuracy, AUC, Brier, log score by cases per class.
PAIRS = {20: (0.000, 0.120, 0.277, 0.320), 120: (0.117, 0.917, 0.950, 0.950)}


def test_predictions_half_a_deviation_apart_have_the_powers_of_the_study() -> None:
    tests = ("binomial", "wilcoxon", "permutation.brier", "permutation.log_score")
    study = power(
        GaussianPredictions(),
        tests,
        n=tuple(GAUSSIAN),
        effects=0.5,
        replications=160,
        draws=199,
        rng=7,
    )
    for n, expected in GAUSSIAN.items():
        for test, reference in zip(tests[1:], expected, strict=True):
            cell = study.cell(test, n, 0.5)
            assert abs(distance(round(cell.power * 160), 160, reference, 1000)) < FAR
        known = study.cell("binomial", n, 0.5)
        assert known.z is not None
        assert abs(known.z) < FAR
    assert study.cell("binomial", 80, 0.5).power < study.cell(tests[2], 80, 0.5).power


def test_a_small_improvement_is_found_as_often_as_in_the_study() -> None:
    tests = ("accuracy", "delong", "sign_flip.brier", "sign_flip.log_score")
    study = power(
        CorrelatedModels(per_class=True),
        tests,
        n=tuple(PAIRS),
        effects=0.05,
        replications=120,
        draws=199,
        rng=7,
    )
    for n, expected in PAIRS.items():
        for test, reference in zip(tests, expected, strict=True):
            cell = study.cell(test, n, 0.05)
            assert abs(distance(round(cell.power * 120), 120, reference, 300)) < FAR


def test_hotelling_and_the_oracle_have_the_power_of_theory() -> None:
    study = power(
        Shift(features=5, noise="ar1", scaling="snr"),
        ["hotelling", "oracle"],
        n=30,
        effects=(0.0, 3.0),
        replications=400,
        draws=199,
        rng=3,
    )
    for cell in study.cells:
        assert cell.z is not None
        assert abs(cell.z) < FAR


def test_two_processes_give_the_bits_of_one() -> None:
    settings = {"n": (10, 20), "effects": 0.5, "replications": 40, "draws": 49, "rng": 5}
    alone = power(GaussianPredictions(), ["auc", "brier"], **settings)  # type: ignore[arg-type]
    two = power(GaussianPredictions(), ["auc", "brier"], **settings, workers=2)  # type: ignore[arg-type]
    assert alone.digest == two.digest
    assert alone.cells == two.cells


def test_a_store_adds_replications_to_those_it_has(tmp_path: Path) -> None:
    settings = {"n": 20, "effects": 0.5, "draws": 49, "rng": 5}
    tests = ["auc", "log_score"]
    store = str(tmp_path / "power.sqlite")
    power(GaussianPredictions(), tests, **settings, replications=20, store=store)  # type: ignore[arg-type]
    longer = power(GaussianPredictions(), tests, **settings, replications=40, store=store)  # type: ignore[arg-type]
    fresh = power(GaussianPredictions(), tests, **settings, replications=40)  # type: ignore[arg-type]
    assert longer.digest == fresh.digest
    with pytest.raises(AboveChanceError, match=r"another|different|other"):
        power(GaussianPredictions(), ["auc"], n=20, effects=0.5, rng=6, store=store)


def a_design(n: int, effect: float, rng: np.random.Generator) -> Predicted:
    y = np.arange(n) < n // 2
    return Predicted(y, np.clip(0.5 + effect * (y - 0.5) + rng.uniform(-0.2, 0.2, n), 0.01, 0.99))


def always(sample: object, rng: np.random.Generator) -> float:
    return 0.0


def test_a_design_and_a_test_of_ones_own_are_functions() -> None:
    study = power(a_design, ["auc", always], n=12, effects=0.3, replications=20, rng=1)
    assert [cell.statistic for cell in study.cells] == ["auc", "always"]
    assert study.cell("always", 12, 0.3).power == 1.0
    assert study.cells[0].design == "a_design"


def test_a_pilot_that_lost_its_signal_is_found_at_the_level_and_comes_with_a_warning() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) < 20
    pilot = Pilot(y, 1 / (1 + np.exp(-rng.normal(size=60) - y)))
    study = power(pilot, ["auc"], n=60, effects=(0.0, 1.0), replications=200, rng=1)
    assert study.cell("auc", 60, 0.0).power < 0.11
    assert study.cell("auc", 60, 1.0).power > 0.7
    assert "optimistic" in str(study.advice[0])


@pytest.mark.parametrize("design", [Scale(features=4), Mixture(features=4), Shift(4, tails=3)])
def test_every_design_of_two_groups_can_be_tested(design: Shift) -> None:
    study = power(design, ["energy", "sd"], n=20, replications=5, draws=19, rng=1)
    assert len(study.cells) == 2 * len(design.effects)


def test_rank_sums_are_counted_as_scipy_counts_them() -> None:
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(4)
    for n, n1 in ((9, 4), (30, 20), (150, 60)):
        score, y = rng.normal(size=n), np.arange(n) < n1
        method = "exact" if n < 100 else "asymptotic"
        expected = mannwhitneyu(score[y], score[~y], alternative="greater", method=method).pvalue
        ranks = midranks(score)
        assert rank_sum_p(ranks, y) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n", [6, 8, 10])
def test_few_cases_have_the_exact_p_of_assess(n: int) -> None:
    from abovechance import Binary, assess

    tests = ("brier", "log_score")
    for seed, positives in enumerate((2, n // 2, n - 3)):
        rng = np.random.default_rng(seed)
        y = np.arange(n) < positives
        sample = Predicted(y, np.round(1 / (1 + np.exp(-rng.normal(size=n) - y)), 2))
        predicted = Binary(y.astype(int), probability=sample.probability)
        assessed = assess(predicted, list(tests), draws=999, rng=1)
        wanted = [estimate.p_value for estimate in assessed.estimates]
        for stream in range(2):
            found = run_tests(sample, tests, np.random.default_rng(stream))
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_few_cases_have_the_exact_p_of_flipped_signs() -> None:
    from abovechance import Binary
    from abovechance.inference.significance import sign_flip

    rng = np.random.default_rng(3)
    y = np.arange(8) < 4
    pair = CorrelatedModels(noise=0.5)(8, 0.5, rng)
    models = [Binary(y.astype(int), probability=p) for p in (pair.first, pair.second)]
    wanted = [sign_flip(*models, test).p_value for test in ("brier", "log_score")]
    np.testing.assert_allclose(run_tests(pair, ["brier", "log_score"], rng), wanted, rtol=1e-12)


def test_separated_classes_are_always_found_where_the_one_best_labelling_has_the_level() -> None:
    study = power(GaussianPredictions(), "brier", n=6, effects=20.0, replications=40, rng=1)
    assert study.cells[0].power == 1.0


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="did you mean 'brier'"):
        power(GaussianPredictions(), ["brierr"], n=20)
    with pytest.raises(AboveChanceError, match="at least 4 cases"):
        power(GaussianPredictions(), ["auc"], n=2)
    with pytest.raises(AboveChanceError, match="alpha must lie"):
        power(GaussianPredictions(), ["auc"], n=20, alpha=1.5)
    with pytest.raises(AboveChanceError, match="give effects="):
        power(a_design, ["auc"], n=20)


def constant(sample: object, rng: np.random.Generator, p: float) -> float:
    return p


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (float("nan"), "nan"),
        (3.0, "3.0"),
        (-0.1, "-0.1"),
        ((0.1, 2), "a tuple"),
        (None, "None"),
        (True, "a bool"),
        (np.array([0.1, 0.2]), "a ndarray"),
        ("0.1", "a str"),
    ],
)
def test_a_test_that_returns_no_p_value_is_refused_by_name(returned: Any, told: str) -> None:
    words = rf"must return a p-value, a number in \[0, 1\]; constant returned {told}\.$"
    test = partial(constant, p=returned)
    with pytest.raises(AboveChanceError, match=words):
        power(Binormal(), test, n=20, replications=4, rng=1)
    with pytest.raises(AboveChanceError, match=words):
        sample_size(Binormal(), test, effect=0.7, replications=4, rng=1)


@pytest.mark.parametrize("p", [1, 0, np.float32(0.01), np.array(0.01), 1.0 + 1e-15])
def test_a_p_value_is_a_number_of_any_type(p: Any) -> None:
    (cell,) = power(Binormal(auc=0.7), partial(constant, p=p), n=20, replications=4, rng=1).cells
    assert cell.power == float(p < 0.05)


def auc(sample: object, rng: np.random.Generator) -> float:
    return 0.0


def test_functions_of_one_name_have_a_row_each() -> None:
    tests = [auc, "auc", partial(constant, p=0.0), partial(constant, p=1.0)]
    study = power(GaussianPredictions(), tests, n=10, effects=0.0, replications=20, rng=1)
    rows = {cell.statistic: cell for cell in study.cells}
    assert list(rows) == ["auc (2)", "auc", "constant", "constant (2)"]
    assert [rows[name].power for name in ("auc (2)", "constant", "constant (2)")] == [1.0, 1.0, 0.0]
    assert rows["auc"].power < 0.5
    assert rows["auc"].reference is not None
    assert rows["auc (2)"].reference is None


def test_a_test_is_found_under_every_name_it_goes_by() -> None:
    pair = power(
        CorrelatedModels(), ["mcnemar", "delong"], n=20, effects=0.3, replications=8, rng=1
    )
    assert [cell.statistic for cell in pair.cells] == ["accuracy", "delong"]
    assert pair.cell("mcnemar", 20, 0.3) == pair.cell("accuracy", 20, 0.3)
    assert pair.cells[0].reference is not None
    with pytest.raises(AboveChanceError, match=r"no cell of binomial at n = 20 .*there are"):
        pair.cell("binomial", 20, 0.3)
    groups = power(Shift(features=3), ["sd"], n=12, effects=0.5, replications=2, draws=19, rng=1)
    assert groups.cell("srivastava_du", 12, 0.5) == groups.cell("sd", 12, 0.5)


@pytest.mark.parametrize(
    ("design", "name", "told"),
    [
        (GaussianPredictions(), "mcnemar", "compares two models .* choose accuracy"),
        (GaussianPredictions(), "delong", "compares two models .* choose auc"),
        (CorrelatedModels(), "binomial", "tests one model .* choose accuracy"),
        (CorrelatedModels(), "fisher", "tests one model .* choose accuracy, which is McNemar"),
        (GaussianPredictions(), "ece", "unknown test 'ece'"),
        (GaussianPredictions(), 3, "tests must be a word, a function"),
    ],
)
def test_a_test_of_another_question_is_refused(design: Any, name: Any, told: str) -> None:
    with pytest.raises(AboveChanceError, match=told):
        power(design, [name], n=20)


def test_measures_whose_permutation_p_is_fishers_ask_for_fisher() -> None:
    from abovechance.measures import find
    from abovechance.measures.measure import LabelScore

    names = ("balanced_accuracy", "bac", "mcc", "kappa", "informedness", "acc", "accuracy")
    assert {canonical(name, Predicted) for name in names} == {"fisher"}
    assert {find(name).label_score for name in names} == {LabelScore.LABEL}
    study = power(Binormal(0.2), names, n=30, effects=0.8, replications=20, rng=1)
    assert [cell.statistic for cell in study.cells] == ["balanced_accuracy"]
    assert study.cell("bac", 30, 0.8) == study.cells[0]
    assert [remark.code for remark in study.advice] == ["AC802"]


def threshold_advice(design: Any, tests: Any, effect: float) -> list[str]:
    study = power(design, tests, n=40, effects=effect, replications=4, draws=19, rng=1)
    return [str(remark) for remark in study.advice if remark.code == "AC802"]


def test_a_far_threshold_is_told_of_with_tests_that_see_labels() -> None:
    assert threshold_advice(Binormal(0.2), ["auc", "brier"], 0.8) == []
    assert threshold_advice(Binormal(0.45), "fisher", 0.8) == []
    for tests, words in (
        (["auc", "fisher"], "fisher sees labels only"),
        (["fisher", "binomial"], "fisher and binomial see labels only"),
    ):
        (told,) = threshold_advice(Binormal(0.2), tests, 0.8)
        assert f"{words}, positive above 0.5 although 20% of the cases" in told
    (told,) = threshold_advice(Binormal(0.001), "fisher", 0.8)
    assert "0.1% of the cases" in told


def test_a_threshold_far_from_the_share_of_a_pilot_is_told_of() -> None:
    y = np.arange(40) < 4
    scores = np.where(y, 0.3, 0.1) + np.linspace(0.0, 0.1, 40)
    (told,) = threshold_advice(Pilot(y, scores), "fisher", 1.0)
    assert "positive above 0.5 although 10% of the cases" in told
    assert threshold_advice(Pilot(y, scores), "auc", 1.0) == []
    assert threshold_advice(Pilot(y, scores, threshold=0.2), "fisher", 1.0) == []


def test_a_setting_given_twice_is_simulated_once() -> None:
    asked = {"replications": 8, "rng": 1}
    once = power(Binormal(), "auc", n=[30, 20], effects=[0.8, 0.7], **asked)  # type: ignore[arg-type]
    twice = power(
        Binormal(),
        "auc",
        n=[30, 20, 30],
        effects=[0.8, 0.7, 0.8],
        **asked,  # type: ignore[arg-type]
    )
    assert twice == once
    assert [(cell.n, cell.effect) for cell in twice.cells] == [
        (30, 0.8),
        (30, 0.7),
        (20, 0.8),
        (20, 0.7),
    ]


def test_numbers_of_numpy_and_single_names_are_taken() -> None:
    plain = power(GaussianPredictions(), ["auc"], n=40, effects=1.0, replications=16, rng=1)
    for n, effects in ((np.int64(40), np.int64(1)), (40.0, np.float32(1)), (np.array([40]), (1,))):
        same = power(
            GaussianPredictions(),
            "auc",
            n=n,  # type: ignore[arg-type]
            effects=effects,  # type: ignore[arg-type]
            replications=np.int64(16),  # type: ignore[arg-type]
            rng=1,
        )
        assert same == plain
        assert type(same.cells[0].n) is int
    assert power(GaussianPredictions(), auc, n=8, effects=1, replications=4).cells[0].power == 1.0


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"n": 40.5}, "n must be a whole number, a list of whole numbers or None; got 40.5"),
        ({"n": float("inf")}, "n must be a whole number, a list of whole numbers or None; got inf"),
        ({"n": "40"}, "n must be a whole number, a list of whole numbers or None; got '40'"),
        ({"n": []}, "at least 4 cases"),
        (
            {"effects": float("nan")},
            "effects must be a finite number, a list of numbers or None; got nan",
        ),
        ({"effects": []}, "give at least one effect"),
        ({"replications": 0}, "replications must be at least 1; got 0"),
        ({"draws": 0}, "draws must be at least 1; got 0"),
        ({"rule": "foo"}, "rule must be 'standard' or 'paper'; got 'foo'"),
        ({"tests": []}, "name at least one test"),
        ({"design": GaussianPredictions}, "design must be a Design"),
        ({"tests": ["auc", "brier"], "draws": 9}, "at least 19 .* smallest p of brier is 0.1"),
        ({"design": Shift(features=2), "tests": "sd", "draws": 9}, "smallest p of sd"),
        ({"design": a_design, "tests": "foo"}, "unknown test 'foo'"),
        ({"design": a_design, "tests": "mcnemar"}, "mcnemar compares two models"),
        ({"design": lambda n, effect, rng: (1, 2)}, "must return a Predicted, .*returned a tuple"),
    ],
)
def test_what_a_study_cannot_be_asked_is_refused_in_one_line(
    asked: dict[str, Any], told: str
) -> None:
    usual = {"design": GaussianPredictions(), "tests": "auc", "n": 20, "effects": 0.5}
    with pytest.raises(AboveChanceError, match=told) as refused:
        power(**{**usual, "replications": 4, **asked})
    assert "\n" not in str(refused.value)


def test_shares_of_draws_reach_any_level() -> None:
    study = power(
        GaussianPredictions(),
        "brier",
        n=20,
        effects=3.0,
        replications=8,
        draws=9,
        rule="paper",
        rng=1,
    )
    assert study.cells[0].power == 1.0


def few(*args: Any, **settings: Any) -> PowerStudy:
    return power(*args, **settings, n=40, replications=8, draws=19, rng=1)


def test_the_name_of_a_test_alone_is_studied_in_its_plainest_design_and_says_which() -> None:
    study = few("auc")
    assert study == few(Binormal(), "auc", effects=[0.6, 0.7, 0.8])
    first = study.cells[0]
    assert (first.title, first.alternative) == ("Mann–Whitney test of the AUC", "greater")
    assert first.setting == "a calibrated model with an AUC of 0.6, 50% of the cases positive"
    assert study.conditions == (
        "effect: AUC (0.6, 0.7, 0.8), prevalence 0.5, one-sided tests at level 0.05"
    )
    said = " ".join(str(study).split())
    for part in ("Power, binormal", "Effect: AUC.", "Prevalence 0.5.", "One-sided", "level 0.05"):
        assert part in said
    assert {cell.design for cell in few("delong").cells} == {"binormal pair"}
    assert {cell.design for cell in few("hotelling").cells} == {"shift"}


def test_a_design_goes_by_its_name() -> None:
    assert few("binormal", "auc", prevalence=0.2, auc=0.7) == few(Binormal(0.2, auc=0.7), "auc")
    assert few("correlated_models", "accuracy") == few(CorrelatedModels(), "accuracy")


def test_a_model_in_numbers_is_a_calibrated_one() -> None:
    assert few(auc=0.7, prevalence=0.2, tests="auc") == few(Binormal(0.2), "auc", effects=0.7)
    assert few("auc", auc=[0.6, 0.7]) == few(Binormal(), "auc", effects=[0.6, 0.7])
    pair = BinormalPair(auc=0.7, auc2=0.75, prevalence=0.1, correlation=0.3)
    two = few(auc=0.7, versus=0.75, prevalence=0.1, correlation=0.3, tests="auc")
    assert two == few(pair, "auc")
    assert (two.cells[0].effect, two.cells[0].alternative) == (0.75, "two-sided")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give a design, as ac.studies.Binormal(); a test"),
        ({"design": "auc", "tests": ["brier"]}, "Several tests go into tests=, as tests=['auc'"),
        ({"design": "auk"}, "'auk' is neither a design nor a test; did you mean 'auc'?"),
        ({"design": "auc", "correlation": 0.5}, "give versus=, the second one's AUC"),
        ({"versus": 0.7, "design": "auc"}, "give auc=, the first one's"),
        ({"auc": 0.7, "effects": 0.8}, "auc= is the effect here"),
        ({"design": Binormal(), "auc": 0.7}, "auc= describe a calibrated model"),
        ({"design": "shift", "prevalence": 0.2}, "shift is another design"),
        ({"auc": 0.7, "n": None}, "give n=, the number of cases, as n=40"),
        ({"auc": 0.7, "settings": [(40, 0.7)]}, "either settings=, pairs of n and effect, or"),
        (
            {"design": Binormal(), "n": None, "settings": [40]},
            "settings must be a list of pairs of numbers or None; got [40]",
        ),
        ({"design": Binormal(), "n": None, "settings": []}, "at least one pair"),
        ({"auc": 1.2}, "the AUC must lie in [0.5, 1)"),
    ],
)
def test_a_study_that_cannot_be_understood_says_what_to_write(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(AboveChanceError, match=re.escape(said)):
        power(**{"n": 40, "replications": 4, "rng": 1, **given})


def test_settings_are_pairs_and_tests_have_names_of_ones_own() -> None:
    pairs = [(20, 0.7), (40, 0.6)]
    names = {"area": "auc", "again": "auc", "mine": lambda sample, rng: 0.01}
    study = power(Binormal(), names, settings=pairs, replications=8, rng=1)
    assert [(cell.n, cell.effect) for cell in study.cells] == [p for p in pairs for _ in names]
    assert [cell.statistic for cell in study.cells[:3]] == list(names)
    assert study.cells[0].power == study.cells[1].power
    assert study.cells[2].power == 1.0


def test_a_published_power_stands_beside_a_cell_and_the_formula_becomes_theory() -> None:
    cell = few(Binormal(auc=0.7), "auc").cells[0]
    beside = cell.beside(0.5, 200, "read from a figure")
    assert (beside.theory, beside.theory_z) == (cell.reference, cell.z)
    assert (beside.reference, beside.reference_method) == (0.5, "read from a figure")
    assert beside.reference_se == pytest.approx(np.sqrt(0.25 / 200), rel=1e-3)
    assert beside.z == distance(round(cell.power * 8), 8, 0.5, 200)


def test_samples_without_a_class_are_counted_and_said() -> None:
    def rare(n: int, effect: float, rng: np.random.Generator) -> Predicted:
        y = rng.random(n) < effect
        return Predicted(y, 0.2 + 0.6 * y)

    study = power(
        rare, ["auc", "brier"], n=20, effects=[0.0, 0.5], replications=10, draws=99, rng=1
    )
    assert [cell.power for cell in study.cells] == [0.0, 0.0, 1.0, 1.0]
    (advice,) = (advice for advice in study.advice if advice.code == "AC804")
    assert "10 of 20 samples" in advice.text
    assert "not rejected" in advice.text


def test_a_design_that_draws_no_positive_warns_of_nothing() -> None:
    def rare(n: int, effect: float, rng: np.random.Generator) -> Pair:
        y = rng.random(n) < 0.05
        scores = 1 / (1 + np.exp(-rng.normal(size=(2, n)) - effect * y))
        return Pair(y, scores[0], scores[1])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = power(rare, ["auc", "delong", "brier"], n=20, effects=1.0, replications=16, rng=1)
    assert all(cell.power < 0.3 for cell in study.cells)


def test_a_study_prints_as_a_table() -> None:
    study = power(
        GaussianPredictions(), ["auc", "brier"], n=20, effects=0.5, replications=16, draws=19, rng=1
    )
    assert study.conditions == (
        "effect: standard deviations between the classes' logits (0.5), prevalence 0.5, one-sided "
        "tests at level 0.05"
    )
    assert str(study) == study.to_text()  # the table of the command, and no other
    (first,) = (line.split() for line in study.to_text(width=200).splitlines() if " auc " in line)
    assert first[-7:] == ["20", f"{study.cells[0].power:.3f}", *first[-5:-2], "0.264", "16"]
    assert str(study.cells[0]).startswith("auc, 20 cases, effect 0.5: power ")
    assert [row["statistic"] for row in study.rows()] == ["auc", "brier"]


@pytest.mark.parametrize(("n1", "n0"), [(2, 3), (1, 30), (40, 5), (1, 200), (60, 55)])
def test_the_least_rank_sum_p_is_that_of_separated_classes(n1: int, n0: int) -> None:
    ranks, positive = np.arange(1.0, n1 + n0 + 1), np.arange(n1 + n0) >= n0
    assert least_rank_sum_p(n1, n0) == pytest.approx(rank_sum_p(ranks, positive), rel=1e-12)
