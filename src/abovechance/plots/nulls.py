"""What a measure would be if predictions had nothing to do with outcomes, for a picture."""

from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.assessment import PRIMARY
from abovechance.inference.significance.association import refuse
from abovechance.inference.significance.null import permuted, permuted_labels, scheme_for
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Predictions

DRAWS = 999
CELLS = 30_000_000  # draws times cases that a picture may take


def null_values(
    predictions: Predictions,
    measure: str | Measure | None = None,
    *,
    seed: int = 1,
    draws: int | None = None,
) -> tuple[Measure, Floats]:
    """A measure and its values under permuted outcomes: all arrangements when they are few.

    So many as `draws`, for a p-value that came of as many; 999, or fewer than stated where cases
    are many, for looking at.

    Examples
    --------
    >>> from abovechance import examples
    >>> measure, values = null_values(examples.breast_cancer("p_texture"), "auc")
    >>> measure.name, values.size, round(float(values.mean()), 2)
    ('auc', 999, 0.5)
    """
    refuse(predictions)
    chosen = _chosen(predictions, measure)
    if predictions.n * DRAWS > CELLS:
        raise NotApplicable(f"{predictions.n} cases are too many to permute for a picture.")
    scheme, _ = scheme_for(predictions)
    most = DRAWS if draws is None else min(draws, max(DRAWS, CELLS // predictions.n))
    few = scheme.arrangements <= most
    drawn = scheme.enumerate() if few else scheme.draw(np.random.default_rng(seed), most)
    if isinstance(predictions, Binary):
        found = permuted_labels([chosen], predictions, drawn)
    else:
        found = permuted([chosen], predictions, drawn)
    return chosen, next(iter(found.values()))


def _chosen(predictions: Predictions, measure: str | Measure | None) -> Measure:
    if measure is not None:
        named: Any = find(measure) if isinstance(measure, str) else measure
        return named.for_outcome(predictions.kind)
    known = [find(name).for_outcome(predictions.kind) for name in PRIMARY[predictions.kind]]
    found = [m for m in known if m.applies(predictions)]
    if not found:
        raise NotApplicable("no measure of these predictions can be permuted.")
    return found[0]
