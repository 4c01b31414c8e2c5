"""Where a function of one number crosses zero."""

from collections.abc import Callable

from abovechance.errors import AboveChanceError

MOST = 100  # steps; bisection alone would have come to the last bit


def crossing(
    function: Callable[[float], float],
    first: float,
    second: float,
    xtol: float = 2e-12,
    rtol: float = 8.881784197001252e-16,
) -> float:
    """A root between two places of different sign, to within xtol + rtol · |root|.

    Inverse quadratic interpolation where it gets on, else bisection: the steps, and so the bits,
    of scipy's `brentq`, which takes a quarter of a second to load.

    References
    ----------
    Brent (1973), Algorithms for minimization without derivatives, chapter 4.

    Examples
    --------
    >>> crossing(lambda x: x**2 - 2.0, 0.0, 2.0)
    1.4142
    """
    before, here = float(first), float(second)
    at_before, at_here = function(before), function(here)
    if at_before == 0.0:
        return before
    if at_here == 0.0:
        return here
    if (at_before > 0.0) == (at_here > 0.0):
        raise AboveChanceError("a function must have different signs at both ends of a bracket.")
    across, at_across, last, step = before, at_before, 0.0, 0.0
    for _ in range(MOST):
        if at_before != 0.0 and (at_before < 0.0) != (at_here < 0.0):
            across, at_across = before, at_before
            last = step = here - before
        if abs(at_across) < abs(at_here):  # the better of the two ends goes on
            before, here, across = here, across, here
            at_before, at_here, at_across = at_here, at_across, at_here
        least = (xtol + rtol * abs(here)) / 2
        half = (across - here) / 2
        if at_here == 0.0 or abs(half) < least:
            return here
        tried = None
        if abs(last) > least and abs(at_here) < abs(at_before):
            tried = _interpolated(before, here, across, at_before, at_here, at_across)
        if tried is not None and 2 * abs(tried) < min(abs(last), 3 * abs(half) - least):
            last, step = step, tried
        else:
            last = step = half
        before, at_before = here, at_here
        here += step if abs(step) > least else (least if half > 0 else -least)
        at_here = function(here)
    raise AboveChanceError(f"no root was found within {MOST} steps.")


def _interpolated(
    before: float, here: float, across: float, at_before: float, at_here: float, at_across: float
) -> float | None:
    """The step to the root of a line or a parabola through the places known."""
    try:
        if before == across:
            return -at_here * (here - before) / (at_here - at_before)
        rise = (at_before - at_here) / (before - here)
        other = (at_across - at_here) / (across - here)
        return (
            -at_here
            * (at_across * other - at_before * rise)
            / (other * rise * (at_across - at_before))
        )
    except ZeroDivisionError:
        return None
