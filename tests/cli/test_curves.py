"""`abovechance curves` and `abovechance thresholds`: text, JSON, CSV and refusals."""

import csv
import io
import json
from collections.abc import Callable

import pytest

import abovechance as ac
from abovechance import examples
from abovechance.cli import main

TEXTURE = [
    str(examples.path("breast_cancer")),
    *("--outcome", "outcome", "--positive", "malignant", "--probability", "p_texture"),
    *("--seed", "1"),
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command."""

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(list(argv))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.parametrize("kind", ["calibration", "roc", "precision-recall", "decision", "cost"])
def test_every_kind_prints_exports_and_equals_the_function(run: Run, kind: str) -> None:
    name = kind.replace("-", "_")
    draws = ("--draws", "50")
    code, text, _ = run("curves", *TEXTURE, "--kind", kind, *draws)
    assert code == 0
    assert len(text.splitlines()) <= 27
    facts = json.loads(run("curves", *TEXTURE, "--kind", kind, *draws, "--format", "json")[1])
    how = {} if kind == "calibration" else {"draws": 50, "rng": 1}
    wanted = getattr(ac.curves, name)(examples.breast_cancer("p_texture"), **how)
    assert (facts["kind"], facts["curve"]) == ("curve", name)
    assert facts["y"] == pytest.approx(wanted.y.tolist())
    assert facts["low"] == pytest.approx(wanted.low.tolist())
    table = run("curves", *TEXTURE, "--kind", kind, *draws, "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [float(row["y"]) for row in rows] == pytest.approx(wanted.y.tolist())


def test_options_reach_the_curve(run: Run) -> None:
    found = run("curves", *TEXTURE, "--method", "binned", "--bins", "4", "--format", "json")[1]
    assert len(json.loads(found)["x"]) == 4
    at = ("--kind", "decision", "--thresholds", "0.1,0.3", "--format", "json")
    assert json.loads(run("curves", *TEXTURE, *at)[1])["x"] == [0.1, 0.3]


def test_thresholds_are_told_and_exported(run: Run) -> None:
    code, text, _ = run("thresholds", *TEXTURE, "--cost-fn", "4", "--draws", "50")
    assert code == 0
    assert text.startswith("outcome = outcome, probability = p_texture")
    assert "285 cases; costs of errors: false positive 1, false negative 4\n" in text
    assert "Threshold that the costs imply" in text
    assert "0.200" in text
    assert "[AC360]" in text
    found = run("thresholds", *TEXTURE, "--cost-fn", "4", "--draws", "50", "--format", "json")[1]
    wanted = ac.thresholds(examples.breast_cancer("p_texture"), cost_fn=4, draws=50, rng=1)
    read = {"described": json.loads(found)["described"]}  # what was read, which arrays do not have
    assert read["described"].endswith("285 rows of breast_cancer.csv")
    assert json.loads(found) == json.loads(wanted.to_json()) | read
    table = run("thresholds", *TEXTURE, "--draws", "50", "--format", "csv")[1]
    assert len(table.splitlines()) == 5


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["curves", *TEXTURE, "--kind", "decision", "--thresholds", "0,2"], "between 0 and 1"),
        (["curves", *TEXTURE, "--thresholds", "low"], "numbers separated by commas"),
        (["thresholds", *TEXTURE, "--cost-fp", "0"], "greater than 0"),
        (
            [
                *("curves", str(examples.path("diabetes")), "--outcome", "outcome"),
                *("--value", "ridge", "--kind", "roc"),
            ],
            "two classes",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(run: Run, argv: list[str], words: str) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("curves", "--level", "95"), "--level must lie between 0 and 1; got 95"),
        (("curves", "--kind", "decision", "--level", "1.5"), "must lie between 0 and 1"),
        (("curves", "--method", "isotonic", "--level", "0"), "must lie between 0 and 1"),
        (("thresholds", "--level", "1.5"), "must lie between 0 and 1; got 1.5"),
        (("curves", "--kind", "roc", "--thresholds", ".1"), "are of a decision curve"),
        (("curves", "--kind", "roc", "--at", "2"), "is of a calibration curve"),
        (("curves", "--at", "2"), "a time of predicted survival"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(
    run: Run, arguments: tuple[str, ...], words: str
) -> None:
    command, *rest = arguments
    code, text, error = run(command, *TEXTURE, *rest)
    assert (code, text) == (2, "")
    assert words in error
    assert len(error.strip().splitlines()) == 1
