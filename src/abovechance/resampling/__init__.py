"""Chance, drawn: permutations, sign flips, bootstraps, and what they say of an observed value."""

from abovechance.numerics.exact import ExactTail, countable, exact_rank_sum
from abovechance.resampling.bootstrap_draws import (
    BayesianBootstrap,
    Bootstrap,
    Sorted,
    binary_bootstrap,
    sweep,
)
from abovechance.resampling.dask_executor import Dask
from abovechance.resampling.draws import (
    LabelPermutations,
    Permutations,
    Scheme,
    SignFlips,
    WholeBlocks,
    WithinBlocks,
    flip_sums,
    label_sums,
)
from abovechance.resampling.executors import Executor, Processes, Serial, Workers
from abovechance.resampling.replicates import (
    DEFAULT,
    Null,
    child_seed,
    in_order,
    null_distribution,
    replicate,
    replicate_blocks,
    stream,
)
from abovechance.resampling.stopping import BesagClifford, Sequential, Stopped, boundaries
from abovechance.resampling.store import Store, digest
from abovechance.resampling.tails import Tail, exceedances, p_values, tail
from abovechance.settings import Alternative, Settings, seed_of, whole_draws

__all__ = [
    "DEFAULT",
    "Alternative",
    "BayesianBootstrap",
    "BesagClifford",
    "Bootstrap",
    "Dask",
    "ExactTail",
    "Executor",
    "LabelPermutations",
    "Null",
    "Permutations",
    "Processes",
    "Scheme",
    "Sequential",
    "Serial",
    "Settings",
    "SignFlips",
    "Sorted",
    "Stopped",
    "Store",
    "Tail",
    "WholeBlocks",
    "WithinBlocks",
    "Workers",
    "binary_bootstrap",
    "boundaries",
    "child_seed",
    "countable",
    "digest",
    "exact_rank_sum",
    "exceedances",
    "flip_sums",
    "in_order",
    "label_sums",
    "null_distribution",
    "p_values",
    "replicate",
    "replicate_blocks",
    "seed_of",
    "stream",
    "sweep",
    "tail",
    "whole_draws",
]
