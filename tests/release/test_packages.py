"""What is handed out: metadata, conda recipe, container, completion of the shell."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"abovechance"}
    for wanted in ("py.typed", "app/templates/app.html", "examples/breast_cancer.csv"):
        assert f"abovechance/{wanted}" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbi", ".nbc"))]


def test_the_metadata_say_who_it_is_for(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
    about = Parser().parsestr(archive.read(name).decode())
    assert set(about.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert about["License-Expression"] == "BSD-3-Clause"
    assert about["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in about.get_all("Classifier", [])


def test_classifiers_are_known() -> None:
    from trove_classifiers import classifiers

    assert set(PROJECT["classifiers"]) <= set(classifiers)


def test_the_source_archive_holds_package_tests_and_citation(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "LICENSE", "CITATION.cff", "tests/conftest.py"} <= names
    tops = {name.partition("/")[0] for name in names if "/" in name}
    assert tops == {"src", "tests", "replications", "docs"}
    assert {name for name in names if name.startswith("docs/")} == {"docs/references.bib"}


def test_the_extra_all_is_all_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    assert everything.extras == set(extras) - {"all"}


def test_the_conda_recipe_agrees_with_the_package() -> None:
    recipe = yaml.safe_load((ROOT / "release/conda/recipe.yaml").read_text("utf-8"))
    package = (ROOT / "src/abovechance/__init__.py").read_text("utf-8")
    assert f'__version__ = "{recipe["context"]["version"]}"' in package
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    needs = [Requirement(need) for need in recipe["requirements"]["run"]]
    declared = [Requirement(need) for need in PROJECT["dependencies"]]
    declared.append(Requirement(f"python{PROJECT['requires-python']}"))
    assert {(n.name, n.specifier) for n in needs} == {(n.name, n.specifier) for n in declared}
    (script,) = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(script)]


def test_the_container_copies_what_is_there_and_what_is_let_in() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    let_in = (ROOT / ".dockerignore").read_text("utf-8").split()
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.M)
        for name in line.split()[:-1]
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(Path(name).match(rule[1:]) for rule in let_in if rule.startswith("!")), name
    (extras,) = re.findall(r"\.\[(.+?)\]", text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    assert 'ENTRYPOINT ["abovechance"]' in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "abovechance", "completion", shell], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert f"_ABOVECHANCE_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(("typed", "offered"), [("as", "assess"), ("assess --outc", "--outcome")])
def test_the_shell_is_offered_commands_and_options(
    typed: str, offered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"abovechance {typed}"
    for name, value in {
        "_ABOVECHANCE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "abovechance"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert f"plain,{offered}" in done.stdout.splitlines()
