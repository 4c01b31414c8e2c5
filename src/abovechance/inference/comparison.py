"""Is one model really better than another? `compare`, and the rows, order and letters it returns.

First what it is made of: margins, posteriors, rows, letters, the order of models, subgroups; the
verb comes last.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import DataError, NotApplicable, UnknownMeasure, did_you_mean, listed
from abovechance.errors import shown as in_words
from abovechance.inference.arguments import models_given
from abovechance.inference.assessment import (
    PRIMARY,
    Evidence,
    estimate,
    events,
    in_order,
    part_of,
    subgroup,
    titled,
)
from abovechance.inference.bootstrap import span
from abovechance.inference.contrasts import (
    Alike,
    Contrast,
    Standardised,
    class_sizes,
    classes_of,
    labels_of,
    less,
    one_sided,
)
from abovechance.inference.folds import correlated_t
from abovechance.inference.goals import beside_baseline
from abovechance.inference.influence import Gap, too_few_for_a_verdict
from abovechance.inference.interval_choice import expanded, forget_tables, small_class
from abovechance.inference.law_contrasts import ModelFamily, contrast_by_name, unpaired
from abovechance.inference.method import Fact, Kind, first_of, requested_methods
from abovechance.inference.method import find as find_method
from abovechance.inference.miscalibration import depends_on_size
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.omnibus import safe_omnibus
from abovechance.inference.pairing import Matched, identical, matched, same_classes, same_kind
from abovechance.inference.posterior.distribution import Draws
from abovechance.inference.posterior.from_counts import (
    Gain,
    agreement,
    paired_difference,
    prior_words,
)
from abovechance.inference.remarks import (
    advice_on_compared_subgroups,
    advice_on_own_cases,
    advice_on_repeats,
    remarks,
)
from abovechance.inference.results import (
    Comparison,
    Difference,
    Estimate,
    Interaction,
    Interval,
    Margin,
    Omnibus,
    Place,
    Posterior,
    Subgroup,
    shown,
)
from abovechance.inference.shares import slopes_by_class, turn
from abovechance.inference.unseen_errors import held_difference
from abovechance.measures import Law, Measure, applicable, find
from abovechance.measures.catalogue import named
from abovechance.measures.sample import left_out
from abovechance.measures.utility import at_threshold, labelling_threshold
from abovechance.predictions import Predictions, checks
from abovechance.predictions.checks import in_order_of
from abovechance.predictions.multiclass import refuse_to_resample
from abovechance.resampling import Store, digest
from abovechance.settings import Settings, number_of, settled

# ----------------------------------------------------------------------------------------------
# Non-inferiority and equivalence: is a difference surely smaller than what would matter?
# ----------------------------------------------------------------------------------------------

WEIGHTED_FOR_A_MARGIN = 30  # cases of the smaller class, with sampling weights
TIMES_FOR_A_MARGIN = 20  # with cases of the smaller class, in time order


def margin_for(measure: Measure, margin: Any) -> float | None:
    """The margin of one measure: a number for all of them, or a mapping from names to numbers."""
    if margin is None:
        return None
    if isinstance(margin, Mapping):
        named = {_label(name, measure): value for name, value in margin.items()}
        if measure.label not in named:
            return None
        margin = named[measure.label]
    value = number_of(margin)
    if not 0.0 < value < float("inf"):
        raise DataError(
            f"margin must be a positive number in the units of the measure; got {in_words(margin)}."
        )
    return value


def refuse_unknown(margin: Any, measures: list[Measure]) -> None:
    """A margin for a measure that is not compared is a slip."""
    if not isinstance(margin, Mapping):
        return
    known = [m.label for m in measures]
    for name in margin:
        if not any(_label(name, m) == m.label for m in measures):
            meant = did_you_mean(str(name), known) or "."
            raise NotApplicable(f"margin names {name!r}, which is not compared{meant}")


def _refuse_few_for_a_margin(predictions: Any) -> None:
    """Few clusters, weighted cases, or times with cases of a class give no verdict on a margin.

    With 4 to 15 clusters of a class, bounds that should err in 5 % did so in 10 to 15 %, with two
    dozen in 5 to 7 %. Of weighted cases, those that weigh much may not have been drawn: 16 % with
    10 cases of a class, 6 % with 40. In time order the expected cost of 6 positives of 149 cases
    was found non-inferior in 11 %.
    """
    least = small_class(predictions)
    if predictions.cases.order is not None and least < TIMES_FOR_A_MARGIN:
        each = " with cases of each class" if hasattr(predictions, "classes") else ""
        raise NotApplicable(
            f"a verdict on a margin needs {TIMES_FOR_A_MARGIN} times{each}, and there "
            f"{'is' if least == 1 else 'are'} {least}; the interval stands."
        )
    if predictions.cases.sample_weight is not None and least < WEIGHTED_FOR_A_MARGIN:
        each, one = (" of each class", " of one") if hasattr(predictions, "classes") else ("", "")
        raise NotApplicable(
            f"a verdict on a margin needs {WEIGHTED_FOR_A_MARGIN} weighted cases{each}, and there "
            f"{'is' if least == 1 else 'are'} {least}{one}; the interval stands."
        )
    few = too_few_for_a_verdict(predictions, "margin")
    if few:
        raise NotApplicable(few)


def beside_margin(contrast: Contrast, measure: Measure, margin: float, level: float) -> Margin:
    """What the data say of a margin around zero.

    Non-inferior: the one-sided bound of the gain at 1 − α lies above −margin. Equivalent: the
    interval at 1 − 2α lies between −margin and margin (two one-sided tests). The interval shown
    decides; p-values are of the test whose inversion it is: Tango's score for paired shares, the
    resampled pivots for means. (Flipping differences plus the margin would not do: at a margin
    there is no symmetry to appeal to.) Where nothing varies there is no verdict, and none on
    calibration distances: at the margin that of expected calibration errors erred in 27 %.

    References
    ----------
    Schuirmann (1987), two one-sided tests; Liu et al. (2002) for paired shares.
    """
    if measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} has no better direction, so no margin.")
    if depends_on_size(measure):
        raise NotApplicable(
            "chance makes such values greater than they are, and not by as much in both models: "
            "no verdict on a margin."
        )
    alpha = round(1.0 - level, 12)
    if alpha >= 0.5:
        raise NotApplicable("a margin needs a confidence level above one half.")
    interval = one_sided(contrast, round(1.0 - 2.0 * alpha, 12))
    if interval.low == interval.high or not getattr(contrast, "varies", True):
        raise NotApplicable("nothing varies between the cases, so there is no verdict on a margin.")
    undecided = getattr(contrast, "no_verdict", None)
    if undecided:
        raise NotApplicable(undecided)
    low, high = interval.low, interval.high
    if not measure.higher_is_better:
        low, high = -high, -low
    found = contrast.beyond(margin)
    if found is None:
        return Margin(
            margin=margin,
            alpha=alpha,
            interval=interval,
            noninferior=low > -margin,
            equivalent=-margin < low and high < margin,
        )
    below, above = found
    return Margin(
        margin=margin,
        alpha=alpha,
        interval=interval,
        noninferior=low > -margin and below <= alpha,
        equivalent=-margin < low and high < margin and max(below, above) <= alpha,
        p_noninferior=below,
        p_equivalent=max(below, above),
    )


def _label(name: str, measure: Measure) -> str:
    if name == measure.label:
        return name
    try:
        found = find(name)
    except UnknownMeasure:
        return name  # one of the user's own, or a slip that is told as such
    both = {found.label, *(found.for_outcome(kind).label for kind in measure.outcomes)}
    return measure.label if measure.label in both else found.label


# ----------------------------------------------------------------------------------------------
# How probable is it that one model is more accurate than another on the same cases?
# ----------------------------------------------------------------------------------------------


PRIOR = 0.5  # that of `posterior.paired_difference`, which these numbers are
CLASS_DRAWS = 4_000_000  # of the posterior, over all classes
LEAST_DRAWS, MOST_DRAWS = 20_000, 200_000


def posterior_of(
    measure: Measure,
    first: Any,
    second: Any,
    rope: float | None,
    known: dict[Any, Any] | None = None,
) -> Posterior | None:
    """The posterior of a difference of shares of all cases, or of class shares averaged.

    None for other measures. Independent cases only: no groups, no weights, no order. What is
    `known` of these two models is not drawn again.
    """
    dependent = first.cases.groups is not None or first.cases.order is not None
    if dependent or first.weight is not None:
        return None
    if measure.law not in (Law.SHARE, Law.BALANCED):
        return None
    slopes = slopes_by_class(measure, first)
    if slopes is None or (turn(measure) * slopes < 0).any():
        return None
    sizes = class_sizes(first)
    scale = float(np.abs(slopes).sum())
    within = None if rope is None else rope / scale
    tables = agreement(classes_of(first), labels_of(first), labels_of(second))
    if measure.law is Law.SHARE:
        if not np.allclose(slopes, scale * turn(measure) * sizes / sizes.sum()):
            return None
        return _posterior_of(_gain(tables.sum(axis=0)), within, rope, "")
    weights = np.abs(slopes[sizes > 0]) / scale
    known, key = {} if known is None else known, tuple(np.round(weights, 12))
    if key not in known:
        draws = int(np.clip(CLASS_DRAWS // len(weights), LEAST_DRAWS, MOST_DRAWS))
        known[key] = paired_difference(tables, weights=weights, draws=draws).distribution
    return _posterior_of(known[key], within, rope, ", in every class")


def of_accuracy(gained: int, lost: int, n: int, rope: float | None = None) -> Posterior:
    """The difference of two paired shares.

    >>> round(of_accuracy(12, 2, 50).p_better, 4)
    0.9974
    """
    table = np.array([[n - gained - lost, gained], [lost, 0]])
    return _posterior_of(_gain(table), rope, rope, "")


def _gain(table: Array) -> Gain:
    both, gained, lost, neither = (float(cell) + PRIOR for cell in table.ravel())
    return Gain(np.zeros(1), (both, gained, lost, neither))


def _posterior_of(found: Any, within: float | None, rope: float | None, where: str) -> Posterior:
    p_better, prior = float(found.sf(0.0)), f"{prior_words(PRIOR)}{where}"
    if rope is None or within is None:
        return Posterior(p_better=p_better, prior=prior)
    below, above = float(found.cdf(-within)), float(found.sf(within))
    if isinstance(found, Draws) and not isinstance(found, Gain):
        below = float((found.values < -within).mean())
    return Posterior(
        p_better=p_better,
        prior=prior,
        rope=rope,
        p_first=above,
        p_equal=1.0 - above - below,
        p_second=below,
    )


# ----------------------------------------------------------------------------------------------
# The rows of a comparison: every pair of models, every measure, with what is known of it.
# ----------------------------------------------------------------------------------------------


def paired_rows(
    models: Mapping[str, Any], measures: Sequence[Measure], settings: Settings
) -> Iterator[Difference]:
    """All pairs of models on the same cases, p-values adjusted within each measure."""
    names, cases = list(models), list(models.values())
    timed = cases[0].cases.order is not None  # then folds are stretches of one time
    crossed = any(p.origin != "test" for p in cases) and not timed
    for one in cases:
        one.derived["asked"] = measures
    families = [ModelFamily(measure, cases, settings) for measure in measures]
    rows: list[list[Difference]] = [[] for _ in measures]
    # pair by pair: what one pair of models has drawn serves all measures
    for i, j in combinations(range(len(names)), 2):
        alike, gains = identical(cases[i], cases[j]), dict[Any, Any]()
        for measure, family, own in zip(measures, families, rows, strict=True):
            frame = _frame(measure, names[i], names[j], cases[i].n, cases[i])
            frame = replace(frame, identical=alike)
            if crossed:
                own.append(_over_folds(frame, measure, cases[i], cases[j], settings))
                continue
            row = _filled(frame, measure, family.contrast(i, j), settings, cases[i])
            row = row if alike or timed else _allowing_for_errors(row, measure, cases[i], cases[j])
            beside = posterior_of(measure, cases[i], cases[j], settings.rope, gains)
            own.append(replace(row, posterior=beside))
        for one in (cases[i], cases[j]):
            forget_tables(one)
    for own in rows:
        yield from concluded(own, settings)


def _over_folds(
    frame: Difference, measure: Measure, first: Any, second: Any, settings: Settings
) -> Difference:
    value = measure.of(first)
    if identical(first, second) and not np.isnan(value):
        row = _filled(frame, measure, Alike(infinite=not np.isfinite(value)), settings)
        return replace(row, posterior=correlated_t(Gap(0.0, 0.0, 1.0), 1.0, settings.rope))
    try:
        contrast = _contrast_over_folds(measure, first, second, settings)
    except NotApplicable as reason:
        gap = less(value, measure.of(second))
        return replace(_valued(frame, measure, gap), undefined=str(reason))
    row = _filled(frame, measure, contrast, settings)
    if not isinstance(contrast, Standardised) or contrast.gap.error == 0.0:
        return row
    return replace(row, posterior=correlated_t(contrast.gap, turn(measure), settings.rope))


def _contrast_over_folds(measure: Measure, first: Any, second: Any, settings: Settings) -> Contrast:
    """By the method asked for, else by that of folds."""
    facts = frozenset({Fact.FOLDS})
    method = settings.chosen(Kind.COMPARISON).get(measure.label)
    if method is None and settings.naive:
        method = find_method("naive_t", Kind.COMPARISON)
    if method is None:
        method = first_of(Kind.COMPARISON, measure.law, facts)
    if Fact.FOLDS not in method.needs | method.allows:
        return contrast_by_name(method, measure, first, second, settings)  # and is refused there
    assert method.function is not None
    return cast(Contrast, method.function(measure, first, second, settings))


def unpaired_rows(
    models: Mapping[str, Any], measures: Sequence[Measure], settings: Settings
) -> Iterator[Difference]:
    """All pairs of models on different cases."""
    if any(p.origin != "test" for p in models.values()):
        raise NotApplicable(
            "cross-validated predictions of different cases cannot be compared: cases depend on "
            "each other through the folds."
        )
    for measure in measures:
        rows = []
        for a, b in combinations(models, 2):
            first, second = models[a], models[b]
            frame = replace(_frame(measure, a, b, first.n + second.n, first), paired=False)
            contrast = unpaired(measure, first, second, settings)
            row = _filled(frame, measure, contrast, settings, first, second)
            rows.append(_allowing_for_errors(row, measure, first, second))
        yield from concluded(rows, settings)


def _allowing_for_errors(row: Difference, measure: Measure, first: Any, second: Any) -> Difference:
    """Limits no narrower than what errors that were not seen would make of the difference."""
    if row.interval is None:
        return row
    found = held_difference(measure, first, second, row.interval)
    if found is row.interval:
        return row
    reason = "hardly any prediction was wrong: no verdict on a margin"
    if row.margin is None:
        return replace(row, interval=found)
    said = "; ".join(filter(None, (row.undefined, reason)))
    return replace(row, interval=found, margin=None, undefined=said)


def _frame(measure: Measure, first: str, second: str, n: int, cases: Any) -> Difference:
    return Difference(
        measure=measure.label,
        title=titled(measure, cases),
        first=first,
        second=second,
        difference=float("nan"),
        n=n,
    )


def _filled(
    frame: Difference,
    measure: Measure,
    contrast: Contrast,
    settings: Settings,
    *cases: Any,
) -> Difference:
    """A row with what its contrast knows; what it does not know is said.

    `cases` are the predictions that a verdict on a margin would rest on.
    """
    least, most = span(measure.range)
    row = _valued(frame, measure, min(max(contrast.difference, least), most))
    reasons = []
    try:
        row = replace(row, interval=_between(contrast.interval(settings.level), least, most))
    except NotApplicable as reason:
        reasons.append(str(reason))
    try:
        found = contrast.test(settings.alternative)
    except NotApplicable as reason:
        reasons.append(str(reason))
    else:
        row = replace(
            row,
            p_value=found.test.p_value,
            mid_p=found.mid_p,
            least_p=found.least,
            alternative=found.test.alternative,
            hypothesis=found.test.hypothesis,
            test=found.test.method,
            test_by=found.test.by,
            statistic=found.test.statistic,
            draws=found.test.draws,
        )
    margin = margin_for(measure, settings.margin)
    if margin is not None:
        try:
            for predictions in cases:
                _refuse_few_for_a_margin(predictions)
            row = replace(row, margin=beside_margin(contrast, measure, margin, settings.level))
        except NotApplicable as reason:
            reasons.append(str(reason))
    reasons += filter(None, (left_out(measure, predictions) for predictions in cases))
    said = dict.fromkeys(reason.removesuffix(".") for reason in reasons)
    return replace(row, undefined="; ".join(said) or None)


def _between(found: Interval, least: float, most: float) -> Interval:
    """Limits of what a difference can be: sums of shares may leave it by rounding."""
    if least <= found.low and found.high <= most:
        return found
    return replace(found, low=max(found.low, least), high=min(found.high, most))


def _valued(frame: Difference, measure: Measure, difference: float) -> Difference:
    better = None
    if measure.higher_is_better is not None and difference != 0 and difference == difference:
        better = frame.first if turn(measure) * difference > 0 else frame.second
    return replace(frame, difference=difference, better=better)


def concluded(rows: Sequence[Difference], settings: Settings) -> Iterator[Difference]:
    """Rows with p-values adjusted over all of them, and whether each difference was shown."""
    p = [float("nan") if row.p_value is None else row.p_value for row in rows]
    for row, value in zip(rows, adjusted(p, settings.adjust), strict=True):
        own = None if np.isnan(value) else float(value)
        inside = None if row.interval is None else (row.interval.low, row.interval.high)
        yield replace(
            row,
            p_adjusted=own,
            shown=shown(
                difference=row.difference,
                p=own,
                interval=inside,
                alternative=row.alternative,
                alpha=1.0 - settings.level,
            ),
        )


# ----------------------------------------------------------------------------------------------
# Which models belong together: letters shared by models that were not told apart.
# ----------------------------------------------------------------------------------------------


def compact_letters(models: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Letters such that two models share one if and only if they were not found different.

    `models` from best to worst; `different` are the pairs that a test told apart.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons.

    Examples
    --------
    >>> compact_letters(["forest", "boost", "tree"], [("forest", "tree")])
    {'forest': 'a', 'boost': 'ab', 'tree': 'b'}
    """
    columns = [frozenset(models)]
    for first, second in different:
        columns = _split(columns, first, second)
    place = {model: i for i, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(place[m] for m in column))
    found = dict.fromkeys(models, "")
    for number, column in enumerate(columns):
        for model in column:
            found[model] += _letter(number)
    return found


def _split(columns: list[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    """Every group that holds both becomes two; a group within another one goes."""
    together = [c for c in columns if first in c and second in c]
    apart = [c for c in columns if not (first in c and second in c)]
    made = [c - {one} for c in together for one in (first, second)]
    for column in made:
        if not any(column <= other for other in apart):
            apart.append(column)
    return [c for c in apart if not any(c < other for other in apart)]


def _letter(number: int) -> str:
    """a … z, then a2, b2, …

    >>> _letter(2), _letter(27)
    ('c', 'b2')
    """
    rounds, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(rounds + 1) if rounds else "")


# ----------------------------------------------------------------------------------------------
# Every model's values, and their order with letters for what was told apart.
# ----------------------------------------------------------------------------------------------


def values_of(
    models: Mapping[str, Any], measures: Sequence[Measure], settings: Settings
) -> Iterator[Estimate]:
    """Every model's value of every measure with its interval; over folds the mean of the folds."""
    known = {
        name: Evidence.gather(p, measures, settings.alone(), tests=False)
        for name, p in models.items()
    }
    for measure in measures:
        for name, p in models.items():
            yield known[name].added_to(replace(estimate(measure, p), model=name), measure)


def ranking(
    measures: Sequence[Measure],
    values: Sequence[Estimate],
    rows: Sequence[Difference],
) -> Iterator[Place]:
    """Models from best to worst by every measure, when there are more than two."""
    for measure in measures:
        own = [e for e in values if e.measure == measure.label and e.value == e.value]
        if len(own) < 3:
            continue
        distance = [_from_best(measure, e.value) for e in own]
        ordered = [own[i] for i in np.argsort(distance, kind="stable")]
        apart = [
            (row.first, row.second)
            for row in rows
            if row.measure == measure.label and row.model is row.by is None and row.shown
        ]
        letters = compact_letters([str(e.model) for e in ordered], apart)
        for rank, e in enumerate(ordered, 1):
            model = str(e.model)
            yield Place(
                measure=measure.label, model=model, rank=rank, value=e.value, letters=letters[model]
            )


def _from_best(measure: Measure, value: float) -> float:
    if measure.higher_is_better is None:
        return abs(value - measure.best)
    return -turn(measure) * value


# ----------------------------------------------------------------------------------------------
# Models compared within subgroups, and whether their difference differs between these.
# ----------------------------------------------------------------------------------------------


HYPOTHESIS = "the difference between the two models is the same in every subgroup"
TEST = "Welch–James, standard errors from the intervals"


@dataclass(frozen=True, eq=False)
class Parts:
    """Every model's predictions in every subgroup."""

    models: dict[str, dict[str, Predictions]]  # by subgroup, then by model

    @classmethod
    def of(cls, models: Mapping[str, Predictions], by: Any, name: str) -> "Parts":
        """Split every model's cases by the same column."""
        columns = _columns(models, by)
        labels = in_order(
            dict.fromkeys(v for c in columns.values() for v in c.tolist() if v is not None)
        )
        if len(labels) < 2:
            raise DataError(f"by must tell two subgroups apart; all cases are {labels[0]!r}.")
        return cls(
            {
                (f"{name}={label}" if name else label): {
                    model: part_of(p, columns[model] == label, label) for model, p in models.items()
                }
                for label in labels
            }
        )

    def sizes(self) -> tuple[Subgroup, ...]:
        """How many cases and events each holds, by the first model."""
        return tuple(subgroup(by, next(iter(part.values()))) for by, part in self.models.items())


def within_rows(
    parts: Parts, measures: Sequence[Measure], settings: Settings, *, paired: bool
) -> list[Difference]:
    """Differences between models within each subgroup; p-values adjusted over all of a measure."""
    found: list[Difference] = []
    for by, models in parts.models.items():
        own = _within(models, measures, replace(settings, adjust="none"), paired=paired)
        found += [replace(row, by=by, events=_events(row, models)) for row in own]
    return [
        row
        for measure in measures
        for row in concluded([r for r in found if r.measure == measure.label], settings)
    ]


def _within(
    models: Mapping[str, Predictions],
    measures: Sequence[Measure],
    settings: Settings,
    *,
    paired: bool,
) -> Iterator[Difference]:
    together = matched(models) if paired else None
    if together is not None:
        yield from paired_rows(together.models, measures, settings)
        return
    cases = same_classes([expanded(p) for p in models.values()])
    yield from unpaired_rows(dict(zip(models, cases, strict=True)), measures, settings)


def _events(row: Difference, models: Mapping[str, Predictions]) -> int | None:
    counted = [events(models[name]) for name in (row.first, row.second)]
    if row.paired or None in counted:
        return counted[0]
    return sum(count for count in counted if count is not None)


def between_rows(
    parts: Parts, measures: Sequence[Measure], settings: Settings
) -> Iterator[Difference]:
    """Differences between subgroups of the cases, for every model."""
    for model in next(iter(parts.models.values())):
        own = {by: expanded(models[model]) for by, models in parts.models.items()}
        for row in unpaired_rows(own, measures, settings):
            yield replace(row, model=model)


def interactions(
    rows: Sequence[Difference], parts: Parts, measures: Sequence[Measure], adjust: str
) -> Iterator[Interaction]:
    """For every measure and pair: does the difference differ between the subgroups?"""
    names = list(next(iter(parts.models.values())))
    dependent = _dependence(parts)
    for measure in measures:
        why, tests = dependent, []
        if why is None and depends_on_size(measure):
            why = "its value changes with the number of cases alone, which subgroups do not share"
        for first, second in combinations(names, 2):
            own = [
                row
                for row in rows
                if (row.measure, row.first, row.second) == (measure.label, first, second)
            ]
            tests.append(_interaction(own, why))
        p = [float("nan") if t.p_value is None else t.p_value for t in tests]
        for test, value in zip(tests, adjusted(p, adjust), strict=True):
            yield replace(test, p_adjusted=None if np.isnan(value) else float(value))


def _dependence(parts: Parts) -> str | None:
    """Why subgroups are not independent of each other, if they are not."""
    first = [next(iter(models.values())) for models in parts.models.values()]
    if any(p.origin != "test" for p in first):
        return "the subgroups share folds, so their differences depend on each other"
    if any(p.cases.order is not None for p in first):
        return "subgroups share times, or have neighbouring ones, so their differences depend"
    groups = [p.cases.groups for p in first]
    if all(g is not None for g in groups):
        held = [set(np.asarray(g).astype(str).tolist()) for g in groups]
        if any(a & b for a, b in combinations(held, 2)):
            return "clusters have cases in several subgroups, whose differences so depend"
    return None


def _interaction(rows: Sequence[Difference], why: str | None) -> Interaction:
    known = [row for row in rows if _error(row) > 0]
    blank = Interaction(
        measure=rows[0].measure,
        title=rows[0].title,
        first=rows[0].first,
        second=rows[0].second,
        subgroups=len(known),
        hypothesis=HYPOTHESIS,
        test=TEST,
    )
    if why is not None:
        return replace(blank, undefined=why)
    if len(known) < 2:
        why = "fewer than two subgroups have an interval for the difference"
        return replace(blank, undefined=why)
    value, df, rest, p = welch_james(
        [row.difference for row in known],
        [_error(row) for row in known],
        [_freedom(row) for row in known],
    )
    return replace(blank, statistic=value, df=df, df_error=rest, p_value=p)


def _error(row: Difference) -> float:
    """The standard error an interval implies; 0 where it implies none.

    Intervals by Student's t, by scores or by bootstrap are wider than the normal one with the same
    error, so this errs on the careful side.
    """
    from scipy.special import ndtri

    if row.interval is None or row.difference != row.difference:
        return 0.0
    width = row.interval.high - row.interval.low
    return float(width / (2.0 * ndtri(0.5 + row.interval.level / 2.0))) if width < np.inf else 0.0


def _freedom(row: Difference) -> float:
    """Cases that vary, less one: those of the scarcer class where there are events."""
    scarce = row.n if row.events is None else min(row.events, row.n - row.events)
    return max(float(scarce) - 1.0, 1.0)


def welch_james(
    values: Sequence[float], errors: Sequence[float], freedoms: Sequence[float]
) -> tuple[float, float, float, float]:
    """Are independent values with standard errors of their own all the same?

    Cochran's Q, referred to F as in Welch (1951), so that few cases behind an error are allowed
    for; of two values it is Welch's t-test. Returns F, both degrees of freedom, p.

    >>> [round(x, 4) for x in welch_james([0.3, 0.1], [0.1, 0.1], [50, 50])]
    [2.0, 1.0, 100.0, 0.1604]
    """
    from scipy.special import fdtrc

    from abovechance.numerics.exact import never_zero

    d = np.asarray(values, dtype=np.float64)
    w = 1.0 / np.asarray(errors, dtype=np.float64) ** 2
    k = len(d)
    share = w / w.sum()
    q = float((w * (d - (share * d).sum()) ** 2).sum())
    off = float(((1.0 - share) ** 2 / np.asarray(freedoms)).sum())
    f = q / (k - 1) / (1.0 + 2.0 * (k - 2) / (k**2 - 1) * off)
    rest = (k**2 - 1) / (3.0 * off)
    return f, float(k - 1), rest, never_zero(float(fdtrc(k - 1, rest, f)))


def _columns(models: Mapping[str, Predictions], by: Any) -> dict[str, Array]:
    """The subgroup of every model's cases: by id where all have ids, else by row."""
    ids = [p.cases.id for p in models.values()]
    if any(i is None for i in ids):
        return {name: _column(p, by) for name, p in models.items()}
    keys = [np.asarray(i).astype(str).tolist() for i in ids]
    known = dict(zip(keys[0], _column(next(iter(models.values())), by).tolist(), strict=True))
    return {
        name: np.array([known.get(i) for i in key], dtype=object)
        for name, key in zip(models, keys, strict=True)
    }


def _column(predictions: Predictions, by: Any) -> Array:
    column = checks.unmasked(in_order_of(predictions.cases.index, "by", by))
    if column.shape != (predictions.n,):
        raise DataError(
            f"by must hold one value for each of the {predictions.n} cases; got {column.shape}."
        )
    return column.astype(str).astype(object)


# ----------------------------------------------------------------------------------------------
# From models and measures to differences, each with its test and its interval.
# ----------------------------------------------------------------------------------------------


USUAL = {
    "binary": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "multiclass": ("log_score", "brier", "auc", "balanced_accuracy", "accuracy"),
    "numeric": ("mse", "mae", "r2"),
    "survival": ("c_index", "integrated_brier"),
}


@settled
def compare(
    models: Any,
    y_true: Any = None,
    measures: Any = None,
    *,
    primary: str | Measure | None = None,
    baseline: str | None = None,
    paired: bool | None = None,
    by: Any = None,
    by_name: str = "",
    between: bool = False,
    **facts: Any,
) -> Comparison:
    """Compare models on the same cases: differences with intervals and the tests of their laws.

    A difference is the first model's value less the second's, in the units of the measure; every
    pair is compared in the order in which the models are given.

    Parameters
    ----------
    models
        Predictions by name, or a list of them (model 1, model 2, …); or, with `y_true`, what each
        predicted. Cases are paired by id when all have ids, else by row (dataframes: by index).
    y_true
        What was observed, where `models` are plain arrays:
        `compare({"old": p0, "new": p1}, y, groups=site)`.
    measures
        Names or measures; one of each family when not given. After predictions it may be the
        second argument.
    primary
        The measure the study is about; the others are descriptive. As in `assess` when not given.
    baseline
        The model in use: the others are compared with it, and by their `margin` each is no worse,
        worse or undecided.
    paired
        False for models that predicted different cases. None: paired where cases are shared.
    by
        One value per case, its subgroup: the models are compared again within each, and for
        every pair it is tested whether their difference differs between subgroups.
    by_name
        What `by` is called in tables, as in "site=3"; only its values are shown when not given.
    between
        With `by`: also every model's differences between the subgroups; always for one model.
    **facts
        Of plain arrays, what `assess` takes beside them: pos_label=, groups=, …

    Returns
    -------
    Comparison
        One difference per measure and pair; `comparison["auc"]` has its interval and p-value.

    Raises
    ------
    DataError
        If there is a single model and no subgroup, or the models do not share cases.
    UnknownMeasure
        If no measure goes by a name.
    NotApplicable
        If a measure that was named cannot be computed from these predictions.

    See Also
    --------
    assess : one model.
    power : how many cases it takes to tell two models apart.

    Examples
    --------
    >>> from abovechance import examples
    >>> two = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    >>> found = compare(two, ["auc", "brier"], rng=1)
    >>> print(found["auc"].sentence)
    Area under the ROC curve: p_forest is better than p_texture (difference +0.174, 95% interval
    +0.124 to +0.2339; p = 1.3e-12)
    """
    settings = Settings.of("compare", facts, facts=True)
    models, measures = models_given(models, y_true, measures, facts)
    if len(models) < 2 and by is None:
        raise DataError("there must be at least two models to compare, or subgroups (by=).")
    margin = settings.margin
    models = _baseline_last(models, baseline, margin)
    same_kind(models)
    for predictions in models.values():
        refuse_to_resample(predictions)
    chosen = _chosen(models, measures)
    refuse_unknown(settings.margin, chosen)
    main = _primary(next(iter(models.values())), chosen, primary)
    parts = None if by is None else Parts.of(models, by, by_name)
    kind = next(iter(models.values())).kind
    methods = requested_methods(settings.methods, chosen, kind, (Kind.COMPARISON, Kind.INTERVAL))
    store = _shared(settings.store, models, chosen, settings.seed)
    settings = replace(settings, methods=methods, store=store)
    found = _matched(models, paired)
    if found is None:
        cases = same_classes([expanded(p) for p in models.values()])
        found = Matched(dict(zip(models, cases, strict=True)), "none", dict.fromkeys(models, 0))
    # values first: every model's tables are then drawn once for all measures, and differences
    # find the limits that they need
    values = tuple(values_of(found.models, chosen, settings))
    differing = paired_rows if found.by != "none" else unpaired_rows
    rows = list(differing(found.models, chosen, settings))
    tested: list[Interaction] = []
    if parts is not None and len(models) > 1:
        within = within_rows(parts, chosen, settings, paired=found.by != "none")
        tested = list(interactions(within, parts, chosen, settings.adjust))
        rows.extend(within)
    if parts is not None and (between or len(models) == 1):
        rows.extend(between_rows(parts, chosen, settings))
    gathered = _gathered(found, models, chosen, main, values, rows, settings)
    if baseline is not None:
        # one number for measures that nobody named is a margin of the primary one
        named_all = measures is not None or isinstance(margin, Mapping)
        margins = {m.label: margin_for(m, margin) for m in chosen if named_all or m.label == main}
        stated = {label: value for label, value in margins.items() if value is not None}
        verdict = beside_baseline(rows, baseline, stated, settings.level)
        gathered = replace(gathered, baseline=verdict)
    if parts is None:
        return gathered
    return replace(
        gathered,
        advice=(*gathered.advice, *advice_on_compared_subgroups(parts.models, rows, chosen)),
        subgroups=parts.sizes(),
        interactions=tuple(tested),
    )


def _baseline_last(
    models: dict[str, Predictions], baseline: str | None, margin: Any
) -> dict[str, Predictions]:
    """The models with the one in use last, so that each difference is one from it."""
    if baseline is None:
        return models
    if baseline not in models:
        meant = did_you_mean(baseline, models) or f"; the models are {listed(list(models), 10)}."
        raise DataError(f"no model is called {baseline!r}, which was named as the baseline{meant}")
    if margin is None:
        raise DataError(
            "a baseline needs a margin, how much worse is still acceptable: margin={'auc': 0.02} "
            "(--margin auc=.02)."
        )
    others = {name: model for name, model in models.items() if name != baseline}
    return {**others, baseline: models[baseline]}


def _primary(
    predictions: Predictions, measures: Sequence[Measure], primary: str | Measure | None
) -> str:
    """The label of the primary measure: the one asked for, the usual one, else the first."""
    labels = [m.label for m in measures]
    if primary is None:
        return next((name for name in PRIMARY[predictions.kind] if name in labels), labels[0])
    label = at_threshold(find(primary).for_outcome(predictions.kind), predictions).label
    if label not in labels:
        raise NotApplicable(
            f"the primary measure {label!r} must be among those compared: {listed(labels, 10)}."
        )
    return label


def _shared(
    store: Any, models: Mapping[str, Predictions], chosen: Sequence[Measure], seed: int
) -> Any:
    """One file for the several nulls of a comparison, known by what is compared."""
    if store is None or isinstance(store, Store):
        return store
    names = [m.label for m in chosen]
    about = digest(list(models), list(models.values()), names)
    return Store(store, configuration={"compare": about, "seed": seed})


def _matched(models: Mapping[str, Predictions], paired: bool | None) -> Matched | None:
    if paired is False:
        return None
    found = matched(models)
    if found is None and paired:
        raise DataError("the models must share cases to be paired; no id is in all of them.")
    return found


def _chosen(
    models: Mapping[str, Predictions], measures: Iterable[str | Measure] | None
) -> list[Measure]:
    from abovechance.measures.evaluation import fit

    first = next(iter(models.values()))
    if measures is not None:
        chosen = [at_threshold(m, first) for m in named(measures)]
        return [fit(m, p) for m in chosen for p in models.values()][:: len(models)]
    usual = [find(name).for_outcome(first.kind) for name in USUAL[first.kind]]
    shared = [m for m in usual if all(m.applies(p) for p in models.values())]
    others = (m for m in applicable(first) if all(m.applies(p) for p in models.values()))
    found = shared or list(others)
    if not found:
        raise NotApplicable(
            "no measure applies to all of the models: they predict different things (labels, "
            "scores, probabilities). Give the same of each."
        )
    return found


def _gathered(
    found: Matched,
    given: Mapping[str, Predictions],
    measures: Sequence[Measure],
    primary: str,
    values: tuple[Estimate, ...],
    rows: Sequence[Difference],
    settings: Settings,
) -> Comparison:
    models = found.models
    first = next(iter(models.values()))
    is_paired = found.by != "none"
    tests: list[Omnibus] = []
    if is_paired and first.origin == "test":
        families = (ModelFamily(m, list(models.values()), settings) for m in measures)
        tests = [test for test in map(safe_omnibus, families) if test is not None]
    notes = dict.fromkeys(note for p in given.values() for note in p.notes)
    return Comparison(
        outcome=first.kind,
        n=first.n if is_paired else sum(p.n for p in models.values()),
        origin=first.origin,
        origin_stated=all(p.origin_stated for p in given.values()),
        seed=settings.seed,
        models=tuple(models),
        paired=is_paired,
        matched_by=found.by if is_paired else None,
        unmatched=found.unmatched,
        primary=primary,
        adjust=settings.adjust,
        estimates=values,
        differences=tuple(rows),
        omnibus=tuple(tests),
        ranking=tuple(ranking(measures, values, rows)),
        level=settings.level,
        threshold=_threshold(models),
        advice=(
            *notes,
            *_on_repeats(given, found),
            *advice_on_own_cases(given),
            *_on_thresholds(given),
            *found.notes,
            *remarks(found, rows, measures, settings.level, naive=settings.naive),
        ),
        described=_described({name: p.described for name, p in given.items() if p.described}),
    )


def _described(models: Mapping[str, str]) -> str:
    """What was read: in one sentence where the models differ in their column alone.

    >>> _described({"a": "value = a; 9 rows", "b": "value = b; 9 rows"})
    'value = each of a, b; 9 rows'
    >>> _described({"a": "label = a, id = i; 9 rows", "b": "label = b, id = i; 9 rows"})
    'label = each of a, b; id = i; 9 rows'
    """
    shared = {
        re.sub(rf" = {re.escape(name)}[,;]", " = each of \0;", text, count=1)
        for name, text in models.items()
    }
    if len(models) > 1 and len(shared) == 1 and "\0" in (one := shared.pop()):
        return one.replace("\0", ", ".join(models))
    return "\n".join(f"{name}: {text}" for name, text in models.items())


def _threshold(models: Mapping[str, Predictions]) -> float | None:
    """Above what all models call cases positive; None where each has its own, or none has any."""
    found = {labelling_threshold(p) for p in models.values()}
    return found.pop() if len(found) == 1 else None


def _on_thresholds(models: Mapping[str, Predictions]) -> Iterator[Advice]:
    """Models that call cases positive above different thresholds differ for that reason too."""
    found = {name: labelling_threshold(p) for name, p in models.items()}
    own = [f"{name} {t:g}" for name, t in found.items() if t is not None]
    if own and len(set(found.values())) > 1:
        yield Advice(
            "AC160",
            f"models call cases positive above thresholds of their own ({listed(own, 5)}): their "
            "labels may differ for that reason alone.",
        )


def _on_repeats(given: Mapping[str, Predictions], found: Matched) -> Iterator[Advice]:
    """Rows that look like copies, as `assess` notices them; frequencies are none."""
    if any(p.cases.counts is not None for p in given.values()):
        return
    models = list(found.models.values())
    each = [models] if found.by != "none" else [[p] for p in models]
    yield from [advice for some in each for advice in advice_on_repeats(*some)][:1]
