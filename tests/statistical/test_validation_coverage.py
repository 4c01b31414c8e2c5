"""Intervals of validated values in small: those that are shown cover, the shifted ones do not."""

import re
from pathlib import Path

import numpy as np

from statistical import validation_coverage
from statistical.validation_coverage import Setting

TABLE = Path(__file__).parent / "tables" / "validation.md"


def test_the_interval_that_is_shown_covers_what_the_model_is_worth() -> None:
    cells = {
        (cell["way"], cell["measure"]): cell
        for cell in validation_coverage.cells(Setting("logistic", 120, 4), 16)
    }
    for name in ("auc", "brier", "calibration_slope"):
        assert cells["optimism", name]["given"] > 0.5
        assert cells["optimism", name]["model"] >= 0.75  # 12 of 16: p < 0.01 at a coverage of .95
    assert cells["optimism", "auc"]["width"] < 0.4


def test_the_committed_table_has_every_setting_and_its_intervals_cover() -> None:
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")]
        for line in TABLE.read_text("utf-8").splitlines()
        if re.match(r"\| (logistic|linear|boosting) ", line)
    ]
    settings = {(row[0], int(row[1]), int(row[2])) for row in rows}
    assert settings >= {(s.learner, s.n, s.features) for s in validation_coverage.SETTINGS}
    shown = [
        row for row in rows if row[4] == "optimism" and float(row[5]) >= 0.5 and row[1] != "60"
    ]
    assert np.mean([float(row[6]) for row in shown]) > 0.9
