"""Compiled bootstrap of binary predictions: counts by score rank, then one sweep per replicate.

The same operations in the same order as `resampling.sweep`, which is the oracle.
"""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled, inlined
from abovechance.numerics.kernels.permutation import GAMMA, LOW, ONE, R32, ZERO, mix


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
    """How often every unit is drawn, one row a draw."""
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
