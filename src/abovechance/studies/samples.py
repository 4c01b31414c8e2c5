"""What a design draws: predictions of one model, of two, or two groups of rows.

What comes from a user, arrays and parameters of designs, is checked here, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias

import numpy as np

from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import AboveChanceError, DataError, did_you_mean
from abovechance.predictions import checks


@dataclass(frozen=True, eq=False)
class Predicted:
    """Outcomes and the probabilities one model gives them; above `threshold` it says yes.

    Outcomes are True and False, or 1 and 0.
    """

    positive: Bools
    probability: Floats
    threshold: float = 0.5

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        probability = probabilities("probability", self.probability, positive.size)
        settle(self, positive=positive, probability=probability)
        number("threshold", self.threshold, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Pair:
    """Outcomes and the probabilities of two models for the same cases, called above `threshold`."""

    positive: Bools
    first: Floats
    second: Floats
    threshold: float = 0.5

    def __post_init__(self) -> None:
        positive = outcomes(self.positive)
        first = probabilities("first", self.first, positive.size)
        second = probabilities("second", self.second, positive.size)
        settle(self, positive=positive, first=first, second=second)
        number("threshold", self.threshold, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Groups:
    """Features (n, p) of rows that belong to group 0 or 1.

    `covariance` is the true one within groups, for the statistic that knows it.
    """

    X: Floats
    labels: Ints
    covariance: Floats | None = None

    def __post_init__(self) -> None:
        labels = outcomes(self.labels, "labels").astype(np.int64)
        settle(self, X=table("features", self.X, labels.size), labels=labels)
        if self.covariance is not None:
            p = self.X.shape[1]
            settle(self, covariance=table("covariance", self.covariance, p, p))


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


def settle(frozen: object, **values: object) -> None:
    """Give fields of a frozen dataclass the values they were checked to have."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def outcomes(values: Any, name: str = "outcomes") -> Bools:
    """Outcomes as booleans, from booleans or from zeros and ones.

    >>> outcomes([0, 1, 1])
    array([False,  True,  True])
    """
    array = checks.vector(name, values)
    if array.dtype.kind == "b" and array.size:
        return array
    if not array.size or not checks.is_zero_one(array):
        found = ((row, value) for row, value in enumerate(array.tolist(), 1) if value not in (0, 1))
        what = next((f"{value!r} at row {row}" for row, value in found), "none")
        raise DataError(
            f"{name} must be True and False, or 1 and 0; got {what}. Compare with the positive "
            "class first."
        )
    return np.asarray(array, dtype=np.bool_)


def probabilities(name: str, values: Any, cases: int) -> Floats:
    """Probabilities as floats, one for each case."""
    array = checks.numbers(name, checks.vector(name, values))
    if array.size != cases:
        raise DataError(f"{name} must hold a value for each of {cases} cases; got {array.size}.")
    if not (array.min() >= 0.0 and array.max() <= 1.0):
        row = int(np.argmin((array >= 0.0) & (array <= 1.0)))
        raise DataError(
            f"{name} must lie in [0, 1]; got {array[row]:g} at row {row + 1}. Leave out "
            "missing predictions, and turn scores into probabilities."
        )
    return array


def table(name: str, values: Any, rows: int, columns: int | None = None) -> Floats:
    """A table of finite numbers as floats, with so many rows and columns."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{name} must be a table of numbers; got text, or rows of unequal length."
        ) from None
    if array.ndim != 2 or not array.size or array.shape != (rows, columns or array.shape[1]):
        raise DataError(
            f"{name} must be a table of {rows} rows and {columns or 'some'} columns; got shape "
            f"{array.shape}."
        )
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise DataError(
            f"{name} must be finite; got {array[row, column]:g} at row {row + 1}, column "
            f"{column + 1}. Leave such rows out or fill them."
        )
    return array


def number(
    name: str, value: Any, low: float = -inf, high: float = inf, *, inside: bool = False
) -> None:
    """Refuse what is not a finite number from `low` to `high`; `inside` leaves the ends out.

    >>> number("effect", 2.0, 0.0, 1.0)
    Traceback (most recent call last):
    ...
    abovechance.errors.AboveChanceError: effect must lie in [0, 1]; got 2.0.
    """
    if isinstance(value, Real) and isfinite(value):
        found = float(value)
        if low < found < high if inside else low <= found <= high:
            return
    if low == -inf:
        must = "be a finite number"
    elif high == inf:
        must = f"be a finite number {'above' if inside else 'not below'} {low:g}"
    else:
        must = f"lie between {low:g} and {high:g}" if inside else f"lie in [{low:g}, {high:g}]"
    raise AboveChanceError(f"{name} must {must}; {_got(value)}")


def whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number from `least` on, or to `most`."""
    fits = not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least
    if fits and (most is None or value <= most):
        return
    end = "on" if most is None else f"to {most}"
    raise AboveChanceError(f"{name} must be a whole number from {least} {end}; {_got(value)}")


def flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise AboveChanceError(f"{name} must be True or False; {_got(value)}")


def one_of(name: str, value: Any, known: Sequence[str], besides: str = "") -> None:
    """Refuse a word that is not known, with the nearest that is.

    >>> one_of("noise", "AR1", ("identity", "ar1"))
    Traceback (most recent call last):
    ...
    abovechance.errors.AboveChanceError: unknown noise 'AR1'; did you mean 'ar1'?
    """
    if isinstance(value, str) and value in known:
        return
    close = did_you_mean(str(value).lower(), known)
    choice = f"; choose from {', '.join(known)}{besides}."
    raise AboveChanceError(f"unknown {name} {value!r}{close or choice}")


def _got(value: object) -> str:
    return f"got {value if isinstance(value, Real) else repr(value)}."
