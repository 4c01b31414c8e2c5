"""Among noise no more features are stable than the bound says."""

import re
from pathlib import Path

import numpy as np
import pytest

from statistical import false_stable
from statistical.false_stable import SETTINGS

TABLE = Path(__file__).parent / "tables" / "false_stable.md"


def test_selectors_of_noise_in_a_small_simulation() -> None:
    found = false_stable.simulate(SETTINGS[1], 12, seed=1)[0]
    assert found.within >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 12)
    assert found.stable.mean() <= found.bounds["unimodal"]


def test_features_that_matter_would_break_the_bound(monkeypatch) -> None:
    """The simulation can fail: features that matter are stable more often than noise."""
    noise = false_stable.noise

    def signal(setting, rng):
        X, y = noise(setting, rng)
        return X + 2.0 * y[:, None] * (np.arange(setting.features) < 3), y

    monkeypatch.setattr(false_stable, "noise", signal)
    found = false_stable.simulate(SETTINGS[1], 3, seed=1)[0]
    assert found.within == 0
    assert found.stable.mean() > found.bounds["unimodal"]


def test_the_table_holds_the_bar_in_every_setting() -> None:
    text = TABLE.read_text("utf-8")
    runs = int(re.search(r"(\d+) tables of noise", text)[1])
    assert runs >= 500
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == sum(len(setting.measures) or 1 for setting in SETTINGS)
    for *_, mean, within, _, _, unimodal, _ in rows:
        assert float(within) >= 0.95
        assert float(mean) <= float(unimodal)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.what)
def test_every_setting(setting) -> None:
    for found in false_stable.simulate(setting, 100, seed=2):
        assert found.within >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)
        assert found.stable.mean() <= found.bounds["unimodal"]
