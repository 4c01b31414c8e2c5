"""Sums over the cases of each class, which can be added up piece by piece."""

from dataclasses import dataclass, fields

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.numerics.kernels import worthwhile


@dataclass(frozen=True, kw_only=True)
class ClassSums:
    """Counts and sums over the cases of one class; `+` joins those of two parts of the data.

    With outcome y (1 in the positive class, 0 in the other) and predicted probability p:
    `called` counts the cases above the threshold; `p`, `losses` and `squared_losses` are the sums
    of p, (y - p)² and (y - p)⁴; `logs` and `squared_logs` those of the logarithm of the probability
    given to what happened and of its square, over the cases where that is not 0; the others are
    counted as `impossible`.
    """

    n: int = 0
    called: int = 0
    p: float = 0.0
    losses: float = 0.0
    squared_losses: float = 0.0
    logs: float = 0.0
    squared_logs: float = 0.0
    impossible: int = 0

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in PARTS})

    def __sub__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(**{f.name: getattr(self, f.name) - getattr(other, f.name) for f in PARTS})

    @property
    def squared_p(self) -> float:
        """Sum of p² in the positive class, where (y - p)² is (1 - p)²."""
        return self.losses - self.n + 2.0 * self.p


PARTS = fields(ClassSums)
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

    sums = np.zeros(10)
    counts = stream.add_probabilities(
        positive, probability, threshold, np.empty((2, stream.LANES)), sums
    )
    n_positive, above, tp, impossible, impossible_positive, lowest, highest = counts
    if lowest < 0 or highest > ONE:  # or a -0, which is a probability
        return _class_sums_plain(positive, probability, threshold)
    names = ("p", "losses", "squared_losses", "logs", "squared_logs")
    parts = {name: sums[2 * k : 2 * k + 2].tolist() for k, name in enumerate(names)}
    positives = ClassSums(
        n=n_positive,
        called=tp,
        impossible=impossible_positive,
        **{name: part[1] for name, part in parts.items()},
    )
    whole = ClassSums(
        n=probability.size,
        called=above,
        impossible=impossible,
        **{name: part[0] for name, part in parts.items()},
    )
    return positives, whole - positives


def _class_sums_plain(
    positive: Bools, probability: Floats, threshold: float
) -> tuple[ClassSums, ClassSums] | None:
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        return None
    return (
        _one_class(probability[positive], probability[positive], threshold),
        _one_class(probability[~positive], 1.0 - probability[~positive], threshold),
    )


def _one_class(probability: Floats, happened: Floats, threshold: float) -> ClassSums:
    losses = (1.0 - happened) ** 2
    logs = np.log(happened[happened > 0])
    return ClassSums(
        n=probability.size,
        called=int(np.count_nonzero(probability > threshold)),
        p=float(probability.sum()),
        losses=float(losses.sum()),
        squared_losses=float((losses**2).sum()),
        logs=float(logs.sum()),
        squared_logs=float((logs**2).sum()),
        impossible=int(np.count_nonzero(happened == 0)),
    )
