"""Compiled loops over cases of two or more classes: sums, merges of sorted scores, sweeps."""

from math import exp
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.numerics.kernels import compiled, compiled_sums

# ----------------------------------------------------------------------------------------------
# Compiled loops for two classes: sums in one reading, and a merge of two sorted classes.
#
# The callers in `numerics.counts` and `numerics.ranks` say what is computed; here is only how.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# A compiled loop for many classes: columns of probabilities, parted by actual class.
# ----------------------------------------------------------------------------------------------


@compiled
def scatter_by_class(actual: Array, rows: Floats, start: Ints, parted: Floats) -> None:
    """Copy the values of each class together, in every row; `start` says where classes begin.

    All rows are filled at once, so each case is fetched once, however the values lie in memory.
    """
    place = start.copy()
    for k in range(actual.size):
        c = actual[k]
        to = place[c]
        place[c] = to + 1
        for row in range(rows.shape[0]):
            parted[row, to] = rows[row, k]


# ----------------------------------------------------------------------------------------------
# Compiled loop for placements: one walk along the sorted scores.
# ----------------------------------------------------------------------------------------------


@compiled
def count_pairs(order: Any, opens: Any, codes: Any, twice: Any) -> None:
    """Twice the pairs of classes ranked rightly, ties counting one, into `twice` (rows, K, K).

    Row i of `order` (K, n) sorts the cases by the score of class i, `opens` says where a score
    differs from the one before; `codes` (rows, n) are the classes. A case of class i adds what is
    below it of every class, so that a labelling costs n K steps and no sort.
    """
    classes, n = order.shape
    below = np.empty(classes, dtype=np.int64)
    level = np.empty(classes, dtype=np.int64)
    for row in range(codes.shape[0]):
        of_case = codes[row]
        for i in range(classes):
            below[:] = 0
            won = twice[row, i]
            won[:] = 0
            at = 0
            while at < n:
                end = at + 1
                while end < n and not opens[i, end]:
                    end += 1
                if end == at + 1:
                    code = of_case[order[i, at]]
                    if code == i:
                        for j in range(classes):
                            won[j] += 2 * below[j]
                    below[code] += 1
                else:
                    level[:] = 0
                    for k in range(at, end):
                        level[of_case[order[i, k]]] += 1
                    for j in range(classes):
                        won[j] += level[i] * (2 * below[j] + level[j])
                        below[j] += level[j]
                at = end


@compiled
def place(order: Array, begins: Bools, positive: Bools, share: Floats) -> None:
    """For every case the share of the other class on its right side, ties counting one half.

    `order` sorts the scores, `begins` marks the first of every run of equal ones.
    """
    n = order.size
    n1 = 0
    for i in range(n):
        n1 += positive[i]
    below, above, first = 0, n1, 0  # negatives below the run, positives not below it
    while first < n:
        end, tied = first, 0
        while end < n and (end == first or not begins[end]):
            tied += positive[order[end]]
            end += 1
        others = end - first - tied
        of_positive = (below + 0.5 * others) / (n - n1)
        of_negative = (above - 0.5 * tied) / n1
        for k in range(first, end):
            case = order[k]
            share[case] = of_positive if positive[case] else of_negative
        below, above, first = below + others, above - tied, end


# ----------------------------------------------------------------------------------------------
# Compiled sweeps over many weightings of cases sorted once; rows are batches, scores ascend.
# ----------------------------------------------------------------------------------------------


@compiled
def gather(
    order: Any, starts: Any, positive: Any, weight: Any, positives: Any, negatives: Any
) -> None:
    """Weight of either class at every distinct score; a single row of labels or weights serves all.

    `order` sorts the cases, group g of equal scores begins at starts[g]; `weight` may be empty.
    """
    groups, n = starts.size, order.size
    for row in range(positives.shape[0]):
        sign = positive[row if positive.shape[0] > 1 else 0]
        plain = weight.size == 0
        each = weight[0 if plain or weight.shape[0] == 1 else row] if not plain else weight.ravel()
        for g in range(groups):
            of_positive, of_negative = 0.0, 0.0
            for at in range(starts[g], starts[g + 1] if g + 1 < groups else n):
                case = order[at]
                w = 1.0 if plain else each[case]
                if sign[case]:
                    of_positive += w
                else:
                    of_negative += w
            positives[row, g] = of_positive
            negatives[row, g] = of_negative


@compiled
def gather_by_cell(cells: Any, score: Any, positive: Any, positives: Any, negatives: Any) -> None:
    """Count the cases (rows, n) of small cells at the places their scores have within the cell.

    A place is the number of lower scores, so that equal ones have one and no sorting is needed.
    """
    width, count = positives.shape
    held, above = np.empty((count, width)), np.empty((count, width), dtype=np.bool_)
    size = np.zeros(count, dtype=np.int64)
    for b in range(cells.shape[0]):
        for i in range(cells.shape[1]):
            c = cells[b, i]
            held[c, size[c]], above[c, size[c]] = score[b, i], positive[b, i]
            size[c] += 1
    for c in range(count):
        for i in range(size[c]):
            place = 0
            for j in range(size[c]):
                place += held[c, j] < held[c, i]
            if above[c, i]:
                positives[place, c] += 1.0
            else:
                negatives[place, c] += 1.0


@compiled
def average_precision(positives: Any, negatives: Any, out: Any) -> None:
    """Precision at every score times the positives there, over the positives."""
    for row in range(out.size):
        tp, drawn, reached = 0.0, 0.0, 0.0
        for g in range(positives.shape[1] - 1, -1, -1):
            here = positives[row, g]
            tp += here
            drawn += here + negatives[row, g]
            if here > 0.0:
                reached += here * (tp / drawn)
        out[row] = reached / tp if tp > 0.0 else np.nan


@compiled
def kolmogorov_smirnov(positives: Any, negatives: Any, out: Any) -> None:
    """Largest excess of the true over the false positive rate."""
    for row in range(out.size):
        n1, n0 = 0.0, 0.0
        for g in range(positives.shape[1]):
            n1 += positives[row, g]
            n0 += negatives[row, g]
        tp, fp, most = 0.0, 0.0, 0.0
        for g in range(positives.shape[1] - 1, -1, -1):
            tp += positives[row, g]
            fp += negatives[row, g]
            most = max(most, tp / n1 - fp / n0)
        out[row] = most if n1 > 0.0 and n0 > 0.0 else np.nan


@compiled
def partial_area(positives: Any, negatives: Any, max_fpr: float, out: Any) -> None:
    """Trapezoids under the ROC curve up to a false positive rate; no further than needed."""
    for row in range(out.size):
        n1, n0 = 0.0, 0.0
        for g in range(positives.shape[1]):
            n1 += positives[row, g]
            n0 += negatives[row, g]
        area, tp, fp, last = 0.0, 0.0, 0.0, max_fpr * n0
        for g in range(positives.shape[1] - 1, -1, -1):
            up, right = positives[row, g], negatives[row, g]
            inside = min(right, last - fp)
            if inside > 0.0:
                area += inside * (tp + inside / right * up / 2)
            tp += up
            fp += right
            if fp >= last:
                break
        out[row] = area / (n1 * n0) if n1 > 0.0 and n0 > 0.0 else np.nan


# ----------------------------------------------------------------------------------------------
# Compiled sums of logistic recalibration: one exponential per case and row.
# ----------------------------------------------------------------------------------------------


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
