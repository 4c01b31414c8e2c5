"""`abovechance compare`: columns of a file, several files, items, gates."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main
from abovechance.examples import path
from abovechance.inference.significance import mcnemar

CANCER = [
    str(path("breast_cancer")),
    "--outcome",
    "outcome",
    "--positive",
    "malignant",
    "--models",
    "p_forest,p_texture",
    "--seed",
    "1",
]
DIABETES = [str(path("diabetes")), "--outcome", "outcome", "--models", "ridge,neighbours"]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a comparison."""

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(["compare", *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    return write


def told(run: Run, *argv: str) -> dict:
    code, out, err = run(*argv, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_columns_of_one_file(run: Run) -> None:
    found = told(run, *CANCER)
    assert found["models"] == ["p_forest", "p_texture"]
    assert [row["measure"] for row in found["differences"]] == [
        "log_score",
        "brier",
        "auc",
        "balanced_accuracy",
        "accuracy",
    ]
    row = found["differences"][2]
    assert row["difference"] == pytest.approx(0.1740276, abs=1e-6)
    assert row["better"] == "p_forest"
    assert row["test"] == "DeLong"
    assert found["matched_by"] == "id"


def test_text_is_a_readable_table(run: Run) -> None:
    code, out, err = run(*CANCER, "--measures", "auc,brier", "--margin", "0.02", "--rope", "0.01")
    assert (code, err) == (0, "")
    assert "Area under the ROC curve" in out
    assert "+0.174" in out
    assert "0.124 to 0.234" in out
    assert "not inferior" in out
    assert "difference = first − second" in out
    assert max(map(len, out.splitlines())) <= 110


def test_mid_p_stands_beside_the_exact_p(run: Run) -> None:
    _, out, _ = run(*CANCER, "--measures", "accuracy,brier")
    heading = next(line for line in out.splitlines() if "difference  95%" in line)
    assert heading.split()[-3:] == ["p", "mid-p", "better"]
    shown = next(
        line for line in out.splitlines() if line.startswith("  Accuracy  ") and "+" in line
    )
    assert shown.split()[-3:-1] == ["<0.0001", "<0.0001"]
    _, without, _ = run(*CANCER, "--measures", "brier")
    assert "mid-p" not in without


def three(file: Callable[[str, str], str]) -> str:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=60)
    p = 1 / (1 + np.exp(-np.outer([1.2, 0.9, 0.3], 2 * y - 1) - rng.normal(size=(3, 60))))
    lines = [",".join(map(str, (i, y[i], *p[:, i].round(3), i // 6))) for i in range(60)]
    return file("three.csv", "\n".join(["id,y,a,b,c,g", *lines]))


def test_a_method_stands_once_whatever_its_degrees_of_freedom(run: Run, file) -> None:
    options = [three(file), "--outcome", "y", "--models", "a,b,c", "--measures", "auc"]
    _, out, _ = run(*options)
    assert [line for line in out.splitlines() if "DeLong, t(" in line] == [
        "  DeLong, t(49 to 58); H0: the areas under the ROC curves are equal: auc",
    ]
    assert "  MOVER of Newcombe and logit DeLong: auc" in out.splitlines()
    assert "remark" not in out
    assert re.search(r"1\.\d\d, 82\.9", out)  # 1.0 would read as one pair of models
    _, out, _ = run(*options, "--groups", "g")
    assert "Obuchowski F over 10 clusters" in out


def test_remarks_have_a_column_when_there_are_any(run: Run) -> None:
    _, out, _ = run(*CANCER, "--measures", "net_benefit,accuracy", "--draws", "99")
    assert "remark" in out
    assert "no test for differences" in " ".join(out.split())


def test_csv_has_one_row_per_difference(run: Run) -> None:
    code, out, err = run(*CANCER, "--measures", "auc,brier", "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [row["measure"] for row in rows] == ["auc", "brier"]
    assert float(rows[1]["difference"]) < 0
    assert "AC150" in err


def test_numbers_and_folds(run: Run) -> None:
    found = told(run, *DIABETES, "--fold", "fold", "--measures", "mae", "--seed", "1")
    row = found["differences"][0]
    assert found["outcome"] == "numeric"
    assert row["test"] == "corrected resampled t, 5 folds"
    assert 0 < row["posterior"]["p_better"] < 1


def test_several_files_are_joined_by_id(run: Run, file) -> None:
    rows = list(csv.DictReader(path("breast_cancer").read_text("utf-8").splitlines()))

    def written(name: str, column: str, chosen: list) -> str:
        lines = [f"{r['id']},{r['outcome']},{r[column]}" for r in chosen]
        return file(name, "\n".join(["case,y,p", *lines]))

    files = [
        written("forest.csv", "p_forest", rows),
        written("texture.csv", "p_texture", rows[4:][::-1]),
    ]
    options = ["--outcome", "y", "--positive", "malignant", "--probability", "p", "--id", "case"]
    found = told(run, *files, *options, "--measures", "auc")
    assert found["models"] == ["forest", "texture"]
    assert found["n"] == 281
    assert found["unmatched"] == {"forest": 4, "texture": 0}
    named = told(run, *files, *options, "--measures", "auc", "--models", "new,old")
    assert named["differences"][0]["first"] == "new"


def test_outcomes_that_disagree_are_one_line(run: Run, file) -> None:
    first = file("a.csv", "id,y,p\n1,0,.2\n2,1,.7\n3,1,.9\n")
    other = file("b.csv", "id,y,p\n1,0,.3\n2,0,.6\n3,1,.8\n")
    code, out, err = run(first, other, "--outcome", "y", "--probability", "p", "--id", "id")
    assert (code, out) == (2, "")
    assert err == (
        "abovechance: the outcome of a case must be the same for every model; a and b differ at "
        "id 2. Check that the files belong together.\n"
    )


def test_classes_by_prefix_and_labels(run: Run, file) -> None:
    table = file(
        "classes.csv",
        "y,m1_a,m1_b,m1_c,m2_a,m2_b,m2_c,l1,l2\n"
        "a,.6,.3,.1,.2,.5,.3,a,b\nb,.2,.5,.3,.3,.4,.3,b,b\nc,.1,.2,.7,.3,.3,.4,c,c\n"
        "a,.7,.2,.1,.5,.4,.1,a,a\nb,.3,.6,.1,.6,.2,.2,b,a\nc,.2,.2,.6,.4,.4,.2,c,a\n",
    )
    found = told(run, table, "--outcome", "y", "--models", "m1,m2", "--measures", "brier,accuracy")
    assert found["outcome"] == "multiclass"
    labels = told(run, table, "--outcome", "y", "--models", "l1,l2", "--as", "label")
    assert labels["differences"][-1]["difference"] == pytest.approx(0.5)


def test_subgroups(run: Run, file) -> None:
    rows = list(csv.DictReader(path("breast_cancer").read_text("utf-8").splitlines()))
    lines = [f"{r['outcome']},{r['p_texture']},{'fm'[i % 2]}" for i, r in enumerate(rows)]
    table = file("by.csv", "\n".join(["y,p,sex", *lines]))
    options = ["--outcome", "y", "--positive", "malignant", "--by", "sex", "--measures", "auc"]
    found = told(run, table, "--models", "p", *options)
    (row,) = found["differences"]
    assert (row["first"], row["second"], row["model"]) == ("sex=f", "sex=m", "p")
    assert row["paired"] is False
    alone = told(run, table, "--probability", "p", *options)
    assert alone["differences"][0]["p_value"] == row["p_value"]


def test_missing_values_are_dropped_for_all_models(run: Run, file) -> None:
    table = file("gaps.csv", "y,a,b\n0,.2,.3\n1,,.8\n1,.9,.6\n0,.1,\n1,.7,.6\n0,.3,.2\n")
    options = ["--outcome", "y", "--models", "a,b", "--measures", "brier"]
    code, _, err = run(table, *options)
    assert code == 2
    assert "must not be missing" in err
    assert told(run, table, *options, "--missing", "drop")["n"] == 4


def item_lines(better: str = "new") -> str:
    rows = []
    for i in range(30):
        for model in ("new", "old"):
            right = i % 3 != 0 if model == better else i % 2 == 0
            rows.append(
                json.dumps(
                    {"item": f"q{i}", "run": model, "correct": right, "doc": f"d{i // 3}", "s": i}
                )
            )
    return "\n".join(rows)


ITEMS = ["--id", "item", "--model", "run", "--value", "correct", "--seed", "1"]


def test_items_of_runs(run: Run, file) -> None:
    table = file("items.jsonl", item_lines())
    (row,) = told(run, table, *ITEMS)["differences"]
    assert row["measure"] == "accuracy"
    assert row["p_value"] == mcnemar(10, 5).p_value
    assert row["difference"] == pytest.approx(5 / 30)
    (row,) = told(run, table, *ITEMS, "--groups", "doc")["differences"]
    assert row["test"] == "sign flip of 10 clusters, exact"


def test_items_may_have_a_column_per_model(run: Run, file) -> None:
    rows = [f"q{i},d{i // 3},{int(i % 3 != 0)},{int(i % 2 == 0)}" for i in range(30)]
    table = file("wide.csv", "\n".join(["item,doc,new,old", *rows]))
    wide = ["--id", "item", "--models", "new,old", "--as", "item", "--groups", "doc", "--seed", "1"]
    long = file("items.jsonl", item_lines())
    by_column, by_row = told(run, table, *wide), told(run, long, *ITEMS, "--groups", "doc")
    assert by_column.pop("described") == (
        "item = item, groups = doc, value = each of new, old; 30 rows of wide.csv"
    )
    assert by_row.pop("described") == (
        "item = item, model = run, groups = doc, value = correct; 60 rows of items.jsonl"
    )
    assert by_column == by_row
    assert by_row["outcome"] == "items"
    code, _, err = run(table, "--models", "new,old", "--as", "item")
    assert code == 2
    assert "--as item needs --id for the item" in err
    rows[4] = "q4,d1,,1"
    gaps = file("gaps.csv", "\n".join(["item,doc,new,old", *rows]))
    assert "a value is missing at row 5" in run(gaps, *wide)[2]


def test_a_gate_that_fires_is_exit_code_1(run: Run, file) -> None:
    table = file("items.jsonl", item_lines("old"))
    code, out, err = run(table, *ITEMS, "--fail-if", "accuracy difference < -0.02")
    assert code == 1
    assert "Accuracy" in out
    assert err == (
        "abovechance: --fail-if: accuracy difference of new and old is -0.166667 < -0.02\n"
    )
    assert run(table, *ITEMS, "--fail-if", "accuracy difference < -0.2")[0] == 0
    both = ["--fail-if", "accuracy difference < -0.2", "--fail-if", "accuracy low <= -0.1"]
    assert run(table, *ITEMS, *both)[0] == 1


def test_a_gate_on_an_undefined_number_fires(run: Run, file) -> None:
    table = file("p.csv", "y,a,b\n0,.2,.3\n1,0,.8\n1,.9,.6\n0,.1,.2\n")
    options = ["--outcome", "y", "--models", "b,a", "--measures", "log_score"]
    code, _, err = run(table, *options, "--fail-if", "log_score p < 0.05")
    assert code == 1
    assert "is undefined" in err


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("accuracy < 0.1", "write MEASURE QUANTITY SIGN NUMBER"),
        ("accuracy gap < 0.1", "'gap' must be one of difference, low, high, p, p_adjusted"),
        ("accuracy difference < little", "'little' must be a number"),
        ("accuracy difference == 0", "write MEASURE QUANTITY SIGN NUMBER"),
        ("acuracy difference < 0", "did you mean 'accuracy'?"),
        ("brier difference < 0", "which is not compared; compared are accuracy."),
    ],
)
def test_conditions_are_read_strictly(run: Run, file, condition: str, said: str) -> None:
    table = file("items.jsonl", item_lines())
    code, out, err = run(table, *ITEMS, "--fail-if", condition)
    assert (code, out) == (2, "")
    assert said in err


def test_exit_codes_are_in_the_help(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert "1 a --fail-if gate fired" in " ".join(out.split())


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["x.csv", "--outcome", "y"], "name the models' columns with --models"),
        (["x.csv", "--outcome", "y"], "for a row per item and model, name --id, --model and"),
        ([*CANCER, "--probability", "p_forest"], "leave --probability out"),
        ([CANCER[0], "--models", "p_forest,p_forest"], "stands twice"),
        ([*CANCER, "--margin", "little"], "--margin must be a number"),
        ([*CANCER, "--margin", "auc=x"], "--margin must be a number"),
        ([*CANCER[:5], "--models", "p_forst,p_texture"], "did you mean 'p_forest'?"),
        ([CANCER[0], CANCER[0], "--by", "sex"], "--by needs all models in one file"),
        ([CANCER[0], "--model", "m"], "--model needs --id"),
        ([*CANCER, "--level", "95"], "--level must lie between 0 and 1"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(run: Run, argv: list[str], said: str) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_margins_by_measure(run: Run) -> None:
    found = told(run, *CANCER, "--measures", "auc,brier", "--margin", "auc=0.05,brier=0.01")
    assert [row["margin"]["margin"] for row in found["differences"]] == [0.05, 0.01]
    assert found["differences"][0]["margin"]["noninferior"] is True


def test_another_comparison_is_asked_for_by_name(run: Run) -> None:
    found = told(run, *CANCER, "--measures", "auc", "--method", "auc=exchange", "--seed", "1")
    assert found["differences"][0]["test_by"]["name"] == "exchange"


def test_of_several_models_the_best_stands_first(run: Run, file) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    columns = {name: y + size * rng.normal(size=80) for name, size in SPREADS.items()}
    rows = [",".join(map(str, row)) for row in zip(y, *columns.values(), strict=True)]
    table = file("scores.csv", "\n".join([",".join(["y", *columns]), *rows]) + "\n")
    asked = ["--outcome", "y", "--as", "score", "--models", ",".join(columns), "--measures", "auc"]
    code, out, _ = run(table, *asked, "--seed", "1")
    assert code == 0
    values = out.partition("Values")[2].partition("Differences")[0]
    assert re.findall(r"^  (\w+) +0\.", values, re.M) == ["good", "fair", "poor"]
    found = told(run, table, *asked, "--seed", "1")
    assert [row["model"] for row in found["estimates"]] == list(columns)  # as they were given


SPREADS = {"poor": 3.0, "good": 0.4, "fair": 1.0}
