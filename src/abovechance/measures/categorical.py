"""Measures of predicted classes: of the whole table, and of one class against the rest."""

from functools import lru_cache
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.gate import gated
from abovechance.measures.chance import best_constant, constant, independence, one_over_classes
from abovechance.measures.measure import Family, Form, LabelScore, Law, measure
from abovechance.predictions import Binary, Multiclass, View, checks
from abovechance.predictions.checks import aligned

# ----------------------------------------------------------------------------------------------
# The categorical family: what the whole confusion table says, rows actual, columns predicted.
# ----------------------------------------------------------------------------------------------


OF_TABLE: dict[str, Any] = {
    "family": Family.CATEGORICAL,
    "reads": View.LABEL,
    "form": Form.COUNTS,
    "reference": independence,
    "label_score": LabelScore.LABEL,
}
EMPTY_MARGIN = "all cases, or all predictions, are of one class"


def _cells(predictions: Binary) -> tuple[float, float, float, float]:
    """TN, FP, FN, TP as plain numbers: arithmetic on a few numbers is not work for arrays."""
    (tn, fp), (fn, tp) = predictions.confusion.tolist()
    return tn, fp, fn, tp


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else float("nan")


def _balanced_accuracy_shortcut(predictions: Binary) -> float:
    tn, fp, fn, tp = _cells(predictions)
    if tn + fp == 0 or tp + fn == 0:
        return _ratio(tn + tp, tn + fp + fn + tp)
    return (tp / (tp + fn) + tn / (tn + fp)) / 2.0


def _mcc_shortcut(predictions: Binary) -> float:
    tn, fp, fn, tp = _cells(predictions)
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return _ratio(tp * tn - fp * fn, spread**0.5)


def _kappa_shortcut(predictions: Binary) -> float:
    tn, fp, fn, tp = _cells(predictions)
    return _ratio(2.0 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _diagonal(table: Floats) -> Floats:
    """One on the diagonal of a table, else zero."""
    return np.eye(table.shape[-1])


def _wide(values: Floats) -> Floats:
    """Numbers (…) that broadcast against tables (…, K, K)."""
    return np.asarray(values)[..., None, None]


def _accuracy_slopes(table: Floats) -> Floats:
    total = table.sum(axis=(-2, -1))
    return (_diagonal(table) - _wide(accuracy.formula(table))) / _wide(total)


@measure(
    title="Accuracy",
    aliases=("acc",),
    **{**OF_TABLE, "reference": best_constant},
    range=(0.0, 1.0),
    best=1.0,
    law=Law.SHARE,
    slopes=_accuracy_slopes,
    source="Dinga et al., Categorical measures",
)
def accuracy(table: Floats) -> Floats:
    r"""Share of cases whose class was predicted.

    .. math:: \frac{1}{n} \sum_k C_{kk}

    Calling every case by the most frequent class scores that class's share.

    Examples
    --------
    >>> accuracy([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    return np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))


def _error_slopes(table: Floats) -> Floats:
    return -_accuracy_slopes(table)


@measure(
    title="Error rate",
    aliases=("misclassification", "zero_one_loss"),
    **{**OF_TABLE, "reference": best_constant},
    range=(0.0, 1.0),
    best=0.0,
    law=Law.SHARE,
    slopes=_error_slopes,
    source="Dinga et al., Categorical measures",
)
def error_rate(table: Floats) -> Floats:
    r"""Share of cases whose class was missed: one minus accuracy.

    Examples
    --------
    >>> error_rate([0, 0, 1, 1], [0, 1, 1, 1])
    0.25
    """
    right = np.trace(table, axis1=-2, axis2=-1)
    total = table.sum(axis=(-2, -1))
    return (total - right) / total


def _recalls(table: Floats) -> Floats:
    return np.diagonal(table, axis1=-2, axis2=-1) / table.sum(axis=-1)


def _balanced_slopes(table: Floats, *, weight: float | None = None) -> Floats:
    recalls, sizes = _recalls(table), table.sum(axis=-1)
    seen = sizes > 0
    share = seen / seen.sum(axis=-1, keepdims=True)
    if weight is not None:
        share = np.broadcast_to([1.0 - weight, weight], sizes.shape)
    moved = (_diagonal(table) - recalls[..., None]) * (share / sizes)[..., None]
    return np.where(seen[..., None], moved, 0.0)


@measure(
    title="Balanced accuracy",
    aliases=("bac",),
    **{**OF_TABLE, "reference": one_over_classes},
    range=(0.0, 1.0),
    best=1.0,
    prevalence_free=True,
    law=Law.BALANCED,
    undefined="no class was observed",
    shortcut=_balanced_accuracy_shortcut,
    slopes=_balanced_slopes,
    source="Brodersen et al. (2010), section III",
)
def balanced_accuracy(table: Floats, *, weight: float | None = None) -> Floats:
    r"""Mean over the observed classes of the share predicted rightly.

    .. math:: \frac{1}{K} \sum_k \frac{C_{kk}}{\sum_j C_{kj}}

    For two classes `weight` gives :math:`c \cdot \text{sensitivity} + (1 - c) \cdot
    \text{specificity}`. A guess that ignores the case scores :math:`1/K`.

    Parameters
    ----------
    weight
        Weight c of sensitivity, with 1 − c for specificity; classes count alike when not given.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 1, 1])
    0.833
    """
    recalls = _recalls(table)
    if weight is None:
        return np.nansum(recalls, axis=-1) / np.isfinite(recalls).sum(axis=-1)
    if table.shape[-1] != 2:
        raise NotApplicable(
            "weight= is for two classes; it weighs sensitivity against specificity."
        )
    return weight * recalls[..., 1] + (1.0 - weight) * recalls[..., 0]


def _one_minus_one_over_classes(predictions: Any, measure: Any) -> float:
    """One minus one over the number of observed classes."""
    return 1.0 - one_over_classes(predictions, measure)


def _balanced_error_slopes(table: Floats) -> Floats:
    return -_balanced_slopes(table)


@measure(
    title="Balanced error rate",
    aliases=("ber",),
    **{**OF_TABLE, "reference": _one_minus_one_over_classes},
    range=(0.0, 1.0),
    best=0.0,
    prevalence_free=True,
    law=Law.BALANCED,
    undefined="no class was observed",
    slopes=_balanced_error_slopes,
    source="familiar 1.5.0, balanced error rate",
)
def balanced_error_rate(table: Floats) -> Floats:
    r"""Mean over the observed classes of the share missed: one minus balanced accuracy.

    Examples
    --------
    >>> balanced_error_rate([0, 0, 0, 1], [0, 0, 1, 1])
    0.167
    """
    misses = 1.0 - _recalls(table)
    return np.nansum(misses, axis=-1) / np.isfinite(misses).sum(axis=-1)


def _informedness_slopes(table: Floats) -> Floats:
    total = table.sum(axis=(-2, -1))[..., None]
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    rest = 1.0 / (total - actual)
    hits, chance = np.diagonal(table, axis1=-2, axis2=-1), rest * actual * predicted
    # a case of another class makes the rest of every class larger
    lost = rest**2 * (actual * predicted / total - hits)
    by_row = lost.sum(axis=-1, keepdims=True) - lost - rest * predicted / total
    by_row = by_row + chance.sum(axis=-1, keepdims=True) / total**2
    by_column = -rest * actual / total
    found = by_row[..., :, None] + by_column[..., None, :]
    return found + _diagonal(table) * rest[..., None]


@measure(
    title="Informedness",
    aliases=("bookmaker",),
    **{**OF_TABLE, "reference": constant(0.0)},
    range=(-1.0, 1.0),
    best=1.0,
    law=Law.BALANCED,
    undefined="a class was not observed",
    slopes=_informedness_slopes,
    source="Powers (2011)",
)
def informedness(table: Floats) -> Floats:
    r"""How much better informed than a guess the prediction of a class is, by prevalence.

    .. math:: \sum_k \frac{\pi_k}{1 - \pi_k} (TPR_k - b_k) = \sum_k \pi_k (TPR_k - FPR_k)

    with :math:`\pi_k` the share of class k among outcomes and :math:`b_k` among predictions.
    For two classes it is Youden's J.

    Examples
    --------
    >>> informedness([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    total = table.sum(axis=(-2, -1))[..., None]
    shares, bias = table.sum(axis=-1) / total, table.sum(axis=-2) / total
    recalls = np.diagonal(table, axis1=-2, axis2=-1) / table.sum(axis=-1)
    return (shares / (1.0 - shares) * (recalls - bias)).sum(axis=-1)


def _markedness_slopes(table: Floats) -> Floats:
    return np.swapaxes(_informedness_slopes(np.swapaxes(table, -1, -2)), -1, -2)


@measure(
    title="Markedness",
    **{**OF_TABLE, "reference": constant(0.0)},
    range=(-1.0, 1.0),
    best=1.0,
    law=Law.UNKNOWN,
    undefined="a class was never predicted",
    slopes=_markedness_slopes,
    source="Powers (2011)",
)
def markedness(table: Floats) -> Floats:
    r"""How much more than its prevalence a predicted class is the right one, by its use.

    .. math:: \sum_k \frac{b_k}{1 - b_k} (PPV_k - \pi_k) = \sum_k b_k (PPV_k + NPV_k - 1)

    with :math:`b_k` the share of class k among predictions and :math:`\pi_k` among outcomes.

    Examples
    --------
    >>> markedness([0, 0, 1, 1], [0, 1, 1, 1])
    0.667
    """
    total = table.sum(axis=(-2, -1))[..., None]
    shares, bias = table.sum(axis=-1) / total, table.sum(axis=-2) / total
    precision = np.diagonal(table, axis1=-2, axis2=-1) / table.sum(axis=-2)
    return (bias / (1.0 - bias) * (precision - shares)).sum(axis=-1)


def _mcc_slopes(table: Floats) -> Floats:
    total = table.sum(axis=(-2, -1))[..., None]
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    right = np.trace(table, axis1=-2, axis2=-1)
    spread, other = (total[..., 0] ** 2 - (m**2).sum(axis=-1) for m in (actual, predicted))
    value = mcc.formula(table)
    size = np.sqrt(spread * other)
    by_row = -predicted / size[..., None] - (value / spread)[..., None] * (total - actual)
    by_column = -actual / size[..., None] - (value / other)[..., None] * (total - predicted)
    found = by_row[..., :, None] + by_column[..., None, :] + _wide(right / size)
    return found + _diagonal(table) * _wide(total[..., 0] / size)


@measure(
    title="Matthews correlation",
    aliases=("matthews_correlation_coefficient", "matthews_corrcoef"),
    **{**OF_TABLE, "reference": constant(0.0)},
    range=(-1.0, 1.0),
    best=1.0,
    law=Law.UNKNOWN,
    undefined=EMPTY_MARGIN,
    shortcut=_mcc_shortcut,
    slopes=_mcc_slopes,
    source="Matthews (1975); K classes: Gorodkin (2004)",
)
def mcc(table: Floats) -> Floats:
    r"""Correlation of predicted and observed class.

    .. math:: \frac{n \sum_k C_{kk} - \sum_k a_k b_k}
              {\sqrt{(n^2 - \sum_k a_k^2)(n^2 - \sum_k b_k^2)}}

    with :math:`a_k` cases observed and :math:`b_k` predicted to be of class k.

    Examples
    --------
    >>> mcc([0, 0, 1, 1], [0, 1, 1, 1])
    0.577
    """
    total = table.sum(axis=(-2, -1))
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    agreement = np.trace(table, axis1=-2, axis2=-1) * total - (actual * predicted).sum(axis=-1)
    spread = (total**2 - (actual**2).sum(axis=-1)) * (total**2 - (predicted**2).sum(axis=-1))
    return agreement / np.sqrt(spread)


@lru_cache(maxsize=8)
def _disagreement(k: int, weights: str | None) -> Floats:
    """What it costs to call a class by another one, (K, K)."""
    apart = np.abs(np.arange(k)[:, None] - np.arange(k))
    costs = {None: apart > 0, "linear": apart, "quadratic": apart**2}
    if weights not in costs:
        raise NotApplicable(f"weights must be None, 'linear' or 'quadratic'; got {weights!r}.")
    return costs[weights].astype(np.float64)


def _kappa_slopes(table: Floats, *, weights: str | None = None) -> Floats:
    cost = _disagreement(table.shape[-1], weights)
    total = table.sum(axis=(-2, -1))
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    spent = (cost * table).sum(axis=(-2, -1))
    by_row, by_column = predicted @ cost.T, actual @ cost
    expected = (actual * by_row).sum(axis=-1)
    found = by_row[..., :, None] + by_column[..., None, :]
    found = _wide(total * spent / expected**2) * found - _wide(spent / expected)
    return found - _wide(total / expected) * cost


@measure(
    title="Cohen's kappa",
    aliases=("cohen_kappa",),
    **{**OF_TABLE, "reference": constant(0.0)},
    range=(-1.0, 1.0),
    best=1.0,
    law=Law.UNKNOWN,
    undefined="all cases and all predictions are of one class",
    shortcut=_kappa_shortcut,
    slopes=_kappa_slopes,
    source="Cohen (1960); weighted: Cohen (1968)",
)
def kappa(table: Floats, *, weights: str | None = None) -> Floats:
    r"""Agreement beyond what the class frequencies alone would give.

    .. math:: 1 - \frac{\sum_{ij} w_{ij} C_{ij}}{\sum_{ij} w_{ij} a_i b_j / n}

    with :math:`w_{ij} = 1` for every disagreement, or for ordered classes `weights="linear"`:
    :math:`|i - j|`, `weights="quadratic"`: :math:`(i - j)^2`.

    Parameters
    ----------
    weights
        What a disagreement costs: the same whatever the classes when None; "linear" or "quadratic"
        in their distance for ordered classes.

    Examples
    --------
    >>> kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    cost = _disagreement(table.shape[-1], weights)
    actual, predicted = table.sum(axis=-1), table.sum(axis=-2)
    expected = (actual * (predicted @ cost)).sum(axis=-1)
    spent = table.reshape(*table.shape[:-2], cost.size) @ cost.ravel()
    return 1.0 - spent * table.sum(axis=(-2, -1)) / expected


def _g_mean_slopes(table: Floats) -> Floats:
    hits = np.diagonal(table, axis1=-2, axis2=-1)
    found = _diagonal(table) / hits[..., None] - 1.0 / table.sum(axis=-1)[..., None]
    return found * _wide(g_mean.formula(table) / table.shape[-1])


@measure(
    title="Geometric mean of recalls",
    **OF_TABLE,
    range=(0.0, 1.0),
    best=1.0,
    prevalence_free=True,
    law=Law.UNKNOWN,
    undefined="a class was not observed",
    slopes=_g_mean_slopes,
    source="Kubat & Matwin (1997)",
)
def g_mean(table: Floats) -> Floats:
    r"""Geometric mean of the shares of each class predicted rightly.

    Zero as soon as one class is missed altogether.

    Examples
    --------
    >>> g_mean([0, 0, 1, 1], [0, 1, 1, 1])
    0.707
    """
    return np.prod(_recalls(table), axis=-1) ** (1.0 / table.shape[-1])


@measure(
    title="Standardised accuracy",
    **{**OF_TABLE, "reference": best_constant},
    range=(-np.inf, np.inf),
    best=np.inf,
    attainable=False,
    law=Law.UNKNOWN,
    extreme=True,
    undefined="all cases are of one class",
    source="Rosenblatt et al. (2019), eq. 5, global and signed",
)
def z_accuracy(table: Floats) -> Floats:
    r"""Accuracy above the majority class's share, in that share's standard deviations.

    .. math:: \frac{\text{acc} - \pi_{max}}{\sqrt{\pi_{max} (1 - \pi_{max})}}

    Taken over all cases and with its sign; the authors' code averages absolute values per fold.

    Examples
    --------
    >>> z_accuracy([0, 0, 0, 1], [0, 0, 0, 1])
    0.577
    """
    total = table.sum(axis=(-2, -1))
    right = np.trace(table, axis1=-2, axis2=-1) / total
    largest = table.sum(axis=-1).max(axis=-1) / total
    spread = np.sqrt(largest * (1.0 - largest))
    return np.where(spread > 0, (right - largest) / spread, np.nan)


# ----------------------------------------------------------------------------------------------
# Balance over another variable that goes with the class.
# ----------------------------------------------------------------------------------------------


@gated
def covariate_balanced_accuracy(y_true: Any, y_pred: Any, covariate: Any) -> float:
    r"""Share of right labels, averaged over every class at every value of another variable.

    .. math:: \frac{1}{KV} \sum_{k=1}^{K} \sum_{v=1}^{V} \frac{r_{kv}}{n_{kv}}

    with r of n cases of class k and value v right. A classifier that tells the values of the
    variable apart instead of the classes has balanced accuracy above chance where the two go
    together, and 1/K here.

    Parameters
    ----------
    y_true
        Observed classes.
    y_pred
        Predicted classes.
    covariate
        The value of the other variable in each case.

    Returns
    -------
    float
        The mean over all combinations of class and value.

    Raises
    ------
    DataError
        If the three are not of equal length, or a class does not occur at every value.

    See Also
    --------
    balanced_accuracy : over classes alone.

    References
    ----------
    Brodersen et al. (2010), section 4: balance over variables that correlate with the class.

    Examples
    --------
    >>> y, sex = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> covariate_balanced_accuracy(y, sex, sex)  # balanced accuracy of these labels is 0.75
    0.5
    """
    given, _, _ = aligned({"y_true": y_true, "y_pred": y_pred, "covariate": covariate})
    made = Multiclass(given["y_true"], label=given["y_pred"])
    other = checks.vector("covariate", given["covariate"])
    checks.same_length({"y_true": made.actual, "covariate": other})
    if checks.missing_mask(other) is not None:
        raise DataError("covariate must not be missing.")
    right = made.actual == made.label
    values, at = np.unique(other, return_inverse=True)
    classes = [k for k, share in enumerate(made.prevalences) if share > 0]
    cells = []
    for k in classes:
        for v, value in enumerate(values.tolist()):
            inside = (made.actual == k) & (at == v)
            if not inside.any():
                raise DataError(
                    f"every class must occur at every value of covariate; there is no case of "
                    f"{made.classes[k]} at {value}. Values: {listed(values.tolist())}."
                )
            cells.append(right[inside].mean())
    return float(np.mean(cells))


# ----------------------------------------------------------------------------------------------
# The categorical family: one class against the rest.
#
# A formula takes TP, FP, FN and TN of the class; those that are a share return its numerator and
# denominator, on which intervals rest.
# ----------------------------------------------------------------------------------------------


Pair = tuple[Any, Any]
OF_CLASS: dict[str, Any] = {
    "family": Family.CATEGORICAL,
    "reads": View.LABEL,
    "form": Form.CLASS_RATIO,
    "range": (0.0, 1.0),
    "reference": independence,
    "directed": True,
    "averages": True,
    "label_score": LabelScore.LABEL,
}
NONE_OBSERVED = "no case of the class was observed"
NONE_PREDICTED = "no case was predicted to be of the class"
ALL_OBSERVED = "every case was of the class"
ALL_PREDICTED = "every case was predicted to be of the class"


@measure(
    title="Sensitivity",
    aliases=("recall", "tpr", "true_positive_rate"),
    **OF_CLASS,
    best=1.0,
    prevalence_free=True,
    law=Law.CONDITIONAL,
    macro_law=Law.BALANCED,
    undefined=NONE_OBSERVED,
    source="Dinga et al., Categorical measures",
)
def sensitivity(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the positive cases that were predicted positive.

    .. math:: \frac{TP}{TP + FN}

    Examples
    --------
    >>> sensitivity([0, 1, 1, 1], [0, 1, 1, 0])
    0.667
    """
    return tp, tp + fn


@measure(
    title="Specificity",
    aliases=("tnr", "true_negative_rate"),
    **OF_CLASS,
    best=1.0,
    prevalence_free=True,
    law=Law.CONDITIONAL,
    undefined=ALL_OBSERVED,
    source="Dinga et al., Categorical measures",
)
def specificity(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the negative cases that were predicted negative.

    .. math:: \frac{TN}{TN + FP}

    Examples
    --------
    >>> specificity([0, 0, 0, 1], [0, 0, 1, 0])
    0.667
    """
    return tn, tn + fp


@measure(
    title="Positive predictive value",
    aliases=("precision", "positive_predictive_value"),
    **OF_CLASS,
    best=1.0,
    law=Law.CONDITIONAL,
    undefined=NONE_PREDICTED,
    source="Dinga et al., Categorical measures",
)
def ppv(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the cases predicted positive that are positive.

    .. math:: \frac{TP}{TP + FP}

    Examples
    --------
    >>> ppv([0, 0, 1, 1], [0, 1, 1, 1])
    0.667
    """
    return tp, tp + fp


@measure(
    title="Negative predictive value",
    aliases=("negative_predictive_value",),
    **OF_CLASS,
    best=1.0,
    law=Law.CONDITIONAL,
    undefined=ALL_PREDICTED,
    source="Dinga et al., Categorical measures",
)
def npv(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the cases predicted negative that are negative.

    .. math:: \frac{TN}{TN + FN}

    Examples
    --------
    >>> npv([0, 0, 1, 1], [0, 0, 0, 1])
    0.667
    """
    return tn, tn + fn


@measure(
    title="False positive rate",
    aliases=("fpr",),
    **OF_CLASS,
    best=0.0,
    prevalence_free=True,
    law=Law.CONDITIONAL,
    undefined=ALL_OBSERVED,
    source="NAG, Accuracy measures for machine learning",
)
def false_positive_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the negative cases that were predicted positive: one minus specificity.

    Examples
    --------
    >>> false_positive_rate([0, 0, 0, 1], [0, 0, 1, 0])
    0.333
    """
    return fp, fp + tn


@measure(
    title="False negative rate",
    aliases=("fnr",),
    **OF_CLASS,
    best=0.0,
    prevalence_free=True,
    law=Law.CONDITIONAL,
    macro_law=Law.BALANCED,
    undefined=NONE_OBSERVED,
    source="NAG, Accuracy measures for machine learning",
)
def false_negative_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the positive cases that were predicted negative: one minus sensitivity.

    Examples
    --------
    >>> false_negative_rate([0, 1, 1, 1], [0, 1, 1, 0])
    0.333
    """
    return fn, fn + tp


@measure(
    title="False discovery rate",
    aliases=("fdr",),
    **OF_CLASS,
    best=0.0,
    law=Law.CONDITIONAL,
    undefined=NONE_PREDICTED,
    source="NAG, Accuracy measures for machine learning",
)
def false_discovery_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the cases predicted positive that are negative.

    .. math:: \frac{FP}{TP + FP}

    This is not the type I error rate, which conditions on the negative cases.

    Examples
    --------
    >>> false_discovery_rate([0, 0, 1, 1], [0, 1, 1, 1])
    0.333
    """
    return fp, tp + fp


@measure(
    title="False omission rate",
    aliases=("for",),
    **OF_CLASS,
    best=0.0,
    law=Law.CONDITIONAL,
    undefined=ALL_PREDICTED,
    source="NAG, Accuracy measures for machine learning",
)
def false_omission_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Share of the cases predicted negative that are positive.

    .. math:: \frac{FN}{TN + FN}

    Examples
    --------
    >>> false_omission_rate([0, 0, 1, 1], [0, 0, 0, 1])
    0.333
    """
    return fn, tn + fn


@measure(
    title="F1",
    aliases=("f1_score",),
    **OF_CLASS,
    best=1.0,
    law=Law.UNKNOWN,
    undefined="the class was neither observed nor predicted",
    source="Dinga et al., Categorical measures",
)
def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Harmonic mean of sensitivity and positive predictive value.

    .. math:: \frac{2 TP}{2 TP + FP + FN}

    Ignores the true negatives, so it depends on which class is called positive.

    Examples
    --------
    >>> f1([0, 0, 1, 1], [0, 1, 1, 1])
    0.8
    """
    return 2.0 * tp, 2.0 * tp + fp + fn


@measure(
    title="F-beta",
    **OF_CLASS,
    best=1.0,
    law=Law.UNKNOWN,
    undefined="the class was neither observed nor predicted",
    source="NAG, Accuracy measures for machine learning",
    listed=False,
)
def f_beta(tp: Any, fp: Any, fn: Any, tn: Any, *, beta: float = 1.0) -> Pair:
    r"""Weighted harmonic mean of sensitivity and PPV; sensitivity counts `beta` times as much.

    .. math:: \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + FP + \beta^2 FN}

    With `beta=1` it is F1.

    Parameters
    ----------
    beta
        How many times as much sensitivity counts as PPV; 1 weighs both alike.

    Examples
    --------
    >>> f_beta([0, 0, 1, 1], [0, 1, 1, 1], beta=2)
    0.909
    """
    hits = (1.0 + beta**2) * tp
    return hits, hits + fp + beta**2 * fn


@measure(
    title="Jaccard index",
    **OF_CLASS,
    best=1.0,
    law=Law.UNKNOWN,
    undefined="the class was neither observed nor predicted",
    source="Jaccard (1912)",
)
def jaccard(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Cases both observed and predicted positive among those observed or predicted positive.

    .. math:: \frac{TP}{TP + FP + FN}

    Examples
    --------
    >>> jaccard([0, 0, 1, 1], [0, 1, 1, 1])
    0.667
    """
    return tp, tp + fp + fn


@measure(
    title="Youden's J",
    aliases=("youden_index",),
    **{**OF_CLASS, "form": Form.CLASS_VALUE, "range": (-1.0, 1.0)},
    best=1.0,
    prevalence_free=True,
    law=Law.BALANCED,
    undefined="only one class was observed",
    source="Youden (1950)",
)
def youden_j(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    r"""Sensitivity + specificity − 1: 0 for a guess, 1 when nothing is missed.

    Examples
    --------
    >>> youden_j([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    return tp / (tp + fn) + tn / (tn + fp) - 1.0


@measure(
    title="Markedness of the class",
    **{**OF_CLASS, "form": Form.CLASS_VALUE, "range": (-1.0, 1.0)},
    aliases=("markedness_pc",),
    best=1.0,
    law=Law.UNKNOWN,
    undefined="a class was never predicted",
    source="Powers (2011)",
    listed=False,
)
def class_markedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    r"""PPV + NPV − 1 of one class against the rest.

    Examples
    --------
    >>> class_markedness([0, 0, 1, 1], [0, 1, 1, 1])
    0.667
    """
    return tp / (tp + fp) + tn / (tn + fn) - 1.0


LIKELIHOOD: dict[str, Any] = {
    **OF_CLASS,
    "averages": False,
    "outcomes": frozenset({"binary"}),
    "range": (0.0, np.inf),
    "law": Law.UNKNOWN,
    "reference": constant(1.0),
}


@measure(
    title="Positive likelihood ratio",
    **LIKELIHOOD,
    prevalence_free=True,
    best=np.inf,
    undefined="only one class was observed, or none was predicted positive",
    source="Deeks & Altman (2004)",
)
def positive_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""How many times likelier a positive prediction is among the positive than the negative.

    .. math:: \frac{\text{sensitivity}}{1 - \text{specificity}}

    Examples
    --------
    >>> positive_likelihood_ratio([0, 0, 1, 1], [0, 1, 1, 1])
    2.0
    """
    return tp / (tp + fn), fp / (fp + tn)


@measure(
    title="Negative likelihood ratio",
    aliases=("neg_negative_likelihood_ratio",),
    **LIKELIHOOD,
    prevalence_free=True,
    best=0.0,
    undefined="only one class was observed, or none was predicted negative",
    source="Deeks & Altman (2004)",
)
def negative_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""How many times likelier a negative prediction is among the positive than the negative.

    .. math:: \frac{1 - \text{sensitivity}}{\text{specificity}}

    Examples
    --------
    >>> negative_likelihood_ratio([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    0.75
    """
    return fn / (tp + fn), tn / (fp + tn)


@measure(
    title="Diagnostic odds ratio",
    **LIKELIHOOD,
    prevalence_free=True,
    best=np.inf,
    undefined="a row or a column of the table is empty",
    source="Glas et al. (2003)",
)
def diagnostic_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Pair:
    r"""Odds of a positive prediction among the positive over those among the negative.

    .. math:: \frac{TP \cdot TN}{FP \cdot FN}

    Examples
    --------
    >>> diagnostic_odds_ratio([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    4.0
    """
    return tp * tn, fp * fn
