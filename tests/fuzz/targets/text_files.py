"""Damaged CSV, TSV, JSON and gzip files into `read`."""

from random import Random

from fuzz.frame import Target
from fuzz.targets._damage import as_text, damaged, into_read, packed


def draw(rng: Random) -> bytes:
    data = damaged(as_text(rng), rng)
    return packed(data, rng) if rng.random() < 0.2 else data


TARGET = Target("damaged CSV, JSON and gzip files into `read`", draw, into_read)
