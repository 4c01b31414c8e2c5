"""The studies use the public names of abovechance, lie outside the wheel, and are found or not."""

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from abovechance.cli import main, setup_commands

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "replications").glob("*.py"))


def inner(tree: ast.AST) -> list[str]:
    """Imports from abovechance that are none of its public names."""
    wrong = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            wrong += [name for name in names if name.startswith("abovechance.")]
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "abovechance":
            module = import_module(str(node.module))
            public = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
            deep = str(node.module).count(".") > 1
            known = {*public, "__version__"}
            wrong += [f"{node.module}.{a.name}" for a in node.names if deep or a.name not in known]
    return wrong


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_studies_import_public_names_only(file: Path) -> None:
    assert inner(ast.parse(file.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("import abovechance.studies.designs", ["abovechance.studies.designs"]),
        ("from abovechance.studies.designs import Shift", ["abovechance.studies.designs.Shift"]),
        ("from abovechance.studies import designs", ["abovechance.studies.designs"]),
        ("from abovechance.io import text", ["abovechance.io.text"]),
        ("import abovechance as ac\nfrom abovechance.studies import Shift", []),
        ("from abovechance.errors import FileError", []),
    ],
)
def test_an_inner_name_would_be_seen(source: str, wrong: list[str]) -> None:
    assert inner(ast.parse(source)) == wrong


def test_the_wheel_holds_the_package_alone() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["src/abovechance"]
    assert "/replications" in build["targets"]["sdist"]["include"]


def test_without_the_folder_the_command_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "replications"]:
        monkeypatch.delitem(sys.modules, name)
    absent = setup_commands.studies_command(tmp_path)
    monkeypatch.setattr(setup_commands, "reproduce", absent)
    assert main(["reproduce", "rosenblatt-fig5b", "--replications", "5"]) == 2
    err = capsys.readouterr().err
    assert "./run reproduce STUDY" in err
    assert "python -m replications STUDY" in err
    assert len(err.splitlines()) == 1
    assert main(["reproduce", "--help"]) == 0
    assert "./run reproduce STUDY" in capsys.readouterr().out


@pytest.mark.parametrize("how", [["-m", "replications"], ["-m", "abovechance", "reproduce"]])
def test_a_checkout_runs_its_studies_by_either_name(how: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *how], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "rosenblatt-fig5b" in done.stdout
