"""Inputs whose fate is known, to see that the frame counts them: the digit decides."""

import os
import time
from random import Random

from abovechance.errors import DataError
from fuzz.frame import Target, settle


class Sprawling(DataError):
    """An error of two lines, which ours never are."""

    def __str__(self) -> str:
        return "refused in\ntwo lines."


def draw(rng: Random) -> bytes:
    return str(rng.randrange(8)).encode()


def attempt(data: bytes) -> str:

    def call() -> None:
        match data:
            case b"0":
                raise DataError("refused in one line.")
            case b"1":
                raise Sprawling("refused")
            case b"2":
                raise KeyError("raw")
            case b"3":
                os.abort()
            case b"4":
                time.sleep(300)
            case b"5":
                bytearray(10**12)

    return settle(call)


TARGET = Target("a digit", draw, attempt, seconds=4.0)
