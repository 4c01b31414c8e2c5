"""What shuffling outcomes among many cases makes of a measure, without drawing.

Sums of one number per positive case have, over all orders of the outcomes, a mean, a variance and
a skewness in closed form; so has average precision, which is a quadratic form of the outcomes. Of
many cases they are normal once straightened for skewness. The largest distance of two distributions
has Smirnov's limit.
"""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.numerics.exact import never_zero, normal_tail

MOST_LEAN = 0.15  # skewness up to which straightening leaves less than 999 draws would
MOST_TIED = 2.0  # mean size of a case's group of equal scores up to which they count as different
FEWEST = 200  # cases of the smaller class
PLACES = 64  # at which a law stands for draws from it


class Shuffled(NamedTuple):
    """Nearly normal: mean, standard deviation and skewness over all orders of the outcomes."""

    mean: float
    spread: float
    lean: float

    def tail(self, value: float) -> float:
        """The share of orders with at least such a value.

        >>> Shuffled(0.0, 1.0, 0.0).tail(1.645), Shuffled(0.0, 1.0, 0.1).tail(1.645)
        (0.05, 0.0529)
        """
        return normal_tail(straight((value - self.mean) / self.spread, self.lean))

    @property
    def values(self) -> Floats:
        """Some values that have this mean and standard deviation, as draws would."""
        from scipy.special import ndtri

        z = ndtri((np.arange(PLACES) + 0.5) / PLACES)
        return np.asarray(self.mean + self.spread * z / z.std())

    def scaled(self, slope: float, shift: float) -> "Shuffled":
        """The same of a measure that is linear in this one."""
        return Shuffled(slope * self.mean + shift, slope * self.spread, self.lean)


class Smirnov(NamedTuple):
    """The largest excess of one distribution over the other, of two samples."""

    positives: int
    negatives: int

    @property
    def mean(self) -> float:
        """Its mean over all orders of the outcomes."""
        from scipy.special import erfcx

        root, correction = self._of_sizes
        return float(np.sqrt(np.pi / 8.0) * erfcx(correction / np.sqrt(8.0)) / root)

    def tail(self, value: float) -> float:
        """The share of orders with at least such a value.

        References
        ----------
        Smirnov (1939); Hodges (1958), equation 5.3, for the correction.
        """
        root, correction = self._of_sizes
        z = root * value
        return never_zero(float(np.exp(-2.0 * z * z - correction * z)))

    @property
    def _of_sizes(self) -> tuple[float, float]:
        more, fewer = max(self[:2]), min(self[:2])
        n = float(more + fewer)
        product = float(more) * fewer
        return np.sqrt(product / n), 2.0 / 3.0 * (more + 2.0 * fewer) / np.sqrt(product * n)


def straight(z: float, lean: float) -> float:
    r"""A number of given skewness, mean 0 and variance 1, as one that is nearly normal.

    .. math:: g(z) = z - \frac{a (z^2 - 1)}{6} + \frac{a^2 z^3}{108}

    It only ever rises.

    References
    ----------
    Hall (1992), On the removal of skewness by transformation.
    """
    return z - lean * (z * z - 1.0) / 6.0 + lean * lean * z**3 / 108.0


def of_sum(scores: Floats, positives: int, times: Floats | None = None) -> Shuffled | None:
    """The sum of scores over the positives; a score stands for so many cases.

    None where it is too skewed to be nearly normal.

    >>> of_sum(np.arange(1.0, 11.0), 4_000, np.full(10, 1_000.0)).mean
    22000.0
    """
    each = np.ones(len(scores)) if times is None else times
    return _checked(*_cumulants(scores, each, positives), float(each.sum()), positives)


def _cumulants(scores: Floats, times: Floats, positives: int) -> tuple[float, float, float]:
    """Mean, variance and third cumulant of a sum over a random subset."""
    n = float(times.sum())
    rest = n - positives
    centre = float(times @ scores) / n
    gap = scores - centre
    squares = gap * gap
    variance = positives * rest / (n * (n - 1.0)) * float(times @ squares)
    third = positives * rest * (rest - positives) / (n * (n - 1.0) * (n - 2.0))
    squares *= gap  # powers beyond squares are slow as such
    return positives * centre, variance, third * float(times @ squares)


def _checked(
    mean: float, variance: float, third: float, n: float, positives: int
) -> Shuffled | None:
    if min(positives, n - positives) < FEWEST or not variance > 0.0:
        return None
    found = Shuffled(mean, float(np.sqrt(variance)), third / variance**1.5)
    return found if abs(found.lean) <= MOST_LEAN else None


def of_average_precision(sizes: Floats, positives: int) -> Shuffled | None:
    r"""Average precision of groups of equal scores, these ascending.

    With x positives in a group and T at or above it, C cases, it is
    :math:`\sum x T / C` over the positives: a quadratic form of the outcomes, whose linear part
    has nearly all of its variance. The mean is exact.

    >>> of_average_precision(np.ones(10_000), 4_000).mean
    0.401

    References
    ----------
    Bestgen (2015), Exact expected average precision of the random baseline; Hájek (1968) for
    projections.
    """
    n, share = float(sizes.sum()), positives / float(sizes.sum())
    above = np.cumsum(sizes[::-1])[::-1]
    both = share * (positives - 1.0) / (n - 1.0)
    mean = float((sizes * (share + (above - 1.0) * both) / above).sum()) / positives
    lower = np.cumsum(sizes / above) - sizes / above
    of_pairs = (above + sizes - 2.0) / above + lower
    moved = (1.0 / above + (positives - 1.0) / (n - 2.0) * of_pairs) / positives
    _, variance, third = _cumulants(moved, sizes, positives)
    gap = moved - float(sizes @ moved) / n
    higher = np.cumsum((sizes * gap)[::-1])[::-1] - sizes * gap
    noise = (share * (1.0 - share)) ** 2  # of the pairs, beyond what each case does
    pairs = (sizes * (above - sizes) + 2.0 * sizes * (sizes - 1.0)) / above**2
    along = (sizes * gap * higher + gap**2 * sizes * (sizes - 1.0)) / above
    variance += noise * float(pairs.sum()) / positives**2
    third += 6.0 * noise * float(along.sum()) / positives
    return _checked(mean, variance, third, n, positives)


def of_partial_area(sizes: Floats, positives: int, max_fpr: float) -> Shuffled | None:
    """The area under the ROC curve left of a false positive rate, groups of scores ascending.

    >>> of_partial_area(np.ones(10_000), 4_000, 0.2).mean
    0.02
    """
    n = float(sizes.sum())
    negatives = n - positives
    upto = np.cumsum(sizes[::-1])[::-1] / n
    start = upto - sizes / n
    left, right = (np.maximum(max_fpr - x, 0.0) for x in (start, upto))
    inside = (left**2 - right**2) / (2.0 * sizes / n)  # the mean of what a case of the group adds
    moved = inside * (1.0 / positives + 1.0 / negatives)
    _, variance, third = _cumulants(moved, sizes, positives)
    whole = np.floor(max_fpr * negatives)
    steps = whole * (whole + 1.0) / 2.0 + (max_fpr * negatives - whole) * (whole + 1.0)
    mean = float(steps / (negatives * (negatives + 1.0)))
    return _checked(mean, variance, third, n, positives)


def of_largest_excess(sizes: Floats, positives: int) -> Smirnov | None:
    """The Kolmogorov–Smirnov distance; None where many scores are equal or a class is small."""
    n = float(sizes.sum())
    if min(positives, n - positives) < FEWEST or float(sizes @ sizes) > MOST_TIED * n:
        return None
    return Smirnov(positives, int(n) - positives)
