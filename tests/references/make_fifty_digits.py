"""Write `fifty_digits.json`: measures and methods from their textbook formulas, to 50 digits.

    python tests/references/make_fifty_digits.py

Nothing here imports abovechance. Inputs are the doubles as they are; every step is taken with 70
digits by mpmath, roots of equations by bisection to 60. "closed" values follow from the data in
finitely many steps, "iterative" ones solve an equation or are compared with numerical derivatives.
What is estimated from draws is given as
its limit, by an integral or by listing every sample, with the standard error that so many draws
leave.
"""

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf

mp.dps = 70
FILE = Path(__file__).with_name("fifty_digits.json")
Row = dict[str, Any]

# Halves, quarters and so on where probabilities must sum to 1; some scores are tied.
BINARY = {
    "y": [0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1],
    "p": [0.1, 0.62, 0.35, 0.8, 0.35, 0.05, 0.55, 0.9, 0.2, 0.41, 0.3, 0.62, 0.71, 0.15, 0.28, 0.07,
          0.97, 0.44, 0.33, 0.58],
}  # fmt: skip
OTHER = [0.2, 0.51, 0.31, 0.6, 0.45, 0.15, 0.65, 0.7, 0.1, 0.61, 0.4, 0.52, 0.51, 0.25, 0.38, 0.17,
         0.77, 0.34, 0.43, 0.68]  # fmt: skip
EXTREME = [0.003, 0.98, 0.02, 0.996, 0.01, 0.001, 0.94, 0.999, 0.01, 0.08, 0.02, 0.97, 0.99, 0.004,
           0.05, 0.002, 0.9995, 0.3, 0.03, 0.96]  # fmt: skip
CLASSES = {
    "y": [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1],
    "p": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625], [0.25, 0.625, 0.125],
          [0.375, 0.5, 0.125], [0.5, 0.125, 0.375], [0.75, 0.125, 0.125], [0.0625, 0.8125, 0.125],
          [0.125, 0.375, 0.5], [0.625, 0.25, 0.125], [0.375, 0.375, 0.25], [0.25, 0.25, 0.5]],
}  # fmt: skip
SCORES = {"y": [0, 0, 1, 0, 1, 0, 0, 1, 1, 1], "s": [1, 2, 2, 3, 4, 5, 6, 6, 8, 9]}
NUMBERS = {
    "y": [1.2, 3.4, 2.2, 5.6, 4.1, 0.7, 3.3, 2.9, 6.1, 1.9, 4.4, 2.2],
    "p": [1.0, 3.9, 2.5, 4.8, 4.4, 1.6, 2.7, 3.1, 5.2, 2.5, 4.1, 1.3],
}
FOLDED = NUMBERS | {"fold": [0, 1, 2, 3] * 3}
# Sixteenths, whose sums are exact: resamples that are equal are equal in doubles too.
FOUR = {"y": [1.0, 2.0, 3.0, 4.0], "p": [1.125, 2.25, 2.5, 5.0625]}
RISKS = {"y": [0, 1, 0, 1, 1, 0, 1, 0, 0, 1],
         "p": [0.12, 0.47, 0.35, 0.81, 0.24, 0.06, 0.66, 0.55, 0.28, 0.93]}  # fmt: skip
OUTPUTS = {
    "y": [[1.2, 7.0], [3.4, 2.5], [2.2, 3.1], [5.6, 4.4], [4.1, 0.2], [0.7, 5.9]],
    "p": [[1.0, 6.1], [3.9, 2.2], [2.5, 4.0], [4.8, 4.9], [4.4, 1.1], [1.6, 5.0]],
}
SURVIVAL = {
    "time": [2.0, 5.0, 3.0, 8.0, 6.0, 1.0, 9.0, 4.0, 7.0, 5.5, 2.5, 10.0],
    "event": [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0],
    "risk": [0.9, 0.3, 0.6, 0.2, 0.5, 0.8, 0.1, 0.6, 0.4, 0.35, 0.7, 0.15],
    "times": [2.2, 4.5, 6.5],
    "survival": [[0.5, 0.3, 0.1], [0.9, 0.7, 0.5], [0.8, 0.5, 0.4], [0.95, 0.8, 0.7],
                 [0.85, 0.6, 0.5], [0.6, 0.4, 0.2], [0.97, 0.9, 0.8], [0.75, 0.45, 0.35],
                 [0.9, 0.75, 0.3], [0.88, 0.72, 0.55], [0.7, 0.5, 0.3], [0.96, 0.88, 0.77]],
}  # fmt: skip


def exact(values: Any) -> Any:
    return [exact(v) for v in values] if isinstance(values, list) else mpf(values)


def mean(values: Any) -> Any:
    held = list(values)
    return mpmath.fsum(held) / len(held)


def median(values: Any) -> Any:
    held = sorted(values)
    middle = len(held) // 2
    return held[middle] if len(held) % 2 else (held[middle - 1] + held[middle]) / 2


def root(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where a rising or falling function crosses 0 between two places."""
    low, high = mpf(low), mpf(high)
    rising = function(low) < 0
    for _ in range(230):
        middle = (low + high) / 2
        if (function(middle) < 0) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def quantile_normal(p: Any) -> Any:
    return mpmath.sqrt(2) * mpmath.erfinv(2 * mpf(p) - 1)


def quantile_student(df: Any) -> Any:
    """Beyond which Student's t lies on either side with probability 1 − .95, halved."""

    def above(t: Any) -> Any:
        return mpmath.betainc(mpf(df) / 2, mpf(0.5), 0, df / (df + t * t), regularized=True) / 2

    return root(lambda t: above(t) - ALPHA / 2, 0, 50)


def tail_normal(z: Any) -> Any:
    return mpmath.erfc(mpf(z) / mpmath.sqrt(2)) / 2


Z = quantile_normal((1 + mpf(0.95)) / 2)  # of the double that stands for .95
ALPHA = 1 - mpf(0.95)

# ---------------------------------------------------------------------- measures of two classes


def of_binary() -> dict[str, Any]:
    y, p = BINARY["y"], exact(BINARY["p"])
    n = len(y)
    label = [int(v >= mpf(0.5)) for v in p]
    tp = sum(a and b for a, b in zip(y, label, strict=True))
    fp = sum(b and not a for a, b in zip(y, label, strict=True))
    fn = sum(a and not b for a, b in zip(y, label, strict=True))
    tn = n - tp - fp - fn
    tp, fp, fn, tn = map(mpf, (tp, fp, fn, tn))
    sens, spec, ppv, npv = tp / (tp + fn), tn / (tn + fp), tp / (tp + fp), tn / (tn + fn)
    most = max(tp + fn, tn + fp) / n
    accuracy = (tp + tn) / n
    expected = ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)) / mpf(n) ** 2
    found = {
        "accuracy": accuracy,
        "error_rate": 1 - accuracy,
        "balanced_accuracy": (sens + spec) / 2,
        "balanced_error_rate": 1 - (sens + spec) / 2,
        "informedness": sens + spec - 1,
        "markedness": ppv + npv - 1,
        "mcc": (tp * tn - fp * fn) / mpmath.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "kappa": (accuracy - expected) / (1 - expected),
        "g_mean": mpmath.sqrt(sens * spec),
        "z_accuracy": (accuracy - most) / mpmath.sqrt(most * (1 - most)),
        "sensitivity": sens,
        "specificity": spec,
        "ppv": ppv,
        "npv": npv,
        "false_positive_rate": 1 - spec,
        "false_negative_rate": 1 - sens,
        "false_discovery_rate": 1 - ppv,
        "false_omission_rate": 1 - npv,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "f_beta": 5 * tp / (5 * tp + fp + 4 * fn),
        "jaccard": tp / (tp + fp + fn),
        "youden_j": sens + spec - 1,
        "class_markedness": ppv + npv - 1,
        "positive_likelihood_ratio": sens / (1 - spec),
        "negative_likelihood_ratio": (1 - sens) / spec,
        "diagnostic_odds_ratio": tp * tn / (fp * fn),
        "expected_cost": (fp + 3 * fn) / n,
        "cost_weighted_accuracy": 1 - (fp + 3 * fn) / ((fp + tn) + 3 * (tp + fn)),
    }
    return found | _ranks(y, p) | _probabilities(y, p) | _calibration(y, p)


def auc_of(positive: list[Any], negative: list[Any]) -> Any:
    wins = [1 if a > b else mpf(0.5) if a == b else 0 for a in positive for b in negative]
    return mpmath.fsum(wins) / (len(positive) * len(negative))


def _ranks(y: list[int], p: list[Any]) -> dict[str, Any]:
    positive = [v for v, c in zip(p, y, strict=True) if c]
    negative = [v for v, c in zip(p, y, strict=True) if not c]
    auc = auc_of(positive, negative)
    points = [(mpf(0), mpf(0))]
    average = mpf(0)
    for cut in sorted(set(p), reverse=True):
        right, wrong = sum(v >= cut for v in positive), sum(v >= cut for v in negative)
        gained = mpf(right) / len(positive) - points[-1][1]
        average += gained * mpf(right) / (right + wrong)
        points.append((mpf(wrong) / len(negative), mpf(right) / len(positive)))
    end, area = mpf(0.25), mpf(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        if x1 <= x0 or x0 >= end:
            continue
        stop = min(x1, end)
        at_stop = y0 + (y1 - y0) * (stop - x0) / (x1 - x0)
        area += (stop - x0) * (y0 + at_stop) / 2
    return {
        "auc": auc,
        "somers_d": 2 * auc - 1,
        "average_precision": average,
        "ks": max(b - a for a, b in points),
        "partial_auc": (1 + (area - end**2 / 2) / (end - end**2 / 2)) / 2,
    }


def _probabilities(y: list[int], p: list[Any]) -> dict[str, Any]:
    n, share = len(y), mean(map(mpf, y))
    brier = mean((c - v) ** 2 for c, v in zip(y, p, strict=True))
    log_score = mean(mpmath.log(v if c else 1 - v) for c, v in zip(y, p, strict=True))
    empty = share * mpmath.log(share) + (1 - share) * mpmath.log(1 - share)
    cox = 1 - mpmath.exp(2 * (empty - log_score))
    act = mpf(0.3)
    right = mpf(sum(c and v >= act for c, v in zip(y, p, strict=True))) / n
    wrong = mpf(sum((not c) and v >= act for c, v in zip(y, p, strict=True))) / n
    benefit = right - wrong * act / (1 - act)
    return {
        "brier": brier,
        "brier_sum": 2 * brier,
        "scaled_brier": 1 - brier / (share * (1 - share)),
        "tjur_r2": mean(v for c, v in zip(y, p, strict=True) if c)
        - mean(v for c, v in zip(y, p, strict=True) if not c),
        "log_score": log_score,
        "log_loss": -log_score,
        "cox_snell_r2": cox,
        "nagelkerke_r2": cox / (1 - mpmath.exp(2 * empty)),
        "mcfadden_r2": 1 - log_score / empty,
        "net_benefit": benefit,
        "standardised_net_benefit": benefit / share,
        **_isotonic(y, p, brier, share),
    }


def _isotonic(y: list[int], p: list[Any], brier: Any, share: Any) -> dict[str, Any]:
    """Brier's parts with probabilities pooled until frequencies rise."""
    pools: list[list[Any]] = []
    for value in sorted(set(p)):
        held = [mpf(c) for c, v in zip(y, p, strict=True) if v == value]
        pools.append([mpmath.fsum(held), len(held), [value]])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1], pools[-1][2] + last[2]]
    fitted = {value: total / count for total, count, values in pools for value in values}
    after = mean((c - fitted[v]) ** 2 for c, v in zip(y, p, strict=True))
    return {
        "brier_miscalibration": brier - after,
        "brier_discrimination": share * (1 - share) - after,
    }


def _calibration(y: list[int], p: list[Any]) -> dict[str, Any]:
    spread = mpmath.fsum((1 - 2 * v) ** 2 * v * (1 - v) for v in p)
    z = mpmath.fsum((c - v) * (1 - 2 * v) for c, v in zip(y, p, strict=True))
    bins: dict[int, list[tuple[int, Any]]] = {}
    for c, v in zip(y, p, strict=True):
        bins.setdefault(bin_of(v), []).append((c, v))
    gaps = [
        (len(b), abs(mean(mpf(c) for c, _ in b) - mean(v for _, v in b))) for b in bins.values()
    ]
    odds = [mpmath.log(v / (1 - v)) for v in p]
    intercept, slope = line(odds, y, [mpf(1)] * len(y))
    return {
        "observed_expected_ratio": mpf(sum(y)) / mpmath.fsum(p),
        "calibration_difference": mean(map(mpf, y)) - mean(p),
        "spiegelhalter_z": z / mpmath.sqrt(spread),
        "ece": mpmath.fsum(k * gap for k, gap in gaps) / len(y),
        "mce": max(gap for _, gap in gaps),
        "rmsce": mpmath.sqrt(mpmath.fsum(k * gap**2 for k, gap in gaps) / len(y)),
        "hosmer_lemeshow": _hosmer(y, p, 5),
        "calibration_in_the_large": root(
            lambda a: mpmath.fsum(c - logistic(a + o) for c, o in zip(y, odds, strict=True)), -9, 9
        ),
        "calibration_intercept": intercept,
        "calibration_slope": slope,
    }


def bin_of(p: Any) -> int:
    """Which of ten bins of equal width; their borders are the doubles nearest to the tenths."""
    return sum(p >= mpf(k / 10) for k in range(1, 10))


def logistic(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def line(x: list[Any], y: list[Any], weights: list[Any]) -> tuple[Any, Any]:
    """Intercept and slope of a weighted logistic regression, by Newton's steps."""
    a, b = mpf(0), mpf(1)
    for _ in range(60):
        p = [logistic(a + b * v) for v in x]
        residual = [w * (c - q) for w, c, q in zip(weights, y, p, strict=True)]
        g0, g1 = mpmath.fsum(residual), mpmath.fsum(r * v for r, v in zip(residual, x, strict=True))
        h = [w * q * (1 - q) for w, q in zip(weights, p, strict=True)]
        s0, s1 = mpmath.fsum(h), mpmath.fsum(k * v for k, v in zip(h, x, strict=True))
        s2 = mpmath.fsum(k * v * v for k, v in zip(h, x, strict=True))
        det = s0 * s2 - s1 * s1
        a, b = a + (s2 * g0 - s1 * g1) / det, b + (s0 * g1 - s1 * g0) / det
    return a, b


def _hosmer(y: list[int], p: list[Any], groups: int) -> Any:
    ordered = sorted(p)
    cuts = []
    for k in range(1, groups):
        at = mpf(k) / groups * (len(p) - 1)
        low = int(at)
        cuts.append(ordered[low] + (at - low) * (ordered[min(low + 1, len(p) - 1)] - ordered[low]))
    found: dict[int, list[tuple[int, Any]]] = {}
    for c, v in zip(y, p, strict=True):
        found.setdefault(sum(v > cut for cut in cuts), []).append((c, v))
    total = mpf(0)
    for held in found.values():
        observed, expected = sum(c for c, _ in held), mpmath.fsum(v for _, v in held)
        total += (observed - expected) ** 2 / (expected * (1 - expected / len(held)))
    return total


# ------------------------------------------------------------ several classes, numbers, survival


def of_classes() -> dict[str, Any]:
    y, p = CLASSES["y"], exact(CLASSES["p"])
    n, every = len(y), (0, 1, 2)
    label = [max(every, key=lambda k: (row[k], -k)) for row in p]
    cell = {(a, b): mpf(0) for a in every for b in every}
    for a, b in zip(y, label, strict=True):
        cell[a, b] += 1
    seen = {k: sum(cell[k, j] for j in every) / n for k in every}
    said = {k: sum(cell[j, k] for j in every) / n for k in every}
    recall = {k: cell[k, k] / (n * seen[k]) for k in every}
    accuracy = sum(cell[k, k] for k in every) / n
    expected = sum(seen[k] * said[k] for k in every)
    one_of = {
        k: auc_of([r[k] for r, c in zip(p, y, strict=True) if c == k],
                  [r[k] for r, c in zip(p, y, strict=True) if c != k])
        for k in every
    }  # fmt: skip

    def pair(j: int, k: int) -> Any:
        return (
            auc_of([r[j] for r, c in zip(p, y, strict=True) if c == j],
                   [r[j] for r, c in zip(p, y, strict=True) if c == k])
            + auc_of([r[k] for r, c in zip(p, y, strict=True) if c == k],
                     [r[k] for r, c in zip(p, y, strict=True) if c == j])
        ) / 2  # fmt: skip

    pairs = list(combinations(every, 2))
    weight = {(j, k): seen[j] + seen[k] for j, k in pairs}
    log_score = mean(mpmath.log(r[c]) for r, c in zip(p, y, strict=True))
    empty = sum(v * mpmath.log(v) for v in seen.values())
    covariance = accuracy - expected
    return {
        "accuracy": accuracy,
        "balanced_accuracy": mean(recall.values()),
        "g_mean": mpmath.root(recall[0] * recall[1] * recall[2], 3),
        "kappa": (accuracy - expected) / (1 - expected),
        "mcc": covariance
        / mpmath.sqrt(
            (1 - sum(v * v for v in seen.values())) * (1 - sum(v * v for v in said.values()))
        ),
        "auc_ovr_macro": mean(one_of.values()),
        "auc_ovr_weighted": sum(one_of[k] * seen[k] for k in every),
        "auc_ovo_weighted": sum(pair(j, k) * weight[j, k] for j, k in pairs) / sum(weight.values()),
        "brier_sum": mean(
            mpmath.fsum((r[k] - (c == k)) ** 2 for k in every) for r, c in zip(p, y, strict=True)
        ),
        "log_score": log_score,
        "mcfadden_r2": 1 - log_score / empty,
        "classwise_ece": mean(_classwise(y, p, k) for k in every),
    }


def _classwise(y: list[int], p: list[Any], k: int) -> Any:
    bins: dict[int, list[tuple[bool, Any]]] = {}
    for c, row in zip(y, p, strict=True):
        bins.setdefault(bin_of(row[k]), []).append((c == k, row[k]))
    return mpmath.fsum(
        abs(mpmath.fsum(v - hit for hit, v in held)) for held in bins.values()
    ) / len(y)


def of_numbers() -> dict[str, Any]:
    y, p = exact(NUMBERS["y"]), exact(NUMBERS["p"])
    e, n = [a - b for a, b in zip(y, p, strict=True)], len(y)
    my, mp_, middle = mean(y), mean(p), median(y)
    syy, spp = (mpmath.fsum((v - m) ** 2 for v in held) for held, m in ((y, my), (p, mp_)))
    syp = mpmath.fsum((a - my) * (b - mp_) for a, b in zip(y, p, strict=True))
    see = mpmath.fsum(v * v for v in e)
    me = mean(e)
    logs = [(mpmath.log(1 + a) - mpmath.log(1 + b)) ** 2 for a, b in zip(y, p, strict=True)]
    ry, rp = _midranks(y), _midranks(p)
    mr = mpf(n + 1) / 2
    rho = mpmath.fsum((a - mr) * (b - mr) for a, b in zip(ry, rp, strict=True)) / mpmath.sqrt(
        mpmath.fsum((a - mr) ** 2 for a in ry) * mpmath.fsum((b - mr) ** 2 for b in rp)
    )
    pairs = [(y[i] - y[j], p[i] - p[j]) for i, j in combinations(range(n), 2)]
    surplus = sum(int(mpmath.sign(a * b)) for a, b in pairs)
    different = sum(a != 0 for a, _ in pairs), sum(b != 0 for _, b in pairs)
    return {
        "mae": mean(map(abs, e)),
        "mlae": mean(mpmath.log(1 + abs(v)) for v in e),
        "mse": see / n,
        "rmse": mpmath.sqrt(see / n),
        "msle": mean(logs),
        "rmsle": mpmath.sqrt(mean(logs)),
        "medae": median(map(abs, e)),
        "max_error": max(map(abs, e)),
        "mean_error": me,
        "r2": 1 - see / syy,
        "explained_variance": 1 - mpmath.fsum((v - me) ** 2 for v in e) / syy,
        "d2_absolute_error": 1 - mpmath.fsum(map(abs, e)) / mpmath.fsum(abs(v - middle) for v in y),
        "rae": mpmath.fsum(map(abs, e)) / mpmath.fsum(abs(v - my) for v in y),
        "rse": see / syy,
        "rrse": mpmath.sqrt(see / syy),
        "relative_error": mean(abs(a) / abs(b) for a, b in zip(e, y, strict=True)),
        "pearson": syp / mpmath.sqrt(syy * spp),
        "spearman": rho,
        "kendall": surplus / mpmath.sqrt(mpf(different[0]) * different[1]),
        "concordance_correlation": 2 * syp / (syy + spp + n * (my - mp_) ** 2),
        "linear_calibration_slope": syp / spp,
        "linear_calibration_intercept": my - syp / spp * mp_,
    }


def _midranks(values: list[Any]) -> list[Any]:
    return [sum(w < v for w in values) + mpf(sum(w == v for w in values) + 1) / 2 for v in values]


def of_outputs() -> dict[str, Any]:
    y, p = exact(OUTPUTS["y"]), exact(OUTPUTS["p"])
    ratios, errors, correlations = [], [], []
    for d in range(2):
        a, b = [row[d] for row in y], [row[d] for row in p]
        ma, mb = mean(a), mean(b)
        saa = mpmath.fsum((v - ma) ** 2 for v in a)
        sbb = mpmath.fsum((v - mb) ** 2 for v in b)
        sab = mpmath.fsum((u - ma) * (v - mb) for u, v in zip(a, b, strict=True))
        see = mpmath.fsum((u - v) ** 2 for u, v in zip(a, b, strict=True))
        ratios.append(see / saa)
        errors.append(see / len(a))
        correlations.append(sab / mpmath.sqrt(saa * sbb))
    arrmse = mean(map(mpmath.sqrt, ratios))
    return {
        "arrmse": arrmse,
        "arrmse_squared": arrmse**2,
        "mse_sum": mpmath.fsum(errors),
        "multi_pearson": mean(correlations),
        "multi_pearson_squared": mean(correlations) ** 2,
        "multi_r2": 1 - mean(ratios),
    }


def of_survival() -> dict[str, Any]:
    time, event, risk = exact(SURVIVAL["time"]), SURVIVAL["event"], exact(SURVIVAL["risk"])
    times, survival = exact(SURVIVAL["times"]), exact(SURVIVAL["survival"])
    n = len(time)

    def product(at: Any, *, of_event: int, before: bool) -> Any:
        """Kaplan and Meier's curve of events or of censorings, at or just before a time."""
        found = mpf(1)
        for t in sorted(set(time)):
            if t > at or (before and t == at):
                break
            # a case censored at the time of an event outlives it
            left = sum(u > t for u in time) + sum(
                u == t and (of_event or not e) for u, e in zip(time, event, strict=True)
            )
            gone = sum(u == t and e == of_event for u, e in zip(time, event, strict=True))
            found *= 1 - mpf(gone) / left if gone else 1
        return found

    def uncensored(at: Any, before: bool = True) -> Any:
        return product(at, of_event=0, before=before)

    def score(i: int, j: int) -> Any:
        return 1 if risk[i] > risk[j] else mpf(0.5) if risk[i] == risk[j] else 0

    comparable = [
        (i, j) for i in range(n) for j in range(n) if event[i] and i != j
        and (time[i] < time[j] or (time[i] == time[j] and not event[j]))
    ]  # fmt: skip
    last = max(time)
    uno = [(i, j) for i, j in comparable if time[i] < last]
    weight = {i: 1 / uncensored(time[i]) ** 2 for i in range(n) if event[i]}
    t, column = times[-1], [row[-1] for row in survival]
    cases = [i for i in range(n) if event[i] and time[i] <= t]
    controls = [j for j in range(n) if time[j] > t]

    def brier(at: Any, predicted: list[Any]) -> Any:
        total = mpf(0)
        for i in range(n):
            if time[i] <= at and event[i]:
                total += predicted[i] ** 2 / uncensored(time[i])
            elif time[i] > at:
                total += (1 - predicted[i]) ** 2 / uncensored(at, before=False)
        return total / n

    scores = [brier(at, [row[k] for row in survival]) for k, at in enumerate(times)]
    area = mpmath.fsum(
        (times[k + 1] - times[k]) * (scores[k] + scores[k + 1]) / 2 for k in range(len(times) - 1)
    )
    known = [*cases, *controls]
    weights = [
        1 / uncensored(time[i]) if i in cases else 1 / uncensored(t, before=False) for i in known
    ]
    odds = [mpmath.log((1 - column[i]) / column[i]) for i in known]
    return {
        "c_index": mpmath.fsum(score(i, j) for i, j in comparable) / len(comparable),
        "uno_c": mpmath.fsum(weight[i] * score(i, j) for i, j in uno)
        / mpmath.fsum(weight[i] for i, _ in uno),
        "auc_at": mpmath.fsum(score(i, j) / uncensored(time[i]) for i in cases for j in controls)
        / mpmath.fsum(1 / uncensored(time[i]) for i in cases for _ in controls),
        "brier_at": scores[-1],
        "integrated_brier": area / (times[-1] - times[0]),
        "observed_expected_at": (1 - product(t, of_event=1, before=False))
        / mean(1 - v for v in column),
        "calibration_slope_at": line(odds, [mpf(i in cases) for i in known], weights)[1],
    }


# --------------------------------------------------------------------------- intervals and tests


def binomial_upper(x: int, n: int, p: Any) -> Any:
    """P(X ≥ x) by the regularised incomplete beta function."""
    return mpf(1) if x <= 0 else mpmath.betainc(x, n - x + 1, 0, p, regularized=True)


def beta_quantile(q: Any, a: Any, b: Any) -> Any:
    return root(lambda v: mpmath.betainc(a, b, 0, v, regularized=True) - q, 0, 1)


def wilson(x: Any, n: Any) -> tuple[Any, Any]:
    x, n = mpf(x), mpf(n)
    half = Z * mpmath.sqrt(x * (n - x) / n + Z**2 / 4)
    return (x + Z**2 / 2 - half) / (n + Z**2), (x + Z**2 / 2 + half) / (n + Z**2)


def of_shares() -> list[Row]:
    rows: list[Row] = []
    counts = [(14, 20), (1, 10), (9, 10), (0, 7), (7, 7), (480, 900)]
    for x, n in counts:
        p, big, inner = mpf(x) / n, n + Z**2, 0 < x < n
        centre = (x + Z**2 / 2) / big
        half = Z * mpmath.sqrt(centre * (1 - centre) / big)
        limits: dict[str, tuple[Any, Any]] = {"wilson": wilson(x, n)}
        limits["agresti_coull"] = (max(mpf(0), centre - half), min(mpf(1), centre + half))
        if inner:
            wide = Z * mpmath.sqrt(p * (1 - p) / n)
            limits["wald"] = (max(mpf(0), p - wide), min(mpf(1), p + wide))
            odds, spread = mpmath.log(p / (1 - p)), Z / mpmath.sqrt(n * p * (1 - p))
            limits["logit"] = (logistic(odds - spread), logistic(odds + spread))
        for name, (low, high) in limits.items():
            rows.append(_limits(name, {"x": x, "n": n}, low, high, "closed"))
        if n <= 20:
            rows += _solved(x, n)
    return rows


def _solved(x: int, n: int) -> list[Row]:
    half = ALPHA / 2
    zero, one = mpf(0), mpf(1)
    low = root(lambda p: binomial_upper(x, n, p) - half, 0, 1) if x else zero
    high = root(lambda p: 1 - binomial_upper(x + 1, n, p) - half, 0, 1) if x < n else one
    mass = lambda p: mpmath.binomial(n, x) * p**x * (1 - p) ** (n - x)  # noqa: E731
    mid_low = root(lambda p: binomial_upper(x + 1, n, p) + mass(p) / 2 - half, 0, 1) if x else zero
    mid_high = (
        root(lambda p: 1 - binomial_upper(x, n, p) + mass(p) / 2 - half, 0, 1) if x < n else one
    )
    given = {"x": x, "n": n}
    rows = [
        _limits("clopper_pearson", given, low, high, "iterative"),
        _limits("mid_p", given, mid_low, mid_high, "iterative"),
    ]
    if 0 < x < n:
        a, b = x + mpf(0.5), n - x + mpf(0.5)
        limits = beta_quantile(half, a, b), beta_quantile(1 - half, a, b)
        rows.append(_limits("jeffreys", given, *limits, "iterative"))
    return rows


def _limits(name: str, given: Row, low: Any, high: Any, how: str) -> Row:
    said = {"low": mpmath.nstr(low, 50), "high": mpmath.nstr(high, 50)}
    return {"call": f"intervals.{name}", "given": given, "value": said, "how": how}


def of_several_shares() -> list[Row]:
    rows = []
    for x, n in (([3, 4], [8, 8]), ([9, 2, 5], [10, 7, 30]), ([10, 0], [10, 5])):
        shares, k = [mpf(a) / b for a, b in zip(x, n, strict=True)], len(x)
        limits, middle = [wilson(a, b) for a, b in zip(x, n, strict=True)], mean(shares)
        down = mpmath.fsum((p - low) ** 2 for p, (low, _) in zip(shares, limits, strict=True))
        up = mpmath.fsum((high - p) ** 2 for p, (_, high) in zip(shares, limits, strict=True))
        ends = middle - mpmath.sqrt(down) / k, middle + mpmath.sqrt(up) / k
        rows.append(_limits("mover", {"x": x, "n": n}, *ends, "closed"))
        moved = [(a + mpf(0.5)) / (b + 1) for a, b in zip(x, n, strict=True)]
        spread = mpmath.fsum(v * (1 - v) / b for v, b in zip(moved, n, strict=True)) / k**2
        worth = mean(moved) * (1 - mean(moved)) / spread
        rows.append(
            _limits("effective_wilson", {"x": x, "n": n}, *wilson(middle * worth, worth), "closed")
        )
    for x, n in ((0, 10), (3, 10), (81, 263)):
        p = mpf(x) / n
        low = 2 * n * p + Z**2 - 1
        low -= Z * mpmath.sqrt(Z**2 - 2 - mpf(1) / n + 4 * p * (n * (1 - p) + 1)) if x else 0
        high = 2 * n * p + Z**2 + 1
        high += Z * mpmath.sqrt(Z**2 + 2 - mpf(1) / n + 4 * p * (n * (1 - p) - 1))
        ends = (low / (2 * (n + Z**2)) if x else mpf(0)), high / (2 * (n + Z**2))
        rows.append(_limits("wilson_corrected", {"x": x, "n": n}, *ends, "closed"))
    return [*rows, _sandwich()]


def _sandwich() -> Row:
    """The slope of outcomes on predictions with HC3 errors and Student's t."""
    y, x = exact(NUMBERS["y"]), exact(NUMBERS["p"])
    n, my, mx = len(y), mean(y), mean(x)
    sxx = mpmath.fsum((v - mx) ** 2 for v in x)
    slope = mpmath.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sxx
    meat = mpf(0)
    for a, b in zip(x, y, strict=True):
        leverage = mpf(1) / n + (a - mx) ** 2 / sxx
        meat += ((a - mx) * (b - my - slope * (a - mx)) / (1 - leverage)) ** 2
    half = quantile_student(n - 2) * mpmath.sqrt(meat) / sxx
    given = {"predictions": "numbers"}
    return _limits("linear_calibration", given, slope - half, slope + half, "iterative")


def of_clusters() -> list[Row]:
    """Ratios of totals over clusters (Cochran 1977, section 6.3), Student's limits."""
    y, x = [3.5, 1.0, 0.0, 2.5, 4.0, 1.5, 2.0, 0.5, 3.0], [4, 2, 1, 3, 4, 2, 3, 1, 5]
    groups = [1, 1, 2, 2, 3, 3, 3, 4, 5]
    rows = []
    for name, below in (("cluster_ratio", x), ("cluster_mean", [1] * len(y))):
        cases = list(zip(y, below, groups, strict=True))
        totals = [
            (
                mpmath.fsum(a for a, _, g in cases if g == k),
                mpf(sum(b for _, b, g in cases if g == k)),
            )
            for k in sorted(set(groups))
        ]
        upper, lower = (mpmath.fsum(column) for column in zip(*totals, strict=True))
        ratio, units = upper / lower, len(totals)
        squares = mpmath.fsum(((a - ratio * b) / lower) ** 2 for a, b in totals)
        half = quantile_student(units - 1) * mpmath.sqrt(squares * units / (units - 1))
        given: Row = {"numerator": y, "denominator": below, "groups": groups}
        if name == "cluster_mean":
            given = {"values": y, "groups": groups}
        rows.append(_limits(name, given, ratio - half, ratio + half, "iterative"))
    return rows


def _observed_expected() -> Row:
    """Observed to expected outcomes on the log scale, with the variance of a ratio of totals."""
    y, p = BINARY["y"], exact(BINARY["p"])
    ratio, n = sum(y) / mpmath.fsum(p), len(y)
    squares = mpmath.fsum((a - ratio * b) ** 2 for a, b in zip(y, p, strict=True))
    half = quantile_student(n - 1) * mpmath.sqrt(squares * n / (n - 1)) / sum(y)
    low, high = ratio * mpmath.exp(-half), ratio * mpmath.exp(half)
    return _limits("observed_expected", {"predictions": "binary"}, low, high, "iterative")


def of_recalibration() -> list[Row]:
    """Profile likelihood of the intercept, widened where the sandwich variance is the larger."""
    rows = []
    for name, p in (("binary", BINARY["p"]), ("extreme", EXTREME)):
        y, x = BINARY["y"], [mpmath.log(v / (1 - v)) for v in exact(p)]

        def fit(a: Any, x: list[Any] = x, y: list[int] = y) -> Any:
            return mpmath.fsum(
                mpmath.log(logistic(v + a if c else -v - a)) for v, c in zip(x, y, strict=True)
            )

        at = root(lambda a, x=x, y=y: sum(y) - mpmath.fsum(logistic(v + a) for v in x), -9, 9)
        q = [logistic(v + at) for v in x]
        told = mpmath.fsum(v * (1 - v) for v in q)
        robust = mpmath.fsum(
            ((c - v) / (1 - v * (1 - v) / told)) ** 2 for c, v in zip(y, q, strict=True)
        )  # HC3
        wider = max(mpf(1), robust / told)
        short = lambda a, at=at, fit=fit, w=wider: 2 * (fit(at) - fit(a)) - w * Z**2  # noqa: E731
        given = {"predictions": name, "parameter": "in_the_large"}
        ends = root(short, at - 20, at), root(short, at, at + 20)
        rows.append(_limits("recalibration", given, *ends, "iterative"))
    return rows


def _studentised() -> Row:
    """All ways to label ten scores, each area's distance from ½ in its own standard errors."""
    y, score = SCORES["y"], SCORES["s"]

    def pivot(positive: tuple[int, ...]) -> Any:
        inside = [score[i] for i in positive]
        outside = [score[i] for i in range(len(score)) if i not in positive]
        below = [mean(mpf(a > b) + mpf(a == b) / 2 for b in outside) for a in inside]
        above = [mean(mpf(a > b) + mpf(a == b) / 2 for a in inside) for b in outside]
        spread = mpmath.fsum(
            mpmath.fsum((v - mean(of)) ** 2 for v in of) / (len(of) - 1) / len(of)
            for of in (below, above)
        )
        gap = mean(below) - mpf(0.5)
        return gap / mpmath.sqrt(spread) if spread else mpmath.sign(gap) * mpmath.inf

    observed = pivot(tuple(i for i, c in enumerate(y) if c))
    every = [pivot(chosen) for chosen in combinations(range(len(y)), sum(y))]
    reached = sum(one > observed or mpmath.almosteq(one, observed) for one in every)
    return _p("studentised_permutation", {"predictions": "scores"}, mpf(reached) / len(every))


def _critical() -> list[Row]:
    """The fewest of n that are better than a rate at level .05, by the exact binomial tail."""
    rows = []
    for n, rate in ((20, 0.5), (100, 0.25), (7, 0.625), (1000, 0.5)):
        least = next(x for x in range(n + 1) if binomial_upper(x, n, mpf(rate)) <= mpf(0.05))
        given = {"n": n, "rate": rate}
        rows.append({"call": "significance.binomial_critical", "given": given,
                     "value": str(least), "how": "closed"})  # fmt: skip
    return rows


def _difference() -> Row:
    """How much better one table is than another: the means of the classes' beta posteriors."""
    first, second = [[48, 2], [5, 45]], [[40, 10], [11, 39]]
    means = [
        mean(mpf(row[k] + 1) / (sum(row) + 2) for k, row in enumerate(table))
        for table in (first, second)
    ]
    said = {"mean": mpmath.nstr(means[0] - means[1], 50)}
    given = {"first": first, "second": second}
    return {"call": "posterior.difference", "given": given, "value": said, "how": "iterative"}


def _p(name: str, given: Row, value: Any, how: str = "closed") -> Row:
    said = {"p_value": mpmath.nstr(value, 50)}
    return {"call": f"significance.{name}", "given": given, "value": said, "how": how}


def of_two_shares() -> list[Row]:
    rows = []
    for x1, n1, x2, n2 in ((56, 70, 48, 80), (9, 10, 3, 10), (0, 10, 0, 20), (10, 10, 0, 20)):
        (l1, u1), (l2, u2) = wilson(x1, n1), wilson(x2, n2)
        p1, p2 = mpf(x1) / n1, mpf(x2) / n2
        low = p1 - p2 - mpmath.sqrt((p1 - l1) ** 2 + (u2 - p2) ** 2)
        high = p1 - p2 + mpmath.sqrt((u1 - p1) ** 2 + (p2 - l2) ** 2)
        given = {"x1": x1, "n1": n1, "x2": x2, "n2": n2}
        rows.append(_limits("newcombe", given, low, high, "closed"))
    for b, c, n in ((12, 2, 50), (1, 7, 30), (0, 3, 20)):

        def score(d: Any, b: int = b, c: int = c, n: int = n) -> Any:
            linear = -b - c + (2 * n - b + c) * d
            q = (mpmath.sqrt(linear**2 - 8 * n * (-c * d * (1 - d))) - linear) / (4 * n)
            return (b - c - n * d) / mpmath.sqrt(n * (2 * q + d * (1 - d)))

        middle, edge = mpf(b - c) / n, mpf(10) ** -60
        low = root(lambda d, s=score: s(d) - Z, -1 + edge, middle)
        high = root(lambda d, s=score: s(d) + Z, middle, 1 - edge)
        rows.append(_limits("tango", {"gained": b, "lost": c, "n": n}, low, high, "iterative"))
    for r, n in ((0.6, 50), (-0.2, 12), (0.999999, 8)):
        at, half = mpmath.atanh(mpf(r)), Z / mpmath.sqrt(n - 3)
        low, high = mpmath.tanh(at - half), mpmath.tanh(at + half)
        rows.append(_limits("fisher_z", {"correlation": r, "n": n}, low, high, "closed"))
    for a, n1, n0 in ((0.9, 20, 30), (0.55, 8, 100), (1.0, 20, 20)):

        def spread(v: Any, n1: int = n1, n0: int = n0) -> Any:
            both = (1 - v) / (2 - v) + v / (1 + v)
            return v * (1 - v) / (n1 * n0) * (1 + (mpf(n1 + n0) / 2 - 1) * both)

        value = mpf(a)
        edge = mpf(10) ** -65

        def off(v: Any, value: Any = value, spread: Any = spread) -> Any:
            return (value - v) ** 2 - Z**2 * spread(v)

        low = root(off, edge, value - edge)
        high = root(off, value + edge, 1 - edge) if a < 1 else mpf(1)
        given = {"auc": a, "n1": n1, "n0": n0}
        rows.append(_limits("newcombe_auc", given, low, high, "iterative"))
    for a, n1, n0 in ((0.893, 58, 51), (0.6, 5, 9)):
        v = mpf(a)
        q1, q2 = v / (2 - v), 2 * v**2 / (1 + v)
        square = v * (1 - v) + (n1 - 1) * (q1 - v**2) + (n0 - 1) * (q2 - v**2)
        said = mpmath.nstr(mpmath.sqrt(square / (n1 * n0)), 50)
        given = {"auc": a, "n1": n1, "n0": n0}
        rows.append({"call": "intervals.hanley_mcneil", "given": given, "value": said,
                     "how": "closed"})  # fmt: skip
    return rows


def of_tests() -> list[Row]:
    rows = []
    for x, n, rate in ((15, 20, 0.5), (1, 9, 0.25), (300, 400, 0.5), (990, 1000, 0.5)):
        value = binomial_upper(x, n, mpf(rate))
        rows.append(_p("binomial", {"x": x, "n": n, "rate": rate}, value))
    for b, c in ((3, 8), (0, 6), (40, 11), (0, 400)):
        tail = mpmath.fsum(mpmath.binomial(b + c, k) for k in range(min(b, c) + 1))
        rows.append(_p("mcnemar", {"b": b, "c": c}, min(mpf(1), 2 * tail / mpf(2) ** (b + c))))
    for table in ([[2, 1], [0, 3]], [[30, 12], [9, 41]], [[200, 1], [0, 300]]):
        (a, b), (c, d) = table
        first, column, n = a + b, a + c, a + b + c + d
        ways = mpmath.fsum(
            mpmath.binomial(column, k) * mpmath.binomial(n - column, first - k)
            for k in range(a, min(first, column) + 1)
        )
        rows.append(_p("fisher_counts", {"table": table}, ways / mpmath.binomial(n, first)))
    y, p, q = BINARY["y"], exact(BINARY["p"]), exact(OTHER)
    rows.append(_p("spiegelhalter", {"predictions": "binary"},
                   2 * tail_normal(abs(_calibration(y, p)["spiegelhalter_z"]))))  # fmt: skip
    rows += [*_of_labels(y, p), *_of_lines(y, p), _of_ranks(y, p)]
    difference, variance = _delong(y, p, q)
    z = abs(difference) / mpmath.sqrt(variance)
    rows.append(_p("delong", {"first": "binary", "second": "other"}, 2 * tail_normal(z)))
    return rows


def _of_labels(y: list[int], p: list[Any]) -> list[Row]:
    label, n = [int(v >= mpf(0.5)) for v in p], len(y)
    right = sum(a == b for a, b in zip(y, label, strict=True))
    usual = int(2 * sum(y) > n)
    only = [a == b for a, b in zip(y, label, strict=True) if (a == b) != (a == usual)]
    tail = mpmath.fsum(mpmath.binomial(len(only), k) for k in range(sum(only), len(only) + 1))
    tp, said = sum(a and b for a, b in zip(y, label, strict=True)), sum(label)
    ways = mpmath.fsum(
        mpmath.binomial(sum(y), k) * mpmath.binomial(n - sum(y), said - k)
        for k in range(tp, min(said, sum(y)) + 1)
    )
    given = {"predictions": "binary"}
    return [
        _p("against_rate", given | {"rate": 0.4}, binomial_upper(right, n, mpf(0.4))),
        _p("against_majority", given, tail / mpf(2) ** len(only)),
        _p("fisher", given, ways / mpmath.binomial(n, said)),
    ]


def _of_lines(y: list[int], p: list[Any]) -> list[Row]:
    """Twice the gain in log likelihood of the free line over the line that is tested."""
    odds = [mpmath.log(v / (1 - v)) for v in p]
    ones = [mpf(1)] * len(y)

    def likelihood(a: Any, b: Any) -> Any:
        held = [logistic(a + b * o) for o in odds]
        return mpmath.fsum(mpmath.log(q if c else 1 - q) for c, q in zip(y, held, strict=True))

    large = root(
        lambda a: mpmath.fsum(c - logistic(a + o) for c, o in zip(y, odds, strict=True)), -9, 9
    )
    free, shifted = likelihood(*line(odds, y, ones)), likelihood(large, 1)
    plain = likelihood(0, 1)
    given = {"predictions": "binary"}
    both, shift, turn = 2 * (free - plain), 2 * (shifted - plain), 2 * (free - shifted)
    return [
        _p("likelihood_ratio", given | {"hypothesis": "line"}, mpmath.exp(-both / 2), "iterative"),
        *(
            _p("likelihood_ratio", given | {"hypothesis": name}, 2 * tail_normal(mpmath.sqrt(d)),
               "iterative")
            for name, d in (("in_the_large", shift), ("slope", turn))
        ),
    ]  # fmt: skip


def _of_ranks(y: list[int], p: list[Any]) -> Row:
    """Among all ways to choose the positives, how many have at least their sum of midranks."""
    ranks = [int(2 * r) for r in _midranks(p)]
    ways = [[0] * (sum(ranks) + 1) for _ in range(sum(y) + 1)]
    ways[0][0] = 1
    for rank in ranks:
        for chosen in range(sum(y), 0, -1):
            for total in range(len(ways[0]) - 1, rank - 1, -1):
                ways[chosen][total] += ways[chosen - 1][total - rank]
    observed = sum(r for r, c in zip(ranks, y, strict=True) if c)
    value = mpf(sum(ways[-1][observed:])) / sum(ways[-1])
    return _p("mann_whitney", {"predictions": "binary"}, value)


def _delong(y: list[int], p: list[Any], q: list[Any]) -> tuple[Any, Any]:
    """The difference of two areas and its variance, by the placements of the cases."""

    def placements(scores: list[Any]) -> tuple[list[Any], list[Any]]:
        up = [v for v, c in zip(scores, y, strict=True) if c]
        down = [v for v, c in zip(scores, y, strict=True) if not c]
        wins = [[1 if a > b else mpf(0.5) if a == b else mpf(0) for b in down] for a in up]
        return [mean(row) for row in wins], [mean(col) for col in zip(*wins, strict=True)]

    (a1, a0), (b1, b0) = placements(p), placements(q)
    difference, variance = mean(a1) - mean(b1), mpf(0)
    for first, second in ((a1, b1), (a0, b0)):
        gap = [u - v for u, v in zip(first, second, strict=True)]
        centre = mean(gap)
        variance += mpmath.fsum((g - centre) ** 2 for g in gap) / (len(gap) - 1) / len(gap)
    return difference, variance


# ---------------------------------------------------------------------- smooth curves and resamples


def _local_quadratic(at: Any, x: list[Any], y: list[Any], own: list[Any], nearest: int) -> Any:
    """Value and slope at a place of the parabola through the nearest cases, tricube weights."""
    gaps = [v - at for v in x]
    width = sorted(map(abs, gaps))[nearest - 1]
    near = [(1 - min(abs(g) / width, mpf(1)) ** 3) ** 3 * w for g, w in zip(gaps, own, strict=True)]
    sums = [mpmath.fsum(w * g**k for g, w in zip(gaps, near, strict=True)) for k in range(5)]
    sides = [
        mpmath.fsum(w * g**k * c for g, w, c in zip(gaps, near, y, strict=True)) for k in range(3)
    ]
    found = mpmath.lu_solve(
        mpmath.matrix([sums[k : k + 3] for k in range(3)]), mpmath.matrix(sides)
    )
    return found[0], found[1]


def _blended(places: list[Any], fits: list[Any], at: Any) -> Any:
    """The cubic between two places that has their values and slopes."""
    left = max(i for i, v in enumerate(places[:-1]) if v <= at)
    (v0, s0), (v1, s1) = fits[left], fits[left + 1]
    width = places[left + 1] - places[left]
    u = (at - places[left]) / width
    return (
        v0 * (1 + 2 * u) * (1 - u) ** 2 + v1 * u**2 * (3 - 2 * u)
        + width * (s0 * u * (1 - u) ** 2 - s1 * u**2 * (1 - u))
    )  # fmt: skip


def of_curve_at(t: Any) -> Any:
    """Integrated calibration index at a time: local regression of known outcomes on risks, the
    cells halved while they hold more than a fifth of a neighbourhood (Cleveland and Grosse 1991),
    cases weighted by the inverse probability of not being censored (Gerds, Schumacher 2006)."""
    time, event = SURVIVAL["time"], SURVIVAL["event"]
    column = SURVIVAL["times"].index(t)
    risk = [mpf(1 - row[column]) for row in SURVIVAL["survival"]]

    def uncensored(before: Any) -> Any:
        """Kaplan and Meier's estimate for censoring, which follows events of the same time."""
        left = mpf(1)
        for s in sorted({v for v, e in zip(time, event, strict=True) if not e}):
            if before(s):
                there = sum(v > s or (v == s and not e) for v, e in zip(time, event, strict=True))
                gone = sum(v == s and not e for v, e in zip(time, event, strict=True))
                left *= 1 - mpf(gone) / there
        return left

    held = []
    for v, e, r in zip(time, event, risk, strict=True):
        if v > t:
            held.append((r, mpf(0), 1 / uncensored(lambda s: s <= t)))
        elif e:
            held.append((r, mpf(1), 1 / uncensored(lambda s, v=v: s < v)))
    x, y, own = map(list, zip(*sorted(held), strict=True))
    assert len(set(x)) == len(x)
    span = mpf(0.75)
    nearest, few = int(len(x) * span), int(len(x) * span / 5)
    margin = (x[-1] - x[0]) / 200
    places, waiting = [x[0] - margin, x[-1] + margin], [(0, len(x))]
    while waiting:
        start, stop = waiting.pop()
        if stop - start > few:
            middle = start + (stop - start + 1) // 2
            if x[middle - 1] not in places:
                places.append(x[middle - 1])
                waiting += [(start, middle), (middle, stop)]
    places.sort()
    fits = [_local_quadratic(v, x, y, own, nearest) for v in places]
    return mean(abs(_blended(places, fits, min(max(r, places[0]), places[-1])) - r) for r in risk)


def _drawn(value: Any, variance: Any, draws: int) -> Row:
    """A limit and the standard error of its estimate from so many draws."""
    error = mpmath.sqrt(variance / draws)
    return {"limit": mpmath.nstr(value, 50), "error": mpmath.nstr(error, 20)}


def of_resamples() -> list[Row]:
    """Percentiles of all 256 bootstrap samples of four cases, as they are and by BCa (Efron and
    Tibshirani 1993, section 14.3). They are atoms, and 40,000 draws meet them exactly: their levels
    lie many standard errors of a share away from the next."""
    losses = [abs(mpf(a) - mpf(b)) for a, b in zip(FOUR["y"], FOUR["p"], strict=True)]
    n, draws = len(losses), 40_000
    every = Counter(mean(losses[i] for i in chosen) for chosen in product(range(n), repeat=n))
    atoms, total = sorted(every), n**n

    def reached(level: Any) -> Any:
        upto = mpf(0)
        for atom in atoms:
            start, upto = upto, upto + mpf(every[atom]) / total
            if level <= upto:
                error = 5 * mpmath.sqrt(level * (1 - level) / draws)
                assert min(level - start, upto - level) > error, "another sample would be safer"
                return atom
        raise AssertionError(level)

    value = mean(losses)
    below = mpf(sum(c * (2 if a < value else a == value) for a, c in every.items())) / (2 * total)
    bias = quantile_normal(below)
    without = [(mpmath.fsum(losses) - one) / (n - 1) for one in losses]
    gap = [mean(without) - one for one in without]
    acceleration = mpmath.fsum(g**3 for g in gap) / (6 * mpmath.fsum(g**2 for g in gap) ** mpf(1.5))
    moved = [1 - tail_normal(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in (-Z, Z)]
    rows = []
    for method, levels in (("percentile", (ALPHA / 2, 1 - ALPHA / 2)), ("bca", moved)):
        given = {
            "predictions": "four",
            "measure": "mae",
            "method": method,
            "draws": draws,
            "rng": 1,
        }
        low, high = map(reached, levels)
        rows.append(
            _limits("bootstrap", given | {"rng": 1}, min(low, value), max(high, value), "closed")
        )
    return rows


def _pair_jackknife() -> Row:
    """Harrell's C with the sum of squared influences of the cases, on the logit scale, by Student's
    t with the degrees of freedom that the fourth moment of the influences leaves."""
    time, event, risk = (SURVIVAL[name] for name in ("time", "event", "risk"))
    n = len(time)
    right, pairs = [mpf(0)] * n, [0] * n
    for i, j in product(range(n), repeat=2):
        if event[i] and time[i] < time[j]:  # all times differ
            won = mpf(risk[i] > risk[j]) + mpf(risk[i] == risk[j]) / 2
            for case in (i, j):
                right[case] += won
                pairs[case] += 1
    total = mpf(sum(pairs)) / 2
    value = mpmath.fsum(right) / 2 / total
    moved = [(r - value * p) / total for r, p in zip(right, pairs, strict=True)]
    square = mpmath.fsum(m**2 for m in moved)
    kurtosis = n * mpmath.fsum(m**4 for m in moved) / square**2
    df = min(max(2 * n / (kurtosis - 1), mpf(3)), mpf(n - 1))
    error = mpmath.sqrt(square) * n / (n - 1) / (value * (1 - value))
    half, centre = quantile_student(df) * error, mpmath.log(value / (1 - value))
    ends = logistic(centre - half), logistic(centre + half)
    return _limits("jackknife", {"predictions": "survival"}, *ends, "iterative")


def _over_folds() -> Row:
    """Nadeau and Bengio (2003), eq. 9, of the mean absolute error in four folds of three cases."""
    losses = [abs(mpf(a) - mpf(b)) for a, b in zip(FOLDED["y"], FOLDED["p"], strict=True)]
    folds = [
        mean(v for v, f in zip(losses, FOLDED["fold"], strict=True) if f == k) for k in range(4)
    ]
    spread = mpmath.fsum((v - mean(folds)) ** 2 for v in folds) / 3
    half = quantile_student(3) * mpmath.sqrt((mpf(1) / 4 + mpf(1) / 3) * spread)
    given = {"measure": "mae", "predictions": "folded"}
    ends = max(mean(folds) - half, mpf(0)), mean(folds) + half
    return _limits("nadeau_bengio", given, *ends, "iterative")


def _simulated_outcomes() -> Row:
    """Calibration error of all 2^10 outcomes that ten probabilities can have, and how probable each
    of them is (Bröcker and Smith 2007)."""
    y, p, draws = RISKS["y"], exact(RISKS["p"]), 9999
    bins = [int(10 * v) for v in RISKS["p"]]

    def error(outcome: Any) -> Any:
        gaps = [
            mpmath.fsum(c - v for c, v, b in zip(outcome, p, bins, strict=True) if b == k)
            for k in set(bins)
        ]
        return mpmath.fsum(abs(g) for g in gaps) / len(p)

    observed = error(y)
    first = second = reached = mpf(0)
    for outcome in product((0, 1), repeat=len(p)):
        chance, value = mpf(1), error(outcome)
        for c, v in zip(outcome, p, strict=True):
            chance *= v if c else 1 - v
        first, second = first + chance * value, second + chance * value**2
        if value > observed or mpmath.almosteq(value, observed):
            reached += chance
    given = {"predictions": "risks", "measure": "ece", "draws": draws, "rng": 1}
    said = {
        "value": mpmath.nstr(observed, 50),
        "expected": _drawn(first, second - first**2, draws),
        "test.p_value": _drawn(reached, reached * (1 - reached), draws),
    }
    return {"call": "significance.calibration", "given": given, "value": said, "how": "closed"}


def _exchanged() -> Row:
    """F1 of two models, labels of every case exchanged in all ways, the difference divided by its
    standard error of the infinitesimal jackknife, each cell of both tables half a case fuller,
    spread evenly over the cells of their joint table."""
    y = BINARY["y"]
    labels = [[int(v >= 0.5) for v in p] for p in (BINARY["p"], OTHER)]

    def pivot(first: list[int], second: list[int]) -> Any:
        cells = {c: mpf(1) / 4 for c in product((0, 1), repeat=3)}
        for c in zip(y, first, second, strict=True):
            cells[c] += 1
        tables = [Counter(zip(y, label, strict=True)) for label in (first, second)]
        values = [2 * mpf(t[1, 1]) / (2 * t[1, 1] + t[0, 1] + t[1, 0]) for t in tables]
        slopes = []
        for table in tables:
            tp, wrong = table[1, 1] + mpf(0.5), table[0, 1] + table[1, 0] + mpf(1)
            all_of_it = 2 * tp + wrong
            by_wrong = -2 * tp / all_of_it**2
            slopes.append({(0, 0): mpf(0), (1, 1): 2 * wrong / all_of_it**2,
                           (0, 1): by_wrong, (1, 0): by_wrong})  # fmt: skip
        moved = {(a, i, j): slopes[0][a, i] - slopes[1][a, j] for a, i, j in cells}
        centre = mpmath.fsum(w * moved[c] for c, w in cells.items())
        centre /= mpmath.fsum(cells.values())
        squares = mpmath.fsum(w * (moved[c] - centre) ** 2 for c, w in cells.items())
        return (values[0] - values[1]) / mpmath.sqrt(squares)

    observed = pivot(*labels)
    apart = [i for i, (a, b) in enumerate(zip(*labels, strict=True)) if a != b]
    reached = 0
    for turned in product((False, True), repeat=len(apart)):
        first, second = (list(label) for label in labels)
        for case, turn in zip(apart, turned, strict=True):
            if turn:
                first[case], second[case] = second[case], first[case]
        value = abs(pivot(first, second))
        reached += value > abs(observed) or mpmath.almosteq(value, abs(observed))
    said = {"statistic": mpmath.nstr(observed, 50),
            "p_value": mpmath.nstr(mpf(reached) / 2 ** len(apart), 50)}  # fmt: skip
    given = {"first": "binary", "second": "other", "measure": "f1"}
    return {"call": "significance.exchange", "given": given, "value": said, "how": "iterative"}


def _skill() -> Row:
    """Squared errors against those of the mean of all outcomes; all 2^12 signs of the gains."""
    y, p = exact(NUMBERS["y"]), exact(NUMBERS["p"])
    same = mean(y)
    gains = [(v - same) ** 2 - (v - f) ** 2 for v, f in zip(y, p, strict=True)]
    flipped = [
        mpmath.fsum(g if keep else -g for g, keep in zip(gains, signs, strict=True))
        for signs in product((True, False), repeat=len(gains))
    ]
    observed = mpmath.fsum(gains)
    reached = sum(v > observed or mpmath.almosteq(v, observed) for v in flipped)
    said = {
        "reference": mean((v - same) ** 2 for v in y),
        "difference": mean(gains),
        "p_value": mpf(reached) / len(flipped),
    }
    return {"call": "significance.skill", "given": {"measure": "mse", "predictions": "numbers"},
            "value": {k: mpmath.nstr(v, 50) for k, v in said.items()}, "how": "closed"}  # fmt: skip


def _of_tables() -> list[Row]:
    """Posteriors of what a confusion table and a table of agreement say, by beta integrals."""
    a, b, draws = 46, 9, 100_000  # true positives against both errors, each with 1, 1 and 1 added
    whole = mpmath.beta(a, b)

    def moment(k: int) -> Any:
        """Of F1 = 2J / (1 + J), where the Jaccard index J is a beta variable."""
        return mpmath.quad(
            lambda j: (2 * j / (1 + j)) ** k * j ** (a - 1) * (1 - j) ** (b - 1) / whole,
            [0, mpf(1) / 2, mpf(3) / 4, mpf(9) / 10, 1],
        )

    above = mpmath.betainc(a, b, mpf(0.9) / (2 - mpf(0.9)), 1, regularized=True)
    said: Row = {
        "mean": _drawn(moment(1), moment(2) - moment(1) ** 2, draws),
        "prob_above 0.9": _drawn(above, above * (1 - above), draws),
    }
    given: Row = {"measure": "f1", "confusion": [[48, 2], [5, 45]]}
    rows = [{"call": "posterior.of", "given": given, "value": said, "how": "closed"}]
    table = [[40, 12], [3, 5]]
    first, second, all_of_it = table[0][1] + mpf(0.5), table[1][0] + mpf(0.5), mpf(62)
    centre = (first - second) / all_of_it
    square = (first + second) / all_of_it - centre**2  # of a Dirichlet's difference of two shares
    better = mpmath.betainc(first, second, mpf(0.5), 1, regularized=True)
    # how often they disagree, and who is right then, are independent beta variables
    apart, agreed = first + second, all_of_it - first - second
    by_a_tenth = mpmath.quad(
        lambda m: mpmath.betainc(first, second, (1 + mpf(0.1) / m) / 2, 1, regularized=True)
        * m ** (apart - 1) * (1 - m) ** (agreed - 1) / mpmath.beta(apart, agreed),
        [mpf(0.1), mpf(0.2), mpf(0.3), mpf(0.5), 1],
    )  # fmt: skip
    said = {
        "mean": _drawn(centre, square / (all_of_it + 1), 200_000),
        "prob_above 0": mpmath.nstr(better, 50),
        "prob_above 0.1": mpmath.nstr(by_a_tenth, 50),
    }
    rows.append({"call": "posterior.paired_difference", "given": {"first": table}, "value": said,
                 "how": "iterative"})  # fmt: skip
    y, one, other = [0, 0, 1, 1, 1, 2, 2], [0, 1, 1, 1, 0, 2, 1], [0, 0, 1, 0, 0, 2, 2]
    kinds = Counter((c, int(i != c), int(j != c)) for c, i, j in zip(y, one, other, strict=True))
    counts = [[[str(kinds[c, i, j]) for j in (0, 1)] for i in (0, 1)] for c in range(3)]
    given = {"outcome": y, "first": one, "second": other}
    rows.append({"call": "posterior.agreement", "given": given, "value": counts, "how": "closed"})
    return rows


ITERATIVE = {"calibration_in_the_large", "calibration_intercept", "calibration_slope",
             "calibration_slope_at"}  # fmt: skip
STATED: dict[str, Row] = {
    "f_beta": {"beta": 2.0},
    "expected_cost": {"cost_fp": 1.0, "cost_fn": 3.0},
    "cost_weighted_accuracy": {"cost_fp": 1.0, "cost_fn": 3.0},
    "partial_auc": {"max_fpr": 0.25},
    "net_benefit": {"threshold": 0.3},
    "standardised_net_benefit": {"threshold": 0.3},
    "hosmer_lemeshow": {"groups": 5},
    "auc_at": {"t": 6.5},
    "ici_at": {"t": 4.5},
}


def main() -> None:
    found: list[Row] = []
    for sample, values in (
        ("binary", of_binary()),
        ("classes", of_classes()),
        ("numbers", of_numbers()),
        ("outputs", of_outputs()),
        ("survival", of_survival() | {"ici_at": of_curve_at(4.5)}),
    ):
        for name, value in values.items():
            row = {"call": f"measures.{name}", "sample": sample, "value": mpmath.nstr(value, 50)}
            stated = {"stated": STATED[name]} if name in STATED else {}
            found.append(row | stated | {"how": "iterative" if name in ITERATIVE else "closed"})
    found += [*of_shares(), *of_several_shares(), *of_two_shares(), *of_tests()]
    found += [
        *of_recalibration(),
        *of_clusters(),
        _observed_expected(),
        _studentised(),
        *_critical(),
        _difference(),
        *of_resamples(),
        _pair_jackknife(),
        _over_folds(),
        _simulated_outcomes(),
        _exchanged(),
        _skill(),
        *_of_tables(),
    ]
    about = {
        "source": {"mpmath": f"mpmath {mpmath.__version__}, {mp.dps} digits, make_fifty_digits.py"},
        "description": "textbook formulas on the doubles given, printed to 50 digits",
        "samples": {
            "binary": BINARY,
            "other": {"y": BINARY["y"], "p": OTHER},
            "extreme": {"y": BINARY["y"], "p": EXTREME},
            "classes": CLASSES,
            "scores": SCORES,
            "numbers": NUMBERS,
            "folded": FOLDED,
            "four": FOUR,
            "risks": RISKS,
            "outputs": OUTPUTS,
            "survival": SURVIVAL,
        },
    }
    lines = ",\n".join(json.dumps(row) for row in found)
    head = json.dumps(about)[:-1]
    FILE.write_text(f'{head}, "cases": [\n{lines}\n]}}\n', "utf-8")
    print(f"{len(found)} rows, {FILE.name}")


if __name__ == "__main__":
    main()
