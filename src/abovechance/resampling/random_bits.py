"""Random bits as a pure function of (key, position), and subsets of cases made of them.

The one source of draws for the numpy and the compiled path, which therefore see the same bits.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Bools, Floats, Ints
from abovechance.numerics.kernels import worthwhile

# ----------------------------------------------------------------------------------------------
# Random words as a pure function of (key, position), the one source of draws for both paths.
#
# A draw owns a 64-bit key taken from a numpy Generator; word i of that draw is SplitMix64's i-th
# output from the key. Any word can be computed without the others, so numpy computes whole
# batches at once, a compiled kernel one draw at a time, and both see the same bits.
#
# References
# ----------
# Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators (SplitMix64).
# Lemire (2019), Fast random integer generation in an interval.
# ----------------------------------------------------------------------------------------------


Words = npt.NDArray[np.uint64]

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
ALL = ~np.uint64(0)

STEPS = 2**12  # case-draws the numpy path does in the time of one elementary step of `worthwhile`


def keys(rng: np.random.Generator, *shape: int) -> Words:
    """One fresh 64-bit key per draw; a later call continues where this one ended.

    Whole numbers below 2⁶⁴, as `rng.integers` draws them, without the way there.
    """
    return np.asarray(rng.bit_generator.random_raw(shape), dtype=np.uint64)


def mix(z: Words) -> Words:
    """SplitMix64's output function, in place."""
    z ^= z >> np.uint64(30)
    z *= FIRST
    z ^= z >> np.uint64(27)
    z *= SECOND
    z ^= z >> np.uint64(31)
    return z


def words(key: Words, start: int, count: int) -> Words:
    """Words start … start + count − 1 of every draw: (draws, count).

    >>> two = words(np.array([7], dtype=np.uint64), 0, 2)
    >>> bool(two[0, 1] == words(np.array([7], dtype=np.uint64), 1, 1)[0, 0])
    True
    """
    steps = np.arange(start + 1, start + count + 1, dtype=np.uint64) * GAMMA
    return mix(key[:, None] + steps)


def bounded(key: Words, start: int, count: int, limit: int) -> Ints:
    """`count` integers uniform on 0 … limit − 1 for every draw, two from a word: (draws, count).

    Multiply and shift; the few 32-bit halves that would bias the result are hashed again until
    one is accepted, so every position has its own value whatever happens at the others.
    """
    whole = words(key, start, (count + 1) // 2)
    halves = np.stack([whole >> HALF, whole & LOW], axis=-1).reshape(len(key), -1)[:, :count]
    product = halves * np.uint64(limit)
    unfair = np.uint64(2**32 % limit)
    rejected = np.nonzero((product & LOW) < unfair)
    if rejected[0].size:
        side = (rejected[1] % 2).astype(np.uint64)
        again = whole[rejected[0], rejected[1] // 2] ^ side
        product[rejected] = _again(again, limit, unfair)
    return (product >> HALF).astype(np.int64)


def _again(word: Words, limit: int, unfair: np.uint64) -> Words:
    product = np.zeros_like(word)
    left = np.arange(word.size)
    while left.size:
        word[left] = mix(word[left] + GAMMA)
        product[left] = (word[left] >> HALF) * np.uint64(limit)
        left = left[(product[left] & LOW) < unfair]
    return product


def compiled_draws(steps: int) -> Any:
    """The compiled draws if they are loaded or worth loading for `steps`, else None.

    Both paths give the same bits, so the choice may depend on what happens to be loaded.
    """
    if not worthwhile(steps, module="draw_loops"):
        return None
    from abovechance.numerics.kernels import draw_loops

    return draw_loops


# ----------------------------------------------------------------------------------------------
# Random subsets of cases as bit masks, and sums of scores over them by table look-up.
#
# Case i is bit i % 64 of word i // 64. This is the numpy path; `numerics.kernels.draw_loops`
# does the same operations in the same order and gives the same bits.
# ----------------------------------------------------------------------------------------------


ONE = np.uint64(1)
SIX = np.uint64(6)
AHEAD = 12  # words of a draw that are made at once
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
    compiled = compiled_draws(len(key) * n // STEPS)
    if compiled is None:
        return subset_masks(key, n, positives)
    masks = np.empty((width(n), len(key)), dtype=np.uint64)
    compiled.subset_masks(np.ascontiguousarray(key), n, *plan(n, positives), masks)
    return masks.T


def _mend(masks: Words, key: Words, position: int, n: int, size: int) -> None:
    """Add or remove uniformly chosen cases until every subset has its size."""
    lacking = size - np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    other = np.where(lacking > 0, ALL, np.uint64(0))[:, None]
    masks ^= other  # now the bits that are set are those that may change
    cells, unfair = masks.reshape(-1), np.uint64(2**32 % n)
    rows = np.flatnonzero(lacking)
    need = np.abs(lacking[rows]).astype(np.uint64)
    while rows.size:
        product = words(key[rows], position, AHEAD).T.copy() >> HALF
        product *= np.uint64(n)
        place = product >> HALF
        chosen = ((product & LOW) >= unfair).astype(np.uint64) << (place & IN_WORD)
        if masks.shape[1] == 1:
            mine = cells[rows]
            for bit in chosen:  # a case counts where it is first chosen
                bit &= mine
                mine ^= bit
            changed = (chosen > 0).view(np.uint8)
            for before, now in pairwise(changed):
                now += before
            chosen = np.where(changed <= need.astype(np.uint8), chosen, np.uint64(0))
            cells[rows] ^= np.bitwise_or.reduce(chosen)
            need -= np.minimum(changed[-1], need)
        else:
            places = (place >> SIX).astype(np.int64) + rows * masks.shape[1]
            for at, bit in zip(places, chosen, strict=True):
                before = cells[at]
                bit &= before
                bit *= need > 0
                cells[at] = before ^ bit
                need -= bit > 0
        left = need > 0
        rows, need = rows[left], need[left]
        position += AHEAD
    masks ^= other


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
