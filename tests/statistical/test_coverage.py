"""Intervals contain the true value as often as they say."""

import numpy as np
import pytest

from statistical import coverage


@pytest.mark.parametrize("n", [10, 20, 50, 100, 500])
def test_wilson_covers_on_average_and_never_far_below(n: int) -> None:
    found = coverage.share_coverage(n, np.linspace(0.02, 0.98, 97))
    assert 0.94 <= found.mean() <= 0.96
    assert found.min() >= 0.91


@pytest.mark.parametrize(("n1", "n0"), [(20, 20), (10, 40), (50, 50)])
def test_balanced_accuracy_covers_on_average_and_never_far_below(n1: int, n0: int) -> None:
    found = coverage.balanced_coverage(n1, n0, np.linspace(0.05, 0.95, 19))
    assert 0.94 <= found.mean() <= 0.96
    assert found.min() >= 0.91


BARRED = [i for i, row in enumerate(coverage.SETTINGS) if row[4]]
NAMES = [" · ".join(coverage.SETTINGS[i][:2]) for i in BARRED]


QUICK = [i for i in BARRED if coverage.SETTINGS[i][5] == 1]


@pytest.mark.part(3)
@pytest.mark.parametrize("index", QUICK, ids=lambda i: " · ".join(coverage.SETTINGS[i][:2]))
def test_default_interval_covers_in_a_small_simulation(index: int) -> None:
    found = coverage.simulate(index, 50, truth_cases=200_000)
    assert found.rate >= coverage.bar(found), found


@pytest.mark.slow
@pytest.mark.parametrize("index", BARRED, ids=NAMES)
def test_default_interval_covers(index: int) -> None:
    found = coverage.simulate(index, 5000)
    assert found.rate >= coverage.bar(found), found


def test_ignoring_clusters_loses_coverage() -> None:
    index = next(i for i, row in enumerate(coverage.SETTINGS) if "ignored" in row[1])
    assert coverage.simulate(index, 300, truth_cases=200_000).rate < 0.88
