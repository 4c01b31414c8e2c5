"""Power by simulation: the studies' cells, theory, and the same bits wherever it runs."""

from pathlib import Path

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.numerics.ranks import midranks
from abovechance.studies import (
    CorrelatedModels,
    GaussianPredictions,
    Mixture,
    Pilot,
    Predicted,
    Scale,
    Shift,
    power,
)
from abovechance.studies.powering import distance
from abovechance.studies.questions import rank_sum_p

FAR = 3.9  # standard errors beyond which a cell is not the study's

# Spec of the study, 1000 replications: AUC, Brier, log score at half a standard deviation.
GAUSSIAN = {20: (0.245, 0.272, 0.272), 80: (0.686, 0.695, 0.701)}
# 300 replications: accuracy, AUC, Brier, log score by cases per class.
PAIRS = {20: (0.000, 0.120, 0.277, 0.320), 120: (0.117, 0.917, 0.950, 0.950)}


def test_predictions_half_a_deviation_apart_have_the_powers_of_the_study() -> None:
    tests = ("accuracy", "auc", "brier", "log_score")
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
        known = study.cell("accuracy", n, 0.5)
        assert known.z is not None
        assert abs(known.z) < FAR
    assert study.cell("accuracy", 80, 0.5).power < study.cell("brier", 80, 0.5).power


def test_a_small_improvement_is_found_as_often_as_in_the_study() -> None:
    tests = ("accuracy", "auc", "brier", "log_score")
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


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="did you mean 'brier'"):
        power(GaussianPredictions(), ["brierr"], n=20)
    with pytest.raises(AboveChanceError, match="at least 4 cases"):
        power(GaussianPredictions(), ["auc"], n=2)
    with pytest.raises(AboveChanceError, match="alpha must lie"):
        power(GaussianPredictions(), ["auc"], n=20, alpha=1.5)
    with pytest.raises(AboveChanceError, match="give effects="):
        power(a_design, ["auc"], n=20)
