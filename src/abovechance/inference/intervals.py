"""Intervals, each by its name: `intervals.wilson(x, n)`, `intervals.delong(predictions)`."""

from abovechance.gate import offered
from abovechance.inference.areas import delong, newcombe_auc
from abovechance.inference.bootstrap import bootstrap
from abovechance.inference.concordance import fisher_z, jackknife
from abovechance.inference.folds import nadeau_bengio
from abovechance.inference.means import cluster_mean, cluster_ratio
from abovechance.inference.miscalibration import (
    linear_calibration,
    observed_expected,
    recalibration,
)
from abovechance.inference.proportions import (
    agresti_coull,
    clopper_pearson,
    effective_wilson,
    hanley_mcneil,
    jeffreys,
    logit,
    mid_p,
    modified_jeffreys,
    mover,
    newcombe,
    tango,
    wald,
    wilson,
    wilson_corrected,
)
from abovechance.inference.time_order import ordered_mean

__all__ = [
    "agresti_coull",
    "bootstrap",
    "clopper_pearson",
    "cluster_mean",
    "cluster_ratio",
    "delong",
    "effective_wilson",
    "fisher_z",
    "hanley_mcneil",
    "jackknife",
    "jeffreys",
    "linear_calibration",
    "logit",
    "mid_p",
    "modified_jeffreys",
    "mover",
    "nadeau_bengio",
    "newcombe",
    "newcombe_auc",
    "observed_expected",
    "ordered_mean",
    "recalibration",
    "tango",
    "wald",
    "wilson",
    "wilson_corrected",
]

globals().update(offered(globals(), __all__))
