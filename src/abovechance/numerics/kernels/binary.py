"""Compiled loops for two classes: sums in one reading, and a merge of two sorted classes.

The callers in `numerics.sums` and `numerics.ranks` say what is computed; here is only how.
"""

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums

BLOCK = 16  # probabilities multiplied before one logarithm is taken; squares added as integers
UNDERFLOW = 1e-280  # below this a product of probabilities may have lost digits


@compiled_sums
def sum_probabilities(
    positive: Bools, probability: Floats, bits: Ints, threshold: float, lanes: int
) -> tuple[int, float, float, float, float, int, int, int, int, int]:
    """Read every case once, in stretches of `lanes` cases side by side.

    `bits` is `probability` viewed as integers, whose order is that of the numbers as long as none
    is negative; a nan lies above infinity, a negative number below 0.
    """
    n_positive = tp = above = impossible = 0
    sum_p = sum_p_positive = sum_squares = sum_log = 0.0
    lowest, highest = bits[0], bits[0]
    product = np.empty(lanes)
    for block in range(0, probability.size, BLOCK * lanes):
        block_end = min(block + BLOCK * lanes, probability.size)
        product[:] = 1.0
        for start in range(block, block_end, lanes):
            p = probability[start : min(start + lanes, block_end)]
            y, word = positive[start : start + p.size], bits[start : start + p.size]
            stretch_p = stretch_positive = stretch_squares = 0.0
            for k in range(p.size):
                happened = p[k] if y[k] else 1.0 - p[k]
                product[k] *= happened
                stretch_p += p[k]
                stretch_positive += p[k] if y[k] else 0.0
                stretch_squares += (1.0 - happened) * (1.0 - happened)
            for k in range(p.size):
                n_positive += y[k]
                above += p[k] > threshold
                tp += y[k] & (p[k] > threshold)
                lowest = min(lowest, word[k])
                highest = max(highest, word[k])
            sum_p += stretch_p
            sum_p_positive += stretch_positive
            sum_squares += stretch_squares
        if product.min() > UNDERFLOW:
            sum_log += np.log(product).sum()
        else:
            for k in range(block, block_end):
                happened = probability[k] if positive[k] else 1.0 - probability[k]
                impossible += happened == 0.0
                sum_log += np.log(happened)
    return (
        n_positive,
        sum_p,
        sum_p_positive,
        sum_squares,
        sum_log,
        impossible,
        tp,
        above - tp,
        lowest,
        highest,
    )


@compiled
def split_by_class(positive: Bools, score: Floats, positives: Floats, negatives: Floats) -> None:
    """Copy the scores of each class together, without a branch on the class.

    Each array has one place more than its class has cases; its last content is not defined.
    """
    i, j = np.uint64(0), np.uint64(0)
    one = np.uint64(1)
    for k in range(score.size):
        positives[i] = score[k]
        negatives[j] = score[k]
        taken = np.uint64(positive[k])
        i += taken
        j += one - taken


@compiled
def meeting_point(first: Floats, second: Floats, m: int, n: int, steps: int, ties: bool) -> int:
    """How many of the first `steps` of a merge come from `first`, by bisection.

    On equal values the merge takes `first` before `second` if `ties`, else after.
    """
    low, high = max(0, steps - n), min(steps, m)
    while low < high:
        i = (low + high) // 2
        x, y = first[i], second[steps - 1 - i]
        if x < y or (ties and x == y):
            low = i + 1
        else:
            high = i
    return low


@compiled
def places(first: Floats, second: Floats, ties: bool, place: Array) -> bool:
    """Number of values in `second` below (not above, unless `ties`) each one in `first`.

    Both are sorted, and both have infinity as a further last element. Four stretches of the merge
    with equally many steps run side by side, without a branch on the data, so that the processor
    always has something to do while it waits for a comparison. Returns whether a value
    of one was met in the other.
    """
    m, n = first.size - 1, second.size - 1
    quarter = (m + n) // 4
    one = np.uint64(1)
    start1 = meeting_point(first, second, m, n, quarter, ties)
    start2 = meeting_point(first, second, m, n, 2 * quarter, ties)
    start3 = meeting_point(first, second, m, n, 3 * quarter, ties)
    i0, j0 = np.uint64(0), np.uint64(0)
    i1, j1 = np.uint64(start1), np.uint64(quarter - start1)
    i2, j2 = np.uint64(start2), np.uint64(2 * quarter - start2)
    i3, j3 = np.uint64(start3), np.uint64(3 * quarter - start3)
    equal = False
    for _ in range(quarter):
        x, y = first[i0], second[j0]
        equal |= x == y
        place[i0] = j0
        taken = np.uint64(x <= y if ties else x < y)
        i0 += taken
        j0 += one - taken
        x, y = first[i1], second[j1]
        equal |= x == y
        place[i1] = j1
        taken = np.uint64(x <= y if ties else x < y)
        i1 += taken
        j1 += one - taken
        x, y = first[i2], second[j2]
        equal |= x == y
        place[i2] = j2
        taken = np.uint64(x <= y if ties else x < y)
        i2 += taken
        j2 += one - taken
        x, y = first[i3], second[j3]
        equal |= x == y
        place[i3] = j3
        taken = np.uint64(x <= y if ties else x < y)
        i3 += taken
        j3 += one - taken
    for _ in range(m + n - 4 * quarter):
        x, y = first[i3], second[j3]
        equal |= x == y
        place[i3] = j3
        taken = np.uint64(x <= y if ties else x < y)
        i3 += taken
        j3 += one - taken
    # Where a stretch ends it may have written to the first place of the next one.
    for i in (start1, start2, start3):
        place[i] = _count_below(second, n, first[i], ties)
    return equal


@compiled
def _count_below(ordered: Floats, n: int, value: float, strictly: bool) -> int:
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < value or (ordered[middle] == value and not strictly):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def merge_groups(first: Floats, second: Floats, value: Floats, counts: Floats) -> int:
    """The distinct values of two sorted arrays (infinity added to each) and how often each occurs.

    Returns the number of distinct values. Without ties nothing here depends on a guess: whether
    a value comes from one array, the other or both is added up, not branched on.
    """
    m, n = first.size - 1, second.size - 1
    i = j = groups = 0
    while i < m or j < n:
        x, y = first[i], second[j]
        now = min(x, y)
        value[groups] = now
        from_first, from_second = int(x == now and i < m), int(y == now and j < n)
        i += from_first
        j += from_second
        while i < m and first[i] == now:
            i += 1
            from_first += 1
        while j < n and second[j] == now:
            j += 1
            from_second += 1
        counts[0, groups] = from_first
        counts[1, groups] = from_second
        groups += 1
    return groups


@compiled_sums
def summarise_places(
    positives: Floats, negatives: int, below: Array, not_above: Array
) -> tuple[int, float, int, float, float]:
    """2U, precision summed, Kolmogorov-Smirnov distance (times m n), squared placements (times 4).

    With c and d the numbers of positives above and not below a negative case, the sum of (c + d)²
    over the negatives is 2 (sum of c² + sum of d²) less the sum of (d - c)²; and
    a sum of squares of counts is a sum of odd numbers over those counted, here the positives.
    """
    m, n = positives.size - 1, negatives
    twice_u = best = run = 0
    precision = squares_positive = squares_negative = 0.0
    for start in range(0, m, BLOCK):  # integers within a block: exact, and no overflow to n = 1e8
        precision_block, positive_block, negative_block = 0.0, 0, 0
        for i in range(start, min(start + BLOCK, m)):
            run = run if i > 0 and positives[i] == positives[i - 1] else i
            low, high = int(below[i]), int(not_above[i])
            both = low + high
            twice_u += both
            positive_block += both * both
            negative_block += 2 * (2 * (m - i) - 1) * both - (high - low) * (2 * (i - run) + 1)
            precision_block += (m - run) / float(m - run + n - low)
            best = max(best, (m - i) * n - (n - low) * m)
        precision += precision_block
        squares_positive += positive_block
        squares_negative += negative_block
    return twice_u, precision, best, squares_positive, squares_negative
