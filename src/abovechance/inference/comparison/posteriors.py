"""How probable is it that one model is more accurate than another on the same cases?"""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.comparison.contrasts import How
from abovechance.inference.comparison.contributions import class_sizes, classes_of
from abovechance.inference.comparison.results import Posterior
from abovechance.inference.comparison.shares import discordant
from abovechance.measures import Measure

FLAT = "flat over the four ways two models can be right or wrong"
DRAWS = 200_000
NODES = 400


def posterior_of(
    measure: Measure, first: Any, second: Any, rope: float | None, how: How
) -> Posterior | None:
    """The posterior of a difference of accuracies or balanced accuracies; None for other measures.

    Independent cases only: no groups, no weights.
    """
    if first.cases.groups is not None or first.weight is not None:
        return None
    if measure.name in ("accuracy", "error_rate"):
        everyone = np.ones(first.n, dtype=np.bool_)
        return of_accuracy(*discordant(first, second, everyone), first.n, rope)
    if measure.name in ("balanced_accuracy", "balanced_error_rate"):
        actual, sizes = classes_of(first), class_sizes(first)
        counts = [
            (*discordant(first, second, actual == k), int(size))
            for k, size in enumerate(sizes)
            if size
        ]
        return of_balanced_accuracy(counts, rope, how)
    return None


def of_accuracy(gained: int, lost: int, n: int, rope: float | None = None) -> Posterior:
    r"""The difference of two paired shares under a flat Dirichlet prior.

    With the cells (both right, first only, second only, both wrong) the difference is
    :math:`s (2u - 1)`, :math:`s \sim Beta(b + c + 2, n - b - c + 2)` the chance that the models
    disagree and, independently, :math:`u \sim Beta(b + 1, c + 1)` that the first is then right.

    >>> round(of_accuracy(12, 2, 50).p_better, 4)
    0.9963
    """
    from scipy.special import betainc

    p_better = float(betainc(lost + 1.0, gained + 1.0, 0.5))
    if rope is None:
        return Posterior(p_better=p_better, prior=FLAT)
    share, weight = _beta_rule(gained + lost + 2.0, n - gained - lost + 2.0)
    with np.errstate(divide="ignore"):
        at = np.clip((1.0 + np.array([[-rope], [rope]]) / share) / 2.0, 0.0, 1.0)
    below = betainc(gained + 1.0, lost + 1.0, at) @ weight
    return _split(p_better, float(below[0]), float(below[1]), rope)


def of_balanced_accuracy(
    counts: list[tuple[int, int, int]], rope: float | None, how: How
) -> Posterior:
    """The mean over classes of such differences, by Monte Carlo with 200,000 draws."""
    rng = how.rng(3)
    total = np.zeros(DRAWS)
    for gained, lost, n in counts:
        apart = rng.beta(gained + lost + 2.0, n - gained - lost + 2.0, size=DRAWS)
        total += apart * (2.0 * rng.beta(gained + 1.0, lost + 1.0, size=DRAWS) - 1.0)
    gain = total / len(counts)
    p_better = float((gain > 0).mean())
    if rope is None:
        return Posterior(p_better=p_better, prior=f"{FLAT}, in every class")
    found = _split(p_better, float((gain < -rope).mean()), float((gain <= rope).mean()), rope)
    return Posterior(**{**found.__dict__, "prior": f"{FLAT}, in every class"})


def _split(p_better: float, below: float, upto: float, rope: float) -> Posterior:
    return Posterior(
        p_better=p_better,
        prior=FLAT,
        rope=rope,
        p_first=1.0 - upto,
        p_equal=upto - below,
        p_second=below,
    )


def _beta_rule(a: float, b: float) -> tuple[Floats, Floats]:
    """Nodes and weights of an expectation over a Beta variable, where its mass is."""
    from scipy.special import betaincinv

    low, high = betaincinv(a, b, 1e-15), 1.0 - betaincinv(b, a, 1e-15)
    node, weight = np.polynomial.legendre.leggauss(NODES)
    x = low + (high - low) * (node + 1.0) / 2.0
    log = (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x)
    weight = weight * np.exp(log - log.max())
    return x, weight / weight.sum()
