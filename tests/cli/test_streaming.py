"""Large Parquet files on the command line: read in pieces when that can be done."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from abovechance.cli import input_files, main

COLUMNS = ["--outcome", "y", "--probability", "p"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    return written(tmp_path, 2_000)


def written(folder: Path, n: int, **more: Any) -> str:
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(1.5 * y - 1.3)))
    parquet.write_table(
        pa.table({"y": y.astype(np.int8), "p": p, **more}), folder / "cases.parquet"
    )
    return str(folder / "cases.parquet")


def assessed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["assess", *arguments, "--format", "json", "--seed", "1"]) == 0
    return json.loads(capsys.readouterr().out)


def codes(result: dict[str, Any]) -> set[str]:
    return {advice["code"] for advice in result["advice"]}


def test_a_small_file_is_read_at_once(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "AC461" not in codes(assessed(capsys, file, *COLUMNS, "--measures", "auc,brier"))


def test_a_small_file_is_read_in_pieces_on_demand(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    streamed = assessed(capsys, file, *COLUMNS, "--stream")
    whole = assessed(capsys, file, *COLUMNS, "--no-inference")
    assert "AC461" in codes(streamed)
    values = {e["measure"]: e["value"] for e in whole["estimates"]}
    for row in streamed["estimates"]:
        assert row["value"] == pytest.approx(values[row["measure"]], abs=1e-5), row["measure"]
    assert streamed["described"] == whole["described"]
    assert streamed["primary"] == whole["primary"] == "log_score"


def test_a_large_file_is_read_in_pieces_unasked(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "MANY_ROWS", 1_000)
    assert "AC461" in codes(assessed(capsys, file, *COLUMNS))
    asked = ["--measures", "auc,brier", "--no-stream"]
    assert "AC461" not in codes(assessed(capsys, file, *COLUMNS, *asked))


def test_a_large_file_is_read_at_once_where_that_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "MANY_ROWS", 1_000)
    path = written(tmp_path, 2_000, site=np.arange(2_000) % 40)
    few = [path, *COLUMNS, "--measures", "brier"]
    assert "AC461" in codes(assessed(capsys, *few))
    assert "AC461" not in codes(assessed(capsys, *few, "--groups", "site"))
    assert "AC461" not in codes(assessed(capsys, *few, "--by", "site"))


def test_a_file_is_large_by_rows_or_by_its_share_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(input_files, "memory", lambda: 8_000)
    assert input_files.is_large(2 * 10**7 + 1, 1)
    assert input_files.is_large(1, 2_001)
    assert not input_files.is_large(2 * 10**7, 2_000)
    monkeypatch.setattr(input_files, "memory", lambda: None)
    assert not input_files.is_large(1, 10**15)


def test_exact_ranks_on_demand(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    exact = assessed(capsys, file, *COLUMNS, "--stream", "--exact")
    whole = assessed(capsys, file, *COLUMNS, "--no-inference")
    values = {e["measure"]: e["value"] for e in whole["estimates"]}
    for row in exact["estimates"]:
        if row["measure"] in ("auc", "average_precision", "ks"):
            assert row["value"] == pytest.approx(values[row["measure"]], rel=1e-12)


def test_numbers_are_read_in_pieces_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    y = 10 + rng.normal(size=500)
    path = str(tmp_path / "numbers.parquet")
    parquet.write_table(pa.table({"y": y, "f": y + rng.normal(size=500)}), path)
    asked = [path, "--outcome", "y", "--value", "f"]
    streamed = assessed(capsys, *asked, "--stream")
    whole = assessed(capsys, *asked, "--no-inference")
    values = {e["measure"]: e["value"] for e in whole["estimates"]}
    assert streamed["outcome"] == "numeric"
    for row in streamed["estimates"]:
        assert row["value"] == pytest.approx(values[row["measure"]], rel=1e-10), row["measure"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--groups", "y"], "--groups needs all cases at once and does not go with --stream."),
        (["--by", "y"], "--by needs all cases at once"),
        (["--weight", "p"], "--weight needs all cases at once"),
        (["--sampling", "case-control"], "--sampling needs all cases at once"),
    ],
)
def test_what_needs_all_cases_is_refused_in_one_line(
    file: str, option: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess", file, *COLUMNS, "--stream", *option]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_text_files_are_not_read_in_pieces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n0,0.1\n")
    assert main(["assess", str(tmp_path / "a.csv"), "--stream"]) == 2
    assert "only Parquet files are read in pieces" in capsys.readouterr().err


def test_bad_data_far_down_are_named_by_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    p = np.full(70_000, 0.5)
    p[69_999] = 3.0
    parquet.write_table(pa.table({"y": np.arange(70_000) % 2, "p": p}), tmp_path / "a.parquet")
    assert main(["assess", str(tmp_path / "a.parquet"), *COLUMNS, "--stream"]) == 2
    assert "got 3 at row 70000" in capsys.readouterr().err


def test_a_report_of_a_stream_is_written(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert main(["assess", file, *COLUMNS, "--stream", "--report", str(page)]) == 0
    assert "Area under the ROC curve" in page.read_text("utf-8")


INTERRUPTED = """
import os, signal, sys
from abovechance.cli import main
from abovechance.io import arrow_files

def read(self, progress=None):
    yield from original(self, progress)
    os.kill(os.getpid(), signal.SIGINT)
    yield from original(self, progress)

original = arrow_files.StreamCases.read
arrow_files.StreamCases.read = read
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_leaves_one_line_and_nothing_else(file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "assess", file, *COLUMNS, "--stream"],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 3
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line and line]
    assert lines == ["abovechance: stopped before the end; nothing was written."]
