"""Compiled sign flips: sums over random halves of the cases, by table look-up."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled
from abovechance.numerics.kernels.permutation import GAMMA, fill_tables, look_up, mix


@compiled
def half_sums(values: Any, keys: Any, out: Any) -> None:
    """Sum of each row of `values` (rows, n) over the cases whose bit is set: (rows, draws).

    No mask is stored: word w of all draws is made, looked up and forgotten.
    """
    table = np.empty((8, 256))
    masks = np.empty(keys.size, dtype=np.uint64)
    out[:] = 0.0
    for word in range((values.shape[1] + 63) // 64):
        step = np.uint64(word + 1) * GAMMA
        for draw in range(keys.size):
            masks[draw] = mix(keys[draw] + step)
        for row in range(values.shape[0]):
            fill_tables(values[row], 64 * word, table)
            for draw in range(keys.size):
                out[row, draw] += look_up(table, masks[draw])
