"""One reading of outcomes and probabilities: the sums from which many measures follow."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Bools, Floats


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
    return _probability_sums_plain(np.asarray(positive, dtype=bool), probability, threshold)


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
