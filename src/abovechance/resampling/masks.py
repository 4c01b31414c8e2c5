"""Random subsets of cases as bit masks, and sums of scores over them by table look-up.

Case i is bit i % 64 of word i // 64. This is the numpy path; `numerics.kernels.permutation` and
`numerics.kernels.flips` do the same operations in the same order and give the same bits.
"""

from typing import NamedTuple

import numpy as np

from abovechance.arrays import Bools, Floats
from abovechance.resampling.words import HALF, LOW, STEPS, Words, kernel, words

ONE = np.uint64(1)
SIX = np.uint64(6)
AHEAD = 8  # words of a draw that are made at once
IN_WORD = np.uint64(63)


class Plan(NamedTuple):
    """How subsets of fixed size are drawn: start from Bernoulli(numerator / 2^bits), then mend."""

    size: int
    complement: bool
    numerator: int
    bits: int


def plan(n: int, positives: int) -> Plan:
    """The cheapest start for `positives` of `n`: the smaller side, a dyadic share near its own.

    A small subset starts empty. Any start is exact: given its size a Bernoulli subset is uniform,
    and adding or removing uniformly chosen cases keeps it so.

    >>> plan(1000, 500)
    Plan(size=500, complement=False, numerator=1, bits=1)
    >>> plan(1000, 990)
    Plan(size=10, complement=True, numerator=0, bits=0)
    """
    size = min(positives, n - positives)
    complement = positives > n - positives
    if 32 * size <= n:
        return Plan(size, complement, 0, 0)
    numerator, bits = 0, 0
    for bits in range(1, 7):
        numerator = (2 * size * 2**bits + n) // (2 * n)
        # within half of sqrt(n) cases of the wanted size, in exact arithmetic
        if 4 * (numerator * n - size * 2**bits) ** 2 <= n * 4**bits:
            break
    if numerator == 0:
        return Plan(size, complement, 0, 0)
    while numerator % 2 == 0:
        numerator, bits = numerator // 2, bits - 1
    return Plan(size, complement, numerator, bits)


def width(n: int) -> int:
    """How many 64-bit words hold n cases."""
    return (n + 63) // 64


def flip_masks(key: Words, n: int) -> Words:
    """Every case in or out with probability one half: (draws, words)."""
    masks = words(key, 0, width(n))
    masks[:, -1] &= _last(n)
    return masks


def subset_masks(key: Words, n: int, positives: int) -> Words:
    """Subsets of exactly `positives` of n cases, each equally likely: (draws, words)."""
    size, complement, numerator, bits = plan(n, positives)
    wide = width(n)
    masks = np.zeros((len(key), wide), dtype=np.uint64)
    for bit in range(bits):
        random = words(key, bit * wide, wide)
        masks = masks | random if numerator >> bit & 1 else masks & random
    masks[:, -1] &= _last(n)
    _mend(masks, key, bits * wide, n, size)
    if complement:
        masks = ~masks
        masks[:, -1] &= _last(n)
    return masks


def random_subsets(key: Words, n: int, positives: int) -> Words:
    """The same by the compiled kernel where it is loaded or worth loading."""
    compiled = kernel("permutation", len(key) * n // STEPS)
    if compiled is None:
        return subset_masks(key, n, positives)
    masks = np.empty((width(n), len(key)), dtype=np.uint64)
    compiled.subset_masks(np.ascontiguousarray(key), n, *plan(n, positives), masks)
    return masks.T


def _mend(masks: Words, key: Words, position: int, n: int, size: int) -> None:
    """Add or remove uniformly chosen cases until every subset has its size."""
    need = size - np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    grow = (need > 0).astype(np.uint64)
    need = np.abs(need)
    unfair = np.uint64(2**32 % n)
    rows = np.nonzero(need)[0]
    while rows.size:
        ahead = words(key[rows], position, AHEAD)
        for step in range(AHEAD):
            product = (ahead[:, step] >> HALF) * np.uint64(n)
            place = product >> HALF
            column, bit = place >> SIX, place & IN_WORD
            change = ((masks[rows, column] >> bit) & ONE) ^ grow[rows]
            change &= ((product & LOW) >= unfair).astype(np.uint64)
            masks[rows, column] ^= change << bit
            need[rows] -= change.astype(np.int64)
            left = need[rows] > 0
            rows, ahead = rows[left], ahead[left]
        position += AHEAD


def unpack(masks: Words, n: int) -> Bools:
    """Masks as one boolean per case: (draws, n)."""
    as_bytes = np.ascontiguousarray(masks.astype("<u8")).view(np.uint8)
    return np.unpackbits(as_bytes, axis=1, count=n, bitorder="little").astype(np.bool_)


def masked_sums(scores: Floats, masks: Words) -> Floats:
    """Sum of each score over each subset: (scores, draws).

    «Four Russians»: the 256 sums of eight cases are tabulated once and looked up for all draws.
    """
    total = np.zeros((len(scores), len(masks)))
    padded = np.zeros((len(scores), 64 * masks.shape[1]))
    padded[:, : scores.shape[1]] = scores
    as_bytes = np.ascontiguousarray(masks.astype("<u8")).view(np.uint8)
    for word in range(masks.shape[1]):
        table = _tables(padded[:, 64 * word : 64 * word + 64])
        part = [table[:, i].take(as_bytes[:, 8 * word + i], axis=1) for i in range(8)]
        # the pairing is the kernel's, so that the last bit agrees
        total += ((part[0] + part[1]) + (part[2] + part[3])) + (
            (part[4] + part[5]) + (part[6] + part[7])
        )
    return total


def _tables(scores: Floats) -> Floats:
    eights = scores.reshape(len(scores), 8, 8)
    table = np.zeros((len(scores), 8, 256))
    for i in range(8):
        table[:, :, 1 << i : 2 << i] = table[:, :, : 1 << i] + eights[:, :, i, None]
    return table


def _last(n: int) -> np.uint64:
    return np.uint64((1 << (n - 1) % 64 + 1) - 1)
