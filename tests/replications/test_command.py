"""`abovechance reproduce`: names, one document of several studies, and what is refused."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main

Captured = pytest.CaptureFixture[str]
QUICK = ["reproduce", "all", "--statistics", "sd", "--replications", "1", "--format"]


def test_the_list_names_every_study(capsys: Captured) -> None:
    assert main(["reproduce"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"rosenblatt-fig10b", "dinga-power-data-pima", "dinga-compare-data", "all"} <= {*names}


def test_several_studies_are_one_document(capsys: Captured) -> None:
    assert main([*QUICK, "json"]) == 0
    out, err = capsys.readouterr()
    studies = json.loads(out)
    assert len({study["title"] for study in studies}) == len(studies) == 14
    assert "real tables are left out" in err
    assert main([*QUICK, "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == sum(len(study["cells"]) for study in studies)
    assert {row["statistic"] for row in rows} == {"sd"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["rosenblatt-fig5b", "--statistics", "sd,hotteling"], "did you mean 'Hotelling'"),
        (["rosenblatt-fig5b", "--statistics", ","], "names none"),
        (["all", "--statistics", "sd,nothing"], "no statistic 'nothing' in these 20 studies"),
        (["rosenblatt-fig5b", "--pages", __file__], "must be a folder"),
        (["rosenblatt-fig5c"], "did you mean 'rosenblatt-fig5"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_line(
    asked: list[str], said: str, capsys: Captured
) -> None:
    assert main(["reproduce", *asked]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, len(err.splitlines())) == ("", 1)


def test_absent_tables_are_named(capsys: Captured, tmp_path: Path) -> None:
    rows = [f"{i},{i % 3},{'RM'[i % 2]}" for i in range(200)]
    (tmp_path / "mlbench_Sonar.csv").write_text("\n".join(["a,b,Class", *rows]) + "\n")
    data = ["--data", str(tmp_path), "--replications", "1"]
    assert main(["reproduce", "dinga-power-data-pima", *data]) != 0
    assert "needs mlbench_PimaIndiansDiabetes.csv in" in capsys.readouterr().err
    assert main(["reproduce", "dinga-power-data", "--statistics", "AUC", *data]) == 0
    out, err = capsys.readouterr()
    assert "dinga-power-data-sonar" in out
    assert "for want of a table" in err
    assert "kernlab_musk.csv" in err


def test_a_study_is_reproduced_beside_its_published_values(
    capsys: Captured, tmp_path: Path
) -> None:
    asked = ["reproduce", "rosenblatt-fig5b", "--statistics", "sd,Hotelling"]
    assert main([*asked, "--replications", "20", "--pages", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "0.532" in out
    assert "comparisons: largest |z|" in out
    assert "Departure: p = k/B without +1" in out
    assert "| sd | 40 | 0.25 |" in (tmp_path / "rosenblatt-fig5b.md").read_text("utf-8")


def test_studies_are_listed_and_misspelt_ones_refused(capsys: Captured) -> None:
    assert main(["reproduce"]) == 0
    assert "dinga-power-simulated" in capsys.readouterr().out
    assert main(["reproduce", "dinga-compar"]) == 2
    assert "did you mean 'dinga-compare'?" in capsys.readouterr().err


def test_a_study_of_real_tables_says_what_it_needs(capsys: Captured, tmp_path: Path) -> None:
    assert main(["reproduce", "dinga-power-data"]) == 2
    assert "needs --data DIR" in capsys.readouterr().err
    assert main(["reproduce", "dinga-power-data", "--data", str(tmp_path)]) == 2
    assert "come with R's mlbench" in capsys.readouterr().err


def test_a_real_table_is_drawn_from(capsys: Captured, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{rng.normal() + 3 * (i % 2):.4f},{'pos' if i % 2 else 'neg'}" for i in range(200)]
    (tmp_path / "mlbench_PimaIndiansDiabetes.csv").write_text("\n".join(["mass,diabetes", *rows]))
    asked = ["reproduce", "dinga-power-data", "--data", str(tmp_path), "--statistics", "AUC"]
    assert main([*asked, "--replications", "3", "--format", "json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert len(cells) == 8
    assert cells[-1]["power"] == 1.0


def test_models_are_compared_on_a_real_table(capsys: Captured, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [f"{rng.normal() + (i % 2):.4f},{'R' if i % 2 else 'M'}" for i in range(240)]
    (tmp_path / "mlbench_Sonar.csv").write_text("\n".join(["V1,Class", *rows]))
    asked = ["reproduce", "dinga-compare-data-sonar", "--data", str(tmp_path), "--format", "json"]
    assert main([*asked, "--statistics", "Brier,accuracy", "--replications", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["cells"]) == 10
    assert "least power" in found["findings"][1]
    assert main([*asked[:1], "dinga-compare-data-sonor", *asked[2:]]) == 2
    assert "did you mean 'dinga-compare-data-sonar'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("rosenblatt-fig5b --picture x.bmp", "must end in .svg, .png or .pdf"),
        ("rosenblatt-fig5b --picture nowhere/x.png", "lie in a folder that is there"),
        ("all --picture x.png", "--picture draws one study"),
        ("all --statistics nothing", "no statistic 'nothing' in these 20 studies"),
        ("dinga-compare-data", "needs --data DIR"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_it_is_run(
    capsys: Captured, asked: str, told: str
) -> None:
    assert main(["reproduce", *asked.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_study_is_drawn(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"study.{suffix}"
    asked = ["reproduce", "rosenblatt-fig5b", "--statistics", "sd,Oracle", "--replications", "3"]
    assert main([*asked, "--picture", str(file)]) == 0
    first = file.read_bytes()
    assert 2_000 < len(first) < 100_000
    assert main([*asked, "--picture", str(file)]) == 0
    assert file.read_bytes() == first
