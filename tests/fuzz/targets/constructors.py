"""Predictions built from columns that are wrong in kind, length, values or all of these."""

import json
from random import Random
from typing import Any

import numpy as np

from fuzz import things
from fuzz.frame import Target, settle
from fuzz.targets.functions import BUILT, drawn_of

VALUES: tuple[Any, ...] = (
    0,
    1,
    0.5,
    -1,
    2,
    1e308,
    -1e-320,
    1e100,
    "a",
    "",
    "1",
    None,
    True,
    10**30,
)
WORDS = ("NaN", "Infinity", "-Infinity")
KINDS = ("list", "array", "objects", "float32", "column")


def draw(rng: Random) -> bytes:
    """A call with things that do not fit, or with columns of values drawn one by one."""
    if rng.random() < 0.4:
        return drawn_of(list(BUILT), rng)
    name = rng.choice(BUILT)
    known = list(things.parameters(name))
    size = rng.choice((0, 1, 2, 3, 5, things.N))
    columns = {}
    for parameter in rng.sample(known, rng.randint(1, 4)):
        pool = rng.sample((*VALUES, *WORDS), rng.randint(1, 4))
        length = size if rng.random() < 0.9 else size + 1
        values = [rng.choice(pool) for _ in range(length)]
        columns[parameter] = {"as": rng.choice(KINDS), "values": values}
    needed = [p for p, about in things.parameters(name).items() if about.default is about.empty]
    for parameter in needed:
        values = [rng.choice((0, 1)) for _ in range(size)]
        columns.setdefault(parameter, {"as": "list", "values": values})
    return json.dumps({"call": name, "columns": columns}).encode()


def attempt(data: bytes) -> str:
    call = json.loads(data)
    name, given = call["call"], {}
    if "columns" in call:
        given = {parameter: _column(**column) for parameter, column in call["columns"].items()}
    else:
        given = things.right(name)
        given |= {parameter: things.THINGS[thing]() for parameter, thing in call["given"].items()}
    return settle(lambda: _used(things.called(name, given)))


def _column(values: list[Any], **how: str) -> Any:
    numbers = [float(v) if v in WORDS else v for v in values]
    if how["as"] == "array":
        return np.array(numbers, dtype=None if numbers else float)
    if how["as"] == "objects":
        return np.array(numbers, dtype=object)
    if how["as"] == "float32":
        plain = [v if isinstance(v, int | float) and abs(v) < 1e38 else 0.5 for v in numbers]
        return np.array(plain, dtype=np.float32)
    return [[v] for v in numbers] if how["as"] == "column" else numbers


def _used(predictions: Any) -> None:
    """What was built is printed, and judged by a measure that applies."""
    from abovechance.measures import applicable

    str(predictions)
    for measure in applicable(predictions)[:3]:
        measure.of(predictions)


TARGET = Target("predictions built from wrong columns, then judged", draw, attempt)
