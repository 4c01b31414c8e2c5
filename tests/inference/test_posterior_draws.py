"""Posteriors by draws agree with exact ones, repeat themselves, and recover what was simulated."""

import numpy as np
import pytest
from scipy.special import expit

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import posterior
from abovechance.inference.posterior.population import (
    Population,
    log_likelihood,
    log_prior,
    peaks,
)
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass

TABLE = np.array([[40, 10], [5, 45]])


def tables_of(right, total):
    wrong = total - right
    return np.stack(
        [np.stack([right[:, 0], wrong[:, 0]], -1), np.stack([wrong[:, 1], right[:, 1]], -1)], 1
    )


def test_dirichlet_draws_agree_with_the_exact_posterior() -> None:
    exact = posterior.balanced_accuracy(TABLE)
    drawn = posterior.of("balanced_accuracy", TABLE)
    assert drawn.mean == pytest.approx(exact.mean, abs=5 * exact.std / np.sqrt(100_000))
    assert drawn.ppf([0.025, 0.5, 0.975]) == pytest.approx(exact.ppf([0.025, 0.5, 0.975]), abs=1e-3)
    assert drawn.pdf(exact.median) == pytest.approx(exact.pdf(exact.median), rel=0.03)
    assert drawn.mode == pytest.approx(exact.mode, abs=0.01)
    shortest = drawn.interval(kind="highest_density")
    target = exact.interval(kind="highest_density")
    assert [shortest.low, shortest.high] == pytest.approx([target.low, target.high], abs=4e-3)


def test_measures_functions_and_names_mean_the_same() -> None:
    named = posterior.of("sensitivity", TABLE, draws=1000)
    measured = posterior.of(find("sensitivity"), TABLE, draws=1000)
    written = posterior.of(lambda t: t[..., 1, 1] / t[..., 1, :].sum(-1), TABLE, draws=1000)
    assert named.mean == measured.mean == pytest.approx(written.mean, rel=1e-12)
    assert named.quantity == "sensitivity"


def test_draws_repeat_unless_told_otherwise() -> None:
    first, second = (posterior.of("mcc", TABLE, draws=500) for _ in range(2))
    assert first.mean == second.mean
    assert posterior.of("mcc", TABLE, draws=500, rng=7).mean != first.mean


def test_fixed_margins_keep_the_class_sizes() -> None:
    sizes = posterior.of(lambda t: t[..., 0, :].sum(-1), TABLE, margins="fixed", draws=500)
    assert sizes.interval().low == pytest.approx(50)
    assert sizes.interval().high == pytest.approx(50)
    free = posterior.of(lambda t: t[..., 0, :].sum(-1), TABLE, draws=500)
    assert free.std > 1


def test_many_classes_are_drawn_in_blocks() -> None:
    table = np.eye(30, dtype=int) * 9 + 1
    found = posterior.of("accuracy", table, draws=6000)
    a, b = 30 * 11, 30 * 29 * 2
    assert found.mean == pytest.approx(a / (a + b), abs=0.002)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(DataError, match="measure must be"):
        posterior.of(3, TABLE)
    with pytest.raises(DataError, match="margins must be"):
        posterior.of("mcc", TABLE, margins="loose")
    with pytest.raises(DataError, match="at least 100"):
        posterior.of("mcc", TABLE, draws=3)
    with pytest.raises(NotApplicable, match="undefined in 200 of 200"):
        posterior.of(lambda t: np.full(t.shape[:-2], np.nan), TABLE, draws=200)
    with pytest.raises(NotApplicable, match="not a function of a confusion table"):
        posterior.of("auc", TABLE)


def test_a_paired_difference_has_the_moments_of_its_dirichlet_distribution() -> None:
    cells = np.array([[40, 12], [3, 5]])
    found = posterior.paired_difference(cells)
    alpha = cells.ravel() + 0.5
    share = alpha / alpha.sum()
    mean = share[1] - share[2]
    variance = (share[1] + share[2] - mean**2) / (alpha.sum() + 1)
    assert found.mean == pytest.approx(mean, abs=5 * np.sqrt(variance / 200_000))
    assert found.std == pytest.approx(np.sqrt(variance), rel=0.01)
    assert found.quantity == "paired difference in accuracy"


def test_pairing_narrows_the_difference_of_models_that_err_together() -> None:
    rng = np.random.default_rng(3)
    outcome = np.repeat([0, 1], 100)
    hard = rng.random(200) < 0.25
    labels = [np.where(hard ^ (rng.random(200) < 0.03), 1 - outcome, outcome) for _ in range(2)]
    one, two = (Binary(outcome, label=label) for label in labels)
    paired = posterior.paired_difference(one, two)
    assert paired.std < 0.6 * posterior.difference(one, two).std
    same = posterior.paired_difference(posterior.agreement(outcome, *labels))
    assert same.mean == paired.mean
    assert paired.quantity == "paired difference in balanced accuracy"


def test_paired_differences_of_many_classes() -> None:
    outcome = ["a", "b", "c"] * 20
    one = Multiclass(outcome, label=outcome)
    two = Multiclass(outcome, label=["a"] * 60)
    found = posterior.paired_difference(one, two)
    assert found.mean == pytest.approx(2 / 3 * 20 / 22, abs=0.01)
    assert found.prob_above(0.0) > 0.999


def test_pairs_that_do_not_match_are_refused() -> None:
    one, two = Binary([0, 1, 1], label=[0, 1, 0]), Binary([1, 0, 1], label=[0, 1, 0])
    with pytest.raises(DataError, match="same cases in the same order"):
        posterior.paired_difference(one, two)
    with pytest.raises(DataError, match="2 × 2 table"):
        posterior.paired_difference([[1, 2, 3]])
    with pytest.raises(DataError, match="equal length"):
        posterior.agreement([0, 1], [0, 1], [0])


def test_quadrature_over_subjects_agrees_with_brute_force() -> None:
    right, total = (
        np.array([[18.0, 14.0], [20.0, 3.0], [0.0, 2.0]]),
        np.array([[20.0, 20.0], [20.0, 5.0], [4.0, 9.0]]),
    )
    population = Population(
        np.array([[1.2, 0.4], [0.0, 0.0]]),
        np.array([[0.7, 1.1], [0.3, 2.0]]),
        np.array([-0.4, 0.8]),
    )
    found = log_likelihood(right, total, population)
    root, weight = np.polynomial.hermite_e.hermegauss(80)
    first, second = np.meshgrid(root, root, indexing="ij")
    weights = np.outer(weight, weight) / (2 * np.pi)
    for d in range(2):
        (m1, m2), (s1, s2), r = (
            population.mean[d],
            population.deviation[d],
            population.correlation[d],
        )
        one, two = m1 + s1 * first, m2 + s2 * (r * first + np.sqrt(1 - r**2) * second)
        value = 0.0
        for k, n in zip(right, total, strict=True):
            log = (
                k[0] * one - n[0] * np.logaddexp(0, one) + k[1] * two - n[1] * np.logaddexp(0, two)
            )
            value += np.log((weights * np.exp(log)).sum())
        assert found[d] == pytest.approx(value, abs=2e-3)


def test_the_population_agrees_with_sampling_from_the_prior() -> None:
    right, total = np.array([[18, 14], [17, 18], [12, 13], [19, 17]]), np.full((4, 2), 20)
    found = posterior.hierarchical(tables_of(right, total))
    rng = np.random.default_rng(5)
    size = 40_000
    points = np.stack(
        [
            *rng.logistic(size=(2, size)),
            *np.abs(rng.standard_normal((2, size))),
            np.arctanh(rng.uniform(-1, 1, size)),
        ],
        axis=1,
    )
    population = Population(
        points[:, :2],
        np.maximum(points[:, 2:4], 1e-3),
        np.clip(np.tanh(points[:, 4]), -0.999, 0.999),
    )
    logs = np.concatenate(
        [
            log_likelihood(right.astype(float), total.astype(float), Population(*parts))
            for parts in zip(*(np.array_split(part, 20) for part in population), strict=True)
        ]
    )
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    assert 1 / (weights**2).sum() > 500
    typical = expit(points[:, :2]).mean(axis=1)
    assert found.population.mean == pytest.approx(weights @ typical, abs=0.008)
    assert found.correlation == pytest.approx(weights @ population.correlation, abs=0.06)
    assert found.deviation == pytest.approx(weights @ population.deviation, abs=0.06)
    assert found.effective_draws > 1000


def test_the_prior_of_populations_is_a_density() -> None:
    grid = np.linspace(-30, 30, 6001)
    step = grid[1] - grid[0]
    zero = np.zeros((6001, 5))
    totals = []
    for axis in (0, 2, 4):
        points = zero.copy()
        points[:, axis] = grid
        base = log_prior(zero[:1])[0]
        totals.append(np.exp(log_prior(points) - base).sum() * step)
    # Logistic: 1 over its height of 1/4; normal (half of it is used); sech², whose integral is 2.
    assert totals == pytest.approx([4.0, np.sqrt(2 * np.pi), 2.0], rel=1e-6)


def test_subjects_are_drawn_towards_the_population() -> None:
    right = np.array([[19, 18], [18, 17], [19, 19], [17, 18], [18, 19], [3, 2]])
    total = np.array([[20, 20]] * 5 + [[5, 5]])
    found = posterior.hierarchical(tables_of(right, total))
    alone = posterior.balanced_accuracy(tables_of(right, total)[-1])
    assert found.subjects[-1].mean > alone.mean
    assert found.subjects[-1].std < alone.std
    assert found.population.prob_above(0.5) > 0.999
    assert found.average.mean < found.population.mean
    assert len(found.classes) == 2
    assert "6 subjects" in str(found)
    assert set(found.to_dict()) >= {"population", "average", "subjects", "effective_draws"}


def test_simulated_populations_are_covered() -> None:
    rng = np.random.default_rng(11)
    mean, factor = np.array([1.2, 0.4]), np.array([[0.6, 0.0], [-0.4, 0.7]])
    covered, own = [], []
    for seed in range(12):
        logits = mean + rng.standard_normal((6, 2)) @ factor.T
        total = rng.integers(10, 40, (6, 2))
        right = rng.binomial(total, expit(logits))
        found = posterior.hierarchical(tables_of(right, total), rng=seed)
        covered.append(expit(mean).mean() in found.population.interval(0.9))
        own += [
            expit(theta).mean() in subject.interval(0.9)
            for theta, subject in zip(logits, found.subjects, strict=True)
        ]
    assert np.sum(covered) >= 8
    assert 0.84 < np.mean(own) < 0.96


def test_populations_need_subjects_with_two_classes() -> None:
    with pytest.raises(NotApplicable, match="at least two subjects"):
        posterior.hierarchical([TABLE])
    with pytest.raises(NotApplicable, match="two classes"):
        posterior.hierarchical(np.ones((3, 3, 3)))
    with pytest.raises(DataError, match="one 2 × 2 confusion table per subject"):
        posterior.hierarchical(7)


def test_at_the_mode_of_strongly_correlated_logits_nothing_pulls() -> None:
    right, total = np.array([[9.0, 1.0], [0.0, 3.0]]), np.array([[10.0, 10.0], [3.0, 3.0]])
    population = Population(
        np.array([[0.5, -0.2], [0.0, 1.0]]),
        np.array([[1.0, 1.0], [0.6, 2.0]]),
        np.array([0.95, -0.99]),
    )
    mode = peaks(right, total, population).mode
    for d in range(2):
        deviation, r = population.deviation[d], population.correlation[d]
        covariance = np.outer(deviation, deviation) * np.array([[1.0, r], [r, 1.0]])
        # the slope is 0 where theta = mu + Sigma (k - n sigma(theta))
        drawn = (right - total * expit(mode[d])) @ covariance
        np.testing.assert_allclose(mode[d], population.mean[d] + drawn, atol=1e-8)
