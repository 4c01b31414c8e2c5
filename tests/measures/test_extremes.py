"""Values stay in the range that a measure declares, however extreme the numbers are."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import abovechance as ac

TINY, ALMOST = 1e-300, 1 - 1e-16
EVERY = list(ac.measures.every().values())


def binary() -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 7, 29):
        y = np.arange(n) % 2
        for hit in (ALMOST, 0.1 + 0.2, 1.0, 0.7):
            p = np.where(y == 1, hit, 1 - hit)
            yield y, p
            yield y, 1 - p
        yield y, np.where(y == 1, ALMOST, TINY)
        yield y, np.where(y == 1, TINY, ALMOST)
        yield y, np.full(n, TINY)
        yield y, np.full(n, 0.1)
        # sums of tenths are what rounding goes wrong with
        yield rng.integers(2, size=n), rng.integers(11, size=n) / 10
        yield np.ones(n, dtype=int), rng.integers(11, size=n) / 10


def classes() -> Iterator[tuple[Any, Any]]:
    for n in (2, 3, 7, 29):
        y = np.arange(n) % 3
        for hit in (ALMOST, 0.1 + 0.2, 1 / 3, 1.0):
            p = np.full((n, 3), (1 - hit) / 2)
            p[np.arange(n), y] = hit
            yield y, p / p.sum(axis=1, keepdims=True)
            yield y, np.roll(p / p.sum(axis=1, keepdims=True), 1, axis=1)


def numbers() -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(8)
    for n in (2, 3, 29):
        y = rng.integers(1, 11, size=n) / 10
        for scale in (TINY, 1e-150, 1.0, 1e69):
            yield y * scale, y * scale
            yield y * scale, -y * scale
            yield y * scale, y * scale * (1 + 1e-16)
            yield y * scale, np.full(n, scale)
        yield 1e9 + y, 1e9 + y[::-1]
        yield np.full(n, 0.1), np.full(n, 0.1) + 1e-17


def survival() -> Iterator[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(9)
    for n in (2, 3, 29):
        time = rng.integers(1, 11, size=n) / 10
        for event in (np.ones(n, dtype=int), np.arange(n) % 2, rng.integers(2, size=n)):
            for risk in (-time, time, np.full(n, TINY), 0.1 + 0 * time, rng.random(n)):
                yield time, event, risk


def made() -> Iterator[tuple[Any, ...]]:
    """Predictions of every kind at their extremes."""
    for y, p in binary():
        yield "binary", lambda y=y, p=p: ac.Binary(y, probability=p, labels=[0, 1])
    for y, p in classes():
        yield "multiclass", lambda y=y, p=p: ac.Multiclass(y, probability=p, labels=[0, 1, 2])
    for y, p in numbers():
        yield "numeric", lambda y=y, p=p: ac.Numeric(y, p)
    for time, event, risk in survival():
        yield "survival", lambda t=time, e=event, r=risk: ac.Survival(t, e, risk=r)


@pytest.fixture(scope="module")
def predictions() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for kind, make in made():
        try:
            found.setdefault(kind, []).append(make())
        except ac.AboveChanceError:
            continue
    return found


@pytest.mark.parametrize("measure", EVERY, ids=lambda measure: measure.name)
def test_no_value_leaves_its_range(measure: Any, predictions: dict[str, list[Any]]) -> None:
    low, high = measure.range
    outside = []
    for kind in measure.outcomes:
        for given in predictions[kind]:
            try:
                value = float(measure.of(given))
            except ac.AboveChanceError:
                continue
            if not (np.isnan(value) or low <= value <= high):
                outside.append((kind, given.n, value))
    assert outside == []


@pytest.mark.parametrize(
    "measure", [m for m in EVERY if m.form.name == "COUNTS"], ids=lambda m: m.name
)
def test_counts_of_thousands_of_millions_stay_in_range(measure: Any) -> None:
    low, high = measure.range
    for table in ([[10**9, 0], [0, 10**9]], [[10**9, 1], [1, 10**9]], [[1, 10**9], [10**9, 1]]):
        rows = [(o, p) for o in (0, 1) for p in (0, 1)]
        given = ac.Binary(
            [o for o, _ in rows], label=[p for _, p in rows], counts=[table[o][p] for o, p in rows]
        )
        value = float(measure.of(given))
        assert np.isnan(value) or low <= value <= high
