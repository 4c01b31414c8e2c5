"""Sums of losses, mergeable, for every measure that is a mean of one loss a case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.measures.measure import Form, Measure


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums of losses and of their squares by measure and group of cases; `+` joins two parts.

    `cases` counts the cases of each group; every entry of `sums` and `squares` has one sum a group.
    """

    cases: Floats
    sums: Mapping[str, Floats] = field(default_factory=dict)
    squares: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        outcome: Floats,
        prediction: Floats,
        group: Array | None = None,
        groups: int = 1,
    ) -> "LossSums":
        """The sums over some cases, by their group if there are any.

        >>> from abovechance.measures import find
        >>> LossSums.of([find("mse")], np.array([1.0, 2.0]), np.array([2.0, 5.0])).mean("mse")
        5.0
        """
        n = outcome.shape[-1]
        code = np.zeros(n, dtype=np.int64) if group is None else group
        sums, squares = {}, {}
        with np.errstate(divide="ignore", invalid="ignore"):
            for m in measures:
                if m.form is Form.LOSSES:
                    losses = np.asarray(m.formula(outcome, prediction, **m.parameters))
                    sums[m.label] = _by_group(code, losses, groups)
                    squares[m.label] = _by_group(code, losses**2, groups)
        return cls(_by_group(code, np.ones(n), groups), sums, squares)

    def __add__(self, other: "LossSums") -> "LossSums":
        with np.errstate(invalid="ignore"):
            return LossSums(
                self.cases + other.cases,
                {name: sums + other.sums[name] for name, sums in self.sums.items()},
                {name: squares + other.squares[name] for name, squares in self.squares.items()},
            )

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.cases.sum())

    def mean(self, label: str) -> float:
        """The mean loss of a measure."""
        return float(self.sums[label].sum() / self.n)

    def error(self, label: str, reference: Any = 0.0) -> float | None:
        """Standard error of the mean loss, or of its difference from one known loss a group."""
        n, known = self.n, np.asarray(reference)
        if n < 2 or not np.isfinite(self.sums[label]).all():
            return None
        mean = float((self.sums[label] - known * self.cases).sum() / n)
        squares = self.squares[label] - 2.0 * known * self.sums[label] + known**2 * self.cases
        return float(np.sqrt(max(float(squares.sum()) / n - mean**2, 0.0) / (n - 1)))


def _by_group(code: Array, losses: Floats, groups: int) -> Floats:
    if groups == 1:
        return np.array([losses.sum()])
    return np.bincount(code, weights=losses, minlength=groups).astype(np.float64)
