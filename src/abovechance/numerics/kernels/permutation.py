"""Compiled label permutations: random subsets as bit masks, summed by table look-up.

The same operations in the same order as `resampling.masks`, which is the oracle.
"""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled, inlined

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
LOW = np.uint64(0xFFFFFFFF)
BYTE = np.uint64(0xFF)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
PAIRS = np.uint64(0x5555555555555555)
FOURS = np.uint64(0x3333333333333333)
EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F)
ONES = np.uint64(0x0101010101010101)
ZERO, ONE, TWO, FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
SIX, IN_WORD, TOP = np.uint64(6), np.uint64(63), np.uint64(56)
R8, R16, R24, R32 = np.uint64(8), np.uint64(16), np.uint64(24), np.uint64(32)
R40, R48 = np.uint64(40), np.uint64(48)
R30, R27, R31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def mix(z: Any) -> Any:
    """SplitMix64's output function."""
    z = (z ^ (z >> R30)) * FIRST
    z = (z ^ (z >> R27)) * SECOND
    return z ^ (z >> R31)


@inlined
def population(x: Any) -> Any:
    """How many bits of a word are set."""
    x = x - ((x >> ONE) & PAIRS)
    x = (x & FOURS) + ((x >> TWO) & FOURS)
    x = (x + (x >> FOUR)) & EIGHTS
    return np.int64((x * ONES) >> TOP)


@inlined
def look_up(table: Any, z: Any) -> Any:
    """The sum of 64 values over the bits of z, from eight tables of 256."""
    return (
        (table[0, z & BYTE] + table[1, (z >> R8) & BYTE])
        + (table[2, (z >> R16) & BYTE] + table[3, (z >> R24) & BYTE])
    ) + (
        (table[4, (z >> R32) & BYTE] + table[5, (z >> R40) & BYTE])
        + (table[6, (z >> R48) & BYTE] + table[7, z >> TOP])
    )


@compiled
def fill_tables(values: Any, first: int, table: Any) -> None:
    """Every sum of eight consecutive values, for the 64 values from `first` on."""
    for byte in range(8):
        table[byte, 0] = 0.0
        for bit in range(8):
            case = first + 8 * byte + bit
            value = values[case] if case < values.size else 0.0
            for lower in range(1 << bit):
                table[byte, (1 << bit) + lower] = table[byte, lower] + value


@compiled
def subset_masks(
    keys: Any, n: int, size: int, complement: bool, numerator: int, bits: int, out: Any
) -> None:
    """Subsets of fixed size, one column of `out` (words, draws) each; `size` … as in `plan`."""
    wide = (n + 63) // 64
    last = ALL >> np.uint64((64 - n % 64) % 64)
    cases = np.uint64(n)
    unfair = np.uint64(2**32 % n)
    row = np.empty(wide, dtype=np.uint64)
    for draw in range(keys.size):
        step = keys[draw] + GAMMA
        row[:] = ZERO
        for bit in range(bits):
            if (numerator >> bit) & 1:
                for word in range(wide):
                    row[word] |= mix(step + np.uint64(word) * GAMMA)
            else:
                for word in range(wide):
                    row[word] &= mix(step + np.uint64(word) * GAMMA)
            step += np.uint64(wide) * GAMMA
        row[wide - 1] &= last
        need = np.int64(size)
        for word in range(wide):
            need -= population(row[word])
        grow = ONE if need > 0 else ZERO
        need = abs(need)
        while need > 0:  # no branch on the random bit: a wrong guess costs more than the work
            product = (mix(step) >> R32) * cases
            step += GAMMA
            place = product >> R32
            column = place >> SIX
            bit = place & IN_WORD
            change = ((row[column] >> bit) & ONE) ^ grow
            change &= np.uint64((product & LOW) >= unfair)
            row[column] ^= change << bit
            need -= np.int64(change)
        for word in range(wide):
            out[word, draw] = ~row[word] if complement else row[word]
        if complement:
            out[wide - 1, draw] &= last


@compiled
def masked_sums(scores: Any, masks: Any, out: Any) -> None:
    """Sum of each score (scores, n) over each mask (words, draws) into `out` (scores, draws)."""
    table = np.empty((8, 256))
    draws = out.shape[1]
    out[:] = 0.0
    for word in range(masks.shape[0]):
        for score in range(scores.shape[0]):
            fill_tables(scores[score], 64 * word, table)
            for draw in range(draws):
                out[score, draw] += look_up(table, masks[word, draw])
