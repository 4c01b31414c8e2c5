"""Many small trainings at once, four to a vector register; this is the only door to it.

Refits of support vector machines and discriminants under permutation, in cross-validation and on
bootstrap samples, 40 to 230 times as fast as one by one. Everything here has a plain form elsewhere
that gives the same answers; `docs/machine-room.md` says which, how they are held together by
tests, and how to do without.
"""

import os
from typing import Literal

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.covariance import LEAST_CORRELATION, UNSURE, class_moments
from abovechance.numerics.kernels import OFF, available

SWITCH = "ABOVECHANCE_MACHINE_ROOM"  # the environment variable that closes the door


def is_open() -> bool:
    """Whether the machine room may be used: numba is there, ABOVECHANCE_MACHINE_ROOM not off.

    >>> is_open()
    True
    """
    return os.environ.get(SWITCH, "on").strip().lower() not in OFF and available()


# ----------------------------------------------------------------------------------------------
# Discriminants of many samples of the rows of one table, given as counts per row.
# ----------------------------------------------------------------------------------------------


SAMPLES_AT_ONCE = 4_096  # samples whose moments are taken in one product of matrices


def weighted_discriminants(
    X: Floats, labels: Ints, counts: Ints, lost: int = 2
) -> tuple[Floats, Bools]:
    """Log-odds (F, n) of all rows by F discriminants, and which of them are to be mistrusted.

    Their covariance is the scatter within classes over the rows drawn less those `lost`.
    Doubtful are samples with fewer than three rows, a single class, a feature that hardly varies
    within classes, or a direction of so little spread that the rule for singular covariances
    might leave it out.
    """
    centred = X - X.mean(axis=0)
    parts = [
        _some_discriminants(
            centred, labels[k : k + SAMPLES_AT_ONCE], counts[k : k + SAMPLES_AT_ONCE], lost
        )
        for k in range(0, len(labels), SAMPLES_AT_ONCE)
    ]
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _some_discriminants(X: Floats, labels: Ints, counts: Ints, lost: int) -> tuple[Floats, Bools]:
    from abovechance.numerics.machine_room.discriminants import directions

    p, moments = X.shape[1], class_moments(X, labels, counts)
    number = moments.sizes.sum(axis=1)
    doubtful = (moments.sizes.min(axis=1) < 1) | (number < 3)
    doubtful |= moments.unsure.any(axis=1)
    spreads = np.sqrt(moments.within / np.maximum(number - 1, 1)[:, None])
    distinct = (counts > 0).sum(axis=1)
    found = np.zeros((len(labels), p))
    for narrow in (False, True):
        some = np.flatnonzero(~doubtful & ((distinct - 2 < p) == narrow))
        if len(some):
            some = some[np.argsort(distinct[some], kind="stable")]
            rows = np.argsort(counts[some] == 0, axis=1, kind="stable")[:, : distinct[some[-1]]]
            out, bad = np.empty((len(some), p)), np.empty(len(some), dtype=bool)
            directions(
                X,
                rows,
                distinct[some],
                labels[some],
                np.sqrt(counts[some] / np.maximum(number[some] - lost, 1)[:, None]),
                moments.means[some],
                spreads[some],
                narrow,
                LEAST_CORRELATION,
                out,
                bad,
            )
            found[some], doubtful[some] = out, bad
    middle = (found * moments.means.mean(axis=1)).sum(axis=1)
    with np.errstate(divide="ignore"):
        prior = np.log(moments.sizes[:, 1]) - np.log(moments.sizes[:, 0])
    return found @ X.T + (prior - middle)[:, None], doubtful


# ----------------------------------------------------------------------------------------------
# Many linear support vector machines on the rows of one table.
# ----------------------------------------------------------------------------------------------


MACHINES_AT_ONCE = 128  # machines whose products of rows stay in the cache
MOST_ROWS = 1_500  # rows above which factoring rows by rows no longer pays


def svm_decisions(
    X: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    scaling: Literal["sample", "population", "none"] = "sample",
    everywhere: bool = True,
) -> tuple[Floats, Bools]:
    """Decision values (F, n) of F machines, and which of them could not be trained this way.

    Machine f is trained on row i `counts[f, i]` times with class `labels[f, i]` (both classes must
    occur), on features scaled to unit spread over its training rows. Values are given for the
    rows left out, and for all if `everywhere`.

    Repeated rows are one row with a higher bound on its multiplier; shifting features changes
    nothing, so only their scales enter: as weights of the products of features of two rows.
    """
    centred = X - X.mean(axis=0)
    weights, unsure = scale_weights(centred, counts, scaling)
    out, failed, _ = _solved(centred, weights, labels, counts, cost, everywhere)
    return out, failed | unsure


def svm_multipliers(
    X: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    scaling: Literal["sample", "population", "none"] = "sample",
) -> tuple[Floats, Bools]:
    """Multipliers (F, n) of the machines of `svm_decisions`, up to `cost * counts`, and the same
    doubts.
    """
    centred = X - X.mean(axis=0)
    weights, unsure = scale_weights(centred, counts, scaling)
    _, failed, kept = _solved(centred, weights, labels, counts, cost, False, multipliers=True)
    return kept, failed | unsure


def _solved(
    centred: Floats,
    weights: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    everywhere: bool,
    multipliers: bool = False,
) -> tuple[Floats, Bools, Floats]:
    """Decision values (F, n), which problems were not solved, and the multipliers if wanted."""
    from abovechance.numerics.machine_room.support_vectors import machines

    n, p = centred.shape
    sizes = (counts > 0).sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    few = features_are_few(int(sizes.max(initial=0)), p)
    i, j = np.tril_indices(n)
    products = np.empty((p, 0)) if few else centred.T[:, i] * centred.T[:, j]
    decisions, failed = np.zeros(labels.shape), np.zeros(len(labels), dtype=bool)
    kept = np.zeros((len(labels), n if multipliers else 0))
    for start in range(0, len(order), MACHINES_AT_ONCE):
        some = order[start : start + MACHINES_AT_ONCE]
        used = counts[some] > 0
        longest = int(sizes[some[-1]])
        rows = np.argsort(~used, axis=1, kind="stable")[:, :longest]
        gram = np.empty((len(some), 0)) if few else weights[some] @ products
        out, bad = np.zeros((len(some), n)), np.zeros(len(some), dtype=bool)
        found = kept[some]
        machines(
            gram,
            centred,
            np.sqrt(weights[some]),
            rows,
            sizes[some],
            np.where(labels[some] == 1, 1.0, -1.0),
            cost * counts[some],
            few,
            everywhere,
            out,
            bad,
            found,
        )
        decisions[some], failed[some], kept[some] = out, bad, found
    return decisions, failed, kept


FREE = 1e-6  # share of the cost by which a multiplier lies off its bounds


def svm_responses(
    X: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    scaling: Literal["sample", "population", "none"],
    moved: float,
) -> tuple[Floats, Bools]:
    """What an early stop may do to machines: responses (F, n, m) and whether they hold (F,).

    A solver that stops before the optimum is at the optimum of another problem, in which margins
    of 1 are moved a little. While no row begins or ceases to be a support vector inside its
    bounds, decision values are linear in the margins of those rows: entry i, j says how far that
    of row i goes with the margin of the j-th of them. This holds if margins `moved` at most so far
    leave the support vectors what they are. Rows are used once each, or not.
    """
    centred = X - X.mean(axis=0)
    weights, unsure = scale_weights(centred, counts, scaling)
    values, failed, a = _solved(centred, weights, labels, counts, cost, True, multipliers=True)
    free = (a > FREE * cost) & (a < (1 - FREE) * cost)
    number = free.sum(axis=1)
    width, count = int(number.max(initial=0)), len(labels)
    at = np.argsort(~free, axis=1, kind="stable")[:, :width]  # the free rows, then others
    real = np.arange(width) < number[:, None]
    rows = centred * np.sqrt(weights)[:, None, :]
    some = np.take_along_axis(rows, at[:, :, None], axis=1) * real[:, :, None]
    system = np.zeros((count, width + 1, width + 1))
    system[:, :width, :width] = some @ some.transpose(0, 2, 1)
    system[:, :width, width] = system[:, width, :width] = real
    diagonal = np.arange(width)
    system[:, diagonal, diagonal] += ~real
    system[:, width, width] = number < 1  # no offset to be found: it does not hold
    inverse = _inverses(system)[:, :, :width] * real[:, None, :]
    response = rows @ (some.transpose(0, 2, 1) @ inverse[:, :width]) + inverse[:, width:]
    reach = np.abs(response).sum(axis=2)
    stays = (moved * (reach + 1.0) < np.abs(np.where(labels == 1, values, -values) - 1.0)) | free
    steps = moved * np.abs(inverse[:, :width]).sum(axis=2)
    multiplier = np.take_along_axis(a, at, axis=1)
    inside = (steps < np.minimum(multiplier, cost - multiplier)) | ~real
    holds = (stays | (counts == 0)).all(axis=1) & inside.all(axis=1) & (number > 1)
    return response, holds & np.isfinite(reach).all(axis=1) & ~failed & ~unsure


def _inverses(systems: Floats) -> Floats:
    """The inverse of each; nan where there is none."""
    try:
        return np.asarray(np.linalg.inv(systems), dtype=np.float64)
    except np.linalg.LinAlgError:
        if len(systems) == 1:
            return np.full(systems.shape, np.nan)
        return np.concatenate([_inverses(one[None]) for one in systems])


def features_are_few(rows: int, p: int) -> bool:
    """Whether a system of the size of the features costs less than one of the size of the rows."""
    return 3 * rows * p * p + p**3 < rows**3


def scale_weights(X: Floats, counts: Ints, scaling: str) -> tuple[Floats, Bools]:
    """One over the variances (F, p) of centred features over training rows, 0 for a constant one.

    With them come the trainings (F,) in which a feature varies too little to be sure.
    """
    if scaling == "none":
        return np.ones((len(counts), X.shape[1])), np.zeros(len(counts), dtype=bool)
    times = counts.astype(float)
    number = times.sum(axis=1, keepdims=True)
    squares = times @ X**2
    scatter = squares - (times @ X) ** 2 / number
    still = scatter <= UNSURE * squares
    unsure = np.zeros(len(counts), dtype=bool)
    for f, j in np.argwhere(still):
        unsure[f] |= bool(np.ptp(X[counts[f] > 0, j]) > 0)
    divisor = np.maximum(number - 1, 1) if scaling == "sample" else number
    return np.where(still, 0.0, divisor / np.where(still, 1.0, scatter)), unsure


# ----------------------------------------------------------------------------------------------
# Many squared-hinge support vector machines on the rows of one table.
# ----------------------------------------------------------------------------------------------


SQUARED_HINGES_AT_ONCE = 4_096  # machines handed over at a time
MOST_DIMENSIONS = 600  # dimensions above which a system of their size no longer pays


def squared_hinge_decisions(
    X: Floats,
    labels: Ints,
    counts: Ints,
    cost: float,
    scaling: Literal["sample", "population", "none"] = "none",
) -> tuple[Floats, Bools]:
    """Decision values (F, n) of all rows by F machines, and which of them were not trained.

    Machine f is trained on row i `counts[f, i]` times with class `labels[f, i]`. The offset is one
    more weight, of a feature that is always 1; turning the features so that no more than n of
    them are left changes neither margins nor the length of the weights, unless each training
    scales them by its own rows.
    """
    from abovechance.numerics.machine_room.support_vectors import minimisers

    extended = np.column_stack([X, np.ones(len(X))])
    if extended.shape[1] > len(X) and scaling == "none":
        extended = np.asarray(np.linalg.qr(extended.T, mode="r")).T
    extended = np.ascontiguousarray(extended)
    centre, scale, unsure = _centre_and_scale(extended, counts, scaling)
    values, failed = np.empty(labels.shape), np.empty(len(labels), dtype=bool)
    sizes = (counts > 0).sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    for start in range(0, len(order), SQUARED_HINGES_AT_ONCE):
        some = order[start : start + SQUARED_HINGES_AT_ONCE]
        own = some if len(scale) > 1 else np.zeros(1, dtype=np.int64)
        rows = np.argsort(counts[some] == 0, axis=1, kind="stable")[:, : sizes[some[-1]]]
        found, bad = np.empty((len(some), extended.shape[1])), np.empty(len(some), dtype=bool)
        signs = np.where(labels[some] == 1, 1.0, -1.0)
        of = extended, centre[own], scale[own]
        minimisers(*of, rows, sizes[some], signs, cost * counts[some], found, bad)
        found *= scale[own]
        values[some] = found @ extended.T - (found * centre[own]).sum(axis=1)[:, None]
        failed[some] = bad
    return values, failed | unsure


def _centre_and_scale(extended: Floats, counts: Ints, scaling: str) -> tuple[Floats, Floats, Bools]:
    """Means and inverse spreads over the rows of each training; one row of 0 and 1 for none.

    The last feature, which is always 1, stays as it is. With them come the trainings in which a
    feature varies too little to be sure.
    """
    if scaling == "none":
        size = (1, extended.shape[1])
        return np.zeros(size), np.ones(size), np.zeros(len(counts), dtype=bool)
    middle = extended.mean(axis=0)
    weights, unsure = scale_weights(extended - middle, counts, scaling)
    centre = middle + counts @ (extended - middle) / counts.sum(axis=1, keepdims=True)
    centre[:, -1], weights[:, -1] = 0.0, 1.0
    return centre, np.sqrt(weights), unsure


# ----------------------------------------------------------------------------------------------
# Hotelling's statistic with shrunken covariances, for many labellings.
# ----------------------------------------------------------------------------------------------


def shrunken_distances(X: Floats, ones: Ints, zeros: Ints) -> Floats:
    """Squared distances (B,) between the means of two groups, each covariance shrunken.

    Rows of group 1 in labelling b of the centred features are `ones[b]`, the others `zeros[b]`.
    """
    from abovechance.numerics.machine_room.discriminants import shrunken_distances

    distance = np.empty(len(ones))
    shrunken_distances(X, ones, zeros, distance)
    return distance
