"""Bootstrap of counts: the same distribution as drawing cases, at a fraction of the work."""

import numpy as np
import pytest
from scipy.special import stdtrit

import abovechance as ac
from abovechance.errors import NotApplicable
from abovechance.inference.bootstrap import bootstrap, from_replicates
from abovechance.inference.net_benefit import (
    acted_on,
    bca_limits,
    gain,
    gain_of,
    net_benefit_of,
    of_counts,
    resampled,
    table_of,
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
    table = table_of(predictions, acted_on(predictions, 0.2))
    assert table.tolist() == [[0, 2], [1, 1]]
    drawn = resampled(table, 50, np.random.default_rng(1))
    assert (drawn.sum(axis=(1, 2)) == 4).all()


@pytest.mark.parametrize("t", [0.1, 0.35, 0.8])
def test_functions_of_tables_equal_the_measures(t: float) -> None:
    predictions = binary()
    table = table_of(predictions, acted_on(predictions, t))
    measure = find("net_benefit", threshold=t)
    assert float(net_benefit_of(t)(table)) == pytest.approx(measure.of(predictions), rel=1e-12)
    assert measure.reference is not None
    beyond = measure.of(predictions) - measure.reference(predictions, measure)
    assert float(gain_of(t, table)(table)) == pytest.approx(beyond, abs=1e-14)


def test_limits_of_many_tables_equal_each_alone() -> None:
    predictions = binary()
    at = np.array([0.1, 0.3, 0.5])
    tables = np.stack([table_of(predictions, acted_on(predictions, t)) for t in at])
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
    assert measure.reference is not None
    assert found.reference == pytest.approx(measure.reference(predictions, measure))
    assert found.reference + found.difference == pytest.approx(measure.of(predictions))
    assert found.difference in found.interval


def test_treating_none_has_no_spread() -> None:
    worth = net_benefit_of(0.9)
    with pytest.raises(NotApplicable, match="tells no spread"):
        of_counts(worth, np.array([[7.0, 0], [3, 0]]), rng=np.random.default_rng(1))


def test_no_error_in_few_cases_is_no_proof_of_none() -> None:
    perfect = ac.Binary([0, 0, 1, 1], probability=[0.1, 0.2, 0.8, 0.9])
    found = ac.assess(perfect, ["expected_cost"], draws=99, rng=1).estimates[0]
    assert found.value == 0.0
    assert found.interval is not None
    assert found.interval.high == pytest.approx(ac.intervals.wilson(0, 4).high)


def test_what_is_undefined_in_many_samples_has_no_interval() -> None:
    one_positive = ac.Binary([0, 0, 0, 1], probability=[0.2, 0.3, 0.6, 0.7])
    rng = np.random.default_rng(1)
    with pytest.raises(NotApplicable, match="undefined in"):
        utility(one_positive, find("standardised_net_benefit"), rng=rng)
    with pytest.raises(NotApplicable, match="two cases"):
        utility(one_positive.take(slice(3, 4)), find("net_benefit"), rng=rng)


def clustered(units: int, size: int, seed: int = 1) -> ac.Binary:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2, units * size)
    groups = np.repeat(np.arange(units), size)
    return ac.Binary(rng.random(units * size) < p, probability=p, groups=groups)


def test_over_clusters_of_one_size_a_mean_has_students_interval_of_their_means() -> None:
    predictions = clustered(12, 10)
    measure = find("net_benefit", threshold=0.2)
    means = measure.losses(predictions).reshape(12, 10).mean(axis=1)
    half = stdtrit(11, 0.975) * means.std(ddof=1) / np.sqrt(12)
    found = utility(predictions, measure, rng=np.random.default_rng(1))
    assert (found.low, found.high) == pytest.approx((means.mean() - half, means.mean() + half))
    assert found.method == "jackknife over 12 clusters, Student's t"


def test_gains_and_ratios_have_intervals_over_clusters() -> None:
    predictions = clustered(40, 20)
    for name in ("standardised_net_benefit(0.2)", "expected_cost", "cost_weighted_accuracy"):
        measure = find(name)
        interval = utility(predictions, measure, rng=np.random.default_rng(1))
        assert measure.of(predictions) in interval
    found = gain(predictions, 0.2, rng=np.random.default_rng(1))
    assert found.difference in found.interval
    assert "clusters" in found.interval.method


def constant_clusters() -> ac.Binary:
    """Two clusters, all outcomes of one negative, all of the other positive."""
    p = np.random.default_rng(1).random(40)
    return ac.Binary(np.repeat([0, 1], 20), probability=p, groups=np.repeat([0, 1], 20))


def test_a_cluster_that_holds_all_positives_leaves_no_interval() -> None:
    measure = find("standardised_net_benefit")
    with pytest.raises(NotApplicable, match="infinite without one of 1 of the 2 clusters"):
        utility(constant_clusters(), measure, rng=np.random.default_rng(1))
    with pytest.raises(NotApplicable, match=r"infinite in \d+ of 99 bootstrap samples"):
        bootstrap(constant_clusters(), measure, method="percentile", draws=99, rng=1)
    found = ac.assess(constant_clusters(), ["standardised_net_benefit"], draws=99, rng=1)
    assert found.estimates[0].interval is None
    assert str(found.estimates[0].remark).startswith("no interval: the value is undefined or")


def test_infinite_replicates_of_one_sign_make_a_limit_infinite() -> None:
    values = np.concatenate([np.linspace(1, 5, 90), np.full(10, np.inf)])
    measure, cases = find("diagnostic_odds_ratio"), clustered(4, 10)
    found = from_replicates(measure, cases, values, method="percentile", estimate=2.0)
    assert (found.low, found.high) == (pytest.approx(values[2]), np.inf)
    both = np.append(values, -np.inf)
    with pytest.raises(NotApplicable, match="undefined or infinite in 11 of 101"):
        from_replicates(measure, cases, both, method="percentile", estimate=2.0)
