"""Mergeable summaries of predicted numbers: means, squares and products, and sums of losses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures.loss_sums import LossSums
from abovechance.measures.measure import Measure, Statistic
from abovechance.measures.sample import Sample, evaluate
from abovechance.measures.summary import NEEDS_CASES
from abovechance.predictions import Numeric, View
from abovechance.predictions.base import Cases


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberSummary:
    """What is kept of predicted numbers; `+` joins the summaries of two parts.

    `means` and `scatter` are of outcome and error (outcome minus prediction): the sums of squares
    and products are of deviations from the means. Parts are joined by their difference in means,
    so that numbers far from zero lose no digits.

    References
    ----------
    Chan, Golub & LeVeque (1983), eq. 2.1.

    Examples
    --------
    >>> first = NumberSummary.of([], np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    >>> both = first + NumberSummary.of([], np.array([4.0]), np.array([3.0]))
    >>> both.n, both.means.tolist(), both.largest
    (3, [2.333, 0.167], 1.0)
    """

    n: int
    means: Floats
    scatter: Floats
    largest: float
    losses: LossSums

    @classmethod
    def of(cls, measures: Sequence[Measure], outcome: Floats, value: Floats) -> "NumberSummary":
        """The summary of some cases."""
        columns = np.stack([outcome, outcome - value])
        moved = columns - columns[:, :1]  # equal numbers then deviate by exactly nothing
        offset = moved.mean(axis=1, keepdims=True)
        apart = moved - offset
        return cls(
            n=outcome.size,
            means=(columns[:, :1] + offset)[:, 0],
            scatter=apart @ apart.T,
            largest=float(np.abs(columns[1]).max()),
            losses=LossSums.of(measures, outcome, value),
        )

    @classmethod
    def gather(
        cls, measures: Sequence[Measure], pieces: Iterable[tuple[Floats, Floats]]
    ) -> "NumberSummary | None":
        """The summary of a stream of outcomes and predictions; None if there are none."""
        found = None
        for outcome, value in pieces:
            more = cls.of(measures, outcome, value)
            found = more if found is None else found + more
        return found

    def __add__(self, other: "NumberSummary") -> "NumberSummary":
        n, apart = self.n + other.n, other.means - self.means
        return NumberSummary(
            n=n,
            means=self.means + apart * (other.n / n),
            scatter=self.scatter + other.scatter + np.outer(apart, apart) * (self.n * other.n / n),
            largest=max(self.largest, other.largest),
            losses=self.losses + other.losses,
        )

    @property
    def four_points(self) -> tuple[Floats, Floats, Floats]:
        """Outcomes, predictions and weights of four cases with the same n, means and scatter."""
        (a, c), (_, b) = self.scatter / self.n
        along = np.sqrt([a, 0.0]) if a > 0 else np.zeros(2)
        along[1] = c / along[0] if a > 0 else 0.0
        across = np.array([0.0, np.sqrt(max(b - along[1] ** 2, 0.0))])
        steps = np.sqrt(2.0) * np.stack([along, -along, across, -across], axis=1)
        outcome, error = self.means[:, None] + steps
        return outcome, outcome - error, np.full(4, self.n / 4.0)


class SummarisedNumbers(Numeric):
    """Predicted numbers of which only a summary is left."""

    summary: NumberSummary

    def __init__(self, summary: NumberSummary, *, name: str = "output 1") -> None:
        self._settle(
            summary=summary,
            outputs=(name,),
            cases=Cases(),
            origin="test",
            origin_stated=False,
            kept=None,
            notes=(),
            described="",
        )

    @property
    def n(self) -> int:
        return self.summary.n

    @cached_property
    def views(self) -> frozenset[View]:
        return frozenset({View.VALUE})

    @cached_property
    def centre_and_spread(self) -> tuple[Floats, Floats]:
        (y, error), scatter = self.summary.means, self.summary.scatter / self.n
        given = scatter[0, 0] - 2.0 * scatter[0, 1] + scatter[1, 1]
        spread = np.sqrt(np.maximum([[scatter[0, 0]], [given]], 0.0))
        return np.array([[y], [y - error]]), spread

    @property
    def representative(self) -> Sample:
        """Four weighted cases with the means, variances and covariance of all."""
        outcome, value, weight = self.summary.four_points
        columns = {"outcome": outcome[None], "value": value[None], "weight": weight}
        return Sample(kind="numeric", columns=columns)

    @property
    def outcome(self) -> NoReturn:
        raise NotApplicable(f"this {NEEDS_CASES}.")

    value = outcome


def from_numbers(measure: Measure, predictions: SummarisedNumbers) -> float:
    """The value of a measure; refused with the reason where it needs the cases.

    Examples
    --------
    >>> from abovechance.measures import find
    >>> summary = NumberSummary.of([], np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0]))
    >>> from_numbers(find("r2"), SummarisedNumbers(summary))
    0.732
    """
    summary = predictions.summary
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure.label in summary.losses.sums:
            found = np.asarray(summary.losses.mean(measure.label))
        elif measure.sufficient is Statistic.MOMENTS:
            return float(evaluate(measure, predictions.representative))
        elif measure.sufficient is Statistic.LARGEST:
            found = np.asarray(summary.largest)
        else:
            raise NotApplicable(f"{measure.title} {NEEDS_CASES}.")
        return float(found if measure.after is None else measure.after(found))
