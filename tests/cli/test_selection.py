"""The commands on features and on cross-validation: tables, contracts, refusals in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Ninety cases with two classes, a word, a number and three features; c carries the signal."""
    rng = np.random.default_rng(1)
    lines = ["case,ill,colour,amount,a,b,c"]
    for i in range(90):
        a, b, c = rng.normal(size=3) + np.array([0, 0, 2 * (i % 2)])
        amount = f"{2 * a + rng.normal():.3f}"
        lines.append(
            f"k{i},{('no', 'yes')[i % 2]},{'rgb'[i % 3] * 3},{amount},{a:.3f},{b:.3f},{c:.3f}"
        )
    found = tmp_path / "cases.csv"
    found.write_text("\n".join(lines) + "\n", "utf-8")
    return str(found)


ILL = ("--outcome", "ill", "--positive", "yes", "--features", "a,b,c", "--seed", "1")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    return code, *capsys.readouterr()


def test_select_prints_the_order_and_writes_a_report(file, capsys, tmp_path) -> None:
    page, drawn = tmp_path / "page.html", tmp_path / "steps.svg"
    code, out, err = run(
        capsys, "select", file, *ILL, "--take", "2", "--report", str(page), "--picture", str(drawn)
    )
    assert code == 0
    assert "outcome = ill; 3 features; 90 rows" in out
    assert "In this order: c" in out
    assert "Which features, in which order?" in page.read_text("utf-8")
    assert drawn.read_text("utf-8").startswith("<?xml") or "<svg" in drawn.read_text("utf-8")
    assert "report written" in err
    code, out, _ = run(
        capsys, "select", file, "--outcome", "amount", "--features", "a,b,c", "--measure", "mse",
        "--seed", "1", "--format", "json", "--learner", "ridge",
    )  # fmt: skip
    found = json.loads(out)
    assert (code, found["kind"], found["steps"][0]["feature"]) == (0, "selection", "a")


def test_stability_has_the_contract_and_resumes(file, capsys, tmp_path) -> None:
    argv = ("stability", file, *ILL, "--measures", "accuracy,brier", "--draws", "6", "--copies")
    code, out, _ = run(capsys, *argv)
    assert code == 0
    assert "How often each feature was selected" in out
    store = str(tmp_path / "halves.db")
    _, first, _ = run(capsys, *argv, "--format", "json")
    _, second, _ = run(capsys, *argv, "--format", "json", "--store", store)
    assert json.loads(first) == json.loads(second)
    found = json.loads(first)
    assert set(found["selectors"][0]) >= {"index", "interval", "stable", "bound", "bounds"}
    assert set(found["frequencies"][0]) >= {"feature", "frequency", "path", "noise", "stable"}
    code, out, _ = run(capsys, *argv[:2], *ILL, "--draws", "4", "--format", "csv")
    assert out.splitlines()[0] == "selector,feature,frequency,stable,noise"


def test_stability_takes_a_selector_by_its_path(file, capsys, tmp_path, monkeypatch) -> None:
    (tmp_path / "my_selectors.py").write_text(
        "from sklearn.feature_selection import SelectKBest\n\n"
        "def best():\n    return SelectKBest(k=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    argv = ("stability", file, *ILL, "--draws", "4", "--selector")
    code, out, _ = run(capsys, *argv, "my_selectors:best", "--format", "json")
    assert (code, json.loads(out)["selectors"][0]["stable"]) == (0, ["c"])
    code, _, err = run(capsys, *argv, "my_selectors:worst")
    assert (code, "has no 'worst'" in err, len(err.splitlines())) == (2, True, 1)


def test_reliability_has_the_contract_and_a_report(file, capsys, tmp_path) -> None:
    page = tmp_path / "page.html"
    argv = ("reliability", file, *ILL, "--draws", "6", "--n", "20,30", "--folds", "4")
    code, out, _ = run(capsys, *argv, "--estimator", "bayes", "--report", str(page))
    assert code == 0
    assert "Cross-validation beside held-out cases" in out
    assert "Can the cross-validation be believed?" in page.read_text("utf-8")
    code, out, _ = run(capsys, *argv, "--measures", "brier", "--flips", "0,0.1", "--format", "json")
    found = json.loads(out)
    assert [row["n"] for row in found["measures"]] == [20, 30]
    assert set(found["measures"][0]) >= {"spearman", "interval", "bias", "spread"}
    assert found["flips"] == [0.0, 0.1]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("select", *ILL, "--measure", "brierr"), "did you mean 'brier'"),
        (("select", *ILL, "--cv", "some"), "must be a share"),
        (("select", "--outcome", "ill", "--features", "a,ill"), "cannot be a feature as well"),
        (("select", "--outcome", "ill", "--features", "a,colour"), "colour"),
        (("stability", *ILL, "--learner", "forrest"), "did you mean 'forest'"),
        (("stability", *ILL, "--cutoff", "0.4"), "cutoff must be above 0.5"),
        (("stability", *ILL, "--selector", "nowhere:best"), "no module 'nowhere'"),
        (("stability", *ILL, "--draws", "1"), "draws"),
        (("reliability", *ILL, "--n", "89"), "cases left to hold out"),
        (("reliability", *ILL, "--n", "2.5"), "whole numbers"),
        (("reliability", *ILL, "--n", "few"), "must be numbers"),
        (("reliability", *ILL, "--folds", "40", "--n", "20"), "no more folds than"),
        (("reliability", *ILL, "--estimator", "cox"), "not for an outcome of classes"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(file, capsys, argv, said) -> None:
    code, out, err = run(capsys, argv[0], file, *argv[1:])
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
