"""Logistic recalibration: how the log odds of the outcome depend on the predicted log odds.

    log odds of the outcome = intercept + slope · predicted log odds

Maximum likelihood in one predictor. Whether a finite estimate exists is read off the data before
anything is fitted (Albert & Anderson 1984): with one predictor the classes are separated if and
only if one class lies wholly on one side of the other. Cases are the last axis; outcomes and
weights may be batches, the predicted log odds are one row for all.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.numerics.kernels import worthwhile

STEPS = 200
BATCHED_STEPS = 12  # of many rows at once; five are usual
PRECISE = 1e-13
NEARLY = 1e-8  # after a step of this size Newton's method is there, for its error is squared
SAFE = 0.5
PER_STEP = 200  # sums over this many cases cost about one elementary step of compiled code
FEW = 40  # extreme cases of a class that show whether it overlaps the other
AT_ONCE = 2**14  # cases of a single row whose numbers stay in the cache
LONGEST = 8.0  # log odds a single step may change, where the likelihood is nearly flat


class Line(NamedTuple):
    """Recalibration lines, one per row of the batch.

    Where the classes are separated the slope is infinite and the intercept undefined; both are
    undefined where only one class or one predicted value is seen.
    """

    intercept: Floats
    slope: Floats


def log_odds(probability: Floats) -> Floats:
    """ln p/(1 − p), infinite at 0 and 1."""
    with np.errstate(divide="ignore"):
        found = np.asarray(np.log(probability))
        found -= np.log1p(-probability)
    return found


def log_likelihood(
    outcome: Floats,
    odds: Floats,
    weight: Floats | None,
    intercept: float = 0.0,
    slope: float = 1.0,
) -> Floats:
    """Sum over cases of ln P(outcome) when the log odds are a line of `odds` (…, n)."""
    if odds.ndim == outcome.ndim == 1 and odds.size > AT_ONCE and weight is None:
        each = ((outcome[some], odds[some]) for some in parts(odds.size))
        return np.sum([log_likelihood(y, x, None, intercept, slope) for y, x in each])
    at = intercept + slope * odds
    terms = softplus(np.where(outcome > 0.5, -at, at))
    return -np.asarray((terms if weight is None else weight * terms).sum(axis=-1))


def parts(n: int) -> list[slice]:
    """Cases of a single row, as many at a time as stay in the cache."""
    return [slice(start, start + AT_ONCE) for start in range(0, n, AT_ONCE)]


def softplus(x: Floats) -> Floats:
    """ln(1 + eˣ), to the last digits of 1: twice as fast as `np.logaddexp(0, x)`."""
    found = np.abs(x)
    np.negative(found, out=found)
    np.exp(found, out=found)
    found += 1.0
    np.log(found, out=found)
    found += np.maximum(x, 0.0)
    return np.asarray(found)


def shift(
    outcome: Floats, offset: Floats, direction: Floats | None = None, weight: Floats | None = None
) -> Floats:
    r"""The multiple of `direction` that, added to the offset, makes the outcomes most likely.

    .. math:: \sum_i w_i z_i (y_i - \mathrm{expit}(o_i + \theta z_i)) = 0

    (…, n) to (…). Without a direction: one constant for all cases. Infinite where more is always
    better, which is so if every outcome lies on its own side of 0.
    """
    if offset.ndim == outcome.ndim == 1 and (weight is None or weight.ndim == 1):

        def moved(some: slice, theta: float) -> Floats:
            return offset[some] + (theta if direction is None else theta * direction[some])

        return np.asarray(_single(outcome, moved, direction, weight))
    z = np.ones(offset.shape[-1]) if direction is None else direction
    w = np.ones(outcome.shape) if weight is None else weight
    towards = np.where(w > 0, z * (2.0 * outcome - 1.0), 0.0)
    up, down = (towards >= 0).all(axis=-1), (towards <= 0).all(axis=-1)
    shape = np.broadcast_shapes(up.shape, offset.shape[:-1])
    theta = np.zeros(shape)
    theta[np.broadcast_to(up, shape)] = np.inf
    theta[np.broadcast_to(down, shape)] = -np.inf
    theta[np.broadcast_to(up & down, shape)] = np.nan
    finite = np.isfinite(theta)
    if finite.any():
        rows = _rows(finite, outcome, offset, w)
        theta[finite] = _root(rows, z)
    return theta


def free_intercept(
    outcome: Floats, odds: Floats, slope: float, weight: Floats | None, start: float = 0.0
) -> float:
    """The intercept that makes the outcomes most likely beside a given slope."""
    return _single(outcome, lambda some, a: slope * odds[some] + a, None, weight, start)


def free_slope(
    outcome: Floats, odds: Floats, intercept: float, weight: Floats | None, start: float = 0.0
) -> float:
    """The slope that makes the outcomes most likely beside a given intercept."""
    return _single(outcome, lambda some, b: intercept + b * odds[some], odds, weight, start)


def _single(
    y: Floats,
    moved: Callable[[slice, float], Floats],
    z: Floats | None,
    w: Floats | None,
    start: float = 0.0,
) -> float:
    """One row alone, faster than among many: profile likelihoods ask for it often.

    `moved` has the log odds of some cases; no number of all of them is held.
    """
    every, up, down = parts(len(y)), True, True
    for some in every:
        towards = 2.0 * y[some] - 1.0
        towards *= 1.0 if z is None else z[some]
        towards *= 1.0 if w is None else w[some] > 0
        up, down = up and bool((towards >= 0).all()), down and bool((towards <= 0).all())
        if not up and not down:
            break
    if up or down:
        return float("nan") if up and down else float("inf") if up else -float("inf")
    theta, low, high = start, -np.inf, np.inf
    longest = LONGEST if z is None else LONGEST / max(float(z.max()), -float(z.min()))
    for _ in range(STEPS):
        score = slope = 0.0
        for some in every:
            chance = expit(moved(some, theta))
            residual, curvature = y[some] - chance, chance * (1.0 - chance)
            if w is not None:
                residual, curvature = w[some] * residual, w[some] * curvature
            if z is None:
                score, slope = score + float(residual.sum()), slope + float(curvature.sum())
            else:
                at = z[some]
                score += float(np.einsum("i,i->", at, residual))
                slope += float(np.einsum("i,i,i->", at, at, curvature))
        if score == 0.0:
            break
        low, high = (theta, high) if score > 0 else (low, theta)
        step = score / slope if slope > 0 else np.copysign(np.inf, score)
        after = theta + min(max(step, -longest), longest)
        outside = not low < after < high
        if outside and np.isfinite(low + high):
            after = (low + high) / 2.0
        change = abs(after - theta) / (1.0 + abs(theta))
        theta = after
        if change <= (PRECISE if outside else NEARLY):
            break
    return theta


def line(outcome: Floats, odds: Floats, weight: Floats | None = None) -> Line:
    """Intercept and slope of the recalibration line, jointly.

    Examples
    --------
    >>> y, odds = np.array([0.0, 1, 0, 1]), np.array([-1.0, -1, 1, 1])
    >>> line(y, odds).slope  # the outcome has nothing to do with the prediction
    array(0.)
    >>> line(np.array([0.0, 0, 1, 1]), np.array([-2.0, -1, 1, 2])).slope  # separated
    array(inf)
    """
    w = np.ones(outcome.shape) if weight is None else weight
    shape = np.broadcast_shapes(outcome.shape[:-1], w.shape[:-1])
    y = np.broadcast_to(outcome, (*shape, odds.size)).reshape(-1, odds.size)
    w = np.broadcast_to(w, (*shape, odds.size)).reshape(-1, odds.size)
    slope = np.zeros(len(y))
    doubtful = ~_overlapping(outcome, odds, w)
    if doubtful.any():
        slope[doubtful] = _separated(y[doubtful], odds, w[doubtful])
    intercept = np.full(slope.shape, np.nan)
    finite = slope == 0.0
    if finite.any():
        intercept[finite], slope[finite] = _newton(y[finite], odds, w[finite])
    return Line(intercept.reshape(shape), slope.reshape(shape))


def lines(outcome: Floats, odds: Floats, weight: Floats) -> Line:
    """Lines of many rows of predicted log odds (B, n), all finite, each with its own weights.

    The steps of `line` for all rows at once; rows that have not ended are left undefined, with a
    slope of nan, for `line` to do.

    Examples
    --------
    >>> y, odds = np.array([[0.0, 1, 0, 1]] * 2), np.array([[-1.0, -1, 1, 1], [-2, -1, 1, 2]])
    >>> lines(y, odds, np.ones((2, 4))).slope
    array([0.     , 0.41962])
    """
    seen, positive = weight > 0, outcome > 0.5
    lows, highs = [], []
    for mine in (seen & positive, seen & ~positive):
        lows.append(np.where(mine, odds, np.inf).min(axis=1))
        highs.append(np.where(mine, odds, -np.inf).max(axis=1))
    overlap = (lows[0] < highs[1]) & (lows[1] < highs[0])
    intercept, slope = np.full((2, len(odds)), np.nan)
    centre = odds.mean(axis=1, keepdims=True)
    spread = odds.std(axis=1, keepdims=True)
    on = np.flatnonzero(overlap & (spread[:, 0] > 0))
    z = (odds - centre) / np.where(spread > 0, spread, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (weight * outcome).sum(axis=1) / weight.sum(axis=1)
        a, b = np.log(share) - np.log1p(-share), np.zeros(len(odds))
    reach = np.abs(z).max(axis=1)
    for _ in range(BATCHED_STEPS):
        if not len(on):
            break
        y, x, w = outcome[on], z[on], weight[on]
        chance = expit(a[on, None] + b[on, None] * x)
        residual, curvature = w * (y - chance), w * chance * (1.0 - chance)
        g0, g1 = residual.sum(axis=1), (residual * x).sum(axis=1)
        first = curvature * x
        h00, h01, h11 = curvature.sum(axis=1), first.sum(axis=1), (first * x).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            determinant = h00 * h11 - h01 * h01
            da, db = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        size = np.maximum(np.abs(da) / (1 + np.abs(a[on])), np.abs(db) / (1 + np.abs(b[on])))
        far = np.abs(da) + np.abs(db) * reach[on] > LONGEST  # a step that might overshoot
        a[on], b[on] = a[on] + da, b[on] + db
        ended = size <= NEARLY
        slope[on[ended]] = (b[on] / spread[on, 0])[ended]
        on = on[~ended & ~far & np.isfinite(size)]
    intercept = a - slope * centre[:, 0]
    return Line(np.asarray(intercept), slope)


def line_log_likelihood(
    found: Line, outcome: Floats, odds: Floats, weight: Floats | None = None
) -> float:
    """The log-likelihood of one line; under separation the limit that no finite line reaches."""
    intercept, slope = float(found.intercept), float(found.slope)
    if not np.isinf(slope):
        return float(log_likelihood(outcome, odds, weight, intercept, slope))
    w = np.ones(outcome.shape) if weight is None else weight
    upper = (outcome > 0.5) == (slope > 0)  # the class above
    touching = odds == odds[upper & (w > 0)].min()
    k, m = float(w[touching] @ outcome[touching]), float(w[touching].sum())
    return k * np.log(k / m) + (m - k) * np.log1p(-k / m) if 0.0 < k < m else 0.0


def information(
    odds: Floats, intercept: float, slope: float, weight: Floats | None = None
) -> Floats:
    """Fisher information of intercept and slope, at a line of the predicted log odds."""
    sums = np.zeros(3)
    for some in parts(len(odds)):
        x = odds[some]
        chance = expit(intercept + slope * x)
        spread = chance * (1.0 - chance)
        if weight is not None:
            spread *= weight[some]
        first = spread * x
        sums += float(spread.sum()), float(first.sum()), float(first @ x)
    return sums[[[0, 1], [1, 2]]]


def expit(odds: Floats) -> Floats:
    """1/(1 + e^−x); where e^−x is infinite, 0. Three times as fast as scipy's."""
    found = np.asarray(np.negative(odds))
    with np.errstate(over="ignore"):
        np.exp(found, out=found)
    found += 1.0
    return np.asarray(np.divide(1.0, found, out=found))


def _overlapping(outcome: Floats, x: Floats, w: Floats) -> Bools:
    """Rows seen to overlap from a few extreme cases of each class; others may or may not."""
    if outcome.ndim > 1 or len(w) == 1:
        return np.zeros(len(w), dtype=np.bool_)
    order = np.argsort(x, kind="stable")
    positive = order[outcome[order] > 0.5]
    negative = order[outcome[order] <= 0.5]
    if min(positive.size, negative.size) < 2 * FEW:
        return np.zeros(len(w), dtype=np.bool_)
    seen = np.ones(len(w), dtype=np.bool_)
    for lower, upper in ((positive[:FEW], negative[-FEW:]), (negative[:FEW], positive[-FEW:])):
        crossing = x[lower[-1]] < x[upper[0]]
        seen &= crossing & (w[:, lower] > 0).any(axis=1) & (w[:, upper] > 0).any(axis=1)
    return seen


def _separated(y: Floats, x: Floats, w: Floats) -> Floats:
    """Slope ±∞ where the classes do not overlap, nan where no slope can be told, else 0."""
    positive, negative = (w > 0) & (y > 0.5), (w > 0) & (y <= 0.5)
    low1, low0 = (np.where(own, x, np.inf).min(axis=1) for own in (positive, negative))
    high1, high0 = (np.where(own, x, -np.inf).max(axis=1) for own in (positive, negative))
    both = positive.any(axis=1) & negative.any(axis=1)
    slope = np.zeros(len(y))
    slope[low1 >= high0] = np.inf
    slope[high1 <= low0] = -np.inf
    slope[~both | (np.minimum(low0, low1) == np.maximum(high0, high1))] = np.nan
    return slope


def _newton(y: Floats, x: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Newton's method; many rows start from the line of all of them together."""
    centre, spread = float(x.mean()), float(x.std())
    z = (x - centre) / spread
    if len(y) > 1:
        together, mean = w.sum(axis=0), (w * y).sum(axis=0)
        with np.errstate(invalid="ignore"):
            start = _climb(np.where(together > 0, mean / together, 0.0)[None], z, together[None])
    else:
        start = None
    a, b = _climb(y, z, w, start)
    return a - b * centre / spread, b / spread


def _climb(
    y: Floats, z: Floats, w: Floats, start: tuple[Floats, Floats] | None = None
) -> tuple[Floats, Floats]:
    """The summit of each row's likelihood; steps are halved where a whole one might overshoot."""
    if start is None:
        share = (w * y).sum(axis=1) / w.sum(axis=1)
        a, b = np.log(share) - np.log1p(-share), np.zeros(len(y))
    else:
        a, b = (np.full(len(y), part[0]) for part in start)
    ends = np.array([z.min(), z.max()])
    for _ in range(STEPS):
        g0, g1, h00, h01, h11 = _sums(y, z, w, a, b)
        determinant = h00 * h11 - h01 * h01
        da, db = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        small = np.maximum(np.abs(da) / (1 + np.abs(a)), np.abs(db) / (1 + np.abs(b))) <= NEARLY
        # where no log odds change by more than a half, the curvature changes by less than a
        # factor of two and a whole step climbs
        far = np.abs(da[:, None] + db[:, None] * ends).max(axis=1) > SAFE
        step = np.ones(len(y))
        if far.any():
            step[far] = _halved(y[far], z, w[far], (a[far], b[far]), (da[far], db[far]))
        a, b = a + step * da, b + step * db
        if small.all():
            break
    return a, b


def _halved(
    y: Floats,
    z: Floats,
    w: Floats,
    at: tuple[Floats, Floats],
    by: tuple[Floats, Floats],
) -> Floats:
    """How much of each step makes the outcomes no less likely."""

    def value(step: Floats) -> Floats:
        a, b = at[0] + step * by[0], at[1] + step * by[1]
        odds = a[:, None] + b[:, None] * z
        return np.asarray((w * (y * odds - softplus(odds))).sum(axis=1))

    before, step = value(np.zeros(len(y))), np.ones(len(y))
    for _ in range(60):
        worse = value(step) < before - 1e-12 * np.abs(before)
        if not worse.any():
            break
        step = np.where(worse, step / 2.0, step)
    return step


def _sums(y: Floats, z: Floats, w: Floats, a: Floats, b: Floats) -> tuple[Floats, ...]:
    """Gradient and curvature of the log-likelihood in intercept and slope, row by row."""
    if worthwhile(y.size // PER_STEP):
        from abovechance.numerics.kernels.class_loops import logistic_sums

        found = np.empty((5, len(y)))
        logistic_sums(y, z, w, a, b, found)
        return tuple(found)
    chance = expit(a[:, None] + b[:, None] * z)
    residual, curvature = w * (y - chance), w * chance * (1.0 - chance)
    sums = residual.sum(axis=1), residual @ z, curvature.sum(axis=1), curvature @ z
    return (*sums, curvature @ (z * z))


def _root(rows: list[Floats], z: Floats) -> Floats:
    """Newton's method on a decreasing score, kept inside the bracket it has found."""
    y, offset, w = rows
    theta = np.zeros(len(y))
    low, high = np.full(len(y), -np.inf), np.full(len(y), np.inf)
    longest = LONGEST / np.abs(z).max()
    for _ in range(STEPS):
        chance = expit(offset + theta[:, None] * z)
        score = (w * (y - chance)) @ z
        slope = (w * chance * (1.0 - chance)) @ (z * z)
        low, high = np.where(score > 0, theta, low), np.where(score < 0, theta, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(score == 0, 0.0, np.clip(score / slope, -longest, longest))
            middle = (low + high) / 2.0
        after = theta + step
        outside = (after <= low) | (after >= high)
        after = np.where(outside & np.isfinite(middle), middle, after)
        done = (np.abs(after - theta) <= NEARLY * (1.0 + np.abs(theta))) & ~outside
        done |= np.abs(after - theta) <= PRECISE * (1.0 + np.abs(theta))
        theta = np.where(score == 0, theta, after)
        if done.all():
            break
    return theta


def _rows(finite: Bools, *arrays: Floats) -> list[Floats]:
    """The rows of arrays (…, n) that are finite, flat."""
    return [np.broadcast_to(a, (*finite.shape, a.shape[-1]))[finite] for a in arrays]
