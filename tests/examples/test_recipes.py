"""The recipes for other tools, each run by the tool itself where it is installed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from abovechance.cli import command
from abovechance.examples import path

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples"


@pytest.fixture
def recipe(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of a recipe, with predictions beside it."""
    folder = tmp_path / "recipe"
    shutil.copytree(RECIPES / request.param, folder)
    shutil.copy(path("breast_cancer"), folder / "predictions.csv")
    return folder


def run(folder: Path, *words: str, **settings: str) -> str:
    """What a command prints, with this Python and its programs first."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        words,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": programs, "PYTHONPATH": source.rstrip(os.pathsep), **settings},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("recipe", ["mlflow"], indirect=True)
def test_mlflow_keeps_values_limits_and_the_report(recipe: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    store = f"sqlite:///{recipe / 'runs.db'}"
    script = [sys.executable, "track.py", "predictions.csv", "p_forest"]
    said = run(recipe, *script, MLFLOW_TRACKING_URI=store).split()[-1]
    kept = mlflow.MlflowClient(store).get_run(said)
    assert kept.data.metrics["auc_low"] < kept.data.metrics["auc"] < kept.data.metrics["auc_high"]
    assert list(recipe.rglob("report.html"))


@pytest.mark.parametrize("recipe", ["wandb"], indirect=True)
def test_weights_and_biases_keeps_a_run_offline(recipe: Path) -> None:
    pytest.importorskip("wandb")
    script = [sys.executable, "track.py", "predictions.csv", "p_forest"]
    assert "auc_low" in run(recipe, *script, WANDB_MODE="offline", WANDB_DIR=str(recipe))
    assert list(recipe.rglob("offline-run-*"))


@pytest.mark.parametrize("recipe", ["dvc"], indirect=True)
def test_dvc_shows_values_and_limits(recipe: Path) -> None:
    pytest.importorskip("dvc")
    dvc = [sys.executable, "-m", "dvc"]
    run(recipe, "git", "init", "--quiet")
    run(recipe, *dvc, "init", "--quiet")
    run(recipe, *dvc, "repro", "--quiet")
    shown = json.loads(run(recipe, *dvc, "metrics", "show", "--json"))
    values = shown[""]["data"]["metrics.json"]["data"]
    assert values["auc_low"] < values["auc"] < values["auc_high"]


def test_the_metrics_of_dvc_are_those_of_the_assessment(tmp_path: Path) -> None:
    options = ["--probability", "p_forest", "--positive", "malignant", "--measures", "auc,brier"]
    assess = [sys.executable, "-m", "abovechance", "assess", str(path("breast_cancer")), *options]
    saved = tmp_path / "assessment.json"
    saved.write_text(run(tmp_path, *assess, "--seed", "1", "--format", "json"), "utf-8")
    flat = json.loads(run(tmp_path, sys.executable, str(RECIPES / "dvc/flatten.py"), str(saved)))
    assert sorted(flat) == ["auc", "auc_high", "auc_low", "brier", "brier_high", "brier_low"]


@pytest.mark.parametrize("recipe", ["snakemake"], indirect=True)
def test_snakemake_assesses_and_compares(recipe: Path) -> None:
    pytest.importorskip("snakemake")
    run(recipe, sys.executable, "-m", "snakemake", "--cores", "1", "--quiet")
    made = sorted(file.name for file in (recipe / "results").iterdir())
    assert made == [
        "comparison.html",
        *("p_forest.html", "p_forest.json", "p_texture.html", "p_texture.json"),
    ]


@pytest.mark.parametrize("recipe", ["pytest"], indirect=True)
def test_tests_of_a_model_pass_and_fail(recipe: Path) -> None:
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."]
    assert "2 passed" in run(recipe, *tests, ".")
    table = (recipe / "predictions.csv").read_text("utf-8")
    swapped = table.replace("p_texture,p_forest", "p_forest,p_texture")
    (recipe / "predictions.csv").write_text(swapped, "utf-8")
    with pytest.raises(AssertionError, match="2 failed"):
        run(recipe, *tests, ".")


COMMANDS = sorted(
    {
        (file.relative_to(RECIPES).as_posix(), name)
        for file in [
            RECIPES / "dvc/dvc.yaml",
            *RECIPES.glob("*make/Snakefile"),
            *RECIPES.glob("*/*.nf"),
        ]
        for name in re.findall(r"abovechance (assess|compare)", file.read_text("utf-8"))
    }
)


@pytest.mark.parametrize(("file", "name"), COMMANDS)
def test_recipes_use_options_that_there_are(file: str, name: str) -> None:
    text = (RECIPES / file).read_text("utf-8")
    used = {
        option
        for call in re.findall(rf"abovechance {name}(.*?)(?:\n\n|\"\"\"|>|\Z)", text, re.S)
        for option in re.findall(r"--[a-z-]+", call)
    }
    assert isinstance(command, click.Group)
    known = command.get_command(click.Context(command), name)
    assert known is not None
    assert used
    assert used <= {option for parameter in known.params for option in parameter.opts}
