"""Many tests at once: p-values adjusted so that the smallest of many does not impress by itself."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable, did_you_mean


def holm(p: npt.ArrayLike) -> Floats:
    r"""Adjusted p-values that keep the chance of any false finding at the level, however dependent.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\{(m - j + 1)\, p_{(j)}, 1\}

    Undefined p-values (nan) stay so and are not counted among the m tests.

    References
    ----------
    Holm (1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    return _stepwise(p, lambda ordered, m: np.maximum.accumulate((m - np.arange(m)) * ordered))


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    r"""Adjusted p-values that keep the expected share of false findings at the level.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\{\tfrac{m}{j}\, p_{(j)}, 1\}

    For independent tests, or such as depend on each other positively. Undefined p-values (nan)
    stay so and are not counted.

    References
    ----------
    Benjamini & Hochberg (1995); Benjamini & Yekutieli (2001) on dependence.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5])
    array([0.04  , 0.0533, 0.0533, 0.5   ])
    """

    def from_largest(ordered: Floats, m: int) -> Floats:
        scaled = ordered * (m / np.arange(1, m + 1))
        return np.minimum.accumulate(scaled[::-1])[::-1]

    return _stepwise(p, from_largest)


def benjamini_yekutieli(p: npt.ArrayLike) -> Floats:
    r"""Adjusted p-values that keep the expected share of false findings, however dependent.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min\{\tfrac{m c_m}{j}\, p_{(j)}, 1\},
              \qquad c_m = \sum_{j=1}^{m} \tfrac{1}{j}

    Undefined p-values (nan) stay so and are not counted.

    References
    ----------
    Benjamini & Yekutieli (2001), theorem 1.3.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03, 0.5])
    array([0.0833, 0.1111, 0.1111, 1.    ])
    """
    values = np.asarray(p, dtype=np.float64)
    m = int(np.count_nonzero(~np.isnan(values)))
    return np.minimum(benjamini_hochberg(values) * np.sum(1.0 / np.arange(1, m + 1)), 1.0)


def _unadjusted(p: npt.ArrayLike) -> Floats:
    return np.asarray(p, dtype=np.float64)


METHODS: dict[str, Callable[[npt.ArrayLike], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _unadjusted,
}


def adjusted(p: npt.ArrayLike, method: str = "holm") -> Floats:
    """Adjusted p-values by the method's name: "holm", "bh" or "none"."""
    if method not in METHODS:
        known = ", ".join(repr(name) for name in METHODS)
        raise NotApplicable(
            f"adjust must be one of {known}; got {method!r}{did_you_mean(str(method), METHODS)}"
        )
    return METHODS[method](p)


def _stepwise(p: npt.ArrayLike, step: Callable[[Floats, int], Floats]) -> Floats:
    values = np.asarray(p, dtype=np.float64)
    found = values.copy()
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    found[order] = np.minimum(step(values[order], len(order)), 1.0)
    return found
