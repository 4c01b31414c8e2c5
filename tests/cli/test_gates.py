"""Goals and conditions on the command line: exit codes, files for other tools, one clear line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from abovechance.cli import main
from abovechance.cli.gates import OF_ESTIMATES, exit_code, gate, junit
from abovechance.examples import path

CANCER = [
    *("assess", str(path("breast_cancer")), "--outcome", "outcome", "--positive", "malignant"),
    *("--probability", "p_texture", "--measures", "auc,sensitivity", "--seed", "1"),
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*argv: str) -> tuple[int, str, str]:
        code = main([*CANCER, *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_exit_codes_are_those_decided(reference: Callable[[str], Any]) -> None:
    cases = [case for case in reference("goals")["cases"] if case["id"].startswith("exit")]
    assert len(cases) == 7
    for case in cases:
        given = case["input"]
        found = exit_code(given["verdict"], given["undecided"], fired=given["fail_if_fired"])
        assert found == case["expected"]["exit_code"]["decision"], given


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--goal", "auc>=.7"], 0),
        (["--goal", "auc>=.9"], 1),
        (["--goal", "sensitivity>=.5"], 4),
        (["--goal", "sensitivity>=.5", "--undecided", "fail"], 1),
        (["--goal", "sensitivity>=.5", "--undecided", "pass"], 0),
        (["--goal", "auc>=.7", "--goal", "sensitivity>=.5"], 4),
        (["--goal", "auc>=.7", "--goal", "sensitivity>=.5", "--goal-rule", "any"], 0),
        (["--goal", "auc>=.7", "--fail-if", "sensitivity value < .6"], 1),
        (["--fail-if", "auc low < .7"], 0),
        (["--fail-if", "auc p > .05"], 0),
    ],
)
def test_exit_code_of_a_command(run: Run, options: list[str], code: int) -> None:
    assert run(*options)[0] == code


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--goal", "aucc>=.7"], "unknown measure 'aucc'; did you mean 'auc'?"),
        (["--goal", "auc=.7"], "cannot read the goal 'auc=.7'; a goal is written"),
        (["--goal", "auc>=70"], "auc lies between 0 and 1; got the goal 70; did you mean 0.7?"),
        (["--goal", "brier>=.1"], "a lower brier is better"),
        (["--goal", "ece<=.1"], "ece has no interval"),
        (["--goal", "auc>=.7", "--no-inference"], "leave --no-inference out"),
        (["--goal", "auc>=.7", "--stream"], "--goal needs all cases at once"),
        (["--goals", "nowhere.toml"], "'nowhere.toml' cannot be read"),
        (["--junit", "out.xml"], "--junit has goals for test cases"),
        (["--fail-if", "auc"], "write MEASURE QUANTITY SIGN NUMBER, for instance 'auc low < .7'"),
        (["--fail-if", "auc difference < 0"], "'difference' must be one of value, low"),
        (
            ["--fail-if", "brier value > 1"],
            "--fail-if names 'brier', which is not assessed; assessed are auc, sensitivity.",
        ),
        (["--fail-if", "auc[a] value > 1"], "state the subgroups with --by"),
    ],
)
def test_bad_input_gets_one_clear_line(run: Run, options: list[str], said: str) -> None:
    code, out, err = run(*options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_conditions_on_skill_and_subgroups() -> None:
    assert gate("auc[sex=f] skill_low < 0", OF_ESTIMATES).by == "sex=f"
    assert gate("f_beta(2) p > .05", OF_ESTIMATES).measure == "f_beta(2)"


def test_a_condition_on_any_subgroup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{i % 2},{(i % 7) / 7},{'ab'[i % 3 == 0]}\n" for i in range(60))
    file = tmp_path / "p.csv"
    file.write_text(f"y,p,site\n{rows}", "utf-8")
    asked = ["assess", str(file), "--outcome", "y", "--probability", "p", "--by", "site"]
    code = main([*asked, "--measures", "auc,brier", "--seed", "1", "--fail-if", "auc[*] low < 0.9"])
    err = capsys.readouterr().err
    assert code == 1
    assert "auc[site=a] low is" in err
    assert "auc[site=b] low is" in err
    assert main([*asked, "--measures", "brier", "--fail-if", "brier skill > 9", "--seed", "1"]) == 0


def test_goals_from_a_file_leave_their_digest(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text('auc = ">= .7"\n', "utf-8")
    code, out, _ = run("--goals", str(file), "--goal", "sensitivity>=.4", "--format", "json")
    told = json.loads(out)["goals"]
    assert code == 0
    assert [row["measure"] for row in told["goals"]] == ["auc", "sensitivity"]
    assert told["file"] == "goals.toml"
    assert len(told["sha256"]) == 64


def test_junit_has_a_test_case_a_goal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "goals.xml"
    wanted = ["--goal", "auc>=.7", "--goal", "auc>=.95", "--goal", "sensitivity>=.5"]
    run(*wanted, "--junit", str(file))
    suite = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "2", "0")
    kinds = [[(part.tag, part.get("type")) for part in case] for case in suite]
    assert kinds == [[], [("failure", "not met")], [("failure", "undecided")]]
    run(*wanted, "--junit", str(file), "--undecided", "pass")
    suite = ElementTree.parse(file).getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "1")


def test_junit_takes_any_label() -> None:
    row = {"title": 'A "<b>\x00 & \u202e', "by": "x=]]>", "sign": "<=", "goal": 1.0, "value": None}
    row |= {"verdict": "undecided", "interval": None, "undefined": "none"}
    text = ElementTree.tostring(junit({"goals": [row]}), encoding="unicode")
    assert ElementTree.fromstring(text)[0].get("name").startswith('A "<b>')


def test_metrics_are_nested_numbers(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "metrics.json"
    assert run("--metrics", str(file))[0] == 0
    told = json.loads(file.read_text("utf-8"))
    assert set(told) == {"auc", "sensitivity"}
    assert set(told["auc"]) == {"value", "low", "high"}


def test_help_tells_exit_codes_and_goals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "4 goals undecided" in text
    assert "--goal GOAL" in text
    assert main(["compare", "--help"]) == 0
    assert "--baseline MODEL" in capsys.readouterr().out
