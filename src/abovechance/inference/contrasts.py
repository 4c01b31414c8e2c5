"""One difference between two models: its value, its test, its interval, and margins around it.

Then what every case contributes to a difference, and the interval of a difference of which only
the measure is known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.bootstrap import (
    EXTREME,
    MOST,
    MOST_UNDEFINED,
    ROUNDING,
    accelerated,
    freedom_of,
    freedom_over_clusters,
    jackknife_spread,
    kept_resamples,
    leave_one_out,
    refuse_one_class,
    span,  # of a difference
    without_clusters,
)
from abovechance.inference.confusion_tables import of_table
from abovechance.inference.exchange import totals
from abovechance.inference.influence import Gap, declares_influence, influence
from abovechance.inference.interval_choice import (
    SLOW_DRAWS,
    Shared,
    interval_by_law,
    small_class,
)
from abovechance.inference.method import (
    Fact,
    Kind,
    answer,
    declared_difference,
    find,
    limits,
)
from abovechance.inference.results import Interval, Test
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample
from abovechance.numerics.counts import of_unit_size, table_blocks
from abovechance.numerics.exact import critical_value, p_of
from abovechance.resampling import Alternative, Bootstrap
from abovechance.settings import TWO_MODELS, Settings

DECIDING = 5.0  # cases that a verdict on a margin must rest on
# of differences by leaving out or resampling: with 13 cases bounds that should err in 5 % did so in
# 11 to 14 % (R², correlations), with 30 in 7 to 10 %, with 60 in 5 to 8 % (300 samples each); those
# of root mean squared errors that were given, with 13 to 30 cases, in 8 to 10 % (1000 samples)
CASES_FOR_A_MARGIN = 50
UNSEEN = 4.0  # cases that models part on, beside those that were seen


@dataclass(frozen=True)
class Answer:
    """A test with what belongs beside it: the mid-p value, the smallest p-value attainable."""

    test: Test
    mid_p: float | None = None
    least: float | None = None


class Contrast(Protocol):
    """A difference, first minus second; a gain is the same turned so that more is better.

    `test`: "greater" means that the first is better. `beyond`: p-values of the hypotheses that
    the gain is −margin or less, and that it is margin or more; None where no test can be shifted.
    A method that has no answer raises NotApplicable with the reason.
    """

    @property
    def difference(self) -> float: ...
    def test(self, alternative: Alternative) -> Answer: ...
    def interval(self, level: float) -> Interval: ...
    def beyond(self, margin: float) -> tuple[float, float] | None: ...


@dataclass(frozen=True)
class Standardised:
    """A difference with a standard error: normal, or Student's t with degrees of freedom."""

    gap: Gap
    turned: float
    name: str  # of the method, as a test and as an interval
    hypothesis: str
    known: Mapping[str, Any]
    bounds: tuple[float, float] = (-np.inf, np.inf)
    no_verdict: str | None = None  # why nothing is said of a margin

    @property
    def difference(self) -> float:
        return self.gap.difference

    def test(self, alternative: Alternative) -> Answer:
        gain = replace(self.gap, difference=self.turned * self.gap.difference)
        return Answer(gap_test(gain, alternative, self.name, self.known, self.hypothesis))

    def interval(self, level: float) -> Interval:
        if self.gap.error == 0.0:
            raise NotApplicable(NO_SPREAD)
        return limits(self.name, *self.limits(level), level, **self.known)

    def limits(self, level: float) -> tuple[float, float]:
        """So many standard errors to either side, within the bounds."""
        half = critical_value(level, self.gap.df) * self.gap.error
        low = max(self.gap.difference - half, self.bounds[0])
        high = min(self.gap.difference + half, self.bounds[1])
        return low, high

    def beyond(self, margin: float) -> tuple[float, float] | None:
        if self.gap.error == 0.0:
            return None
        gain = self.turned * self.gap.difference
        return (
            p_of((gain + margin) / self.gap.error, self.gap.df, "greater"),
            p_of((gain - margin) / self.gap.error, self.gap.df, "less"),
        )


@dataclass(frozen=True)
class Declared(Standardised):
    """The same of a comparison that a user declared: its own title and words name the answer."""

    def test(self, alternative: Alternative) -> Answer:
        gain = replace(self.gap, difference=self.turned * self.gap.difference)
        method = find(self.name, Kind.COMPARISON)
        known = {**self.known, "of": str(Kind.COMPARISON)}
        z = gain.difference / gain.error if gain.error > 0 else 0.0
        p = p_of(z, gain.df, alternative)
        return Answer(method.answer(statistic=z, p_value=p, alternative=alternative, **known))

    def interval(self, level: float) -> Interval:
        low, high = self.limits(level)
        known = {**self.known, "of": str(Kind.COMPARISON)}
        return find(self.name, Kind.COMPARISON).limits(low, high, level, **known)


@dataclass(frozen=True)
class Combined:
    """The test of one contrast with the interval of another, for the same two models."""

    tested: Contrast
    bounded: Contrast
    value: float | None = None

    @property
    def difference(self) -> float:
        return self.bounded.difference if self.value is None else self.value

    def test(self, alternative: Alternative) -> Answer:
        return self.tested.test(alternative)

    def interval(self, level: float) -> Interval:
        return self.bounded.interval(level)

    def one_sided(self, level: float) -> Interval:
        """The interval whose ends are one-sided bounds."""
        return one_sided(self.bounded, level)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return self.bounded.beyond(margin)


@dataclass(frozen=True)
class Unanswerable:
    """A difference about which nothing more can be said, and why."""

    difference: float
    reason: str

    def test(self, alternative: Alternative) -> Answer:
        raise NotApplicable(self.reason)

    def interval(self, level: float) -> Interval:
        raise NotApplicable(self.reason)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


declared_difference(
    Kind.TEST,
    Kind.OMNIBUS,
    Kind.INTERVAL,
    name="identical",
    title="identical[ {read}]",
    words="identity[ of {read}]",
    source=(),
    hypothesis="both models have the same value",
    laws=tuple(Law),
    allows=tuple(Fact),
    origin=__name__,
)


@dataclass(frozen=True)
class Alike:
    """Two models that cannot differ: the measure reads the same of both, or both are infinite."""

    infinite: bool = False
    read: str = "predictions"  # what the measure reads: areas, the order alone
    coarse: bool = False  # so few different values that other cases may well tell them apart
    difference: float = 0.0

    def test(self, alternative: Alternative) -> Answer:
        read = "values" if self.infinite else self.read
        return Answer(
            answer("identical", statistic=0.0, p_value=1.0, alternative=alternative, read=read)
        )

    def interval(self, level: float) -> Interval:
        if self.infinite:
            raise NotApplicable("an infinite value has no interval.")
        if self.coarse:
            raise NotApplicable(
                f"both models have identical {self.read} here, on a scale of few values, which "
                "says little of other cases."
            )
        return limits("identical", 0.0, 0.0, level, read=self.read)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


def one_sided(contrast: Contrast, level: float) -> Interval:
    """The interval whose ends are one-sided bounds; most intervals are of that kind anyway."""
    found: Interval = getattr(contrast, "one_sided", contrast.interval)(level)
    return found


def enough_for_a_margin(gaps: Floats, times: Floats | None = None) -> None:
    """Refuse a verdict that hangs on a handful of cases.

    :math:`(\\sum d^2)^2 / \\sum d^4` counts the cases (or clusters) that make up a spread: a third
    of them where differences are normal. Where rare large losses decide and fewer than five were
    seen (a quarter of fewer than twenty), the next sample may hold more, and bounds that should
    err in 5 % do so in up to 24 %.
    """
    few = few_that_decide(gaps, times)
    if few is not None:
        raise NotApplicable(
            f"fewer than {few} cases or clusters make up most of the spread of the "
            "differences, and rare large ones may not have been seen: no verdict on a margin."
        )


def few_that_decide(gaps: Floats, times: Floats | None = None) -> int | None:
    """Fewer than how many cases make up a spread; None where enough do."""
    each = np.ones(len(gaps)) if times is None else times
    gaps = of_unit_size(gaps)
    square, fourth = float(each @ gaps**2), float(each @ gaps**4)
    least = min(DECIDING, float(each.sum()) / 4.0)
    return int(np.ceil(least)) if 0.0 < square**2 < least * fourth else None


def recovered(
    values: tuple[float, float], limits: tuple[Interval, Interval], correlation: float = 0.0
) -> tuple[float, float]:
    r"""How far below and above its value the limits of both parts let a difference lie (MOVER).

    .. math:: L = d - \sqrt{(v_1 - l_1)^2 + (u_2 - v_2)^2 - 2 r (v_1 - l_1)(u_2 - v_2)}

    and the upper limit alike: so a difference allows for whatever each part's own interval does,
    few cases or none that erred.

    References
    ----------
    Zou & Donner (2008), the method of variance estimates recovery.
    """
    (mine, theirs), (one, other) = values, limits
    below = joined(mine - one.low, other.high - theirs, correlation)
    return below, joined(one.high - mine, theirs - other.low, correlation)


def joined(one: float, other: float, correlation: float) -> float:
    """The length of a difference of two parts that vary together so far."""
    if np.isinf(one) or np.isinf(other):
        return np.inf
    return float(np.sqrt(max(one**2 + other**2 - 2.0 * correlation * one * other, 0.0)))


def less(first: float, second: float) -> float:
    """A difference, quietly undefined when both are infinite."""
    with np.errstate(invalid="ignore"):
        return float(np.subtract(first, second))


# ----------------------------------------------------------------------------------------------
# What every case contributes to a difference, for measures that are sums over the cases.
# ----------------------------------------------------------------------------------------------


SUM_ROUNDING = 1e-14  # of a loss: differences no larger are none


def contributions(measure: Measure, first: Any, second: Any) -> Floats:
    """Per-case parts of the difference of two models on the same cases; their sum is it.

    Mean losses are such sums (before a root, say, is taken of the mean). With the class sizes as
    they are so is every share of a class, and every mean of such shares.

    >>> from abovechance.measures import find
    >>> from abovechance.predictions import Binary
    >>> a, b = Binary([0, 1, 1], label=[0, 1, 1]), Binary([0, 1, 1], label=[1, 1, 0])
    >>> contributions(find("balanced_accuracy"), a, b)
    array([0.5 , 0.  , 0.25])
    """
    if measure.form is Form.LOSSES:
        one, other = measure.losses(first), measure.losses(second)
        if np.array_equal(one, other):
            return np.zeros(first.n)  # alike even where both are infinite
        with np.errstate(invalid="ignore"):
            apart = one - other
            level = np.maximum(np.abs(one), np.abs(other))
            apart[np.isfinite(apart) & (np.abs(apart) <= SUM_ROUNDING * level)] = (
                0.0  # alike but for rounding
            )
        return np.asarray(apart / first.n)
    weights = cell_weights(measure, first) if measure.form in COUNTING else None
    if weights is None:
        raise NotApplicable(
            f"{measure.title} is not a sum over the cases, so signs cannot be flipped; "
            "compare models with exchange()."
        )
    actual = classes_of(first)
    return weights[actual, labels_of(first)] - weights[actual, labels_of(second)]


def cell_weights(measure: Measure, predictions: Any) -> Floats | None:
    """What a case of a class (rows) called a class (columns) adds to a measure, sizes fixed.

    None when the measure is not linear in the table. The weights are found by moving one case at
    a time out of a table that calls every case by its class.
    """
    sizes = class_sizes(predictions)
    k = len(sizes)
    if measure.law is Law.CONDITIONAL and of_one_class(measure) is None:
        return None
    if measure.law not in (Law.SHARE, Law.CONDITIONAL, Law.BALANCED):
        return None
    right = np.diag(sizes.astype(np.float64))
    weights = np.zeros((k, k))
    for actual in np.flatnonzero(sizes > 0):  # one class at a time: K⁴ cells are soon too many
        for some in table_blocks(k, k):
            moved = np.repeat(right[None], len(some), axis=0)
            moved[:, actual, actual] -= 1.0
            moved[np.arange(len(some)), actual, some] += 1.0
            weights[actual, some] = measure.on_counts(moved) - measure.on_counts(right)
    return weights if _linear(measure, weights, right) else None


def of_one_class(measure: Measure) -> Bools | None:
    """Which classes of a binary outcome a conditional share counts: [negatives, positives].

    None when its denominator depends on what was predicted, as that of predictive values does.

    >>> from abovechance.measures import find
    >>> of_one_class(find("sensitivity"))
    array([False,  True])
    >>> of_one_class(find("ppv")) is None
    True
    """
    if measure.form is not Form.CLASS_RATIO or measure.average is not None:
        return None
    tp, fp, fn, tn = np.eye(4)
    counted = np.asarray(measure.formula(tp, fp, fn, tn, **measure.parameters)[1]) > 0
    if counted[0] != counted[2] or counted[1] != counted[3]:
        return None
    return np.array([counted[1], counted[0]])


def right(predictions: Any) -> Bools:
    """Which cases are called by their class."""
    return np.asarray(labels_of(predictions) == classes_of(predictions))


def classes_of(predictions: Any) -> Any:
    """The class of every case, as a number."""
    return np.asarray(Sample.of(predictions).outcome, dtype=np.int64)


def labels_of(predictions: Any) -> Any:
    """The predicted class of every case, as a number."""
    return np.asarray(Sample.of(predictions).column("label"), dtype=np.int64)


def class_sizes(predictions: Any) -> Floats:
    """Number of cases of each class."""
    return np.bincount(classes_of(predictions), minlength=len(predictions.classes)).astype(float)


def _linear(measure: Measure, weights: Floats, right: Floats) -> bool:
    """Whether the weights also say what happens when half of every class is called otherwise."""
    k = len(right)
    spread = np.full((k, k), 0.5 / max(1, k - 1))
    np.fill_diagonal(spread, 0.5)
    table = np.diag(right)[:, None] * spread
    expected = measure.on_counts(right) + (weights * table).sum()
    return bool(np.isclose(measure.on_counts(table), expected, rtol=1e-9, atol=1e-12))


# ----------------------------------------------------------------------------------------------
# Intervals of a difference of which only the measure is known: both models on the same cases.
#
# As for one model, each case or cluster is left out in turn where the measure is smooth; else,
# and of very many cases, both models are evaluated on the same bootstrap samples.
# ----------------------------------------------------------------------------------------------


CELLS = 1 << 21


method.declared(
    method.Kind.INTERVAL,
    name="mover_of_both",
    models=2,
    title="MOVER of both intervals[ ({both})]",
    words="the MOVER method with both models' own limits[ ({both})] and their correlation",
    source="zou2008",
    takes=method.Takes.PARTS,
    laws=[Law.UNKNOWN, Law.CONDITIONAL],
    allows=[method.Fact.CLUSTERS, method.Fact.WEIGHTS],
    origin=__name__,
)
method.declared(
    method.Kind.INTERVAL,
    name="paired_left_out",
    models=2,
    title="paired jackknife[ over {clusters} clusters], Student's t",
    words="a paired jackknife[ over {clusters} clusters] with Student's t",
    source="efron1993",
    takes=method.Takes.PARTS,
    laws=tuple(Law),
    allows=[method.Fact.CLUSTERS, method.Fact.WEIGHTS],
    origin=__name__,
)
method.declared(
    method.Kind.INTERVAL,
    name="paired_bootstrap",
    models=2,
    title="paired bootstrap[ {kind}][{clusters:?} of clusters, percentile][, {draws} draws]",
    words="a paired[ {kind}] bootstrap[{clusters:?} of clusters, by percentiles]"
    "[ with {draws} draws]",
    source="efron1987",
    takes=method.Takes.PARTS,
    laws=tuple(Law),
    allows=[method.Fact.CLUSTERS, method.Fact.WEIGHTS],
    origin=__name__,
)


@dataclass(frozen=True, eq=False)
class Resampled:
    """A difference with a bootstrap interval and no test of its own."""

    measure: Measure
    first: Any
    second: Any
    settings: Settings
    reason: str = "the difference has a bootstrap interval and no test"

    @property
    def difference(self) -> float:
        return less(self.measure.of(self.first), self.measure.of(self.second))

    def test(self, alternative: Alternative) -> Answer:
        raise NotApplicable(self.reason)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None

    def one_sided(self, level: float) -> Interval:
        """The interval that margins are held against."""
        if not of_table(self.measure) and not self.measure.extreme:
            least = small_class(self.first)
            mean = self.measure.law is Law.MEAN and self.measure.after is None
            if least < CASES_FOR_A_MARGIN and not mean and self.first.cases.groups is None:
                raise NotApplicable(
                    f"a verdict on a margin of {self.measure.title} needs {CASES_FOR_A_MARGIN} "
                    f"cases{' of each class' * hasattr(self.first, 'classes')}, and there "
                    f"{'is' if least == 1 else 'are'} {least}; the interval stands."
                )
            without, times = self._left()
            if len(without) and np.isfinite(without).all():
                enough_for_a_margin(without - times @ without / times.sum(), times)
        return self.interval(level)

    def interval(self, level: float) -> Interval:
        """Leaving out, BCa, or percentiles over clusters; within what a difference can be."""
        estimate = self.difference
        if not np.isfinite(estimate):
            raise NotApplicable(f"{self.measure.title} is not finite here, so it has no interval.")
        if self.measure.extreme:
            raise NotApplicable(EXTREME)
        if self.first.n < 2:
            raise NotApplicable("one case does not show how a difference varies.")
        if of_table(self.measure) or self.measure.law is Law.PAIRS:
            return self._of_both(estimate, level)
        refuse_one_class(self.measure.title, self.first)
        without, times = self._left()
        if len(without) and np.isfinite(without).all():
            return self._around(estimate, without, times, level)
        values = self._replicates()
        defined = values[np.isfinite(values)]
        lost = len(values) - len(defined)
        if lost > MOST_UNDEFINED * len(values):
            raise NotApplicable(
                f"{self.measure.title} is undefined in {lost} of {len(values)} bootstrap samples."
            )
        at = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        clustered = self.first.cases.groups is not None
        if not clustered:
            without, times = self._without_one()
            self._refuse_what_few_decide(without, times)
            at = accelerated(at, defined, estimate, without, times)
        low, high = np.quantile(defined, at)
        if low == high:
            raise NotApplicable(
                f"{self.measure.title} differs alike in all bootstrap samples, so nothing says how "
                "the difference varies."
            )
        # a value that resamples are biased away from is still one of those it may be
        low, high = min(float(low), estimate), max(float(high), estimate)
        least, most = span(self.measure.range)
        known = {"clusters": True} if clustered else {"kind": "BCa"}
        return method.limits(
            "paired_bootstrap",
            max(low, least),
            min(high, most),
            level,
            draws=len(values),
            **known,
        )

    def _refuse_what_few_decide(self, without: Floats, times: Floats) -> None:
        """Where models part on a handful of cases, resamples know no others (coverage .60)."""
        kept = np.isfinite(without)
        if not kept.any():
            raise NotApplicable(f"{self.measure.title} is undefined when any case is left out.")
        gaps = without[kept] - np.average(without[kept], weights=times[kept])
        few = few_that_decide(gaps, times[kept])
        if few is not None:
            raise NotApplicable(
                f"the models differ in {self.measure.title} by fewer than {few} cases: too few to "
                "say how the difference varies."
            )

    def _left(self) -> tuple[Floats, Floats]:
        """Differences without one case or cluster each; none where resamples tell more."""
        measure, groups, none = self.measure, self.first.cases.groups, np.empty(0)
        if not measure.smooth:
            return none, none
        if groups is None and self.first.n > MOST:
            known = (declares_influence(measure, Sample.of(p)) for p in self._both)
            if of_table(measure) or measure.form is Form.LOSSES or not all(known):
                return none, none
        if groups is None:
            return self._without_one()
        with np.errstate(invalid="ignore"):
            one, other = (without_clusters(measure, p, groups) for p in self._both)
            return one - other, np.ones(len(one))

    @property
    def _both(self) -> tuple[Any, Any]:
        return self.first, self.second

    def _of_both(self, estimate: float, level: float) -> Interval:
        """MOVER: the limits of the two values, as far as these vary together (Zou & Donner 2008).

        A table's own limits hold where few cases make a value, which no resample can show.
        """
        settings = Settings(level=level, seed=self.settings.seed)
        one, other = (
            interval_by_law(self.measure, p, Shared.beside(settings, p, self.measure))
            for p in self._both
        )
        values = self.measure.of(self.first), self.measure.of(self.second)
        below, above = recovered(values, (one, other), self._correlation())
        if below == above == 0.0:
            raise NotApplicable(
                f"{self.measure.title} varies alike in both models, so nothing says how the "
                "difference varies."
            )
        least, most = span(self.measure.range)
        low, high = max(estimate - below, least), min(estimate + above, most)
        return method.limits("mover_of_both", low, high, level, both=one.method)

    def _correlation(self) -> float:
        """How far both values vary together from case to case, or cluster to cluster.

        Never so far that the difference would rest on the few cases that models were seen to part
        on: as many as make up its spread, and four more. (20 cases, MCC of models that differ in
        two or three: bounds that should err in .05 did so in .13 at a margin.)
        """
        groups = self.first.cases.groups
        a, b = (totals(influence(self.measure, Sample.of(p)), groups) for p in self._both)
        size = float(np.sqrt((a @ a) * (b @ b)))
        if not 0.0 < size < np.inf:
            return 0.0
        found = float(a @ b) / size
        # what few show of a correlation may be chance: one standard error nearer to 0
        spare = (1.0 - found**2) / np.sqrt(1.0 + min(freedom_of(a), freedom_of(b)))
        found = float(np.sign(found) * max(abs(found) - spare, 0.0))
        square, fourth = float(((a - b) ** 2).sum()), float(((a - b) ** 4).sum())
        spread = square + UNSEEN * fourth / square if square > 0.0 else np.inf
        careful = float(a @ a + b @ b - spread) / (2.0 * size)
        return min(found, max(careful, 0.0))

    def _around(self, estimate: float, without: Floats, times: Floats, level: float) -> Interval:
        """Student's t about the difference, its degrees of freedom by how few make the spread."""

        clustered = self.first.cases.groups is not None
        unit = "cluster" if clustered else "case"
        gap, error = jackknife_spread(without, times, unit)
        size = max(abs(self.measure.of(self.first)), abs(self.measure.of(self.second)))
        if error <= ROUNDING * size:
            raise NotApplicable(
                f"{self.measure.title} differs alike whichever {unit} is left out, so nothing says "
                "how the difference varies."
            )
        freedom = freedom_over_clusters(gap, self.first) if clustered else freedom_of(gap, times)
        half = critical_value(level, freedom) * error
        least, most = span(self.measure.range)
        known = {"clusters": len(gap)} if clustered else {}
        low, high = max(estimate - half, least), min(estimate + half, most)
        return method.limits("paired_left_out", low, high, level, **known)

    def _replicates(self) -> Floats:
        measure, first, second = self.measure, self.first, self.second
        rng = self.settings.rng(TWO_MODELS, 1)
        groups = first.cases.groups
        inside = measure.prevalence_free and groups is None
        with np.errstate(invalid="ignore"):
            if measure.form in COUNTING and groups is None and first.weight is None:
                return _of_tables(measure, first, second, rng, self.settings.bootstraps, inside)
            return self._drawn(groups, Sample.of(first).strata if inside else None)

    def _drawn(self, groups: Array | None, strata: Any) -> Floats:
        """Both models on the same samples, which are those of every other pair."""
        measure, n, settings = self.measure, self.first.n, self.settings
        slow = measure.needs_index_draws or measure.form is Form.PAIR_AUCS
        size = settings.bootstraps if not slow or settings.draws else SLOW_DRAWS

        def draws() -> Iterator[Array]:
            rng, rows = settings.rng(TWO_MODELS, 1), max(1, CELLS // n)
            scheme = Bootstrap(n, strata=strata, groups=groups, kind="counts")
            for start in range(0, size, rows):
                yield scheme.draw(rng, min(rows, size - start))

        key = "two models", settings.seed, settings.quick, size, strata is None, groups is None
        one, other = (kept_resamples(measure, p, key, draws) for p in self._both)
        return one - other

    def _without_one(self) -> tuple[Floats, Floats]:
        """Differences without one case each, and how many cases each stands for."""
        measure, first, second = self.measure, self.first, self.second
        if measure.form in COUNTING and first.weight is None:
            joint = joint_table(first, second)
            at = np.argwhere(joint > 0)
            less = np.repeat(joint[None], len(at), axis=0)
            less[np.arange(len(at)), at[:, 0], at[:, 1], at[:, 2]] -= 1.0
            with np.errstate(invalid="ignore"):
                return _gaps(measure, less), joint[at[:, 0], at[:, 1], at[:, 2]]
        (one, times), (other, _) = (leave_one_out(measure, p) for p in (first, second))
        with np.errstate(invalid="ignore"):
            return one - other, times


def joint_table(first: Any, second: Any) -> Floats:
    """Cases by class, label of the first and label of the second model."""
    k = len(first.classes)
    joint = np.zeros((k, k, k))
    np.add.at(joint, (classes_of(first), labels_of(first), labels_of(second)), 1.0)
    return joint


def _of_tables(
    measure: Measure, first: Any, second: Any, rng: np.random.Generator, size: int, inside: bool
) -> Floats:
    """A bootstrap sample of cases is a multinomial sample of the joint table."""
    joint = joint_table(first, second)
    other = joint.swapaxes(1, 2)
    if tuple(other.ravel()) < tuple(joint.ravel()):  # so that swapped models have the same samples
        return -_of_joint(measure, other, rng, size, inside)
    return _of_joint(measure, joint, rng, size, inside)


def _of_joint(
    measure: Measure, joint: Floats, rng: np.random.Generator, size: int, inside: bool
) -> Floats:
    if not inside:
        shares = joint.ravel() / joint.sum()
        drawn = rng.multinomial(int(joint.sum()), shares, size=size)
        return _gaps(measure, drawn.reshape(size, *joint.shape))
    drawn = np.zeros((size, *joint.shape))
    for k, part in enumerate(joint):
        if part.sum() > 0:
            found = rng.multinomial(int(part.sum()), part.ravel() / part.sum(), size=size)
            drawn[:, k] = found.reshape(size, *part.shape)
    return _gaps(measure, drawn)


def _gaps(measure: Measure, joint: Array) -> Floats:
    return measure.on_counts(joint.sum(axis=-1)) - measure.on_counts(joint.sum(axis=-2))


# ----------------------------------------------------------------------------------------------
# A difference over its standard error: its test and its tail.
# ----------------------------------------------------------------------------------------------


EQUAL_AREAS = "the areas under the ROC curves are equal"
NO_SPREAD = "the difference has no spread in these cases, so no standard error."


def gap_test(
    gap: Gap,
    alternative: Alternative,
    name: str,
    known: Mapping[str, Any],
    hypothesis: str = EQUAL_AREAS,
) -> Test:
    """A difference over its standard error; no difference without spread is z = 0, as in pROC."""
    if gap.error == 0.0 and gap.difference != 0.0:
        raise NotApplicable(NO_SPREAD)
    z = gap.difference / gap.error if gap.error > 0 else 0.0
    return answer(
        name,
        statistic=float(z),
        p_value=p_of(z, gap.df, alternative),
        alternative=alternative,
        hypothesis=hypothesis,
        **known,
    )
