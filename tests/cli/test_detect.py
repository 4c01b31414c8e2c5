"""The command that asks whether classes differ: tables, contracts, refusals in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Thirty cases with two and three classes, a number, a site and three features."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    lines = ["site,word,three,number,a,b,c"]
    for i, row in enumerate(X):
        row = row + 1.5 * (i % 2)
        word, number = ("ill", "well")[i % 2], f"{row[0] + rng.normal():.3f}"
        values = ",".join(f"{v:.4f}" for v in row)
        lines.append(f"s{i // 3},{word},{'xyz'[i % 3]},{number},{values}")
    found = tmp_path / "cases.csv"
    found.write_text("\n".join(lines) + "\n", "utf-8")
    return str(found)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["detect", *argv, "--draws", "39", "--seed", "1"])
    return code, *capsys.readouterr()


def test_two_classes_are_tested_and_shown(file, capsys) -> None:
    code, out, _ = run(capsys, file, "--outcome", "word", "--features", "a,b,c")
    assert code == 0
    assert "outcome = word; 3 features; 30 rows" in out
    assert "srivastava_du" in out
    assert "H0: features have the same distribution in all classes; 39 permutations" in out


def test_json_follows_the_contract(file, capsys) -> None:
    argv = (file, "--outcome", "word", "--features", "a,b,c", "--tests", "energy,lda.cv5")
    code, out, _ = run(capsys, *argv, "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert [row["statistic"] for row in found["tests"]] == ["energy", "lda.cv5"]
    assert set(found["tests"][0]) >= {"value", "p_value", "draws", "null_mean"}
    assert (found["kind"], found["classes"], found["seed"]) == ("classes", ["ill", "well"], 1)
    assert found["tests"][0]["p_value"] == 1 / 40


def test_several_classes_and_numbers_are_tested(file, capsys) -> None:
    argv = ("--features", "a,b,c", "--format", "json", "--tests", "energy")
    for outcome, kind in (("three", "classes"), ("number", "numeric")):
        code, out, _ = run(capsys, file, "--outcome", outcome, *argv)
        assert (code, json.loads(out)["kind"]) == (0, kind)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--outcome", "wrd"], "no column 'wrd' in cases.csv; did you mean 'word'?"),
        (["--outcome", "word", "--tests", "energi"], "did you mean 'energy'?"),
        (["--outcome", "three", "--tests", "simes"], "simes compares two groups"),
        (["--outcome", "number", "--tests", "svm.cv5"], "permutation_test with a regressor"),
        (["--outcome", "word", "--features", "a,word"], "'word' is the outcome"),
        (["--outcome", "word", "--permute", "within"], "needs blocks="),
        (["--outcome", "word", "--permute", "blocks", "--blocks", "site"], "constant within every"),
        (["--outcome", "word", "--kind", "numeric"], "numeric outcome must hold numbers"),
        (["--outcome", "word", "--tests", "lda.cv40"], "Use cv30 or fewer."),
    ],
)
def test_bad_requests_are_refused_in_one_line(file, capsys, argv, message) -> None:
    code, out, err = run(capsys, file, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("abovechance: ")
    assert err.count("\n") == 1
    assert message in err
