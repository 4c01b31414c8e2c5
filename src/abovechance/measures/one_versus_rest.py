"""The categorical family: one class against the rest.

A formula takes TP, FP, FN and TN of the class; those that are a share return its numerator and
denominator, on which intervals rest.
"""

from typing import Any

import numpy as np

from abovechance.measures.chance import constant, independence
from abovechance.measures.measure import Family, Form, LabelScore, Law, measure
from abovechance.predictions import View

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
