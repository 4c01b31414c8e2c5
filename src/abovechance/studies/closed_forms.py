"""Power that is known without simulation, for the designs and tests where it is."""

from dataclasses import dataclass
from math import comb, floor

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import AboveChanceError
from abovechance.numerics.exact import at_least, log_pmf
from abovechance.studies.groups import Mixture, Scale, Shift
from abovechance.studies.papers import Rule, least_rank_sum_p
from abovechance.studies.predictions import (
    Binormal,
    BinormalPair,
    CorrelatedModels,
    GaussianPredictions,
)
from abovechance.studies.questions import NO_ORACLE, canonical, rejects
from abovechance.studies.samples import classes, number, whole
from abovechance.studies.verbs import least_mann_whitney_p

CONTINUOUS = ("hotelling", "hotelling_shrink", "srivastava_du", "oracle")
"""Statistics without ties, whose level under permutation is known whatever the noise."""

UNLIKELY = 1e-12
"""Outcomes with less probability are left out of an enumeration."""

NEXT = 2.0**-52
"""So near to 0 or 1, a probability is lost beside 1 in doubles."""


@dataclass(frozen=True)
class Known:
    """A power and where it comes from; `exact` if it would be met by endless simulation."""

    power: float
    method: str
    exact: bool


def closed_form(
    design: object,
    test: object,
    n: int,
    effect: float,
    *,
    alpha: float = 0.05,
    draws: int = 999,
    rule: Rule = "valid",
) -> Known | None:
    """The power of a test in a design by formula, or None if there is none.

    Exact: binomial, Fisher, McNemar (enumerated), and the level of a permuted continuous
    statistic when nothing is there. Nearly exact: Hotelling (noncentral F) and oracle
    (noncentral χ²) at the level that so many permutations have. Approximate: AUC (normal, with
    the variance of the binormal model) and log score of Gaussian logits (noncentral t). Where
    no arrangement of so few cases reaches the level the power is 0. Tests go by the names and
    aliases that `power` knows; a test of one's own has no formula, nor has a design that draws
    its samples in its own way.

    Examples
    --------
    >>> round(closed_form(GaussianPredictions(), "binomial", 80, 0.5).power, 3)
    0.539
    >>> known = closed_form(Shift(), "hotelling", 40, 0.5, draws=300, rule="share")
    >>> round(known.power, 3)
    0.888
    """
    whole("n", n, 4)
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


def level_of(alpha: float, draws: int, rule: Rule = "valid") -> float:
    """How often a permutation test of a continuous statistic rejects when nothing is there.

    >>> level_of(0.05, 999), round(level_of(0.05, 300, "share"), 4)
    (0.05, 0.0532)
    """
    slack = 1e-9
    if rule == "share":
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


def _predictions(
    design: GaussianPredictions | Binormal, name: str, n: int, effect: float, alpha: float
) -> Known | None:
    from scipy.special import ndtr, ndtri, stdtrit
    from scipy.stats import nct

    if isinstance(design, Binormal):
        delta, positive = design.distance(effect), classes(n, design.prevalence)
        slope = max(delta, 1e-3)
        odds = [np.log(p / (1 - p)) for p in (design.threshold, design.prevalence)]
        cut = (odds[0] - odds[1] + delta**2 / 2) / slope
    else:
        delta, positive, cut = effect, classes(n), effect / 2
    n1 = int(positive.sum())
    n0 = n - n1
    hit, alarm = float(ndtr(delta - cut)), float(ndtr(-cut))
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
    found = likely[0][:, None] >= _critical(totals, n1, n0, alpha)[called - totals[0]]
    return float(chance[seen][found[seen]].sum())


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
