"""Random words as a pure function of (key, position), the one source of draws for both paths.

A draw owns a 64-bit key taken from a numpy Generator; word i of that draw is SplitMix64's i-th
output from the key. Any word can be computed without the others, so numpy computes whole batches
at once, a compiled kernel one draw at a time, and both see the same bits.

References
----------
Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators (SplitMix64).
Lemire (2019), Fast random integer generation in an interval.
"""

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from abovechance.arrays import Ints
from abovechance.numerics.kernels import worthwhile

Words = npt.NDArray[np.uint64]

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)

STEPS = 2**14
"""Case-draws the numpy path does in the time of one elementary step of `worthwhile`."""


def keys(rng: np.random.Generator, *shape: int) -> Words:
    """One fresh 64-bit key per draw; a later call continues where this one ended."""
    return rng.integers(0, 2**64, size=shape, dtype=np.uint64)


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


def kernel(name: str, steps: int) -> Any:
    """The compiled kernels `name` if they are loaded or worth loading for `steps`, else None.

    Both paths give the same bits, so the choice may depend on what happens to be loaded.
    """
    if not worthwhile(steps, module=name):
        return None
    return import_module(f"abovechance.numerics.kernels.{name}")
