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
    assert found["kind"] == "detection"
    assert (found["outcome"], found["classes"], found["seed"]) == ("classes", ["ill", "well"], 1)
    assert found["tests"][0]["p_value"] == 1 / 40


def test_several_classes_and_numbers_are_tested(file, capsys) -> None:
    argv = ("--features", "a,b,c", "--format", "json", "--tests", "energy")
    for outcome, kind in (("three", "classes"), ("number", "numeric")):
        code, out, _ = run(capsys, file, "--outcome", outcome, *argv)
        assert (code, json.loads(out)["outcome"]) == (0, kind)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--outcome", "wrd"], "no column 'wrd' in cases.csv; did you mean 'word'?"),
        (["--outcome", "word", "--tests", "energi"], "did you mean 'energy'?"),
        (["--outcome", "three", "--tests", "simes"], "simes compares two groups"),
        (["--outcome", "number", "--tests", "svm.cv5"], "permutation_test with a regressor"),
        (["--outcome", "word", "--features", "a,word"], "'word' is the outcome"),
        (["--outcome", "word", "--permute", "within"], "--permute within needs --blocks COL"),
        (["--outcome", "word", "--permute", "blocks", "--blocks", "site"], "constant within every"),
        (["--outcome", "word", "--permute", "features", "--blocks", "site"], "--blocks goes with"),
        (["--outcome", "word", "--blocks", "site"], "goes with --permute within or --permute"),
        (["--outcome", "word", "--kind", "numeric"], "numeric outcome must hold numbers"),
        (["--outcome", "word", "--tests", "svm.c0.cv8"], "C must be positive and finite; got 0"),
        (["--outcome", "word", "--id", "a", "--features", "a,b"], "'a' is the id"),
        (["--outcome", "word", "--id", "name"], "no column 'name' in cases.csv"),
        (["--outcome", "word", "--tests", "lda.cv40"], "Use cv30 or fewer."),
    ],
)
def test_bad_requests_are_refused_in_one_line(file, capsys, argv, message) -> None:
    code, out, err = run(capsys, file, *argv)
    assert (code, out) == (2, "")
    assert err.startswith("abovechance: ")
    assert err.count("\n") == 1
    assert message in err


def table(path: Path, **columns: object) -> str:
    """A file of 24 rows with classes in column y, sorted by class, and columns of one's own."""
    rng = np.random.default_rng(3)
    every = {"y": ["ill"] * 12 + ["well"] * 12, "a": rng.normal(size=24).round(4)}
    every |= {"b": rng.normal(size=24).round(4), **columns}
    lines = [
        ",".join(every),
        *(",".join(map(str, row)) for row in zip(*every.values(), strict=True)),
    ]
    found = path / "rows.csv"
    found.write_text("\n".join(lines) + "\n", "utf-8")
    return str(found)


def test_a_running_number_of_the_rows_is_no_feature_unless_asked_for(tmp_path, capsys) -> None:
    path = table(tmp_path, number=range(1, 25), site=["s1", "s2"] * 12)
    argv = (path, "--outcome", "y", "--tests", "sd", "--format", "json")
    found = json.loads(run(capsys, *argv)[1])
    assert found["feature_names"] == ["a", "b"]
    assert found["described"].endswith(
        "features: a, b; left out: number (counting the rows), site (without numbers)"
    )
    assert found["tests"][0]["p_value"] > 0.05
    asked = json.loads(run(capsys, *argv, "--features", "a,number")[1])
    assert asked["feature_names"] == ["a", "number"]
    assert asked["tests"][0]["p_value"] == 1 / 40


def test_an_id_is_no_feature(tmp_path, capsys) -> None:
    path = table(tmp_path, case=[7 * i for i in range(24)])
    for argv, features in (((), ["a", "b", "case"]), (("--id", "case"), ["a", "b"])):
        out = run(capsys, path, "--outcome", "y", "--tests", "sd", "--format", "json", *argv)[1]
        assert json.loads(out)["feature_names"] == features


def test_features_are_named_on_the_screen_beside_csv_and_in_the_report(tmp_path, capsys) -> None:
    path, page = table(tmp_path, number=range(24)), tmp_path / "report.html"
    argv = (path, "--outcome", "y", "--tests", "sd")
    _, out, _ = run(capsys, *argv, "--report", str(page))
    assert "features: a, b; left out: number (counting the rows)" in out
    assert "2 features (a and b)" in page.read_text("utf-8")
    _, _, err = run(capsys, *argv, "--format", "csv")
    assert "left out: number" in err


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"c": ["1.5"] * 7 + ["n/k"] + ["2.5"] * 16},
            "column 'c' has 23 numbers and 'n/k' at row 8.",
        ),
        (
            {"c": ["x", "-"] + ["2.5"] * 22},
            "column 'c' has 22 numbers and 'x' at row 1 and 1 more.",
        ),
        ({"c": [3] * 24}, "column 'c' is constant"),
    ],
)
def test_a_column_that_cannot_be_used_is_named(tmp_path, capsys, columns, message) -> None:
    code, out, err = run(capsys, table(tmp_path, **columns), "--outcome", "y")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_cases_without_a_block_are_refused_or_dropped(tmp_path, capsys) -> None:
    path = table(tmp_path, block=["u", "", *["u"] * 5, *["v"] * 17])
    argv = (path, "--outcome", "y", "--permute", "within", "--blocks", "block", "--tests", "sd")
    code, _, err = run(capsys, *argv)
    assert (code, err.count("\n")) == (2, 1)
    assert "blocks must not be missing; they are at row 2" in err
    code, out, _ = run(capsys, *argv, "--missing", "drop", "--format", "json")
    assert (code, json.loads(out)["n"]) == (0, 23)
    assert json.loads(out)["described"].endswith("1 case without a block dropped")


def test_refusals_speak_of_options(tmp_path, capsys) -> None:
    path = table(tmp_path, block=["u", "v"] * 6 + ["w", "x"] * 6)
    argv = (path, "--outcome", "y", "--permute", "within", "--blocks", "block")
    assert "(--permute blocks)" in run(capsys, *argv)[2]


def test_the_papers_rule_is_said(tmp_path, capsys) -> None:
    path = table(tmp_path, c=[0.0] * 6 + [0.5] * 6 + [5.0] * 6 + [5.5] * 6)
    argv = (path, "--outcome", "y", "--tests", "sd", "--rule", "paper")
    _, out, _ = run(capsys, *argv)
    assert "0 of 39" in out
    assert "by the papers' rule" in out
    assert json.loads(run(capsys, *argv, "--format", "json")[1])["rule"] == "paper"


def test_early_stopping_is_said(tmp_path, capsys) -> None:
    _, out, _ = run(capsys, table(tmp_path), "--outcome", "y", "--tests", "sd", "--stop", "gandy")
    assert "Drawing stopped early" in out
    assert "(Gandy 2009)" in out
    assert "up to" in out


def test_an_undefined_test_says_why(tmp_path, capsys) -> None:
    argv = ("--outcome", "y", "--tests", "lda.cv12.unbalanced.legacy_z,sd")
    _, out, _ = run(capsys, table(tmp_path), *argv)
    assert "a fold holds one class only" in " ".join(out.split())


def test_a_store_says_with_which_seed_it_is_resumed(tmp_path, capsys) -> None:
    store = str(tmp_path / "blocks.db")
    argv = ["detect", table(tmp_path), "--outcome", "y", "--tests", "sd", "--draws", "9"]
    assert main([*argv, "--store", store, "--seed", "5"]) == 0
    assert "seed 5\n" in capsys.readouterr().out
    assert main([*argv, "--store", store]) == 2
    assert "To resume that run, give --seed 5." in capsys.readouterr().err
    assert main([*argv, "--store", store, "--seed", "5"]) == 0


def test_help_says_how_many_permutations_are_drawn(capsys) -> None:
    main(["detect", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert "Number of permutations. [default: 999" in out
    assert "9999" not in out.partition("Examples:")[0]


def test_a_report_is_written_though_a_test_is_undefined(tmp_path, capsys) -> None:
    page = tmp_path / "page.html"
    argv = ("--outcome", "y", "--tests", "lda.cv12.unbalanced.legacy_z,sd", "--report", str(page))
    code, _, err = run(capsys, table(tmp_path), *argv)
    assert (code, "undefined under every" in err) == (0, False)
    assert "a fold holds one class only" in page.read_text()
