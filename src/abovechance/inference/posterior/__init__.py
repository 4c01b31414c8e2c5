"""Posteriors of accuracy, balanced accuracy and any confusion measure, with their priors."""

from abovechance.gate import offered
from abovechance.inference.posterior.distribution import Posterior
from abovechance.inference.posterior.from_counts import (
    accuracy,
    agreement,
    balanced_accuracy,
    difference,
    of,
    paired_difference,
    prob_above_chance,
)
from abovechance.inference.posterior.population import Hierarchical, hierarchical

__all__ = [
    "Hierarchical",
    "Posterior",
    "accuracy",
    "agreement",
    "balanced_accuracy",
    "difference",
    "hierarchical",
    "of",
    "paired_difference",
    "prob_above_chance",
]

globals().update(offered(globals(), __all__))
