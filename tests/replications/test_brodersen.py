"""The paper's two classifiers: its claims hold for our numbers, and the figure is drawn."""

from pathlib import Path
from typing import Any

import pytest

from abovechance.cli import main
from replications.brodersen import TABLES, figures


def test_the_tables_have_the_margins_of_the_paper() -> None:
    (tn, fp), (fn, tp) = TABLES["C1"]
    assert (tp + fn, tn + fp) == (70, 70)
    (tn, fp), (fn, tp) = TABLES["C2"]
    assert (tp + fn, tn + fp, tp + fp, tn + fn) == (45, 10, 48, 7)


def test_standard_errors_reach_above_one_and_posteriors_do_not() -> None:
    first = figures()["C1"]
    assert first.two_errors[1] > 1
    assert first.accuracy.interval().high < 1
    assert first.balanced.interval().high < 1
    for found in (first.accuracy, first.balanced):
        limits = found.interval()
        assert found.mode - limits.low > limits.high - found.mode  # the asymmetry it points out


def test_accuracy_deceives_where_balanced_accuracy_does_not(reference: Any) -> None:
    second = figures()["C2"]
    case = next(c for c in reference("brodersen_binary")["cases"] if c["id"] == "C2_TP40")
    expected = case["expected"]
    assert second.accuracy.prob_above(0.5) > 0.997
    assert 0.5 in second.balanced.interval()
    above = expected["ba_p_gt_half"]["exact"]
    assert second.balanced.prob_above(0.5) == pytest.approx(above, rel=1e-10)
    assert second.balanced.prob_above(0.5) == pytest.approx(0.826, abs=5e-4)
    assert second.balanced.median == pytest.approx(expected["ba_median"]["exact"], rel=1e-10)
    assert second.balanced.mode == pytest.approx(expected["ba_mode"]["exact"], rel=1e-10)
    limits = second.balanced.interval()
    target = expected["ba_interval95"]["exact"]
    assert [limits.low, limits.high] == pytest.approx(target, rel=1e-10)


def test_the_mean_is_the_mean_of_the_class_means_though_the_paper_doubts_it() -> None:
    second = figures()["C2"]
    assert second.balanced.mean == pytest.approx((41 / 47 + 3 / 12) / 2, rel=1e-14)


def test_the_figure_is_reproduced_and_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.png"
    assert main(["reproduce", "brodersen-figures", "--picture", str(path)]) == 0
    out = capsys.readouterr().out
    assert "0.826" in out
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 20_000
    assert main(["reproduce", "brodersen-figures", "--replications", "3"]) == 2
    assert "simulates nothing" in capsys.readouterr().err
    assert main(["reproduce", "brodersen-figures", "--format", "json"]) == 0
