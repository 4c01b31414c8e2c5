"""Posterior of the difference of two models that predicted the same cases."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.posterior.distribution import Draws, Posterior
from abovechance.inference.posterior.priors import (
    Prior,
    advice_on,
    class_weights,
    numbers_in,
    one_shape,
    refuse_dependent,
    whole,
)
from abovechance.predictions.base import must_be_predictions

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
    table = whole("a table of agreement", _agreement(first, second))
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
    actual, one, two = (np.asarray(values) for values in (outcome, first, second))
    if not actual.shape == one.shape == two.shape or actual.ndim != 1:
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
