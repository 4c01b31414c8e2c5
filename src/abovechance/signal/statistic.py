"""What a statistic of two groups is: a formula with its facts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.signal.inputs import two_groups
from abovechance.signal.several_groups import Extension

GENERAL = "hotelling, goeman, mmd or energy"  # what extends beyond two groups
COLLINEAR = 1e-7  # spread, in standard deviations, of a direction in which nothing varies


@dataclass(frozen=True)
class Statistic:
    """A number that is large when two groups of rows differ.

    Attributes
    ----------
    naive
        The formula, on features (n, p) and labels 0 and 1 (n,).
    batch
        The same on many labellings (B, n) of one table at once, all with the same group sizes.
    full_rank
        Whether the covariance within groups must be invertible, so n - 2 >= p.
    least_group
        The fewest rows the smaller group may have.
    of_distances
        Whether it rests on distances between rows, and so on the units of the features.
    several, numeric
        What it becomes for more than two classes and for an outcome of numbers, if anything.
    undefined
        Why it is not defined on features and labels for a reason of its own; None if it is.
    """

    name: str
    title: str
    source: str
    naive: Callable[[Floats, Ints], float]
    batch: Callable[[Floats, Ints], Floats]
    aliases: tuple[str, ...] = ()
    full_rank: bool = False
    least_group: int = 2
    of_distances: bool = False
    several: Extension | None = None
    numeric: Extension | None = None
    undefined: Callable[[Floats, Ints], str | None] | None = None

    @property
    def undefined_when(self) -> str:
        """Why it has no value, where it has none."""
        return "the features are too large or too small for it; bring them to another unit"

    def __call__(self, X: Array, y: Array) -> float:
        """The statistic of features `X` (n, p) and the two-valued labels `y`."""
        features, labels = two_groups(X, y)
        self.require(features, labels)
        return float(self.naive(features, labels))

    def require(self, X: Floats, labels: Ints) -> None:
        """Refuse data on which the statistic is not defined, naming one that is."""
        classes = len(np.unique(labels))
        if classes < 2:
            raise NotApplicable(f"{self.name} needs two classes or more; all labels are equal.")
        if classes > 2 and self.several is None:
            raise NotApplicable(
                f"{self.name} compares two groups; the labels hold {classes} classes. "
                f"With more, use {GENERAL}, or an accuracy such as lda.cv8."
            )
        smallest = int(np.bincount(labels).min())
        if smallest < self.least_group:
            raise NotApplicable(
                f"{self.name} needs at least {self.least_group} rows in each group; "
                f"got {smallest}. Use goeman or energy, or more rows."
            )
        self._require_rank(X, classes)
        reason = None if self.undefined is None else self.undefined(X, labels)
        if reason is not None:
            raise NotApplicable(f"{self.name} {reason}")

    def require_numeric(self, X: Floats) -> None:
        """Refuse an outcome of numbers where the statistic has no meaning for it."""
        if self.numeric is None:
            raise NotApplicable(
                f"{self.name} compares two groups; the outcome holds numbers. Use {GENERAL}."
            )
        self._require_rank(X, 2)

    def _require_rank(self, X: Floats, lost: int) -> None:
        n, p = X.shape
        other = "hotelling_shrink or srivastava_du" if lost == 2 else "goeman, mmd or energy"
        if self.full_rank and n - lost < p:
            raise NotApplicable(
                f"{self.name} needs n - {lost} >= p; got n = {n} rows and p = {p} features. "
                f"Use {other}."
            )
        if self.full_rank:
            standard = (X - X.mean(axis=0)) / X.std(axis=0)
            rank = int(np.linalg.matrix_rank(standard, tol=COLLINEAR * np.sqrt(n)))
            if rank < p:
                raise NotApplicable(
                    f"{self.name} needs features that do not follow from each other; got {p} "
                    f"of rank {rank}. Drop {p - rank}, or use {other}."
                )
