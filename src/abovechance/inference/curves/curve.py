"""What a curve is, and the bootstrap of curves over thresholds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints, floats_or_none
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.influence import fewest_clusters
from abovechance.inference.method import pooled
from abovechance.inference.proportions import score_limits
from abovechance.inference.results import Result
from abovechance.numerics.exact import critical_value
from abovechance.predictions import Binary
from abovechance.resampling import Bootstrap
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# What a curve is: points in order, their limits, and what the axes mean.
# ----------------------------------------------------------------------------------------------


FEW_CLUSTERS = 30
OF_BANDS = ("AC250", "AC255")  # advice on bands, where there is one
FEW_CASES, FEW_WEIGHTED = 10, 50  # of a class: counting one each, by what weights are worth
SUREST = 1.0 - 1e-9  # level, of which a normal limit is still a number


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve(Result, kind="curve"):
    """Points (x, y) in order, with pointwise limits of y.

    Attributes
    ----------
    curve, title
        Which curve it is, as a key ("roc", "calibration", …) and in words.
    x_name, y_name
        What the axes show.
    x, y
        The points.
    low, high
        Limits of y at each point; None where there is no band.
    level
        In what share of samples the limits cover the true value at a point.
    method
        How the limits were made, in words.
    n
        Number of cases.
    seed
        Seed of the draws, where there were any.
    columns
        What else is known of each point: thresholds, counts, curves to compare with.
    summary
        What the whole of it comes to: the area under it, its slope.
    described
        Where the cases came from, when they were read from a file.

    See Also
    --------
    roc, precision_recall, calibration, decision, cost : make curves.

    Examples
    --------
    >>> from abovechance import curves, examples
    >>> curve = curves.calibration(examples.breast_cancer("p_texture"))
    >>> curve.at(0.5)
    {'y': 0.451, 'low': 0.342, 'high': 0.565}
    """

    curve: str
    title: str
    x_name: str
    y_name: str
    x: Floats
    y: Floats
    low: Floats | None
    high: Floats | None
    level: float
    method: str
    n: int
    seed: int | None = None
    columns: Mapping[str, Floats] = field(default_factory=dict)
    summary: Mapping[str, float] = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"abovechance": __version__, **super().to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        """One row per point."""
        table: dict[str, Floats] = {"x": self.x, "y": self.y}
        if self.low is not None and self.high is not None:
            table |= {"low": self.low, "high": self.high}
        table |= dict(self.columns)
        return [
            {name: value.item() for name, value in zip(table, values, strict=True)}
            for values in zip(*(np.asarray(column) for column in table.values()), strict=True)
        ]

    def at(self, x: float) -> dict[str, float]:
        """y and its limits at some x, linear between points."""
        found = {"y": self.y}
        if self.low is not None and self.high is not None:
            found |= {"low": self.low, "high": self.high}
        return {name: float(np.interp(x, self.x, values)) for name, values in found.items()}


def each_case(predictions: Any) -> Any:
    """Predictions whose rows are cases, spelled out where a row stands for several."""
    from abovechance.inference.interval_choice import expanded

    return expanded(predictions)


def as_cases_allow(curve: Curve, predictions: Any, judged: Floats | None = None) -> Curve:
    """The curve without a band where cases forbid one; else as its clusters allow.

    `judged` is what each case comes to, where that is not the class that predictions are of.
    """
    why, groups = no_band(predictions), predictions.cases.groups
    if why is not None:
        return bandless(curve, why)
    if groups is None:
        return curve
    if judged is None:
        return over_clusters(curve, *fewest_clusters(predictions, groups))
    held = [len(np.unique(groups[judged == value])) for value in np.unique(judged)]
    return over_clusters(curve, min(held), " with one of the outcomes")


def no_band(predictions: Any) -> Advice | None:
    """Why cases that are neither independent nor in clusters have no band; None where they do."""
    if pooled(predictions):
        text = (
            "there is no band: predictions pooled over the folds of a cross-validation depend on "
            "each other, and those of different folds need not be on one scale."
        )
        return Advice("AC251", text, "Forman & Scholz (2010)")
    if predictions.cases.order is not None:
        text = (
            "there is no band: neighbours in time order may depend on each other, and bands take "
            "cases to be independent. The intervals of measures allow for the order."
        )
        return Advice("AC254", text)
    return None


def over_clusters(curve: Curve, units: int, of_class: str = "") -> Curve:
    """The curve as its clusters allow: advice where they are few, no band of a single one."""
    if units >= FEW_CLUSTERS:
        return curve
    if units > 1:
        text = (
            f"{units} clusters{of_class} are few for a curve: its band may cover less than it says."
        )
        return replace(curve, advice=(*curve.advice, Advice("AC250", text)))
    text = f"there is no band: a single cluster{of_class} does not show how much clusters vary."
    return bandless(curve, Advice("AC250", text))


def bandless(curve: Curve, why: Advice) -> Curve:
    """The curve without limits, with the reason."""
    limits = [name for name in curve.columns if name.endswith(("_low", "_high"))]
    return replace(
        curve,
        low=None,
        high=None,
        columns={**curve.columns, **{name: np.full(len(curve.x), np.nan) for name in limits}},
        advice=(*(a for a in curve.advice if a.code not in OF_BANDS), why),
    )


def level_by_units(level: float, units: float, *, resampled: bool = False) -> float:
    """The level at which normal limits reach as far as Student's t does over so many units."""
    from scipy.special import erf

    k = max(units, 2.0)
    reach = critical_value(level, k - 1.0) * (np.sqrt(k / (k - 1.0)) if resampled else 1.0)
    return min(float(erf(reach / np.sqrt(2.0))), SUREST)


# ----------------------------------------------------------------------------------------------
# Bootstrap of curves over thresholds: cases matter only through the cell they fall in.
#
# Between two thresholds of interest it does not matter where a case lies. Drawing n cases with
# replacement makes the numbers of positives and negatives in the cells multinomial, so a
# replicate costs as many draws as there are cells, however many cases there are. Clusters and
# weights are drawn as units, each a row of what it adds to the cells.
# ----------------------------------------------------------------------------------------------


MOST = 1000  # thresholds a curve is drawn at when there are more distinct scores
CELLS = 1 << 22
CACHED = 1 << 16
MANY = 4  # cases a cell, from which on cells are drawn faster than cases


@dataclass(frozen=True, eq=False)
class Above:
    """Weight of positives and negatives with a score of at least each threshold (…, thresholds)."""

    positives: Floats
    negatives: Floats
    all_positives: Floats
    all_negatives: Floats

    @property
    def sensitivity(self) -> Floats:
        return _share(self.positives, self.all_positives[..., None])

    @property
    def false_positive_rate(self) -> Floats:
        return _share(self.negatives, self.all_negatives[..., None])

    @property
    def precision(self) -> Floats:
        return _share(self.positives, self.positives + self.negatives)

    @property
    def tables(self) -> Floats:
        """Confusion tables (…, thresholds, 2, 2), rows actual, columns below and above."""
        table = np.empty((*self.positives.shape, 2, 2))
        table[..., 1, 1], table[..., 0, 1] = self.positives, self.negatives
        table[..., 1, 0] = self.all_positives[..., None] - self.positives
        table[..., 0, 0] = self.all_negatives[..., None] - self.negatives
        return table


@dataclass(frozen=True, eq=False)
class Sweep:
    """Scores of two classes cut at thresholds, and how bands over these are made."""

    predictions: Binary
    score: Floats
    thresholds: Floats
    settings: Settings

    @cached_property
    def points(self) -> Above:
        """Cases at or above every threshold."""
        return above(self.predictions, self.score, self.thresholds)

    @property
    def plain(self) -> bool:
        """Whether cases are independent and count one each."""
        return self.predictions.weight is None and self.predictions.cases.groups is None

    def resampled(
        self,
        value: Callable[[Above], Floats],
        *,
        stratified: bool = False,
        counted: Callable[[Ints, Ints], Floats] | None = None,
    ) -> Floats:
        """What is made of bootstrap samples: (draws, …).

        `counted` makes the same of whole numbers of positives and negatives (samples, cells), by
        falling score, where cases are independent and count one each.
        """
        cut = self.predictions, self.score, self.thresholds
        rng, draws = self.settings.rng(), self.settings.bootstraps
        if counted is None or not self.plain:
            above = resampled_above(*cut, rng, draws, stratified=stratified)
            return np.concatenate([value(part) for part in above])
        drawn = _drawn_by_class(*cut, rng, draws, stratified)
        parts = (drawn[rows].swapaxes(0, 1) for rows in parts_of(draws, drawn[0].size))
        return np.concatenate([counted(*np.ascontiguousarray(part[..., ::-1])) for part in parts])

    @cached_property
    def units(self) -> float:
        """How many clusters hold a class, or how many cases its weights are worth; the fewest.

        Without end where cases are independent and count one each.
        """
        groups, weight = self.predictions.cases.groups, self.predictions.weight
        if groups is not None:
            return float(fewest_clusters(self.predictions, groups)[0])
        return np.inf if weight is None else self.cases

    @property
    def clusters(self) -> float | None:
        """How many clusters hold the class that the fewest hold; None of cases by themselves."""
        return None if self.predictions.cases.groups is None else self.units

    @cached_property
    def resampled_units(self) -> float:
        """How many clusters there are, or how many cases all weights are worth."""
        groups = self.predictions.cases.groups
        if groups is not None:
            return float(len(np.unique(groups)))
        weight = self.predictions.weight
        return self.predictions.n if weight is None else worth_of(weight)

    @cached_property
    def cases(self) -> float:
        """How many cases of the smaller class there are, by what their weights are worth."""
        weight, positive = self.predictions.weight, self.predictions.positive
        each = np.ones(len(positive)) if weight is None else weight
        return min(worth_of(each[positive]), worth_of(each[~positive]))

    @cached_property
    def level(self) -> float:
        r"""The level of normal limits that are as wide as few units ask for.

        Resamples of k units vary by k - 1 over k of what they should, and how much is known as well
        as Student's t says: their reach is :math:`\sqrt{k / (k - 1)}\, t_{k-1}`.

        References
        ----------
        Hesterberg (2015), expanded percentiles; Kish (1965) for what weights are worth.
        """
        if self.plain:
            return self.settings.level
        return level_by_units(self.settings.level, self.units, resampled=True)

    def curve(self, limits: tuple[Floats, Floats] | None, **facts: Any) -> Curve:
        """The curve, as its cases allow; without limits where there are none."""
        low, high = limits or (None, None)
        level, seed = self.settings.level, self.settings.seed
        known = Curve(low=low, high=high, level=level, n=self.predictions.n, seed=seed, **facts)
        few = FEW_CASES if self.plain else FEW_WEIGHTED
        if self.predictions.cases.groups is None and self.cases < few:
            number = f"{self.cases:.0f} case{'s' * (round(self.cases) != 1)}"
            held = f"a class has {number}" if self.plain else f"a class is worth {number}"
            text = f"{held}, few for a curve: its band may cover less than it says."
            known = replace(known, advice=(*known.advice, Advice("AC250", text)))
        return as_cases_allow(known, self.predictions)


def ranking_of(predictions: Any, what: str) -> Floats:
    """The scores of binary predictions of both classes, or why there is no curve."""
    if predictions.prevalences is None or predictions.each_class:
        raise NotApplicable(
            f"{what} is for two classes; got {predictions.kind} predictions. "
            "Take one class against the rest: predictions.against_rest(label)."
        )
    if predictions.ranking is None:
        raise NotApplicable(f"{what} needs scores or probabilities; only labels were predicted.")
    weighed = predictions.positive
    if predictions.weight is not None:
        weighed = weighed[predictions.weight > 0]
    if len(np.unique(weighed)) < 2:
        raise NotApplicable(f"{what} needs cases of both classes.")
    return predictions.ranking


def numbers_of(given: object, name: str) -> Floats:
    """Where a curve is wanted: finite numbers, at least one."""
    places = floats_or_none(given)
    if places is None or places.ndim != 1 or not places.size or not np.isfinite(places).all():
        raise DataError(f"{name} must be a list of finite numbers.")
    return places


def thresholds_of(score: Floats, most: int = MOST) -> Floats:
    """The distinct scores in ascending order, or at most so many, evenly spread over cases."""
    distinct = np.unique(score)
    if len(distinct) <= most:
        return distinct
    by_rank = np.sort(score)[np.round(np.linspace(0, len(score) - 1, most)).astype(np.int64)]
    return np.unique(by_rank)


def above(predictions: Binary, score: Floats, thresholds: Floats) -> Above:
    """Cases at or above each of ascending thresholds."""
    cell = np.searchsorted(thresholds, score, side="right")
    size = len(thresholds) + 1
    counts = [
        np.bincount(cell[side], weights=_weight(predictions, side), minlength=size)
        for side in (predictions.positive, ~predictions.positive)
    ]
    return _upwards(np.asarray(counts, dtype=np.float64))


def resampled_above(
    predictions: Binary,
    score: Floats,
    thresholds: Floats,
    rng: np.random.Generator,
    draws: int,
    *,
    stratified: bool = False,
) -> Iterator[Above]:
    """The same for bootstrap samples, a few at a time: (samples, thresholds)."""
    if predictions.weight is None and predictions.cases.groups is None:
        drawn = _drawn_by_class(predictions, score, thresholds, rng, draws, stratified)
        each = parts_of(draws, drawn[0].size)
        yield from (_upwards(drawn[rows].swapaxes(0, 1)) for rows in each)
    else:
        place, size = _places(predictions, score, thresholds)
        for times, brings in _by_units(predictions, place, 2 * size, draws, rng, stratified):
            yield _by_class(times @ brings)


def drawn_and_left_out(
    predictions: Binary, score: Floats, thresholds: Floats, rng: np.random.Generator, draws: int
) -> tuple[Above, Above]:
    r"""Bootstrap samples, and the cases that each of them left out: (draws, thresholds) each.

    Of m cases in a cell from which d were drawn, :math:`m (1 - 1/m)^d` are left out on average;
    that mean stands for their number, so cases need not be drawn one by one.
    """
    place, size = _places(predictions, score, thresholds)
    if predictions.weight is None and predictions.cases.groups is None:
        counts = np.bincount(place, minlength=2 * size)
        drawn = _drawn(place, 2 * size, draws, rng)
        left = (drawn == 0) * counts.astype(np.float64)  # of a cell of one case that is all
        several = counts > 1
        left[:, several] = counts[several] * (1.0 - 1.0 / counts[several]) ** drawn[:, several]
        return _by_class(drawn), _by_class(left)
    pairs = [
        (times @ brings, (times == 0.0).astype(np.float64) @ brings)
        for times, brings in _by_units(predictions, place, 2 * size, draws, rng, False)
    ]
    inside, outside = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return _by_class(inside), _by_class(outside)


def share_limits(
    share: Floats,
    replicates: Floats,
    most: Floats | float,
    level: float,
    units: float | None = None,
) -> tuple[Floats, Floats]:
    """Wilson's limits at the number of cases that would vary as much as the replicates do.

    Percentiles fail near 0 and 1, where replicates hardly vary (coverage .56 to .94 where this
    has .95 to .97). At 0 and 1 themselves `most` cases are taken, and never more than those; over
    so many clusters, `units`, as much fewer as on the rest of the curve, or the clusters alone.
    """
    undefined = np.isnan(replicates.sum())
    variance = np.nanvar(replicates, axis=0) if undefined else replicates.var(axis=0)
    spread = share * (1.0 - share)
    known = (variance > 0.0) & (spread > 0.0)
    cases = np.divide(spread, variance, out=np.full(share.shape, np.inf), where=known)
    cases = np.minimum(cases, most)
    if units is not None and not known.all():
        alone = np.where(known, spread / most, 0.0).sum()
        effect = np.where(known, variance, 0.0).sum() / alone if alone > 0.0 else np.inf
        fewer = np.maximum(most / max(effect, 1.0), np.minimum(units, most))
        cases = np.where(known, cases, fewer)
    low, high = score_limits(share * cases, cases, level)
    return low, high


def worth_of(weight: Floats) -> float:
    """How many cases that count one each weighted ones are worth."""
    return float(weight.sum() ** 2 / (weight @ weight))


def case_weight(predictions: Binary) -> float:
    """What an average case weighs, for effective numbers: sum of squares over sum."""
    weight = predictions.weight
    return 1.0 if weight is None else float((weight**2).sum() / weight.sum())


def _places(predictions: Binary, score: Floats, thresholds: Floats) -> tuple[Array, int]:
    """The cell of each case, positives first, and the number of cells of a class."""
    cell = np.searchsorted(thresholds, score, side="right")
    size = len(thresholds) + 1
    return np.where(predictions.positive, cell, size + cell), size


def _drawn_by_class(
    predictions: Binary,
    score: Floats,
    thresholds: Floats,
    rng: np.random.Generator,
    draws: int,
    stratified: bool,
) -> Ints:
    """Cases of bootstrap samples by class and cell (draws, 2, cells), positives first."""
    place, size = _places(predictions, score, thresholds)
    if stratified:
        sides = place[place < size], place[place >= size] - size
        return np.stack([_drawn(cells, size, draws, rng) for cells in sides], axis=1)
    return _drawn(place, 2 * size, draws, rng).reshape(draws, 2, size)


def _drawn(cells: Array, size: int, draws: int, rng: np.random.Generator) -> Array:
    """How many cases bootstrap samples have in each cell (draws, size), from the cells of cases.

    Cells are drawn where each holds many cases, else the cases themselves.
    """
    counts, n = np.bincount(cells, minlength=size), len(cells)
    if n > MANY * np.count_nonzero(counts):
        return rng.multinomial(n, counts / n, size=draws)
    found = np.empty((draws, size), dtype=np.int32)
    for rows in parts_of(draws, n):
        part = found[rows]
        of_cases = cells.take(rng.integers(n, size=(len(part), n), dtype=np.int32))
        of_cases += size * np.arange(len(part))[:, None]
        part[:] = np.bincount(of_cases.ravel(), minlength=part.size).reshape(part.shape)
    return found


def parts_of(draws: int, width: int) -> Iterator[slice]:
    """Draws a few at a time, so that what is made of them stays in the cache."""
    rows = max(1, CACHED // max(width, 1))
    return (slice(start, start + rows) for start in range(0, draws, rows))


def _by_units(
    predictions: Binary,
    place: Array,
    size: int,
    draws: int,
    rng: np.random.Generator,
    stratified: bool,
) -> Iterator[tuple[Floats, Any]]:
    """How often cases with weights, or whole clusters, are drawn, and what each brings to cells."""
    from scipy.sparse import csr_array

    weight = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    groups = predictions.cases.groups
    if groups is None:
        unit, strata = np.arange(predictions.n), predictions.positive if stratified else None
    else:
        unit, strata = np.unique(groups, return_inverse=True)[1], None
    units = int(unit.max()) + 1
    brings = csr_array((weight, (unit, place)), shape=(units, size))
    scheme = Bootstrap(units, strata=strata, kind="counts")
    rows = max(1, CELLS // units)
    for start in range(0, draws, rows):
        yield scheme.draw(rng, min(rows, draws - start)).astype(np.float64), brings


def _by_class(cells: Array) -> Above:
    """From cells of both classes (draws, 2 · cells)."""
    return _upwards(cells.reshape(len(cells), 2, -1).swapaxes(0, 1))


def _upwards(counts: Array) -> Above:
    """From cells (2, …, thresholds + 1) to sums at and above each threshold."""
    downwards = np.ascontiguousarray(counts[..., ::-1])
    # whole numbers are added up much faster as such
    sums = np.cumsum(downwards, axis=-1, dtype=counts.dtype).astype(np.float64)[..., ::-1]
    return Above(sums[0, ..., 1:], sums[1, ..., 1:], sums[0, ..., 0], sums[1, ..., 0])


def _weight(predictions: Binary, side: Array) -> Floats | None:
    return None if predictions.weight is None else predictions.weight[side]


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(part / whole)
