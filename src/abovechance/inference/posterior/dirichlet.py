"""Posteriors of any measure of a confusion table, by draws from a Dirichlet distribution."""

from collections.abc import Callable
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.inference.posterior.draws import Draws
from abovechance.inference.posterior.result import Posterior
from abovechance.inference.posterior.tables import Prior, advice_on, counts_of, one_shape

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
