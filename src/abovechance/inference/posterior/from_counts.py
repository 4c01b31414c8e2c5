"""Posteriors from counts: shares of one model, and differences of two on the same cases.

Confusion tables and priors come first, as they come: counts, predictions, one table per fold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, floats_or_none
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.method import pooled
from abovechance.inference.posterior.distribution import Draws, Posterior
from abovechance.numerics.beta_mean import BetaMean
from abovechance.predictions import Predictions, checks
from abovechance.predictions.base import must_be_predictions

# ----------------------------------------------------------------------------------------------
# Confusion tables and priors as they come: counts, predictions, one table per fold.
# ----------------------------------------------------------------------------------------------


Prior = float | str | Sequence[float]
NAMED = {"flat": 1.0, "jeffreys": 0.5}


def counts_of(confusion: Any) -> Floats:
    """One K × K table of counts, rows actual and columns predicted.

    A stack of tables, or several predictions, such as one per fold, is summed.

    >>> counts_of([[[4, 1], [0, 5]], [[5, 0], [1, 4]]])
    array([[9., 1.],
           [1., 9.]])
    """
    if isinstance(confusion, Predictions) and hasattr(confusion, "confusion"):
        return _of_predictions(confusion)
    if isinstance(confusion, list | tuple) and any(hasattr(c, "confusion") for c in confusion):
        return np.asarray(np.sum([counts_of(fold) for fold in confusion], axis=0))
    table = floats_or_none(confusion)
    if table is None:
        raise DataError("a confusion table must hold counts, as many columns as rows.")
    if table.ndim == 3:
        table = table.sum(axis=0)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        shape = " × ".join(str(size) for size in table.shape) or "a number"
        raise DataError(
            f"a confusion table has one row and one column per class; got {shape}. "
            "Rows are the actual classes, columns the predicted ones."
        )
    return whole_counts("a confusion table", table)


def _of_predictions(predictions: Any) -> Floats:
    refuse_dependent(predictions)
    return whole_counts("a confusion table", np.asarray(predictions.confusion, dtype=np.float64))


def advice_on(*given: Any) -> tuple[Advice, ...]:
    """What to know of predictions that were summed over the folds of a cross-validation.

    >>> from abovechance.predictions import Binary
    >>> [a.code for a in advice_on(Binary([0, 1, 0, 1], label=[0, 1, 1, 1], fold=[1, 1, 2, 2]))]
    ['AC260']
    """
    if not any(_of_folds(side) for side in given):
        return ()
    text = (
        "cases of different folds are counted as if independent, and their models share training "
        "cases: the posterior is narrower than what is known of the algorithm."
    )
    return (Advice("AC260", text, "Bengio & Grandvalet (2004)"),)


def _of_folds(given: Any) -> bool:
    """Whether predictions, or a list of them, come from several folds."""
    if isinstance(given, list | tuple):
        return len(given) > 1 and any(getattr(p, "origin", "test") != "test" for p in given)
    return hasattr(given, "origin") and pooled(given)


def refuse_dependent(predictions: Any) -> None:
    """Cases that a posterior would count more often than they are known.

    Predictions of one cross-validation are summed over its folds, each case being predicted once.
    """
    cases = predictions.cases
    if cases.sample_weight is not None:
        raise NotApplicable(
            "a posterior counts cases; sampling weights are not counts. "
            "Use a bootstrap interval, or give frequencies as counts=."
        )
    if cases.groups is not None and len(np.unique(cases.groups)) > 1:
        raise NotApplicable(
            "a posterior counts independent cases, and those of a cluster (groups) may depend on "
            "each other. Give one table per cluster to posterior.hierarchical."
        )
    if cases.order is not None:
        raise NotApplicable(
            "a posterior counts independent cases, and neighbours in time order may depend on "
            "each other. The interval of assess allows for the order."
        )
    if predictions.origin == "repeated_cv":
        raise NotApplicable(
            "a posterior counts every case once, and repeats predict it several times. "
            "Take the predictions of one repeat."
        )


def number_of(name: str, value: Any) -> float:
    """One number; refused where it is none."""
    found = floats_or_none(value)
    if isinstance(value, bool) or not isinstance(value, Real) or found is None:
        raise DataError(f"{name} must be a number of cases; got {shown(value)}.")
    return float(value)


def numbers_in(name: str, table: Any) -> Floats:
    """A table of numbers of any shape; refused where it holds something else."""
    found = floats_or_none(table)
    if found is None:
        raise DataError(f"{name} must hold numbers of cases; got {shown(table)}.")
    return found


def whole_counts(name: str, counts: Floats) -> Floats:
    """Counts, refused unless they are whole numbers from 0 up."""
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.round(counts)))
    if bad.any():
        raise DataError(
            f"{name} must hold whole numbers, 0 or more; got {counts[bad].flat[0]:g}. "
            "A posterior needs counts of cases, not shares or weighted sums."
        )
    return counts


def two_shapes(prior: Prior) -> tuple[float, float]:
    """The prior of a share: what is added to the right and to the wrong cases.

    >>> two_shapes("jeffreys"), two_shapes(1), two_shapes((2, 1))
    ((0.5, 0.5), (1.0, 1.0), (2.0, 1.0))
    """
    value = NAMED.get(prior, prior) if isinstance(prior, str) else prior
    pair = floats_or_none((value, value) if isinstance(value, Real) else value)
    right, wrong = pair.tolist() if pair is not None and pair.shape == (2,) else (np.nan, np.nan)
    if not (0.0 < right < np.inf and 0.0 < wrong < np.inf):
        raise DataError(
            "prior must be a positive number, two of them (for right and wrong), 'flat' or "
            f"'jeffreys'; got {shown(prior)}."
        )
    return right, wrong


def one_shape(prior: Prior) -> float:
    """The prior of a table: what is added to each of its cells."""
    right, wrong = two_shapes(prior)
    if right != wrong:
        raise DataError(f"a Dirichlet prior adds the same to every cell; got {shown(prior)}.")
    return right


def class_weights(weights: Any, classes: int) -> Floats:
    """Weights of the classes, made to sum to 1; equal when not given."""
    if weights is None:
        return np.full(classes, 1.0 / classes)
    given = floats_or_none(weights)
    if (
        given is None
        or given.shape != (classes,)
        or not (np.isfinite(given) & (given >= 0)).all()
        or not given.any()
    ):
        raise DataError(
            f"weights must be {classes} numbers, one per class, none negative and not all 0; "
            f"got {weights!r}."
        )
    return given / given.sum()


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
        right, rest = whole_counts("counts", np.array(counts)).tolist()
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
        values = floats_or_none(function(cells))
        if values is None or values.shape != size[:1]:
            raise DataError(
                "measure must be a function of tables (…, K, K) that returns a number for each."
            )
        found.append(values)
    return np.concatenate(found)


def _function(measure: Any) -> tuple[str, Callable[[Floats], Floats]]:
    """The name of a measure and its value on tables."""
    if isinstance(measure, str):
        from abovechance.measures import find

        measure = find(measure)
    if hasattr(measure, "on_counts"):
        return str(measure.title).lower(), measure.on_counts
    if callable(measure) and not isinstance(measure, type):
        name = getattr(measure, "__name__", "measure")
        return ("measure" if name == "<lambda>" else name.replace("_", " ")), measure
    raise DataError(f"measure must be a measure, its name or a function; got {shown(measure)}.")


# ----------------------------------------------------------------------------------------------
# Posterior of the difference of two models that predicted the same cases.
# ----------------------------------------------------------------------------------------------


NODES = 400


def paired_difference(
    first: Any,
    second: Any = None,
    *,
    prior: Prior = 0.5,
    weights: Any = None,
    draws: int = 200_000,
    rng: Any = None,
) -> Posterior:
    r"""What is known of how much better a first model is than a second on the same cases.

    Within a class every case is one of four: both right, only the first, only the second, neither.
    Their probabilities have a Dirichlet posterior, and what matters is

    .. math:: D = \sum_k w_k (p_k^{\text{first only}} - p_k^{\text{second only}}).

    Parameters
    ----------
    first, second
        Predictions of both models; or `first` alone a table of how often the models agree,
        ``[[both right, only first], [only second, neither]]``, or one such table per class.
        One table gives the difference in accuracy, several that in balanced accuracy.
    prior
        What is added to each of the four cells; with ½, the default here and in `compare`, either
        model's accuracy has a flat prior.
    weights
        Of the classes, equal when not given.
    draws
        Number of draws from the posterior.
    rng
        Seed of the draws: a number or a numpy Generator; the same draws every time when not given.

    Returns
    -------
    Posterior
        Of the first value less the second.

    Raises
    ------
    DataError
        If the tables are not of this shape, the models predicted different cases, or the prior or
        weights do not fit.

    See Also
    --------
    agreement : makes such tables from labels.
    difference : for models that predicted different cases.

    References
    ----------
    Brodersen et al. (2010), section V, for measures of cells with a Dirichlet posterior.

    Examples
    --------
    >>> gain = paired_difference([[40, 12], [3, 5]])
    >>> round(gain.mean, 2), round(gain.prob_above(0), 2)
    (0.15, 0.99)
    """
    table = whole_counts("a table of agreement", _agreement(first, second))
    alpha = one_shape(prior)
    several = table.ndim == 3
    share = class_weights(weights, len(table)) if several else np.ones(1)
    cells = table.reshape(-1, 4) + alpha
    stream = np.random.default_rng(0 if rng is None else rng)
    gain = np.zeros(draws)
    for row, weight in zip(cells, share, strict=True):
        drawn = stream.standard_gamma(row, size=(draws, 4))
        gain += weight * (drawn[:, 1] - drawn[:, 2]) / drawn.sum(axis=1)
    measure = "accuracy" if not several else "balanced accuracy"
    ordered = np.sort(gain)
    return Posterior(
        quantity=f"paired difference in {measure}",
        prior=prior_words(alpha),
        n=int(table.sum()),
        distribution=Draws(ordered) if several else Gain(ordered, tuple(cells[0].tolist())),
        chance=0.0,
        advice=advice_on(first, second),
    )


def prior_words(alpha: float = 0.5) -> str:
    """The prior of the four ways in which two models can be right or wrong together.

    >>> prior_words()
    'Dirichlet(0.5) for how the models agree, flat for the accuracy of either'
    """
    flat = ", flat for the accuracy of either" if alpha == 0.5 else ""
    return f"Dirichlet({alpha:g}) for how the models agree{flat}"


@dataclass(frozen=True, eq=False)
class Gain(Draws):
    r"""The difference of two paired shares: draws, and its probabilities in closed form.

    With the cells (both right, first only, second only, neither), prior added, the difference is
    :math:`s (2u - 1)`, :math:`s \sim Beta(b + c, a + d)` the chance that the models disagree and,
    independently, :math:`u \sim Beta(b, c)` that the first is then right.

    >>> round(float(Gain(np.zeros(1), (30.5, 12.5, 2.5, 6.5)).sf(0.0)), 4)
    0.9974
    """

    cells: tuple[float, float, float, float]

    def cdf(self, x: ArrayLike) -> Floats:
        from scipy.special import betainc

        both, gained, lost, neither = self.cells
        at = np.asarray(x, dtype=np.float64)[..., None]
        if not at.any():  # who is better does not depend on how often they disagree
            return np.asarray(np.full(at.shape[:-1], betainc(gained, lost, 0.5)))
        share, weight = _beta_rule(gained + lost, both + neither)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.clip((1.0 + at / share) / 2.0, 0.0, 1.0)
        return np.asarray(betainc(gained, lost, part) @ weight)


def _beta_rule(a: float, b: float) -> tuple[Floats, Floats]:
    """Nodes and weights of an expectation over a Beta variable, where its mass is."""
    from scipy.special import betaincinv

    low, high = betaincinv(a, b, 1e-15), 1.0 - betaincinv(b, a, 1e-15)
    node, weight = np.polynomial.legendre.leggauss(NODES)
    x = low + (high - low) * (node + 1.0) / 2.0
    log = (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x)
    weight = weight * np.exp(log - log.max())
    return x, weight / weight.sum()


def agreement(outcome: Any, first: Any, second: Any) -> Floats:
    """How often two models are right together, alone or not at all, one table per class.

    Parameters
    ----------
    outcome
        Observed classes.
    first, second
        The classes that each model predicted.

    Returns
    -------
    array
        Counts (classes, 2, 2): ``[[both right, only first], [only second, neither]]`` per class.

    Raises
    ------
    DataError
        If the three are not lists of equal length.

    See Also
    --------
    paired_difference : what these tables say of the difference between the models.

    References
    ----------
    McNemar (1947).

    Examples
    --------
    >>> agreement([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0])
    array([[[1., 0.],
            [1., 0.]],
    <BLANKLINE>
           [[1., 1.],
            [0., 1.]]])
    """
    columns = {"outcome": outcome, "first": first, "second": second}
    actual, one, two = (checks.vector(name, values) for name, values in columns.items())
    if not actual.shape == one.shape == two.shape:
        raise DataError("outcome and both predictions must be lists of equal length.")
    classes = np.unique(actual)
    tables = np.zeros((len(classes), 2, 2))
    for k, label in enumerate(classes):
        wrong = [(guess[actual == label] != label).astype(np.int64) for guess in (one, two)]
        np.add.at(tables[k], (wrong[0], wrong[1]), 1.0)
    return tables


def _agreement(first: Any, second: Any) -> Floats:
    if second is None:
        table = numbers_in("a table of agreement", first)
        if table.ndim not in (2, 3) or table.shape[-2:] != (2, 2):
            raise DataError(
                "agreement must be a 2 × 2 table [[both right, only first], [only second, neither]]"
                ", or one per class."
            )
        return table
    for side in (first, second):
        must_be_predictions(side)
    outcomes = [_outcome_and_label(side) for side in (first, second)]
    (actual, one), (other, two) = outcomes
    if actual.shape != other.shape or (actual != other).any():
        raise DataError(
            "both models must have predicted the same cases in the same order; their outcomes "
            "differ. For separate cases use difference()."
        )
    return agreement(actual, one, two)


def _outcome_and_label(predictions: Any) -> tuple[Array, Array]:
    from abovechance.inference.interval_choice import expanded

    refuse_dependent(predictions)
    predictions = expanded(predictions)
    actual = getattr(predictions, "actual", getattr(predictions, "positive", None))
    label = getattr(predictions, "label", None)
    if actual is None or label is None:
        raise NotApplicable("a paired difference needs predicted classes of both models.")
    return np.asarray(actual).astype(np.int64), np.asarray(label).astype(np.int64)
