"""Intervals of correlations on Fisher's z scale."""

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.method import Takes, interval, limits
from abovechance.inference.results import Interval
from abovechance.measures import Law
from abovechance.numerics.exact import critical_value

SPREAD = {"pearson": 1.0, "spearman": 1.06, "kendall": 0.437}


@interval(
    title="Fisher z",
    words="Fisher's z transformation",
    source="fisher1921",
    laws=[Law.UNKNOWN],
    takes=Takes.PARTS,
)
def fisher_z(
    correlation: float, n: int, *, kind: str = "pearson", confidence_level: float = 0.95
) -> Interval:
    r"""Interval of a correlation by Fisher's transformation.

    .. math:: \tanh(\operatorname{artanh} r \pm z \sqrt{c/(n-d)})

    with c = 1 and d = 3 for Pearson's, c = 1.06 and d = 3 for Spearman's, c = 0.437 and d = 4 for
    Kendall's correlation.

    Parameters
    ----------
    correlation
        The correlation, between −1 and 1.
    n
        Number of cases.
    kind
        Whose correlation: "pearson", "spearman" or "kendall".

    Raises
    ------
    NotApplicable
        For an unknown kind, or if there are no more than d cases.

    See Also
    --------
    bootstrap : where outcomes or predictions are far from normal.

    References
    ----------
    Fisher (1921); Fieller, Hartley & Pearson (1957).

    Examples
    --------
    >>> print(fisher_z(0.6, 50))
    0.386 to 0.753
    """

    if kind not in SPREAD:
        raise NotApplicable(f"kind must be one of {', '.join(SPREAD)}; got {kind!r}.")
    less = 4 if kind == "kendall" else 3
    if n <= less:
        raise NotApplicable(f"the interval of a correlation needs more than {less} cases.")
    if abs(correlation) >= 1.0:
        return limits("fisher_z", correlation, correlation, confidence_level)
    half = critical_value(confidence_level) * np.sqrt(SPREAD[kind] / (n - less))
    centre = np.arctanh(correlation)
    low, high = np.tanh(centre - half), np.tanh(centre + half)
    return limits("fisher_z", low, high, confidence_level)
