"""A share that a user declares: its test counts what it counts, not right predictions."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.measures import Family, Form, Law, Measure
from abovechance.predictions.base import View

OWN: dict[str, Any] = {
    "form": Form.COUNTS,
    "family": Family.CATEGORICAL,
    "reads": View.LABEL,
    "range": (0.0, 1.0),
    "law": Law.SHARE,
    "source": "here",
}


def far(classes: int) -> Any:
    row, column = np.indices((classes, classes))
    return np.abs(row - column) > 1


@ac.measure(title="Within one grade", best=1.0, outcomes=frozenset({"multiclass"}), **OWN)
def within_one(table: Any) -> Any:
    return (table * ~far(table.shape[-1])).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


@ac.measure(title="Far off", best=0.0, outcomes=frozenset({"multiclass"}), **OWN)
def far_off(table: Any) -> Any:
    return (table * far(table.shape[-1])).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


@ac.measure(title="Part of the way", best=1.0, outcomes=frozenset({"multiclass"}), **OWN)
def part_of_the_way(table: Any) -> Any:
    row, column = np.indices(table.shape[-2:])
    worth = 1.0 - np.abs(row - column) / (table.shape[-1] - 1)
    return (table * worth).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


def models(**facts: Any) -> dict[str, ac.Multiclass]:
    """The first is rarely right and never far off, the second the other way round."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 120)
    near = np.where(rng.random(120) < 0.5, y, np.clip(y + rng.choice([-1, 1], 120), 0, 2))
    wild = np.where(rng.random(120) < 0.75, y, 2 - y)
    given = {"near": near, "wild": wild}
    return {k: ac.Multiclass(y, label=v, labels=[0, 1, 2], **facts) for k, v in given.items()}


@pytest.mark.parametrize("asked", [within_one, far_off])
def test_discordant_cases_are_those_that_the_share_counts(asked: Measure) -> None:
    two = models()
    kept = (two["near"].actual, two["near"].label, two["wild"].label)
    y, near, wild = (np.asarray(codes, dtype=np.int64) for codes in kept)
    one, other = np.abs(near - y) <= 1, np.abs(wild - y) <= 1
    expected = ac.significance.mcnemar(int((one & ~other).sum()), int((other & ~one).sum()))
    found = ac.compare(two, [asked, "accuracy"], rng=1, draws=99)[asked.name]
    assert found.p_value == expected.p_value
    assert found.better == "near"
    assert found.interval is not None
    assert not found.interval.low <= 0.0 <= found.interval.high


def test_clusters_and_three_models_count_the_same() -> None:
    two = models(groups=np.arange(120) // 4)
    found = ac.compare(two, [within_one, far_off], rng=1, draws=99)
    assert found["within_one"].difference == pytest.approx(-found["far_off"].difference)
    assert found["within_one"].p_value == found["far_off"].p_value
    three = {**models(), "again": models()["near"].take(slice(None))}
    right, own = ac.compare(three, ["accuracy", within_one], rng=1, draws=99).omnibus
    assert right.statistic != own.statistic


def test_scores_between_right_and_wrong_are_not_taken_for_wrong() -> None:
    found = ac.compare(models(), [part_of_the_way], rng=1, draws=99)["part_of_the_way"]
    assert found.test is not None
    assert "McNemar" not in found.test


def test_hundred_classes_are_compared_without_a_table_of_all_pairs_of_cells() -> None:
    y = np.arange(300) % 100
    two = {k: ac.Multiclass(y, label=np.roll(y, s)) for k, s in (("a", 100), ("b", 1))}
    ac.compare(two, ["accuracy"], draws=19)  # what is imported and compiled once is not counted
    tracemalloc.start()
    found = ac.compare(two, ["accuracy"], draws=19)["accuracy"]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.difference == 1.0
    assert most < 100**4 * 8 / 2  # bytes of half the table, the smallest sum that would be wasted
