"""Sequential tests: the published boundaries, runs on fixed streams, and the promised risk."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.errors import AboveChanceError
from abovechance.resampling import BesagClifford, Sequential, boundaries

CASES = json.loads((Path(__file__).parents[1] / "references" / "simctest.json").read_text("utf-8"))[
    "cases"
]
DECISIONS = {"p<=level": "p <= level", "p>level": "p > level", None: None}


def chosen(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["id"].startswith(kind)]


def run(case: Any, *parts: int) -> Any:
    given = case["input"]
    bits = np.array([bit == "1" for bit in given["bits"]])
    rule = Sequential(given["level"], given["epsilon"], given["maxsteps"], given["halfspend"])
    return rule.run(np.split(bits, parts))


@pytest.mark.parametrize("case", chosen("bounds"))
def test_boundaries_are_the_published_ones(case: Any) -> None:
    given = case["input"]
    upper, lower = boundaries(
        given["level"], given["epsilon"], given["n"], half_spent=given["halfspend"]
    )
    assert upper.tolist() == case["expected"]["U"]["simctest"]
    assert lower.tolist() == case["expected"]["L"]["simctest"]


@pytest.mark.parametrize("case", chosen("bern"))
def test_runs_stop_where_the_reference_does(case: Any) -> None:
    expected = {name: value["simctest"] for name, value in case["expected"].items()}
    found = run(case)
    assert (found.steps, found.exceed) == (expected["steps"], expected["pos"])
    assert found.decision == DECISIONS[expected["decision"]]
    assert found.estimate == pytest.approx(expected["beyond_acc_p"], rel=1e-15)
    assert found.p_value == (expected["pos"] + 1) / (expected["steps"] + 1)


@pytest.mark.parametrize("case", chosen("bern"))
def test_how_the_stream_is_cut_does_not_matter(case: Any) -> None:
    assert run(case) == run(case, 1, 2, 40, 40, 1000)


@pytest.mark.parametrize("case", chosen("bern"))
def test_bounds_of_the_estimate_if_continued(case: Any) -> None:
    expected = case["expected"]["bounds_if_continued"]["simctest"]
    assert run(case).bounds() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("case", chosen("bern"))
def test_intervals_of_p(case: Any) -> None:
    low, high = case["expected"]["confint95"]["simctest"]
    found = run(case)
    if found.decision is None:
        # the reference orders undecided runs only by what they may become: its interval is wider
        assert low < found.interval()[0] < found.estimate < found.interval()[1] < high
    else:
        assert found.interval() == pytest.approx((low, high), abs=1e-5)  # its root tolerance


def test_an_undecided_interval_covers_p() -> None:
    rng = np.random.default_rng(1)
    for p in (0.04, 0.07):
        found = [Sequential(steps=200).run([rng.random(200) < p]).interval(0.9) for _ in range(200)]
        covered = np.mean([low <= p <= high for low, high in found])
        assert covered > 0.9 - 3 * np.sqrt(0.9 * 0.1 / 200)


def test_the_risk_of_a_wrong_decision_is_kept() -> None:
    # p just above and below the level, a large risk so that breaking it would show
    rng = np.random.default_rng(2)
    rule = Sequential(alpha=0.05, risk=0.05, steps=2_000, half_spent=10)
    for p, wrong in ((0.055, "p <= level"), (0.045, "p > level")):
        decisions = [rule.run([rng.random(2_000) < p]).decision for _ in range(1_000)]
        assert decisions.count(wrong) / 1_000 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1_000)
        assert len({*decisions}) == 3


def test_a_stream_is_not_read_further_than_needed() -> None:
    read = []

    def blocks() -> Any:
        for number in range(100):
            read.append(number)
            yield np.ones(10, dtype=bool)

    assert Sequential().run(blocks()).steps == 5
    assert read == [0]


def test_besag_and_clifford_stop_at_the_last_exceedance_wanted() -> None:
    rng = np.random.default_rng(3)
    bits = rng.random(5_000) < 0.1
    found = BesagClifford(exceedances=10, draws=999).run(np.split(bits, [7, 30]))
    last = int(np.flatnonzero(bits)[9]) + 1
    assert (found.steps, found.exceed, found.p_value) == (last, 10, 10 / last)
    low, high = found.interval()
    assert low < 0.1 < high


def test_besag_and_clifford_fall_back_to_all_draws() -> None:
    bits = np.zeros(2_000, dtype=bool)
    bits[:3] = True
    found = BesagClifford(exceedances=10, draws=999).run([bits])
    assert (found.steps, found.p_value) == (999, 4 / 1000)


def test_besag_and_cliffords_p_is_valid() -> None:
    # under the null the observed value is exchangeable with the draws
    rng = np.random.default_rng(4)
    p = []
    for _ in range(2_000):
        values = rng.random(100)
        p.append(BesagClifford(exceedances=5, draws=99).run([values[1:] >= values[0]]).p_value)
    for level in (0.05, 0.1, 0.3):
        assert np.mean(np.array(p) <= level) < level + 3 * np.sqrt(level * (1 - level) / 2_000)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(AboveChanceError, match="0 < alpha < 1"):
        boundaries(alpha=1.5)
    with pytest.raises(AboveChanceError, match="at least one draw"):
        Sequential().run([])
