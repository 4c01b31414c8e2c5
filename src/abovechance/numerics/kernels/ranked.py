"""Compiled sweeps over many weightings of cases sorted once; rows are batches, scores ascend."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled


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
