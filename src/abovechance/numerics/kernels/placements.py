"""Compiled loop for placements: one walk along the sorted scores."""

from abovechance.arrays import Array, Bools, Floats
from abovechance.numerics.kernels import compiled


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
