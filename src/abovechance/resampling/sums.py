"""Many permutation nulls in one pass: sums of scores over random subsets of cases.

With fixed predictions and class sizes, accuracy, AUC, Brier score, log score and everything
monotone in them depend on the labels only through a sum over the positives of one number per case:
the predicted label, the midrank, p, logit p. One random subset serves all of them.
"""

import numpy as np

from abovechance.arrays import Floats
from abovechance.resampling.draws import LabelPermutations, SignFlips
from abovechance.resampling.masks import flip_masks, masked_sums, plan, subset_masks, width
from abovechance.resampling.words import STEPS, Words, kernel, keys

CELLS = 2**21
"""Words of masks held in memory at once."""

PAD = 8
"""Unused draws at the end of a row of masks: rows a power of two apart share cache lines."""


def label_sums(
    scores: Floats, scheme: LabelPermutations, rng: np.random.Generator, size: int
) -> Floats:
    """Sum of each score (scores, n) over the positives of `size` permutations: (size, scores).

    The subsets are those of `scheme.draw` for the same generator.

    >>> scheme = LabelPermutations([1, 0, 1, 0, 0])
    >>> label_sums(np.ones((1, 5)), scheme, np.random.default_rng(1), 3).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    units, fixed = scheme.unit_scores(np.atleast_2d(np.asarray(scores, dtype=np.float64)))
    key = keys(rng, size, len(scheme.parts))
    total = np.tile(fixed[:, None], size)
    for column, (members, positives) in enumerate(scheme.parts):
        part = units if members.size == units.shape[1] else units[:, members]
        total += _subset_sums(part, positives, np.ascontiguousarray(key[:, column]))
    return np.ascontiguousarray(total.T)


def flip_sums(
    differences: Floats, scheme: SignFlips, rng: np.random.Generator, size: int
) -> Floats:
    """Sum of each row of differences (rows, n) under `size` random sign flips: (size, rows).

    The signs are those of `scheme.draw` for the same generator; a flipped sum is twice the sum
    over the cases that keep their sign, less the whole.

    >>> flip_sums(np.ones((1, 3)), SignFlips(3), np.random.default_rng(1), 2).ravel() % 2
    array([1., 1.])
    """
    units = scheme.unit_differences(np.atleast_2d(np.asarray(differences, dtype=np.float64)))
    key = keys(rng, size)
    compiled = kernel("flips", size * scheme.units // STEPS)
    if compiled is None:
        rows = max(1, CELLS // width(scheme.units))
        parts = [key[start : start + rows] for start in range(0, size, rows)]
        sums = [masked_sums(units, flip_masks(part, scheme.units)) for part in parts]
        kept = np.concatenate(sums, axis=1)
    else:
        kept = np.empty((len(units), size))
        compiled.half_sums(np.ascontiguousarray(units), key, kept)
    return np.ascontiguousarray((2 * kept - units.sum(axis=1)[:, None]).T)


def _subset_sums(scores: Floats, positives: int, key: Words) -> Floats:
    """Sums over random subsets: (scores, draws)."""
    n, rows = scores.shape[1], max(1, CELLS // width(scores.shape[1]))
    if len(key) > rows:
        parts = [key[start : start + rows] for start in range(0, len(key), rows)]
        return np.concatenate([_subset_sums(scores, positives, part) for part in parts], axis=1)
    compiled = kernel("permutation", len(key) * n // STEPS)
    if compiled is None:
        return masked_sums(scores, subset_masks(key, n, positives))
    masks = np.empty((width(n), len(key) + PAD), dtype=np.uint64)
    compiled.subset_masks(key, n, *plan(n, positives), masks)
    out = np.empty((len(scores), len(key)))
    compiled.masked_sums(np.ascontiguousarray(scores), masks, out)
    return out
