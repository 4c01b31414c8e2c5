"""Bootstrap of counts: the same distribution as drawing cases, at a fraction of the work."""

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.intervals.utility import (
    acted_on,
    bca_limits,
    gain,
    gain_of,
    net_benefit_of,
    of_counts,
    resampled,
    utility,
)
from abovechance.measures import find


def binary(n: int = 300, seed: int = 1) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 5, n)
    return ac.Binary(rng.random(n) < p, probability=p)


@pytest.mark.parametrize(
    "name",
    [
        "net_benefit(0.2)",
        "standardised_net_benefit(0.3)",
        "expected_cost",
        "cost_weighted_accuracy",
    ],
)
def test_counts_give_the_interval_that_drawing_cases_gives(name: str) -> None:
    from abovechance.inference.intervals import bootstrap

    predictions, measure = binary(), find(name)
    quick = utility(predictions, measure, draws=20_000, rng=np.random.default_rng(1))
    slow = bootstrap(predictions, measure, draws=20_000, rng=2)
    width = slow.high - slow.low
    assert quick.low == pytest.approx(slow.low, abs=0.06 * width)
    assert quick.high == pytest.approx(slow.high, abs=0.06 * width)


def test_tables_hold_all_cases_and_count_those_acted_on() -> None:
    predictions = ac.Binary([0, 1, 1, 0], probability=[0.2, 0.2, 0.1, 0.7])
    assert acted_on(predictions, 0.2).tolist() == [[0, 2], [1, 1]]
    drawn = resampled(acted_on(predictions, 0.2), 50, np.random.default_rng(1))
    assert (drawn.sum(axis=(1, 2)) == 4).all()


@pytest.mark.parametrize("t", [0.1, 0.35, 0.8])
def test_functions_of_tables_equal_the_measures(t: float) -> None:
    predictions = binary()
    table = acted_on(predictions, t)
    measure = find("net_benefit", threshold=t)
    assert float(net_benefit_of(t)(table)) == pytest.approx(measure.of(predictions), rel=1e-12)
    assert measure.chance is not None
    beyond = measure.of(predictions) - measure.chance(predictions, measure)
    assert float(gain_of(t, table)(table)) == pytest.approx(beyond, abs=1e-14)


def test_limits_of_many_tables_equal_each_alone() -> None:
    predictions = binary()
    at = np.array([0.1, 0.3, 0.5])
    tables = np.stack([acted_on(predictions, t) for t in at])
    rng = np.random.default_rng(3)
    drawn = np.stack([resampled(table, 500, rng) for table in tables], axis=1)
    together = bca_limits(net_benefit_of(at), tables, net_benefit_of(at)(drawn), 0.9)
    for k, t in enumerate(at):
        worth = net_benefit_of(float(t))
        alone = bca_limits(worth, tables[k], worth(drawn[:, k]), 0.9)
        assert together[:, k] == pytest.approx(alone, rel=1e-12)


def test_the_gain_is_over_the_better_default() -> None:
    predictions = binary()
    found = gain(predictions, 0.2, rng=np.random.default_rng(1))
    measure = find("net_benefit", threshold=0.2)
    assert measure.chance is not None
    assert found.reference == pytest.approx(measure.chance(predictions, measure))
    assert found.reference + found.difference == pytest.approx(measure.of(predictions))
    assert found.difference in found.interval


def test_treating_none_has_no_spread() -> None:
    worth = net_benefit_of(0.9)
    interval = of_counts(worth, np.array([[7.0, 0], [3, 0]]), rng=np.random.default_rng(1))
    assert (interval.low, interval.high) == (0.0, 0.0)


def test_what_is_undefined_in_many_samples_has_no_interval() -> None:
    one_positive = ac.Binary([0, 0, 0, 1], probability=[0.2, 0.3, 0.6, 0.7])
    rng = np.random.default_rng(1)
    with pytest.raises(NotApplicable, match="undefined in"):
        utility(one_positive, find("standardised_net_benefit"), rng=rng)
    with pytest.raises(NotApplicable, match="two cases"):
        utility(one_positive.take(slice(3, 4)), find("net_benefit"), rng=rng)
