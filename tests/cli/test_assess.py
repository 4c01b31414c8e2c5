"""`abovechance assess`: from a file to a table, JSON or CSV."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abovechance.cli import main
from abovechance.examples import path

CANCER = [str(path("breast_cancer")), "--probability", "p_forest", "--positive", "malignant"]
IRIS = str(path("iris"))
DIABETES = [str(path("diabetes")), "--value", "ridge"]
VALUES = "--no-inference"

Told = Callable[..., str]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """What a command answered on stdout; it must have exit code 0 and be silent on stderr."""

    def run(*argv: str) -> str:
        code = main(["assess", *argv])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return run


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        file = tmp_path / "table.csv"
        file.write_text(text, "utf-8")
        return str(file)

    return write


def lines_of(text: str, start: str) -> list[list[str]]:
    """The words of the lines that begin with something, without leading blanks."""
    return [line.split() for line in text.splitlines() if line.strip().startswith(start)]


def test_two_classes_are_assessed_by_family(told: Told) -> None:
    text = told(*CANCER, VALUES)
    assert text.startswith("probability = p_forest; outcome = outcome, id = id (found by name)")
    assert "285 rows" in text.splitlines()[0]
    headings = [line.strip() for line in text.splitlines()]
    families = ["Categorical", "Rank", "Quadratic", "Information"]
    places = [headings.index(family) for family in families]
    assert places == sorted(places)
    table, skill = text.split("\nSkill\n")
    assert lines_of(table, "Accuracy ") == [["Accuracy", "0.951", "0.540"]]
    assert lines_of(table, "Brier score ") == [["Brier", "score", "0.036", "0.409"]]
    assert lines_of(table, "Log score ")[0][:4] == ["Log", "score", "*", "−0.129"]
    assert lines_of(skill, "Accuracy ") == [["Accuracy", "0.628", "0.323"]]
    assert lines_of(skill, "Log score ") == [["Log", "score", "−0.660", "0.531"]]
    assert "* primary measure; the others are descriptive." in text


def test_many_classes_are_also_told_one_by_one(told: Told) -> None:
    text = told(IRIS, VALUES, "--all")
    assert "Sensitivity, mean over classes" in text
    assert "Per class" in text
    assert lines_of(text, "versicolor ")[0][:6] == [
        "versicolor",
        "0.740",
        "0.850",
        "0.712",
        "0.867",
        "0.725",
    ]


def test_numbers_are_assessed(told: Told) -> None:
    text = told(*DIABETES, VALUES)
    assert lines_of(text, "Mean squared error")[0] == [
        *("Mean", "squared", "error", "*", "3014", "8963")
    ]
    assert lines_of(text, "Mean squared error")[1][3:5] == ["5930", "2916"]
    assert lines_of(text, "Pearson correlation")[0][2] == "0.701"


def test_intervals_and_tests_are_given(told: Told) -> None:
    text = told(*CANCER, "--measures", "accuracy,auc", "--seed", "1")
    assert "95% interval" in text
    row, skill = (line for line in lines_of(text, "Accuracy") if "to" in line)
    assert skill[1:3] == ["0.628", "0.323"]
    at = row.index("0.951")
    assert row[at : at + 4] == ["0.951", "0.919", "to", "0.971"]


def test_tests_are_told_by_the_side_they_look_at(told: Told) -> None:
    text = told(*CANCER, "--measures", "accuracy,calibration_slope", "--seed", "1")
    one, two = text.split("Tests, one-sided")[1].split("Tests, two-sided")
    assert "Fisher" in one
    assert "likelihood ratio" not in one
    assert "likelihood ratio" in two


def test_survival_is_assessed(told: Told, table: Any) -> None:
    file = table("time,event,risk\n5,1,0.3\n2,1,0.9\n9,0,0.1\n4,1,0.2\n")
    assert lines_of(told(file, VALUES), "Concordance index *")[0][3] == "0.833"


# ---------------------------------------------------------------- formats


def test_json_is_the_contract(told: Told) -> None:
    answer = json.loads(told(*CANCER, VALUES, "--format", "json"))
    assert answer["outcome"] == "binary"
    assert answer["n"] == 285
    assert answer["origin"] == "test"
    assert answer["primary"] == "log_score"
    assert answer["abovechance"]
    assert answer["advice"] == []
    row = next(e for e in answer["estimates"] if e["measure"] == "auc")
    assert row["value"] == pytest.approx(0.99088, abs=1e-5)
    assert (row["family"], row["chance"], row["by"], row["class"]) == ("rank", 0.5, None, None)
    assert row.keys() >= {"interval", "p_value", "test", "hypothesis", "draws", "skill", "output"}


def test_csv_has_a_row_for_every_estimate(told: Told) -> None:
    rows = list(
        csv.DictReader(told(IRIS, VALUES, "--format", "csv", "--origin", "test").splitlines())
    )
    assert rows[0]["measure"] == "accuracy"
    assert {r["class"] for r in rows} == {"", "setosa", "versicolor", "virginica"}


def test_advice_that_csv_cannot_hold_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", IRIS, VALUES, "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert "[AC" not in out
    assert err.startswith("abovechance: [AC")


# ---------------------------------------------------------------- options


def test_measures_may_be_chosen_with_parameters(told: Told) -> None:
    chosen = "f_beta(2),recall_macro,kappa(quadratic),partial_auc(max_fpr=0.1)"
    answer = json.loads(told(*CANCER, VALUES, "--measures", chosen, "--format", "json"))
    assert [e["measure"] for e in answer["estimates"]] == [
        "f_beta(2)",
        "sensitivity_macro",
        "kappa(quadratic)",
        "partial_auc(0.1, True)",
    ]
    assert answer["estimates"][0]["title"] == "F-beta (beta=2)"


def test_the_threshold_changes_the_labels(told: Told) -> None:
    low = told(*CANCER, VALUES, "--threshold", "0.1", "--measures", "sensitivity,specificity")
    high = told(*CANCER, VALUES, "--threshold", "0.9", "--measures", "sensitivity,specificity")
    assert float(lines_of(low, "Sensitivity")[0][2]) > float(lines_of(high, "Sensitivity")[0][2])
    assert float(lines_of(low, "Specificity")[0][1]) < float(lines_of(high, "Specificity")[0][1])


def test_subgroups_are_told_apart(told: Told) -> None:
    text = told(IRIS, VALUES, "--by", "fold", "--measures", "accuracy")
    assert "By subgroup" in text
    assert [lines_of(text, f"fold={k}")[0][1] for k in range(1, 6)] == ["30"] * 5
    answer = json.loads(
        told(IRIS, VALUES, "--by", "fold", "--measures", "accuracy", "--format", "json")
    )
    assert [e["by"] for e in answer["estimates"]] == [None, *(f"fold={k}" for k in range(1, 6))]


def test_subgroups_keep_step_with_dropped_cases(told: Told, table: Any) -> None:
    file = table("y,p,site\n1,0.9,a\n0,,b\n0,0.2,a\n1,0.3,b\n0,0.1,b\n")
    arguments = (file, VALUES, "--by", "site", "--missing", "drop", "--measures", "accuracy")
    answer = json.loads(told(*arguments, "--format", "json"))
    assert [e["value"] for e in answer["estimates"]] == [0.75, 1.0, 0.5]
    assert answer["dropped"] == 1
    assert "1 case" in told(*arguments)


def test_the_dialect_of_familiar_may_be_spoken(told: Told) -> None:
    usual = told(*CANCER, VALUES, "--measures", "recall_macro")
    theirs = told(*CANCER, VALUES, "--measures", "recall_macro", "--dialect", "familiar")
    assert lines_of(usual, "Sensitivity")[0][-2] == "0.940"
    assert lines_of(theirs, "Sensitivity")[0][-2] == "0.896"


def test_the_primary_measure_may_be_stated(told: Told) -> None:
    text = told(*CANCER, VALUES, "--primary", "roc_auc")
    assert len(lines_of(text, "Area under the ROC curve *")) == 1
    assert "Log score *" not in text


def test_columns_may_be_named_or_found(told: Told, table: Any) -> None:
    file = table("truth,guess,w\nyes,0.9,1\nno,0.6,3\n")
    text = told(
        file, VALUES, "--outcome", "truth", "--probability", "guess", "--positive", "yes",
        "--weight", "w", "--measures", "accuracy",
    )  # fmt: skip
    assert text.startswith("outcome = truth, probability = guess, sample_weight = w; 2 rows")
    assert lines_of(text, "Accuracy")[0][2] == "0.250"


# ---------------------------------------------------------------- what cannot be known


def test_an_undefined_measure_stops_no_other(told: Told, table: Any) -> None:
    text = told(table("y,p\n1,0.3\n1,0.2\n1,0.9\n"), VALUES)
    assert lines_of(text, "Accuracy ")[0][1] == "0.333"
    (row,) = lines_of(text, "Area under the ROC curve")
    assert row[5:] == ["–", "0.500", "only", "one", "class", "was", "observed"]
    assert "no case of 0 was observed" in text


def test_an_infinite_log_score_is_shown_with_the_number_of_cases(told: Told, table: Any) -> None:
    file = table("y,p\n1,0\n0,0.2\n1,0.9\n0,1\n")
    row = lines_of(told(file, VALUES, "--measures", "log_score"), "Log score")[0]
    assert row[3] == "−∞"
    assert " ".join(row[5:]) == "2 cases had an outcome of predicted probability 0"
    answer = json.loads(told(file, VALUES, "--measures", "log_score,log_loss", "--format", "json"))
    assert [e["value"] for e in answer["estimates"]] == ["-Infinity", "Infinity"]


def test_names_in_a_file_are_shown_not_obeyed(told: Told, table: Any) -> None:
    file = table("y,label\n[bold]x,[bold]x\n\x1b[31my,[bold]x\nz,z\n")
    text = told(file, VALUES)
    assert "[bold]x" in text
    assert "\x1b" not in text


def test_nothing_is_coloured_when_piped(told: Told) -> None:
    assert "\x1b" not in told(*CANCER, VALUES)


def test_another_method_is_asked_for_by_name(told: Told) -> None:
    asked = ("--measures", "accuracy,auc", "--method", "accuracy=clopper_pearson")
    rows = json.loads(told(*CANCER, *asked, "--format", "json", "--seed", "1"))["estimates"]
    assert [row["interval"]["by"]["name"] for row in rows] == ["clopper_pearson", "newcombe_delong"]
    assert rows[0]["interval"]["method"] == "Clopper–Pearson"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--method", "accuracy"), "must be MEASURE=NAME"),
        (("--method", "accuracy=wilso"), "did you mean 'wilson'"),
        (("--method", "accuracy=wilson", "--stream"), "--method needs all cases at once"),
    ],
)
def test_a_method_that_cannot_be_used_is_refused(
    asked: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess", *CANCER, "--measures", "accuracy", *asked]) == 2
    assert words in capsys.readouterr().err


def test_a_sheet_of_a_workbook_is_named(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd

    file = str(tmp_path / "book.xlsx")
    with pd.ExcelWriter(file) as writer:
        for sheet in ("Old", "New"):
            pd.read_csv(path("breast_cancer")).to_excel(writer, sheet_name=sheet, index=False)
    options = [*CANCER[1:], "--measures", "auc", VALUES]
    assert main(["assess", file, *options]) == 2
    assert "has 2 sheets with content: Old, New; say which" in capsys.readouterr().err
    both = told(file, "--sheet", "New", *options), told(CANCER[0], *options)
    assert both[0].replace("book.xlsx", "breast_cancer.csv") == both[1]
    for command in (
        ["compare", file, "--sheet", "New", "--models", "p_texture,p_forest", *CANCER[3:]],
        ["detect", file, "--sheet", "New", "--outcome", "outcome", "--tests", "hotelling"],
    ):
        assert main([*command, "--draws", "19", "--seed", "1"]) == 0


def test_quick_leaves_out_what_needs_draws_and_says_so(told: Told) -> None:
    found = told(*CANCER, "--measures", "auc,ks", "--quick")
    assert "no p: left out by quick: needs draws" in " ".join(found.split())
    assert "1 of 2 measures have no interval or no p" in " ".join(found.split())
    assert "to" in lines_of(found, "Area under")[0]


@pytest.mark.parametrize(
    ("options", "times"),
    [((), 2), (("--quick",), 1), ((VALUES,), 1), (("--all",), 1)],
    ids=["usual", "quick", "values", "all"],
)
def test_where_draws_take_long_a_screen_shows_first_what_needs_none(
    options: tuple[str, ...], times: int, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (*CANCER, "--measures", "auc,brier,log_score", "--seed", "1", *options)
    before = told(*asked)
    monkeypatch.setattr("abovechance.cli.assess_command.LONG", 100)
    assert told(*asked) == before  # a pipe gets one answer
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    found = told(*asked)
    assert found.count("285 cases") == times
    assert ("That needed no draws" in found) == (times == 2)
