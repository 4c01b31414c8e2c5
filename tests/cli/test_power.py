"""`abovechance power`: sizes, tables, pilots, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(1)
    y = (np.arange(60) < 24).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=60) + y)))
    file: Path = tmp_path_factory.mktemp("power") / "preds.csv"
    rows = [f"{a},{b:.6f}" for a, b in zip(y, p, strict=True)]
    file.write_text("\n".join(["outcome,probability", *rows]) + "\n")
    return str(file)


def joined(text: str) -> str:
    return " ".join(text.split())


def test_two_models_of_stated_areas_are_planned_for(capsys: Captured) -> None:
    asked = "power --auc .7 --auc2 .8 --correlation .6 --prevalence .3 --tests auc --n 100,200"
    assert main([*asked.split(), "--replications", "40"]) == 0
    out = joined(capsys.readouterr().out)
    assert "0.8" in out
    assert "correlate by 0.6" in out
    assert "Two-sided tests at level 0.05." in out
    assert main([*asked.split(), "--replications", "40", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["prevalence"] == 0.3
    assert found["effect_scale"] == "AUC of the second model"
    assert {cell["alternative"] for cell in found["cells"]} == {"two-sided"}
    assert "correlate by 0.6" in found["cells"][0]["setting"]
    assert found["cells"][0]["reference_method"] == "normal approximation"


def test_the_cases_that_tests_need_are_found(capsys: Captured) -> None:
    asked = "power --auc .8 --prevalence .4 --tests fisher,auc --target .8 --replications 120"
    assert main([*asked.split(), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    fisher, auc = found["sizes"]
    assert (fisher["statistic"], auc["statistic"]) == ("fisher", "auc")
    assert auc["n"] < fisher["n"]
    for size in (fisher, auc):
        low, high = size["interval"]
        assert low <= size["n"] <= high
        assert abs(size["n"] - size["formula"]) < 5 * size["se"] + 4
    assert found["cells"][0]["n"] == fisher["n"]


def test_a_pilot_gives_a_table_and_a_warning(capsys: Captured, pilot: str) -> None:
    asked = ["power", "--pilot", pilot, "--n", "20:60:20", "--tests", "auc,fisher"]
    assert main([*asked, "--replications", "40"]) == 0
    out = capsys.readouterr().out
    said = "Labels positive above 0.5. One-sided tests at level 0.05."
    assert said in joined(out)
    rows = [line.split() for line in out.splitlines() if line.startswith("  auc ")]
    assert [row[6] for row in rows] == ["20", "40", "60"]
    assert "optimistic" in out


def test_cells_have_the_fields_of_the_contract(capsys: Captured, pilot: str) -> None:
    asked = ["power", "--pilot", pilot, "--n", "20", "--tests", "brier", "--format", "json"]
    assert main([*asked, "--replications", "20", "--draws", "19"]) == 0
    found = json.loads(capsys.readouterr().out)
    (cell,) = found["cells"]
    wanted = "statistic design n effect power se replications reference reference_se"
    assert set(wanted.split()) <= cell.keys()
    assert "optimistic" in found["advice"][0]["text"]


def test_csv_has_a_row_for_each_cell(capsys: Captured) -> None:
    asked = "power --auc .7 --n 20,40 --tests auc,accuracy --replications 20 --format csv"
    assert main(asked.split()) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("statistic,design,n,effect,power,se,replications,reference")
    assert len(rows) == 5


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("--n 50", "give --auc for a model in mind, or --pilot"),
        ("--auc .7 --n 50 --target .8", "give one of them"),
        ("--auc .7 --n 5-0", "50:500:50; got '5-0'"),
        ("--auc .7 --n 50 --tests acu", "did you mean 'auc'?"),
        ("--auc .7 --prevalence 2 --n 50", "prevalence must lie between 0 and 1"),
        ("--auc .7 --target .01", "target must lie between alpha and 1"),
    ],
)
def test_wrong_questions_are_answered_in_one_line(capsys: Captured, asked: str, told: str) -> None:
    assert main(["power", *asked.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert err.count("\n") == 1


def test_a_pilot_of_folds_or_certain_probabilities_is_taken_with_a_remark(
    capsys: Captured, tmp_path: Path
) -> None:
    file = tmp_path / "preds.csv"
    rows = [f"{i % 2},{(i % 7) / 6:.3f},{i % 4},{1 + i % 2},{i % 5}" for i in range(42)]
    file.write_text("\n".join(["outcome,probability,part,times,site", *rows]) + "\n")
    asked = ["power", "--pilot", str(file), "--n", "20", "--replications", "20", "--draws", "19"]
    assert main([*asked, "--fold", "part"]) == 0
    out = capsys.readouterr().out
    assert "  log_score" not in out
    assert "[AC810] log_score is left out: 12 of 42 cases have p = 0 or 1." in out
    assert "[AC811]" in out
    assert main([*asked, "--counts", "times"]) == 0
    assert "18 of 63 cases" in capsys.readouterr().out
    for column in (["--groups", "site"], ["--weight", "times"]):
        assert main([*asked, *column]) == 2
        assert "drawn case by case" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("", "give --auc for a model in mind"),
        ("--auc .7 --keep .5", "--keep goes with --pilot"),
        ("--auc .7 --outcome y", "--outcome goes with --pilot"),
        ("--auc .7 --correlation .3", "--correlation goes with --versus"),
        ("--pilot x.csv --auc2 .8", "--versus goes with --auc"),
        ("--auc .7 --alpha 2", "--alpha must lie between 0 and 1; got 2.0. Pass 0.02 for 2 %"),
        ("--auc .7 --target 1.2", "'--target': 1.2 is not in the range"),
    ],
)
def test_what_has_no_meaning_is_refused_in_a_line(asked: str, said: str, capsys: Captured) -> None:
    assert main(["power", *asked.split()]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1
