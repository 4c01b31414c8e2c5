"""Rejection rates against theory and against the paper's figures, in small."""

import numpy as np
import pytest
from scipy.stats import f as f_law
from scipy.stats import ncf, ncx2

from abovechance.resampling import tail
from abovechance.signal import TWO_GROUP, evaluate, find, oracle

N, P, DRAWS = 40, 23, 300
EVERY = np.arange(N) % 2


def rejections(statistics, shift, replications, seed):
    """Share of data sets in which p = mean(null >= observed) <= 0.05, the papers' rule."""
    rng = np.random.default_rng(seed)
    total = np.zeros(len(statistics))
    for _ in range(replications):
        y = rng.permutation(EVERY)
        X = rng.normal(size=(N, P)) + shift * y[:, None]
        labels = np.vstack([y, rng.permuted(np.tile(y, (DRAWS, 1)), axis=1)])
        values = evaluate(X, labels, statistics, rng)
        total += (values[1:] >= values[0] - 1e-9).mean(axis=0) <= 0.05
    return total / replications


def standard_errors(found, replications, reference, reference_replications):
    """Distance of two shares in standard errors of their pooled value."""
    total = replications + reference_replications
    events = found * replications + reference * reference_replications
    pooled = (events + 0.5) / (total + 1)
    spread = pooled * (1 - pooled) * (1 / replications + 1 / reference_replications)
    return abs(found - reference) / np.sqrt(spread)


@pytest.mark.parametrize("shift", [0.25, 0.5])
def test_power_of_hotelling_and_the_oracle_is_that_of_theory(shift):
    level = 16 / 301  # of the papers' rule with 300 permutations
    distance = N / 4 * P * shift**2
    bound = f_law.isf(level, P, N - P - 1)
    expected = [
        ncf.sf(bound, P, N - P - 1, distance),
        ncx2.sf(ncx2.isf(level, P, 1e-12), P, distance),
    ]
    replications = 600
    found = rejections([find("hotelling"), oracle(np.eye(P))], shift, replications, 1)
    spread = np.sqrt(np.multiply(expected, np.subtract(1, expected)) / replications)
    assert abs(found[0] - expected[0]) < 3.5 * spread[0]
    # The scale of the noise is known to the chi-square and not to the permutations.
    assert -0.05 < found[1] - expected[1] < 3.5 * spread[1]


@pytest.mark.parametrize("shift", [0.0, 0.25, 0.4])
def test_hotelling_rejects_by_permutation_as_often_as_by_the_f_distribution(shift):
    replications, draws = 300, 299  # with the observed labelling 300: p <= .05 has level .05
    rng = np.random.default_rng(int(100 * shift) + 5)
    permuted, theory = np.zeros(replications, dtype=bool), np.zeros(replications, dtype=bool)
    for r in range(replications):
        y = rng.permutation(EVERY)
        X = rng.normal(size=(N, P)) + shift * y[:, None]
        labels = np.vstack([y, rng.permuted(np.tile(y, (draws, 1)), axis=1)])
        values = evaluate(X, labels, [find("hotelling")], rng)[:, 0]
        permuted[r] = tail(values[0], values[1:]).p_value <= 0.05
        theory[r] = f_law.sf(values[0] * (N - P - 1) / (P * (N - 2)), P, N - P - 1) <= 0.05
    disagreements = int((permuted != theory).sum())
    assert disagreements < 0.1 * replications
    assert abs(int(permuted.sum()) - int(theory.sum())) <= 3.5 * np.sqrt(disagreements + 1)


FIGURE = {
    "Hotelling.shrink": (0.544, 4000),
    "sd": (0.532, 4000),
    "lda.CV.1": (0.213, 4000),
    "lda.noCV.1": (0.125, 4000),
}


def test_power_is_that_of_the_papers_figure_with_balanced_folds():
    found = rejections([find(name) for name in FIGURE], 0.25, 300, 2)
    for share, (reference, replications) in zip(found, FIGURE.values(), strict=True):
        assert standard_errors(share, 300, reference, replications) < 3.9


def test_no_statistic_rejects_too_often_without_signal():
    replications, level = 250, 16 / 301
    slow = {"simes", "cai"}
    statistics = [*(s for s in TWO_GROUP if s.name not in slow), find("lda.cv8")]
    found = rejections(statistics, 0.0, replications, 3)
    assert (found <= level + 3.5 * np.sqrt(level * (1 - level) / replications)).all()


@pytest.mark.slow
def test_power_of_machines_and_bootstraps_is_that_of_the_papers_figures():
    figures = {
        "svm.CV.1": (0.273, 4000),
        "svm.CV.2": (0.300, 4000),
        "svm.noCV.2": (0.198, 4000),
        "lda.Boot.1": (0.239, 2000),
        "lda.Boot.2": (0.213, 2000),
        "svm.Boot.1": (0.347, 2000),
        "lda.highdim.1": (0.344, 2000),
        "lda.highdim.3": (0.365, 2000),
        "lda.highdim.4": (0.497, 2000),
        "svm.highdim.1": (0.224, 2000),
    }
    found = rejections([find(name) for name in figures], 0.25, 400, 4)
    for share, (reference, replications) in zip(found, figures.values(), strict=True):
        assert standard_errors(share, 400, reference, replications) < 3.9
