"""Compiled loops for streams: sums of probabilities and counts in cells, in one reading.

The callers in `numerics.class_sums`, `numerics.binned_ranks` and `numerics.finer_ranks` say
what is computed; here is only how.
"""

from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums, inlined

LANES = 128  # cases whose logarithms are taken side by side
ONE = np.int64(0x3FF0000000000000)  # bits of 1
TINY = np.int64(1 << 52)  # bits of the least float whose exponent says how large it is
HALF_ROOT = 0x3FE6A09E667F3BCD  # the bits of the square root of one half
LOG2_HIGH = 0.693147180369123816490  # log 2 in two parts, the first with trailing zeros
LOG2_LOW = 1.90821492927058770002e-10
SEVERAL = np.int64(-(2**63))  # set in a packed count: the cell holds different scores
NEGATIVE_ZERO = np.int64(-(2**63))  # its bits
ALL_BUT_SIGN = np.int64(2**63 - 1)
STEPS = 1024


@inlined
def reduce(bits: Ints, reduced: Ints, size: int) -> None:
    """Take floats, given as bits, apart: m 2^e with m between the roots of 1/2 and 2."""
    for k in range(size):
        power = (bits[k] - HALF_ROOT) >> 52
        reduced[k] = bits[k] - (power << 52)
        bits[k] = power


@inlined
def logarithm(m: float, e: int) -> Any:
    """The logarithm of m 2^e, log m being 2 artanh((m - 1) / (m + 1))."""
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = 1 / 15 + z * (1 / 17 + z * (1 / 19 + z * (1 / 21)))
    series = 1 / 9 + z * (1 / 11 + z * (1 / 13 + z * series))
    series = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * series)))
    power = float(e)
    return power * LOG2_HIGH + (2 * s + (2 * s * series + power * LOG2_LOW))


@compiled_sums
def add_probabilities(
    positive: Bools, probability: Floats, threshold: float, scratch: Floats, sums: Floats
) -> Ints:
    """Add to `sums`, of negative and of positive cases: p, loss, loss², log, log², odds, odds².

    The loss is (y - p)², the log that of the probability given to what happened, the odds the
    difference between it and that of what did not happen. Where one of the two was given
    probability 0, its logarithm is left out and the case counted as impossible, or as certain.
    `scratch` has the shape (4, LANES). Returns counts among all and among the positives, of
    cases, of those above the threshold, impossible and certain; and the extremes of p as bits,
    whose order is that of the numbers as long as none is negative (a nan lies above infinity).
    """
    words = probability.view(np.int64)
    given, other, m_given, m_other = scratch[0], scratch[1], scratch[2], scratch[3]
    e_given, e_other = given.view(np.int64), other.view(np.int64)
    n_pos = above = tp = impossible = impossible_pos = certain = certain_pos = 0
    p_neg = p_pos = b_neg = b_pos = bb_neg = bb_pos = 0.0
    l_neg = l_pos = ll_neg = ll_pos = o_neg = o_pos = oo_neg = oo_pos = 0.0
    lowest = highest = words[0]
    for start in range(0, probability.size, LANES):
        p = probability[start : start + LANES]
        size = p.size
        y, word = positive[start : start + size], words[start : start + size]
        for k in range(size):
            right = p[k] if y[k] else 1.0 - p[k]
            wrong = 1.0 - p[k] if y[k] else p[k]
            given[k] = right if right != 0.0 else 1.0
            other[k] = wrong if wrong != 0.0 else 1.0
            loss = (1.0 - right) * (1.0 - right)
            square = loss * loss
            p_pos += p[k] if y[k] else 0.0
            p_neg += 0.0 if y[k] else p[k]
            b_pos += loss if y[k] else 0.0
            b_neg += 0.0 if y[k] else loss
            bb_pos += square if y[k] else 0.0
            bb_neg += 0.0 if y[k] else square
        least, most = word[0], word[0]
        for k in range(size):
            n_pos += y[k]
            above += p[k] > threshold
            tp += y[k] & (p[k] > threshold)
            least = min(least, word[k])
            most = max(most, word[k])
        lowest, highest = min(lowest, least), max(highest, most)
        if least == 0 or most == ONE:
            for k in range(size):
                zero, one = p[k] == 0.0, p[k] == 1.0
                impossible += zero if y[k] else one
                impossible_pos += y[k] & zero
                certain += one if y[k] else zero
                certain_pos += y[k] & one
        if least < TINY and min(e_given[:size].min(), e_other[:size].min()) < TINY:
            for k in range(size):
                log = np.log(given[k])
                odds = log - np.log(other[k])
                l_pos += log if y[k] else 0.0
                l_neg += 0.0 if y[k] else log
                ll_pos += log * log if y[k] else 0.0
                ll_neg += 0.0 if y[k] else log * log
                o_pos += odds if y[k] else 0.0
                o_neg += 0.0 if y[k] else odds
                oo_pos += odds * odds if y[k] else 0.0
                oo_neg += 0.0 if y[k] else odds * odds
            continue
        reduce(e_given, m_given.view(np.int64), size)
        reduce(e_other, m_other.view(np.int64), size)
        for k in range(size):
            log = logarithm(m_given[k], e_given[k])
            odds = log - logarithm(m_other[k], e_other[k])
            l_pos += log if y[k] else 0.0
            l_neg += 0.0 if y[k] else log
            ll_pos += log * log if y[k] else 0.0
            ll_neg += 0.0 if y[k] else log * log
            o_pos += odds if y[k] else 0.0
            o_neg += 0.0 if y[k] else odds
            oo_pos += odds * odds if y[k] else 0.0
            oo_neg += 0.0 if y[k] else odds * odds
    added = (
        *(p_neg, p_pos, b_neg, b_pos, bb_neg, bb_pos),
        *(l_neg, l_pos, ll_neg, ll_pos, o_neg, o_pos, oo_neg, oo_pos),
    )
    for k in range(len(added)):
        sums[k] += added[k]
    counts = (probability.size, n_pos, above, tp, impossible, impossible_pos, certain, certain_pos)
    return np.array((*counts, lowest, highest))


@inlined
def key_of(bits: Any) -> Any:
    """The place of a float among all floats, from its bits; -0 and 0 have the same."""
    if bits >= 0:
        return bits
    return (bits ^ ALL_BUT_SIGN) + 1


@compiled
def add_cells(
    positive: Bools,
    score: Floats,
    bits: Ints,
    scale: float,
    first: float,
    counts: Ints,
    value: Ints,
) -> None:
    """Count every case in its cell; the scores must lie on the grid.

    `counts` holds the negatives in its lower and the positives in its upper half, and `SEVERAL`
    where scores in a cell turned out to differ; `value` the bits of the first of them.
    """
    for i in range(score.size):
        cell = np.uint32(np.floor(score[i] * scale) - first)
        before = counts[cell]
        counts[cell] = before + (np.int64(1) << (np.int64(positive[i]) * 32))
        if before >= 0:  # rarely true for long: most cells soon hold different scores
            word = bits[i] if bits[i] != NEGATIVE_ZERO else np.int64(0)
            if before == 0:
                value[cell] = word
            elif value[cell] != word:
                counts[cell] |= SEVERAL


@inlined
def stretch_of(key: Any, cell: Any, begins: Array, table: Ints) -> Any:
    """Which of the stretches in a cell a key lies in, or -1."""
    left, right = np.int64(begins[cell]), np.int64(begins[cell + 1])
    while right - left > 1:
        middle = (left + right) // 2
        if table[middle, 0] <= key:
            left = middle
        else:
            right = middle
    return left if table[left, 0] <= key < table[left, 1] else -1


@compiled
def add_finer(
    positive: Bools,
    score: Floats,
    bits: Ints,
    scale: float,
    first: float,
    begins: Array,
    table: Ints,
    counts: Ints,
    value: Ints,
) -> None:
    """Count the cases within some stretches of the axis in finer cells of each.

    A row of `table` holds the lower and the upper end of a stretch, as keys, by how many bits
    keys are shifted there, and where its finer cells begin; `begins` says which stretches lie in
    each cell. As in `add_cells`, but that `value` holds keys.
    """
    for i in range(score.size):
        cell = np.uint32(np.floor(score[i] * scale) - first)
        if begins[cell] == begins[cell + 1]:
            continue
        key = key_of(bits[i])
        t = stretch_of(key, cell, begins, table)
        if t < 0:
            continue
        place = table[t, 3] + ((key - table[t, 0]) >> table[t, 2])
        before = counts[place]
        counts[place] = before + (np.int64(1) << (np.int64(positive[i]) * 32))
        if before == 0:
            value[place] = key
        elif before > 0 and value[place] != key:
            counts[place] |= SEVERAL


@compiled
def collect(
    positive: Bools,
    score: Floats,
    bits: Ints,
    scale: float,
    first: float,
    wanted: Array,
    begins: Array,
    table: Ints,
    kept: Ints,
    positives: Floats,
    negatives: Floats,
) -> None:
    """Append the scores in wanted cells to those of their class, of which `kept` are there.

    `wanted` is 0 for cells to ignore, 1 for those to take, 2 for those of which only the stretches
    in `table` are taken. Both arrays have one place more than will be filled.
    """
    n0, n1 = kept[0], kept[1]
    for i in range(score.size):
        cell = np.uint32(np.floor(score[i] * scale) - first)
        take = wanted[cell]
        if take == 0:
            continue
        if take == 2 and stretch_of(key_of(bits[i]), cell, begins, table) < 0:
            continue
        negatives[n0] = score[i]
        positives[n1] = score[i]
        step = np.int64(positive[i])
        n1 += step
        n0 += 1 - step
    kept[0], kept[1] = n0, n1


@compiled
def walk(
    positives: Floats,
    negatives: Floats,
    groups: Floats,
    groups_positive: Ints,
    groups_negative: Ints,
    below_positive: int,
    below_negative: int,
    n1: int,
    n0: int,
) -> tuple[int, float, int, float, float, float]:
    """Sums over the distinct scores of two sorted classes, and of groups of cases between them.

    All three have infinity as a further last element. Returns twice U, precision summed,
    the largest excess of the true over the false positive rate times n1 n0, squared placements
    of positives and of negatives, and the sum of t³ - t over tied scores.
    """
    m, n, g = positives.size - 1, negatives.size - 1, groups.size - 1
    i = j = k = 0
    twice_u = best = 0
    precision = squares_positive = squares_negative = ties = 0.0
    b1, b0 = below_positive, below_negative
    part = np.zeros(3)  # of the sums, added to them now and then, so that few digits are lost
    steps = 0
    while i < m or j < n or k < g:
        now = min(positives[i], negatives[j], groups[k])
        a = b = 0
        while i < m and positives[i] == now:
            i += 1
            a += 1
        while j < n and negatives[j] == now:
            j += 1
            b += 1
        size = float(a + b)
        ties += size * size * size - size
        if k < g and groups[k] == now:
            a += groups_positive[k]
            b += groups_negative[k]
            k += 1
        twice_below = 2 * b0 + b
        called, missed = n1 - b1, n0 - b0
        best = max(best, called * n0 - missed * n1)
        if a > 0:
            twice_u += a * twice_below
            part[0] += a * (float(twice_below) * float(twice_below))
            part[1] += a * (called / float(called + missed))
        if b > 0:
            twice_above = float(2 * (called - a) + a)
            part[2] += b * (twice_above * twice_above)
        b1 += a
        b0 += b
        steps += 1
        if steps % STEPS == 0:
            squares_positive += part[0]
            precision += part[1]
            squares_negative += part[2]
            part[:] = 0.0
    squares_positive += part[0]
    precision += part[1]
    squares_negative += part[2]
    return twice_u, precision, best, squares_positive, squares_negative, ties


@compiled
def sum_groups(
    positives: Ints,
    negatives: Ints,
    unknown: Bools,
    below_positive: int,
    below_negative: int,
    n1: int,
    n0: int,
) -> tuple[int, int, Floats]:
    """Twice U, the pairs of unknown order, and the other sums of `rank_bounds.RankTotals`.

    These are precision evenly mixed, at least and at most; the distance at least and at most;
    squared placements of positives and of negatives; and t³ - t over groups known as ties.
    """
    twice_u = slack = 0
    part, sums = np.zeros(6), np.zeros(6)
    ks_low = ks_high = 0.0
    b1, b0 = below_positive, below_negative
    for k in range(positives.size):
        a, b = positives[k], negatives[k]
        t, f = n1 - b1 - a, n0 - b0 - b
        twice_below = 2 * b0 + b
        if n1 > 0 and n0 > 0:
            reached = (t + a) / n1 - (f + b) / n0
            ks_low = max(ks_low, reached)
            ks_high = max(ks_high, (t + a) / n1 - f / n0 if unknown[k] else reached)
        if a > 0:
            twice_u += a * twice_below
            share = twice_below / (2.0 * n0) if n0 > 0 else 0.0
            part[3] += a * (share * share)
            if unknown[k]:
                slack += a * b
                least = a - (f + b) * np.log1p(a / (t + f + b + 0.5))
                most = a * ((t + a) / (t + a + f))
                evenly = a * (t + (a + 1.0) / 2.0) / (t + f + (a + b + 1.0) / 2.0)
                part[0] += min(max(evenly, least), most)
                part[1] += least
                part[2] += most
            else:
                tied = a * ((t + a) / (t + a + f + b))
                part[0] += tied
                part[1] += tied
                part[2] += tied
        if b > 0 and n1 > 0:
            share = (2 * t + a) / (2.0 * n1)
            part[4] += b * (share * share)
        if not unknown[k]:
            size = float(a + b)
            part[5] += size * size * size - size
        b1 += a
        b0 += b
        if k % STEPS == 0:
            sums += part
            part[:] = 0.0
    sums += part
    others = np.empty(8)
    others[:3], others[3], others[4], others[5:] = sums[:3], ks_low, ks_high, sums[3:]
    return twice_u, slack, others
