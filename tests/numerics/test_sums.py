"""One reading of outcomes and probabilities."""

from dataclasses import asdict

import numpy as np
import pytest

from abovechance.numerics.sums import probability_sums


def test_published_log_loss_and_brier_score(reference, path):
    for case in reference("rank_statistics")["cases"]:
        y, p = np.array(case["input"]["y"]) == 1, np.array(case["input"]["p"])
        sums = probability_sums(y, p)
        for name, found in (("log_loss", -sums.sum_log), ("brier", sums.sum_squares)):
            for expected in case["expected"].get(name, {}).values():
                np.testing.assert_allclose(found / y.size, expected, rtol=1e-12, err_msg=case["id"])


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 1000])
def test_sums_equal_a_loop_over_cases(n, path):
    rng = np.random.default_rng(n)
    positive, p = rng.random(n) < 0.3, np.round(rng.random(n), 3) * 0.99 + 0.005
    given = np.where(positive, p, 1 - p)
    expected = {
        "n": n,
        "n_positive": positive.sum(),
        "sum_p": sum(p),
        "sum_p_positive": sum(p[positive]),
        "sum_squares": sum((1 - given) ** 2),
        "sum_log": sum(np.log(given)),
        "impossible": 0,
        "tp": sum(positive & (p > 0.4)),
        "fp": sum(~positive & (p > 0.4)),
        "lowest": min(p),
        "highest": max(p),
        "nans": 0,
    }
    found = asdict(probability_sums(positive, p, 0.4))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-13, err_msg=name)


def test_the_threshold_itself_is_not_above_it(path):
    sums = probability_sums(np.array([True, False, True]), np.array([0.5, 0.5, 0.6]))
    assert (sums.tp, sums.fp) == (1, 0)


def test_impossible_events_that_happened_are_counted(path):
    positive = np.arange(40) % 2 == 0
    p = np.where(positive, 0.9, 0.2)
    p[[0, 1, 4, 5]] = [0, 1, 1, 0]
    sums = probability_sums(positive, p)
    assert sums.sum_log == -np.inf
    assert sums.impossible == 2
    assert (sums.lowest, sums.highest) == (0, 1)


def test_tiny_probabilities_lose_no_digits(path):
    """Their product would be below the smallest number there is."""
    p = np.full(64, 1e-200)
    sums = probability_sums(np.ones(64, dtype=bool), p)
    np.testing.assert_allclose(sums.sum_log, 64 * np.log(1e-200), rtol=1e-14)
    assert sums.impossible == 0


@pytest.mark.parametrize(
    ("wrong", "lowest", "highest", "nans"),
    [
        (np.nan, 0.25, 0.75, 1),
        (-0.5, -0.5, 0.75, 0),
        (1.5, 0.25, 1.5, 0),
        (np.inf, 0.25, np.inf, 0),
    ],
)
def test_values_that_are_no_probabilities_show(wrong, lowest, highest, nans, path):
    p = np.array([0.25, 0.75] * 20 + [wrong])
    sums = probability_sums(np.arange(41) % 3 == 0, p)
    assert (sums.lowest, sums.highest, sums.nans) == (lowest, highest, nans)


def test_negative_zero_is_zero(path):
    sums = probability_sums(np.array([False, True]), np.array([-0.0, 0.5]))
    assert sums.lowest == 0
    np.testing.assert_allclose(sums.sum_log, np.log(0.5))
