"""Cleveland's robust smoother without its robustness, as R's `lowess(iter = 0)` computes it.

A line is fitted to the nearest cases of each place. It is kept for one purpose: the average, 90 %
and largest calibration error that rms's `val.prob` prints rest on it. `loess` is the better curve.
"""

import numpy as np

from abovechance.arrays import Floats

SPAN = 2.0 / 3.0


def lowess(x: Floats, y: Floats, *, span: float = SPAN) -> Floats:
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
