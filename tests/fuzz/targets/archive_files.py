"""Damaged workbooks and NumPy files into `read`."""

from random import Random

from fuzz.frame import Target
from fuzz.targets._damage import as_archive, damaged, into_read, one_of, within_archive


def draw(rng: Random) -> bytes:
    data = one_of(as_archive, rng)
    return within_archive(data, rng) if rng.random() < 0.6 else damaged(data, rng, 4)


TARGET = Target("damaged workbooks and NumPy files into `read`", draw, into_read)
