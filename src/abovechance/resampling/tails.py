"""The one place where an observed statistic is compared with its null.

A null value counts when it is at least as extreme as the observed one, or so close that only
rounding could tell them apart: within 1e-9 of the null's spread plus 64 units in the last place
of its magnitude. Sums of the same numbers in another order differ by far less; statistics that
truly differ by so little do not occur by chance. Counting them makes p larger, never smaller.

An undefined null value (nan) counts as extreme: it cannot speak against the null hypothesis, and
the test stays valid. An undefined observed value has an undefined p.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats
from abovechance.errors import AboveChanceError
from abovechance.settings import Alternative

RELATIVE = 1e-9
FEW = 64
UNITS_IN_LAST_PLACE = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True)
class Tail:
    """How far out an observed statistic lies.

    `exceed` null values of `draws` are at least as extreme. `p_value` counts the observed
    arrangement once and is never 0; `p_strict` leaves out ties, so that p_strict plus a uniform
    share of (p_value − p_strict) is uniform under the null hypothesis.
    """

    p_value: float
    p_strict: float
    exceed: int
    draws: int
    exact: bool
    undefined: int
    alternative: Alternative


def tail(
    observed: float,
    null: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    exact: bool = False,
    center: float | None = None,
) -> Tail:
    """How often chance alone does as well as what was observed.

    Monte Carlo: (b + 1) / (m + 1) for b of m draws. With `exact=True` the null lists every
    arrangement, the observed one among them: b / m. Two-sided: twice the smaller tail, at most 1;
    with `center`, for a null symmetric about it, the distance from the centre.

    References
    ----------
    Phipson & Smyth (2010), Permutation p-values should never be zero.

    Examples
    --------
    >>> tail(3.0, [1.0, 2.0, 3.0, 4.0]).p_value
    0.6
    >>> tail(3.0, [1.0, 2.0, 3.0, 4.0], exact=True).p_value
    0.5
    >>> tail(0.1 + 0.2, [0.3, -1.0, 1.0]).exceed
    2
    """
    values = np.asarray(null, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise AboveChanceError(f"a null must be a row of draws; got shape {values.shape}")
    counts = _counts(np.float64(observed), values, alternative, center)
    weak, strict = _shares(np.float64(observed), counts, values.size, exact)
    exceed = min(int(at_least) for at_least, _ in counts)
    return Tail(
        p_value=float(weak),
        p_strict=float(strict),
        exceed=exceed,
        draws=values.size,
        exact=exact,
        undefined=int(np.isnan(values).sum()),
        alternative=alternative,
    )


def p_values(
    observed: npt.ArrayLike,
    null: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    exact: bool = False,
    center: float | None = None,
) -> Floats:
    """The p-values of many statistics at once: null (draws, …), observed (…), as in `tail`.

    >>> p_values([3.0, 0.0], [[1.0, 1.0], [4.0, 1.0], [2.0, 1.0]])
    array([0.5, 1. ])
    """
    seen, values = np.asarray(observed, dtype=np.float64), np.asarray(null, dtype=np.float64)
    if seen.size < FEW:  # contiguous columns are counted much faster than short rows
        columns = values.reshape(len(values), -1).T.copy()
        settings: Any = {"alternative": alternative, "exact": exact, "center": center}
        each = zip(seen.ravel(), columns, strict=True)
        return np.reshape(
            [tail(one, column, **settings).p_value for one, column in each], seen.shape
        )
    counts = _counts(seen, values, alternative, center)
    return np.asarray(_shares(seen, counts, len(values), exact)[0])


def exceedances(
    observed: float,
    null: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    center: float | None = None,
) -> Bools:
    """Which null values are at least as extreme, for a test that stops when it knows enough.

    >>> exceedances(2.0, [1.0, 2.0, 3.0]).tolist()
    [False, True, True]
    """
    if alternative == "two-sided" and center is None:
        raise AboveChanceError(
            "a sequential test needs one answer per draw; two-sided, give the centre of the null"
        )
    values = np.asarray(null, dtype=np.float64)
    (side,) = _sides(alternative, center)
    inside, _ = _less_extreme(np.float64(observed), values, side, center)
    return np.asarray(~inside)


def _counts(
    observed: Any, null: Floats, alternative: Alternative, center: float | None
) -> list[tuple[Any, Any]]:
    """For every side: how many null values are at least as extreme, and how many more so."""
    found = []
    for side in _sides(alternative, center):
        inside, within = _less_extreme(observed, null, side, center)
        found.append(tuple(len(null) - np.count_nonzero(each, axis=0) for each in (inside, within)))
    return found


def _shares(
    observed: Any, counts: list[tuple[Any, Any]], draws: int, exact: bool
) -> tuple[Any, Any]:
    """p with and without ties; over two sides, twice the smaller and at most 1."""
    at_least = np.min([weak for weak, _ in counts], axis=0)
    beyond = np.min([strict for _, strict in counts], axis=0)
    # an enumerated null holds the observed arrangement, whatever rounding says
    weak = np.maximum(at_least, 1) / draws if exact else (at_least + 1) / (draws + 1)
    strict = beyond / draws if exact else beyond / (draws + 1)
    weak = np.minimum(len(counts) * weak, 1.0)
    strict = np.minimum(len(counts) * strict, weak)
    undefined = np.isnan(observed)
    return np.where(undefined, np.nan, weak), np.where(undefined, np.nan, strict)


def _sides(alternative: Alternative, center: float | None) -> tuple[str, ...]:
    if alternative not in ("greater", "less", "two-sided"):
        raise AboveChanceError(
            f"alternative must be 'greater', 'less' or 'two-sided'; got {alternative!r}"
        )
    if alternative != "two-sided":
        return (alternative,)
    return ("greater", "less") if center is None else ("away",)


def _less_extreme(
    observed: Any, null: Floats, side: str, center: float | None
) -> tuple[Bools, Bools]:
    """Which null values are clearly less extreme, and which are not clearly more extreme.

    Asked this way round, an undefined null value is neither, and so counts as extreme.
    """
    slack = _slack(observed, null)
    if side == "less":
        return null > observed + slack, null >= observed - slack
    if center is not None and side == "away":
        observed, null = abs(observed - center), abs(null - center)
    return null < observed - slack, null <= observed + slack


def _slack(observed: Any, null: Floats) -> Any:
    """How near is too near to tell apart, for every statistic."""
    high, low = np.maximum(null.max(axis=0), observed), np.minimum(null.min(axis=0), observed)
    if not np.all(np.isfinite(high) & np.isfinite(low)):
        every = np.concatenate([null, np.asarray(observed)[None]])
        finite = np.isfinite(every)
        high = np.max(every, axis=0, where=finite, initial=-np.inf)
        low = np.min(every, axis=0, where=finite, initial=np.inf)
    magnitude = np.maximum(abs(high), abs(low))
    slack = RELATIVE * np.maximum(high - low, 0.0) + UNITS_IN_LAST_PLACE * magnitude
    return np.where(np.isfinite(slack), slack, 0.0)
