"""Compiled draws: random subsets, sign flips and bootstrap counts, and sums over them."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled, inlined

# ----------------------------------------------------------------------------------------------
# Compiled label permutations: random subsets as bit masks, summed by table look-up.
#
# The same operations in the same order as `resampling.random_bits`, which is the oracle.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Compiled sign flips: sums over random halves of the cases, by table look-up.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Compiled bootstrap of binary predictions: counts by score rank, then one sweep per replicate.
#
# The same operations in the same order as `resampling.draws`, which is the oracle.
# ----------------------------------------------------------------------------------------------


@inlined
def bounded(half: Any, word: Any, side: Any, limit: Any, unfair: Any) -> Any:
    """An integer below `limit` from 32 random bits; hashed again in the few unfair cases."""
    product = half * limit
    if (product & LOW) < unfair:
        again = word ^ side
        while (product & LOW) < unfair:
            again = mix(again + GAMMA)
            product = (again >> R32) * limit
    return product >> R32


@compiled
def fill(key: Any, members: Any, starts: Any, plain: bool, counts: Any) -> None:
    """How often every unit is drawn, stratum by stratum; `plain` when members are 0 … n − 1."""
    counts[:] = 0
    one = np.uint8(1)
    step = key
    for stratum in range(starts.size - 1):
        first = np.uint64(starts[stratum])
        size = starts[stratum + 1] - starts[stratum]
        limit = np.uint64(size)
        unfair = np.uint64(2**32 % size)
        for _ in range(size // 2):
            step += GAMMA
            word = mix(step)
            high = bounded(word >> R32, word, ZERO, limit, unfair)
            low = bounded(word & LOW, word, ONE, limit, unfair)
            if plain:
                counts[high] += one
                counts[low] += one
            else:
                counts[members[first + high]] += one
                counts[members[first + low]] += one
        if size % 2:
            step += GAMMA
            word = mix(step)
            high = bounded(word >> R32, word, ZERO, limit, unfair)
            counts[members[first + high]] += one


@compiled
def fill_rows(keys: Any, members: Any, starts: Any, plain: bool, out: Any) -> None:
    """How often every unit is drawn, one row per draw."""
    counts = np.empty(members.size, dtype=np.uint8)
    for draw in range(keys.size):
        fill(keys[draw], members, starts, plain, counts)
        out[draw] = counts


@compiled
def sweep(counts: Any, positive: Any, losses: Any, high: int, low: int, state: Any) -> Any:
    """Cases high − 1 … low, all with different scores, from the highest score down."""
    tp, drawn, pairs, precision, first, second = state
    every = counts[low:high]
    for i in range(every.size):  # apart from the rest, this sum fills vector registers
        drawn += np.int64(every[i])
    for below in range(high - low):
        case = np.uint64(high - 1 - below)  # unsigned: no check for counting from the end
        count = np.int64(counts[case])
        of_positive = count & -np.int64(positive[case])
        pairs += (count - of_positive) * tp
        tp += of_positive
        weight = np.float64(count)
        first += weight * losses[case, 0]
        second += weight * losses[case, 1]
    return tp, drawn, pairs, precision, first, second


@compiled
def sweep_average(counts: Any, positive: Any, losses: Any, high: int, low: int, state: Any) -> Any:
    """The same with average precision, which costs a division a case."""
    tp, drawn, pairs, precision, first, second = state
    for below in range(high - low):
        case = np.uint64(high - 1 - below)
        count = np.int64(counts[case])
        of_positive = count & -np.int64(positive[case])
        pairs += (count - of_positive) * tp
        tp += of_positive
        drawn += count
        precision += (of_positive * tp) / max(drawn, 1)
        weight = np.float64(count)
        first += weight * losses[case, 0]
        second += weight * losses[case, 1]
    return tp, drawn, pairs, precision, first, second


@compiled
def sweep_ties(
    counts: Any, positive: Any, losses: Any, ends: Any, high: int, low: int, state: Any
) -> Any:
    """Groups high − 1 … low of equal scores, from the highest score down; pairs are doubled."""
    tp, drawn, pairs, precision, first, second = state
    for group in range(high - 1, low - 1, -1):
        in_group, positives = np.int64(0), np.int64(0)
        for below in range(ends[group + 1] - ends[group]):
            case = np.uint64(ends[group + 1] - 1 - below)
            count = np.int64(counts[case])
            in_group += count
            positives += count & -np.int64(positive[case])
            weight = np.float64(count)
            first += weight * losses[case, 0]
            second += weight * losses[case, 1]
        pairs += (in_group - positives) * (2 * tp + positives)
        tp += positives
        drawn += in_group
        precision += (positives * tp) / max(drawn, 1)
    return tp, drawn, pairs, precision, first, second


@inlined
def part(
    counts: Any,
    positive: Any,
    losses: Any,
    ends: Any,
    average: bool,
    high: int,
    low: int,
    state: Any,
) -> Any:
    """The sweep that fits, over cases (or groups of equal scores) high − 1 … low."""
    if ends.size:
        return sweep_ties(counts, positive, losses, ends, high, low, state)
    if average:
        return sweep_average(counts, positive, losses, high, low, state)
    return sweep(counts, positive, losses, high, low, state)


@compiled
def binary_bootstrap(
    keys: Any,
    members: Any,
    starts: Any,
    plain: bool,
    unit_of: Any,
    positive: Any,
    ends: Any,
    threshold: int,
    losses: Any,
    average: bool,
    integers: Any,
    reals: Any,
) -> None:
    """One row of `integers` (tp, fp, positives, negatives, doubled U) and `reals` per replicate.

    Cases are sorted by score. `ends` are the borders of groups of equal scores, empty when all
    differ; `threshold` is the case, or the group, from which on the label is positive. `unit_of`
    is empty unless groups of cases are drawn together. `losses` is (pairs of losses, n, 2);
    `reals` holds average precision times positives, then the weighted sum of every loss.
    """
    n = positive.size
    counts = np.empty(members.size, dtype=np.uint8)
    by_case = np.empty(n if unit_of.size else 0, dtype=np.uint8)
    top = ends.size - 1 if ends.size else n
    for draw in range(keys.size):
        fill(keys[draw], members, starts, plain, counts)
        weights = counts
        if unit_of.size:
            for case in range(n):
                by_case[case] = counts[unit_of[case]]
            weights = by_case
        # from the highest score down: what was passed at the threshold is the confusion table, what
        # is passed at the end the ranks
        state = (0, 0, 0, 0.0, 0.0, 0.0)
        state = part(weights, positive, losses[0], ends, average, top, threshold, state)
        integers[draw, 0] = state[0]
        integers[draw, 1] = state[1] - state[0]
        state = part(weights, positive, losses[0], ends, average, threshold, 0, state)
        integers[draw, 2] = state[0]
        integers[draw, 3] = state[1] - state[0]
        integers[draw, 4] = state[2] if ends.size else 2 * state[2]
        reals[draw, 0] = state[3]
        reals[draw, 1] = state[4]
        reals[draw, 2] = state[5]
        for pair in range(1, losses.shape[0]):
            first, second = 0.0, 0.0
            for case in range(n - 1, -1, -1):
                weight = np.float64(weights[case])
                first += weight * losses[pair, case, 0]
                second += weight * losses[pair, case, 1]
            reals[draw, 2 * pair + 1] = first
            reals[draw, 2 * pair + 2] = second
