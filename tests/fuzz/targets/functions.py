"""Public names called with things that do not fit: one to three arguments wrong, the rest right."""

import json
import os
from random import Random
from tempfile import gettempdir

import matplotlib

from fuzz import things
from fuzz.frame import Target, settle

matplotlib.use("Agg")
os.chdir(gettempdir())  # a text is a right name of a store
BUILT = ("Binary", "Multiclass", "Numeric", "Survival")
# A call of these takes a second: the contract test tries them.
SLOW = ("permutation_test", "sample_size", "plots.ConfusionDisplay.from_predictions")
NAMES = [name for name in things.catalogue() if name not in (*BUILT, *SLOW)]


def draw(rng: Random) -> bytes:
    return drawn_of(NAMES, rng)


def drawn_of(names: list[str], rng: Random) -> bytes:
    """A call of one of the names as JSON: which parameters are given which thing."""
    while True:
        name = rng.choice(names)
        known = [p for p in things.parameters(name) if p not in things.NOT_TRIED]
        if known:
            break
    wrong = rng.sample(known, min(len(known), rng.choice((1, 1, 1, 2, 3))))
    given = {parameter: rng.choice(list(things.THINGS)) for parameter in wrong}
    return json.dumps({"call": name, "given": given}).encode()


def attempt(data: bytes) -> str:
    call = json.loads(data)
    name = call["call"]
    given = things.right(name)
    given |= {parameter: things.THINGS[thing]() for parameter, thing in call["given"].items()}
    return settle(lambda: things.called(name, given))


TARGET = Target("public functions and measures called with things that do not fit", draw, attempt)
