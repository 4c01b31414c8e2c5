"""Compiled sums of logistic recalibration: one exponential a case and row."""

from math import exp
from typing import Any

from abovechance.numerics.kernels import compiled_sums


@compiled_sums
def logistic_sums(y: Any, z: Any, w: Any, a: Any, b: Any, found: Any) -> None:
    """Gradient and curvature of the log-likelihood in intercept and slope: found (5, rows)."""
    for row in range(len(y)):
        g0 = g1 = h00 = h01 = h11 = 0.0
        for case in range(z.size):
            at = z[case]
            chance = 1.0 / (1.0 + exp(-(a[row] + b[row] * at)))
            residual = w[row, case] * (y[row, case] - chance)
            curvature = w[row, case] * chance * (1.0 - chance)
            g0 += residual
            g1 += residual * at
            h00 += curvature
            h01 += curvature * at
            h11 += curvature * at * at
        found[0, row] = g0
        found[1, row] = g1
        found[2, row] = h00
        found[3, row] = h01
        found[4, row] = h11
