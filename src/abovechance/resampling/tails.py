"""The one place where an observed statistic is compared with its null; when to stop drawing."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import AboveChanceError
from abovechance.settings import Alternative

# ----------------------------------------------------------------------------------------------
# The one place where an observed statistic is compared with its null.
#
# A null value counts when it is at least as extreme as the observed one, or so close that only
# rounding could tell them apart: within 1e-9 of the null's spread plus 64 units in the last place
# of its magnitude. Sums of the same numbers in another order differ by far less; statistics that
# truly differ by so little do not occur by chance. Counting them makes p larger, never smaller.
#
# An undefined null value (nan) counts as extreme: it cannot speak against the null hypothesis,
# and the test stays valid. An undefined observed value has an undefined p.
# ----------------------------------------------------------------------------------------------


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
    counts = _counts(float(observed), values, alternative, center)
    weak, strict = _shares(float(observed), counts, values.size, exact)
    return Tail(
        p_value=float(weak),
        p_strict=float(strict),
        exceed=int(min(at_least for at_least, _ in counts)),
        draws=values.size,
        exact=exact,
        undefined=int(np.count_nonzero(values != values)),
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
    found: list[tuple[Any, Any]] = []
    axis = None if null.ndim == 1 else 0  # one number is counted much faster than by columns
    for side in _sides(alternative, center):
        inside, within = _less_extreme(observed, null, side, center)
        counted = (len(null) - np.count_nonzero(each, axis=axis) for each in (inside, within))
        found.append((next(counted), next(counted)))
    return found


def _shares(
    observed: Any, counts: list[tuple[Any, Any]], draws: int, exact: bool
) -> tuple[Any, Any]:
    """p with and without ties; over two sides, twice the smaller and at most 1."""
    single = isinstance(observed, float)  # plain numbers are compared much faster than arrays
    least, most = (min, max) if single else (np.minimum, np.maximum)
    at_least, beyond = (reduce(least, each) for each in zip(*counts, strict=True))
    # an enumerated null holds the observed arrangement, whatever rounding says
    weak = most(at_least, 1) / draws if exact else (at_least + 1) / (draws + 1)
    strict = beyond / draws if exact else beyond / (draws + 1)
    weak = least(len(counts) * weak, 1.0)
    strict = least(len(counts) * strict, weak)
    if single:
        return (math.nan, math.nan) if math.isnan(observed) else (weak, strict)
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
    if null.ndim == 1:
        low, high = float(null.min()), float(null.max())
        if math.isfinite(low) and math.isfinite(high) and math.isfinite(observed):
            low, high = min(low, float(observed)), max(high, float(observed))
            slack = RELATIVE * (high - low) + UNITS_IN_LAST_PLACE * max(high, -low)
            return slack if math.isfinite(slack) else 0.0
    high, low = np.maximum(null.max(axis=0), observed), np.minimum(null.min(axis=0), observed)
    if not np.all(np.isfinite(high) & np.isfinite(low)):
        every = np.concatenate([null, np.asarray(observed)[None]])
        finite = np.isfinite(every)
        high = np.max(every, axis=0, where=finite, initial=-np.inf)
        low = np.min(every, axis=0, where=finite, initial=np.inf)
    magnitude = np.maximum(abs(high), abs(low))
    slack = RELATIVE * np.maximum(high - low, 0.0) + UNITS_IN_LAST_PLACE * magnitude
    return np.where(np.isfinite(slack), slack, 0.0)


# ----------------------------------------------------------------------------------------------
# Stop drawing when the answer is known: sequential Monte Carlo tests.
#
# Gandy's test decides whether p lies above or below one level, and the probability that it
# decides differently from an infinite number of draws is at most `risk`, whatever p is. A p-value
# that will be adjusted for other tests is better taken from a fixed number of draws, or Besag and
# Clifford's rule.
#
# References
# ----------
# Gandy (2009), Sequential implementation of Monte Carlo tests with uniformly bounded resampling
# risk.
# Besag & Clifford (1991), Sequential Monte Carlo p-values.
# ----------------------------------------------------------------------------------------------


Decision = Literal["p <= level", "p > level"]

HALF_SPENT = 1000  # after this many draws half of the risk has been spent (Gandy 2009, section 3)


class _Design(NamedTuple):
    """Boundaries, and where paths end when p is the level."""

    upper: Ints
    lower: Ints
    hit_upper: Floats
    hit_lower: Floats
    first: int
    inside: Floats


@lru_cache(maxsize=16)
def _design(level: float, risk: float, half_spent: int, steps: int) -> _Design:
    if not (0 < level < 1 and 0 < risk < 0.5 and steps >= 1 and half_spent >= 0):
        raise AboveChanceError(
            "a sequential test needs 0 < alpha < 1, 0 < risk < 1/2 and at least one step; "
            f"got alpha {level}, risk {risk}, steps {steps}"
        )
    upper, lower = np.empty(steps, np.int64), np.empty(steps, np.int64)
    hit_upper, hit_lower = np.zeros(steps), np.zeros(steps)
    spent_upper = spent_lower = 0.0
    first, inside = 0, np.ones(1)  # inside[i]: probability of S = first + i, not yet stopped
    for step in range(1, steps + 1):
        moved = np.empty(inside.size + 1)
        moved[0] = inside[0] * (1 - level)
        moved[-1] = inside[-1] * level
        moved[1:-1] = inside[1:] * (1 - level) + inside[:-1] * level
        allowed = risk * step / (half_spent + step)
        top, bottom = moved.size, 0
        while top > bottom and spent_upper + moved[top - 1] <= allowed:
            top -= 1
            spent_upper += moved[top]
            hit_upper[step - 1] += moved[top]
        while bottom < top and spent_lower + moved[bottom] <= allowed:
            spent_lower += moved[bottom]
            hit_lower[step - 1] += moved[bottom]
            bottom += 1
        upper[step - 1], lower[step - 1] = first + top, first + bottom - 1
        first, inside = first + bottom, moved[bottom:top]
    for array in (upper, lower, hit_upper, hit_lower, inside):
        array.flags.writeable = False
    return _Design(upper, lower, hit_upper, hit_lower, first, inside)


def boundaries(
    alpha: float = 0.05, risk: float = 1e-3, steps: int = 10_000, *, half_spent: int = HALF_SPENT
) -> tuple[Ints, Ints]:
    """When to stop drawing because it is clear on which side of a level a p-value lies.

    The exact recursion: on the line p = alpha, the probability of ever having left through a
    boundary by step n is at most risk · n / (half_spent + n), for each boundary.

    Parameters
    ----------
    alpha
        The level that p is compared with; 0.05 unless stated.
    risk
        Probability of a wrong decision, at most; 0.001 unless stated.
    steps
        Number of draws up to which boundaries are computed.
    half_spent
        After how many draws half of the risk may be spent.

    Returns
    -------
    upper, lower : array, array
        After n draws: stop at `upper[n-1]` exceedances or more (p lies above the level), or at
        `lower[n-1]` or fewer (p lies below).

    Raises
    ------
    AboveChanceError
        If alpha or risk do not lie between 0 and 1, or there is no step.

    See Also
    --------
    permutation : stops by these boundaries with `stop="gandy"`.

    References
    ----------
    Gandy (2009), Sequential implementation of Monte Carlo tests.

    Examples
    --------
    >>> upper, lower = boundaries(steps=173)
    >>> upper[:5].tolist(), int(lower[171]), int(lower[172])
    ([2, 3, 4, 5, 5], -1, 0)
    """
    design = _design(alpha, risk, half_spent, steps)
    return design.upper, design.lower


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """Where a sequential test stopped, and what it knows of p.

    `estimate` is the share of draws that exceed, `p_value` the valid (S + 1) / (n + 1) or
    Besag and Clifford's; `decision` is None when the draws ran out first.
    """

    steps: int
    exceed: int
    estimate: float
    p_value: float
    decision: Decision | None
    level: float | None
    risk: float | None
    half_spent: int = HALF_SPENT

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """A confidence interval of the p that infinitely many draws would give.

        Ways to stop are ordered by the estimate they lead to; the limits are the p for which what
        was seen, or anything more extreme, has probability (1 − confidence_level) / 2.
        """
        if self.level is None or self.risk is None:
            waited = self.p_value == self.estimate  # stopped at the h-th exceedance
            return _binomial_interval(self.exceed, self.steps, confidence_level, waited)
        # the estimate zigzags as it falls along a boundary: look past the step of stopping
        steps = self.steps if self.decision is None else 2 * self.steps + 100
        ends = _Ends(_design(self.level, self.risk, self.half_spent, steps), self.level)
        tail = (1 - confidence_level) / 2
        return (
            _root(lambda p: ends.at_least(self, p) - tail),
            _root(lambda p: tail - ends.at_most(self, p)),
        )

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest estimate the test could still reach by going on."""
        if self.decision is not None or self.level is None or self.risk is None:
            return self.estimate, self.estimate
        steps = 2 * self.steps + 1000
        while True:
            design = _design(self.level, self.risk, self.half_spent, steps)
            later = np.arange(self.steps + 1, steps + 1)
            upper, lower = design.upper[self.steps :], design.lower[self.steps :]
            full = self.exceed + later - self.steps
            high = (full >= upper) & (design.hit_upper[self.steps :] > 0)
            low = (lower >= self.exceed) & (design.hit_lower[self.steps :] > 0)
            if np.any(high[: later.size // 2]) and np.any(low[: later.size // 2]):
                return float((lower / later)[low].min()), float((upper / later)[high].max())
            steps *= 2


@dataclass(frozen=True)
class Sequential:
    """Gandy's test: stop as soon as p is known to lie above or below the level.

    >>> never = (np.zeros(100, dtype=bool) for _ in range(100))
    >>> result = Sequential().run(never)
    >>> result.steps, result.decision
    (173, 'p <= level')
    """

    alpha: float = 0.05
    risk: float = 1e-3
    steps: int = 10_000
    half_spent: int = HALF_SPENT

    def run(self, indicators: Iterable[npt.ArrayLike]) -> Stopped:
        """Read exceedances, block after block, until a boundary is met or `steps` are done."""
        design = _design(self.alpha, self.risk, self.half_spent, self.steps)
        steps = exceed = 0
        decision: Decision | None = None
        for block in indicators:
            bits = _bits(block)[: self.steps - steps]
            running = exceed + np.cumsum(bits)
            here = slice(steps, steps + bits.size)
            out = np.flatnonzero((running >= design.upper[here]) | (running <= design.lower[here]))
            last = int(out[0]) if out.size else bits.size - 1
            if last >= 0:
                steps, exceed = steps + last + 1, int(running[last])
            if out.size:
                decision = "p > level" if exceed >= design.upper[steps - 1] else "p <= level"
            if decision or steps >= self.steps:
                break
        _some(steps)
        return Stopped(
            steps=steps,
            exceed=exceed,
            estimate=exceed / steps,
            p_value=(exceed + 1) / (steps + 1),
            decision=decision,
            level=self.alpha,
            risk=self.risk,
            half_spent=self.half_spent,
        )


@dataclass(frozen=True)
class BesagClifford:
    """Stop at the h-th exceedance, with p = h / draws; otherwise after all draws, as ever.

    >>> BesagClifford(exceedances=2, draws=99).run([[True, False, False, True, False]]).p_value
    0.5
    """

    exceedances: int = 10
    draws: int = 9999

    def run(self, indicators: Iterable[npt.ArrayLike]) -> Stopped:
        steps = exceed = 0
        for block in indicators:
            bits = _bits(block)[: self.draws - steps]
            reached = np.flatnonzero(exceed + np.cumsum(bits) >= self.exceedances)
            last = int(reached[0]) + 1 if reached.size else bits.size
            steps, exceed = steps + last, exceed + int(bits[:last].sum())
            if exceed >= self.exceedances or steps >= self.draws:
                break
        _some(steps)
        full = exceed >= self.exceedances
        return Stopped(
            steps=steps,
            exceed=exceed,
            estimate=exceed / steps,
            p_value=exceed / steps if full else (exceed + 1) / (steps + 1),
            decision=None,
            level=None,
            risk=None,
        )


class _Ends:
    """The probability of the ways to stop, at any p, from that at the level.

    A path with S exceedances in n draws weighs (p / level)^S ((1 − p) / (1 − level))^(n − S) as
    much at p as at the level, so no recursion needs to be repeated.
    """

    def __init__(self, design: _Design, level: float) -> None:
        self.level = level
        every = np.arange(1, design.upper.size + 1)
        up, down = design.hit_upper > 0, design.hit_lower > 0
        self.upper = (every[up], design.upper[up], design.hit_upper[up])
        self.lower = (every[down], design.lower[down], design.hit_lower[down])
        inside = design.first + np.arange(design.inside.size)
        self.inside = (np.full(inside.size, every.size), inside, design.inside)

    def at_least(self, seen: Stopped, p: float) -> float:
        """Probability at p of an estimate at least as large as the one seen."""
        if seen.decision == "p > level":
            return self._weight(self.upper, _estimates(self.upper, seen) >= 0, p)
        if seen.decision == "p <= level":
            return 1 - self._weight(self.lower, _estimates(self.lower, seen) < 0, p)
        above = self._weight(self.inside, self.inside[1] >= seen.exceed, p)
        return above + self._weight(self.upper, self.upper[0] > 0, p)

    def at_most(self, seen: Stopped, p: float) -> float:
        """Probability at p of an estimate at most as large as the one seen."""
        if seen.decision == "p > level":
            return 1 - self._weight(self.upper, _estimates(self.upper, seen) > 0, p)
        if seen.decision == "p <= level":
            return self._weight(self.lower, _estimates(self.lower, seen) <= 0, p)
        below = self._weight(self.inside, self.inside[1] <= seen.exceed, p)
        return below + self._weight(self.lower, self.lower[0] > 0, p)

    def _weight(self, ends: tuple[Ints, Ints, Floats], chosen: Bools, p: float) -> float:
        draws, exceed, at_level = (values[chosen] for values in ends)
        log = np.log(p / self.level) * exceed + np.log1p(-p) * (draws - exceed)
        log -= np.log1p(-self.level) * (draws - exceed)
        return float(np.sum(at_level * np.exp(log)))


def _estimates(ends: tuple[Ints, Ints, Floats], seen: Stopped) -> Ints:
    """The sign of every possible estimate less the one seen, in integers."""
    return ends[1] * seen.steps - seen.exceed * ends[0]


def _root(function: Callable[[float], float]) -> float:
    """Where a rising function of p crosses 0, by bisection; an end of [0, 1] if nowhere."""
    low, high = 0.0, 1.0
    if function(1e-12) > 0:
        return 0.0
    if function(1 - 1e-12) < 0:
        return 1.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def _binomial_interval(
    exceed: int, steps: int, confidence_level: float, waited: bool
) -> tuple[float, float]:
    """Clopper and Pearson's interval; the last draw is known when it was waited for."""
    from scipy.special import betaincinv

    tail, rest = (1 - confidence_level) / 2, steps - exceed
    low = float(betaincinv(exceed, rest + 1, tail)) if exceed else 0.0
    high = float(betaincinv(exceed + (not waited), rest, 1 - tail)) if rest else 1.0
    return low, high


def _bits(block: npt.ArrayLike) -> Bools:
    return np.asarray(block, dtype=np.bool_).ravel()


def _some(steps: int) -> None:
    if not steps:
        raise AboveChanceError("a sequential test needs at least one draw; the stream was empty")
