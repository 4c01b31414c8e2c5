"""Settings in which an answer once misled hold their bars."""

import json
from pathlib import Path

import numpy as np
import pytest

from statistical.seams.seam import Measured, Seam, collected, measure, summary

SEAMS = collected()
TABLES = Path(__file__).parent / "tables" / "seams"


@pytest.mark.part(3)
@pytest.mark.parametrize("chosen", SEAMS, ids=lambda s: s.name)
def test_a_seam_holds_in_a_few_replications(chosen: Seam) -> None:
    found = summary(measure(chosen, 15))
    # a share from so few can only show what is far off: three of its own errors, at least
    assert found.holds(chosen), found


@pytest.mark.slow
@pytest.mark.parametrize("chosen", SEAMS, ids=lambda s: s.name)
def test_a_seam_holds(chosen: Seam) -> None:
    found = summary(measure(chosen, 2000))
    assert found.holds(chosen), found


@pytest.mark.parametrize("chosen", SEAMS, ids=lambda s: s.name)
def test_the_committed_figure_of_a_seam_holds(chosen: Seam) -> None:
    figures = json.loads((TABLES / f"{chosen.module}.json").read_text("utf-8"))
    kept = figures[chosen.name]["after"]
    numbers = [np.nan if kept[k] is None else kept[k] for k in ("value", "error")]
    found = Measured(*numbers, kept["replications"], kept["unanswered"])
    assert found.replications >= (1 if chosen.fixed else 2000)
    assert found.holds(chosen), found
