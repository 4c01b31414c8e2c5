"""Intervals of a difference of which only the measure is known: both models on the same cases.

As for one model, each case or cluster is left out in turn where the measure is smooth; else, and of
very many cases, both models are evaluated on the same bootstrap samples.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference import method
from abovechance.inference.comparison.contrasts import (
    Answer,
    How,
    enough_for_a_margin,
    less,
    span,
)
from abovechance.inference.comparison.contributions import classes_of, labels_of
from abovechance.inference.defaults import Setting, interval_by_law
from abovechance.inference.influence import influence
from abovechance.inference.intervals.bootstrap import MOST_UNDEFINED
from abovechance.inference.intervals.left_out import (
    EXTREME,
    MOST,
    ROUNDING,
    freedom_of,
    without_clusters,
)
from abovechance.inference.intervals.replicates import leave_one_out
from abovechance.inference.intervals.tables import of_table
from abovechance.inference.results import Interval
from abovechance.inference.significance.sign_flip import totals
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING, Sample, resampled
from abovechance.resampling import Alternative, Bootstrap

CELLS = 1 << 21
SLOW_DRAWS = 499  # where every bootstrap sample is evaluated by itself


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
    how: How
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
            one, other, times = self._left()
            with np.errstate(invalid="ignore"):
                without = one - other
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
        if of_table(self.measure):
            return self._of_both(estimate, level)
        one, other, times = self._left()
        with np.errstate(invalid="ignore"):
            without = one - other
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
            at = accelerated(at, defined, estimate, *self._without_one())
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

    def _left(self) -> tuple[Floats, Floats, Floats]:
        """Values of both without one case or cluster each; none where resamples tell more."""
        measure, groups, none = self.measure, self.first.cases.groups, np.empty(0)
        if not measure.smooth or (groups is None and self.first.n > MOST):
            return none, none, none
        if groups is None:
            (one, times), (other, _) = (leave_one_out(measure, p) for p in self._both)
            return one, other, times
        one, other = (without_clusters(measure, p, groups) for p in self._both)
        return one, other, np.ones(len(one))

    @property
    def _both(self) -> tuple[Any, Any]:
        return self.first, self.second

    def _of_both(self, estimate: float, level: float) -> Interval:
        """MOVER: the limits of the two values, as far as these vary together (Zou & Donner 2008).

        A table's own limits hold where few cases make a value, which no resample can show.
        """
        seed = self.how.resampling.seed
        one, other = (
            interval_by_law(self.measure, p, Setting(p, [self.measure], level, seed=seed))
            for p in self._both
        )
        mine, theirs = (self.measure.of(p) for p in self._both)
        r = self._together()
        parts = ((mine - one.low, other.high - theirs), (one.high - mine, theirs - other.low))
        below, above = (np.sqrt(max(a * a + b * b - 2.0 * r * a * b, 0.0)) for a, b in parts)
        if below == above == 0.0:
            raise NotApplicable(
                f"{self.measure.title} varies alike in both models, so nothing says how the "
                "difference varies."
            )
        least, most = span(self.measure.range)
        low, high = max(estimate - float(below), least), min(estimate + float(above), most)
        return method.limits("mover_of_both", low, high, level, both=one.method)

    def _together(self) -> float:
        """How far both values vary together from case to case, or cluster to cluster."""
        groups = self.first.cases.groups
        a, b = (totals(influence(self.measure, Sample.of(p)), groups) for p in self._both)
        size = float(np.sqrt((a @ a) * (b @ b)))
        if not 0.0 < size < np.inf:
            return 0.0
        found = float(a @ b) / size
        # what few show of a correlation may be chance: one standard error nearer to 0
        spare = (1.0 - found**2) / np.sqrt(1.0 + min(freedom_of(a), freedom_of(b)))
        return float(np.sign(found) * max(abs(found) - spare, 0.0))

    def _around(self, estimate: float, without: Floats, times: Floats, level: float) -> Interval:
        """Student's t about the difference, its degrees of freedom by how few make the spread."""
        from scipy.special import stdtrit

        units, clustered = float(times.sum()), self.first.cases.groups is not None
        gap = without - times @ without / units
        error = float(np.sqrt((units - 1.0) / units * float(times @ gap**2)))
        size = max(abs(self.measure.of(self.first)), abs(self.measure.of(self.second)))
        unit = "cluster" if clustered else "case"
        if error <= ROUNDING * size:
            raise NotApplicable(
                f"{self.measure.title} differs alike whichever {unit} is left out, so nothing says "
                "how the difference varies."
            )
        half = float(stdtrit(freedom_of(gap, times), 0.5 + level / 2.0)) * error
        least, most = span(self.measure.range)
        known = {"clusters": round(units)} if clustered else {}
        low, high = max(estimate - half, least), min(estimate + half, most)
        return method.limits("paired_left_out", low, high, level, **known)

    def _replicates(self) -> Floats:
        measure, first, second, rng = self.measure, self.first, self.second, self.how.rng(1)
        groups = first.cases.groups
        inside = measure.prevalence_free and groups is None
        with np.errstate(invalid="ignore"):
            if measure.form in COUNTING and groups is None and first.weight is None:
                return _of_tables(measure, first, second, rng, self.how.bootstraps, inside)
            return self._drawn(rng, groups, Sample.of(first).strata if inside else None)

    def _drawn(self, rng: np.random.Generator, groups: Array | None, strata: Any) -> Floats:
        measure, n = self.measure, self.first.n
        slow = measure.needs_index_draws or measure.form is Form.PAIR_AUCS
        size = self.how.bootstraps if not slow or self.how.draws else SLOW_DRAWS
        scheme = Bootstrap(n, strata=strata, groups=groups, kind="counts")
        parts = []
        rows = max(1, CELLS // n)
        for start in range(0, size, rows):
            counts = scheme.draw(rng, min(rows, size - start))
            one, other = (resampled(measure, Sample.of(p), counts) for p in self._both)
            parts.append(one - other)
        return np.concatenate(parts)

    def _without_one(self) -> tuple[Floats, Floats]:
        """Differences without one case each, and how many cases each stands for."""
        measure, first, second = self.measure, self.first, self.second
        if measure.form in COUNTING and first.weight is None:
            joint = joint_table(first, second)
            at = np.argwhere(joint > 0)
            less = np.repeat(joint[None], len(at), axis=0)
            less[np.arange(len(at)), at[:, 0], at[:, 1], at[:, 2]] -= 1.0
            return _gaps(measure, less), joint[at[:, 0], at[:, 1], at[:, 2]]
        (one, times), (other, _) = (leave_one_out(measure, p) for p in (first, second))
        with np.errstate(invalid="ignore"):
            return one - other, times


def accelerated(
    at: Floats, values: Floats, estimate: float, without: Floats, times: Floats
) -> Floats:
    """Percentiles moved for bias and for a spread that changes with the value (BCa).

    References
    ----------
    Efron (1987); Efron & Tibshirani (1993), section 14.3.
    """
    from scipy.special import ndtr, ndtri

    below = (values < estimate).mean() + (values == estimate).mean() / 2.0
    below = np.clip(below, 0.5 / len(values), 1.0 - 0.5 / len(values))
    kept = np.isfinite(without)
    gap = np.average(without[kept], weights=times[kept]) - without[kept]
    scale = (times[kept] @ gap**2) ** 1.5
    acceleration = (times[kept] @ gap**3) / (6.0 * scale) if scale > 0 else 0.0
    shifted = ndtri(below) + ndtri(at)
    moved: Floats = ndtr(ndtri(below) + shifted / (1.0 - acceleration * shifted))
    return moved


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
