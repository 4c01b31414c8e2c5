"""Limits that allow for errors not yet seen, where hardly any prediction was wrong.

Of a model that called 90 cases without an error nobody knows how often it errs: up to one case in
25, says the interval of its accuracy. Losses of such cases are all small and hardly vary, so that
resampling them, or leaving them out, claims to know the mean loss among others far better than that
(it held the true one in as few as 6 % of samples). So no interval of what is computed from
probabilities claims more than that of the accuracy: its limit is at least the value that would have
been seen with as many more errors.

Nor does any claim less than that. A resample without the one case that makes up most of the loss
has hardly any spread, and limits in standard errors run away: of 20 cases with a log score of -0.1
to one of -41. No limit goes beyond what as many errors as the accuracy allows would cost, unless
twice the reach of Student's t does.

Where errors were seen, but none of them sure, limits know nothing of what a sure one costs, and
limits that allow for it would be twice as wide where models are right to be sure. So it is said,
wherever two of the surest calls, had they been wrong, would have led beyond the limits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.bootstrap import jackknife_spread, leave_one_out, without_clusters
from abovechance.inference.confusion_tables import Cells, share
from abovechance.inference.method import HELD, filled
from abovechance.inference.results import Interval
from abovechance.measures import Calibration, Law, Measure
from abovechance.measures import find as find_measure
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.numerics.exact import critical_value
from abovechance.predictions import View

FEW_ERRORS = 5  # seen, below which losses tell little of the errors among others
ENOUGH_ERRORS = 10  # seen, from which resamples tell what errors cost
SURE_ERRORS = 2  # not seen, that limits should stand: none of 150 leaves 1 in 75 possible in 1 of 8
FEW_ENOUGH = 10_000  # cases, beyond which two errors move no value that is finite beyond its limits
TWICE = 2.0  # Student's reach: more than the skewness of losses that vary as usual asks for


class Ends(NamedTuple):
    """Two values on the worse side: one that any interval reaches, one that none goes beyond."""

    least: float | None
    most: float | None


NOTHING = Ends(None, None)


def with_more_errors(
    measure: Measure, predictions: Any, level: float, cells: Callable[[Any], Cells] = Cells.of
) -> Ends:
    """The values if as many more cases were wrong as the interval of accuracy allows.

    At least, cases turn to the second most probable class: where an error was seen, in proportion
    to how little the first was trusted, as models err; where none was, any case alike, since
    nothing tells that errors are not as sure as the rest. At most, they turn any case alike, or
    errors cost what those that were seen do, whichever is worse. None where enough errors were
    seen, or where a measure does not read probabilities; refused where one more would make it
    infinite.
    """
    if not _reads_probabilities(measure):
        return NOTHING
    more = _more_errors(predictions, level, cells, ENOUGH_ERRORS)
    if more is None:
        return NOTHING
    calls = _Calls.of(predictions)
    least = None
    if _errors(predictions) < FEW_ERRORS:
        least = calls.turned(measure, more, calls.doubt)
        if least is not None and np.isinf(least):
            raise NotApplicable(
                "hardly any case was called wrongly, and one more would be infinite."
            )
    alike = calls.turned(measure, more, np.ones(len(calls.right)))
    ends = [least, alike, calls.repeated(measure, more), float(measure.of(predictions))]
    return Ends(least, _worst(measure, *(end for end in ends if end is not None)))


def with_sure_errors(predictions: Any) -> Sample | None:
    """The cases if the two surest of the right calls had been wrong.

    None for folds, without probabilities, and of so many cases that two of them hardly count.
    """
    if View.PROBABILITY not in predictions.views or predictions.origin != "test":
        return None
    if not _errors(predictions) + SURE_ERRORS <= predictions.n <= FEW_ENOUGH:
        return None
    calls = _Calls.of(predictions)
    surest = calls.right[np.argsort(calls.unsure, kind="stable")[:SURE_ERRORS]]
    outcome = np.array(calls.sample.outcome)
    outcome[surest] = calls.second[surest]
    return calls.sample.observed(outcome)


def value_of(measure: Measure, sample: Sample) -> float | None:
    """The value of cases so changed; None for what is not computed from probabilities."""
    return _value(measure, sample) if _reads_probabilities(measure) else None


def _more_errors(
    predictions: Any, level: float, cells: Callable[[Any], Cells], enough: int
) -> float | None:
    """How many more errors, as a share of all cases, the interval of accuracy allows.

    None where enough were seen, or where no probabilities tell which calls were least sure.
    """
    if predictions.origin != "test" or View.PROBABILITY not in predictions.views:
        return None
    if predictions.n < 2 or _errors(predictions) >= enough:
        return None
    accuracy = find_measure("accuracy")
    allowed = share(accuracy, cells(predictions), level)
    return None if allowed is None else accuracy.of(predictions) - allowed.low


def _either_way(
    measure: Measure, predictions: Any, level: float, cells: Callable[[Any], Cells]
) -> tuple[Ends, Ends]:
    """The least and the greatest value if the errors not seen were all among cases of one class."""
    more = _more_errors(predictions, level, cells, FEW_ERRORS)
    if more is None:
        return NOTHING, NOTHING
    calls = _Calls.of(predictions)
    actual = np.asarray(calls.sample.outcome)[calls.right]
    found = (calls.turned(measure, more, (actual == one) * 1.0) for one in np.unique(actual))
    ends = [end for end in found if end is not None and np.isfinite(end)]
    if not ends:
        return NOTHING, NOTHING
    return Ends(min(ends), None), Ends(max(ends), None)


def _worst(measure: Measure, *values: float) -> float:
    return min(values) if measure.higher_is_better else max(values)


def refuse_without_errors(measure: Measure, summary: Any) -> None:
    """Refuse limits from sums of cases of which none was called wrongly."""
    if _reads_probabilities(measure) and _errors(summary) == 0:
        raise NotApplicable(
            "no case was called wrongly, and sums do not tell what that would cost."
        )


def _errors(predictions: Any) -> int:
    """How many cases were called wrongly; of weighted ones, how many their share amounts to."""
    table = np.asarray(predictions.confusion, dtype=np.float64)
    return int(np.round((1.0 - np.trace(table) / table.sum()) * predictions.n))


def _reads_probabilities(measure: Measure) -> bool:
    """Whether a value is made of probabilities, and one end of it is better."""
    unsuited = measure.form in COUNTING or measure.law in (Law.CALIBRATION, Law.UTILITY)
    one_way = measure.higher_is_better is not None
    return measure.reads is View.PROBABILITY and one_way and not unsuited


@dataclass(frozen=True, eq=False)
class _Calls:
    """Which cases were called rightly, and what they would be if they had not been."""

    sample: Sample
    weight: Floats
    right: Ints
    second: Ints  # the class that a wrong call of each case would have been of
    unsure: Floats  # how little each right call was trusted
    doubt: Floats  # the same, or alike for all where that tells nothing

    @classmethod
    def of(cls, predictions: Any) -> "_Calls":
        sample = Sample.of(predictions)
        p = sample.column("probability")
        p = np.stack([1.0 - p, p]) if p.ndim == 1 else p
        second, first = np.argsort(p, axis=0, kind="stable")[-2:]
        right = np.flatnonzero(np.asarray(sample.outcome, dtype=np.int64) == first)
        weight = np.ones(sample.n) if sample.weight is None else sample.weight
        unsure = doubt = 1.0 - p[first[right], right]
        if len(right) == sample.n or not (weight[right] @ doubt) > 0.0:
            doubt = np.ones(len(right))
        return cls(sample, weight, right, second, unsure, doubt)

    def turned(self, measure: Measure, more: float, doubt: Floats) -> float | None:
        """The value if this share of all were wrong beside those that are, as `doubt` has it."""
        weight, right = self.weight, self.right
        share = np.minimum(more * weight.sum() * doubt / (weight[right] @ doubt), 1.0)
        some = share * weight[right] > 0.0
        right, share = right[some], share[some]
        rest = weight.copy()
        rest[right] *= 1.0 - share
        both = self.sample.taken(np.concatenate([np.arange(self.sample.n), right]))
        changed = np.concatenate([self.sample.outcome, self.second[right]])
        changed = changed.astype(self.sample.outcome.dtype)
        counts = np.concatenate([rest, weight[right] * share])
        return _value(measure, both.observed(changed).reweighted(counts))

    def repeated(self, measure: Measure, more: float) -> float | None:
        """The value if the cases that are wrong were as many more; None where none is."""
        wrong = np.ones(self.sample.n, dtype=np.bool_)
        wrong[self.right] = False
        seen = float(self.weight[wrong].sum() / self.weight.sum())
        if not 0.0 < seen < 1.0:
            return None
        times = np.where(wrong, (seen + more) / seen, (1.0 - seen - more) / (1.0 - seen))
        return _value(measure, self.sample.reweighted(self.weight * times))


def _value(measure: Measure, sample: Sample) -> float | None:
    with np.errstate(all="ignore"):
        found = float(evaluate(measure, sample))
    return None if np.isnan(found) else found


def held(found: Interval, low: Ends = NOTHING, high: Ends = NOTHING) -> Interval:
    """An interval that reaches what it must and goes no further than it may, and says so."""
    wider = (
        found.low if low.least is None else min(found.low, low.least),
        found.high if high.least is None else max(found.high, high.least),
    )
    ends = (
        wider[0] if low.most is None else max(wider[0], low.most),
        wider[1] if high.most is None else min(wider[1], high.most),
    )
    known: dict[str, Any] = {}
    if wider != (found.low, found.high):
        known["unseen"] = True
    if ends != wider:
        known["most"] = True
    if not known:
        return found
    title = found.method + filled(HELD.title, known)
    return Interval(*ends, found.level, title, {**found.by, **known})


def held_value(
    measure: Measure,
    predictions: Any,
    found: Interval,
    cells: Callable[[Any], Cells] = Cells.of,
) -> Interval:
    """The interval of a value, held on its worse side; of observed to expected, on both.

    Right calls vary too, and leaning: twice what Student's t allows for is never taken away.
    """
    if measure.calibration in (Calibration.RATIO, Calibration.DIFFERENCE):
        return held(found, *_either_way(measure, predictions, found.level, cells))
    ends = with_more_errors(measure, predictions, found.level, cells)
    up = bool(measure.higher_is_better)
    limit = found.low if up else found.high
    if ends.most is not None and _worst(measure, limit, ends.most) != ends.most:
        usual = _usual_limit(measure, predictions, found.level)
        ends = ends._replace(most=_worst(measure, ends.most, usual))
    return held(found, low=ends) if up else held(found, high=ends)


def _usual_limit(measure: Measure, predictions: Any, level: float) -> float:
    """The worse limit of Student's t, twice as far, from what leaving out each unit changes."""
    groups = predictions.cases.groups
    if groups is None:
        without, times = leave_one_out(measure, predictions)
    else:
        without = without_clusters(measure, predictions, groups)
        times = np.ones(len(without))
    value = float(measure.of(predictions))
    _, error = jackknife_spread(without, times, "case")
    reach = TWICE * critical_value(level, float(times.sum()) - 1.0) * error
    limit = value - reach if measure.higher_is_better else value + reach
    return float(limit) if np.isfinite(limit) else value


def held_difference(measure: Measure, first: Any, second: Any, found: Interval) -> Interval:
    """The interval of a difference if either model erred as much more often as its accuracy allows.

    It reaches what one would be then beside the other as it is, and goes no further than beside the
    best that the other could be. A model of which enough errors were seen leaves its side alone.
    """
    try:
        both = [with_more_errors(measure, p, found.level) for p in (first, second)]
    except NotApplicable:
        return found
    sides = []
    for ends, other, sign in zip(both, (second, first), (1.0, -1.0), strict=True):
        beside = (float(measure.of(other)), measure.best)
        apart = [
            None if x is None or not np.isfinite(x - y) else sign * (x - y)
            for x, y in zip(ends, beside, strict=True)
        ]
        sides.append(Ends(*apart))
    low, high = sides if measure.higher_is_better else sides[::-1]
    return held(found, low, high)
