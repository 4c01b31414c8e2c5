"""Probabilities that are never 0, and how they are printed.

A closed form may underflow where the exact p-value is only very small. All of them then give the
same number, the smallest that is kept with full precision, and print as less than 1e-300.
"""

import sys

SMALLEST = sys.float_info.min  # 2.2e-308, the smallest normal number
LEAST_SHOWN = 1e-300


def never_zero(p: float) -> float:
    """A p-value is never 0, however small, and never above 1; an undefined one stays so.

    >>> never_zero(0.0) == SMALLEST, never_zero(1.0 + 1e-12), never_zero(0.2)
    (True, 1.0, 0.2)
    """
    return p if p != p else min(max(float(p), SMALLEST), 1.0)


def p_text(p: float, digits: int = 3) -> str:
    """A p-value to so many significant digits; the smallest as a bound.

    >>> p_text(0.00123456), p_text(1e-301)
    ('0.00123', '< 1e-300')
    """
    return f"< {LEAST_SHOWN:.0e}" if p <= LEAST_SHOWN else f"{p:.{digits}g}"


def p_equation(p: float, digits: int = 3) -> str:
    """The same after the letter p.

    >>> p_equation(0.04), p_equation(0.0)
    ('p = 0.04', 'p < 1e-300')
    """
    text = p_text(p, digits)
    return f"p {text}" if text.startswith("<") else f"p = {text}"
