"""Sizes for the width of an interval: formulas, the search, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.cli import main
from abovechance.errors import AboveChanceError
from abovechance.measures import find
from abovechance.studies import (
    Binormal,
    BinormalPair,
    GaussianPredictions,
    PrecisionSize,
    Predicted,
    expected_width,
)
from abovechance.studies.sample_sizes import Intervals, Simulated


def simulated(design: Any, measure: str, n: int, effect: float, times: int = 150) -> Simulated:
    chosen = find(measure).for_outcome("binary")
    work = Intervals(design, chosen, n, effect, 0.95, 199)
    return Simulated(n, work(np.random.default_rng(7), times))


@pytest.mark.parametrize("measure", ["accuracy", "sensitivity", "specificity"])
@pytest.mark.parametrize("design", [Binormal(0.3, threshold=0.4), GaussianPredictions()])
def test_widths_of_shares_are_enumerated(measure: str, design: Any) -> None:
    seen = simulated(design, measure, 60, 0.75)
    known, method = expected_width(design, measure, 60, 0.75) or (0.0, "")
    assert method == "Wilson, enumerated"
    assert abs(seen.mean - known) < 4 * seen.error


@pytest.mark.parametrize(
    ("measure", "n", "apart"),
    [("calibration_slope", 2000, 0.03), ("observed_expected_ratio", 300, 0.03)],
)
def test_widths_of_calibration_are_those_of_large_samples(
    measure: str, n: int, apart: float
) -> None:
    seen = simulated(Binormal(0.2), measure, n, 0.8, times=60)
    known, _ = expected_width(Binormal(0.2), measure, n, 0.8) or (0.0, "")
    assert abs(seen.mean / known - 1) < apart


def test_the_slope_of_a_calibrated_model_has_the_error_of_its_maximum_likelihood() -> None:
    """The formula against the spread of slopes in one large sample's bootstrap-free replicates."""
    design, n = Binormal(0.3), 2000
    rng = np.random.default_rng(3)
    slope = find("calibration_slope")
    slopes = []
    for _ in range(120):
        sample = design(n, 0.75, rng)
        slopes.append(slope(sample.positive, sample.probability))
    width, _ = expected_width(design, "calibration_slope", n, 0.75) or (0.0, "")
    spread = np.std(slopes, ddof=1)
    assert abs(spread - width / (2 * 1.96)) < 4 * spread / np.sqrt(2 * 120)


def test_the_ratio_of_events_has_at_most_the_width_of_rileys_first_criterion() -> None:
    """With no information in the predictions both are one; with some, outcomes vary less."""
    for area, n in ((0.501, 500), (0.8, 500)):
        width, _ = expected_width(Binormal(0.2), "observed_expected_ratio", n, area) or (0.0, "")
        riley = 2 * np.sinh(1.959964 * np.sqrt(0.8 / (0.2 * n)))
        assert width < riley
        if area < 0.6:
            assert width == pytest.approx(riley, rel=1e-3)


def test_an_area_has_no_narrower_interval_than_its_standard_error_allows() -> None:
    """`assess` shows on each side the wider limit of two methods."""
    seen = simulated(Binormal(0.2), "auc", 300, 0.8, times=60)
    known, _ = expected_width(Binormal(0.2), "auc", 300, 0.8) or (0.0, "")
    assert known < seen.mean < 1.3 * known


def test_there_is_no_formula_for_other_measures_or_designs() -> None:
    assert expected_width(Binormal(), "brier", 100, 0.7) is None
    assert expected_width(GaussianPredictions(), "calibration_slope", 100, 1.0) is None
    assert expected_width(BinormalPair(), "auc", 100, 0.7) is None


def test_the_search_finds_the_size_that_is_known() -> None:
    size = ac.sample_size(
        Binormal(0.2), effect=0.8, width=0.2, measure="sensitivity", replications=200, rng=2
    )
    (one,) = size.widths
    low, high = one.interval
    assert low <= one.n <= high
    assert one.formula == pytest.approx(one.n, rel=0.05)
    assert one.mean_width - 3 * one.width_se < 0.2 < one.mean_width + 3 * one.width_se
    assert one.measure == "sensitivity"
    hit = one.value
    assert 0.1 < hit < 0.5  # at a threshold of one half with a fifth of the cases positive


def test_a_size_is_enough_and_one_much_smaller_is_not() -> None:
    (one,) = ac.sample_size("brier", auc=0.75, width=0.06, replications=60, draws=99, rng=4).widths
    smaller = simulated(Binormal(), "brier", round(0.7 * one.n), 0.75, times=60)
    assert smaller.mean - 3 * smaller.error > 0.06
    assert one.formula is None


def test_several_measures_have_a_row_each_and_the_conditions_are_printed() -> None:
    size = ac.sample_size(
        auc=0.8,
        prevalence=0.2,
        width=0.25,
        measure=["accuracy", "oe_ratio"],
        replications=20,
        rng=1,
    )
    assert size.conditions == (
        "effect: AUC (0.8), prevalence 0.2, intervals as assess shows them at level 0.95"
    )
    assert str(size) == size.to_text()  # the table of the command, and no other
    said = " ".join(str(size).split())
    for part in ("mean width of 0.25", "AUC of 0.8", "20% of the cases", "assess", "95% intervals"):
        assert part in said
    assert said.index("Accuracy") < said.index("Observed to expected")
    assert size.to_csv().splitlines()[0].startswith("measure,title,design,effect,width,level,n")
    assert [row["measure"] for row in size.rows()] == ["accuracy", "observed_expected_ratio"]
    assert json.loads(size.to_json())["widths"][1]["measure"] == "observed_expected_ratio"
    assert str(size.widths[0]).startswith(f"accuracy: {size.widths[0].n} cases [")


def test_a_wider_level_needs_more_cases() -> None:
    sizes = [
        ac.sample_size(
            "accuracy", auc=0.7, width=0.2, confidence_level=level, replications=30, rng=1
        )
        for level in (0.9, 0.99)
    ]
    assert sizes[0].widths[0].n < 0.6 * sizes[1].widths[0].n
    assert [size.level for size in sizes] == [0.9, 0.99]


def test_a_design_of_ones_own_may_return_predictions_of_any_kind() -> None:
    def numbers(n: int, effect: float, rng: np.random.Generator) -> Any:
        value = rng.standard_normal(n)
        return ac.Numeric(effect * value + rng.standard_normal(n), value)

    size = ac.sample_size(
        numbers, effect=1.0, width=0.3, measure="mae", replications=30, draws=99, rng=1
    )
    assert isinstance(size, PrecisionSize)
    assert size.widths[0].measure == "mae"
    assert 40 < size.widths[0].n < 160


def test_samples_without_two_limits_are_left_out_and_said() -> None:
    def sometimes_separated(n: int, effect: float, rng: np.random.Generator) -> Predicted:
        sample = Binormal()(n, effect, rng)
        if rng.random() > 0.03:
            return sample
        return Predicted(sample.positive, np.where(sample.positive, 0.9, 0.1))

    (one,) = (
        size := ac.sample_size(
            sometimes_separated,
            effect=0.75,
            width=1.2,
            measure="calibration_slope",
            replications=100,
            rng=1,
        )
    ).widths
    assert 0 < one.unbounded < 10
    assert one.mean_width == pytest.approx(1.2, rel=0.1)
    assert [advice.code for advice in size.advice] == ["AC805"]
    assert f"{one.unbounded} of 100 samples" in size.advice[0].text


def test_where_the_largest_is_not_enough_no_size_is_given() -> None:
    size = ac.sample_size("auc", auc=0.7, width=0.02, largest=200, replications=20, rng=1)
    (one,) = size.widths
    assert (one.n, one.interval, one.mean_width) == (None, None, None)
    assert one.formula is None
    assert ">200" in str(size)
    assert "no size tried" in str(one)


def test_a_stopped_search_goes_on_from_its_store(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"width": 0.3, "auc": 0.7, "replications": 20, "rng": 1}
    store = str(tmp_path / "widths.db")
    first = ac.sample_size("accuracy", **settings, store=store)
    assert ac.sample_size("accuracy", **settings, store=store) == first
    assert ac.sample_size("accuracy", **settings) == first
    with pytest.raises(AboveChanceError, match="width"):
        ac.sample_size("accuracy", **{**settings, "width": 0.2}, store=store)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measure": "ece"}, "assess shows no interval of"),
        ({"measure": "auk"}, "auk"),
        ({"measure": "mse"}, "cannot be computed"),
        ({"measure": []}, "no measure was named"),
        ({}, 'as measure="auc"'),
        ({"measure": "auc", "tests": ["auc"]}, "give measure= instead of tests"),
        ({"measure": "auc", "design": BinormalPair()}, "the interval of one model's measure"),
        ({"measure": "auc", "design": "brier"}, "'brier' is no design"),
        ({"measure": "auc", "width": 0.0}, "width must be a finite number above 0"),
        ({"measure": "auc", "width": None}, "measure= goes with width="),
        ({"measure": "auc", "confidence_level": 95}, "confidence_level must lie between 0 and 1"),
    ],
)
def test_what_has_no_width_is_refused(given: dict[str, Any], said: str) -> None:
    settings = {"design": "binormal", "width": 0.1, "replications": 4, "rng": 1}
    with pytest.raises(AboveChanceError, match=re.escape(said)):
        ac.sample_size(**{**settings, **given})


def test_the_command_finds_a_size_for_a_width(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["power", "--width", ".2", "--measure", "sensitivity", "--auc", ".8"]
    asked += ["--prevalence", ".2", "--replications", "20", "--seed", "1"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "Cases needed" in out
    assert "mean width of 0.200" in " ".join(out.split())
    assert main([*asked, "--format", "json", "--level", ".9"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["level"] == 0.9
    (one,) = found["widths"]
    assert one["n"] == pytest.approx(one["formula"], rel=0.15)
    assert main([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("measure,")


def test_progress_never_goes_back_and_ends_at_the_whole() -> None:
    seen: list[tuple[int, int]] = []
    ac.sample_size(
        auc=0.7,
        width=0.3,
        measure=["accuracy", "auc"],
        replications=20,
        rng=1,
        progress=lambda done, whole: seen.append((done, whole)),
    )
    shares = [done / whole for done, whole in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_predictions_of_a_pilot_have_a_size_for_a_width(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pilot.csv"
    rows = [f"{i % 2},{0.3 + 0.2 * (i % 2) + (i % 7) / 20:.3f}" for i in range(60)]
    file.write_text("\n".join(["outcome,probability", *rows]) + "\n")
    asked = ["power", "--pilot", str(file), "--width", ".3", "--measure", "auc", "--seed", "1"]
    assert main([*asked, "--replications", "20", "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["widths"]
    assert one["design"] == "pilot"
    assert 10 < one["n"] < 100
    assert one["formula"] is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--width .1", "--width needs --measure"),
        ("--measure auc", "--measure goes with --width"),
        ("--level .9", "--level goes with --width"),
        ("--width .1 --measure auc --n 40", "--n about a power"),
        ("--width .1 --measure auc --tests auc", "--tests about a power"),
    ],
)
def test_options_of_widths_and_powers_are_not_mixed(
    asked: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", "--auc", ".8", *asked.split()]) == 2
    assert said in capsys.readouterr().err


def test_a_report_says_how_many_cases_are_needed() -> None:
    size = ac.sample_size(
        auc=0.8, prevalence=0.2, width=0.25, measure=["accuracy", "auc"], replications=20, rng=1
    )
    document = ac.report(size).document
    most = max(one.n for one in size.widths)
    assert document.verdict == f"{most} cases for intervals no wider than 0.250"
    assert "a calibrated model with an AUC of 0.8" in document.headline
    (table,) = document.tables
    assert [row[0].text for row in table.rows] == ["Accuracy", "Area under the ROC curve"]
    assert [row[1].value for row in table.rows] == [one.n for one in size.widths]
    none = ac.sample_size("auc", auc=0.7, width=0.02, largest=200, replications=20, rng=1)
    assert ac.report(none).document.verdict.startswith("More than 200 cases for")


@pytest.mark.parametrize(("n", "level"), [(0, 0.95), (1, 0.95), (2.5, 0.95), (50, 1.5), (50, "x")])
def test_a_width_by_formula_needs_cases_and_a_level(n: Any, level: Any) -> None:
    with pytest.raises(ac.AboveChanceError, match="must"):
        ac.studies.expected_width(ac.studies.Binormal(), "auc", n, 0.8, level=level)
