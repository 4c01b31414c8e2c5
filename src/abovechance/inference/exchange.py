"""Could two models have given each other's predictions? Signs flipped, predictions exchanged."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.bootstrap import Units
from abovechance.inference.bootstrap import studentised as studentised_mean
from abovechance.inference.influence import influence, table_slopes
from abovechance.inference.method import Fact, Kind, Takes, answer, declared, test
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Test
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.numerics.exact import SMALLEST
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Predictions, View
from abovechance.resampling import (
    DEFAULT,
    Alternative,
    SignFlips,
    exceedances,
    flip_sums,
    replicate_blocks,
    seed_of,
    tail,
)
from abovechance.resampling.random_bits import STEPS, compiled_draws
from abovechance.resampling.tails import RELATIVE, UNITS_IN_LAST_PLACE
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# Do two models lose equally much? Every difference could as well have had the opposite sign.
# ----------------------------------------------------------------------------------------------


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
    title="Student's t[, corrected for skewness{corrected}][ of {clusters} clusters]"
    "[ against {against}]",
    words="Student's t-test[ corrected for skewness{corrected}][ of {clusters} clusters]"
    "[ against {against}]",
    source=("student1908", "[{corrected:?}hall1992]"),
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
    from abovechance.inference.contrasts import contributions
    from abovechance.inference.pairing import two_on_the_same_cases

    for predictions in (first, second):
        find_method("sign_flip", Kind.TEST).refuse(predictions)
    first, second = two_on_the_same_cases(first, second)
    chosen = (find(measure) if isinstance(measure, str) else measure).for_outcome(first.kind)
    shares = contributions(chosen, first, second)
    if not np.isfinite(shares).all():
        raise NotApplicable(f"{chosen.title} differs by an infinite amount in some case.")
    gains = shares * (-1.0 if chosen.higher_is_better is False else 1.0)
    settings = Settings(draws=draws, seed=seed_of(rng), workers=workers, store=store)
    run = resample_means if studentised else flips
    found = run(gains, groups=first.cases.groups, alternative=alternative, settings=settings)
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
    settings: Settings = DEFAULT,
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
        compiled_draws(settings.flips * len(moving) // STEPS)  # for all blocks or for none
        null = np.asarray(replicate_blocks(_Sums(moving), settings))
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
    settings: Settings = DEFAULT,
) -> Flips:
    """How extreme a mean is, in standard errors, among resamples of differences centred at 0.

    Clusters are resampled as wholes, with their sizes.
    """
    units = Units.of(differences, groups)
    if not units.totals.any():
        return Flips(p_value=1.0, p_strict=0.0, least=1.0)
    found = studentised_mean(units, settings)
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


# ----------------------------------------------------------------------------------------------
# Two models whose predictions are exchanged case by case, and what measures say of the result.
# ----------------------------------------------------------------------------------------------


PARTS = 50  # groups of cases of the jackknife
FEW_PARTS = 20  # where every value is computed by itself
SHARED = 0.7  # of the cases: values that both models give
SAME = 1e-9  # relative: a value that a change of scale leaves as it is


@dataclass(frozen=True, eq=False)
class Swapped:
    """Two models on the same cases, for a measure of exchanged predictions."""

    measure: Measure
    first: Sample
    second: Sample

    @cached_property
    def parts(self) -> Array:
        """The group of the jackknife that every case belongs to; clusters stay whole."""
        most = PARTS if self._batched else FEW_PARTS
        groups = self.first.groups
        if groups is not None:
            code = np.unique(groups, return_inverse=True)[1]
            return code % min(most, int(code.max()) + 1)
        order = np.argsort(_sorting(self.first), kind="stable")
        parts = np.empty(len(order), dtype=np.int64)  # every group gets its share of every class
        parts[order] = np.arange(len(order)) % max(2, min(most, len(order) // 2))
        return parts

    def pivots(self, swaps: Bools) -> Floats:
        """The difference over its standard error for every row of exchanged cases."""
        if self.measure.terms is not None:  # the sum of squares is the same for every exchange
            if self._terms is None:
                return self.values(swaps) - self.values(~swaps)
            return np.asarray(np.where(swaps, -1.0, 1.0) @ self._terms)
        if self.measure.influence is not None and not self._batched and not self._several:
            if worthwhile(len(swaps) * self.first.n):
                import_module("abovechance.numerics.kernels.pair_loops")
            return np.array([self._by_influence(row) for row in swaps])
        if self.parts.max() < 1:
            raise NotApplicable("a standard error needs at least two cases (or clusters).")
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = self._left_out(swaps) - self._left_out(~swaps)
        without, defined = gaps[1:], np.isfinite(gaps[1:])
        count = np.maximum(defined.sum(axis=0), 1)
        centre = np.sum(without, axis=0, where=defined) / count
        squares = np.sum((without - centre) ** 2, axis=0, where=defined)
        return studentised(gaps[0], squares * (count - 1) / count)

    @cached_property
    def _terms(self) -> Floats | None:
        """By how much each case adds more to the first's value; None where cases have weights."""
        terms, both = self.measure.terms, (self.first, self.second)
        if terms is None or any(sample.weight is not None for sample in both):
            return None
        one, other = (terms(s.predictions(), **self.measure.parameters) for s in both)
        return np.asarray((one - other) / self.first.n)

    def values(self, swaps: Bools) -> Floats:
        """The measure of the model that has the second's predictions where `swaps` says so."""
        return evaluate(self.measure, self.mixed(swaps))

    def mixed(self, swaps: Bools) -> Sample:
        """The first model's cases with the second's predictions where `swaps` says so."""
        return self.first.swapped(self.second, swaps, self.measure.reads)

    def _by_influence(self, swap: Bools) -> float:
        both = [self.mixed(row) for row in (swap, ~swap)]
        one, other = (float(evaluate(self.measure, sample)) for sample in both)
        moved, as_moved = (influence(self.measure, sample) for sample in both)
        parts = totals(moved - as_moved, self.first.groups)
        return float(studentised(np.asarray(one - other), np.asarray((parts**2).sum())))

    def _left_out(self, swaps: Bools) -> Floats:
        """Values of all cases, then without each of the jackknife's groups: (1 + groups, rows)."""
        mixed = self.mixed(swaps)
        if self.measure.form is Form.RANKS:  # sorted once for all groups
            kept = self._kept.astype(np.float64)
            each = [evaluate(self.measure, row.reweighted(kept)) for row in mixed.rows()]
            return np.stack(each, axis=1)
        return np.stack([evaluate(self.measure, mixed.taken(k)) for k in self._kept])

    @cached_property
    def _kept(self) -> Bools:
        """Which cases are in: all of them, then all but one group each."""
        numbers = np.arange(-1, int(self.parts.max()) + 1)
        return self.parts != numbers[:, None]

    @property
    def _several(self) -> bool:
        return self.first.outputs > 1

    @property
    def _batched(self) -> bool:
        """Whether the formula takes all rows at once."""
        if self.measure.form in COUNTING:
            return True
        one_call = self.measure.form is Form.SAMPLE or self.measure.takes_batches
        return one_call and not self._several


def studentised(gap: Floats, variance: Floats) -> Floats:
    """Differences in standard errors; one without spread is infinite, no difference is zero."""
    floor = 1e-14 * np.maximum(1.0, np.abs(gap))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = gap / np.sqrt(np.maximum(variance, 0.0))
        level = np.where(np.abs(gap) <= floor, 0.0, np.sign(gap) * np.inf)
    return np.where(variance > floor**2, found, np.where(np.isnan(gap), np.nan, level))


def swappable(measure: Measure, first: Any, second: Any) -> Swapped:
    """The two models on a scale on which their predictions can be exchanged."""
    both = [Sample.of(p) for p in (first, second)]
    if measure.form is Form.RANKS:
        if not _of_one_scale(*(s.column("score") for s in both)):
            both = [s.predicting(score=midranks(s.column("score"))) for s in both]
        return Swapped(measure, *both)
    if measure.reads is View.RISK:
        if measure.form is not Form.CENSORED:
            _refuse(measure)
        t = measure.parameters.get("t")
        ranked = [
            p.replace(risk=midranks(p.risk_by(t)), risk_from_curves=False) for p in (first, second)
        ]
        return Swapped(measure, *map(Sample.of, ranked))
    if measure.reads is View.VALUE:
        for scale in (midranks, _standard):
            moved = [s.predicting(value=scale(s.column("value"))) for s in both]
            if all(_free_of_scale(measure, s, m) for s, m in zip(both, moved, strict=True)):
                return Swapped(measure, *moved)
    if measure.reads is View.SCORE and any(s.column("probability") is None for s in both):
        _refuse(measure)
    return Swapped(measure, *both)


def _of_one_scale(first: Floats, second: Floats) -> bool:
    """Whether both models give the same few values, as grades: ranks would break their ties.

    Half of the cases must be tied in each, and most hold a value that the other gives too.
    """
    for one, other in ((first, second), (second, first)):
        if 2 * len(np.unique(one)) > one.size or np.isin(one, other).mean() < SHARED:
            return False
    return True


def _free_of_scale(measure: Measure, sample: Sample, moved: Sample) -> bool:
    """Whether a change of scale leaves a value as it is, as ranks do to rank correlations."""
    before, after = (float(evaluate(measure, s)) for s in (sample, moved))
    return bool(abs(before - after) <= SAME * max(1.0, abs(before)))


def _refuse(measure: Measure) -> None:
    raise NotApplicable(
        f"{measure.title} depends on the scale of the scores, and those of the two models are not "
        "known to be the same; give probabilities, or compare by a rank measure."
    )


def _standard(values: Floats) -> Floats:
    spread = values.std(axis=-1, keepdims=True)
    centred = values - values.mean(axis=-1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


def _sorting(sample: Sample) -> Array:
    """What groups of the jackknife should hold alike: classes, or events."""
    if sample.strata is not None:
        return sample.strata
    return sample.outcome[1] if sample.kind == "survival" else np.zeros(sample.n)


# ----------------------------------------------------------------------------------------------
# Could the two models have given each other's predictions, without the measure noticing?
# ----------------------------------------------------------------------------------------------


EQUAL = "both models have the same value of the measure"
LISTED_TABLES = 4096  # ways to exchange that are listed even when fewer draws were asked for
CELLS = 1 << 21
SHARED_NUMBERS = 1 << 22  # of exchanged tables that are kept for other measures


@dataclass(frozen=True, kw_only=True)
class Exchanged:
    """What exchanging predictions says of a difference in its own standard errors."""

    statistic: float
    p_value: float
    p_strict: float
    least: float
    draws: int | None = None


@test(
    title="studentised exchange[ of {clusters} clusters][, exact{exact}]",
    words="a[n exact{exact}] test by studentised exchange[ of {clusters} clusters]",
    source="chung2013",
    hypothesis=EQUAL,
    laws=tuple(Law),
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    models=2,
)
def exchange(
    first: Predictions,
    second: Predictions,
    measure: Measure | str,
    *,
    alternative: Alternative = "two-sided",
    draws: int | None = None,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
) -> Test:
    """Test whether two models have the same value of any measure on the same cases.

    The predictions of every case (of every cluster, with groups) are exchanged between the models
    with probability one half, and the difference is divided by its standard error each time: a
    plain exchange would test that the models are interchangeable and reject models that are
    equally good in different ways. The standard error is the infinitesimal jackknife's for
    measures of a confusion table, else a jackknife over twenty groups of cases. Rank measures
    exchange ranks, or the values where both models give the same few; correlations exchange
    standardised values. Scores of unknown scale are not exchanged for other measures.

    Parameters
    ----------
    first, second
        Predictions of two models for the same cases; paired by id where both have ids, else by row.
    measure
        A measure or its name.
    alternative
        "two-sided" (default); "greater": the first model is better; "less".
    draws
        Number of exchanges; 9999 when not given, fewer where each takes long.

    Raises
    ------
    DataError
        If the models did not predict the same cases.
    NotApplicable
        If the measure is undefined here or the difference has no standard error; for predictions
        pooled over folds, cases in time order, and sampling weights.

    See Also
    --------
    sign_flip : for means of losses.
    delong : for areas under the ROC curve.
    abovechance.compare : chooses the test by the measure.

    References
    ----------
    Chung & Romano (2013), Exact and asymptotically robust permutation tests; Janssen (1997).

    Examples
    --------
    >>> from abovechance import examples
    >>> forest, texture = examples.breast_cancer("p_forest"), examples.breast_cancer("p_texture")
    >>> exchange(forest, texture, "f1", rng=1).p_value < 0.001
    True
    """
    from abovechance.inference.pairing import two_on_the_same_cases

    for predictions in (first, second):
        find_method("exchange", Kind.TEST).refuse(predictions)
    first, second = two_on_the_same_cases(first, second)
    chosen = fit(find(measure) if isinstance(measure, str) else measure, first)
    fit(chosen, second)
    if np.isnan([chosen.of(first), chosen.of(second)]).any():
        raise NotApplicable(f"{chosen.title} is undefined here, so it cannot be tested.")
    settings = Settings(
        draws=affordable(chosen, first.n, draws, max(2, len(getattr(first, "classes", ())))),
        seed=seed_of(rng),
        workers=workers,
        store=store,
    )
    found = exchanged(chosen, first, second, alternative=alternative, settings=settings)
    return as_test(found, alternative, first.cases.groups)


def exchanged(
    measure: Measure,
    first: Any,
    second: Any,
    *,
    alternative: Alternative = "two-sided",
    settings: Settings = DEFAULT,
) -> Exchanged:
    """How extreme the studentised difference is when predictions are exchanged at random.

    "greater" means that the first model is better.
    """
    turned = -1.0 if measure.higher_is_better is False else 1.0
    if measure.form in COUNTING and first.cases.groups is None:
        return _of_tables(measure, first, second, turned, alternative, settings)
    swapped = swappable(measure, first, second)
    observed = turned * float(swapped.pivots(np.zeros((1, first.n), dtype=np.bool_))[0])
    scheme = SignFlips(first.n, groups=first.cases.groups)
    work = _Swaps(swapped, scheme)
    sides = 2.0 if alternative == "two-sided" else 1.0
    least = sides * 0.5 ** min(scheme.units, 1000)
    center = 0.0 if alternative == "two-sided" else None
    if scheme.arrangements <= settings.flips:
        null = turned * work.of(scheme.enumerate() < 0)
        found = tail(observed, null, alternative=alternative, exact=True, center=center)
        counted = None
    else:
        block = max(1, min(256, CELLS // max(1, first.n)))
        null = turned * np.asarray(replicate_blocks(work, settings, block=block))
        found = tail(observed, null, alternative=alternative, center=center)
        counted, least = found.draws, max(least, 1.0 / (found.draws + 1))
    return Exchanged(
        statistic=observed,
        p_value=found.p_value,
        p_strict=found.p_strict,
        least=min(least, 1.0),
        draws=counted,
    )


def as_test(found: Exchanged, alternative: Alternative, groups: Array | None) -> Test:
    """The answer of an exchange as a test."""
    known: dict[str, Any] = {} if groups is None else {"clusters": len(np.unique(groups))}
    if found.draws is None:
        known["exact"] = True
    return answer(
        "exchange",
        statistic=found.statistic,
        p_value=found.p_value,
        alternative=alternative,
        draws=found.draws,
        **known,
    )


def affordable(measure: Measure, n: int, draws: int | None, classes: int = 2) -> int:
    """As many exchanges as were asked for; by default fewer where every one costs more.

    A table of two models and K classes has K³ cells: 1000 exchanges of 20 classes take half a
    second, of 40 classes four.
    """
    if draws is not None:
        return draws
    if measure.form in COUNTING:
        return max(199, int(9999 * min(1.0, (10 / classes) ** 3)))
    if measure.form is Form.SAMPLE:
        return 9999 if n <= 100 else 1999 if n <= 2000 else 999
    known = measure.influence is not None or measure.terms is not None
    quick = measure.form is Form.RANKS or known
    return 999 if quick and n <= 1000 else 199


@dataclass(frozen=True, eq=False)
class _Swaps:
    """Studentised differences after random exchanges, as work for blocks."""

    swapped: Swapped
    scheme: SignFlips

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        return self.of(self.scheme.draw(rng, size) < 0)

    def of(self, swaps: Bools) -> Floats:
        rows = max(1, CELLS // max(1, self.scheme.n))
        parts = [self.swapped.pivots(swaps[i : i + rows]) for i in range(0, len(swaps), rows)]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Joint:
    """Cases of two models by class and both labels: what every measure of their tables shares.

    `same` are the cells (class, label of both) where they agree, with `agreed` cases each; `kinds`
    are (class, label of one model, label of the other) with the labels in order. Of `sizes` cases
    of that kind a binomial number, `now` as they are, gives the smaller label to the first model.
    """

    classes: int
    same: Ints  # (2, cells)
    agreed: Floats
    kinds: Ints  # (kinds, 3)
    sizes: Ints
    now: Ints
    drawn: dict[Any, "list[Exchanges]"] = field(default_factory=dict)

    @classmethod
    def of(cls, first: Any, second: Any) -> "Joint":
        """That of two models; the same one for every measure until the first meets another."""
        other, found = first.derived.get("joint", (None, None))
        if other is not second:
            found = cls._made(first, second)
            first.derived["joint"] = second, found
        joint: Joint = found
        return joint

    @classmethod
    def _made(cls, first: Any, second: Any) -> "Joint":
        from abovechance.inference.contrasts import classes_of, labels_of

        k = len(first.classes)
        one, other = labels_of(first), labels_of(second)
        code = (classes_of(first) * k + np.minimum(one, other)) * k + np.maximum(one, other)
        cells, where, times = np.unique(code, return_inverse=True, return_counts=True)
        actual, low, high = cells // k**2, cells // k % k, cells % k
        mixed = low < high
        now = np.bincount(where, weights=one < other, minlength=len(cells)).astype(np.int64)
        return cls(
            k,
            np.stack([actual, low])[:, ~mixed],
            times[~mixed].astype(np.float64),
            np.stack([actual, low, high], axis=1)[mixed],
            times[mixed],
            now[mixed],
        )

    @cached_property
    def cells(self) -> Ints:
        """Cells (3, cells) in which there can be cases: agreed, the smaller label first, second."""
        same = self.same[[0, 1, 1]]
        return np.concatenate([same, self.kinds.T, self.kinds.T[[0, 2, 1]]], axis=1)

    @cached_property
    def flat(self) -> tuple[Ints, Ints]:
        """The places of these cells in the flat tables of the first and the second model."""
        actual, first, second = self.cells
        return actual * self.classes + first, actual * self.classes + second

    @property
    def most(self) -> int:
        """How many exchanges are worked on at once."""
        return max(1, CELLS // (8 * max(self.cells.shape[1] + self.classes**2, 1)))

    def exchanges(self, settings: Settings) -> "list[Exchanges]":
        """As many random exchanges as are wanted, the same for every measure."""
        key = settings.seed, settings.flips, settings.block
        if key not in self.drawn:
            self.drawn.clear()
            swaps = np.asarray(replicate_blocks(_Binomials(self.sizes), settings))
            self.drawn[key] = [Exchanges(self, part) for part in self.parts(swaps)]
        return self.drawn[key]

    def parts(self, swaps: Ints) -> Iterator[Ints]:
        """Exchanges, as many at a time as fit."""
        return (swaps[i : i + self.most] for i in range(0, len(swaps), self.most))


@dataclass(frozen=True, eq=False)
class _Binomials:
    """How many of each kind are exchanged, as work for blocks."""

    sizes: Ints

    def __call__(self, rng: np.random.Generator, size: int) -> Ints:
        return rng.binomial(self.sizes, 0.5, size=(size, len(self.sizes)))


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Some exchanges of two models' labels, with what all measures of their tables read."""

    joint: Joint
    swaps: Ints

    @cached_property
    def counts(self) -> Floats:
        """How many cases there are in each cell of `Joint.cells`."""
        alike = np.broadcast_to(self.joint.agreed, (len(self.swaps), len(self.joint.agreed)))
        both = [alike, self.swaps, self.joint.sizes - self.swaps]
        return np.concatenate(both, axis=1).astype(np.float64)

    @cached_property
    def tables(self) -> tuple[Floats, Floats]:
        """The confusion tables of both models."""
        one, other = (self._table(cell) for cell in self.joint.flat)
        return one, other

    def _table(self, cell: Ints) -> Floats:
        k, many = self.joint.classes, len(self.swaps)
        place = cell + k**2 * np.arange(many)[:, None]
        found = np.bincount(place.ravel(), self.counts.ravel(), minlength=many * k**2)
        return found.astype(np.float64).reshape(many, k, k)

    def pivots(self, measure: Measure) -> Floats:
        """Differences over their standard errors, from the cells that hold cases.

        The K³ cells of a joint table are never written out.
        """
        k, counts, (one, other) = self.joint.classes, self.counts, self.tables
        with np.errstate(invalid="ignore"):  # infinite values of both models
            gap = measure.on_counts(one) - measure.on_counts(other)
        # half a case more in every cell of both tables: no share is without spread
        share = 0.5 / k
        mine, theirs = (table_slopes(measure, table + 0.5) for table in (one, other))
        total = counts.sum(axis=1) + share * k**3
        moves, less = (
            np.take(slopes.reshape(len(counts), k**2), cell, axis=1)
            for slopes, cell in zip((mine, theirs), self.joint.flat, strict=True)
        )
        moves -= less
        spare = mine.mean(axis=2) - theirs.mean(axis=2)  # of an actual class, over all its cells
        mean = np.einsum("bc,bc->b", counts, moves) + share * k**2 * spare.sum(axis=1)
        mean = (mean / total)[:, None]
        # the spread over all cells of a class is that of its rows, of its columns, of its middle
        around = k * (_spread(mine) + _spread(theirs)) + k**2 * (spare - mean) ** 2
        moves -= mean
        squares = np.einsum("bc,bc,bc->b", counts, moves, moves) + share * around.sum(axis=1)
        return studentised(gap, squares)


@dataclass(frozen=True, eq=False)
class _Tables:
    """A measure of two models as a function of how often labels were exchanged."""

    measure: Measure
    joint: Joint

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        return self.pivots(_Binomials(self.joint.sizes)(rng, size))

    def pivots(self, swaps: Ints) -> Floats:
        joint = self.joint
        return np.concatenate(
            [Exchanges(joint, s).pivots(self.measure) for s in joint.parts(swaps)]
        )

    def replicates(self, settings: Settings) -> Floats:
        """Pivots of random exchanges, those that all measures share unless they are stored."""
        size = settings.flips * (self.joint.cells.shape[1] + 2 * self.joint.classes**2)
        if settings.store is not None or size > SHARED_NUMBERS:
            return np.asarray(replicate_blocks(self, settings))
        return np.concatenate([e.pivots(self.measure) for e in self.joint.exchanges(settings)])


def _spread(values: Floats) -> Floats:
    """Sums of squares about the mean along the last axis."""
    return ((values - values.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)


def _of_tables(
    measure: Measure,
    first: Any,
    second: Any,
    turned: float,
    alternative: Alternative,
    settings: Settings,
) -> Exchanged:
    tables = _Tables(measure, Joint.of(first, second))
    sizes = tables.joint.sizes
    observed = turned * float(tables.pivots(tables.joint.now[None, :])[0])
    sides = 2.0 if alternative == "two-sided" else 1.0
    least = min(sides * 0.5 ** min(int(sizes.sum()), 1000), 1.0)
    center = 0.0 if sides == 2.0 else None
    if np.log2(sizes + 1.0).sum() > math.log2(max(settings.flips, LISTED_TABLES)):
        null = turned * tables.replicates(settings)
        found = tail(observed, null, alternative=alternative, center=center)
        return Exchanged(
            statistic=observed,
            p_value=found.p_value,
            p_strict=found.p_strict,
            least=max(least, 1.0 / (found.draws + 1)),
            draws=found.draws,
        )
    swaps, chances = _listed_tables(sizes)
    null = turned * tables.pivots(swaps)
    extreme = exceedances(observed, null, alternative=alternative, center=center)
    beyond = ~exceedances(*_inside(observed, null, alternative)) & extreme
    return Exchanged(
        statistic=observed,
        p_value=min(max(float(chances[extreme].sum()), least), 1.0),
        p_strict=float(chances[beyond].sum()),
        least=least,
    )


def _inside(observed: float, null: Floats, alternative: Alternative) -> tuple[float, Floats]:
    """What must be exceeded for a null value to be no more extreme than the observed one."""
    if alternative == "two-sided":
        return -abs(observed), -np.abs(null)
    return (-observed, -null) if alternative == "greater" else (observed, null)


def _listed_tables(sizes: Ints) -> tuple[Ints, Floats]:
    """Every number of exchanges of each kind, and how probable it is."""
    grids = np.meshgrid(*(np.arange(size + 1) for size in sizes), indexing="ij")
    swaps = np.stack([g.ravel() for g in grids], axis=1) if len(sizes) else np.zeros((1, 0), int)
    chances = np.ones(1)
    for weights in _binomials(sizes):
        chances = np.multiply.outer(chances, weights).ravel()
    return swaps, chances


def _binomials(sizes: Ints) -> Iterator[Floats]:
    for size in sizes.tolist():
        yield np.array([math.comb(size, x) / 2**size for x in range(size + 1)])
