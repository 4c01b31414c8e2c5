"""Outcomes that are constant within clusters: whole clusters change places."""

import itertools
from typing import Any

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.inference import significance
from abovechance.inference.significance.null import scheme_for
from abovechance.predictions import Binary, Multiclass, Numeric, Survival

EQUAL = np.repeat(np.arange(8), 5)
UNEQUAL = np.repeat(np.arange(8), [3, 5, 4, 6, 2, 7, 5, 3])


def outcome(groups: Any, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(size=8)[groups]


def predicted(y: Any, seed: int = 2) -> Any:
    return y + 0.3 * np.random.default_rng(seed).normal(size=len(y))


@pytest.mark.parametrize("groups", [EQUAL, UNEQUAL])
def test_numbers_of_clusters_are_predicted(groups: Any) -> None:
    y = outcome(groups)
    found = significance.permutation(
        Numeric(y, predicted(y), groups=groups), "mse", rng=1, draws=999
    )
    assert found.p_value == pytest.approx(1 / 1000)
    assert found.method == "permutation; whole clusters permuted"


def test_two_outputs_of_clusters_move_together() -> None:
    y = np.stack([outcome(EQUAL), outcome(EQUAL, 5)], axis=1)
    found = significance.permutation(Numeric(y, y + 0.1, groups=EQUAL), "mse", rng=1, draws=199)
    assert "whole clusters" in found.method
    mixed = np.stack([outcome(EQUAL), predicted(outcome(EQUAL))], axis=1)
    found = significance.permutation(Numeric(mixed, mixed, groups=EQUAL), "mse", rng=1, draws=199)
    assert "within clusters" in found.method


@pytest.mark.parametrize("groups", [EQUAL, UNEQUAL])
def test_times_of_clusters_are_predicted(groups: Any) -> None:
    y = outcome(groups)
    event = (np.arange(8) != 3)[groups]
    made = Survival(np.exp(-y), event, risk=predicted(y), groups=groups)
    found = significance.permutation(made, "c_index", rng=1, draws=199)
    assert found.p_value == pytest.approx(1 / 200)
    assert "whole clusters" in found.method


def test_times_that_are_alike_with_events_that_differ_are_permuted_within() -> None:
    event = np.arange(40) % 5 > 0
    made = Survival(np.exp(outcome(EQUAL)), event, risk=np.arange(40), groups=EQUAL)
    assert "within clusters" in significance.permutation(made, "c_index", rng=1, draws=19).method


def test_the_null_is_that_of_all_orders_of_clusters() -> None:
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3])
    y, x = np.array([1.0, 4.0, 2.0, 8.0])[groups], np.arange(10.0)
    found = significance.permutation(Numeric(y, x, groups=groups), "mse", draws=100)
    observed = np.mean((y - x) ** 2)
    values = [
        np.mean((np.array(order)[groups] - x) ** 2)
        for order in itertools.permutations([1.0, 4.0, 2.0, 8.0])
    ]
    assert found.p_value == pytest.approx(np.mean(np.array(values) <= observed + 1e-12))
    assert found.method.startswith("permutation, exact")


def test_whole_clusters_hold_the_level() -> None:
    rng = np.random.default_rng(3)
    small = 0
    for seed in range(150):
        y, x = rng.normal(size=8)[UNEQUAL], rng.normal(size=8)[UNEQUAL]
        made = Numeric(y, x + 0.2 * rng.normal(size=len(x)), groups=UNEQUAL)
        small += significance.permutation(made, "mse", rng=seed, draws=99).p_value <= 0.05
    assert small <= 15  # 5% of 150 and three standard errors, rounded


@pytest.mark.parametrize(
    "made",
    [
        Numeric(np.ones(6), np.arange(6.0)),
        Numeric(np.ones(6), np.arange(6.0), groups=[1, 1, 2, 2, 3, 3]),
        Survival(np.ones(6), np.ones(6), risk=np.arange(6.0), groups=[1, 1, 2, 2, 3, 3]),
        Multiclass(["a"] * 6, label=["a", "b"] * 3, groups=[1, 1, 2, 2, 3, 3]),
    ],
)
def test_outcomes_that_are_all_the_same_are_refused(made: Any) -> None:
    with pytest.raises(NotApplicable, match="all outcomes are the same"):
        scheme_for(made)


def test_classes_of_one_kind_are_refused_too() -> None:
    with pytest.raises(NotApplicable, match="one class only"):
        scheme_for(Binary([1, 1, 1, 1], score=[1, 2, 3, 4], labels=[0, 1]))
