"""Curves through a cloud of points: R's `loess` and `lowess`."""

from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable

# ----------------------------------------------------------------------------------------------
# Local regression as R's `loess` does it, for one predictor: a linear smoother of the outcomes.
#
# The curve is fitted at a few vertices, where a polynomial is fitted to the nearest cases, and
# blended between them. As it is linear in the outcomes, so are its values everywhere: the
# smoother is built once from the predictor and applied to any number of outcomes.
# ----------------------------------------------------------------------------------------------


SPAN = 0.75
DEGREE = 2
SCATTERED = 5_000  # cases up to which a smoother takes outcomes in the order given
CELL = 0.2  # a cell with no more than this share of a neighbourhood is not divided
MARGIN = 0.005  # of the range, by which the outermost vertices lie outside
POINTS = 2000  # beyond this many distinct values a direct curve is blended between as many places
SINGULAR = 1e-20  # a term that adds less than this share of its length is left out
BLOCK = 1 << 16  # cases whose share in a variance is summed at once
SURFACES = ("interpolate", "direct")


@dataclass(frozen=True, eq=False)
class Smoother:
    """A curve that is linear in the outcomes: `coefficients(y)`, then `basis(at)`.

    `rows` (2 vertices, n) give from the outcomes the value at each vertex, then the slope there;
    of many cases these are put in `order` first.
    """

    vertices: Floats
    rows: Floats
    order: Ints | None = None

    def coefficients(self, outcome: Floats) -> Floats:
        """Values and slopes at the vertices for outcomes (…, n): (…, 2 vertices)."""
        return np.asarray(self.ordered(outcome) @ self.rows.T)

    def ordered(self, values: Array) -> Array:
        """Values of the cases (…, n) as `rows` have them."""
        return values if self.order is None else values[..., self.order]

    def curve(self, outcome: Floats, at: Floats) -> Floats:
        """The curve for outcomes (…, n) at some places: (…, places)."""
        coefficients = self.coefficients(outcome)
        total = np.zeros((*coefficients.shape[:-1], len(at)))
        for column, factor in self._blend(at):
            total += coefficients[..., column] * factor
        return total

    def basis(self, at: Floats) -> Floats:
        """Weights of the coefficients in the curve at some places: (places, 2 vertices)."""
        found = np.zeros((len(at), len(self.rows)))
        for column, factor in self._blend(at):
            found[np.arange(len(at)), column] = factor
        return found

    def variance(self, noise: Floats, at: Floats) -> Floats:
        """Variance of the curve at some places when outcome i has variance `noise[i]`."""
        noise, inner = self.ordered(noise), np.zeros((len(self.rows), len(self.rows)))
        for start in range(0, len(noise), BLOCK):
            block = slice(start, start + BLOCK)
            held = np.flatnonzero(self.rows[:, block].any(axis=1))  # few, of cases in order
            rows = self.rows[held, block]
            inner[np.ix_(held, held)] += (rows * noise[block]) @ rows.T
        basis = self.basis(at)
        return np.asarray(np.maximum(np.einsum("ij,jk,ik->i", basis, inner, basis), 0.0))

    def _blend(self, at: Floats) -> list[tuple[Ints, Floats]]:
        """The columns of coefficients that matter at some places, and by how much."""
        count = len(self.vertices)
        if count == 1:
            return [(np.zeros(len(at), dtype=np.int64), np.ones(len(at)))]
        left = np.clip(np.searchsorted(self.vertices, at, side="right") - 1, 0, count - 2)
        width = self.vertices[left + 1] - self.vertices[left]
        u = (at - self.vertices[left]) / width
        return [
            (left, (1.0 - u) ** 2 * (1.0 + 2.0 * u)),
            (left + 1, u**2 * (3.0 - 2.0 * u)),
            (count + left, u * (1.0 - u) ** 2 * width),
            (count + left + 1, -(u**2) * (1.0 - u) * width),
        ]


def loess(
    x: Floats,
    *,
    span: float = SPAN,
    degree: int = DEGREE,
    surface: str = "interpolate",
    weight: Floats | None = None,
) -> Smoother:
    r"""The smoother of R's `loess(y ~ x)`.

    At a vertex v, a polynomial is fitted to the q = ⌊span · n⌋ nearest cases with weights
    :math:`(1 - (|x_i - v| / h)^3)^3`, h the distance of the furthest of them. `"interpolate"`, the
    default of R, divides the cases at their median until a cell holds at most a fifth of a
    neighbourhood, fits at the borders, and blends cubically between them (value and slope agree
    at every border). `"direct"` fits at every distinct value, up to 2000 of them.

    Deviations: where a neighbourhood has too few distinct values for the polynomial, its degree
    is lowered (R takes a pseudo-inverse and warns); where all of a neighbourhood are tied at its
    very edge, their mean is taken; with up to three distinct values in all the curve is the mean
    outcome at each, joined by lines.

    References
    ----------
    Cleveland, Grosse (1991), Computational methods for local regression.

    Examples
    --------
    >>> x = np.linspace(0, 1, 20)
    >>> loess(x).curve(x**2, np.array([0.25, 0.5]))
    array([0.0625, 0.25  ])
    """
    if surface not in SURFACES:
        raise NotApplicable(f"surface must be 'interpolate' or 'direct'; got {surface!r}.")
    if not 0.0 < span < np.inf:
        raise NotApplicable(f"span must be greater than 0 and finite; got {span}.")
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    own = np.ones(len(x)) if weight is None else weight[order]
    distinct = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    if len(distinct) <= DEGREE + 1:
        return _means(x, distinct, np.ones(len(x)) if weight is None else weight)
    if surface == "direct":
        vertices = _spread(distinct)
    else:
        vertices = _vertices(ordered, int(np.floor(len(x) * span * CELL)))
    nearest = max(1, min(len(x), int(np.floor(len(x) * span + 1e-5))))
    widths = _distances(ordered, vertices, nearest) * max(1.0, float(np.sqrt(span)))
    rows = np.zeros((2 * len(vertices), len(x)))
    for k, v in enumerate(vertices):
        start, value, slope = _local(ordered, own, float(v), float(widths[k]), degree)
        into = slice(start, start + len(value))
        rows[k, into], rows[len(vertices) + k, into] = value, slope
    if len(x) > SCATTERED:
        return Smoother(vertices, rows, order)
    as_given = np.empty_like(rows)
    as_given[:, order] = rows
    return Smoother(vertices, as_given)


@dataclass(frozen=True, eq=False)
class Repeated:
    """Classes (K, n) put in order once, for curves of cases that count several times or not at all.

    `curves` are those of `loess` on the cases as often as they count, but for rounding.
    """

    x: Floats
    code: Ints
    order: Ints
    ascending: Floats

    @classmethod
    def of(cls, x: Floats, code: Ints) -> "Repeated":
        """Probabilities of every class (K, n), and the class of each case."""
        order = np.argsort(x, axis=-1, kind="stable")
        ascending = np.take_along_axis(x, order, axis=-1)
        return cls(x, np.ascontiguousarray(code, dtype=np.int64), order, ascending)

    def curves(self, counts: Ints, span: float = SPAN) -> Floats:
        """How often each class is observed beside its probability, at every case: (K, N).

        >>> x, code = np.linspace(0.1, 0.9, 9), np.array([1, 1, 0, 1, 0, 1, 0, 0, 0])
        >>> counts = np.array([2, 1, 1, 0, 1, 1, 1, 1, 1])
        >>> found = Repeated.of(x[None], code).curves(counts)[0]
        >>> plain = np.repeat(x, counts)
        >>> bool(np.allclose(found, loess(plain).curve(np.repeat(code == 0, counts), plain)))
        True
        """
        from abovechance.numerics.kernels.curve_loops import curves

        found = np.empty((len(self.x), int(counts.sum())))
        plain = np.zeros(len(self.x), dtype=np.bool_)
        curves(self.ascending, self.code, self.order, counts, span, found, plain)
        for k in np.flatnonzero(plain):
            at = np.repeat(self.x[k], counts)
            found[k] = loess(at, span=span).curve(np.repeat(self.code == k, counts), at)
        return found


def _distances(x: Floats, vertices: Floats, nearest: int) -> Floats:
    """How far the q-th nearest of sorted cases lies from each vertex.

    The nearest are q in a row, from the first at which the far end is no nearer than the near one
    or from the one before.
    """
    first, last = x[: len(x) - nearest + 1], x[nearest - 1 :]
    start = np.minimum(np.searchsorted(first + last, 2.0 * vertices), len(first) - 1)
    found = np.full(len(vertices), np.inf)
    for at in (start, np.maximum(start - 1, 0)):
        found = np.minimum(found, np.maximum(vertices - first[at], last[at] - vertices))
    return found


def _local(
    x: Floats, weight: Floats, v: float, h: float, degree: int
) -> tuple[int, Floats, Floats]:
    """Weights that give value and slope at v from the outcomes of neighbouring cases."""
    if h == 0.0:  # the whole neighbourhood lies at v
        start, stop = np.searchsorted(x, v, side="left"), np.searchsorted(x, v, side="right")
        kernel = np.ones(int(stop - start))
        u = kernel * 0.0
    else:
        start = np.searchsorted(x, v - h, side="left")
        stop = np.searchsorted(x, v + h, side="right")
        u = x[start:stop] - v
        u /= h
        kernel = u * u
        kernel *= u
        np.abs(kernel, out=kernel)
        np.subtract(1.0, kernel, out=kernel)
        np.maximum(kernel, 0.0, out=kernel)
        kernel *= kernel * kernel
    kernel *= weight[start:stop]
    if not kernel.any():  # so many cases are tied that all stand at the edge of the neighbourhood
        kernel = weight[start:stop] * (np.abs(u) == np.abs(u).min(initial=np.inf))
    seen = x[start:stop][kernel > 0.0]
    if not seen.size:
        return int(start), np.full(len(u), np.nan), np.full(len(u), np.nan)
    terms = min(degree, int(np.count_nonzero(np.diff(seen)))) + 1
    value, slope = _projection(u, kernel, terms)
    return int(start), value, slope / h if h > 0.0 else slope


def _projection(u: Floats, weight: Floats, terms: int) -> tuple[Floats, Floats]:
    """Weights of the outcomes in a fitted polynomial's value and slope at u = 0.

    By polynomials orthogonal under the weights: q_k = u^k less its projections on those before.
    """
    made: list[tuple[Floats, Floats, Floats, float]] = []  # values, weighted, coefficients, length²
    value, slope = np.zeros(len(u)), np.zeros(len(u))
    for k in range(terms):
        q = np.ones(len(u)) if k == 0 else u.copy() if k == 1 else u * u
        own = np.eye(terms)[k]
        whole = float(np.einsum("i,i,i->", weight, q, q))
        for other, weighted, coefficients, length in made:
            share = _dot(weighted, q) / length
            np.subtract(q, share * other, out=q)
            own = own - share * coefficients
        weighted = weight * q
        length = _dot(weighted, q)
        if length <= SINGULAR * whole:
            break
        made.append((q, weighted, own, length))
        value += own[0] / length * weighted
        if k:
            slope += own[1] / length * weighted
    return value, slope


def _dot(a: Floats, b: Floats) -> float:
    """A sum of products in one thread: short ones are not worth waking others for."""
    return float(np.einsum("i,i->", a, b))


def _vertices(x: Floats, few: int) -> Floats:
    """Borders of cells that hold at most `few` of the sorted cases, ties kept together."""
    margin = MARGIN * float(x[-1] - x[0])
    found = [float(x[0]) - margin, float(x[-1]) + margin]
    waiting = [(0, len(x) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first + 1 <= few:
            continue
        cut = _median(x, first, last)
        if cut is None or float(x[cut]) in found:
            continue
        found.append(float(x[cut]))
        waiting += [(first, cut), (cut + 1, last)]
    return np.sort(np.array(found))


def _median(x: Floats, first: int, last: int) -> int | None:
    """The last case of the lower half; among ties the nearest place where the value changes."""
    middle = (first + last + 2) // 2 - 1
    rises = np.flatnonzero(np.diff(x[first : last + 1])) + first
    if not rises.size:
        return None
    above = int(np.searchsorted(rises, middle))
    near = rises[max(above - 1, 0) : above + 1]
    # upwards first when both are equally near
    cut = int(min(near, key=lambda at: (abs(at - middle), at < middle)))
    return None if cut < middle and 2 * middle - cut >= last else cut


def _spread(distinct: Floats) -> Floats:
    """All distinct values, or evenly many of them."""
    if len(distinct) <= POINTS:
        return distinct
    return distinct[np.round(np.linspace(0, len(distinct) - 1, POINTS)).astype(np.int64)]


def _means(x: Floats, distinct: Floats, weight: Floats) -> Smoother:
    """The mean outcome at each of a few values, with lines between them."""
    count = len(distinct)
    member = (x == distinct[:, None]) * weight
    total = member.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        means = member / total
    if count == 1:
        return Smoother(distinct, np.vstack([means, np.zeros(means.shape)]))
    # a flat slope at every vertex would bend the curve: chords need one piece per gap, and
    # cubics with the slopes of a quadratic or a line through the values are exact for both
    through = _slopes(distinct) @ means
    return Smoother(distinct, np.vstack([means, through]))


def _slopes(at: Floats) -> Floats:
    """Slopes at two or three places of the polynomial through values there, as weights."""
    if len(at) == 2:
        return np.tile([-1.0, 1.0], (2, 1)) / (at[1] - at[0])
    a, b, c = at
    return np.array(
        [
            [
                (2 * v - b - c) / ((a - b) * (a - c)),
                (2 * v - a - c) / ((b - a) * (b - c)),
                (2 * v - a - b) / ((c - a) * (c - b)),
            ]
            for v in at
        ]
    )


# ----------------------------------------------------------------------------------------------
# Cleveland's robust smoother without its robustness, as R's `lowess(iter = 0)` computes it.
#
# A line is fitted to the nearest cases of each place. It is kept for one purpose: the average, 90
# % and largest calibration error that rms's `val.prob` prints rest on it. `loess` is the better
# curve.
# ----------------------------------------------------------------------------------------------


LOWESS_SPAN = 2.0 / 3.0


def lowess(x: Floats, y: Floats, *, span: float = LOWESS_SPAN) -> Floats:
    """The smoothed outcome of every case, in the order given.

    Places nearer to each other than a hundredth of the range share a fit by interpolation.

    References
    ----------
    Cleveland (1979), Robust locally weighted regression; Cleveland (1981), the program.

    Examples
    --------
    >>> x = np.linspace(0, 1, 11)
    >>> bool(np.allclose(lowess(x, 2 * x), 2 * x))
    True
    """
    order = np.argsort(x, kind="stable")
    fitted = np.empty(len(x))
    fitted[order] = _sorted(x[order], y[order], span)
    return fitted


def _sorted(x: Floats, y: Floats, span: float) -> Floats:
    n = len(x)
    if n < 2:
        return y.astype(np.float64)
    nearest = max(2, min(n, int(span * n + 1e-7)))
    near = 0.01 * (x[-1] - x[0])
    fitted = np.empty(n)
    left, last, at = 0, -1, 0
    while last < n - 1:
        while left + nearest < n and x[at] - x[left] > x[left + nearest] - x[at]:
            left += 1
        fitted[at] = _line_at(x, y, float(x[at]), left, left + nearest)
        if last < at - 1:  # places passed over lie on the chord
            share = (x[last + 1 : at] - x[last]) / (x[at] - x[last])
            fitted[last + 1 : at] = share * fitted[at] + (1.0 - share) * fitted[last]
        last = at
        beyond = x[last] + near
        at = last + 1
        while at < n and x[at] <= beyond:
            if x[at] == x[last]:
                fitted[at] = fitted[last]
                last = at
            at += 1
        at = max(last + 1, at - 1)
    return fitted


def _line_at(x: Floats, y: Floats, place: float, left: int, right: int) -> float:
    """A line fitted to the cases around a place, there; a mean where they hardly differ."""
    h = max(place - x[left], x[right - 1] - place)
    stop = int(np.searchsorted(x, place + 0.999 * h, side="right"))  # ties count, if any
    near, outcome = x[left:stop], y[left:stop]
    distance = np.abs(near - place)
    weight = np.where(distance <= 0.001 * h, 1.0, (1.0 - (distance / h if h else 0.0) ** 3) ** 3)
    weight = np.where(distance <= 0.999 * h, weight, 0.0)
    weight = weight / weight.sum()
    if h > 0.0:
        centre = float(weight @ near)
        spread = float(weight @ (near - centre) ** 2)
        if np.sqrt(spread) > 0.001 * (x[-1] - x[0]):
            weight = weight * (1.0 + (place - centre) / spread * (near - centre))
    return float(weight @ outcome)
