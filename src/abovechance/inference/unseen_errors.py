"""Limits that allow for errors not yet seen, where hardly any prediction was wrong.

Of a model that called 90 cases without an error nobody knows how often it errs: up to one case in
25, says the interval of its accuracy. Losses of such cases are all small and hardly vary, so that
resampling them, or leaving them out, claims to know the mean loss among others far better than that
(it held the true one in as few as 6 % of samples). So no interval of what is computed from
probabilities claims more than that of the accuracy: its limit is at least the value that would have
been seen with as many more errors.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.confusion_tables import Cells, share
from abovechance.inference.method import WIDER, filled
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure
from abovechance.measures import find as find_measure
from abovechance.measures.sample import COUNTING, Sample, evaluate
from abovechance.predictions import View

FEW_ERRORS = 5  # seen, below which losses tell little of the errors among others


def with_more_errors(
    measure: Measure, predictions: Any, level: float, cells: Callable[[Any], Cells] = Cells.of
) -> float | None:
    """The value if as many more cases were wrong as the interval of accuracy allows.

    Cases turn to the second most probable class: where an error was seen, in proportion to how
    little the first was trusted, as models err; where none was, any case alike, since nothing
    tells that errors are not as sure as the rest. None where enough errors were seen, or where a
    measure does not read probabilities; refused where one more would make it infinite.
    """
    if not _reads_probabilities(measure) or predictions.origin != "test":
        return None
    if View.PROBABILITY not in predictions.views or predictions.n < 2:
        return None
    if _errors(predictions) >= FEW_ERRORS:
        return None
    accuracy = find_measure("accuracy")
    allowed = share(accuracy, cells(predictions), level)
    if allowed is None:
        return None
    return _turned(measure, predictions, accuracy.of(predictions) - allowed.low)


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


def _turned(measure: Measure, predictions: Any, more: float) -> float | None:
    sample = Sample.of(predictions)
    p = sample.column("probability")
    p = np.stack([1.0 - p, p]) if p.ndim == 1 else p
    outcome = np.asarray(sample.outcome, dtype=np.int64)
    second, first = np.argsort(p, axis=0, kind="stable")[-2:]
    right = np.flatnonzero(outcome == first)
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    doubt = 1.0 - p[first[right], right]
    if len(right) == sample.n or not (weight[right] @ doubt) > 0.0:
        doubt = np.ones(len(right))
    share = np.minimum(more * weight.sum() * doubt / (weight[right] @ doubt), 1.0)
    some = share * weight[right] > 0.0
    right, share = right[some], share[some]
    rest = weight.copy()
    rest[right] *= 1.0 - share
    both = sample.taken(np.concatenate([np.arange(sample.n), right]))
    changed = np.concatenate([outcome, second[right]]).astype(sample.outcome.dtype)
    counts = np.concatenate([rest, weight[right] * share])
    with np.errstate(all="ignore"):
        found = float(evaluate(measure, both.observed(changed).reweighted(counts)))
    if np.isinf(found):
        raise NotApplicable("hardly any case was called wrongly, and one more would be infinite.")
    return None if np.isnan(found) else found


def widened(found: Interval, *ends: float | None) -> Interval:
    """An interval that reaches these ends too, and says so."""
    reached = [end for end in ends if end is not None]
    low, high = min([found.low, *reached]), max([found.high, *reached])
    if (low, high) == (found.low, found.high):
        return found
    known = {"unseen": True}
    title = found.method + filled(WIDER.title, known)
    return Interval(low, high, found.level, title, {**found.by, **known})


def differences_with_more_errors(
    measure: Measure, first: Any, second: Any, level: float
) -> list[float]:
    """The difference if either of two models erred as much more often as its accuracy allows.

    None of a model of which enough errors were seen.
    """
    try:
        others = [with_more_errors(measure, p, level) for p in (first, second)]
    except NotApplicable:
        return []
    values = [float(measure.of(p)) for p in (first, second)]
    ends = [] if others[0] is None else [others[0] - values[1]]
    ends += [] if others[1] is None else [values[0] - others[1]]
    return [end for end in ends if np.isfinite(end)]
