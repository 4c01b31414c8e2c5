"""Are any of several models different at all? One test before all pairs."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.area_differences import all_equal
from abovechance.inference.bootstrap import BLOCK, MOST_DEGENERATE, Pivots, Units, enough, fewer
from abovechance.inference.contrasts import class_sizes, classes_of, of_one_class, right
from abovechance.inference.exchange import totals
from abovechance.inference.influence import Components
from abovechance.inference.law_contrasts import FEW, VERY_FEW, ModelFamily
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    every,
    facts_of,
    find,
    first_of,
    omnibus,
    suited,
)
from abovechance.inference.results import Omnibus
from abovechance.inference.shares import counted_cells, in_cells, turn
from abovechance.measures import Form, Law
from abovechance.numerics.exact import never_zero
from abovechance.resampling import replicate_blocks, tail
from abovechance.settings import Settings

ALIKE = "all models are alike"
EQUAL_MEANS = "all expected losses are equal"
MOST_MODELS = 12  # whose ways to be right together are listed
MANY = 2000  # cases on which models disagree, from which Cochran's χ² is as good


def omnibus_of(family: ModelFamily) -> Omnibus | None:
    """The test of all models at once that a measure's law gives; None where there is none."""
    measure, models = family.measure, family.models
    if len(models) < 3 or not np.isfinite([measure.of(p) for p in models]).all():
        return None
    if not any(measure.law in m.default for m in every(Kind.OMNIBUS)):
        return None
    facts = facts_of(models[0]) - {Fact.FOLDS}
    first = first_of(Kind.OMNIBUS, measure.law)
    for method in suited(first, measure, models[0], facts):
        assert method.function is not None
        found = method.function(family)
        if found is not None:
            return cast(Omnibus, found)
    return None


@omnibus(
    title="F or χ² of the differences",
    words="F or χ² of the differences in their covariance",
    source=("delong1988", "brunner1997"),
    hypothesis="all areas are equal",
    default=[Law.PAIRS, Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
)
def areas_of_all(family: ModelFamily) -> Omnibus | None:
    """Areas and concordances: F or χ² of the differences in their covariance."""
    return None if family.areas is None else _of_areas(family, family.areas)


@omnibus(
    name="largest_difference",
    title="largest t of all pairs[, studentised bootstrap{number:?}][ of {clusters} clusters]"
    "[, {number} draws]",
    words="the largest t of all pairs in a studentised bootstrap[ of {clusters} clusters]"
    "[ with {number} draws]",
    source=("romano2005", "hall1988"),
    hypothesis=EQUAL_MEANS,
    default=[Law.MEAN],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
    otherwise="permuted_totals",
)
def means_of_all(family: ModelFamily) -> Omnibus | None:
    """Mean losses: the largest difference of two means in its standard errors."""
    columns = _columns(family)
    if columns is None:
        return None
    groups = family.models[0].cases.groups
    return largest_difference(family.measure.label, columns, groups, family.settings)


@omnibus(
    name="cochran",
    title="Cochran's Q[, permuted within cases, {number} draws]",
    words="Cochran's Q[, permuted within cases with {number} draws]",
    source="cochran1950",
    hypothesis="all are right equally often",
    default=[Law.SHARE, Law.CONDITIONAL],
    takes=Takes.FAMILY,
    otherwise="permuted_totals",
)
def shares_of_all(family: ModelFamily) -> Omnibus | None:
    """Shares: Cochran's Q, right and wrong permuted among the models within cases."""
    columns = _columns(family)
    if columns is None:
        return None
    return cochran_test(family.measure.label, columns, family.settings)


@omnibus(
    name="permuted_totals",
    title="permutation[ of {cases} cases][ of {clusters} clusters] among models[, {number} draws]",
    words="a permutation[ of {cases} cases][ of {clusters} clusters] among models"
    "[ with {number} draws]",
    source="phipson2010",
    hypothesis=f"within cases {ALIKE}",
    laws=[Law.MEAN, Law.SHARE, Law.CONDITIONAL],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
)
def totals_of_all(family: ModelFamily) -> Omnibus | None:
    """Losses of cases, or totals of clusters, permuted among the models."""
    columns = _columns(family)
    if columns is None:
        return None
    groups = family.models[0].cases.groups
    return permuted_totals(family.measure.label, columns, groups, family.settings)


def largest_difference(
    label: str, columns: Floats, groups: Array | None, settings: Settings
) -> Omnibus | None:
    """The largest difference of two means in its standard errors, among those of resamples.

    None for few cases or clusters, and where too many resamples have no standard error.

    References
    ----------
    Romano & Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing.
    """
    pairs = np.array(list(combinations(range(len(columns)), 2))).T
    units = Units.of(columns[pairs[0]] - columns[pairs[1]], groups)
    if not enough(units):
        return None
    moving = units.totals.any(axis=1)  # models that lose alike everywhere count once
    if not moving.any():
        same = find("identical", Kind.OMNIBUS).answer(
            statistic=0.0,
            p_value=1.0,
            alternative="two-sided",
            hypothesis=EQUAL_MEANS,
            read="losses",
        )
        return Omnibus.of(label, same, 0.0)
    units = Units(units.totals[moving], units.sizes).checked()
    observed = float(np.abs(units.means / units.errors).max())
    work = Pivots(units.residuals, units.sizes, greatest=True)
    null = np.asarray(replicate_blocks(work, fewer(settings, len(units)), block=BLOCK))
    if np.isnan(null).mean() > MOST_DEGENERATE:
        return None
    where = tail(observed, null)
    found = find("largest_difference", Kind.OMNIBUS).answer(
        statistic=observed,
        p_value=where.p_value,
        alternative="two-sided",
        number=where.draws,
        **({} if groups is None else {"clusters": len(units)}),
    )
    return Omnibus.of(label, found, len(columns) - 1.0)


def cochran_test(label: str, hits: Floats, settings: Settings) -> Omnibus:
    """Cochran's Q among those of answers permuted among the models within cases.

    χ² of Q is close (.054 at .05 with 5 models on 50 cases) and stands for very many models or
    cases.
    """
    statistic, df = cochran(hits)
    k = len(hits)
    right_by = hits.sum(axis=0).astype(np.int64)
    undecided = right_by[(right_by > 0) & (right_by < k)]
    if k > MOST_MODELS or len(undecided) > MANY:
        return _chi2(label, statistic, df)
    if not len(undecided):
        return _chi2(label, 0.0, df)
    work = _Answers(k, undecided)
    null = np.asarray(replicate_blocks(work, settings, block=512))
    total = float(((hits.sum(axis=1) - hits.sum() / k) ** 2).sum())
    where = tail(total, null)
    found = find("cochran", Kind.OMNIBUS).answer(
        statistic=statistic,
        p_value=where.p_value,
        alternative="two-sided",
        number=where.draws,
    )
    return Omnibus.of(label, found, df)


@dataclass(frozen=True, eq=False)
class _Answers:
    """How unequal models are when each case keeps its number of right answers, as work for blocks.

    The answers of all cases with r of k right are spread over the ways to choose r models.
    """

    models: int
    right: Ints

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        totals = np.zeros((size, self.models))
        for r, times in zip(*np.unique(self.right, return_counts=True), strict=True):
            ways = np.array(list(combinations(range(self.models), int(r))))
            shown = np.zeros((len(ways), self.models))
            np.put_along_axis(shown, ways, 1.0, axis=1)
            share = np.full(len(ways), 1.0 / len(ways))
            totals += rng.multinomial(times, share, size=size) @ shown
        spread: Floats = ((totals - totals.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return spread


def _of_areas(family: ModelFamily, found: Components) -> Omnibus | None:
    """As for two models: with clusters or few cases by F, else by χ²."""
    ranked = family.measure.law is Law.PAIRS
    sizes = class_sizes(family.models[0]) if ranked else np.array([float(found.stratum.size)])
    least = int(sizes[sizes > 0].min())
    if least < 2:
        return None
    return all_equal(
        family.measure.label,
        found,
        ranked=ranked,
        least=least,
        few=FEW,
        at_most=np.inf if least >= VERY_FEW else least - 1.0,
    )


def cochran(hits: Floats) -> tuple[float, float]:
    r"""Cochran's Q of k models that are right (1) or wrong (0) on n cases: (k, n).

    .. math:: Q = \frac{(k-1) \left(k \sum_j C_j^2 - T^2\right)}{k T - \sum_i R_i^2}

    with :math:`C_j` right answers of model j, :math:`R_i` right answers on case i, T of all. For
    two models it is McNemar's χ².

    References
    ----------
    Cochran (1950).

    >>> cochran(np.array([[1, 1, 0, 1, 1], [0, 1, 0, 0, 1], [0, 0, 0, 1, 0]]))
    (3.5, 2.0)
    """
    k = len(hits)
    models, cases, total = hits.sum(axis=1), hits.sum(axis=0), hits.sum()
    below = k * total - (cases**2).sum()
    if below == 0:
        return 0.0, k - 1.0
    return float((k - 1) * (k * (models**2).sum() - total**2) / below), k - 1.0


def permuted_totals(
    label: str, columns: Floats, groups: Array | None, settings: Settings
) -> Omnibus:
    """Losses of cases, or totals of whole clusters, permuted among the models."""
    what = "cases" if groups is None else "clusters"
    table = np.stack([totals(row, groups) for row in columns])
    work = _Shuffled(table)
    observed = float(work.spread(table[None])[0])
    where = tail(observed, np.asarray(replicate_blocks(work, settings, block=512)))
    found = find("permuted_totals", Kind.OMNIBUS).answer(
        statistic=observed,
        p_value=where.p_value,
        alternative="two-sided",
        hypothesis=f"within {what} {ALIKE}",
        number=where.draws,
        **{what: table.shape[1]},
    )
    return Omnibus.of(label, found, len(columns) - 1.0)


class _Shuffled:
    """The spread of model totals after permuting models within clusters, as work for blocks."""

    def __init__(self, table: Floats) -> None:
        self.table = table

    def spread(self, tables: Floats) -> Floats:
        return np.asarray(tables.sum(axis=2).var(axis=1))

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        many = np.repeat(self.table[None], size, axis=0)
        return self.spread(rng.permuted(many, axis=1))


def _columns(family: ModelFamily) -> Floats | None:
    """One row per model, one column per case: right or wrong, or losses; less is better."""
    measure, models = family.measure, family.models
    if measure.law is Law.MEAN and measure.form is Form.LOSSES:
        found = np.stack([-turn(measure) * measure.losses(p) for p in models])
        return found if np.isfinite(found).all() else None
    if measure.law is Law.SHARE:
        cells = counted_cells(measure, len(models[0].classes))
        if cells is None:
            return None
        return np.stack([in_cells(cells, p).astype(np.float64) for p in models])
    counted = of_one_class(measure) if measure.law is Law.CONDITIONAL else None
    if counted is None:
        return None
    inside = counted[classes_of(models[0])]
    if models[0].cases.groups is not None:
        return np.stack([right(p) * inside for p in models]).astype(np.float64)
    return np.stack([right(p)[inside].astype(np.float64) for p in models])


def _chi2(label: str, statistic: float, df: float) -> Omnibus:
    """Cochran's Q by χ²."""
    from scipy.special import chdtrc

    p = float(chdtrc(df, statistic)) if df > 0 else 1.0
    found = find("cochran", Kind.OMNIBUS).answer(
        statistic=statistic, p_value=never_zero(p), alternative="two-sided"
    )
    return Omnibus.of(label, found, df)


def safe_omnibus(family: ModelFamily) -> Any:
    """The same, silent where a measure cannot be computed."""
    try:
        return omnibus_of(family)
    except NotApplicable:
        return None
