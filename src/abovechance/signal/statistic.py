"""What a statistic of two groups is: a formula with its facts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.signal.checks import two_groups

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
    """

    name: str
    title: str
    source: str
    naive: Callable[[Floats, Ints], float]
    batch: Callable[[Floats, Ints], Floats]
    aliases: tuple[str, ...] = ()
    full_rank: bool = False
    least_group: int = 2

    def __call__(self, X: Array, y: Array) -> float:
        """The statistic of features `X` (n, p) and the two-valued labels `y`."""
        features, labels = two_groups(X, y)
        self.require(features, labels)
        return float(self.naive(features, labels))

    def require(self, X: Floats, labels: Ints) -> None:
        """Refuse data on which the statistic is not defined, naming one that is."""
        n, p = X.shape
        if set(np.unique(labels)) != {0, 1}:
            raise NotApplicable(
                f"{self.name} compares two groups; the labels hold {len(np.unique(labels))} "
                "classes. With more, use an accuracy such as lda.cv8."
            )
        smaller = min(int(labels.sum()), n - int(labels.sum()))
        if smaller < self.least_group:
            raise NotApplicable(
                f"{self.name} needs at least {self.least_group} rows in each group; "
                f"got {smaller}. Use goeman or energy, or more rows."
            )
        if self.full_rank and n - 2 < p:
            raise NotApplicable(
                f"{self.name} needs n - 2 >= p; got n = {n} rows and p = {p} features. "
                "Use hotelling_shrink or srivastava_du."
            )
        if self.full_rank:
            standard = (X - X.mean(axis=0)) / X.std(axis=0)
            rank = int(np.linalg.matrix_rank(standard, tol=COLLINEAR * np.sqrt(n)))
            if rank < p:
                raise NotApplicable(
                    f"{self.name} needs features that do not follow from each other; got {p} "
                    f"of rank {rank}. Drop {p - rank}, or use hotelling_shrink or srivastava_du."
                )
