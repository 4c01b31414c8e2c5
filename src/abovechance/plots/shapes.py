"""Numbers that give clouds of points their shape: densities, spreads, fewer points."""

import numpy as np

from abovechance.arrays import Array, Floats

GRID = 101
GOLDEN = 0.6180339887498949


def unit_density(values: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """A smooth density on [0, 1] by a Gaussian kernel, mass beyond an end folded back.

    Bandwidth by Silverman's rule with the smaller of the two spreads, never below 0.01; the
    reflection keeps the density from falling where predictions crowd at 0 or 1.

    References
    ----------
    Silverman (1986), eq. 3.31 and section 2.10.

    Examples
    --------
    >>> grid, density = unit_density(np.array([0.0, 0.5, 1.0]))
    >>> round(float(np.trapezoid(density, grid)), 3)
    1.0
    """
    grid = np.linspace(0.0, 1.0, GRID)
    counts = np.bincount(
        np.clip(np.rint(values * 500), 0, 500).astype(np.int64), weights=weight, minlength=501
    )
    share = counts / counts.sum()
    width = _bandwidth(values)
    places = np.arange(501) / 500
    density = np.zeros(GRID)
    for mirrored in (places, -places, 2.0 - places):
        away = (grid[:, None] - mirrored) / width
        density += (np.exp(-(away**2) / 2) * share).sum(axis=1)
    return grid, density / (width * np.sqrt(2 * np.pi))


def _bandwidth(values: Floats) -> float:
    quartiles = np.quantile(values, [0.25, 0.75])
    spread = min(float(values.std()), float(np.diff(quartiles)[0]) / 1.34)
    return max(0.9 * spread * len(values) ** -0.2, 0.01)


def spread(count: int) -> Floats:
    """Places in [0, 1) that never crowd: the golden-ratio sequence, the same every time.

    >>> spread(3)
    array([0.618..., 0.236..., 0.854...])
    """
    return np.asarray(np.arange(1, count + 1) * GOLDEN % 1.0)


def fewer(values: Array, most: int) -> Floats:
    """At most so many of the values, evenly spaced in their order, both extremes included.

    >>> fewer(np.arange(10.0), 4)
    array([0., 3., 6., 9.])
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size <= most:
        return ordered
    return ordered[np.rint(np.linspace(0, ordered.size - 1, most)).astype(np.int64)]


def kept_vertices(x: Floats, y: Floats, tolerance: float, most: int = 400) -> Array:
    """Which vertices of a line to keep so that none dropped lies further away than a tolerance.

    Both axes are measured in shares of their range, so a tolerance of 0.001 cannot be seen.

    References
    ----------
    Douglas, Peucker (1973).

    Examples
    --------
    >>> kept_vertices(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), 0.001)
    array([0, 2])
    """
    size = len(x)
    if size <= 2:
        return np.arange(size)
    keep = np.zeros(size, dtype=bool)
    keep[[0, -1]] = True
    waiting = [(0, size - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        inside = slice(first + 1, last)
        dx, dy = x[last] - x[first], y[last] - y[first]
        length = np.hypot(dx, dy)
        away = (
            np.abs(dx * (y[inside] - y[first]) - dy * (x[inside] - x[first])) / length
            if length > 0
            else np.hypot(x[inside] - x[first], y[inside] - y[first])
        )
        worst = int(np.argmax(away))
        if away[worst] > tolerance:
            middle = first + 1 + worst
            keep[middle] = True
            waiting += [(first, middle), (middle, last)]
    found = np.flatnonzero(keep)
    return found if len(found) <= most else kept_vertices(x, y, tolerance * 1.5, most)
