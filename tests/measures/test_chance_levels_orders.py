"""Numbers beside turns of one order of the outcomes: the fast path is the plain formula."""

from itertools import permutations

import numpy as np
import pytest

from abovechance.inference.permutation import permutation
from abovechance.measures import applicable, find
from abovechance.measures import chance_levels as module
from abovechance.measures.chance_levels import turned
from abovechance.measures.measure import Errors
from abovechance.measures.regression import _spread_of_kendall
from abovechance.measures.sample import Sample, evaluate
from abovechance.predictions import Numeric
from abovechance.resampling import Turns


def numbers(n: int, tied: bool) -> Numeric:
    rng = np.random.default_rng(n)
    y = rng.gamma(3.0, size=n)
    value = y * rng.uniform(0.3, 1.9, size=n)
    return Numeric(np.ceil(y), np.round(value) + 1.0) if tied else Numeric(y, value)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize("n", [21, 64, 301])
def test_values_under_turns_are_those_of_the_orders_spelled_out(n, tied, compiled, monkeypatch):
    monkeypatch.setattr(module, "worthwhile", lambda size, module: compiled)
    predictions = numbers(n, tied)
    sample, turns = Sample.of(predictions), Turns.of(n, n, np.random.default_rng(2))
    known = set()
    for m in applicable(predictions):
        found = turned(m, sample, turns)
        if found is None:
            continue
        known.add(m.name)
        expected = evaluate(m, sample.permuted(turns.orders()))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=m.name)
    assert {"mse", "r2", "pearson", "spearman", "rmsle"} <= known
    errors = {m.name for m in applicable(predictions) if m.errors is not None}
    assert len(errors) == len(Errors)
    assert (errors <= known) is compiled


def test_what_a_product_of_errors_could_not_hold_is_left_to_the_formula():
    y = np.r_[np.full(30, 1e31), np.arange(30.0)]
    predictions, turns = Numeric(y, y[::-1]), Turns.of(60, 60, np.random.default_rng(2))
    assert turned(find("mlae"), Sample.of(predictions), turns) is None
    assert turned(find("relative_error"), Sample.of(predictions), turns) is None


@pytest.mark.parametrize("n", [5, 6])
def test_turns_are_a_group_of_permutations(n):
    turns = Turns.of(n, 2 * n - 1, np.random.default_rng(n))
    orders = {tuple(order) for order in turns.orders().tolist()}
    assert len(orders) == 2 * n - 1
    assert tuple(range(n)) not in orders
    group = orders | {tuple(range(n))}
    assert all(tuple(np.array(a)[list(b)].tolist()) in group for a in group for b in group)
    y, x = np.random.default_rng(1).normal(size=(2, n))
    np.testing.assert_allclose(turns.products(y, x), (y[turns.orders()] * x).sum(axis=1))


@pytest.mark.parametrize(
    ("outcome", "value"),
    [([1, 2, 3, 4, 5, 6], [1, 2, 2, 4, 5, 5]), ([1, 1, 1, 2, 2, 3], [2, 2, 1, 1, 1, 2])],
)
def test_the_spread_of_kendall_is_that_over_all_orders(outcome, value, monkeypatch):
    from abovechance.measures import regression

    monkeypatch.setattr(regression, "LEAST_APART", 0.0)
    y, x = np.array(outcome, float), np.array(value, float)
    every = [find("kendall").formula(y[list(o)], x, None) for o in permutations(range(6))]
    assert _spread_of_kendall(y, x) == pytest.approx(np.std(every), rel=1e-12)


def test_kendall_of_few_cases_apart_from_ties_is_drawn():
    y, x = np.zeros(400), np.zeros(400)
    y[:60] = 1.0
    x[30:90] = np.arange(60.0)
    drawn = permutation(Numeric(y, x), "kendall", rng=1)
    assert drawn.draws == 999
    normal = permutation(numbers(400, True), "kendall", rng=1)
    assert normal.draws is None
    assert "normal approximation" in normal.method


def test_a_normal_p_of_kendall_is_that_of_its_permutations():
    rng = np.random.default_rng(5)
    y = np.round(rng.gamma(2.0, size=260), 1)
    predictions = Numeric(y, np.round(rng.normal(size=260) + 0.05 * y, 1))
    close = permutation(predictions, "kendall", rng=1).p_value
    drawn = permutation(predictions, "kendall", rng=1, draws=1999).p_value
    assert 0.005 < close < 0.2
    assert abs(close - drawn) < 4 * np.sqrt(close * (1 - close) / 1999)


def test_p_of_many_numbers_says_that_one_order_was_turned_and_is_that_of_permutations():
    rng = np.random.default_rng(6)
    y = rng.gamma(2.0, size=1000)
    predictions = Numeric(y, rng.gamma(2.0, size=1000) + 0.04 * y)
    for name in ("mae", "medae", "r2", "spearman"):
        found = permutation(predictions, name, rng=1)
        assert "one random order turned" in found.method
        assert found.draws == 1999
        plain = permutation(predictions, name, rng=1, draws=3999)
        assert "turned" not in plain.method
        assert abs(found.p_value - plain.p_value) < 4 * np.sqrt(0.25 / 1999)
