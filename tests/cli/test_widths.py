"""Tables on narrow screens: names wrap, rows are stacked, numbers are never cut."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance import examples
from abovechance.cli import main
from abovechance.format import number, p_value
from abovechance.tabular import Cell, Column, Table, extent, text, wrapped

CANCER = [str(examples.path("breast_cancer")), "--outcome", "outcome", "--positive", "malignant"]
IRIS = [str(examples.path("iris")), "--outcome", "outcome"]
FEW = ["--draws", "99", "--seed", "1"]


@pytest.fixture
def grouped(tmp_path: Path) -> str:
    """Cases in two subgroups with long names."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=80)
    p = 1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=80)))
    group = np.array(["younger than forty years", "forty years and older"])[np.arange(80) % 2]
    lines = [f"{a},{b:.3f},{c}" for a, b, c in zip(y, p, group, strict=True)]
    path = tmp_path / "grouped.csv"
    path.write_text("\n".join(["y,p,group_of_age", *lines]), "utf-8")
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(list(argv)) == 0
    return capsys.readouterr().out


def cells(row: dict[str, Any]) -> list[str]:
    """What a table shows of an estimate."""
    interval = row["interval"]
    found = [number(_float(row["value"]), beside=interval)]
    if interval:
        found.append(f"{number(_float(interval['low']))} to {number(_float(interval['high']))}")
    if row["p_value"] is not None and row["draws"]:
        found.append(p_value(row["p_value"]))
    return found


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def whole(cell: str, text: str) -> bool:
    return re.search(rf"(^|\s){re.escape(cell)}(\s|$)", text, re.M) is not None


@pytest.mark.parametrize("width", [80, 60, 40])
@pytest.mark.parametrize("kind", ["binary", "classes", "subgroups"])
def test_every_number_of_an_assessment_is_whole(
    kind: str,
    width: int,
    grouped: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = ["--measures", "log_score,auc,accuracy,f1,ece,calibration_slope"]
    argv = {
        "binary": [*CANCER, "--probability", "p_texture"],
        "classes": [*IRIS, "--measures", "log_score,accuracy,f1_macro"],
        "subgroups": [grouped, "--outcome", "y", "--positive", "1", "--probability", "p",
                      "--by", "group_of_age", *few],
    }[kind]  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(width))
    text = printed(capsys, "assess", *argv, *FEW, "--all")
    facts = json.loads(printed(capsys, "assess", *argv, *FEW, "--format", "json"))
    assert "…" not in text
    assert max(extent(line) for line in text.splitlines()) <= width
    for row in facts["estimates"]:
        shown = cells(row) if row["class"] is None else cells(row)[:1]
        assert all(whole(cell, text) for cell in shown), (row["measure"], shown)
    if kind == "subgroups":
        assert [(s["n"], s["events"] > 0) for s in facts["subgroups"]] == [(40, True)] * 2
        assert all(whole(str(s["events"]), text) for s in facts["subgroups"])


@pytest.mark.parametrize("width", [80, 60])
def test_every_number_of_thresholds_and_curves_is_whole(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    argv = ["thresholds", *CANCER, "--probability", "p_texture", *FEW]
    text = printed(capsys, *argv)
    facts = json.loads(printed(capsys, *argv, "--format", "json"))
    assert "…" not in text
    assert max(extent(line) for line in text.splitlines()) <= width
    names = ("threshold", "value", "corrected", "sensitivity", "specificity", "net_benefit")
    for choice in facts["choices"]:
        assert all(whole(number(_float(choice[name])), text) for name in names), choice
    for kind in ("roc", "decision", "calibration"):
        text = printed(capsys, "curves", *CANCER, "--probability", "p_texture", "--kind", kind)
        assert "…" not in text
        assert max(extent(line) for line in text.splitlines()) <= width


def test_a_pipe_has_its_own_width_unless_one_is_stated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["assess", *CANCER, "--probability", "p_texture", *FEW]
    monkeypatch.delenv("COLUMNS", raising=False)
    assert 70 < max(map(len, printed(capsys, *argv).splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, printed(capsys, *argv).splitlines())) > 80


def test_a_table_too_wide_for_columns_is_stacked() -> None:
    columns = (Column("", "name"), *(Column(f"column {k}") for k in range(9)))
    numbers = tuple(f"{k}.123456789" for k in range(9))
    row = (Cell("a name"), *map(Cell, numbers))
    table = Table(columns=columns, rows=(row,), groups=("Section",), grouped_by="section")
    for width in (40, 30):
        printed = text([table], width)
        assert max(map(extent, printed.splitlines())) <= width
        assert all(whole(cell, printed) for cell in numbers)
    assert "column 3 3.123456789" in text([table], 40)


def test_names_wrap_and_are_never_cut() -> None:
    long = "x" * 50
    for width in (12, 20, 33):
        lines = wrapped(f"  a measure of {long} cases", width)
        assert max(map(extent, lines)) <= width
        assert "".join("".join(lines).split()) == f"ameasureof{long}cases"


def test_wide_letters_take_two_columns() -> None:
    rows = ((Cell("精度"), Cell("0.1")), (Cell("accuracy"), Cell("0.2")))
    table = Table(columns=(Column("", "name"), Column("value")), rows=rows)
    lines = text([table], 60).splitlines()
    assert [extent(line) for line in lines] == [extent(lines[0])] * 3
