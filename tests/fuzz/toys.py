"""Inputs whose fate is known, to see that the frame counts them: the digit decides."""

import os
import time
from random import Random

from fuzz.frame import Target, settle


def draw(rng: Random) -> bytes:
    return str(rng.randrange(8)).encode()


def attempt(data: bytes) -> str:
    from abovechance.errors import DataError

    def call() -> None:
        match data:
            case b"0":
                raise DataError("refused in one line.")
            case b"1":
                raise DataError("refused in\ntwo lines.")
            case b"2":
                raise KeyError("raw")
            case b"3":
                os.abort()
            case b"4":
                time.sleep(30)
            case b"5":
                bytearray(10**12)

    return settle(call)


TARGET = Target("a digit", draw, attempt, seconds=1.0)
