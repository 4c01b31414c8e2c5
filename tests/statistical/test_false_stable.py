"""Among noise no more features are stable than the bound says."""

from pathlib import Path

import numpy as np
import pytest

from statistical import false_stable
from statistical.false_stable import SETTINGS


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


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.what)
def test_every_setting(setting) -> None:
    for found in false_stable.simulate(setting, 100, seed=2):
        assert found.within >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)
        assert found.stable.mean() <= found.bounds["unimodal"]


def test_the_committed_table_keeps_the_bounds_on_the_mean() -> None:
    text = (Path(__file__).parent / "tables/false_stable.md").read_text("utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    assert {row["selection"] for row in rows} == {one.what for one in SETTINGS}
    for row in rows:
        assert (
            float(row["mean stable"]) <= float(row["unimodal"]) < float(row["bound, no assumption"])
        )
        assert float(row["within"]) >= 0.95
