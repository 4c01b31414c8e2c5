"""The figures of Brodersen et al. (2010) on balanced accuracy and its posterior, as numbers.

The paper shows two classifiers: C1 tested on 70 positive and 70 negative cases, C2 on 45 positive
and 10 negative ones. Its text gives these margins (and, for C2, 48 positive predictions) but not
the tables; those here agree with all that it says of them:

- C1: two standard errors around the average accuracy reach above 100 %;
- C2: accuracy seems well above chance, balanced accuracy is not.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from abovechance.inference import Interval, Result, posterior
from abovechance.io import to_csv_text

NAME = "brodersen-figures"
TITLE = "Average accuracy, posterior accuracy and balanced accuracy of two classifiers"
SOURCE = "Brodersen, Ong, Stephan & Buhmann (2010), The balanced accuracy and its posterior"
# Rows actual, columns predicted; the positive class second.
TABLES = {"C1": ((68, 2), (1, 69)), "C2": ((2, 8), (5, 40))}
DEPARTURES = (
    "the paper prints margins, not tables; these tables have its margins and bear out what it says",
)


@dataclass(frozen=True, kw_only=True)
class Quantity(Result):
    """One posterior in numbers; `above_chance` is the probability of more than one half."""

    name: str
    mean: float
    median: float
    mode: float
    interval: Interval
    above_chance: float


@dataclass(frozen=True, kw_only=True)
class Classifier(Result):
    """What the paper compares for one table: an average with two standard errors, and posteriors.

    `balanced_average` is the mean of both classes' shares of right predictions.
    """

    name: str
    table: tuple[tuple[int, ...], ...]
    average: float
    two_errors: tuple[float, float]
    balanced_average: float
    posteriors: tuple[Quantity, ...]

    @cached_property
    def accuracy(self) -> posterior.Posterior:
        """The posterior of the accuracy."""
        return posterior.accuracy(self.table)

    @cached_property
    def balanced(self) -> posterior.Posterior:
        """The posterior of the balanced accuracy."""
        return posterior.balanced_accuracy(self.table)


@dataclass(frozen=True, kw_only=True)
class Figures(Result):
    """The numbers behind the paper's figures."""

    title: str
    classifiers: tuple[Classifier, ...]
    remarks: tuple[str, ...] = DEPARTURES
    name: ClassVar[str] = NAME

    def __getitem__(self, name: str) -> Classifier:
        return next(one for one in self.classifiers if one.name == name)

    def rows(self) -> list[dict[str, object]]:
        """One row for each quantity of each classifier."""
        rows: list[dict[str, object]] = []
        for one in self.classifiers:
            low, high = one.two_errors
            rows.append(
                {
                    "classifier": one.name,
                    "quantity": "average ± 2 standard errors",
                    "value": one.average,
                    "low": low,
                    "high": high,
                    "above_chance": None,
                }
            )
            rows += [
                {
                    "classifier": one.name,
                    "quantity": f"posterior {q.name}",
                    "value": q.mean,
                    "low": q.interval.low,
                    "high": q.interval.high,
                    "above_chance": q.above_chance,
                }
                for q in one.posteriors
            ]
        return rows

    def to_csv(self) -> str:
        """One quantity per row."""
        return to_csv_text(self.rows())


def figures() -> Figures:
    """Average accuracy with two standard errors, and both posteriors, for both tables.

    >>> round(figures()["C2"].posteriors[1].above_chance, 3)
    0.826
    """
    return Figures(
        title=f"{NAME}: {TITLE}. {SOURCE}",
        classifiers=tuple(_classifier(name, table) for name, table in TABLES.items()),
    )


def _classifier(name: str, table: tuple[tuple[int, ...], ...]) -> Classifier:
    counts = np.array(table)
    average, n = float(np.trace(counts) / counts.sum()), int(counts.sum())
    error = float(np.sqrt(average * (1 - average) / n))
    return Classifier(
        name=name,
        table=table,
        average=average,
        two_errors=(average - 2 * error, average + 2 * error),
        balanced_average=float(np.mean(np.diag(counts) / counts.sum(axis=1))),
        posteriors=(
            _quantity("accuracy", posterior.accuracy(table)),
            _quantity("balanced accuracy", posterior.balanced_accuracy(table)),
        ),
    )


def _quantity(name: str, distribution: posterior.Posterior) -> Quantity:
    limits = distribution.interval()
    return Quantity(
        name=name,
        mean=float(distribution.mean),
        median=float(distribution.median),
        mode=float(distribution.mode),
        interval=Interval(limits.low, limits.high, limits.level, limits.method),
        above_chance=float(distribution.prob_above(0.5)),
    )
