"""One reading of outcomes and probabilities: the sums from which many measures follow."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.numerics.kernels import worthwhile

LANES = 128  # cases read side by side, enough to fill the vector registers


@dataclass(frozen=True, kw_only=True)
class ProbabilitySums:
    """Counts and sums over cases with outcome y (0 or 1) and predicted probability p.

    `sum_squares` is the sum of (y - p)²; `sum_log` that of the logarithm of the probability given
    to what happened, minus infinity once something happened that was called `impossible`
    (probability 0); `tp` and `fp` count the cases with p > threshold. `lowest`, `highest` and
    `nans` are for checking: the extremes of p without regard to nan, and how many nan there are.
    """

    n: int
    n_positive: int
    sum_p: float
    sum_p_positive: float
    sum_squares: float
    sum_log: float
    impossible: int
    tp: int
    fp: int
    lowest: float
    highest: float
    nans: int


def probability_sums(
    positive: Array, probability: Floats, threshold: float = 0.5
) -> ProbabilitySums:
    """Count and sum what accuracy, Brier score, log score and their kin need.

    Examples
    --------
    >>> sums = probability_sums(np.array([True, False, True]), np.array([0.9, 0.2, 0.4]))
    >>> sums.tp, sums.fp, round(sums.sum_squares, 12)
    (1, 0, 0.41)
    """
    positive = np.asarray(positive, dtype=bool)
    probability = np.asarray(probability, dtype=np.float64)
    sums = (
        _sums_in_one_pass(positive, probability, threshold) if worthwhile(positive.size) else None
    )
    return sums or _probability_sums_plain(positive, probability, threshold)


def _sums_in_one_pass(
    positive: Bools, probability: Floats, threshold: float
) -> ProbabilitySums | None:
    """The same, compiled; nothing if a value outside [0, 1] or a nan was met."""
    from abovechance.numerics.kernels import binary

    probability = np.ascontiguousarray(probability)
    bits = probability.view(np.int64)
    n_positive, sum_p, sum_p_positive, sum_squares, sum_log, impossible, tp, fp, low, high = (
        binary.sum_probabilities(positive, probability, bits, threshold, LANES)
    )
    lowest, highest = np.array([low, high]).view(np.float64).tolist()
    if low < 0 or not highest <= 1:
        return None
    return ProbabilitySums(
        n=probability.size,
        n_positive=n_positive,
        sum_p=sum_p,
        sum_p_positive=sum_p_positive,
        sum_squares=sum_squares,
        sum_log=sum_log,
        impossible=impossible,
        tp=tp,
        fp=fp,
        lowest=lowest,
        highest=highest,
        nans=0,
    )


def _probability_sums_plain(
    positive: Bools, probability: Floats, threshold: float
) -> ProbabilitySums:
    happened = np.where(positive, probability, 1 - probability)
    above = probability > threshold
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_log = float(np.log(happened).sum())
    return ProbabilitySums(
        n=probability.size,
        n_positive=int(np.count_nonzero(positive)),
        sum_p=float(probability.sum()),
        sum_p_positive=float(probability[positive].sum()),
        sum_squares=float(((1 - happened) ** 2).sum()),
        sum_log=sum_log,
        impossible=int(np.count_nonzero(happened == 0)),
        tp=int(np.count_nonzero(above & positive)),
        fp=int(np.count_nonzero(above & ~positive)),
        lowest=float(np.fmin.reduce(probability, initial=np.inf)),
        highest=float(np.fmax.reduce(probability, initial=-np.inf)),
        nans=int(np.count_nonzero(np.isnan(probability))),
    )
