"""Tests, each by its name: `significance.fisher(predictions)`, `significance.mcnemar(b, c)`."""

from abovechance.gate import offered
from abovechance.inference.area_differences import delong
from abovechance.inference.areas import mann_whitney, studentised_permutation
from abovechance.inference.exchange import exchange, sign_flip
from abovechance.inference.gains import skill
from abovechance.inference.miscalibration import (
    calibration,
    hosmer_lemeshow,
    likelihood_ratio,
    spiegelhalter,
)
from abovechance.inference.permutation import fisher, null_distribution, permutation
from abovechance.inference.proportions import binomial, binomial_critical, fisher_counts, mcnemar
from abovechance.inference.shares import against_majority, against_rate
from abovechance.inference.time_order import diebold_mariano, ibragimov_mueller, ordered
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
