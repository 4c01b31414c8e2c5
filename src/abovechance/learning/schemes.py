"""How an accuracy is estimated: folds, resubstitution, bootstrap; and how it is scaled."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import DataError

# ----------------------------------------------------------------------------------------------
# Who is left out of training: folds and bootstrap samples, drawn for many labellings at once.
# ----------------------------------------------------------------------------------------------


def balanced_folds(labels: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Fold numbers (B, n) that spread every class evenly, drawn anew for each labelling.

    Each class gets every fold number ⌊m/V⌋ times and, for the rest of its m members, distinct
    fold numbers at random, so folds may differ in size by the number of classes. All labellings
    must have the same class sizes.

    References
    ----------
    Rosenblatt et al., section 2.1, "Balanced folding"; as `createFolds` of the R package caret.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1]])
    >>> folds = balanced_folds(labels, 2, np.random.default_rng(1))
    >>> [np.bincount(row).tolist() for row in folds]
    [[3, 3], [3, 3]]
    """
    batch, n = labels.shape
    members = np.argsort(labels, axis=1, kind="stable")
    drawn, start = np.empty((batch, n), dtype=np.int64), 0
    for size in np.bincount(labels[0]):
        whole, rest = divmod(int(size), folds)
        numbers = np.empty((batch, size), dtype=np.int64)
        numbers[:, : whole * folds] = np.tile(np.arange(folds), whole)
        if rest:
            each = np.tile(np.arange(folds), (batch, 1))
            numbers[:, whole * folds :] = rng.permuted(each, axis=1)[:, :rest]
        drawn[:, start : start + size] = rng.permuted(numbers, axis=1)
        start += int(size)
    result = np.empty_like(drawn)
    np.put_along_axis(result, members, drawn, axis=1)
    return result


def unbalanced_folds(batch: int, n: int, folds: int, rng: np.random.Generator) -> Ints:
    """Fold numbers (B, n) of nearly equal sizes, drawn without looking at labels.

    >>> np.bincount(unbalanced_folds(1, 7, 3, np.random.default_rng(1))[0])
    array([3, 2, 2])
    """
    numbers = np.tile(np.arange(n, dtype=np.int64) % folds, (batch, 1))
    return rng.permuted(numbers, axis=1)


def bootstrap_counts(draws: int, batch: int, n: int, rng: np.random.Generator) -> Ints:
    """How often each row is drawn (D, B, n) when n rows are drawn with replacement.

    Fewer draws from the same stream are the first of more.

    >>> bootstrap_counts(3, 2, 5, np.random.default_rng(1)).sum(axis=-1)
    array([[5, 5], [5, 5], [5, 5]])
    """
    rows = rng.integers(n, size=(draws * batch, n))
    return counts_of(rows, n).reshape(draws, batch, n)


def counts_of(rows: Ints, n: int) -> Ints:
    """Row numbers drawn (F, m) as counts per row (F, n).

    >>> counts_of(np.array([[0, 2, 2]]), 4)
    array([[1, 0, 2, 0]])
    """
    offsets = np.arange(len(rows))[:, None] * n
    return np.bincount((rows + offsets).ravel(), minlength=len(rows) * n).reshape(len(rows), n)


def fold_sums(values: Floats, folds: Ints, count: int) -> Floats:
    """Sums of values (B, n) within folds, as (B, V)."""
    batch = len(folds)
    cells = (folds + np.arange(batch)[:, None] * count).ravel()
    sums = np.bincount(cells, weights=values.ravel(), minlength=batch * count)
    return sums.reshape(batch, count).astype(float)


@dataclass(frozen=True)
class VFold:
    """Cross-validation in V folds, refolded for every labelling.

    Balanced folds hold every class as evenly as can be; as many folds as rows leave out one each.

    References
    ----------
    Rosenblatt et al., definition 2.
    """

    folds: int = 8
    balanced: bool = True
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.folds < 2 or self.repeats < 1:
            raise DataError(
                f"cross-validation needs 2 folds or more and 1 repeat or more; "
                f"got {self.folds} folds, {self.repeats} repeats."
            )


@dataclass(frozen=True)
class Resubstitution:
    """Accuracy on the rows the learner was trained on.

    References
    ----------
    Rosenblatt et al., definition 1.
    """


@dataclass(frozen=True)
class LeftOut:
    """Accuracy on the rows a bootstrap sample left out, alone or mixed with resubstitution.

    "bloo" is the leave-one-out bootstrap averaged over samples (equation 7), "bloo_by_row" over
    rows, as it is defined (equation 6); "b632" weighs the former 0.632 against 0.368, and
    "b632plus" gives it more weight the more the learner overfits.

    References
    ----------
    Rosenblatt et al., definitions 3 (equations 6 and 7) and 4; Efron and Tibshirani (1997),
    section 3.
    """

    kind: Literal["bloo", "bloo_by_row", "b632", "b632plus"] = "bloo"
    draws: int = 50

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise DataError(f"a bootstrap needs 1 draw or more; got {self.draws}.")


Scheme: TypeAlias = VFold | Resubstitution | LeftOut


def fold_accuracy(correct: Bools, folds: Ints, count: int) -> Floats:
    """Mean over folds of the share of correct predictions in each (B,), empty folds apart.

    References
    ----------
    Rosenblatt et al., equation 4.

    Examples
    --------
    >>> fold_accuracy(np.array([[True, True, False]]), np.array([[0, 1, 1]]), 2)
    array([0.75])
    """
    sizes = fold_sums(np.ones(folds.shape), folds, count)
    shares = fold_sums(correct.astype(float), folds, count) / np.maximum(sizes, 1)
    return np.asarray(shares.sum(axis=1) / (sizes > 0).sum(axis=1))


def left_out_shares(correct: Bools, counts: Ints) -> Floats:
    """Accuracy on the rows each bootstrap sample left out, nan for one that left none out.

    Their mean over samples is equation 7; averaging per row first (equation 6) gives another one.

    References
    ----------
    Rosenblatt et al., equation 7.

    Examples
    --------
    >>> counts = np.array([[2, 0, 0], [1, 2, 0]])
    >>> left_out_shares(np.array([[True, True, False], [True, True, True]]), counts)
    array([0.5, 1. ])
    """
    out = counts == 0
    with np.errstate(invalid="ignore"):
        return np.asarray((correct & out).sum(axis=-1) / out.sum(axis=-1))


def by_row_accuracy(right: Ints, out: Ints) -> Floats:
    """Mean over rows of the share of samples without the row that predict it right, as (B,).

    `right` and `out` (B, n) count the samples that left a row out, and those of them that were
    right about it. Rows that no sample left out say nothing and are passed over.

    References
    ----------
    Rosenblatt et al., equation 6.

    Examples
    --------
    >>> by_row_accuracy(np.array([[0, 1, 1]]), np.array([[0, 1, 2]]))
    array([0.75])
    """
    with np.errstate(invalid="ignore"):
        shares = np.where(out > 0, right / np.maximum(out, 1), 0.0)
        return np.asarray(shares.sum(axis=-1) / (out > 0).sum(axis=-1))


def mixed_accuracy(resubstituted: Floats, left_out: Floats) -> Floats:
    """The 0.632 bootstrap.

    References
    ----------
    Rosenblatt et al., equation 8.
    """
    return 0.368 * resubstituted + 0.632 * left_out


def adaptive_accuracy(resubstituted: Floats, left_out: Floats, chance: Floats) -> Floats:
    r"""The 0.632+ bootstrap: the weight of the rows left out grows with overfitting.

    With errors :math:`\overline{err} = 1 - resubstituted`, :math:`err_1 = 1 - left\_out` (no
    worse than :math:`\gamma = 1 - chance`) and the relative overfitting :math:`R =
    (err_1 - \overline{err}) / (\gamma - \overline{err})`, the weight is
    :math:`0.632 / (1 - 0.368 R)`.

    References
    ----------
    Efron and Tibshirani (1997), equations 24 to 32.

    Examples
    --------
    >>> adaptive_accuracy(np.array([1.0]), np.array([0.75]), np.array([0.5]))
    array([0.8064])
    """
    error, none = 1 - resubstituted, 1 - chance
    other = np.minimum(1 - left_out, none)
    overfits = (other > error) & (none > error)
    overfit = np.where(overfits, (other - error) / np.where(overfits, none - error, 1.0), 0.0)
    weight = 0.632 / (1 - 0.368 * overfit)
    return np.asarray(1 - (1 - weight) * error - weight * other)


def no_information(predicted: Ints, labels: Ints, classes: int) -> Floats:
    """Accuracy of the predictions if they were unrelated to the labels, one per labelling."""
    shares = [(predicted == k).mean(axis=-1) * (labels == k).mean(axis=-1) for k in range(classes)]
    return np.asarray(sum(shares))


def standardise(accuracy: Floats, labels: Ints) -> Floats:
    """Accuracy above the majority share, in units of that share's standard deviation.

    One number for the whole sample, with its sign. The source's code takes the absolute value
    fold by fold: see `legacy_standardise`.

    References
    ----------
    Rosenblatt et al., equation 5, which is the absolute value of this.

    Examples
    --------
    >>> standardise(np.array([0.9]), np.array([[0, 0, 0, 0, 1]]))
    array([0.25])
    """
    share = majority(labels)
    return np.asarray((accuracy - share) / np.sqrt(share * (1 - share)))


def legacy_standardise(correct: Bools, labels: Ints, folds: Ints, count: int) -> Floats:
    """The z-score of the source's code, kept to reproduce its tables and for nothing else.

    Each fold's accuracy is set against the majority share of that fold, in absolute value, so
    predictions that are wrong count as much as right ones; a fold with one class divides by 0.
    """
    sizes = fold_sums(np.ones(folds.shape), folds, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = fold_sums((labels == 1).astype(float), folds, count) / sizes
        share = np.maximum(ones, 1 - ones)
        accuracy = fold_sums(correct.astype(float), folds, count) / sizes
        return np.asarray((np.abs(accuracy - share) / np.sqrt(share * (1 - share))).mean(axis=1))


def majority(labels: Ints) -> Floats:
    """Share of the largest class in each labelling (B,)."""
    classes = int(labels.max()) + 1
    shares = [(labels == k).mean(axis=-1) for k in range(classes)]
    return np.asarray(np.max(shares, axis=0))
