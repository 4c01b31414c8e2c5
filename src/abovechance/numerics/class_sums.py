"""Sums over the cases of each class, which can be added up piece by piece."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.numerics.kernels import worthwhile


@dataclass(frozen=True, kw_only=True)
class ClassSums:
    """Counts and sums over the cases of one class; `+` joins those of two parts of the data.

    With outcome y (1 in the positive class, 0 in the other) and predicted probability p:
    `called` counts the cases above the threshold; `p`, `losses` and `squared_losses` are the sums
    of p, (y - p)² and (y - p)⁴; `logs` and `squared_logs` those of the logarithm of the probability
    given to what happened and of its square; `odds` and `squared_odds` those of the log odds in
    favour of what happened. Logarithms of 0 are left out of the sums: cases are `impossible` where
    what happened was given probability 0, `certain` where what did not happen was.
    """

    n: int = 0
    called: int = 0
    p: float = 0.0
    losses: float = 0.0
    squared_losses: float = 0.0
    logs: float = 0.0
    squared_logs: float = 0.0
    odds: float = 0.0
    squared_odds: float = 0.0
    impossible: int = 0
    certain: int = 0

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in PARTS})

    @property
    def squared_p(self) -> float:
        """Sum of p² in the positive class, where (y - p)² is (1 - p)²."""
        return self.losses - self.n + 2.0 * self.p


PARTS = fields(ClassSums)
COUNTS = ("n", "called", "impossible", "certain")
SUMS = ("p", "losses", "squared_losses", "logs", "squared_logs", "odds", "squared_odds")
ONE = int(np.float64(1.0).view(np.int64))  # its bits; those of nan and of larger numbers are more


def class_sums(
    positive: Array, probability: Floats, threshold: float = 0.5
) -> tuple[ClassSums, ClassSums] | None:
    """Sums over the positive and over the negative cases; None if a p lies outside [0, 1].

    Examples
    --------
    >>> positives, negatives = class_sums(np.array([True, False]), np.array([0.9, 0.2]))
    >>> positives.losses, negatives.losses, positives.called
    (0.01, 0.04, 1)
    """
    positive = np.asarray(positive, dtype=np.bool_)
    probability = np.ascontiguousarray(probability, dtype=np.float64)
    if probability.size == 0:
        return ClassSums(), ClassSums()
    if worthwhile(positive.size, module="stream"):
        return _class_sums_compiled(positive, probability, threshold)
    return _class_sums_plain(positive, probability, threshold)


def _class_sums_compiled(
    positive: Bools, probability: Floats, threshold: float
) -> tuple[ClassSums, ClassSums] | None:
    from abovechance.numerics.kernels import stream

    sums = np.zeros(2 * len(SUMS))
    scratch = np.empty((4, stream.LANES))
    *counts, low, high = stream.add_probabilities(
        positive, probability, threshold, scratch, sums
    ).tolist()
    if low < 0 or high > ONE:  # or a -0, which is a probability
        return _class_sums_plain(positive, probability, threshold)
    whole = dict(zip(COUNTS, counts[::2], strict=True))
    positives: dict[str, Any] = dict(zip(COUNTS, counts[1::2], strict=True))
    negatives: dict[str, Any] = {name: whole[name] - positives[name] for name in COUNTS}
    negatives |= zip(SUMS, sums[::2].tolist(), strict=True)
    positives |= zip(SUMS, sums[1::2].tolist(), strict=True)
    return ClassSums(**positives), ClassSums(**negatives)


def _class_sums_plain(
    positive: Bools, probability: Floats, threshold: float
) -> tuple[ClassSums, ClassSums] | None:
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        return None
    p, q = probability[positive], probability[~positive]
    return _one_class(p, p, 1.0 - p, threshold), _one_class(q, 1.0 - q, q, threshold)


def _one_class(probability: Floats, happened: Floats, other: Floats, threshold: float) -> ClassSums:
    losses = (1.0 - happened) ** 2
    logs = np.log(np.where(happened > 0, happened, 1.0))
    odds = logs - np.log(np.where(other > 0, other, 1.0))
    return ClassSums(
        n=probability.size,
        called=int(np.count_nonzero(probability > threshold)),
        p=float(probability.sum()),
        losses=float(losses.sum()),
        squared_losses=float((losses**2).sum()),
        logs=float(logs.sum()),
        squared_logs=float((logs**2).sum()),
        odds=float(odds.sum()),
        squared_odds=float((odds**2).sum()),
        impossible=int(np.count_nonzero(happened == 0)),
        certain=int(np.count_nonzero(other == 0)),
    )
