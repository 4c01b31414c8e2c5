"""Linear discriminants of many labellings, cross-validated through one hat matrix."""

from typing import Any

import numpy as np

from abovechance.numerics.kernels import compiled


@compiled
def folded(
    H: Any,
    labels: Any,
    folds: Any,
    count: int,
    lost: float,
    floor: float,
    out: Any,
    doubtful: Any,
) -> None:
    """Log-odds `out` (B, n) of each row by the discriminant trained without the row's fold.

    `H` is the hat matrix of the features with an intercept; labels H are fitted values, added up
    here so that they do not depend on the labellings beside them. Leaving a fold t out changes
    the fitted values by H[:, t] r with (I - H[t, t]) r = residuals of t, so a fold costs a system
    of its own size. Covariances are scatter over the number of training rows less those `lost`.
    `doubtful` (B, V) marks the folds whose training rows may have a within-class covariance with
    an eigenvalue below `floor`, relative to the total.
    """
    n = H.shape[0]
    members, starts = np.empty(n, dtype=np.int64), np.empty(count + 1, dtype=np.int64)
    system, r, column, fitted = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    for b in range(labels.shape[0]):
        _sort_by_fold(folds[b], count, members, starts)
        ones, above = 0.0, 0.0
        fitted[:] = 0.0
        for i in range(n):
            if labels[b, i] > 0.0:
                fitted += H[i]
        for i in range(n):
            ones += labels[b, i]
            above += labels[b, i] * fitted[i]
        for v in range(count):
            test = members[starts[v] : starts[v + 1]]
            of = fitted, labels[b], ones, above
            safe = _one_fold(H, of, test, lost, floor, system, r, column, out[b])
            doubtful[b, v] = not safe


@compiled
def _sort_by_fold(fold: Any, count: int, members: Any, starts: Any) -> None:
    """Row numbers in the order of their folds; fold v is members[starts[v]:starts[v + 1]]."""
    starts[:] = 0
    for i in range(fold.size):
        starts[fold[i] + 1] += 1
    for v in range(count):
        starts[v + 1] += starts[v]
    place = starts[:count].copy()
    for i in range(fold.size):
        members[place[fold[i]]] = i
        place[fold[i]] += 1


@compiled
def _one_fold(
    H: Any,
    of: Any,
    test: Any,
    lost: float,
    floor: float,
    A: Any,
    r: Any,
    column: Any,
    out: Any,
) -> bool:
    """Log-odds of one fold's rows; whether its training rows were surely of full rank.

    `of` are fitted values and labels of all rows, and their sums over the rows of class 1.
    """
    fitted, y, n1, s1 = of
    m = test.size
    for i in range(m):
        for j in range(i + 1):
            A[i, j] = -H[test[i], test[j]]
        A[i, i] += 1.0
        r[i] = y[test[i]] - fitted[test[i]]
    smallest = _factor(A, m)
    if smallest <= 0.0:
        return False
    _solve(A, m, r)
    # Sums over training rows of class 1 (and 0) of the fold's fitted values.
    s0 = n1 - s1  # fitted values sum to the number of ones
    n0 = y.size - n1
    for i in range(m):
        inside1, inside0 = 0.0, 0.0
        for j in range(m):
            h = H[test[j], test[i]]
            inside1 += h * y[test[j]]
            inside0 += h * (1.0 - y[test[j]])
        s1 -= r[i] * (fitted[test[i]] - inside1) + y[test[i]] * fitted[test[i]]
        s0 -= r[i] * (1.0 - fitted[test[i]] - inside0) + (1.0 - y[test[i]]) * fitted[test[i]]
        n1 -= y[test[i]]
        n0 -= 1.0 - y[test[i]]
    train = n1 + n0
    if n1 < 1.0 or n0 < 1.0 or train < 3.0:
        return False
    above, below = s1 / n1, s0 / n0
    left = 1.0 - (above - below)
    if smallest * left <= floor and left / _inverse_trace(A, m, column) <= floor:
        return False
    unit = left * (n1 * n0 / train) / (train - lost)
    prior, middle = np.log(n1 / n0), 0.5 * (above + below)
    for i in range(m):
        out[test[i]] = (y[test[i]] - r[i] - middle) / unit + prior
    return True


@compiled
def _factor(A: Any, m: int) -> float:
    """Cholesky factor in the lower triangle, one over its diagonal; the determinant.

    Eigenvalues of I - H are at most 1, so none is smaller than their product.
    """
    determinant = 1.0
    for j in range(m):
        for i in range(j, m):
            value = A[i, j]
            for k in range(j):
                value -= A[i, k] * A[j, k]
            if i > j:
                A[i, j] = value * A[j, j]
            elif value <= 0.0:
                return 0.0
            else:
                determinant *= value
                A[j, j] = 1.0 / np.sqrt(value)
    return determinant


@compiled
def _solve(A: Any, m: int, r: Any) -> None:
    """Replace r by the solution, A being factored."""
    for i in range(m):
        value = r[i]
        for k in range(i):
            value -= A[i, k] * r[k]
        r[i] = value * A[i, i]
    for i in range(m - 1, -1, -1):
        value = r[i]
        for k in range(i + 1, m):
            value -= A[k, i] * r[k]
        r[i] = value * A[i, i]


@compiled
def _inverse_trace(A: Any, m: int, column: Any) -> float:
    """Sum of one over the eigenvalues of the factored matrix, so at least one over the least."""
    total = 0.0
    for j in range(m):
        for i in range(j, m):
            value = 1.0 if i == j else 0.0
            for k in range(j, i):
                value -= A[i, k] * column[k]
            column[i] = value * A[i, i]
            total += column[i] * column[i]
    return total
