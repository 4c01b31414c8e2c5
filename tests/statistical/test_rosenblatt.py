"""Power of tests of signal agrees with the papers' figures and with theory."""

import pytest
from scipy.stats import f, ncf

from statistical import rosenblatt


@pytest.mark.parametrize("effect", rosenblatt.EFFECTS)
def test_cheap_statistics_reach_the_papers_power(effect: float) -> None:
    for cell in rosenblatt.simulate(rosenblatt.CHEAP, effect, 100):
        assert abs(cell.z) <= 3.9, cell


@pytest.mark.slow
@pytest.mark.parametrize("effect", rosenblatt.EFFECTS)
def test_every_statistic_reaches_the_papers_power(effect: float) -> None:
    for cell in rosenblatt.simulate(tuple(rosenblatt.FIGURE_5B), effect, 1000):
        assert abs(cell.z) <= 3.9, cell


def test_hotelling_has_the_power_of_the_noncentral_f() -> None:
    n, p = rosenblatt.N, rosenblatt.P
    level = 16 / 301  # the effective size of the papers' rule
    theory = ncf.sf(f.isf(level, p, n - p - 1), p, n - p - 1, n / 4 * p * 0.25)
    (cell,) = rosenblatt.simulate(("hotelling",), 0.5, 300)
    assert abs(cell.rate - theory) < 3.9 * (theory * (1 - theory) / 300) ** 0.5
