r"""Logistic regressions of one table of features, many at once.

Each fit has its own outcomes, case weights, penalties and, if wanted, columns, and minimises

.. math:: -\sum_i c_i \log P(y_i \mid b + w^T x_i) + \tfrac12 \sum_j \lambda_j w_j^2

with the intercept b unpenalised; :math:`\lambda = 1/C` of scikit-learn, 0 for maximum likelihood.

- `fit_logistics(X, outcomes, counts, penalty=…, columns=…)` is the one to call: all fits, those
  that many at once cannot be vouched for done one by one; `finite` marks where a maximum exists.
- `fit_together` is the fast part and marks what is `doubtful`; `fit_alone` is the plain form.

>>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
>>> y = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])  # the second has no finite slope without penalty
>>> fit_logistics(X, y).finite
array([ True, False])
>>> found = fit_logistics(X, y, penalty=1.0)
>>> found.weights
array([[0.45288],
       [0.95829]])
>>> found.log_odds(X).shape
(2, 4)
"""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints

STEPS = 60  # of Newton's method; seven are usual
HALVINGS = 40
NEARLY = 1e-7  # after a change of log odds this small the next would be about its square
SAFE = 0.5  # changes of log odds below it keep the curvature within a factor of two
ROUNDING = 1e-12  # of a sum: a rise smaller than this is none
EXTREME = 30.0  # log odds of a training row beyond which no finite maximum is expected
LEAST_EIGENVALUE = 1e-9  # of the curvature in units of its diagonal: below it columns depend
NEGLIGIBLE = 1e-6  # share of the curvature below which a penalty does not keep it regular
ENTRIES = 400_000  # of the curvatures worked on at a time, so that they stay in the cache
MOST_PRODUCTS = 8_000_000  # products of pairs of columns kept for all fits


class Fits(NamedTuple):
    """F fits: weights (F, p), 0 for columns not used, offsets and log-likelihoods (F,)."""

    weights: Floats
    offsets: Floats
    likelihood: Floats
    doubtful: Bools

    @property
    def finite(self) -> Bools:
        """Which fits were reached; of `fit_logistics`: which have a finite maximum."""
        return ~self.doubtful

    def log_odds(self, X: Floats) -> Floats:
        """Log odds (F, n) that the fits give rows."""
        return np.asarray(self.weights @ X.T + self.offsets[:, None])


def fit_logistics(
    X: Floats,
    outcomes: Array,
    counts: Array | None = None,
    *,
    penalty: Floats | float = 0.0,
    columns: Ints | None = None,
    intercept: bool = True,
    start: tuple[Floats, Floats] | None = None,
) -> Fits:
    """F logistic regressions; `doubtful` are those without a finite maximum.

    Parameters
    ----------
    X
        Features (n, p), finite.
    outcomes
        0 or 1: (F, n), or (n,) for all fits.
    counts
        How often each row is used, fractions allowed: (F, n), or (n,), or None for once.
    penalty
        One number, one per feature (p,), or per fit and feature (F, p); (F, 1) is one per fit.
    columns
        Features used by each fit (F, q), filled up with -1; all when None.
    intercept
        Whether there is one; it is never penalised.
    start
        Weights (F, p) or (p,) and offsets (F,) or one to begin at, such as those of the whole
        sample for fits to parts of it; from the share of positives when None.
    """
    found = fit_together(
        X,
        outcomes,
        counts,
        penalty=penalty,
        columns=columns,
        intercept=intercept,
        start=start,
    )
    if not found.doubtful.any():
        return found
    weights, offsets, likelihood, doubtful = found
    n, p, count = *X.shape, len(weights)
    y, c = (_spread_out(part, (count, n)) for part in (outcomes, _times(counts, n)))
    each = np.broadcast_to(np.asarray(penalty, dtype=np.float64), (count, p))
    for f in np.flatnonzero(found.doubtful):
        used = np.arange(p) if columns is None else columns[f][columns[f] >= 0]
        one = fit_alone(X[:, used], y[f], c[f], penalty=each[f, used], intercept=intercept)
        weights[f] = 0.0
        weights[f, used], offsets[f] = one.weights[0], one.offsets[0]
        likelihood[f], doubtful[f] = one.likelihood[0], one.doubtful[0]
    return found


# ----------------------------------------------------------------------------------------------
# One by one: the plain form.
# ----------------------------------------------------------------------------------------------


def fit_alone(
    X: Floats,
    outcome: Array,
    counts: Array | None = None,
    *,
    penalty: Floats | float = 0.0,
    intercept: bool = True,
) -> Fits:
    """One fit (arrays of length 1), by Newton's method with steps by least squares.

    Where the likelihood has no finite maximum it ends when nothing is gained any more: what is
    separated then has probabilities of 0 and 1 to ten digits. Of columns that depend on each
    other it takes the shortest weights.
    """
    n, p = X.shape
    y, c = np.asarray(outcome, dtype=np.float64), _times(counts, n)
    c = np.asarray(c, dtype=np.float64)
    centre = X.mean(axis=0) if intercept else np.zeros(p)
    scale = _scale(X - centre)
    design = np.column_stack([(X - centre) / scale, np.full(n, float(intercept))])
    ridge = np.append(np.broadcast_to(penalty, p) / scale**2, 0.0)

    def height(v: Floats) -> float:
        odds = design @ v
        loss = c @ (np.logaddexp(0.0, odds) - y * odds)
        return float(loss + ridge @ v**2 / 2)

    v: Floats = np.zeros(p + 1)
    reached, now = False, height(v)
    for _ in range(4 * STEPS):
        chance = _chance(design @ v)
        slope = design.T @ (c * (y - chance)) - ridge * v
        curvature = design.T @ ((c * chance * (1 - chance))[:, None] * design) + np.diag(ridge)
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        size = 1.0
        while size > 2.0**-HALVINGS and height(v + size * step) > now + ROUNDING * abs(now):
            size /= 2
        v = v + size * step
        before, now = now, height(v)
        change = float(np.abs(design @ step).max(initial=0.0))
        if change <= NEARLY:
            reached = True
            break
        if before - now <= 1e-10 and change > SAFE:  # the climb goes on, to no end and no gain
            break
    weights = v[:-1] / scale
    offset = v[-1] * intercept - weights @ centre
    odds = design @ v
    likelihood = float(c @ (y * odds - np.logaddexp(0.0, odds)))
    return Fits(weights[None], np.array([offset]), np.array([likelihood]), np.array([not reached]))


# ----------------------------------------------------------------------------------------------
# Many at once.
# ----------------------------------------------------------------------------------------------


def fit_together(
    X: Floats,
    outcomes: Array,
    counts: Array | None = None,
    *,
    penalty: Floats | float = 0.0,
    columns: Ints | None = None,
    intercept: bool = True,
    start: tuple[Floats, Floats] | None = None,
) -> Fits:
    """F fits as `fit_logistics` takes them, all by Newton's method together.

    Doubtful are fits that see one class, that did not end, whose rows are drawn to infinite log
    odds, or whose columns depend on each other without a penalty.
    """
    n, p = X.shape
    if p > n and columns is None and np.ndim(penalty) == 0 and penalty > 0:
        return _in_row_space(X, outcomes, counts, float(penalty), intercept, start)
    count = _number(outcomes, counts, penalty, columns)
    y, c = (_spread_out(part, (count, n)) for part in (outcomes, _times(counts, n)))
    ridge = np.broadcast_to(np.asarray(penalty, dtype=np.float64), (count, p))
    # Newton's equations of features in unlike units are nearly singular, so all are centred and of
    # unit spread here, and the penalty moves with them: the fit is the same
    centre = X.mean(axis=0) if intercept else np.zeros(p)
    scale = _scale(X - centre)
    design = (X - centre) / scale
    ones = np.ones((n, int(intercept)))
    design = np.ascontiguousarray(np.column_stack([design, ones]))
    first = np.zeros((count, design.shape[1]))
    if start is not None:
        weights, offsets = (np.asarray(part, dtype=np.float64) for part in start)
        first[:, :p] = weights * scale
        if intercept:
            first[:, p] = offsets + weights @ centre
    products = _Products.of(design) if columns is None else None
    width = design.shape[1] if columns is None else columns.shape[1] + intercept
    step = max(1, ENTRIES // (width * max(width, 1 if products is not None else n)))
    found = np.zeros((count, p + intercept))
    likelihood, doubtful = np.empty(count), np.empty(count, dtype=bool)
    for low in range(0, count, step):
        some = slice(low, min(low + step, count))
        number = some.stop - low
        own = np.column_stack([ridge[some] / scale**2, np.zeros((number, int(intercept)))])
        if columns is None:
            table: _Table = _Common(design, products)
            used, at = np.ones((number, design.shape[1]), dtype=bool), None
        else:
            at = np.column_stack([columns[some], np.full((number, int(intercept)), p)])
            used = at >= 0
            table = _Own(np.where(used[:, None, :], design.T[at].swapaxes(1, 2), 0.0))
            own = np.take_along_axis(own, np.maximum(at, 0), axis=1)
        begin = first[some] if at is None else np.take_along_axis(first[some], np.maximum(at, 0), 1)
        v, likelihood[some], doubtful[some] = _climb(
            table,
            y[some],
            c[some],
            np.where(used, own, 0.0),
            used,
            np.where(used, begin, 0.0),
            intercept and start is None,
        )
        if at is None:
            found[some] = v
        else:
            row, place = np.nonzero(used)
            found[low + row, at[row, place]] = v[row, place]
    weights = found[:, :p] / scale
    offsets = (found[:, p] if intercept else np.zeros(count)) - weights @ centre
    return Fits(weights, offsets, likelihood, doubtful)


def _in_row_space(
    X: Floats,
    outcomes: Array,
    counts: Array | None,
    penalty: float,
    intercept: bool,
    start: tuple[Floats, Floats] | None,
) -> Fits:
    """Fits to features turned so that no more than n are left: weights lie among the rows."""
    centre = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    axes, turned = np.linalg.qr((X - centre).T)
    if start is not None:
        weights, offsets = (np.asarray(part, dtype=np.float64) for part in start)
        start = weights @ axes, offsets + weights @ centre
    found = fit_together(
        turned.T, outcomes, counts, penalty=penalty, intercept=intercept, start=start
    )
    weights = found.weights @ axes.T
    return found._replace(weights=weights, offsets=found.offsets - weights @ centre)


class _Products(NamedTuple):
    """Products of all pairs of columns (n, pairs): curvatures of all fits are then one product."""

    pairs: Floats
    place: Ints

    @classmethod
    def of(cls, design: Floats) -> "_Products | None":
        n, q = design.shape
        if n * q * (q + 1) // 2 > MOST_PRODUCTS:
            return None
        i, j = np.tril_indices(q)
        place = np.empty((q, q), dtype=np.int64)
        place[i, j] = place[j, i] = np.arange(len(i))
        return cls(design[:, i] * design[:, j], place)


class _Common(NamedTuple):
    """One table for all fits."""

    design: Floats
    products: _Products | None

    def some(self, _: Ints) -> "_Common":
        return self

    def odds(self, v: Floats) -> Floats:
        return np.asarray(v @ self.design.T)

    def slopes(self, residual: Floats) -> Floats:
        return np.asarray(residual @ self.design)

    def curvatures(self, weight: Floats) -> Floats:
        if self.products is not None:
            return (weight @ self.products.pairs)[:, self.products.place]
        return np.asarray((self.design.T * weight[:, None, :]) @ self.design)


class _Own(NamedTuple):
    """A table for each fit (F, n, q)."""

    design: Floats

    def some(self, rows: Ints) -> "_Own":
        return self if len(rows) == len(self.design) else _Own(self.design[rows])

    def odds(self, v: Floats) -> Floats:
        return np.asarray((self.design @ v[..., None])[..., 0])

    def slopes(self, residual: Floats) -> Floats:
        return np.asarray((residual[:, None, :] @ self.design)[:, 0])

    def curvatures(self, weight: Floats) -> Floats:
        turned = self.design.swapaxes(1, 2)
        return np.asarray((turned * weight[:, None, :]) @ self.design)


_Table = _Common | _Own


def _climb(
    table: _Table,
    y: Floats,
    c: Floats,
    ridge: Floats,
    used: Bools,
    v: Floats,
    from_share: bool,
) -> tuple[Floats, Floats, Bools]:
    """Coefficients (F, q), log-likelihoods and doubts of fits; those that are there drop out."""
    total, ones = c.sum(axis=1), (c * y).sum(axis=1)
    doubtful = ~((ones > 0) & (ones < total))
    if from_share:
        share = np.where(doubtful, 0.5, ones / np.where(total > 0, total, 1.0))
        v[:, -1] = np.log(share) - np.log1p(-share)
    odds, on = table.odds(v), np.flatnonzero(~doubtful)
    for _ in range(STEPS):
        if not len(on):
            break
        here = table.some(on)
        step, change, regular = _newton(here, y[on], c[on], ridge[on], used[on], v[on], odds[on])
        # only a step that changes log odds by much may overshoot; the others are taken unseen, for
        # a look at the likelihood costs as much as a step
        far = np.abs(change).max(axis=1, initial=0.0)
        size = np.ones(len(on))
        some = np.flatnonzero(far > SAFE)
        if len(some):
            at = on[some]
            size[some] = _halved(y[at], c[at], ridge[at], v[at], odds[at], step[some], change[some])
        v[on] += size[:, None] * step
        odds[on] += size[:, None] * change
        there = (far <= NEARLY) & (size == 1)
        extreme = np.abs(np.where(c[on] > 0, odds[on], 0.0)).max(axis=1, initial=0.0) > EXTREME
        lost = ~np.isfinite(far) | (extreme & ~_penalised(ridge[on], used[on]))
        doubtful[on[lost | (there & ~regular)]] = True
        on = on[~(there | lost)]
    doubtful[on] = True
    likelihood = (c * (y * odds - np.logaddexp(0.0, odds))).sum(axis=1)
    return v, likelihood, doubtful


def _newton(
    table: _Table, y: Floats, c: Floats, ridge: Floats, used: Bools, v: Floats, odds: Floats
) -> tuple[Floats, Floats, Bools]:
    """Newton's steps, what they change, and whether those that end leave no doubt."""
    chance = _chance(odds)
    slope = table.slopes(c * (y - chance)) - ridge * v
    curvature = table.curvatures(c * chance * (1 - chance))
    at = np.arange(v.shape[1])
    diagonal = curvature[:, at, at] + ridge
    unit = np.sqrt(np.where(used & (diagonal > 0), diagonal, 1.0))
    curvature /= unit[:, :, None] * unit[:, None, :]
    # a trifle more than 1 keeps what is singular solvable; it alters the way, not where it ends
    curvature[:, at, at] = 1.0 + ROUNDING
    try:
        step = np.linalg.solve(curvature, (slope / unit * used)[..., None])[..., 0] / unit
    except np.linalg.LinAlgError:
        step = np.full(v.shape, np.nan)
    change = table.odds(step)
    weak = (used & (ridge < NEGLIGIBLE * diagonal)).sum(axis=1) > 1
    ending = np.flatnonzero(weak & (np.abs(change).max(axis=1, initial=0.0) <= NEARLY))
    regular = np.ones(len(v), dtype=bool)
    if len(ending):
        trace = np.trace(np.linalg.inv(curvature[ending]), axis1=1, axis2=2)
        regular[ending] = trace * LEAST_EIGENVALUE < 1.0
    return step, change, regular


def _halved(
    y: Floats,
    c: Floats,
    ridge: Floats,
    v: Floats,
    odds: Floats,
    step: Floats,
    change: Floats,
) -> Floats:
    """How much of each step does not raise the sum."""

    def height(size: Floats) -> Floats:
        there, at = odds + size[:, None] * change, v + size[:, None] * step
        loss = (c * (np.logaddexp(0.0, there) - y * there)).sum(axis=1)
        return np.asarray(loss + (ridge * at**2).sum(axis=1) / 2)

    size = np.ones(len(y))
    now = height(np.zeros(len(y)))
    for _ in range(HALVINGS):
        worse = ~(height(size) <= now + ROUNDING * np.abs(now))
        if not worse.any():
            break
        size = np.where(worse, size / 2, size)
    return size


def _penalised(ridge: Floats, used: Bools) -> Bools:
    """Whether penalties keep all weights but one, the intercept, finite."""
    return np.asarray((used & (ridge <= 0)).sum(axis=1) <= 1)


def _chance(odds: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(odds))


def _scale(centred: Floats) -> Floats:
    """The spread of each column, 1 for one that is constant."""
    spread = np.sqrt((centred**2).mean(axis=0))
    return np.where(spread > 0, spread, 1.0)


def _times(counts: Array | None, n: int) -> Array:
    return np.ones(n) if counts is None else np.asarray(counts)


def _spread_out(part: Array, shape: tuple[int, int]) -> Floats:
    return np.broadcast_to(np.asarray(part, dtype=np.float64), shape)


def _number(
    outcomes: Array, counts: Array | None, penalty: Floats | float, columns: Ints | None
) -> int:
    """How many fits are asked for."""
    shapes = [np.shape(part)[:-1] for part in (outcomes, counts, columns) if part is not None]
    shapes.append(np.shape(penalty)[:-1])
    found = np.broadcast_shapes(*shapes)
    return int(found[0]) if found else 1
