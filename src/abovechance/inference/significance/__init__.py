"""Tests, each by its name: `significance.fisher(predictions)`, `significance.mcnemar(b, c)`."""

from abovechance.inference.boundary import offered
from abovechance.inference.significance.accuracy import against_majority, against_rate
from abovechance.inference.significance.association import fisher
from abovechance.inference.significance.calibration import (
    calibration,
    hosmer_lemeshow,
    likelihood_ratio,
    spiegelhalter,
)
from abovechance.inference.significance.counts import (
    binomial,
    binomial_critical,
    fisher_counts,
    mcnemar,
)
from abovechance.inference.significance.delong import delong
from abovechance.inference.significance.exchange import exchange
from abovechance.inference.significance.null_distribution import null_distribution
from abovechance.inference.significance.ordered import (
    diebold_mariano,
    ibragimov_mueller,
    ordered,
)
from abovechance.inference.significance.permutation import permutation
from abovechance.inference.significance.ranks import mann_whitney, studentised_permutation
from abovechance.inference.significance.sign_flip import sign_flip
from abovechance.inference.significance.skill import skill
from abovechance.resampling import boundaries

__all__ = [
    "against_majority",
    "against_rate",
    "binomial",
    "binomial_critical",
    "boundaries",
    "calibration",
    "delong",
    "diebold_mariano",
    "exchange",
    "fisher",
    "fisher_counts",
    "hosmer_lemeshow",
    "ibragimov_mueller",
    "likelihood_ratio",
    "mann_whitney",
    "mcnemar",
    "null_distribution",
    "ordered",
    "permutation",
    "sign_flip",
    "skill",
    "spiegelhalter",
    "studentised_permutation",
]

globals().update(offered(globals(), __all__))
