"""The Action, its script and the example repository that is judged by it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "gate"
COMPARED = (
    "--outcome sick --positive 1 --models new,baseline --measures auc --baseline baseline "
    "--margin auc=.03 --seed 1"
)
GOALS = "--outcome sick --positive 1 --probability new --measures auc --goals goals.toml --seed 1"


def python(*words: str, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    own = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB", "GATE"))}
    return subprocess.run(
        [sys.executable, *words],
        input=given,
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**own, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", **environment},
    )


def predictions(folder: Path, model: str, cases: int = 400) -> str:
    lines = (EXAMPLE / "cases.csv").read_text("utf-8").splitlines(keepends=True)
    made = python(
        "predict.py",
        f"models/{model}.json",
        "models/baseline.json",
        given="".join(lines[: cases + 1]),
    )
    assert made.returncode == 0, made.stderr
    (folder / "predictions.csv").write_text(made.stdout, "utf-8")
    return str(folder / "predictions.csv")


def gate(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return python(str(ROOT / "action" / "gate.py"), *words, **environment)


@pytest.mark.parametrize(
    ("model", "cases", "code", "verdict"),
    [("worse", 400, 1, "not met"), ("equal", 400, 0, "met"), ("equal", 30, 4, "undecided")],
)
def test_red_on_a_worse_model_green_on_an_equal_one_undecided_on_30_cases(
    tmp_path: Path, model: str, cases: int, code: int, verdict: str
) -> None:
    summary, output = tmp_path / "summary", tmp_path / "output"
    done = gate(
        GATE_FILE=predictions(tmp_path, model, cases),
        GATE_COMMAND="compare",
        GATE_ARGUMENTS=COMPARED,
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_OUTPUT=str(output),
    )
    assert done.returncode == code, done.stderr
    assert output.read_text("utf-8") == f"verdict={verdict}\n"
    assert summary.read_text("utf-8") == done.stdout
    assert done.stdout.startswith("<!-- abovechance -->\n")


def test_the_stated_goals_decide_too(tmp_path: Path) -> None:
    file = predictions(tmp_path, "equal")
    met = gate(file, "--arguments", GOALS)
    more = gate(file, "--arguments", GOALS, "--goals", "\nauc >= .7\n\naccuracy>=.95\n")
    assert (met.returncode, more.returncode) == (0, 1), met.stderr + more.stderr
    assert "| Accuracy ≥ 0.95 | not met |" in more.stdout
    few = gate(predictions(tmp_path, "equal", 30), "--arguments", f"{GOALS} --undecided pass")
    assert (few.returncode, few.stdout.splitlines()[1][:9]) == (0, "Undecided")


def test_an_input_cannot_run_a_command(tmp_path: Path) -> None:
    file, made = predictions(tmp_path, "equal"), tmp_path / "made"
    done = gate(file, "--arguments", GOALS, "--goals", f"$(touch {made})\n`touch {made}`")
    assert done.returncode == 2
    assert not made.exists()
    assert gate().returncode == 2  # no file


def test_annotations_on_the_runner(tmp_path: Path) -> None:
    file = predictions(tmp_path, "equal", 30)
    done = gate(file, "--arguments", GOALS, GITHUB_ACTIONS="true")
    assert "::warning title=abovechance::undecided" in done.stdout


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gate_script", ROOT / "action" / "gate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("known", "method", "where"),
    [
        ("", "POST", "repos/a/b/issues/5/comments"),
        ("11\n12\n", "PATCH", "repos/a/b/issues/comments/12"),
    ],
)
def test_a_comment_is_written_once_and_then_replaced(
    script: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    known: str,
    method: str,
    where: str,
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 5}}), "utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    calls: list[tuple[tuple[str, ...], Any]] = []

    def answered(*words: str, given: Any = None) -> str:
        calls.append((words, given))
        return known if given is None else ""

    monkeypatch.setattr(script, "_gh", answered)
    script.comment("text")
    words, given = calls[-1]
    assert given == {"body": "text"}
    assert (words[2], words[3]) == (method, where)


def test_inputs_reach_the_shell_through_the_environment_only() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    scripts = re.findall(r"run: \|\n((?: {8}.*\n)+)", text)
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)
    read = set(re.findall(r'stated\("(\w+)"', (ROOT / "action" / "gate.py").read_text("utf-8")))
    given = set(re.findall(r"GATE_(\w+): \$\{\{ inputs\.", text))
    assert read <= given
    assert "uses:" not in text  # nothing of third parties to pin


def test_the_example_names_inputs_and_hooks_that_there_are() -> None:
    action = (ROOT / "action.yml").read_text("utf-8")
    inputs = set(re.findall(r"^  (\w+):$", action.partition("outputs:")[0], re.MULTILINE))
    workflow = (EXAMPLE / ".github" / "workflows" / "gate.yml").read_text("utf-8")
    used = {
        name
        for part in workflow.split("with:")[1:]
        for name in re.findall(r"^ {10}(\w+):", part, re.M)
    }
    assert used
    assert used <= inputs
    hooks = re.findall(r"id: (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    config = (EXAMPLE / ".pre-commit-config.yaml").read_text("utf-8")
    assert set(re.findall(r"id: (\S+)", config)) <= set(hooks)


def test_a_hook_runs_what_it_says(tmp_path: Path) -> None:
    file = predictions(tmp_path, "equal")
    entries = re.findall(r"entry: (.+)", (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [entry.split() for entry in entries] == [
        ["abovechance", "assess"],
        ["abovechance", "compare"],
    ]
    config = (EXAMPLE / ".pre-commit-config.yaml").read_text("utf-8")
    args = re.search(r"args: \[(.*)\]", config)
    assert args is not None
    words = [word.strip(' "') for word in args[1].split(",")]
    done = python("-m", "abovechance", "assess", file, *words[1:], "--measures", "auc")
    assert done.returncode == 0, done.stderr


def test_cases_are_those_that_the_script_makes() -> None:
    assert python("make_cases.py").stdout == (EXAMPLE / "cases.csv").read_text("utf-8")
