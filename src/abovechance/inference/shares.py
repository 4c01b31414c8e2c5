"""The laws of shares: of all cases, of a class, of classes averaged.

Their intervals, tests of a rate, and comparisons on the same and on different cases.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable, listed
from abovechance.inference import confusion_tables
from abovechance.inference.bootstrap import EXTREME, clamped, span
from abovechance.inference.confusion_tables import Cells, as_share, of_accuracy_alone
from abovechance.inference.contrasts import (
    Alike,
    Answer,
    Combined,
    Contrast,
    Resampled,
    Standardised,
    cell_weights,
    class_sizes,
    classes_of,
    contributions,
    labels_of,
    of_one_class,
    right,
)
from abovechance.inference.exchange import flips, known_of
from abovechance.inference.influence import Gap
from abovechance.inference.interval_choice import SAMPLED, Shared
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    answer,
    comparison,
    declared,
    find,
    interval,
    limits,
)
from abovechance.inference.proportions import (
    SHARE_IS,
    binomial,
    combined,
    fisher_counts,
    mcnemar,
    newcombe,
    tango,
)
from abovechance.inference.proportions import _score as score
from abovechance.inference.results import Interval, Test
from abovechance.measures import Form, Law, Measure
from abovechance.measures.sample import COUNTING
from abovechance.numerics.counts import one_against_rest
from abovechance.numerics.exact import never_zero
from abovechance.predictions import Binary, Multiclass
from abovechance.resampling import Alternative
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# The interval that an assessment has first, as groups, weights and sampling change it.
# ----------------------------------------------------------------------------------------------


def _in_a_table(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    """Whether a share is one of a table, or of scores of cases that were sampled at random."""
    return confusion_tables.of_table(measure) or not facts & {Fact.CASE_CONTROL, Fact.SUMMARY}


@interval(
    name="wilson",
    title="Wilson[ at the effective n{effective}][ over {clusters} clusters]"
    "[, sampling weights{weights}]",
    words="Wilson's score method[ at the effective sample size{effective}]"
    "[ over {clusters} clusters][ under the weights{weights}]",
    source="wilson1927",
    default=[Law.SHARE, Law.CONDITIONAL],
    laws=[Law.BALANCED],
    allows=(*SAMPLED, Fact.SUMMARY),
    fits=_in_a_table,
    otherwise="dirichlet",
)
def interval_of_share(measure: Measure, predictions: Any, settings: Shared) -> Interval | None:
    """Wilson on the cases of the share's denominator, at their effective number."""
    if measure.form is Form.LOSSES:
        bottom, top = measure.range
        score = (measure.losses(predictions) - bottom) / (top - bottom)
        if measure.after is None and ((score >= 0.0) & (score <= 1.0)).all():
            found = confusion_tables.of_mean_score(score, predictions, settings.level)
            low, high = (bottom + (top - bottom) * x for x in (found.low, found.high))
            return clamped(measure, replace(found, low=low, high=high))
    return _by_table(measure, predictions, settings, confusion_tables.share)


@interval(
    name="mover",
    title="MOVER with Wilson[ over {clusters} clusters][, sampling weights{weights}]",
    words="the MOVER method with Wilson's limits[ over {clusters} clusters]"
    "[ under the weights{weights}]",
    source=("zou2008", "wilson1927"),
    default=[Law.BALANCED],
    allows=(*SAMPLED, Fact.SUMMARY),
    otherwise="dirichlet",
)
def interval_of_balanced(measure: Measure, predictions: Any, settings: Shared) -> Interval | None:
    """MOVER with Wilson for two classes, Wilson at the effective number of cases for more."""
    return _by_table(measure, predictions, settings, confusion_tables.balanced)


@interval(
    name="exact_recalls",
    title="exact, least favourable recalls",
    words="the exact test of two recalls inverted, at those least favourable",
    source="barnard1947",
    laws=[Law.BALANCED],
    outcomes=["binary", "multiclass"],
)
def exact_interval_of_recalls(
    measure: Measure, predictions: Any, settings: Shared
) -> tuple[float, float] | None:
    """Limits that err on each side by itself no more than they say: what goals are judged by."""
    found = confusion_tables.TwoRecalls.of(measure, settings.cells(predictions))
    return None if found is None else found.limits(settings.level)


@interval(
    name="dirichlet",
    title="Dirichlet posterior[, Jeffreys{jeffreys}][, one case over all cells{one_case}]"
    "[, effective n{effective}][ over {clusters} clusters][, sampling weights{weights}]",
    words="the Dirichlet posterior[ under Jeffreys' prior{jeffreys}]"
    "[ under a prior worth one case{one_case}][ at the effective sample size{effective}]"
    "[ over {clusters} clusters]",
    source="gelman2013",
    default=[Law.UNKNOWN],
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED],
    allows=(*SAMPLED, Fact.SUMMARY),
    posterior=True,
    otherwise="normal",
)
def interval_of_table(measure: Measure, predictions: Any, settings: Shared) -> Interval | None:
    """Dirichlet posterior of confusion tables."""
    if measure.extreme:
        raise NotApplicable(EXTREME)
    return _by_table(measure, predictions, settings, None)


def _by_table(
    measure: Measure,
    predictions: Any,
    settings: Shared,
    by_law: Callable[[Measure, Cells, float], Interval | None] | None,
) -> Interval | None:
    """By law, or the posterior; at a stated prevalence from both classes."""
    if not confusion_tables.of_table(measure):
        return None
    cells = settings.cells(predictions)
    if settings.prevalence is not None and not measure.prevalence_free:
        return confusion_tables.at_prevalence(measure, cells, settings)
    if by_law is not None:
        return by_law(measure, cells, settings.level)
    # a comparison asks for the limits of every model again with every other one
    known, key = predictions.derived, ("posterior", measure.label, settings.key)
    formula, found = known.get(key, (None, None))
    if formula is not measure.formula:
        try:
            found = confusion_tables.posterior(measure, cells, settings)
        except NotApplicable as refusal:
            found = refusal
        known[key] = measure.formula, found
    if isinstance(found, NotApplicable):
        raise found
    return found


# ----------------------------------------------------------------------------------------------
# Is accuracy better than a stated rate, or than always predicting the largest class?
# ----------------------------------------------------------------------------------------------


NO_BETTER = "no more accurate than always predicting the largest class"
LARGEST = {"against": "the largest class", "version": "exact"}
NO_SHARE = "only shares of cases have an exact test against a rate; compare it with the interval."
SHARES = (Law.SHARE, Law.CONDITIONAL)
ROUNDING = 1e-9


def against_rate(predictions: Binary | Multiclass, rate: float | str) -> Test:
    """Test accuracy against a rate stated beforehand, such as 1/2, by the exact binomial test.

    Parameters
    ----------
    predictions
        Predictions of classes, made with `Binary` or `Multiclass`.
    rate
        The accuracy to be better than, between 0 and 1. A share computed from the same cases is
        none: see `against_majority`.

    Raises
    ------
    DataError
        If the rate does not lie between 0 and 1.
    NotApplicable
        If there are no labels; for predictions pooled over folds, cases in time order, clusters and
        sampling weights.

    See Also
    --------
    against_majority : against always predicting the largest class.
    binomial : the same test of counts.

    References
    ----------
    Clopper & Pearson (1934).

    Examples
    --------
    >>> from abovechance import Binary
    >>> against_rate(Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1]), 0.5).p_value
    0.109
    """
    if isinstance(rate, str):
        raise NotApplicable(f"rate must be a number; got {rate!r}.")
    return table_against(_table(predictions), float(rate))


def against_majority(predictions: Binary | Multiclass) -> Test:
    """Test whether accuracy is better than always predicting the largest class.

    Exact one-sided McNemar test of the cases that only one of the two gets right. The share of the
    largest class in the sample is not a rate known beforehand: a binomial test against it has a
    type I error of up to .18.

    Parameters
    ----------
    predictions
        Predictions of classes, made with `Binary` or `Multiclass`.

    Raises
    ------
    NotApplicable
        If there are no labels; for predictions pooled over folds, cases in time order, clusters and
        sampling weights.

    See Also
    --------
    against_rate : against a rate that was stated beforehand.
    fisher : whether labels and outcomes are associated at all.

    References
    ----------
    McNemar (1947).

    Examples
    --------
    >>> from abovechance import Binary
    >>> against_majority(Binary([0, 0, 0, 1, 1, 1, 1], label=[0, 0, 0, 1, 1, 1, 0])).p_value
    0.312
    """
    return table_against(_table(predictions), "majority")


def table_against(table: Floats, rate: float | str) -> Test:
    """The same from a confusion table, rows actual; `rate` may be "majority".

    >>> table_against(np.array([[5, 1], [2, 12]]), "majority").p_value
    0.2266
    """
    n = int(table.sum())
    if rate != "majority":
        return replace(binomial(int(np.trace(table)), n, float(rate)), expected=float(rate))
    gained, lost = against_constant(table)
    return answer(
        "mcnemar",
        statistic=float(gained - lost),
        p_value=binomial(gained, gained + lost, 0.5).p_value if gained + lost else 1.0,
        alternative="greater",
        hypothesis=NO_BETTER,
        expected=float(table.sum(axis=1).max() / n),
        **LARGEST,
    )


def against(measure: Measure, predictions: Any, rate: float | str) -> tuple[Test, float]:
    """A share of cases against a rate stated beforehand, and that rate.

    A share of all cases or of some of them (accuracy, sensitivity, predictive values) is tested by
    the exact binomial on its denominator, in the direction that is better. "majority" is the share
    of the largest class, for accuracy alone.

    >>> from abovechance.measures import find
    >>> made = Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1])
    >>> against(find("sensitivity"), made, 0.5)[0].p_value
    0.125
    """
    if predictions.prevalences is None or measure.law not in SHARES:
        raise NotApplicable(NO_SHARE)
    find("binomial", Kind.TEST).refuse(predictions)
    return counted_against(measure, predictions.confusion, rate)


def is_stated(hypothesis: str | None) -> bool:
    """Whether a test was against a rate, or the largest class, and not against chance."""
    return hypothesis == NO_BETTER or (hypothesis or "").startswith(SHARE_IS)


def chance_words(hypotheses: Mapping[str, str | None], shuffled: str) -> str:
    """What measures, by title, were tested against: a stated rate, the largest class or chance.

    >>> chance_words({"Accuracy": "the true share is 0.5", "AUC": None}, "the shuffled mean")
    'of Accuracy the rate stated beforehand, of the others the shuffled mean'
    """
    levels: dict[str, list[str]] = {}
    for title, hypothesis in hypotheses.items():
        known = {NO_BETTER: "the share of the largest class"}.get(hypothesis or "", shuffled)
        stated = (hypothesis or "").startswith(SHARE_IS)
        levels.setdefault("the rate stated beforehand" if stated else known, []).append(title)
    if len(levels) < 2:
        return next(iter(levels), shuffled)
    rest = levels.pop(shuffled, None)
    said = [f"of {listed(titles, 5)} {level}" for level, titles in levels.items()]
    return ", ".join([*said, f"of the others {shuffled}"] if rest else said)


def counted_against(measure: Measure, table: Floats, rate: float | str) -> tuple[Test, float]:
    """The same from a confusion table, rows actual, the positive class last."""
    if measure.law not in SHARES:
        raise NotApplicable(NO_SHARE)
    if rate == "majority":
        if abs(measure.on_counts(table) - np.trace(table) / table.sum()) > ROUNDING:
            raise NotApplicable("the largest class is a reference for accuracy alone.")
        return table_against(table, rate), float(table.sum(axis=1).max() / table.sum())
    hits, total = _share(measure, table)
    if total == 0:
        raise NotApplicable("there is no case to count.")
    side = "greater" if measure.higher_is_better else "less"
    return binomial(hits, total, float(rate), alternative=side), float(rate)


def _share(measure: Measure, table: Floats) -> tuple[int, int]:
    """Numerator and denominator of a share, whole numbers."""
    if measure.form is Form.CLASS_RATIO and measure.average is None:
        counts = (c[..., 1] for c in one_against_rest(table))
        hits, total = measure.formula(*counts, **measure.parameters)
    else:
        total = table.sum()
        hits = measure.on_counts(table) * total
    if abs(hits - np.rint(hits)) > ROUNDING * max(1.0, total) or not 0 <= hits <= total:
        raise NotApplicable("this is not one number of cases divided by another.")
    return int(np.rint(hits)), int(total)


def against_constant(table: Floats) -> tuple[int, int]:
    """Cases got right that the largest class for all would miss, and missed that it gets right."""
    rows = table.sum(axis=1)
    largest = int(rows.argmax())
    lost = int(rows[largest] - table[largest, largest])
    return int(np.trace(table)) - int(table[largest, largest]), lost


def _table(predictions: Binary | Multiclass) -> Floats:
    find("binomial", Kind.TEST).refuse(predictions)
    if predictions.label is None:
        raise NotApplicable("accuracy needs predicted labels, or a score with its threshold.")
    return predictions.confusion


# ----------------------------------------------------------------------------------------------
# Differences of shares of cases: of all, of a class, of classes averaged.
# ----------------------------------------------------------------------------------------------


OVER_CLUSTERS = "differences of whole clusters are symmetric about zero"
SAME_IN_CLUSTERS = (
    "the models differ alike in every cluster, so nothing says how the difference varies"
)
MANY_CLASSES = 30
WITHIN = "within every class, differences are symmetric about zero"


MOVER_TANGO = declared(
    Kind.INTERVAL,
    name="mover_tango",
    models=2,
    title="MOVER with Tango",
    words="the MOVER method with Tango's limits",
    source=("zou2008", "tango1998"),
    laws=[Law.BALANCED],
    takes=Takes.PARTS,
    origin=__name__,
)


@dataclass(frozen=True)
class PairedShares:
    """A share of cases that two models get right: `gained` by the first only, `lost` by it."""

    gained: int
    lost: int
    n: int
    slope: float
    known: Mapping[str, Any] = field(default_factory=dict)  # the class; clusters taken for cases

    @property
    def where(self) -> str:
        """Which cases are meant, after a comma."""
        if "among" in self.known:
            return f", among {self.known['among']}"
        return f", as of {self.known['clusters']} clusters" if self.known else ""

    @property
    def difference(self) -> float:
        return self.slope * (self.gained - self.lost) / self.n + 0.0  # never minus zero

    def test(self, alternative: Alternative) -> Answer:
        found = mcnemar(self.gained, self.lost, alternative=alternative)
        sides = 2.0 if alternative == "two-sided" else 1.0
        least = min(sides * 0.5 ** min(self.gained + self.lost, 1000), 1.0)
        test = answer(
            "mcnemar",
            statistic=found.statistic,
            p_value=found.p_value,
            alternative=alternative,
            hypothesis=f"{found.hypothesis}{self.where}",
            version="exact",
            **self.known,
        )
        return Answer(test, found.mid_p, least)

    def interval(self, level: float) -> Interval:
        found = tango(self.gained, self.lost, self.n, confidence_level=level)
        low, high = sorted(self.slope * limit + 0.0 for limit in (found.low, found.high))
        known = {k: v for k, v in self.known.items() if k == "clusters"}
        return limits("tango", low, high, level, **known)

    def beyond(self, margin: float) -> tuple[float, float]:
        from scipy.special import ndtr

        reach = margin / abs(self.slope)
        lower, upper = (score(self.gained, self.lost, self.n, at) for at in (-reach, reach))
        return never_zero(ndtr(-lower)), never_zero(ndtr(upper))


@dataclass(frozen=True, eq=False)
class Agreeing:
    """A function of the table of labels for two models that label every case alike.

    Tango's limit says how many of such cases may still be labelled differently; the difference is
    at most what that many cases do to the value when they move from one label to another.
    """

    measure: Measure
    first: Any
    difference: float = 0.0

    def test(self, alternative: Alternative) -> Answer:
        return Alike(read="labels").test(alternative)

    def interval(self, level: float) -> Interval:
        weight, groups = self.first.weight, self.first.cases.groups
        units, known = float(self.first.n), dict[str, Any](labels=True)
        if groups is not None:
            units = float(len(np.unique(groups)))
            known["clusters"] = round(units)
        elif weight is not None:
            units = float(weight.sum() ** 2 / (weight**2).sum())
        share = tango(0, 0, units, confidence_level=level).high
        reach = self._farthest(share)
        if not np.isfinite(reach) or reach <= 0.0:
            raise NotApplicable(
                "both models label every case alike, so nothing says how the difference varies."
            )
        least, most = span(self.measure.range)
        return limits("tango", max(-reach, least), min(reach, most), level, **known)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None

    def _farthest(self, share: float) -> float:
        """The most that this share of cases changes the value by a change of label."""
        table = np.asarray(self.first.confusion, dtype=np.float64)
        table = table / table.sum()
        k, value, found = len(table), float(self.measure.on_counts(table)), 0.0
        for actual in range(k):
            held = np.flatnonzero(table[actual] > 0)
            # of very many classes only what is right becomes wrong, and by the next label
            tried = held if k <= MANY_CLASSES else held[held == actual]
            for label in tried.tolist():
                others = np.arange(k)[np.arange(k) != label]
                others = others if k <= MANY_CLASSES else others[:1]
                moved = np.repeat(table[None], len(others), axis=0)
                amount = min(share, float(table[actual, label]))
                moved[:, actual, label] -= amount
                moved[np.arange(len(others)), actual, others] += amount
                gaps = np.abs(self.measure.on_counts(moved) - value)
                found = max(found, float(np.nanmax(gaps, initial=0.0)))
        return found


@dataclass(frozen=True, eq=False)
class Balanced:
    """A weighted sum of paired shares of several classes: `parts` are paired shares by class."""

    gains: Floats
    parts: tuple[PairedShares, ...]
    turned: float
    settings: Settings

    @property
    def difference(self) -> float:
        return self.turned * float(self.gains.sum()) + 0.0  # never minus zero

    def test(self, alternative: Alternative) -> Answer:
        return flipped(self.gains, None, alternative, self.settings, WITHIN, {"stratified": True})

    def interval(self, level: float) -> Interval:
        found = [part.interval(level) for part in self.parts]
        values = np.array([part.difference for part in self.parts])
        low, high = np.array([i.low for i in found]), np.array([i.high for i in found])
        down, up = combined(values, low, high, np.ones(len(values)))
        return limits("mover_tango", down, up, level)

    def beyond(self, margin: float) -> None:
        return None


@dataclass(frozen=True, eq=False)
class Clustered:
    """A sum over cases whose clusters are what varies.

    `stratum` is the class whose size is fixed, −1 for cases that are not counted; a class is known
    from the clusters that hold a case of it, and from no others.
    """

    gains: Floats
    stratum: Array
    groups: Array
    turned: float
    settings: Settings
    bounds: tuple[float, float] = (-1.0, 1.0)

    @property
    def difference(self) -> float:
        found = self.turned * float(self.gains.sum()) + 0.0  # never minus zero
        return min(max(found, self.bounds[0]), self.bounds[1])  # nor beyond by rounding

    def test(self, alternative: Alternative) -> Answer:
        inside = self.stratum >= 0
        return flipped(
            self.gains[inside], self.groups[inside], alternative, self.settings, OVER_CLUSTERS
        )

    def interval(self, level: float) -> Interval:
        return self._gap.interval(level)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return self._gap.beyond(margin)

    @cached_property
    def _gap(self) -> Standardised:
        variance, df, units = clustered_variance(self.gains, self.stratum, self.groups)
        gap = Gap(self.difference, float(np.sqrt(variance)), df)
        if variance == 0.0:
            raise NotApplicable(SAME_IN_CLUSTERS)
        known = {"clusters": units}
        return Standardised(gap, self.turned, "cluster_mean", OVER_CLUSTERS, known, self.bounds)


def clustered_variance(gains: Floats, stratum: Array, groups: Array) -> tuple[float, float, int]:
    """Variance of a sum of gains over clusters, its degrees of freedom, and how many clusters.

    Every class has the factor I/(I − 1) of the clusters that hold it, products of two classes that
    of all clusters, as Obuchowski (1997) has it for areas; with clusters of one case this is the
    variance of independent cases within classes. Degrees of freedom are Satterthwaite's, at most
    those of all clusters.
    """
    inside = stratum >= 0
    code = np.unique(groups[inside], return_inverse=True)[1]
    gains, stratum = gains[inside], np.unique(stratum[inside], return_inverse=True)[1]
    units, classes = int(code.max()) + 1, int(stratum.max()) + 1
    sums, held = np.zeros((classes, units)), np.zeros(classes)
    for k in range(classes):
        own = stratum == k
        sums[k] = np.bincount(code[own], weights=gains[own] - gains[own].mean(), minlength=units)
        held[k] = len(np.unique(code[own]))
    if held.min() < 2:
        raise NotApplicable("an interval over clusters needs two that hold the same class.")
    squares = (sums**2).sum(axis=1) * held / (held - 1.0)
    products = (sums.sum(axis=0) ** 2).sum() - (sums**2).sum()
    variance = float(squares.sum() + products * units / (units - 1.0))
    scale = float((np.abs(gains).max() ** 2) * len(gains))
    if variance <= 1e-24 * scale:
        return 0.0, units - 1.0, units
    df = squares.sum() ** 2 / (squares**2 / (held - 1.0)).sum()
    return variance, float(min(df, units - 1.0)), units


def flipped(
    gains: Floats,
    groups: Array | None,
    alternative: Alternative,
    settings: Settings,
    hypothesis: str,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> Answer:
    """The sign-flip test of gains, as an answer."""
    found = flips(gains, groups=groups, alternative=alternative, settings=settings)
    test = answer(
        "sign_flip",
        statistic=float(gains.sum()),
        p_value=found.p_value,
        alternative=alternative,
        hypothesis=hypothesis,
        draws=found.draws,
        **known,
        **known_of(found, groups),
    )
    return Answer(test, least=found.least)


@comparison(
    name="mcnemar",
    title="exact McNemar, limits by Tango",
    words="McNemar's exact test, with Tango's limits",
    source=("mcnemar1947", "tango1998"),
    hypothesis="both models are right equally often",
    default=[Law.SHARE],
    allows=[Fact.CLUSTERS],
    otherwise="exchange",
)
def difference_of_shares(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast | None:
    """McNemar and Tango; over clusters flips and Student's t. None for what counts no cases."""
    k = len(first.classes)
    cells = counted_cells(measure, k)
    if cells is None:
        return None
    everyone = np.ones(k, dtype=np.bool_)
    if not np.array_equal(cells, np.eye(k)):
        found = as_share(measure, k)
        assert found is not None
        slope = turn(measure) * (found.bounds[1] - found.bounds[0])
        hits = in_cells(cells, first), in_cells(cells, second)
        return _paired(measure, first, hits, settings, everyone[classes_of(first)], slope, {})
    return _counted(measure, first, second, settings, everyone, {})


def counted_cells(measure: Measure, classes: int) -> Bools | None:
    """The cells (K, K) whose cases a share of all cases counts; if less is better, the others.

    Those of right predictions for any function of accuracy; None for what counts no cases.
    """
    if measure.form not in COUNTING:
        return None
    found = as_share(measure, classes)
    if found is not None and found.inside.all():
        low, high = found.bounds
        share = (found.score - low) / (high - low)
        better = 1.0 - share if measure.higher_is_better is False else share
        if np.isclose(better, np.round(better), rtol=0.0, atol=1e-9).all():
            return np.asarray(better > 0.5)
    if of_accuracy_alone(measure, classes):
        return np.asarray(np.eye(classes), dtype=np.bool_)
    return None


def in_cells(cells: Bools, predictions: Any) -> Bools:
    """Which cases are in these cells of the confusion table."""
    return np.asarray(cells[classes_of(predictions), labels_of(predictions)])


@comparison(
    name="mcnemar_within",
    title="McNemar within the class",
    words="McNemar's exact test within the class, with Tango's limits",
    source=("mcnemar1947", "tango1998"),
    hypothesis="both models are right equally often among cases of the class",
    default=[Law.CONDITIONAL],
    allows=[Fact.CLUSTERS],
    otherwise="exchange",
)
def difference_within_class(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast | None:
    """The same within the class that is counted; None for predictive values."""
    counted = of_one_class(measure)
    if counted is None:
        return None
    (label,) = (str(c) for c, kept in zip(first.classes, counted, strict=True) if kept)
    return _counted(measure, first, second, settings, counted, {"among": label})


@comparison(
    name="stratified_flip",
    drawn=True,
    title="stratified sign flip, limits by MOVER",
    words="a stratified sign-flip test, with limits by MOVER from Tango's",
    source=("dinga2019", "zou2008"),
    hypothesis=WITHIN,
    default=[Law.BALANCED],
    allows=[Fact.CLUSTERS],
    otherwise="exchange",
)
def difference_of_balanced(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> Contrast | None:
    """Stratified flips, MOVER with Tango; None when the measure is not linear in the table."""
    weights = cell_weights(measure, first)
    if weights is None:
        return None
    turned = turn(measure)
    gains = turned * contributions(measure, first, second)
    actual = classes_of(first)
    if first.cases.groups is not None:
        groups = first.cases.groups
        over = Clustered(gains, actual, groups, turned, settings, span(measure.range))
        steps = _steps(weights)
        if gains.any() or steps is None:
            return over
        return Combined(over, Balanced(gains, _agreeing(steps, actual, groups), turned, settings))
    steps = _steps(weights)
    sizes = class_sizes(first)
    if steps is None:
        nothing = Balanced(gains, (), turned, settings)
        return Combined(nothing, Resampled(measure, first, second, settings))
    parts = []
    for k, size in enumerate(sizes.tolist()):
        if size:
            gained, lost = discordant(first, second, actual == k)
            parts.append(PairedShares(gained, lost, int(size), float(steps[k] * size)))
    return Balanced(gains, tuple(parts), turned, settings)


def _agreeing(steps: Floats, actual: Array, groups: Array) -> tuple[PairedShares, ...]:
    """Paired shares of models that never disagree, with clusters for cases."""
    found = []
    for k, step in enumerate(steps.tolist()):
        own = actual == k
        if own.any():
            units = len(np.unique(groups[own]))
            found.append(PairedShares(0, 0, units, step * int(own.sum())))
    return tuple(found)


def discordant(first: Any, second: Any, inside: Array) -> tuple[int, int]:
    """Cases that only the first, and that only the second model gets right."""
    return only_one(right(first)[inside], right(second)[inside])


def only_one(one: Bools, other: Bools) -> tuple[int, int]:
    """How many are true of the one only, and of the other only."""
    return int((one & ~other).sum()), int((other & ~one).sum())


def turn(measure: Measure) -> float:
    """What turns a difference into a gain; a measure without direction is left as it is."""
    return -1.0 if measure.higher_is_better is False else 1.0


def _counted(
    measure: Measure,
    first: Any,
    second: Any,
    settings: Settings,
    counted: Array,
    known: Mapping[str, Any],
) -> Contrast:
    actual = classes_of(first)
    inside = counted[actual]
    n = int(inside.sum())
    if n == 0:
        raise NotApplicable(f"no case to compare{PairedShares(0, 0, 1, 1.0, known).where}.")
    weights = cell_weights(measure, first)
    steps = None if weights is None else _steps(weights)
    slopes = None if steps is None else steps[counted & (class_sizes(first) > 0)] * n
    linear = slopes is not None and np.ptp(slopes) <= 1e-9 * np.abs(slopes).max()
    slope = _rounded(float(slopes[0])) if slopes is not None and linear else turn(measure)
    tested = _paired(measure, first, (right(first), right(second)), settings, inside, slope, known)
    if linear:
        return tested
    return Combined(tested, Resampled(measure, first, second, settings))


def _paired(
    measure: Measure,
    first: Any,
    hits: tuple[Bools, Bools],
    settings: Settings,
    inside: Bools,
    slope: float,
    known: Mapping[str, Any],
) -> Contrast:
    """The share of the cases inside that are hits of the first model, beside that of the second."""
    one, other = hits
    n, groups = int(inside.sum()), first.cases.groups
    if groups is not None:
        gains = inside * (one.astype(float) - other) / n * abs(slope)
        stratum = np.where(inside, 0, -1)
        tested: Contrast = Clustered(
            gains, stratum, groups, float(np.sign(slope)), settings, span(measure.range)
        )
        if not gains.any():
            units = len(np.unique(groups[inside]))
            tested = Combined(tested, PairedShares(0, 0, units, slope, {"clusters": units}))
        return tested
    return PairedShares(*only_one(one[inside], other[inside]), n, slope, known)


def _steps(weights: Floats) -> Floats | None:
    """What a case adds by being called by its class, when all other labels are equally wrong."""
    k = len(weights)
    right_less_wrong = np.diag(weights)[:, None] - weights
    steps = right_less_wrong[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    if np.ptp(steps, axis=1).max() > 1e-9 * max(np.abs(steps).max(), 1e-300):
        return None
    return steps[:, 0]


def slopes_by_class(measure: Measure, predictions: Any) -> Floats | None:
    """How much a measure rises with the share of each class that is right; None if not linear.

    For a share of all cases that is the slope times the share of cases of the class.
    """
    weights = cell_weights(measure, predictions)
    steps = None if weights is None else _steps(weights)
    return None if steps is None else steps * class_sizes(predictions)


def is_share_right(measure: Measure, predictions: Any) -> bool:
    """Whether a measure is the share of all cases that are right, or of those that are wrong."""
    slopes = slopes_by_class(measure, predictions)
    if slopes is None:
        return False
    shares = class_sizes(predictions) / predictions.n
    return bool(np.allclose(slopes, turn(measure) * shares, rtol=1e-9, atol=1e-12))


def _rounded(slope: float) -> float:
    """A slope that is a whole number but for rounding, made one."""
    return float(round(slope)) if abs(slope - round(slope)) < 1e-9 else slope


# ----------------------------------------------------------------------------------------------
# Two shares of different cases.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TwoShares:
    """Two shares of different cases: x of n each."""

    x: tuple[int, int]
    n: tuple[int, int]
    turned: float

    @property
    def difference(self) -> float:
        return self.turned * (self.x[0] / self.n[0] - self.x[1] / self.n[1])

    def test(self, alternative: Alternative) -> Answer:
        wrong = [n - x for x, n in zip(self.x, self.n, strict=True)]
        table = [[wrong[1], self.x[1]], [wrong[0], self.x[0]]]
        found = fisher_counts(table, alternative=alternative)
        tested = answer(
            "fisher",
            statistic=found.statistic,
            p_value=found.p_value,
            alternative=alternative,
            hypothesis="both shares are equal",
            unpaired=True,
        )
        return Answer(tested)

    def interval(self, level: float) -> Interval:
        found = newcombe(self.x[0], self.n[0], self.x[1], self.n[1], confidence_level=level)
        low, high = sorted((self.turned * found.low, self.turned * found.high))
        return limits("newcombe", low, high, level, unpaired=True)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        return None


@comparison(
    name="two_shares",
    title="Fisher's exact test, limits by Newcombe",
    words="Fisher's exact test for different cases, with Newcombe's limits",
    source=("fisher1935", "newcombe1998"),
    hypothesis="both shares are equal",
    default=[Law.SHARE, Law.CONDITIONAL],
    needs=[Fact.UNPAIRED],
    otherwise="welch",
)
def difference_of_two_shares(
    measure: Measure, first: Any, second: Any, settings: Settings
) -> TwoShares | None:
    """Shares of different cases, as far as they count cases."""
    if measure.law is Law.SHARE and all(is_share_right(measure, p) for p in (first, second)):
        inside = [np.ones(p.n, dtype=np.bool_) for p in (first, second)]
    elif measure.law is Law.CONDITIONAL:
        counted = of_one_class(measure)
        if counted is None:
            return _predictive(measure, first, second)
        inside = [counted[classes_of(p)] for p in (first, second)]
    else:
        return None
    parts = [(p, rows) for p, rows in zip((first, second), inside, strict=True)]
    x, y = (int(right(p)[rows].sum()) for p, rows in parts)
    n, m = (int(rows.sum()) for _, rows in parts)
    return TwoShares((x, y), (n, m), turn(measure))


def _predictive(measure: Measure, first: Any, second: Any) -> TwoShares:
    """Predictive values of different cases are shares of different denominators."""
    parts = [
        measure.formula(*(c[1] for c in p.class_counts), **measure.parameters)
        for p in (first, second)
    ]
    (x, n), (y, m) = ((int(hits), int(total)) for hits, total in parts)
    if turn(measure) < 0:
        x, y = n - x, m - y
    return TwoShares((x, y), (n, m), turn(measure))
