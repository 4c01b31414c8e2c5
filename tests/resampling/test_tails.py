"""The comparison of an observed statistic with its null."""

import math
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.resampling import exceedances, p_values, tail

NULL = [1.0, 2.0, 2.0, 3.0]


def test_ties_count_and_one_is_added() -> None:
    found = tail(2.0, NULL)
    assert (found.exceed, found.draws, found.p_value, found.p_strict) == (3, 4, 0.8, 0.2)


def test_an_enumerated_null_already_holds_the_observed_arrangement() -> None:
    found = tail(2.0, NULL, exact=True)
    assert (found.p_value, found.p_strict) == (0.75, 0.25)


def test_p_is_never_zero() -> None:
    assert tail(9.0, NULL).p_value == 0.2
    assert tail(9.0, NULL, exact=True).p_value == 0.25
    assert tail(-9.0, NULL, alternative="less").p_value == 0.2


def test_the_lower_tail_is_the_upper_one_of_the_negative() -> None:
    less = tail(2.0, NULL, alternative="less")
    assert less.p_value == tail(-2.0, np.negative(NULL)).p_value == 0.8


def test_two_sided_is_twice_the_smaller_tail_and_at_most_one() -> None:
    assert tail(3.0, NULL, alternative="two-sided").p_value == 0.8
    assert tail(2.0, NULL, alternative="two-sided").p_value == 1.0


def test_two_sided_about_a_centre_counts_distances() -> None:
    found = tail(-2.0, [-3.0, -1.0, 1.0, 2.0, 3.0], alternative="two-sided", center=0.0)
    assert found.exceed == 3
    assert found.p_value == 4 / 6


def test_sums_in_another_order_are_ties() -> None:
    values = np.random.default_rng(1).normal(size=2_000) * 1e3
    rng = np.random.default_rng(2)
    null = [sum(rng.permutation(values)) for _ in range(50)]
    assert len(set(null)) > 1
    assert tail(math.fsum(values), null).exceed == 50


def test_values_that_differ_are_told_apart() -> None:
    # neighbours 1e-6 of the spread apart, far from zero
    null = 1e6 + np.linspace(0, 1, 1_000_001)
    assert tail(float(null[500_000]), null, exact=True).exceed == 500_001


def test_an_undefined_null_value_counts_and_is_reported() -> None:
    found = tail(9.0, [1.0, math.nan, 2.0])
    assert (found.exceed, found.undefined, found.p_value, found.p_strict) == (1, 1, 0.5, 0.25)


def test_an_undefined_observed_value_has_no_p() -> None:
    found = tail(math.nan, NULL)
    assert math.isnan(found.p_value)
    assert math.isnan(found.p_strict)


def test_infinite_values_have_their_order() -> None:
    null = [-math.inf, 0.0, 1.0, math.inf]
    assert tail(math.inf, null).exceed == 1
    assert tail(-math.inf, null).exceed == 4
    assert tail(0.5, null).exceed == 2


def test_many_statistics_at_once_have_the_p_values_of_each() -> None:
    rng = np.random.default_rng(3)
    null, observed = rng.integers(0, 9, (99, 4)).astype(float), np.array([0.0, 4.0, 8.0, np.nan])
    for alternative in ("greater", "less", "two-sided"):
        each = [
            tail(o, n, alternative=alternative).p_value
            for o, n in zip(observed, null.T, strict=True)
        ]
        assert np.array_equal(
            p_values(observed, null, alternative=alternative), each, equal_nan=True
        )


def test_a_map_of_statistics_has_the_p_values_of_each() -> None:
    rng = np.random.default_rng(4)
    null, observed = rng.normal(size=(49, 90)).round(1), rng.normal(size=90).round(1)
    each = [tail(o, n, exact=True).p_value for o, n in zip(observed, null.T, strict=True)]
    assert np.array_equal(p_values(observed, null, exact=True), each)
    square = p_values(observed.reshape(9, 10), null.reshape(49, 9, 10), exact=True)
    assert np.array_equal(square.ravel(), each)


def test_exceedances_are_what_the_tail_counts() -> None:
    assert exceedances(2.0, NULL).sum() == tail(2.0, NULL).exceed
    assert exceedances(-2.0, [-2.0, 2.0, 1.0], alternative="two-sided", center=0.0).sum() == 2
    with pytest.raises(AboveChanceError, match="centre"):
        exceedances(2.0, NULL, alternative="two-sided")


def test_the_randomised_p_is_uniform() -> None:
    # a coarse statistic: the weak p is conservative, the strict one too small
    rng = np.random.default_rng(4)
    values = []
    for _ in range(4_000):
        drawn = rng.binomial(4, 0.5, size=20).astype(float)
        found = tail(drawn[0], drawn[1:])
        values.append(found.p_strict + rng.random() * (found.p_value - found.p_strict))
    steps = np.sort(values)
    distance = np.max(np.abs(steps - (np.arange(4_000) + 0.5) / 4_000)) + 0.5 / 4_000
    assert distance < 1.95 / math.sqrt(4_000)  # Kolmogorov–Smirnov, 0.1 %


def test_bad_questions_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="'greater', 'less' or 'two-sided'"):
        tail(1.0, NULL, alternative="more")  # type: ignore[arg-type]
    with pytest.raises(AboveChanceError, match="row of draws"):
        tail(1.0, [])


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("exact", [False, True])
def test_one_statistic_has_the_p_that_it_has_among_many(alternative: Any, exact: bool) -> None:
    rng = np.random.default_rng(5)
    null = rng.normal(size=(50, 80)).round(1)
    observed = rng.normal(size=80).round(1)
    observed[:4] = np.nan, np.inf, -np.inf, 1e308
    null[3, 3:9] = np.nan, np.inf, -np.inf, -1e308, 1e-300, 0.0
    how: Any = {"alternative": alternative, "exact": exact}
    with np.errstate(over="ignore"):
        many = p_values(observed, null, **how)
        each = [
            tail(one, column, **how).p_value for one, column in zip(observed, null.T, strict=True)
        ]
    np.testing.assert_array_equal(each, many)
