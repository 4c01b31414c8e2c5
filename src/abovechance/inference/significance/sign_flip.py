"""Do two models lose equally much? Every difference could as well have had the opposite sign."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import Fact, Kind, Takes, answer, declared, test
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Test
from abovechance.inference.significance.studentised import Units
from abovechance.inference.significance.studentised import studentised as studentised_mean
from abovechance.measures import Law, Measure, find
from abovechance.numerics.exact import SMALLEST
from abovechance.predictions import Predictions
from abovechance.resampling import (
    DEFAULT,
    Alternative,
    Resampling,
    SignFlips,
    exceedances,
    flip_sums,
    replicate_blocks,
    seed_of,
    tail,
)
from abovechance.resampling.random_bits import STEPS, compiled_draws
from abovechance.resampling.tail import RELATIVE, UNITS_IN_LAST_PLACE

SYMMETRIC = "differences of loss are symmetric about zero"
EQUAL_MEANS = "expected losses are equal"
COUNTED = 2**20  # sums of signed differences that are listed rather than drawn
SHORT = 10  # bits: fewer sums are listed at once
LONGEST = 1000  # equal differences whose binomial weights are exact in floating point


STUDENTISED = declared(
    Kind.TEST,
    name="studentised_bootstrap",
    models=2,
    title="studentised bootstrap[ of {clusters} clusters][ against {against}]"
    "[, Student's t{student}]",
    words="a studentised bootstrap test[ of {clusters} clusters][ against {against}]"
    "[ with Student's t{student}]",
    source="hall1988",
    hypothesis=EQUAL_MEANS,
    laws=[Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)
STUDENT = declared(
    Kind.TEST,
    name="student",
    models=2,
    title="Student's t[ of {clusters} clusters][ against {against}]",
    words="Student's t-test[ of {clusters} clusters][ against {against}]",
    source="student1908",
    hypothesis=EQUAL_MEANS,
    laws=[Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)


@dataclass(frozen=True, kw_only=True)
class Flips:
    """What sign flips say of a sum.

    `least` is the smallest p-value these differences allow; `p_strict`, for checking a test,
    leaves ties out.
    """

    p_value: float
    least: float
    p_strict: float | None = None
    draws: int | None = None

    @property
    def exact(self) -> bool:
        """Whether every arrangement was counted."""
        return self.draws is None


@test(
    title="[stratified {stratified}]sign flip[ of {clusters} clusters][ of clusters{whole}]"
    "[ against {against}][, exact{exact}]",
    words="a[n exact{exact}][ stratified{stratified}] sign-flip test[ of {clusters} clusters]"
    "[ of clusters{whole}][ against {against}]",
    source=("fisher1935", "dinga2019"),
    hypothesis=SYMMETRIC,
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    models=2,
)
def sign_flip(
    first: Predictions,
    second: Predictions,
    measure: Measure | str,
    *,
    alternative: Alternative = "two-sided",
    studentised: bool = False,
    draws: int = 9999,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
) -> Test:
    r"""Test whether two models have the same expected loss on the same cases.

    .. math:: T = \sum_i s_i d_i, \quad s_i = \pm 1

    with :math:`d_i` by how much less the first model loses on case i. All sign patterns are
    counted when their sums are few (exact), else `draws` random ones. With groups, whole clusters
    flip together. For right and wrong answers the exact test is McNemar's.

    Parameters
    ----------
    first, second
        Predictions of two models for the same cases; paired by id where both have ids, else by row.
    measure
        A mean of losses (Brier, log score, MAE, …), or accuracy, sensitivity, specificity,
        balanced accuracy: anything that is a sum over the cases; or its name.
    alternative
        "two-sided" (default); "greater": the first model is better; "less".
    studentised
        Test the means alone, however skewed the differences: resample them about their mean
        and divide every mean by its own standard error. (Flipping signs leaves the sum of squares
        as it is, so a studentised flip would be this test without the option.)
    draws
        Number of random sign patterns; 9999 unless stated.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    DataError
        If the models did not predict the same cases.
    NotApplicable
        If the measure is not a sum over cases, or differs by an infinite amount in one; for
        predictions pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    exchange : for any other measure.
    mcnemar : of counts of right and wrong answers.

    References
    ----------
    Fisher (1935), section 21; Dinga et al., Statistical inference; studentised: Hall (1988).

    Examples
    --------
    >>> from abovechance.predictions import Binary
    >>> y = [0, 1, 0, 1, 1, 0, 0, 1]
    >>> first = Binary(y, probability=[.17, .56, .54, .59, .79, .65, .25, .68])
    >>> second = Binary(y, probability=[.27, .63, .56, .58, .60, .66, .27, .56])
    >>> print(sign_flip(first, second, "brier"))
    p = 0.156, sign flip, exact; H0: differences of loss are symmetric about zero
    """
    from abovechance.inference.comparison.contributions import contributions
    from abovechance.inference.comparison.pairs import two_on_the_same_cases

    for predictions in (first, second):
        find_method("sign_flip", Kind.TEST).refuse(predictions)
    first, second = two_on_the_same_cases(first, second)
    chosen = (find(measure) if isinstance(measure, str) else measure).for_outcome(first.kind)
    shares = contributions(chosen, first, second)
    if not np.isfinite(shares).all():
        raise NotApplicable(f"{chosen.title} differs by an infinite amount in some case.")
    gains = shares * (-1.0 if chosen.higher_is_better is False else 1.0)
    how = Resampling(draws=draws, seed=seed_of(rng), workers=workers, store=store)
    run = resample_means if studentised else flips
    found = run(gains, groups=first.cases.groups, alternative=alternative, resampling=how)
    known = known_of(found, first.cases.groups)
    if studentised and found.exact:
        known = {**known, "student": True}
        del known["exact"]
    return answer(
        "studentised_bootstrap" if studentised else "sign_flip",
        statistic=float(shares.sum()),
        p_value=found.p_value,
        alternative=alternative,
        draws=found.draws,
        **known,
    )


def flips(
    differences: Floats,
    *,
    groups: Array | None = None,
    alternative: Alternative = "two-sided",
    resampling: Resampling = DEFAULT,
    strict: bool = False,
) -> Flips:
    """How extreme a sum of differences is among those with some of the signs flipped.

    >>> flips(np.array([0.5, 1.0, 0.2, 0.7]), alternative="greater").p_value
    0.0625
    """
    units = totals(differences, groups)
    moving = units[units != 0]
    two = alternative == "two-sided"
    if not len(moving):
        return Flips(p_value=1.0, p_strict=0.0, least=1.0)
    least = max(0.5 ** min(len(moving) - two, 2000), SMALLEST)
    observed, center = float(moving.sum()), 0.0 if two else None
    counted = None if strict else _counted(np.abs(moving), observed, alternative)
    if counted is not None:
        return Flips(p_value=min(max(counted, least), 1.0), least=least)
    listed = _listed(np.abs(moving), half=two)
    if listed is None:
        compiled_draws(resampling.draws * len(moving) // STEPS)  # for all blocks or for none
        null = np.asarray(replicate_blocks(_Sums(moving), resampling))
        found = tail(observed, null, alternative=alternative, center=center)
        least = max(least, 1.0 / (found.draws + 1))
        return Flips(p_value=found.p_value, p_strict=found.p_strict, least=least, draws=found.draws)
    sums, chances = listed
    extreme = exceedances(observed, sums, alternative=alternative, center=center)
    p_value = min(max(float(chances @ extreme), least), 1.0)
    if not strict:
        return Flips(p_value=p_value, least=least)
    beyond = extreme & ~_no_further(observed, sums, alternative, center)
    return Flips(p_value=p_value, p_strict=float(chances @ beyond), least=least)


def resample_means(
    differences: Floats,
    *,
    groups: Array | None = None,
    alternative: Alternative = "two-sided",
    resampling: Resampling = DEFAULT,
) -> Flips:
    """How extreme a mean is, in standard errors, among resamples of differences centred at 0.

    Clusters are resampled as wholes, with their sizes.
    """
    units = Units.of(differences, groups)
    if not units.totals.any():
        return Flips(p_value=1.0, p_strict=0.0, least=1.0)
    found = studentised_mean(units, resampling)
    if found is None:
        raise NotApplicable(
            "too few differences are not alike for their mean to have a standard error; flip signs."
        )
    if not len(found.pivots):  # so many that Student's t stands for the resamples
        return Flips(p_value=found.p_value(alternative), least=0.0)
    where = found.tail(alternative)
    return Flips(
        p_value=where.p_value, p_strict=where.p_strict, least=found.least, draws=where.draws
    )


def totals(differences: Floats, groups: Array | None) -> Floats:
    """What flips together: the cases, or the sums of clusters."""
    if groups is None:
        return np.asarray(differences, dtype=np.float64)
    code = np.unique(groups, return_inverse=True)[1]
    return np.bincount(code, weights=differences).astype(np.float64)


def known_of(found: Flips, groups: Array | None) -> dict[str, Any]:
    """What a test by flips knows of its use."""
    known: dict[str, Any] = {} if groups is None else {"clusters": len(np.unique(groups))}
    return {**known, "exact": True} if found.exact else known


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums under sign flips, as work for blocks."""

    units: Floats

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        return flip_sums(self.units[None, :], SignFlips(len(self.units)), rng, size)[:, 0]


def _listed(sizes: Floats, *, half: bool) -> tuple[Floats, Floats] | None:
    """Every sum of signed sizes with its probability; None when there are too many.

    Of m equal sizes only the number of plus signs matters, a binomial variable. `half` keeps one
    sign fixed: turning all signs round turns a sum round, so its size has the same distribution.
    """
    distinct, times = np.unique(sizes, return_counts=True)
    if np.log2(times + 1.0).sum() > math.log2(COUNTED) or times.max() > LONGEST:
        return None
    sums, chances = np.zeros(1), np.ones(1)
    if half:
        sums, times[-1] = sums + distinct[-1], times[-1] - 1
    for size, count in zip(distinct.tolist(), times.tolist(), strict=True):
        steps = size * (2.0 * np.arange(count + 1) - count)
        weights = np.array([math.comb(count, k) / 2**count for k in range(count + 1)])
        sums = np.add.outer(sums, steps).ravel()
        chances = np.multiply.outer(chances, weights).ravel()
    return sums, chances


def _counted(sizes: Floats, observed: float, alternative: Alternative) -> float | None:
    """The share of sums at least as extreme; None when they are too many, or soon listed.

    Sums of one half of the sizes are sorted and looked up for every sum of the other half, so that
    a million sums take two thousand steps. The sums lie symmetrically about 0.
    """
    distinct, times = np.unique(sizes, return_counts=True)
    bits = np.log2(times + 1.0)
    if not SHORT < bits.sum() <= math.log2(COUNTED) or times.max() > LONGEST or len(times) < 2:
        return None
    middle = int(np.clip(np.searchsorted(np.cumsum(bits), bits.sum() / 2), 1, len(times) - 1))
    one, other = (
        _listed(np.repeat(distinct[part], times[part]), half=False)
        for part in (slice(None, middle), slice(middle, None))
    )
    assert one is not None
    assert other is not None
    (first, weights), (second, chances) = one, other
    order = np.argsort(second)
    above = np.append(np.cumsum(chances[order][::-1])[::-1], 0.0)
    reach = float(sizes.sum())
    slack = (2.0 * RELATIVE + UNITS_IN_LAST_PLACE) * reach
    least = {"greater": observed, "less": -observed}.get(alternative, abs(observed)) - slack
    if alternative == "two-sided" and least <= 0:
        return 1.0
    share = float(weights @ above[np.searchsorted(second[order], least - first, side="left")])
    return 2.0 * share if alternative == "two-sided" else share


def _no_further(
    observed: float, sums: Floats, alternative: Alternative, center: float | None
) -> Array:
    """Which sums are no more extreme than the observed one."""
    if center is not None:
        return exceedances(-abs(observed - center), -np.abs(sums - center))
    turned: Alternative = "less" if alternative == "greater" else "greater"
    return exceedances(observed, sums, alternative=turned)
