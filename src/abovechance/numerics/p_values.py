"""Probabilities that are never 0.

A closed form may underflow where the exact p-value is only very small. All of them then give the
same number, the smallest that is kept with full precision, and print as less than 1e-300.
"""

import sys

SMALLEST = sys.float_info.min  # 2.2e-308, the smallest normal number


def never_zero(p: float) -> float:
    """A p-value is never 0, however small, and never above 1; an undefined one stays so.

    >>> never_zero(0.0) == SMALLEST, never_zero(1.0 + 1e-12), never_zero(0.2)
    (True, 1.0, 0.2)
    """
    return p if p != p else min(max(float(p), SMALLEST), 1.0)
