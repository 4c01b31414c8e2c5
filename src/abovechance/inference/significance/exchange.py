"""Could the two models have given each other's predictions, without the measure noticing?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.inference.influence import table_slopes
from abovechance.inference.method import Fact, Kind, Takes, answer, test
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Test
from abovechance.inference.significance.swapping import Swapped, studentised, swappable
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.sample import COUNTING
from abovechance.predictions import Predictions
from abovechance.resampling import (
    DEFAULT,
    Alternative,
    Resampling,
    SignFlips,
    exceedances,
    replicate_blocks,
    seed_of,
    tail,
)

EQUAL = "both models have the same value of the measure"
COUNTED = 4096  # ways to exchange that are listed even when fewer draws were asked for
CELLS = 1 << 21


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
    exchange ranks, correlations standardised values. Scores of unknown scale are not exchanged for
    other measures.

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
        If the difference has no standard error; for predictions pooled over folds, cases in time
        order, and sampling weights.

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
    from abovechance.inference.comparison.pairs import two_on_the_same_cases

    for predictions in (first, second):
        find_method("exchange", Kind.TEST).refuse(predictions)
    first, second = two_on_the_same_cases(first, second)
    chosen = (find(measure) if isinstance(measure, str) else measure).for_outcome(first.kind)
    how = Resampling(
        draws=affordable(chosen, first.n, draws, max(2, len(getattr(first, "classes", ())))),
        seed=seed_of(rng),
        workers=workers,
        store=store,
    )
    found = exchanged(chosen, first, second, alternative=alternative, resampling=how)
    return as_test(found, alternative, first.cases.groups)


def exchanged(
    measure: Measure,
    first: Any,
    second: Any,
    *,
    alternative: Alternative = "two-sided",
    resampling: Resampling = DEFAULT,
) -> Exchanged:
    """How extreme the studentised difference is when predictions are exchanged at random.

    "greater" means that the first model is better.
    """
    turned = -1.0 if measure.higher_is_better is False else 1.0
    if measure.form in COUNTING and first.cases.groups is None:
        return _of_tables(measure, first, second, turned, alternative, resampling)
    swapped = swappable(measure, first, second)
    observed = turned * float(swapped.pivots(np.zeros((1, first.n), dtype=np.bool_))[0])
    scheme = SignFlips(first.n, groups=first.cases.groups)
    work = _Swaps(swapped, scheme)
    sides = 2.0 if alternative == "two-sided" else 1.0
    least = sides * 0.5 ** min(scheme.units, 1000)
    center = 0.0 if alternative == "two-sided" else None
    if scheme.arrangements <= resampling.draws:
        null = turned * work.of(scheme.enumerate() < 0)
        found = tail(observed, null, alternative=alternative, exact=True, center=center)
        counted = None
    else:
        block = max(1, min(256, CELLS // max(1, first.n)))
        null = turned * np.asarray(replicate_blocks(work, resampling, block=block))
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
    known = measure.influence is not None or measure.additive
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
class _Tables:
    """A measure of two models as a function of how often labels were exchanged.

    `kinds` are (class, label of one model, label of the other) with the labels in order; of
    `sizes` cases of that kind a binomial number gives the smaller label to the first model.
    """

    measure: Measure
    agreed: Floats
    kinds: Ints
    sizes: Ints

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        return self.pivots(rng.binomial(self.sizes, 0.5, size=(size, len(self.sizes))))

    def pivots(self, swaps: Ints) -> Floats:
        rows = max(1, CELLS // (8 * self.agreed.size * self.agreed.shape[0]))
        parts = [self._pivots(swaps[i : i + rows]) for i in range(0, len(swaps), rows)]
        return np.concatenate(parts)

    def _pivots(self, swaps: Ints) -> Floats:
        actual, low, high = self.kinds.T
        joint = np.repeat(self.agreed[None], len(swaps), axis=0)
        joint[:, actual, low, high] = swaps
        joint[:, actual, high, low] = self.sizes - swaps
        one, other = joint.sum(axis=3), joint.sum(axis=2)
        with np.errstate(invalid="ignore"):  # infinite values of both models
            gap = self.measure.on_counts(one) - self.measure.on_counts(other)
        # half a case more in every cell of both tables: no share is without spread
        joint = joint + 0.5 / joint.shape[-1]
        mine, theirs = (table_slopes(self.measure, joint.sum(axis=axis)) for axis in (3, 2))
        moves = mine[:, :, :, None] - theirs[:, :, None, :]
        total = joint.sum(axis=(1, 2, 3), keepdims=True)
        moves = moves - (joint * moves).sum(axis=(1, 2, 3), keepdims=True) / total
        return studentised(gap, (joint * moves**2).sum(axis=(1, 2, 3)))


def _of_tables(
    measure: Measure,
    first: Any,
    second: Any,
    turned: float,
    alternative: Alternative,
    resampling: Resampling,
) -> Exchanged:
    tables, now = _tables(measure, first, second)
    observed = turned * float(tables.pivots(now[None, :])[0])
    sides = 2.0 if alternative == "two-sided" else 1.0
    least = min(sides * 0.5 ** min(int(tables.sizes.sum()), 1000), 1.0)
    center = 0.0 if sides == 2.0 else None
    if np.log2(tables.sizes + 1.0).sum() > math.log2(max(resampling.draws, COUNTED)):
        null = turned * np.asarray(replicate_blocks(tables, resampling))
        found = tail(observed, null, alternative=alternative, center=center)
        return Exchanged(
            statistic=observed,
            p_value=found.p_value,
            p_strict=found.p_strict,
            least=max(least, 1.0 / (found.draws + 1)),
            draws=found.draws,
        )
    swaps, chances = _listed(tables.sizes)
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


def _tables(measure: Measure, first: Any, second: Any) -> tuple[_Tables, Ints]:
    from abovechance.inference.comparison.contributions import classes_of, labels_of

    k = len(first.classes)
    joint = np.zeros((k, k, k))
    np.add.at(joint, (classes_of(first), labels_of(first), labels_of(second)), 1.0)
    mixed = joint + joint.swapaxes(1, 2)
    kinds = np.array(
        [(a, i, j) for a, i, j in np.argwhere(mixed > 0).tolist() if i < j], dtype=np.int64
    ).reshape(-1, 3)
    actual, low, high = kinds.T
    agreed = joint * np.eye(k)
    sizes = mixed[actual, low, high].astype(np.int64)
    return _Tables(measure, agreed, kinds, sizes), joint[actual, low, high].astype(np.int64)


def _listed(sizes: Ints) -> tuple[Ints, Floats]:
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
