"""Sample sizes by stochastic search, against sizes by formula."""

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.studies import Binormal, GaussianPredictions, sample_size
from abovechance.studies.sizing import probit_line, smallest


def test_the_search_ends_near_the_formula_within_its_stated_error() -> None:
    gaps = []
    for seed in range(6):
        (size,) = sample_size(
            GaussianPredictions(), ["accuracy"], effect=1.0, replications=240, rng=seed
        ).sizes
        assert size.n is not None
        assert size.se is not None
        gaps.append((size.n - 45) / size.se)  # the exact power passes .8 at 42 and, for good, at 48
    assert np.abs(gaps).max() < 3.9


def test_a_better_model_needs_fewer_cases() -> None:
    sizes = [
        sample_size(Binormal(), ["auc"], effect=auc, replications=120, rng=1).sizes[0]
        for auc in (0.65, 0.8)
    ]
    assert [size.formula for size in sizes] == sorted((s.formula or 0 for s in sizes), reverse=True)
    assert (sizes[0].n or 0) > (sizes[1].n or 0)


def test_what_the_largest_size_does_not_reach_has_no_answer() -> None:
    found = sample_size(Binormal(), ["auc"], effect=0.55, largest=50, replications=40, rng=1)
    assert found.sizes[0].n is None
    assert found.cells == ()


def test_a_power_with_teeth_counts_from_the_last_one_below() -> None:
    assert smallest(lambda n: min(1.0, n / 50) - 0.1 * (n % 4 == 0), 0.8, 10_000) == 45


def test_the_probit_line_is_that_of_the_data() -> None:
    from scipy.special import ndtr

    x = np.array([2.0, 3.0, 4.0, 5.0])
    times = np.full(4, 1e6)
    line, covariance = probit_line(x, ndtr(-2 + 0.7 * x) * times, times)
    np.testing.assert_allclose(line, [-2.0, 0.7], rtol=1e-8)
    assert np.all(np.linalg.eigvalsh(covariance) > 0)


def test_a_target_below_the_level_is_refused() -> None:
    with pytest.raises(AboveChanceError, match="target must lie"):
        sample_size(Binormal(), ["auc"], effect=0.7, target=0.01)
