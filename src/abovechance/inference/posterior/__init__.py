"""Posteriors of accuracy, balanced accuracy and any confusion measure, with their priors."""

from abovechance.inference.boundary import offered
from abovechance.inference.posterior.dirichlet import of
from abovechance.inference.posterior.hierarchical import Hierarchical, hierarchical
from abovechance.inference.posterior.paired import agreement, paired_difference
from abovechance.inference.posterior.result import Posterior
from abovechance.inference.posterior.shares import (
    accuracy,
    balanced_accuracy,
    difference,
    prob_above_chance,
)

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
