"""Powers and widths that are known without simulation, for the designs where they are."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, floor

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import AboveChanceError
from abovechance.gate import gated
from abovechance.numerics.exact import at_least, log_pmf
from abovechance.settings import Rule
from abovechance.studies.designs import (
    LEAST,
    Binormal,
    BinormalPair,
    CorrelatedModels,
    GaussianPredictions,
    Mixture,
    Scale,
    Shift,
    classes,
    number,
    whole_number,
)
from abovechance.studies.paper_tests import least_rank_sum_p
from abovechance.studies.sample_tests import NO_ORACLE, canonical, least_mann_whitney_p, rejects

CONTINUOUS = ("hotelling", "hotelling_shrink", "srivastava_du", "oracle")
"""Statistics without ties, whose level under permutation is known whatever the noise."""

UNLIKELY = 1e-12  # outcomes with less probability are left out of an enumeration
NODES = 60  # points of a Gaussian quadrature
NEXT = 2.0**-52  # so near to 0 or 1, a probability is lost beside 1 in doubles


@dataclass(frozen=True)
class Known:
    """The power of a test by formula, and which formula it is.

    Attributes
    ----------
    power
        Probability of rejecting, from 0 to 1.
    method
        The formula in words, as "noncentral F" or "normal approximation".
    exact
        Whether endless simulation would give this very number; else it is an approximation.

    See Also
    --------
    closed_form : makes it.

    Examples
    --------
    >>> known = closed_form(Binormal(prevalence=0.2), "auc", 100, 0.7)
    >>> round(known.power, 3), known.method, known.exact
    (0.893, 'normal approximation', False)
    """

    power: float
    method: str
    exact: bool


@gated
def closed_form(
    design: object,
    test: object,
    n: int,
    effect: float,
    *,
    alpha: float = 0.05,
    draws: int = 999,
    rule: Rule = "standard",
) -> Known | None:
    """The power of a test in a design by formula, or None if there is none.

    Exact: binomial, Fisher, McNemar (enumerated), and the level of a permuted continuous
    statistic when nothing is there. Nearly exact: Hotelling (noncentral F) and oracle
    (noncentral χ²) at the level that so many permutations have. Approximate: AUC (normal, with
    the variance of the binormal model) and log score of Gaussian logits (noncentral t). Where
    no arrangement of so few cases reaches the level the power is 0. Tests go by the names and
    aliases that `power` knows; a test of one's own has no formula, nor has a design that draws
    its samples in its own way.

    Parameters
    ----------
    design, test
        As `power` takes them.
    n, effect
        The number of cases, and the effect on the scale of the design.
    alpha
        Level of the test.
    draws, rule
        Permutations of a statistic of two groups, and how its p-value is made of them.

    Returns
    -------
    Known or None
        The power, the method, and whether it is exact.

    Raises
    ------
    AboveChanceError
        If n or the effect is out of range, or the design has no such test.

    See Also
    --------
    power : the same by simulation, with this value beside it.

    References
    ----------
    Hanley & McNeil (1982) and Obuchowski & McClish (1997) for areas; Anderson (2003), section
    5.4, for Hotelling's statistic.

    Examples
    --------
    >>> round(closed_form(GaussianPredictions(), "binomial", 80, 0.5).power, 3)
    0.539
    >>> known = closed_form(Shift(), "hotelling", 40, 0.5, draws=300, rule="paper")
    >>> round(known.power, 3)
    0.888
    """
    whole_number("n", n, 4)
    number("effect", effect)
    known = (
        GaussianPredictions,
        Binormal,
        BinormalPair,
        CorrelatedModels,
        Shift,
        Scale,
        Mixture,
    )
    if not isinstance(test, str) or not isinstance(design, known):
        return None
    if not any(type(design).__call__ is each.__call__ for each in known):
        return None
    name = canonical(test, design.kind)
    if isinstance(design, GaussianPredictions | Binormal):
        return _predictions(design, name, n, effect, alpha)
    if isinstance(design, BinormalPair):
        areas = name in ("auc", "delong")
        return _two_areas(design, n, effect, alpha) if areas else None
    if isinstance(design, CorrelatedModels):
        return _mcnemar(design, n, effect, alpha) if name == "accuracy" else None
    return _two_groups(design, name, n, effect, level_of(alpha, draws, rule))


@gated
def expected_width(
    design: object, measure: str, n: int, effect: float, *, level: float = 0.95
) -> tuple[float, str] | None:
    r"""The mean width of a measure's interval by formula, and which; None if there is none.

    Exact: accuracy, sensitivity and specificity, Wilson's interval enumerated over the counts.
    Approximate, from the standard error of a large sample: the AUC, by the variance of the
    binormal model; the calibration slope, by Fisher's information (Riley et al. 2021, criterion
    3); the ratio of observed to expected events, by the variance of a ratio on the log scale
    (criterion 1, with the outcomes' variance given the predictions).

    Parameters
    ----------
    design
        A `Binormal` or `GaussianPredictions`; others have no formula.
    measure
        The measure's name.
    n, effect
        The number of cases, and the effect on the scale of the design.
    level
        Of the interval.

    Returns
    -------
    tuple of float and str, or None
        The width and where it comes from.

    Raises
    ------
    AboveChanceError
        If the effect of a `Binormal`, an area under the ROC curve, is not in [0.5, 1), the level
        not between 0 and 1, or there are fewer than two cases.

    See Also
    --------
    sample_size : the number of cases for a width, by simulation of the interval of `assess`.

    References
    ----------
    Riley et al. (2021); Hanley & McNeil (1982) for the AUC.

    Examples
    --------
    >>> width, method = expected_width(Binormal(0.2), "auc", 1000, 0.8)
    >>> round(width, 3), method
    (0.067, 'normal approximation')
    """
    known = (GaussianPredictions, Binormal)
    if not isinstance(design, known):
        return None
    if not any(type(design).__call__ is each.__call__ for each in known):
        return None
    if not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise AboveChanceError(f"level must lie between 0 and 1; got {level!r}.")
    if not isinstance(n, int | np.integer) or n < 2:
        raise AboveChanceError(f"n must be a whole number of cases from 2 on; got {n!r}.")
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    delta, n1, hit, alarm = _labelled(design, n, effect)
    n0 = n - n1
    right, quiet = _counts(n1, hit), _counts(n0, 1 - alarm)
    match measure:
        case "accuracy":
            return _wilson_width(np.convolve(right, quiet), z), "Wilson, enumerated"
        case "sensitivity":
            return _wilson_width(right, z), "Wilson, enumerated"
        case "specificity":
            return _wilson_width(quiet, z), "Wilson, enumerated"
        case "auc":
            return 2 * z * _auc_spread(delta, n1, n0), "normal approximation"
    if not isinstance(design, Binormal) or not delta:
        return None
    constant, both, slope = _information(delta, design.prevalence)
    if measure == "calibration_slope":
        error = np.sqrt(constant / (n * (constant * slope - both**2)))
        return float(2 * z * error), "Fisher information"
    if measure == "observed_expected_ratio":
        return float(2 * np.sinh(z * np.sqrt(n * constant) / n1)), "normal approximation"
    return None


def _wilson_width(chances: Floats, z: float) -> float:
    """The mean width of Wilson's interval where 0 … n have these probabilities."""
    n = chances.size - 1
    x = np.arange(n + 1)
    widths = 2 * z / (n + z**2) * np.sqrt(x * (n - x) / n + z**2 / 4)
    return float(chances @ widths)


def _information(delta: float, prevalence: float) -> tuple[float, float, float]:
    """Means of p(1 − p), p(1 − p)L and p(1 − p)L² over the logits L of a calibrated model."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    base = np.log(prevalence / (1 - prevalence))
    logit = np.concatenate([base + side * delta**2 / 2 + delta * nodes for side in (1, -1)])
    share = np.concatenate([prevalence * weights, (1 - prevalence) * weights]) / weights.sum()
    p = 1 / (1 + np.exp(-logit))
    constant, both, slope = (float(share @ (p * (1 - p) * logit**k)) for k in range(3))
    return constant, both, slope


def level_of(alpha: float, draws: int, rule: Rule = "standard") -> float:
    """How often a permutation test of a continuous statistic rejects when nothing is there.

    >>> level_of(0.05, 999), round(level_of(0.05, 300, "paper"), 4)
    (0.05, 0.0532)
    """
    slack = 1e-9
    if rule == "paper":
        return (floor(alpha * draws + slack) + 1) / (draws + 1)
    return floor(alpha * (draws + 1) + slack) / (draws + 1)


def hotelling_power(features: int, n1: int, n0: int, distance: float, level: float) -> float:
    """Power of Hotelling's T² when μ'Σ⁻¹μ is `distance`.

    References
    ----------
    Anderson (2003), section 5.4: F(p, n − p − 1) with noncentrality n₁n₀/n μ'Σ⁻¹μ.
    """
    from scipy.stats import f, ncf

    rest = n1 + n0 - features - 1
    bound = f.isf(level, features, rest)
    if distance == 0:
        return level
    return float(ncf.sf(bound, features, rest, n1 * n0 / (n1 + n0) * distance))


def oracle_power(features: int, n1: int, n0: int, distance: float, level: float) -> float:
    """Power of the test that knows the covariance: χ²(p), noncentrality as Hotelling's."""
    from scipy.stats import chi2, ncx2

    if distance == 0:
        return level
    return float(ncx2.sf(chi2.isf(level, features), features, n1 * n0 / (n1 + n0) * distance))


def _two_groups(
    design: Shift | Scale | Mixture, name: str, n: int, effect: float, level: float
) -> Known | None:
    """Without an effect, the level of any continuous statistic; else where noise is Gaussian."""
    if name == "oracle" and isinstance(design, Mixture):
        raise AboveChanceError(NO_ORACLE)
    if name in CONTINUOUS and effect == (1.0 if isinstance(design, Scale) else 0.0):
        return Known(level, "level of the permutations", exact=True)
    distance = _distance(design, n, effect)
    n1 = int(classes(n).sum())
    if distance is None:
        return None
    if name == "hotelling" and n - design.features - 1 > 0:
        power = hotelling_power(design.features, n1, n - n1, distance, level)
        return Known(power, "noncentral F", exact=False)
    if name == "oracle":
        power = oracle_power(design.features, n1, n - n1, distance, level)
        return Known(power, "noncentral chi-square", exact=False)
    return None


def _distance(design: Shift | Scale | Mixture, n: int, effect: float) -> float | None:
    """μ'Σ⁻¹μ where the groups are Gaussian and differ in their means only."""
    if isinstance(design, Shift) and design.tails is None:
        mu = design.mean(n, effect)
        return float(mu @ np.linalg.solve(design.covariance(), mu))
    if isinstance(design, Mixture) and effect == 0.5:  # each group is one of the clouds
        return (2.0 * design.distance) ** 2
    return None


def _labelled(
    design: GaussianPredictions | Binormal, n: int, effect: float
) -> tuple[float, int, float, float]:
    """How far the classes lie apart, how many positives, and the share of each called positive."""
    from scipy.special import ndtr

    if isinstance(design, Binormal):
        delta, positive = design.distance(effect), classes(n, design.prevalence)
        slope = max(delta, 1e-3)
        odds = [np.log(p / (1 - p)) for p in (design.threshold, design.prevalence)]
        cut = (odds[0] - odds[1] + delta**2 / 2) / slope
    else:
        delta, positive, cut = effect, classes(n), effect / 2
    return delta, int(positive.sum()), float(ndtr(delta - cut)), float(ndtr(-cut))


def _predictions(
    design: GaussianPredictions | Binormal, name: str, n: int, effect: float, alpha: float
) -> Known | None:
    from scipy.special import ndtr, ndtri, stdtrit
    from scipy.stats import nct

    delta, n1, hit, alarm = _labelled(design, n, effect)
    n0 = n - n1
    if name == "binomial":
        return Known(_accuracy(n1, n0, hit, 1 - alarm, alpha), "binomial, enumerated", exact=True)
    if name == "fisher":
        return Known(_fisher(n1, n0, hit, alarm, alpha), "Fisher, enumerated", exact=True)
    if name in ("auc", "wilcoxon"):
        least = least_mann_whitney_p if name == "auc" else least_rank_sum_p
        if not rejects(least(n1, n0), alpha):
            return Known(0.0, "normal approximation", exact=False)
        spread, null = _auc_spread(delta, n1, n0), np.sqrt((n + 1) / (12.0 * n1 * n0))
        gap = float(ndtr(delta / np.sqrt(2))) - 0.5 + null * ndtri(alpha)
        return Known(float(ndtr(gap / spread)), "normal approximation", exact=False)
    if name in ("log_score", "permutation.log_score"):
        shift = delta * np.sqrt(n1 * n0 / n)
        power = float(nct.sf(stdtrit(n - 2, 1 - alpha), n - 2, shift)) if delta else alpha
        reached = rejects(1 / comb(n, n1), alpha)
        return Known(power if reached else 0.0, "noncentral t", exact=False)
    return None


def _auc_spread(delta: float, n1: int, n0: int) -> float:
    """Standard error of the empirical area in the binormal model with equal variances.

    Hanley and McNeil's (1982) formula with the probability that one case of a class beats two
    of the other, a bivariate normal with correlation ½, here by Owen's T.
    """
    from scipy.special import ndtr, owens_t

    h = delta / np.sqrt(2)
    area = float(ndtr(h))
    twice = area - 2 * float(owens_t(h, 1 / np.sqrt(3)))
    return float(np.sqrt((area * (1 - area) + (n1 + n0 - 2) * (twice - area**2)) / (n1 * n0)))


def _two_areas(design: BinormalPair, n: int, effect: float, alpha: float) -> Known:
    """Power of comparing two areas by a normal law with their variance in the binormal model.

    Of two pairs of cases that share one, the models' differences of scores correlate by half of
    what their scores do; of one pair, by as much.
    """
    from scipy.special import ndtr, ndtri
    from scipy.stats import multivariate_normal

    first, second = (delta / np.sqrt(2) for delta in design.distances(effect))
    n1 = int(classes(n, design.prevalence).sum())
    n0 = n - n1

    def both(correlation: float) -> float:
        cov = [[1.0, correlation], [correlation, 1.0]]
        return float(multivariate_normal.cdf([first, second], cov=cov)) - float(
            ndtr(first) * ndtr(second)
        )

    shared = (both(design.correlation) + (n - 2) * both(design.correlation / 2)) / (n1 * n0)
    spreads = [_auc_spread(delta, n1, n0) for delta in design.distances(effect)]
    error = float(np.sqrt(max(spreads[0] ** 2 + spreads[1] ** 2 - 2 * shared, 1e-300)))
    gap = float(ndtr(second) - ndtr(first)) / error
    reach = float(ndtri(1 - alpha / 2))
    power = float(ndtr(gap - reach) + ndtr(-gap - reach))
    return Known(power, "normal approximation", exact=False)


def _accuracy(n1: int, n0: int, sensitivity: float, specificity: float, alpha: float) -> float:
    n, rate = n1 + n0, max(n1, n0) / (n1 + n0)
    right = np.convolve(_counts(n1, sensitivity), _counts(n0, specificity))
    critical = next((k for k in range(n + 1) if rejects(at_least(k, n, rate), alpha)), n + 1)
    return float(right[critical:].sum())


def _fisher(n1: int, n0: int, hit: float, alarm: float, alpha: float) -> float:
    hits, alarms = _counts(n1, hit), _counts(n0, alarm)
    likely = [np.flatnonzero(counts > UNLIKELY) for counts in (hits, alarms)]
    chance = hits[likely[0], None] * alarms[likely[1]]
    seen = chance > UNLIKELY
    called = likely[0][:, None] + likely[1]
    totals = np.arange(called[0, 0], called[-1, -1] + 1)
    rejected = likely[0][:, None] >= _critical(totals, n1, n0, alpha)[called - totals[0]]
    return float(chance[seen][rejected[seen]].sum())


def _critical(totals: Ints, n1: int, n0: int, alpha: float) -> Ints:
    """The fewest hits with which Fisher's test rejects, for each total of cases called positive."""
    from scipy.stats import hypergeom

    low, high = np.maximum(totals - n0, 0), np.minimum(totals, n1) + 1
    while (low < high).any():
        middle = (low + high) // 2
        enough = rejects(hypergeom.sf(middle - 1, n1 + n0, n1, totals), alpha)
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    return np.asarray(high, dtype=np.int64)


def _mcnemar(design: CorrelatedModels, n: int, effect: float, alpha: float) -> Known:
    from scipy.special import ndtr
    from scipy.stats import multivariate_normal

    cases, noise = design.cases(n), design.noise**2
    scale = np.sqrt(1 + noise)
    means = np.array([0.5, 0.5 + effect])
    alike = (1 - noise) / (1 + noise)
    both = float(multivariate_normal.cdf(means / scale, cov=[[1.0, alike], [alike, 1.0]]))
    only_first, only_second = (float(ndtr(mean / scale)) - both for mean in means)
    discordant = only_first + only_second
    power = 0.0
    for total, chance in enumerate(_counts(cases, discordant)):
        if chance < UNLIKELY or total == 0:
            continue
        outcome = _counts(total, only_second / discordant)
        tails = np.cumsum(_counts(total, 0.5))
        lower = np.minimum(1.0, 2 * tails)
        p = np.minimum(lower, lower[::-1])
        power += chance * float(outcome[rejects(p, alpha)].sum())
    return Known(float(power), "McNemar, enumerated", exact=True)


def _counts(n: int, p: float) -> Floats:
    """Probabilities of 0 … n of n; a p next to 0 or 1 is taken for it."""
    if min(p, 1.0 - p) <= NEXT:
        return np.eye(n + 1)[0 if p < 0.5 else n]
    return np.asarray(np.exp(log_pmf(np.arange(n + 1), n, p)))


def smallest(power: Callable[[int], float], target: float, largest: int) -> int | None:
    """The size from which on a power that grows, perhaps in teeth, stays at the target.

    >>> smallest(lambda n: n / 100 - (n % 3 == 0) * 0.02, 0.8, 1000)
    82
    """
    low, high = LEAST - 1, min(2 * LEAST, largest)
    while power(high) < target:
        if high >= largest:
            return None
        low, high = high, min(2 * high, largest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    # Discrete tests saw: take the first size after the last tooth below the target.
    width = max(8, high // 5)
    below = [n for n in range(max(LEAST, high - width), high + width) if power(n) < target]
    first = max(below, default=high - 1) + 1
    return first if first <= largest else None
