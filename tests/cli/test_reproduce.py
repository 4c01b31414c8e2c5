"""`abovechance reproduce`: names, one document of several studies, and what is refused."""

import csv
import io
import json
from pathlib import Path

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
        (["all", "--statistics", "sd,nothing"], "no statistic 'nothing' in these 19 studies"),
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
