"""What a measure is when predictions have nothing to do with outcomes, value by value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.results import Result
from abovechance.inference.significance.association import refuse
from abovechance.inference.significance.null import permuted, permuted_labels, scheme_for
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import seed_of

DRAWS = 999
CELLS = 30_000_000  # draws times cases that are held at once


@dataclass(frozen=True, kw_only=True, eq=False)
class NullDistribution(Result, kind="null_distribution"):
    """A measure as observed, and its values under permuted outcomes.

    `exhaustive` says whether these are all arrangements of the outcomes rather than draws.
    """

    measure: str
    title: str
    value: float
    values: Floats
    exhaustive: bool
    seed: int

    @property
    def mean(self) -> float:
        """The mean under permuted outcomes."""
        return float(self.values.mean())

    def rows(self) -> list[dict[str, Any]]:
        """One row per permutation."""
        return [{"measure": self.measure, "value": float(v)} for v in self.values]

    def __str__(self) -> str:
        how = "all arrangements" if self.exhaustive else "permutations"
        spread = f"mean {self.mean:.3f}, {self.values.min():.3f} to {self.values.max():.3f}"
        return f"{self.title} {self.value:.3f}; under {self.values.size} {how}: {spread}"


def null_distribution(
    predictions: Predictions,
    measure: str | Measure | None = None,
    *,
    draws: int = DRAWS,
    rng: Any = None,
) -> NullDistribution:
    """The values of a measure under permuted outcomes: all arrangements when they are few.

    These are for looking at. The p-value of a result comes from its own draws, or from a closed
    form.

    Parameters
    ----------
    predictions
        What was predicted.
    measure
        A measure or its name; the primary one of such predictions when not given.
    draws
        How many permutations, when not all arrangements.
    rng
        A seed or a generator.

    Returns
    -------
    NullDistribution
        The value as observed and the values under permuted outcomes.

    Raises
    ------
    NotApplicable
        Where outcomes cannot be permuted (pooled folds, ordered cases), where no measure applies,
        or where there are too many cases to hold.

    See Also
    --------
    permutation : the test.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = null_distribution(examples.breast_cancer("p_texture"), "auc", rng=1)
    >>> found.measure, found.values.size, round(found.mean, 2)
    ('auc', 999, 0.5)
    """
    refuse(predictions)
    chosen = _chosen(predictions, measure)
    if predictions.n * draws > CELLS:
        raise NotApplicable(f"{predictions.n} cases are too many to permute {draws} times here.")
    scheme, _ = scheme_for(predictions)
    seed = seed_of(rng)
    few = scheme.arrangements <= draws
    orders = scheme.enumerate() if few else scheme.draw(np.random.default_rng(seed), draws)
    if isinstance(predictions, Binary):
        (values,) = permuted_labels([chosen], predictions, orders).values()
    else:
        (values,) = permuted([chosen], predictions, orders).values()
    return NullDistribution(
        measure=chosen.label,
        title=chosen.heading,
        value=chosen.of(predictions),
        values=values,
        exhaustive=few,
        seed=seed,
    )


def _chosen(predictions: Predictions, measure: str | Measure | None) -> Measure:
    from abovechance.inference.assessment import PRIMARY

    if measure is not None:
        named = find(measure) if isinstance(measure, str) else measure
        return named.for_outcome(predictions.kind)
    known = [find(name).for_outcome(predictions.kind) for name in PRIMARY[predictions.kind]]
    for one in known:
        if one.applies(predictions):
            return one
    raise NotApplicable("no measure of these predictions can be permuted.")
