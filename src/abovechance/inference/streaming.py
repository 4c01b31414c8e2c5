"""Predictions in a file larger than memory, read piece by piece and assessed from summaries.

First what a summary tells (intervals, skill, tests), then how a file is read into one, then the
verb, `assess_stream`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import ColumnError, DataError, FileError, NotApplicable, listed
from abovechance.format import thousands
from abovechance.inference.areas import SAME as SAME_DISTRIBUTION
from abovechance.inference.areas import rank_sum_tail, summarised_area
from abovechance.inference.assessment import (
    Evidence,
    chosen_measures,
    primary_measure,
    reference_level,
    rows_per_class,
    stated_rates,
)
from abovechance.inference.bootstrap import clamped
from abovechance.inference.influence import table_slopes
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.method import (
    Fact,
    Takes,
    answer,
    facts_of,
    limits,
)
from abovechance.inference.method import gain as declare_gain
from abovechance.inference.method import interval as declare_interval
from abovechance.inference.method import test as declare_test
from abovechance.inference.miscalibration import has_interval
from abovechance.inference.net_benefit import gain_of, of_counts, of_four_cases, of_two_shares
from abovechance.inference.permutation import SCORES, by_method
from abovechance.inference.remarks import advice_on_primary, advice_on_rate, advice_on_tests
from abovechance.inference.results import Assessment, Estimate, Interval, Skill, Test
from abovechance.io.arrow_files import (
    ClassCases,
    NumberCases,
    Progress,
    Seen,
    Stream,
    StreamCases,
    classes_of,
    open_stream,
)
from abovechance.io.roles import Roles, class_columns, distinct, find_roles, weight_like
from abovechance.measures import Calibration, LabelScore, Law, Measure, every, find
from abovechance.measures.chance import uncorrelated
from abovechance.measures.chance_levels import shuffled
from abovechance.measures.measure import Form, Statistic
from abovechance.measures.rank import area_scale
from abovechance.measures.sample import COUNTING
from abovechance.measures.summary import (
    BinarySummary,
    ClassSummary,
    LossSums,
    NumberSummary,
    Summarised,
    SummarisedClasses,
    SummarisedNumbers,
    error_bound,
    from_classes,
    from_numbers,
    from_summary,
    of_table,
    tabled,
)
from abovechance.measures.utility import labelling_threshold, threshold_of
from abovechance.numerics.binned_ranks import (
    BUFFER,
    UNIT,
    Collector,
    Grid,
    RankTotals,
    Splitter,
    Stretches,
    collectable,
    heaviest,
    unsettled,
)
from abovechance.numerics.exact import critical_value, normal_tail
from abovechance.numerics.kernels import available
from abovechance.predictions import Numeric, Predictions
from abovechance.predictions.binary import two_classes
from abovechance.predictions.checks import same_label, spelled_out
from abovechance.settings import ONE_MODEL, Settings, settled

# ----------------------------------------------------------------------------------------------
# Intervals and skill from a summary of the cases; nothing is resampled but tables of counts.
#
# With as many cases as make a summary necessary, means and smooth functions of means are normal;
# what is neither that, nor a function of counts, nor an area, has no interval here.
# ----------------------------------------------------------------------------------------------


# sums over each class that a summary holds, by what a measure is a function of
KIND = {Statistic.SQUARES: "losses", Statistic.LOGS: "logs"}
STEP = 1e-5  # of numerical derivatives, relative
AnySummary = Summarised | SummarisedClasses | SummarisedNumbers


def chance(measure: Measure, predictions: Summarised) -> float | None:
    """The mean of a measure if outcomes were shuffled; of functions of a mean loss at its mean."""
    found = shuffled(measure, predictions)
    if found is not None or measure.sufficient not in KIND:
        return found
    summary = predictions.summary
    n, share = summary.n, summary.positives.n / summary.n
    both = summary.positives + summary.negatives
    if not 0.0 < share < 1.0:
        return None
    if measure.sufficient is Statistic.SQUARES:
        squares = summary.positives.squared_p + summary.negatives.losses
        mean = (share * (n - 2.0 * both.p) + squares) / n
        return measure.of(predictions.moved("losses", mean, share))
    # sums of log p and of log(1 - p) over all: what happened, less the odds in its favour
    happens, fails = both.logs - summary.negatives.odds, both.logs - summary.positives.odds
    mean = (share * happens + (1.0 - share) * fails) / n
    certain = both.impossible + both.certain > 0
    return measure.of(predictions.moved("logs", -np.inf if certain else mean, share))


@declare_interval(
    name="normal",
    title="normal",
    words="the normal approximation",
    source="wald1943",
    laws=tuple(Law),
    needs=[Fact.SUMMARY],
    otherwise="left_out",
)
def interval_of_sums(
    measure: Measure, predictions: AnySummary, settings: Settings
) -> Interval | None:
    """Means, differences of means and smooth functions of means; None for anything else."""
    level = settings.level
    if not isinstance(predictions, Summarised):
        return _of_mean(measure, predictions.summary.losses, level)
    error = _standard_error(measure, predictions)
    if error is None:
        return None
    value, half = from_summary(measure, predictions), critical_value(level) * error
    return clamped(measure, limits("normal", value - half, value + half, level))


def _expected_of_sums(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Summarised) and measure.calibration is Calibration.RATIO


@declare_interval(
    name="expected_sums",
    title="log scale",
    words="Student's t on the log scale",
    source="cochran1977",
    default=[Law.CALIBRATION],
    needs=[Fact.SUMMARY],
    fits=_expected_of_sums,
    otherwise="normal",
)
def interval_of_expected_sums(
    measure: Measure, predictions: Summarised, settings: Settings
) -> Interval | None:
    """Observed to expected outcomes as of cases in memory; Cochran (1977), section 6.3."""
    summary, ratio, level = predictions.summary, from_summary(measure, predictions), settings.level
    n, observed = summary.n, summary.positives.n
    if ratio <= 0 or n < 2:
        return None
    squares = summary.positives.squared_p + summary.negatives.losses
    residual = observed - 2.0 * ratio * summary.positives.p + ratio**2 * squares
    error = np.sqrt(n / (n - 1) * max(residual, 0.0)) / observed
    half = critical_value(level, n - 1) * error
    ends = np.exp([np.log(ratio) - half, np.log(ratio) + half])
    return limits("observed_expected", ends[0], ends[1], level, cases=n)


@declare_interval(
    name="binned_area",
    title="Newcombe and logit DeLong, binned",
    words="the wider limits of Newcombe's method and DeLong's on the logit scale, binned",
    source=("newcombe2006", "delong1988"),
    default=[Law.PAIRS],
    needs=[Fact.SUMMARY],
    otherwise="normal",
)
def interval_of_binned_area(
    measure: Measure, predictions: Summarised, settings: Settings
) -> Interval | None:
    """As of cases in memory, from binned placements, widened by what bins leave open."""
    ranks, bound = predictions.rank_summary, predictions.totals.auc_bound
    if min(ranks.n_positive, ranks.n_negative) < 1:
        return None
    found = summarised_area(ranks)
    scale = area_scale(measure, measure.of(predictions), found.value)
    if scale is None:
        return None
    inside = found.interval(settings.level)
    low, high = max(inside.low - bound, 0.0), min(inside.high + bound, 1.0)
    known = {**inside.by, **({"binned": True} if bound > 0 else {})}
    return limits(known.pop("name"), *scale.limits(low, high), settings.level, **known)


def _of_decisions(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Summarised) and measure.sufficient is Statistic.DECISIONS


@declare_interval(
    name="counted_decisions",
    title="MOVER of the two shares' Wilson limits",
    words="the MOVER method with Wilson's limits of the two shares",
    source=("zou2008", "wilson1927"),
    default=[Law.UTILITY],
    needs=[Fact.SUMMARY],
    fits=_of_decisions,
    otherwise="two_shares",
)
def interval_of_decisions(
    measure: Measure, predictions: Summarised, settings: Settings
) -> Interval | None:
    """What acting above a threshold is worth, as of cases in memory, from the counts there."""
    table = predictions.summary.table_from(threshold_of(measure))
    if table is None:
        return None
    worth = of_four_cases(measure)
    known = of_two_shares(worth, table, settings.level)
    if known is not None:
        return known
    return of_counts(
        worth,
        table,
        confidence_level=settings.level,
        draws=settings.bootstraps,
        rng=settings.rng(ONE_MODEL, 7),
    )


@declare_gain(
    name="gain_of_sums",
    title="gain over the uninformative forecast",
    words="the gain over the uninformative forecast",
    source="dinga2019",
    default=[Law.MEAN],
    needs=[Fact.SUMMARY],
)
def gain_of_sums(measure: Measure, predictions: AnySummary, settings: Settings) -> Skill | None:
    """A mean loss beside that of always predicting the class frequencies."""
    if isinstance(predictions, SummarisedNumbers):
        return None
    reference = reference_level(measure, predictions)
    if reference is None:
        return None
    if isinstance(predictions, Summarised):
        if measure.sufficient not in KIND:
            return None
        value, error = from_summary(measure, predictions), _error_of_gain(measure, predictions)
    else:
        if measure.label not in predictions.summary.losses.sums:
            return None
        value, error = from_classes(measure, predictions), _error_of_classes(measure, predictions)
    difference = (value - reference) * (1.0 if measure.higher_is_better else -1.0)
    if not np.isfinite(difference) or error is None:
        return Skill(reference=reference, difference=difference)
    half = critical_value(settings.level) * error
    return Skill(
        reference=reference,
        difference=difference,
        interval=limits("normal", difference - half, difference + half, settings.level),
        p_value=normal_tail(difference / error) if error > 0 else 1.0,
    )


def _error_of_classes(measure: Measure, predictions: SummarisedClasses) -> float | None:
    """Standard error of the mean difference from the loss of the uninformative forecast."""
    losses, k, shares = (
        predictions.summary.losses,
        len(predictions.classes),
        predictions.prevalences,
    )
    with np.errstate(divide="ignore"):
        plain = measure.formula(
            np.eye(k), np.repeat(shares[:, None], k, axis=1), **measure.parameters
        )
    plain = np.where(losses.cases > 0, plain, 0.0)  # a class that never occurred costs nothing
    return losses.error(measure.label, plain)


@declare_gain(
    name="gain_of_decisions",
    title="gain over the better of acting on all and on none",
    words="the gain over the better of acting on all and on none",
    source="vickers2006",
    default=[Law.UTILITY],
    needs=[Fact.SUMMARY],
    fits=_of_decisions,
)
def gain_of_decisions(
    measure: Measure, predictions: Summarised, settings: Settings
) -> Skill | None:
    """Net benefit beside the better of acting on every case and on none; None of other utility."""
    if not measure.decomposable:
        return None
    threshold = threshold_of(measure)
    table = predictions.summary.table_from(threshold)
    if table is None:
        return None
    worth, value = gain_of(threshold, table), from_summary(measure, predictions)
    difference = float(worth(table))
    limits = of_two_shares(worth, table, settings.level)
    return Skill(reference=value - difference, difference=difference, interval=limits)


def _standard_error(measure: Measure, predictions: Summarised) -> float | None:
    """Of a mean, of a difference of two means, or by the delta method; None if it is neither."""
    summary, n = predictions.summary, predictions.n
    if n < 2:
        return None
    means = measure.sufficient is Statistic.CLASS_MEANS
    if means and measure.calibration is None:  # the difference of the two
        positives, negatives = summary.positives, summary.negatives
        if min(positives.n, negatives.n) < 2:
            return None
        variance = _variance_of_mean(positives.n, positives.p, positives.squared_p)
        return float(
            np.sqrt(variance + _variance_of_mean(negatives.n, negatives.p, negatives.losses))
        )
    if measure.calibration is Calibration.DIFFERENCE:
        off = (summary.positives.n - summary.positives.p - summary.negatives.p) / n
        squares = summary.positives.losses + summary.negatives.losses
        return float(np.sqrt(max(squares / n - off**2, 0.0) / (n - 1)))
    if measure.sufficient not in KIND:
        return None
    if measure.law is not Law.MEAN and not 0 < summary.positives.n < n:
        return None
    spread = _spread(summary, KIND[measure.sufficient])
    slope = _gradient(measure, predictions)
    return float(np.sqrt(max(float(slope @ spread @ slope), 0.0) / (n - 1)))


def _variance_of_mean(n: int, total: float, squares: float) -> float:
    return max(squares - total**2 / n, 0.0) / (n - 1) / n


def _spread(summary: BinarySummary, kind: str) -> Floats:
    """Covariance of a case's loss and its outcome."""
    n, share = summary.n, summary.positives.n / summary.n
    ours = getattr(summary.positives, kind)
    mean = (ours + getattr(summary.negatives, kind)) / n
    squares = getattr(summary.positives + summary.negatives, f"squared_{kind}") / n
    together = ours / n - mean * share
    return np.array([[squares - mean**2, together], [together, share * (1.0 - share)]])


def _gradient(measure: Measure, predictions: Summarised) -> Floats:
    """How a measure changes with the mean loss and with the share of positives."""
    summary = predictions.summary
    assert measure.sufficient is not None
    kind = KIND[measure.sufficient]
    mean = getattr(summary.positives + summary.negatives, kind) / summary.n
    share = summary.positives.n / summary.n

    def change(step: float, at: Callable[[float], Summarised]) -> float:
        return (measure.of(at(step)) - measure.of(at(-step))) / (2.0 * step)

    loss = change(STEP * max(abs(mean), 1e-3), lambda d: predictions.moved(kind, mean + d, share))
    if measure.law is Law.MEAN:
        return np.array([loss, 0.0])
    rare = min(share, 1.0 - share)
    prevalence = change(STEP * rare, lambda d: predictions.moved(kind, mean, share + d))
    return np.array([loss, prevalence])


def _error_of_gain(measure: Measure, predictions: Summarised) -> float | None:
    """Standard error of the mean difference from the loss of the uninformative forecast."""
    summary, n = predictions.summary, predictions.n
    positives, negatives = summary.positives, summary.negatives
    if n < 2 or not 0 < positives.n < n:
        return None
    share = positives.n / n
    squared = measure.sufficient is Statistic.SQUARES
    kind = "losses" if squared else "logs"
    plain = ((1 - share) ** 2, share**2) if squared else (np.log(share), np.log(1 - share))
    total = squares = 0.0
    for part, loss in zip((positives, negatives), plain, strict=True):
        ours = getattr(part, kind)
        total += ours - part.n * loss
        squares += getattr(part, f"squared_{kind}") - 2.0 * loss * ours + part.n * loss**2
    error = np.sqrt(max(squares / n - (total / n) ** 2, 0.0) / (n - 1))
    return float(error * abs(_gradient(measure, predictions)[0]))  # in the measure's own units


# ----------------------------------------------------------------------------------------------
# Intervals and skill from summaries of predicted numbers and of several classes.
# ----------------------------------------------------------------------------------------------


def chance_of_numbers(measure: Measure, predictions: SummarisedNumbers) -> float | None:
    """The mean of a measure if outcomes were shuffled; roots of means as if at the mean."""
    found = shuffled(measure, predictions)
    return uncorrelated(predictions, measure) if found is None and _of_squares(measure) else found


def reference_of_numbers(measure: Measure, predictions: SummarisedNumbers) -> float | None:
    """The value of always predicting the mean, where it follows from the outcome's variance."""
    if measure.chance is not uncorrelated and not _of_squares(measure):
        return None
    centre, spread = (float(part[0, 0]) for part in predictions.centre_and_spread)
    outcome = np.array([centre - spread, centre + spread])
    return measure.of(Numeric(outcome, np.full(2, centre)))


def _of_squares(measure: Measure) -> bool:
    """Whether a measure is a root of one that only the covariance changes."""
    return measure.after is np.sqrt and measure.sufficient is Statistic.MOMENTS


def _of_mean(measure: Measure, losses: LossSums, level: float) -> Interval | None:
    if measure.label not in losses.sums:
        return None
    error = losses.error(measure.label)
    if error is None:
        return None
    mean, half = losses.mean(measure.label), critical_value(level) * error
    low, high = mean - half, mean + half
    if measure.after is not None:
        low, high = (float(measure.after(max(x, 0.0))) for x in (low, high))
    return clamped(measure, limits("normal", low, high, level))


# ----------------------------------------------------------------------------------------------
# Tests against chance from a summary of the cases: of counts exactly, else as if normal.
# ----------------------------------------------------------------------------------------------


def against_chance(
    predictions: AnySummary, values: Mapping[Measure, float], settings: Settings
) -> dict[str, Test]:
    """One-sided tests of measures with their values, by label; undefined ones are left out."""
    if predictions.one_class:
        return {}
    return by_method(predictions, [m for m, v in values.items() if not np.isnan(v)], settings)


def _of_binned_ranks(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Summarised) and measure.label_score is LabelScore.MIDRANK


@declare_test(
    name="binned_ranks",
    title="Mann–Whitney, normal approximation",
    words="the Mann–Whitney test (normal approximation)",
    source="mann1947",
    hypothesis=SAME_DISTRIBUTION,
    default=[Law.PAIRS],
    needs=[Fact.SUMMARY],
    takes=Takes.MEASURES,
    fits=_of_binned_ranks,
    otherwise="permuted_sums",
)
def tests_of_binned_ranks(
    predictions: Summarised, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """One answer for every measure that is better the larger the area, at the least U of bins."""
    totals = predictions.totals
    u = (totals.twice_u - totals.slack) / 2.0
    p = rank_sum_tail(u, totals.ties, totals.n_positive, totals.n_negative)
    found = answer(
        "mann_whitney", statistic=u, p_value=p, alternative="greater", approximation=True
    )
    return {m.label: found for m in measures}


def _of_permuted_sums(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    """Whether permuted outcomes change a measure through one sum alone."""
    if isinstance(predictions, SummarisedNumbers):
        return measure.sufficient is Statistic.MOMENTS and measure.calibration is None
    if isinstance(predictions, SummarisedClasses):
        return _of_matches(measure, predictions.confusion)
    sums = (LabelScore.PROBABILITY, LabelScore.LOGIT)
    return predictions.summary.probabilities and measure.label_score in sums


@declare_test(
    name="permuted_sums",
    title="permutation, normal approximation",
    words="a permutation test (normal approximation)",
    source="fisher1935",
    hypothesis=SCORES,
    default=[Law.MEAN],
    laws=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.PAIRS, Law.UNKNOWN],
    needs=[Fact.SUMMARY],
    takes=Takes.MEASURES,
    fits=_of_permuted_sums,
    otherwise="permutation",
)
def tests_of_permuted_sums(
    predictions: AnySummary, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """By the mean and the variance that a sum has when outcomes are permuted, as if normal."""
    if isinstance(predictions, Summarised):
        kinds: dict[Any, str] = {LabelScore.PROBABILITY: "p", LabelScore.LOGIT: "odds"}
        found = {m: _permutation(predictions.summary, kinds[m.label_score]) for m in measures}
        return {m.label: test for m, test in found.items() if test is not None}
    moved = _of_covariance if isinstance(predictions, SummarisedNumbers) else _of_trace
    p = moved(predictions)  # type: ignore[arg-type]  # by its kind
    value = KNOWN[predictions.kind].value
    return {} if p is None else {m.label: _permuted(value(m, predictions), p) for m in measures}


def _of_covariance(predictions: SummarisedNumbers) -> float | None:
    """One p of all that only the covariance changes when outcomes are permuted.

    A correlation r then has mean 0 and variance 1 / (n − 1).
    """
    pearson = from_numbers(find("pearson"), predictions)
    return None if np.isnan(pearson) else normal_tail(pearson * np.sqrt(predictions.n - 1.0))


def _of_trace(predictions: SummarisedClasses) -> float:
    r"""One p of all that depend on the number of cases called by their class, both margins fixed.

    With r and c the row and column totals, shares of n, it has under permutation the variance
    :math:`n^2/(n - 1) \sum_{kl} r_k c_l ([k = l] - c_k - r_l + \sum_j r_j c_j)^2`.

    References
    ----------
    Hoeffding (1951), theorem 2.
    """
    table, n = predictions.confusion, predictions.n
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    matched = np.eye(len(rows)) - columns[:, None] - rows[None, :] + rows @ columns
    spread = np.sqrt(n * n / (n - 1.0) * float(rows @ matched**2 @ columns))
    gap = float(np.trace(table)) - n * float(rows @ columns)
    return normal_tail(gap / spread) if spread > 0 else 1.0


def _of_matches(measure: Measure, table: Floats) -> bool:
    """Whether a measure is better the more cases are called by their class, margins fixed.

    Then moving cases between cells does what the matches among them do, and nothing else.
    """
    if measure.form not in COUNTING or measure.higher_is_better is None:
        return False
    left, matches = (_within_margins(x) for x in (table_slopes(measure, table), np.eye(len(table))))
    rate = float((left * matches).sum() / (matches**2).sum())
    if not np.isfinite(rate):
        return False
    alike = bool(np.allclose(left, rate * matches, rtol=0.0, atol=1e-6 * abs(rate)))
    return alike and (rate > 0) is measure.higher_is_better


def _within_margins(slopes: Floats) -> Floats:
    """What is left of derivatives by cells once rows and columns keep their totals."""
    by_row, by_column = slopes.mean(axis=1, keepdims=True), slopes.mean(axis=0, keepdims=True)
    return slopes - by_row - by_column + slopes.mean()


def _permuted(value: float, p: float) -> Test:
    return answer(
        "permutation", statistic=value, p_value=p, alternative="greater", approximation=True
    )


def _permutation(summary: BinarySummary, kind: str) -> Test | None:
    """Of the sum of p, or of the log odds, over the positives if labels were exchangeable."""
    positives, negatives, n = summary.positives, summary.negatives, summary.n
    if kind == "p":
        ours, rest = positives.p, negatives.p
        squares = positives.squared_p + negatives.losses
    else:
        both = positives + negatives
        if both.impossible or both.certain:
            return None
        ours, rest, squares = positives.odds, -negatives.odds, both.squared_odds
    mean = (ours + rest) / n
    spread = np.sqrt(positives.n * negatives.n / (n - 1) * max(squares / n - mean**2, 0.0))
    return _permuted(ours, normal_tail((ours - positives.n * mean) / spread) if spread > 0 else 1.0)


# ----------------------------------------------------------------------------------------------
# Reading cases of a stream as often as a summary of them needs.
# ----------------------------------------------------------------------------------------------


BOUND = 1e-6  # by how much the area under the ROC curve may be off
MOST_READINGS = 8  # to make the cells finer
NO_CASE = "there must be at least one complete case; there is none."


class PassProgress:
    """Readings of the same rows one after another, as one progress."""

    def __init__(self, progress: Progress | None, planned: int = 1) -> None:
        self._progress = progress
        self._begun = 0
        self.planned = planned

    def next(self) -> Progress | None:
        """The progress of one more reading."""
        before, self._begun = self._begun, self._begun + 1
        progress = self._progress
        if progress is None:
            return None

        def tell(done: int, rows: int) -> None:
            progress(before * rows + done, max(self.planned, self._begun) * rows)

        return tell


def summarised(
    cases: StreamCases,
    *,
    threshold: float | None = None,
    exact: bool = False,
    bound: float = BOUND,
    buffer: int = BUFFER,
    progress: Progress | None = None,
) -> Summarised:
    """The summary of cases, read as often as ranks need to be known to within a bound."""
    if not available():
        raise NotApplicable(
            "scores and probabilities are ranked piece by piece in compiled loops, which need "
            "numba; pip install numba, or read the file at once (assess; --no-stream)."
        )
    readings = PassProgress(progress, 1 if cases.probabilities else 2)
    grid = UNIT
    if not cases.probabilities:
        low, high = cases.extremes(readings.next())
        if low > high:
            raise DataError(NO_CASE)
        grid = Grid.over(low, high)
    if threshold is None and cases.probabilities:
        threshold = 0.5
    summary = BinarySummary.gather(
        cases.read(readings.next()),
        threshold=threshold,
        grid=grid,
        probabilities=cases.probabilities,
    )
    if summary.n == 0:
        raise DataError(NO_CASE)
    stretches = _finer(Stretches.of(summary.ranks), cases, readings, exact, bound, buffer)
    totals = stretches.totals
    if exact:
        totals = _sorted_out(stretches, cases, readings, buffer)
    return Summarised(summary, stretches=stretches, totals=totals, classes=cases.seen.classes)


def _finer(
    stretches: Stretches,
    cases: StreamCases,
    readings: PassProgress,
    exact: bool,
    bound: float,
    buffer: int,
) -> Stretches:
    """Stretches split until they leave open no more than the bound, and each fits the buffer."""
    for _ in range(MOST_READINGS):
        chosen = np.zeros(len(stretches), dtype=np.bool_)
        if stretches.totals.auc_bound > bound:
            chosen |= heaviest(stretches, bound)
        if exact:
            chosen |= unsettled(stretches) & (stretches.size > buffer)
        if not chosen.any():
            break
        splitter = Splitter(stretches, chosen)
        readings.planned += 1
        _feed(cases, readings, splitter.add)
        stretches = splitter.stretches
    return stretches


def _sorted_out(
    stretches: Stretches, cases: StreamCases, readings: PassProgress, buffer: int
) -> RankTotals:
    """Exact ranks: the scores of run after run of stretches are collected and sorted."""
    of = int(stretches.positives.sum()), int(stretches.negatives.sum())
    found, below = RankTotals(n_positive=of[0], n_negative=of[1]), (0, 0)
    runs = list(collectable(stretches, buffer))
    readings.planned += sum(bool(wanted.any()) for _, wanted in runs)
    for run, wanted in runs:
        part = stretches[run]
        collector = Collector(part, wanted)
        if wanted.any():
            _feed(cases, readings, collector.add)
        found = found + collector.totals(below, of)
        below = below[0] + int(part.positives.sum()), below[1] + int(part.negatives.sum())
    return found


def _feed(cases: StreamCases, readings: PassProgress, add: Callable[[Any, Any], None]) -> None:
    """Read all cases once more, into something that takes scores and classes."""
    for positive, score in cases.read(readings.next()):
        add(score, positive)


# ----------------------------------------------------------------------------------------------
# What a stream holds: its columns' roles, and the summary of the kind of predictions they make.
# ----------------------------------------------------------------------------------------------


DEPENDENCE = ("groups", "sample_weight", "counts", "fold", "repeat", "order")
PREDICTIONS = ("probability", "probabilities", "score", "label", "value")
Found = tuple[AnySummary, int]


def stream_roles(
    stream: Stream, stated: Roles, origin: str | None = None, *, categorical: bool = False
) -> Roles:
    """Which column is what, seen from the first rows; refused if a stream cannot take it."""
    roles = find_roles(stream.head(), stated, categorical=categorical)
    if roles.columns("time"):
        raise NotApplicable("survival times need all cases in memory; a stream cannot take them.")
    for role in DEPENDENCE:
        if roles.columns(role) and not (role in ("fold", "repeat") and origin == "test"):
            raise NotApplicable(
                f"cases of a stream count one each and are independent; column "
                f"{roles.columns(role)[0]!r} holds {role}. Assess such a file in memory."
            )
    if origin not in (None, "test"):
        raise NotApplicable(f"a stream is taken for a test set; origin is {origin!r}.")
    kinds = [role for role in PREDICTIONS if roles.columns(role)]
    if len(kinds) > 1 or len(roles.outcome) > 1 or len(roles.value) > 1:
        what = " and ".join(kinds) if len(kinds) > 1 else "several outcomes or values"
        raise NotApplicable(
            f"a stream takes one outcome and one kind of prediction; there are {what}. "
            "Say which, or assess the file in memory."
        )
    return roles


def read_summary(
    stream: Stream,
    roles: Roles,
    *,
    pos_label: Any = None,
    threshold: float | None = None,
    missing: str = "refuse",
    exact: bool = False,
    bound: float = BOUND,
    progress: Progress | None = None,
) -> Found:
    """The summary of all cases of a stream, and how many were dropped."""
    outcome = roles.outcome[0]
    if roles.value:
        return _numbers(NumberCases(stream, outcome, roles.value[0], missing), progress)
    if roles.columns("label"):
        return _labels(stream, roles, pos_label, missing, progress)
    columns = _columns_of_classes(stream, roles)
    if len(columns) > 2:
        cases = ClassCases(stream, outcome, tuple(columns), None, columns, missing)
        return _classes(cases, PassProgress(progress))
    if columns:
        column, probabilities = _of_positive(columns, pos_label), True
    else:
        column = (*roles.columns("probability"), *roles.columns("score"))[0]
        probabilities = bool(roles.columns("probability"))
    two = StreamCases(stream, outcome, column, probabilities, missing, Seen.of(pos_label))
    found = summarised(two, threshold=threshold, exact=exact, bound=bound, progress=progress)
    return found, two.seen.dropped


def _numbers(cases: NumberCases, progress: Progress | None) -> Found:
    summary = NumberSummary.gather(_means("numeric"), cases.read(PassProgress(progress).next()))
    if summary is None:
        raise DataError(NO_CASE)
    return SummarisedNumbers(summary, name=cases.outcome), cases.seen.dropped


def _classes(cases: ClassCases, readings: PassProgress) -> Found:
    measures, found = _means("multiclass"), None
    for actual, prediction in cases.read(readings.next()):
        more = ClassSummary.of(measures, actual, prediction, len(cases.classes))
        found = more if found is None else found + more
    if found is None:
        raise DataError(NO_CASE)
    return SummarisedClasses(found, cases.classes), cases.seen.dropped


def _labels(
    stream: Stream, roles: Roles, pos_label: Any, missing: str, progress: Progress | None
) -> Found:
    """Predicted labels: one reading for the classes, another to count; two classes or more."""
    readings = PassProgress(progress, planned=2)
    outcome, label = roles.outcome[0], roles.columns("label")[0]
    classes = classes_of(stream, [outcome, label], readings.next())
    if len(classes) > 2:
        return _classes(ClassCases(stream, outcome, tuple(classes), label, {}, missing), readings)
    pair = two_classes(np.array(classes), None, pos_label, None)
    found, dropped = _classes(ClassCases(stream, outcome, pair, label, {}, missing), readings)
    return Summarised(of_table(found.confusion), classes=pair), dropped  # type: ignore[union-attr]


def _columns_of_classes(stream: Stream, roles: Roles) -> dict[Any, str]:
    if not roles.probabilities:
        return {}
    return class_columns(roles.probabilities, distinct(stream.head().labels(roles.outcome[0])))


def _of_positive(columns: dict[Any, str], pos_label: Any) -> str:
    positive = 1 if pos_label is None else pos_label
    fits = [name for label, name in columns.items() if same_label(label, positive)]
    if not fits:
        raise ColumnError(
            f"the positive class {positive!r} must have a column of probabilities; there is only "
            f"{', '.join(columns.values())}. Say which class is positive with pos_label=."
        )
    return fits[0]


def _means(kind: str) -> Sequence[Measure]:
    """Every measure of a kind of outcome that is a mean of one loss per case."""
    versions = [m.for_outcome(kind) for m in every().values() if kind in m.outcomes]
    return [m for m in versions if m.form is Form.LOSSES and not m.many_outputs]


@settled
def assess_stream(
    path: str | os.PathLike[str],
    measures: Iterable[str | Measure] | None = None,
    *,
    outcome: str | None = None,
    probability: str | None = None,
    probabilities: Sequence[str] | None = None,
    score: str | None = None,
    label: str | None = None,
    value: str | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    origin: str | None = None,
    missing: str = "refuse",
    primary: str | None = None,
    rate: float | str | Mapping[str, float] | None = None,
    bound: float = BOUND,
    **given: Any,
) -> Assessment:
    """Every measure that counts, sums and binned ranks can give, of a Parquet file of any size.

    The file is read piece by piece, in memory that does not grow with it. Areas under the ROC curve
    are certain to within `bound`; means have normal intervals; what would have to resample the
    cases has none, and what needs all of them at once is left out. Cases count one each and
    are independent: weights, groups and folds are refused, and ids are not looked at.

    Parameters
    ----------
    path
        The Parquet file.
    measures
        Names or measures; all that a summary gives when not given.
    outcome, probability, probabilities, score, label, value
        Columns, found by name where not stated; one kind of prediction.
    pos_label
        The positive class; needed unless classes are coded 0/1.
    threshold
        A label is positive when the probability lies above it: 0.5 unless stated.
    origin
        "test" (independent test set), "cv" or "repeated_cv"; "test" when not stated.
    primary
        The measure the study is about, as in `assess`.
    rate
        Test shares against a rate stated beforehand, as in `assess`.
    bound
        By how much the area may be off. Where the first reading leaves more open, the file is read
        again.

    Returns
    -------
    Assessment
        As `assess` gives, with the measures that a summary allows.

    Raises
    ------
    FileError
        If it is not a Parquet file.
    DataError
        If the values are not what they must be.
    NotApplicable
        For weights, groups and folds, and measures that need all cases at once.

    See Also
    --------
    assess : for what fits into memory; it reads large Parquet files this way too.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, pyarrow as pa, pyarrow.parquet
    >>> table = pa.table({"y": np.arange(1000) % 2, "p": (np.arange(1000) % 9 + 0.5) / 9})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "cases.parquet")
    ...     pa.parquet.write_table(table, file)
    ...     assess_stream(file, ["auc", "brier"], rng=1)["brier"].value
    0.332
    """
    settings = Settings.of("assess_stream", given)
    if missing not in ("refuse", "drop"):
        raise DataError(f"missing must be 'refuse' or 'drop'; got {missing!r}.")
    stream = open_stream(path)
    if stream is None:
        raise FileError(f"only Parquet files are read in pieces; {os.fspath(path)} is not one.")
    stated = Roles(
        outcome=(outcome,) if outcome else (),
        probability=probability,
        probabilities=tuple(probabilities or ()),
        score=score,
        label=label,
        value=(value,) if value else (),
    )
    roles = stream_roles(stream, stated, origin, categorical=pos_label is not None)
    predictions, dropped = read_summary(
        stream,
        roles,
        pos_label=pos_label,
        threshold=threshold,
        missing=missing,
        exact=settings.exact,
        bound=bound,
        progress=settings.progress,
    )
    return _assessed(
        predictions,
        measures,
        settings,
        primary=primary,
        rate=rate,
        threshold=labelling_threshold(predictions),
        origin_stated=origin is not None,
        streamed=True,
        remarks=_unused(stream, roles),
        described=roles.sentence(stream.rows, stream.source),
        dropped=dropped,
    )


def _assessed(
    predictions: AnySummary,
    measures: Any,
    settings: Settings,
    *,
    primary: Any,
    rate: Any,
    threshold: float | None,
    origin_stated: bool,
    streamed: bool,
    remarks: Iterable[Advice],
    described: str,
    dropped: int,
) -> Assessment:
    """The measures of a summary, of a stream or of a table that holds all there is."""
    chosen = chosen_measures(predictions, measures)
    main = primary_measure(predictions, chosen, primary)
    inference, shared = settings.inference, Shared.among(settings, predictions, chosen)
    named_ones = measures is not None
    rates = stated_rates(rate, chosen, predictions.kind, named=named_ones) if inference else {}
    values, reasons = {}, {}
    for m in chosen:
        try:
            values[m] = KNOWN[predictions.kind].value(m, predictions)
        except NotApplicable as reason:
            reasons[m] = str(reason)
    evidence = _evidence(predictions, values, shared, rates) if inference else None
    rows = list(_rows(predictions, chosen, values, evidence, reasons if named_ones else {}))
    untested = None if evidence is None else evidence.refused.get("rate")
    return Assessment(
        outcome=predictions.kind,
        n=predictions.n,
        origin="test",
        origin_stated=origin_stated,
        threshold=threshold,
        seed=settings.seed if inference else None,
        primary=main,
        estimates=tuple(rows),
        advice=(
            *advice_on_primary(main),
            *_advice(predictions, chosen, rows, inference, streamed),
            *([] if untested is None else [advice_on_rate(untested)]),
            *remarks,
        ),
        described=described,
        dropped=dropped,
        level=settings.level,
    )


# ----------------------------------------------------------------------------------------------
# Counts of so many cases that they are not spelled out: labels as their table.
# ----------------------------------------------------------------------------------------------


def assess_table(
    predictions: Predictions,
    measures: Any,
    settings: Settings,
    more: Mapping[str, Any],
    *,
    primary: Any,
    rate: Any,
) -> Assessment:
    """The measures of labels with counts, from their table; refused where that does not say all.

    `more` is what was asked for beside measures, None where it was not.
    """
    more = {**more, "methods": settings.methods or None, "sampling": settings.case_control or None}
    asked = [name for name, value in more.items() if value is not None]
    table = tabled(predictions)
    if table is None:
        spelled_out(np.array([predictions.total]))  # refuses so many
        raise AssertionError
    if asked:
        raise NotApplicable(
            f"counts of {thousands(predictions.total)} cases are read as a table, which does not "
            f"say all that {listed([f'{name}=' for name in asked])} needs; leave it out, or give a "
            "random part of the cases."
        )
    return _assessed(
        table,
        measures,
        settings,
        primary=primary,
        rate=rate,
        threshold=labelling_threshold(predictions),
        origin_stated=predictions.origin_stated,
        streamed=False,
        remarks=predictions.notes,
        described=predictions.described,
        dropped=predictions.dropped,
    )


class _Known(NamedTuple):
    """How a summary of one kind of predictions is asked for a value, and for that by chance."""

    value: Callable[..., float]
    chance: Callable[..., float | None]


KNOWN: dict[str, _Known] = {
    "binary": _Known(from_summary, chance),
    "multiclass": _Known(from_classes, shuffled),
    "numeric": _Known(from_numbers, chance_of_numbers),
}


def _evidence(
    predictions: AnySummary,
    values: Mapping[Measure, float],
    settings: Shared,
    rates: Mapping[str, float | str],
) -> Evidence:
    """What a summary says of measures beyond their values."""
    found, facts = Evidence(), facts_of(predictions)
    found.tests.update(against_chance(predictions, values, settings))
    found.against(predictions, list(values), rates, settings)
    for m, value in values.items():
        if not np.isfinite(value):
            continue
        if has_interval(m):
            with suppress(NotApplicable):  # it would need the cases
                limits = interval_by_law(m, predictions, settings, value=value)
                found.intervals[m.label] = limits
        found.add_skill(m, predictions, settings, facts)
    return found


def _rows(
    predictions: AnySummary,
    measures: Sequence[Measure],
    values: Mapping[Measure, float],
    evidence: Evidence | None,
    reasons: Mapping[Measure, str],
) -> Iterator[Estimate]:
    """A row for each measure; those that need the cases only where there is a reason to say so."""
    known = KNOWN[predictions.kind]
    for m in measures:
        value = values.get(m, float("nan"))
        row = Estimate(measure=m.label, title=m.heading, family=m.family.value, value=value)
        if m not in values:
            if m in reasons:
                yield replace(row, undefined=reasons[m])
            continue
        words = _remark(m, predictions, value)
        row = replace(
            row,
            chance=known.chance(m, predictions),
            reference=_reference(m, predictions),
            undefined=words if np.isnan(value) else None,
            remark=None if np.isnan(value) else words,
        )
        yield row if evidence is None else evidence.added_to(row, m)
    if isinstance(predictions, SummarisedClasses):
        yield from _per_class(predictions, list(values))


def _per_class(predictions: SummarisedClasses, measures: list[Measure]) -> Iterator[Estimate]:
    """Rows for each class: those of counts, which come first; calibration needs the cases."""
    try:
        yield from rows_per_class(measures, predictions, None)
    except NotApplicable:
        return


def _reference(measure: Measure, predictions: AnySummary) -> float | None:
    try:
        return reference_level(measure, predictions)
    except NotApplicable:
        if isinstance(predictions, SummarisedNumbers):
            return reference_of_numbers(measure, predictions)
        return None


def _remark(measure: Measure, predictions: AnySummary, value: float) -> str | None:
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    if not np.isinf(value):
        return None
    count = predictions.sums.impossible if isinstance(predictions, Summarised) else 0
    if count:
        return f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"
    return "an outcome had a predicted probability of 0" if measure.law is Law.MEAN else None


def _advice(
    predictions: AnySummary,
    measures: Sequence[Measure],
    rows: Sequence[Estimate],
    inference: bool,
    streamed: bool,
) -> Iterator[Advice]:
    yield from _on_bounds(predictions, measures)
    told = {row.measure for row in rows}
    law = {m.label: m.law for m in measures}
    if inference:
        yield from advice_on_tests(rows, predictions.kind)
    if inference and streamed:
        whole = [r for r in rows if r.class_ is None and law[r.measure] is not Law.CALIBRATION]
        bare = [r.measure for r in whole if r.interval is None and np.isfinite(r.value)]
        said = (
            "intervals of means and of functions of means are normal, and tests other than those "
            "of two classes' counts use the normal distribution: a stream is not resampled."
        )
        if bare:
            said += f" No interval for {', '.join(bare)}."
        yield Advice("AC461", said)
    left_out = [m.label for m in measures if m.label not in told]
    if left_out:
        yield Advice(
            "AC462",
            f"left out because they need all cases at once: {', '.join(left_out)}. Assess a random "
            "part of the cases in memory for them.",
        )


def _on_bounds(predictions: AnySummary, measures: Sequence[Measure]) -> Iterator[Advice]:
    if not isinstance(predictions, Summarised):
        return
    bounds = ((m.label, error_bound(m, predictions)) for m in measures)
    told = [f"{label} ± {off:.1g}" for label, off in bounds if off > 0]
    if told:
        yield Advice(
            "AC460",
            f"from class counts in narrow cells of the score axis, certain to within: "
            f"{', '.join(told)}. exact=True (--exact) reads the file again for exact ranks.",
        )


def _unused(stream: Stream, roles: Roles) -> Iterator[Advice]:
    name = weight_like(stream.head(1), roles)
    if name is not None:
        yield Advice("AC463", f"column {name!r} was not used; a stream takes no weights.")
