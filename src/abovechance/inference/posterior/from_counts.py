"""Posteriors from counts: of accuracy, balanced accuracy, and any measure of a confusion table."""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.posterior.distribution import Draws, Posterior
from abovechance.inference.posterior.priors import (
    Prior,
    advice_on,
    class_weights,
    counts_of,
    number_of,
    one_shape,
    two_shapes,
    whole,
)
from abovechance.numerics.beta_mean import BetaMean

# ----------------------------------------------------------------------------------------------
# Posteriors of accuracy and balanced accuracy from counts, and of the difference of two models.
# ----------------------------------------------------------------------------------------------


MODELS = ("collapsed", "dirichlet")
LEAST = 0.5  # densities of smaller powers are too steep at the ends for the quadrature


def accuracy(correct: Any, wrong: Any = None, *, prior: Prior = (1.0, 1.0)) -> Posterior:
    r"""What is known of accuracy after so many right and wrong predictions.

    .. math:: A \sim \mathrm{Beta}(C + a, I + b)

    with C right and I wrong cases and prior Beta(a, b). What guessing is worth depends on how
    frequent the classes are, so that no chance level is given.

    Parameters
    ----------
    correct, wrong
        Counts; or `correct` alone a confusion table (rows actual), a stack of them to be summed,
        or predictions.
    prior
        Parameters (a, b) of the Beta prior, one number for both, "flat" or "jeffreys"; flat
        unless stated.

    Returns
    -------
    Posterior
        With `mean`, `median`, `interval()`, `prob_above(x)`, `pdf(x)` and the like.

    Raises
    ------
    DataError
        If counts are not whole numbers from 0 on, or the prior is not positive.
    NotApplicable
        For sampling weights, which are not counts.

    See Also
    --------
    balanced_accuracy : the mean of the classes' accuracies.
    abovechance.intervals.wilson : a confidence interval of the same share.

    References
    ----------
    Brodersen et al. (2010), eqs. 1–6.

    Examples
    --------
    >>> print(accuracy(48, 7))
    accuracy 0.860, 95% posterior interval 0.759 to 0.936; prior Beta(1, 1)
    """
    a, b = two_shapes(prior)
    if wrong is None:
        table = counts_of(correct)
        right, rest = float(np.trace(table)), float(table.sum() - np.trace(table))
    else:
        counts = [number_of("correct", correct), number_of("wrong", wrong)]
        right, rest = whole("counts", np.array(counts)).tolist()
    return Posterior(
        quantity="accuracy",
        prior=f"Beta({a:g}, {b:g})",
        n=int(right + rest),
        distribution=BetaMean(right + a, rest + b, 1.0),
        advice=advice_on(correct),
    )


def balanced_accuracy(
    confusion: Any, *, prior: Prior = (1.0, 1.0), weights: Any = None, model: str = "collapsed"
) -> Posterior:
    r"""What is known of balanced accuracy, the mean of the classes' accuracies.

    .. math:: B = \sum_k w_k A_k, \qquad A_k \sim \mathrm{Beta}(c_{kk} + a,\; n_k - c_{kk} + b)

    independently, with :math:`c_{kk}` of :math:`n_k` cases of class k right. The density is the
    convolution of Beta densities, computed to about 1e-13. Its intervals are not confidence
    intervals: with more than two classes flat priors do not wash out (ten classes of ten cases,
    accuracy .95: the 95% interval covers it in 4% of samples).

    Parameters
    ----------
    confusion
        Counts, rows actual and columns predicted; a stack of tables (one per fold) is summed;
        or predictions.
    prior
        Of each class's accuracy: (a, b), one number for both, "flat" or "jeffreys"; flat, (1, 1),
        unless stated.
    weights
        Of the classes, equal when not given; made to sum to 1.
    model
        "collapsed": a Beta prior for each class's accuracy. "dirichlet": a Dirichlet prior over
        the K labels a case may get, under which guessing is worth 1/K in each class; with one
        added to every cell, b = K − 1.

    Returns
    -------
    Posterior
        With `mean`, `median`, `interval()`, `prob_above(x)`, `pdf(x)` and the like.

    Raises
    ------
    DataError
        If it is no table of counts, the prior adds less than ½, or the weights do not fit.
    NotApplicable
        For sampling weights, which are not counts.

    See Also
    --------
    prob_above_chance : the probability of being better than guessing.
    hierarchical : for the tables of many subjects.
    difference, paired_difference : how much better one model is than another.

    References
    ----------
    Brodersen et al. (2010), eq. 7, which as printed lacks a factor of 4 and adds 1 twice; the
    mean of B *is* the mean of the classes' means. More classes: Carrillo et al. (2014).

    Examples
    --------
    >>> print(balanced_accuracy([[48, 2], [5, 45]]))
    balanced accuracy 0.913, 95% posterior interval 0.853 to 0.959; P(> 0.5) > 0.999;
    prior Beta(1, 1) for each class
    """
    table = counts_of(confusion)
    classes = len(table)
    if model not in MODELS:
        raise DataError(f"model must be {' or '.join(map(repr, MODELS))}; got {model!r}.")
    shares = class_weights(weights, classes)
    right, total = np.diag(table), table.sum(axis=1)
    if model == "dirichlet":
        a = one_shape(prior)
        b = (classes - 1) * a
        words = f"Dirichlet({a:g}) for the labels of each class"
    else:
        a, b = two_shapes(prior)
        words = f"Beta({a:g}, {b:g}) for each class"
    if min(a, b) < LEAST:
        raise DataError(
            f"the prior of balanced accuracy must add at least ½ (Jeffreys'); got {prior!r}. "
            "With less, use posterior.of('balanced_accuracy', …), which draws."
        )
    guessing = None
    if classes > 2 and model == "collapsed":
        guessing = BetaMean(right + 1.0, total - right + classes - 1.0, shares)
    return Posterior(
        quantity="balanced accuracy" if weights is None else "weighted accuracy",
        prior=words,
        n=int(table.sum()),
        distribution=BetaMean(right + a, total - right + b, shares),
        chance=1.0 / classes if weights is None else None,
        against_chance=guessing,
        advice=advice_on(confusion),
    )


def prob_above_chance(confusion: Any) -> float:
    """Probability that balanced accuracy is better than guessing, 1/K for K classes.

    The prior is a flat Dirichlet over the labels in each class, whose mean is 1/K; it is the flat
    prior for two classes. This is a posterior probability and not a p-value.

    Parameters
    ----------
    confusion
        Counts, rows actual and columns predicted; a stack of tables is summed; or predictions.

    Returns
    -------
    float
        The probability.

    Raises
    ------
    DataError
        If it is no table of counts.

    See Also
    --------
    balanced_accuracy : the whole posterior.
    abovechance.significance.fisher : the p-value against chance.

    References
    ----------
    Brodersen et al. (2010); Carrillo et al. (2014).

    Examples
    --------
    >>> prob_above_chance([[11, 2, 0], [1, 3, 2], [0, 3, 5]])
    0.9993
    """
    found = balanced_accuracy(confusion, model="dirichlet").prob_above_chance
    assert found is not None
    return found


def difference(
    first: Any, second: Any, *, prior: Prior = (1.0, 1.0), weights: Any = None
) -> Posterior:
    """What is known of how much better a first model is than a second, on separate cases.

    Parameters
    ----------
    first, second
        Confusion tables or predictions, whose balanced accuracies are compared; or posteriors of
        accuracy or balanced accuracy.
    prior
        Of each class's accuracy, as in `balanced_accuracy`; not read of posteriors.
    weights
        Of the classes, equal when not given; not read of posteriors.

    Returns
    -------
    Posterior
        Of the first value less the second.

    Raises
    ------
    DataError
        If it is no table of counts, or the prior or weights do not fit.
    NotApplicable
        If the posteriors are of different quantities, or of other than accuracies.

    See Also
    --------
    paired_difference : for models that predicted the same cases; narrower when they err alike.

    References
    ----------
    Brodersen et al. (2010).

    Examples
    --------
    >>> gain = difference([[48, 2], [5, 45]], [[40, 10], [10, 40]])
    >>> gain.prob_above(0), gain.prob_between(-0.05, 0.05)
    (0.9956, 0.0572)
    """
    one, two = (
        side
        if isinstance(side, Posterior)
        else balanced_accuracy(side, prior=prior, weights=weights)
        for side in (first, second)
    )
    if one.quantity != two.quantity:
        raise NotApplicable(
            f"both must be posteriors of the same; got {one.quantity} and {two.quantity}."
        )
    ours, theirs = one.distribution, two.distribution
    if not (isinstance(ours, BetaMean) and isinstance(theirs, BetaMean)):
        raise NotApplicable(
            "differences are of posteriors of accuracy or balanced accuracy, by themselves."
        )
    priors = [one.prior] if one.prior == two.prior else [one.prior, two.prior]
    return Posterior(
        quantity=f"difference in {one.quantity}",
        prior=" and ".join(priors),
        n=one.n + two.n,
        distribution=BetaMean(
            np.concatenate([ours.a, theirs.a]),
            np.concatenate([ours.b, theirs.b]),
            np.concatenate([ours.weights, -theirs.weights]),
        ),
        chance=0.0,
        advice=tuple(dict.fromkeys(one.advice + two.advice)),
    )


# ----------------------------------------------------------------------------------------------
# Posteriors of any measure of a confusion table, by draws from a Dirichlet distribution.
# ----------------------------------------------------------------------------------------------


BLOCK = 4_000_000  # numbers drawn at a time, to bound the memory
MARGINS = ("random", "fixed")


def of(
    measure: Any,
    confusion: Any,
    *,
    prior: Prior = 1.0,
    margins: str = "random",
    draws: int = 100_000,
    rng: Any = None,
) -> Posterior:
    """What is known of any measure that is a function of the confusion table.

    The cells' probabilities are drawn from their posterior, a Dirichlet distribution with the
    counts plus the prior as parameters, and the measure is taken of each draw.

    Parameters
    ----------
    measure
        A measure, its name, or a function from tables (…, K, K) to numbers.
    confusion
        Counts, rows actual and columns predicted; a stack of tables is summed; or predictions.
    prior
        What is added to each cell: 1 (flat) unless stated.
    margins
        "random": how frequent the classes are is unknown too. "fixed": as many cases of each
        class as observed, by design.
    draws
        Number of draws from the posterior.
    rng
        Seed of the draws: a number or a numpy Generator; the same draws every time when not given.

    Returns
    -------
    Posterior
        With `mean`, `median`, `interval()`, `prob_above(x)`, `pdf(x)` and the like.

    Raises
    ------
    DataError
        If it is no table of counts, the prior is not positive, or there are fewer than 100 draws.
    NotApplicable
        If the measure is no function of a confusion table, or is undefined in more than one draw of
        a hundred.

    See Also
    --------
    accuracy, balanced_accuracy : exact, without draws.

    References
    ----------
    Brodersen et al. (2010), section V; Goutte & Gaussier (2005).

    Examples
    --------
    >>> share = of(lambda table: table[..., 1, 1] / table[..., 1, :].sum(-1), [[40, 10], [5, 45]])
    >>> round(share.mean, 3), round(46 / 52, 3)
    (0.885, 0.885)
    """
    name, function = _function(measure)
    table = counts_of(confusion)
    alpha = one_shape(prior)
    if margins not in MARGINS:
        raise DataError(f"margins must be {' or '.join(map(repr, MARGINS))}; got {margins!r}.")
    if draws < 100:
        raise DataError(f"draws must be at least 100; got {draws}.")
    values = _values(
        function, table, alpha, margins, draws, np.random.default_rng(0 if rng is None else rng)
    )
    defined = values[np.isfinite(values)]
    if defined.size < 0.99 * draws:
        raise NotApplicable(
            f"{name} is undefined in {draws - defined.size} of {draws} draws from the posterior."
        )
    return Posterior(
        quantity=name,
        prior=f"Dirichlet({alpha:g}) for the cells",
        n=int(table.sum()),
        distribution=Draws.of(defined),
        advice=advice_on(confusion),
    )


def _values(
    function: Callable[[Floats], Floats],
    table: Floats,
    alpha: float,
    margins: str,
    draws: int,
    stream: np.random.Generator,
) -> Floats:
    totals = table.sum(axis=1)
    axis: Any = -1 if margins == "fixed" else (-2, -1)
    scale: Any = totals[:, None] if margins == "fixed" else max(table.sum(), 1.0)
    found = []
    block = max(1, BLOCK // table.size)
    for start in range(0, draws, block):
        size = (min(block, draws - start), *table.shape)
        cells = stream.standard_gamma(table + alpha, size=size)
        cells *= scale / cells.sum(axis=axis, keepdims=True)
        found.append(np.asarray(function(cells), dtype=np.float64).reshape(size[0]))
    return np.concatenate(found)


def _function(measure: Any) -> tuple[str, Callable[[Floats], Floats]]:
    """The name of a measure and its value on tables."""
    if isinstance(measure, str):
        from abovechance.measures import find

        measure = find(measure)
    if hasattr(measure, "on_counts"):
        return str(measure.title).lower(), measure.on_counts
    if callable(measure):
        name = getattr(measure, "__name__", "measure")
        return ("measure" if name == "<lambda>" else name.replace("_", " ")), measure
    raise DataError(f"measure must be a measure, its name or a function; got {shown(measure)}.")
