"""Many permutation nulls in one pass: sums of scores over random subsets of cases.

With fixed predictions and class sizes, accuracy, AUC, Brier score, log score and everything
monotone in them depend on the labels only through a sum over the positives of one number per case:
the predicted label, the midrank, p, logit p. One random subset serves all of them.
"""

import numpy as np

from abovechance.arrays import Floats
from abovechance.resampling.draws import LabelPermutations, SignFlips
from abovechance.resampling.masks import flip_masks, masked_sums, plan, subset_masks, width
from abovechance.resampling.words import Words, kernel, keys

STEPS = 2**14
"""Case-draws the numpy path does in the time of one elementary step of `worthwhile`."""

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
    total = np.zeros((size, len(units)))
    for column, (members, positives) in enumerate(scheme.parts):
        part = units if members.size == units.shape[1] else units[:, members]
        total += _subset_sums(part, positives, np.ascontiguousarray(key[:, column]))
    return total + fixed


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
        kept = masked_sums(units, flip_masks(key, scheme.units))
    else:
        out = np.empty((len(units), size))
        compiled.half_sums(np.ascontiguousarray(units), key, out)
        kept = out.T
    return 2 * kept - units.sum(axis=1)


def _subset_sums(scores: Floats, positives: int, key: Words) -> Floats:
    n, draws = scores.shape[1], len(key)
    compiled = kernel("permutation", draws * n // STEPS)
    if compiled is None:
        return masked_sums(scores, subset_masks(key, n, positives))
    masks = np.empty((width(n), draws + PAD), dtype=np.uint64)
    compiled.subset_masks(key, n, *plan(n, positives), masks)
    out = np.empty((len(scores), draws))
    compiled.masked_sums(np.ascontiguousarray(scores), masks, out)
    return out.T
