"""Power of tests of signal agrees with the papers' figures and with theory."""

from pathlib import Path

import pytest
from scipy.stats import f, ncf

from statistical import rosenblatt

TABLE = Path(__file__).parent / "tables" / "rosenblatt.md"


@pytest.mark.parametrize("effect", rosenblatt.EFFECTS)
def test_quick_statistics_reach_the_papers_power(effect: float) -> None:
    rates = rosenblatt.simulate(rosenblatt.QUICK, effect, 100)
    assert not [rate for rate in rates if rate.inflated]
    assert not [cell for cell in rosenblatt.cells(rates) if abs(cell.z) > 3.9]


@pytest.mark.slow
def test_every_statistic_reaches_the_papers_power() -> None:
    rates = []
    for effect in rosenblatt.EFFECTS:
        rates += rosenblatt.simulate(rosenblatt.CHEAP, effect, 1000)
        rates += rosenblatt.simulate(rosenblatt.COSTLY, effect, 250)
    assert not [rate for rate in rates if rate.inflated]
    far = [abs(cell.z) for cell in rosenblatt.cells(rates)]
    assert max(far) <= 3.9
    assert sum(z > 3 for z in far) <= 0.02 * len(far)


def test_the_committed_table_holds_every_published_cell_and_passes() -> None:
    rows = [line.strip("| ").split(" | ") for line in TABLE.read_text("utf-8").splitlines()]
    cells = [r for r in rows if len(r) == 8 and r[7].isdigit()]
    far = [abs(float(r[6])) for r in cells if r[2] not in rosenblatt.AS_CODED.values()]
    assert len(far) == sum(len(study.expected) for study in rosenblatt.FIGURES.values())
    assert max(far) <= 3.9
    assert sum(z > 3 for z in far) <= 0.02 * len(far)
    assert len(cells) == len(far) + 3 * len(rosenblatt.AS_CODED)
    sizes = [(float(r[1]), int(r[2])) for r in rows if len(r) == 3 and r[2].isdigit()]
    assert len(sizes) == len(rosenblatt.EVERY)
    assert not [s for s, runs in sizes if s > 0.05 + 3.5 * (0.05 * 0.95 / runs) ** 0.5]


def test_hotelling_has_the_power_of_the_noncentral_f() -> None:
    n, p = rosenblatt.N, rosenblatt.P
    level = 16 / 301  # the effective size of the papers' rule
    theory = ncf.sf(f.isf(level, p, n - p - 1), p, n - p - 1, n / 4 * p * 0.25)
    (rate,) = rosenblatt.simulate(("hotelling",), 0.5, 300)
    assert abs(rate.papers_rule - theory) < 3.9 * (theory * (1 - theory) / 300) ** 0.5
