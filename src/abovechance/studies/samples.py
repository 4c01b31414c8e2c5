"""What a design draws: predictions of one model, of two, or two groups of rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from abovechance.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Predicted:
    """Outcomes and the probabilities one model gives them; above `threshold` it says yes."""

    positive: Bools
    probability: Floats
    threshold: float = 0.5


@dataclass(frozen=True, eq=False)
class Pair:
    """Outcomes and the probabilities of two models for the same cases."""

    positive: Bools
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Groups:
    """Features (n, p) of rows that belong to group 0 or 1.

    `covariance` is the true one within groups, for the statistic that knows it.
    """

    X: Floats
    labels: Ints
    covariance: Floats | None = None


Sample: TypeAlias = Predicted | Pair | Groups


class Design(Protocol):
    """Anything that draws a sample of n cases with an effect: a function, or a small class."""

    def __call__(self, n: int, effect: float, rng: np.random.Generator, /) -> Sample: ...


UserTest: TypeAlias = Callable[[Sample, np.random.Generator], float]
"""A test of one's own: a sample and a stream in, a p-value out."""


def name_of(thing: object) -> str:
    """What a design or a test is called in a table.

    >>> from functools import partial
    >>> name_of(partial(name_of, 3))
    'name_of'
    """
    thing = getattr(thing, "func", thing)
    return str(getattr(thing, "name", None) or getattr(thing, "__name__", type(thing).__name__))


def classes(n: int, share: float = 0.5) -> Bools:
    """n outcomes, the share of positives fixed, with at least one case of each class.

    >>> classes(5, 0.2).tolist()
    [True, False, False, False, False]
    """
    positives = min(max(round(n * share), 1), n - 1)
    return np.arange(n) < positives
