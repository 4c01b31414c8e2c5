"""Intervals, each by its name: `intervals.wilson(x, n)`, `intervals.delong(predictions)`."""

from abovechance.inference.boundary import offered
from abovechance.inference.intervals.areas import delong, newcombe_auc
from abovechance.inference.intervals.bootstrap import bootstrap
from abovechance.inference.intervals.calibration import (
    linear_calibration,
    observed_expected,
    recalibration,
)
from abovechance.inference.intervals.classic import (
    logit,
    mid_p,
    modified_jeffreys,
    wald,
    wilson_corrected,
)
from abovechance.inference.intervals.clusters import cluster_mean, cluster_ratio
from abovechance.inference.intervals.concordance import jackknife
from abovechance.inference.intervals.correlations import fisher_z
from abovechance.inference.intervals.folds import nadeau_bengio
from abovechance.inference.intervals.ordered import ordered_mean
from abovechance.inference.intervals.proportions import (
    agresti_coull,
    clopper_pearson,
    effective_wilson,
    hanley_mcneil,
    jeffreys,
    mover,
    newcombe,
    tango,
    wilson,
)

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
