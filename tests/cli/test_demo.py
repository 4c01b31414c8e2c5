"""`abovechance demo`: bundled predictions, offline, in seconds."""

from pathlib import Path

import pytest

from abovechance.cli import main


def test_the_demo_assesses_the_bundled_example(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    assert main(["demo", "--report", str(report)]) == 0
    assert "Better than chance" in report.read_text("utf-8")
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("$ abovechance assess breast_cancer.csv --outcome outcome")
    assert "285 rows" in out
    assert "Area under the ROC curve" in out
    assert "0.991" in out
    assert "breast_cancer.csv" in out.splitlines()[-1]
