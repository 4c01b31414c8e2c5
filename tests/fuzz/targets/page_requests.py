"""Requests that the local page never sends: garbled, lying about sizes, with damaged files."""

import json
from random import Random
from typing import Any

from fuzz.frame import Target, settle
from fuzz.targets._damage import as_archive, as_text, damaged, one_of, packed

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 10**30, 1e308, float("inf"), float("nan"), "", "p", "\ud800", "x" * 5000),
    *([], ["p"], [[]], {}, {"p": 1}, "<script>", "a\nb"),
)
NAMES = (
    "kind",
    "outcome",
    "predicted",
    "positive",
    "by",
    "threshold",
    "times",
    "hidden",
    "missing",
)
KINDS = ("probability", "score", "value", "label", "risk", "survival", "probabilities")


def draw(rng: Random) -> bytes:
    files = [
        as_text(rng) if rng.random() < 0.7 else one_of(as_archive, rng)
        for _ in range(rng.choice((1, 2)))
    ]
    files = [damaged(f, rng) if rng.random() < 0.4 else f for f in files]
    files = [packed(f, rng) if rng.random() < 0.2 else f for f in files]
    told: dict[str, Any] = {
        "files": [{"name": f"{i}.csv", "size": len(f)} for i, f in enumerate(files)],
        "choices": {"outcome": "y", "predicted": ["p"], "kind": rng.choice(KINDS)},
    }
    for _ in range(rng.choice((0, 1, 2))):
        told["choices"][rng.choice(NAMES)] = rng.choice(ODD)
    if rng.random() < 0.3:
        told["files"][0][rng.choice(("name", "size", "sheet"))] = rng.choice(ODD)
    if rng.random() < 0.1:
        told[rng.choice(("files", "choices"))] = rng.choice(ODD)
    line = json.dumps(told).encode()
    if rng.random() < 0.2:
        line = rng.choice((damaged(line, rng), b"[" * 100_000, b"", b"null", b"[]", line[:-3]))
    body = line + b"\n" + b"".join(files)
    return damaged(body, rng) if rng.random() < 0.1 else body


def attempt(data: bytes) -> str:
    from abovechance.app.requests import described, opened
    from abovechance.app.web import _json

    def call() -> None:
        sent = opened(data)
        _json({"files": [described(table) for table in sent.tables]})

    return settle(call)


TARGET = Target("garbled requests to the local page", draw, attempt)
