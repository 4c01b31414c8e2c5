"""From combined null maps to p-values at every centre, and what bounds the false ones among them.

A combination counts when it is at least as large as what was observed, or so near that only the
rounding of 32-bit numbers could tell them apart. Combinations are streamed: of each block only
counts, highest values and sizes of clusters are kept, so memory does not grow with their number.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.inference.multiplicity import benjamini_hochberg, benjamini_yekutieli
from abovechance.maps.combinations import Drawn, Plan
from abovechance.numerics import pareto_tail
from abovechance.numerics.map_arithmetic import (
    Adjacent,
    cluster_sizes,
    clusters,
    counted,
    enhanced,
    highest,
)
from abovechance.resampling import in_order, stream
from abovechance.settings import Settings

BLOCK = 256
"""Draws that share a stream."""

STEP, EXTENT, HEIGHT = 0.1, 0.5, 2.0
"""Of threshold-free cluster enhancement: height of a step, in standard deviations; E and H."""


# ----------------------------------------------------------------------------------------------
# Combined maps, block by block.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Counting:
    """What is kept of combined maps: counts at every centre, highest values of every draw.

    `kept` of the highest values at each centre say where clusters are formed; with `adjacent`,
    maps are enhanced by the support of neighbourhoods too. A block is kept as a whole, so `draws`
    belongs to what is computed: a store of another number of draws is another run's.
    """

    plan: Plan
    kept: int
    adjacent: Adjacent | None
    draws: int

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        """One block."""
        return self.of(self.plan.choice.draw(rng, size))

    def of(self, drawn: Drawn) -> dict[str, Array]:
        """What is kept of these draws."""
        places = self.plan.maps.shape[1]
        exceed = np.zeros(places, dtype=np.int64)
        top = np.full((min(self.kept, len(drawn.rows)), places), -np.inf)
        largest, supported = [], []
        for values in self.plan.parts(drawn):
            found = counted(values, self.plan.bar, len(top))
            exceed += found.exceed
            top = highest(np.concatenate([top, found.top]), len(top))
            largest.append(found.largest)
            if self.adjacent is not None:
                tall = enhanced(values, self.adjacent, step=STEP, extent=EXTENT, height=HEIGHT)
                supported.append(tall.max(axis=1))
        kept = {"largest": np.concatenate(largest), "exceed": exceed[None], "top": top}
        return kept | ({"supported": np.concatenate(supported)} if supported else {})


@dataclass(frozen=True, eq=False)
class Clustering:
    """Sizes of the clusters above a threshold in combined maps."""

    plan: Plan
    threshold: Floats
    adjacent: Adjacent
    draws: int

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        """One block."""
        return self.of(self.plan.choice.draw(rng, size))

    def of(self, drawn: Drawn) -> dict[str, Array]:
        """Sizes in these draws."""
        histogram = np.zeros(self.adjacent.places + 1, dtype=np.int64)
        largest = []
        for values in self.plan.parts(drawn):
            sizes, most = cluster_sizes(values, self.threshold, self.adjacent)
            histogram += sizes
            largest.append(most)
        return {"largest": np.concatenate(largest), "histogram": histogram[None]}


@dataclass(frozen=True)
class Reference:
    """The draws that what was observed is compared with.

    `exact` if they are all there are. The observed arrangement is one of them when all are listed
    and the observed maps are among those combined; otherwise it is counted once more.
    """

    draws: int
    exact: bool
    besides: int

    def p_value(self, exceed: Any) -> Any:
        """From how many draws are at least as large."""
        return np.maximum((exceed + self.besides) / (self.draws + self.besides), self.least)

    @property
    def least(self) -> float:
        """The smallest p-value there can be."""
        return 1.0 / (self.draws + self.besides)

    def kept(self, p: float) -> int:
        """How many of the highest values say where p begins; 0 if no p is so small.

        Among the draws and what was observed, a value above the last of these has a p-value of at
        most p, and no other has.

        >>> Reference(999, False, 1).kept(0.001), Reference(998, False, 1).kept(0.001)
        (2, 0)
        """
        counts = int(np.floor(p * (self.draws + self.besides) * (1 + 1e-12)))
        return counts + 1 if counts else 0


def reference_of(plan: Plan, settings: Settings) -> Reference:
    """Every arrangement where there are no more than draws, otherwise so many at random."""
    arrangements = plan.choice.arrangements
    if arrangements <= settings.flips or plan.choice.listed:
        return Reference(int(arrangements), True, 0 if plan.includes else 1)
    return Reference(settings.flips, False, 1)


def streamed(
    work: Counting | Clustering, reference: Reference, settings: Settings
) -> Iterator[dict[str, Array]]:
    """What is kept of each block: of listed arrangements in order, else of random ones."""
    if not reference.exact:
        yield from in_order(work, settings, block=BLOCK)  # type: ignore[misc]
        return
    every = work.plan.choice.enumerate()
    for start in range(0, reference.draws, BLOCK):
        part = slice(start, start + BLOCK)
        yield work.of(Drawn(every.rows[part], every.signs[part]))
        if settings.progress is not None:
            settings.progress(min(start + BLOCK, reference.draws), reference.draws)


# ----------------------------------------------------------------------------------------------
# What many combined maps say.
# ----------------------------------------------------------------------------------------------


class Null(NamedTuple):
    """What all combined maps had: counts (V,), highest values (K, V), largest of each draw (G,)."""

    exceed: Ints
    top: Floats
    largest: Floats
    supported: Floats | None


def null_of(work: Counting, reference: Reference, settings: Settings) -> Null:
    """All blocks together."""
    places = work.plan.maps.shape[1]
    exceed, top = np.zeros(places, dtype=np.int64), np.full((work.kept, places), -np.inf)
    largest, supported = [], []
    for block in streamed(work, reference, settings):
        exceed += block["exceed"][0]
        top = highest(np.concatenate([top, block["top"]]), work.kept)
        largest.append(block["largest"])
        supported.append(block.get("supported", np.zeros(0)))
    tall = np.concatenate(supported)
    return Null(exceed, top, np.concatenate(largest), tall if len(tall) else None)


def reached(largest: Array, observed: Array) -> Ints:
    """How many of the largest values are at least as large as each of the observed.

    >>> reached(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0])).tolist()
    [2, 0]
    """
    ordered = np.sort(largest)
    return np.asarray(len(ordered) - np.searchsorted(ordered, observed, side="left"))


@dataclass(frozen=True, eq=False)
class Clustered:
    """Clusters of centres beyond the threshold, and how often chance makes such.

    `label` is the cluster of each centre, 0 outside; sizes, p by the largest of each combination
    (family-wise) and p among all clusters of chance, Benjamini–Hochberg adjusted, one per cluster.
    """

    label: Ints
    sizes: Ints
    p_familywise: Floats
    p_discovery: Floats


def clusters_of(
    plan: Plan,
    top: Floats,
    adjacent: Adjacent,
    reference: Reference,
    settings: Settings,
) -> Clustered:
    """Clusters of the observed map against those of combined maps, formed by the same rule.

    A centre is beyond the threshold when it is above the last of the `top` values there, with what
    was observed among them, so that its p-value is at most the one that forms clusters; in a
    combination, when it is above the same. So the observed map is treated as any other, and the
    test by the largest cluster is as exact as the combinations are. Clusters at least as large
    count, and the observed ones are among those of chance.
    """
    pooled = highest(np.concatenate([top, plan.observed[None]]), len(top))
    last = (pooled if reference.besides else top)[-1]
    threshold = np.where(plan.still, np.inf, last + plan.slack)
    label = clusters(plan.observed > threshold, adjacent)
    sizes = np.bincount(label, minlength=1)[1:]
    work = Clustering(plan, threshold, adjacent, reference.draws)
    histogram = np.zeros(adjacent.places + 1, dtype=np.int64)
    largest = []
    for block in streamed(work, reference, settings):
        histogram += block["histogram"][0]
        largest.append(block["largest"])
    familywise = reference.p_value(reached(np.concatenate(largest), sizes))
    if reference.besides:
        np.add.at(histogram, sizes, 1)
    # how many clusters are so large or larger
    at_least = np.cumsum(histogram[::-1])[::-1]
    every = max(int(histogram.sum()), 1)
    return Clustered(label, sizes, familywise, benjamini_hochberg(at_least[sizes] / every))


def pareto_p_values(
    plan: Plan, null: Null, reference: Reference, settings: Settings
) -> tuple[Floats, Bools]:
    """P-values at every centre, extrapolated where fewer than ten draws are as large.

    The draws are combined again, at those centres alone and a few of these at a time.
    """
    p = np.asarray(reference.p_value(null.exceed), dtype=np.float64)
    few = np.flatnonzero((null.exceed < pareto_tail.ENOUGH) & ~plan.still)
    kept = pareto_tail.MOST + 1
    step = max(1, 8 * BLOCK * 1024 // max(reference.draws, 1))
    told = np.zeros(p.shape, dtype=np.bool_)
    rows = list(_drawn(plan, reference, settings))
    for start in range(0, len(few), step):
        at = few[start : start + step]
        some = replace(
            plan, maps=np.ascontiguousarray(plan.maps[:, at]), shift=plan.shift[at],
            scale=plan.scale[at], observed=plan.observed[at], slack=plan.slack[at],
        )  # fmt: skip
        values = np.concatenate([some.combined(drawn) for drawn in rows])
        found = pareto_tail.extrapolated(some.observed, highest(values, kept), reference.draws)
        good = ~np.isnan(found.p_value)
        p[at[good]], told[at[good]] = found.p_value[good], True
    return p, told


def _drawn(plan: Plan, reference: Reference, settings: Settings) -> Iterator[Drawn]:
    """The same draws once more."""
    if reference.exact:
        yield plan.choice.enumerate()
        return
    size = settings.block or BLOCK
    for block in range(-(-reference.draws // size)):
        rows = min(size, reference.draws - block * size)
        yield plan.choice.draw(stream(settings.seed, block), rows)


def discoveries(p: Floats) -> dict[str, Floats]:
    """P-values adjusted for false discoveries, by both rules."""
    return {"bh": benjamini_hochberg(p), "by": benjamini_yekutieli(p)}


# ----------------------------------------------------------------------------------------------
# The prevalence of a signal in the population.
# ----------------------------------------------------------------------------------------------


class Prevalence(NamedTuple):
    """P-values of the minimum statistic, and the share of the population that is shown."""

    p_global: Floats
    p_global_familywise: Floats
    p_value: Floats
    p_familywise: Floats
    bound: Floats


def shares_at_least(plan: Plan, counts: Ints) -> Floats:
    """The share of each subject's maps (S, V), observed one included, that reach the minimum."""
    found = []
    start = 0
    for many in counts:
        own = plan.maps[start : start + many]
        found.append(np.count_nonzero(own >= plan.bar, axis=0) / many)
        start += int(many)
    return np.array(found)


def prevalence(shares: Floats, familywise: Floats, gamma: float, alpha: float) -> Prevalence:
    r"""What the minimum over subjects says of the share of the population with the signal.

    A minimum is at least m where every one of its parts is, so over all combinations its p-value is
    the product of the subjects' shares, exactly. With N subjects, :math:`p_N` that product and
    :math:`p_N^*` its family-wise version,

    .. math:: p(\gamma_0) = \bigl((1-\gamma_0) p_N^{1/N} + \gamma_0\bigr)^N, \qquad
              p^*(\gamma_0) = p_N^* + (1 - p_N^*)\, p(\gamma_0),

    and the largest share that is rejected at level :math:`\alpha`, allowing for all centres, is
    :math:`(\alpha_c^{1/N} - p_N^{1/N}) / (1 - p_N^{1/N})` with
    :math:`\alpha_c = (\alpha - p_N^*) / (1 - p_N^*)`.

    References
    ----------
    Allefeld, Görgen & Haynes (2016), eqs. 19 to 26.

    Examples
    --------
    >>> found = prevalence(np.full((8, 1), 0.1), np.array([0.01]), 0.5, 0.05)
    >>> found.p_value.round(4).tolist(), found.bound.round(3).tolist()
    ([0.0084], [0.633])
    """
    subjects = len(shares)
    each = np.exp(np.mean(np.log(shares), axis=0))
    whole = each**subjects
    p = ((1 - gamma) * each + gamma) ** subjects
    corrected = familywise + (1 - familywise) * p if gamma else familywise
    with np.errstate(invalid="ignore", divide="ignore"):
        level = (alpha - familywise) / (1 - familywise)
        bound = (level ** (1 / subjects) - each) / (1 - each)
        bound = np.where((level > 0) & (level >= whole), bound, np.nan)
    return Prevalence(whole, familywise, p, corrected, bound)


def in_passes(settings: Settings, number: int, of: int) -> Settings:
    """Settings whose progress is told for one of several readings of the same draws."""
    tell = settings.progress
    if tell is None:
        return settings

    def told(done: int, all_: int) -> None:
        tell(number * all_ + done, of * all_)

    return replace(settings, progress=told)
