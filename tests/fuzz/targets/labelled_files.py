"""Damaged files of SPSS, Stata and SAS into `read`."""

from random import Random

from fuzz.frame import Target
from fuzz.targets._damage import as_labelled, damaged, into_read, one_of

# Nothing here writes SAS's own format: what follows its first bytes is made up.
SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")


def draw(rng: Random) -> bytes:
    if rng.random() < 0.1:
        made_up = bytearray(rng.randbytes(rng.choice((40, 400, 4000))))
        for _ in range(rng.choice((0, 20))):
            made_up[rng.randrange(len(made_up))] = 0
        return SAS + bytes(made_up)
    return damaged(one_of(as_labelled, rng), rng, 4)


TARGET = Target("damaged files of SPSS, Stata and SAS into `read`", draw, into_read, first=8)
