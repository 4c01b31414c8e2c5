"""Is accuracy better than a stated rate, or than always predicting the largest class?"""

from dataclasses import replace

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import Kind, answer, find
from abovechance.inference.results import Test
from abovechance.inference.significance.counts import binomial
from abovechance.measures import Form, Law, Measure
from abovechance.numerics.counts import one_against_rest
from abovechance.predictions import Binary, Multiclass, Predictions

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

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

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

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

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


def against(measure: Measure, predictions: Predictions, rate: float | str) -> tuple[Test, float]:
    """A share of cases against a rate stated beforehand, and that rate.

    A share of all cases or of some of them (accuracy, sensitivity, predictive values) is tested by
    the exact binomial on its denominator, in the direction that is better. "majority" is the share
    of the largest class, for accuracy alone.

    >>> from abovechance.measures import find
    >>> made = Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1])
    >>> against(find("sensitivity"), made, 0.5)[0].p_value
    0.125
    """
    if not isinstance(predictions, Binary | Multiclass) or measure.law not in SHARES:
        raise NotApplicable(NO_SHARE)
    find("binomial", Kind.TEST).refuse(predictions)
    return counted_against(measure, predictions.confusion, rate)


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
        raise NotApplicable("this is no number of cases divided by another.")
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
