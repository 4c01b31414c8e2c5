"""Statistics of several groups and of numbers against other software and two-group formulas."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.signal import TWO_GROUP, find
from abovechance.signal.statistic import (
    distance_covariance,
    explained,
    independence_criterion,
    kernel_spread,
    lawley_hotelling,
    linear_score,
    multinomial_score,
    pairwise_energy,
)
from abovechance.signal.two_group_statistics import energy_distance, gretton_mmd

RNG = np.random.default_rng(2)
SIZES = [7, 9, 5]
Y = RNG.permutation(np.repeat([0, 1, 2], SIZES))
X = RNG.normal(size=(21, 4)) + 0.4 * Y[:, None]
NUMBERS = X[:, 0] + RNG.normal(size=21)
TWO = (Y > 0).astype(np.int64)
# statsmodels 0.15.0 on these data: MANOVA(…).mv_test and distance_statistics
HOTELLING_LAWLEY_TRACE = 0.6966099675024078
DISTANCE_COVARIANCE = 0.36003629940251947


def test_lawley_and_hotellings_trace_is_that_of_a_manova():
    found = lawley_hotelling(X, Y[None])
    np.testing.assert_allclose(found, 18 * HOTELLING_LAWLEY_TRACE, rtol=1e-9)


def test_what_least_squares_explains_is_the_f_statistic():
    design = np.column_stack([np.ones(21), X])
    left = NUMBERS - design @ np.linalg.lstsq(design, NUMBERS)[0]
    total = ((NUMBERS - NUMBERS.mean()) ** 2).sum()
    expected = 19 * (total - left @ left) / (left @ left)
    np.testing.assert_allclose(explained(X, NUMBERS[None]), expected, rtol=1e-10)


def test_distance_covariance_is_that_of_statsmodels():
    expected = 21 * DISTANCE_COVARIANCE**2
    np.testing.assert_allclose(distance_covariance(X, NUMBERS[None]), expected, rtol=1e-10)


def test_energy_is_the_sum_over_pairs_of_groups():
    pairs = [np.isin(Y, pair) for pair in combinations(range(3), 2)]
    expected = sum(energy_distance(X[p], (Y[p] == Y[p].max()).astype(int)) for p in pairs)
    np.testing.assert_allclose(pairwise_energy(X, Y[None]), expected, rtol=1e-10)


def test_independence_criterion_is_the_trace_of_the_centred_kernels():
    def kernel(Z):
        squares = ((Z[:, None] - Z[None]) ** 2).sum(axis=-1)
        return np.exp(-squares / np.median(squares[np.triu_indices(21, 1)]))

    centre = np.eye(21) - 1 / 21
    trace = np.trace(kernel(X) @ centre @ kernel(NUMBERS[:, None]) @ centre)
    np.testing.assert_allclose(independence_criterion(X, NUMBERS[None]), trace / 21**2, rtol=1e-10)


def test_for_two_groups_the_extensions_are_the_two_group_statistics():
    share = np.sqrt(TWO.sum() * (21 - TWO.sum())) / 21
    difference = ((X[TWO == 1].mean(axis=0) - X[TWO == 0].mean(axis=0)) ** 2).sum()
    product = TWO.sum() * (21 - TWO.sum()) / 21
    cases = [
        (lawley_hotelling, find("hotelling").naive(X, TWO)),
        (explained, find("hotelling").naive(X, TWO)),
        (pairwise_energy, energy_distance(X, TWO)),
        (kernel_spread, share * gretton_mmd(X, TWO)),
        (multinomial_score, 2 * product**2 * difference),
        (linear_score, product**2 * difference),
    ]
    for extension, expected in cases:
        outcome = TWO[None].astype(float) if extension in (explained, linear_score) else TWO[None]
        np.testing.assert_allclose(extension(X, outcome), expected, rtol=1e-9)


EXTENSIONS = [
    pytest.param(getattr(s, kind), kind, id=f"{s.name}-{kind}")
    for s in TWO_GROUP
    for kind in ("several", "numeric")
    if getattr(s, kind) is not None
]


@pytest.mark.parametrize(("extension", "kind"), EXTENSIONS)
def test_a_batch_equals_its_rows(extension, kind):
    outcome = Y if kind == "several" else NUMBERS
    many = np.stack([outcome, *(RNG.permutation(outcome) for _ in range(300))])
    together = extension.batch(X, many)
    alone = [extension.batch(X, row[None])[0] for row in many[:20]]
    np.testing.assert_allclose(together[:20], alone, rtol=1e-10)
    assert len(np.unique(together.round(9))) > 250


@pytest.mark.parametrize(("extension", "kind"), EXTENSIONS)
def test_a_relation_stands_out(extension, kind):
    Z = RNG.normal(size=(60, 3))
    outcome = np.digitize(Z[:, 0], [-0.5, 0.5]) if kind == "several" else Z[:, 0]
    many = np.stack([outcome, *(RNG.permutation(outcome) for _ in range(99))])
    values = extension.batch(Z, many)
    assert values[0] > values[1:].max()


def test_groups_that_part_entirely_are_infinitely_far():
    labels = np.repeat([0, 1, 2], 4)
    Z = labels[:, None] + 0.0
    assert lawley_hotelling(Z, labels[None]) == np.inf
    assert explained(Z, labels[None].astype(float)) == np.inf
