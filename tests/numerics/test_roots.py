"""Roots between two places."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.numerics.roots import crossing

FUNCTIONS: list[Callable[[float, float], float]] = [
    lambda x, c: x**3 - c,
    lambda x, c: math.exp(x) - 2 - c,
    lambda x, c: math.atan(50 * (x - c / 3)),
    lambda x, c: x - c / 2 + 9 * (x - c / 2) ** 5,
    lambda x, c: math.copysign(1.0, x - c / 2),
    lambda x, c: math.log1p(x + 2) - 0.3 - c / 4,
]


@pytest.mark.parametrize("which", range(len(FUNCTIONS)))
@pytest.mark.parametrize("tolerance", [{}, {"xtol": 1e-6, "rtol": 1e-12}])
def test_roots_have_the_bits_of_scipys(which: int, tolerance: dict[str, float]) -> None:
    from scipy.optimize import brentq

    rng = np.random.default_rng(which)
    tried = 0
    for c in rng.uniform(0, 1, 200):
        low, high = rng.uniform(-2, 0.2), rng.uniform(0.4, 3)

        def function(x: float, c: float = float(c)) -> float:
            return FUNCTIONS[which](x, c)

        if function(low) * function(high) < 0:
            tried += 1
            for ends in ((low, high), (high, low)):
                assert crossing(function, *ends, **tolerance) == brentq(
                    function, *ends, **tolerance
                )
    assert tried > 40


def test_a_root_at_an_end_is_found_and_ends_of_one_sign_are_refused() -> None:
    assert crossing(lambda x: x, 0.0, 1.0) == 0.0
    assert crossing(lambda x: x - 1.0, 0.0, 1.0) == 1.0
    with pytest.raises(AboveChanceError, match="different signs"):
        crossing(lambda x: x + 1.0, 0.0, 1.0)
