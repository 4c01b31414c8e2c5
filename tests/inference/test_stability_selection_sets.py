"""The index of stability: the authors' numbers, pairs of sets by hand, and its error."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.inference.stability_selection import (
    influence_variance,
    set_influences,
    set_stability,
)


def test_index_and_variance_are_the_authors(reference) -> None:
    found = [case for case in reference("selection")["cases"] if case["id"].startswith("index_")]
    assert len(found) == 3
    for case in found:
        chosen = np.array(case["input"]["chosen"], dtype=bool)
        expected = case["expected"]
        assert set_stability(chosen) == pytest.approx(expected["index"]["authors"], abs=1e-11)
        if "variance" in expected:
            variance = influence_variance(set_influences(chosen))
            assert variance == pytest.approx(expected["variance"]["authors"], abs=1e-13)


def test_of_sets_of_one_size_it_is_the_mean_of_kunchevas_similarity() -> None:
    """(r − k²/d)/(k − k²/d), r features in common: a plain loop over pairs of sets."""
    rng = np.random.default_rng(1)
    d, k = 12, 4
    chosen = np.array([np.isin(np.arange(d), rng.permutation(d)[:k]) for _ in range(9)])
    pairs = [((a & b).sum() - k**2 / d) / (k - k**2 / d) for a, b in combinations(chosen, 2)]
    assert set_stability(chosen) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_it_is_zero_on_average_by_chance_and_undefined_where_nothing_can_differ() -> None:
    rng = np.random.default_rng(2)
    sets = np.argsort(rng.random((400, 20, 15)), axis=2) < 4
    random = [set_stability(chosen) for chosen in sets]
    assert abs(np.mean(random)) < 4 * np.std(random) / 20
    assert np.isnan(set_stability(np.zeros((4, 3), dtype=bool)))
    assert np.isnan(set_stability(np.ones((4, 3), dtype=bool)))


def test_the_error_is_that_seen_over_many_runs() -> None:
    """Sets of independent features with unequal probabilities; then in dependent pairs."""
    rng = np.random.default_rng(3)
    often = np.array([0.9, 0.8, 0.5, 0.3, 0.1, 0.1, 0.05, 0.05])
    values, errors, paired, units = [], [], [], []
    for _ in range(400):
        chosen = rng.random((60, 8)) < often
        values.append(set_stability(chosen))
        errors.append(influence_variance(set_influences(chosen)))
        twice = np.repeat(chosen[:30], 2, axis=0)
        paired.append(set_stability(twice))
        unit = np.repeat(np.arange(30), 2)
        units.append(influence_variance(set_influences(twice), unit))
    assert np.mean(errors) == pytest.approx(np.var(values), rel=0.2)
    assert np.mean(units) == pytest.approx(np.var(paired), rel=0.25)
