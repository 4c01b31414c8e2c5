"""Work for worker processes, which can only be given what they can import."""

import os
import signal
import time

import numpy as np

from abovechance.arrays import Array


def uniforms(rng: np.random.Generator, size: int) -> Array:
    return rng.random(size)


def slow_uniforms(rng: np.random.Generator, size: int) -> Array:
    time.sleep(0.02)
    return rng.random(size)


def named(rng: np.random.Generator, size: int) -> dict[str, Array]:
    return {"values": rng.random(size), "pairs": rng.integers(0, 9, (size, 2))}


def deadly(rng: np.random.Generator, size: int) -> Array:
    values = rng.random(size)
    if values[0] < 0.3:
        os.kill(os.getpid(), signal.SIGKILL)
    return values


def failing(rng: np.random.Generator, size: int) -> Array:
    raise LookupError("no such thing")


def threads(rng: np.random.Generator, size: int) -> Array:
    from threadpoolctl import threadpool_info

    _ = np.eye(2) @ np.eye(2)  # so that a library of linear algebra is at work, if there is one
    # none is known to threadpoolctl where numpy was built with another: then nothing to bound
    return np.full(size, max((pool["num_threads"] for pool in threadpool_info()), default=1))
