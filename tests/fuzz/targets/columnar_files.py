"""Damaged Parquet and Arrow files into `read`."""

from random import Random

from fuzz.frame import Target
from fuzz.targets._damage import as_columns, damaged, into_read, one_of


def draw(rng: Random) -> bytes:
    return damaged(one_of(as_columns, rng), rng, 4)


TARGET = Target("damaged Parquet and Arrow files into `read`", draw, into_read)
