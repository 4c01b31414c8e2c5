"""Saved results, tampered with, into reports and pictures."""

import json
import tempfile
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import abovechance as ac
from abovechance.inference import contract
from fuzz.frame import Target, settle

STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2.5, 1e308, -1e-320, 10**400, "", "abc", "Infinity", "NaN", "\ud800",
    "<script>", "x" * 3000, [], {}, [None], [[]], [1, "a"], {"a": 1}, {"": None}, "a\nb", "\u202e",
)  # fmt: skip


@cache
def saved() -> list[Any]:
    """A saved result of each kind."""
    rng = np.random.default_rng(1)
    y = np.arange(24) % 2
    one = ac.Binary(y, probability=np.clip(0.3 * y + 0.6 * rng.random(24), 0.02, 0.98))
    two = {"a": one, "b": ac.Binary(y, probability=rng.random(24))}
    rows = rng.normal(size=(24, 3)) + y[:, None]
    halves, quick = np.array(["odd", "even"])[np.arange(24) // 2 % 2], {"draws": 39, "rng": 1}
    goals = {"goals": "auc>=.7", **quick}
    made = [
        ac.assess(one, ["auc", "brier", "accuracy"], by=halves, **goals),
        ac.assess(ac.Multiclass(np.arange(24) % 3, label=y), ["accuracy", "f1"], **quick),
        ac.compare(two, ["auc", "accuracy"], margin=0.1, rope=0.01, **quick),
        ac.compare(two, ["brier"], by=halves, between=True, **quick),
        ac.detect(rows, y, tests=["hotelling"], **quick),
        ac.power("auc", n=[20], effects=0.8, replications=8, rng=1),
        ac.sample_size("auc", effect=0.9, replications=8, rng=1),
        ac.sample_size("auc", auc=0.8, width=0.3, replications=8, rng=1),
        ac.posterior.accuracy(40, 10),
        ac.posterior.hierarchical([[[18, 2], [6, 14]], [[17, 3], [2, 18]], [[12, 8], [7, 13]]]),
        ac.thresholds(one, **quick),
        ac.curves.roc(one, **quick),
        ac.curves.calibration(one),
        ac.significance.mann_whitney(one),
        ac.significance.calibration(one, "ece", **quick),
        ac.significance.null_distribution(one, "auc", **quick),
    ]
    several = contract.contract({"a": made[8], "b": ac.posterior.accuracy(30, 20)})
    return [*(json.loads(result.to_json()) for result in made), several]


def draw(rng: Random) -> bytes:
    """A saved result with one to four changes; or its text, with bytes changed."""
    found = json.loads(json.dumps(rng.choice(saved())))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        found = changed(found, rng)
    data = json.dumps(found).encode()
    if rng.random() < 0.15:
        place = rng.randrange(len(data))
        data = data[:place] + rng.randbytes(rng.randint(0, 3)) + data[place + rng.randint(0, 9) :]
    return data


def changed(whole: Any, rng: Random) -> Any:
    """A value of JSON with one change somewhere inside."""
    here = whole
    while isinstance(here, dict | list) and here:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = rng.choice(keys)
        inside = here[key]
        if isinstance(inside, dict | list) and inside and rng.random() < 0.75:
            here = inside
            continue
        change = rng.randrange(5)
        if change == 0:
            del here[key]
        elif change == 1 and isinstance(here, dict):
            here[rng.choice(("", "kind", "zz", "tests", "estimates", "cells"))] = here.pop(key)
        elif change == 2 and isinstance(here, list):
            here.append(deepcopy(inside))
        else:
            here[key] = deepcopy(rng.choice(STRANGE))
        break
    return whole


def attempt(data: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        file.write_bytes(data)
        return settle(lambda: _reported(file))


def _reported(file: Path) -> None:
    """What `abovechance report` does, and what the same dictionary in Python is for."""
    from abovechance.plots import chart_of

    facts = contract.read_result(file)
    html = ac.report(facts, file.with_suffix(".html")).html
    html.encode("utf-8")
    with suppress(ac.errors.NotApplicable):  # not every result has a picture
        chart_of(facts)


TARGET = Target("tampered JSON into report and plot", draw, attempt)
