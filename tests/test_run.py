"""The door to the project, ./run, on machines that lack something, with stand-ins for Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

OLD = """#!/bin/sh
[ "$1" = -V ] && echo Python 3.9.2
"""

WITHOUT_VENV = """#!/bin/sh
case "$2" in *ensurepip*) exit 1 ;; *print*) echo python3.12-venv ;; esac
"""

# Notes what it is asked to do; installing fails while the file `broken` is there.
OBEDIENT = """#!/bin/sh
here=$(dirname "$0")/../..
case "$*" in
*"pip install"*.lock*)
    echo "$*" >>"$here/installations"
    [ ! -e "$here/broken" ]
    ;;
esac
"""

TOOL = """#!/bin/sh
echo "$PWD: $*"
"""


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files ./run reads, in a folder with a space in its name."""
    folder = tmp_path / "the project"
    folder.mkdir()
    for path in [ROOT / "run", ROOT / "pyproject.toml", *ROOT.glob("requirements-*.lock")]:
        shutil.copy(path, folder)
    return folder


@pytest.fixture
def installed(project: Path) -> Path:
    """The same, with an environment that does as it is told."""
    script(project / ".venv/bin/python", OBEDIENT)
    script(project / ".venv/bin/abovechance", TOOL)
    return project


def run(project: Path, *arguments: str, path: str | None = None) -> tuple[int, str, str]:
    """Exit code, output and messages of ./run, started from elsewhere with an empty environment."""
    done = subprocess.run(
        [project / "run", *arguments],
        cwd=project.parent,
        env={"PATH": path or os.defpath, "HOME": str(project.parent)},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def installations(project: Path) -> int:
    return len((project / "installations").read_text().splitlines())


def only(folder: Path, python: str) -> str:
    """A PATH with the programs ./run needs and one stand-in for every Python."""
    for name in ("cat", "cksum", "dirname", "mv", "rm", "sh"):
        (folder / name).symlink_to(shutil.which(name) or name)
    script(folder / "python3", python)
    return str(folder)


def test_an_old_python_is_said_in_one_line(project: Path, tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    code, out, message = run(project, "demo", path=only(bin, OLD))
    assert (code, out) == (2, "")
    assert message == (
        "abovechance: Python 3.11 or later is needed; found Python 3.9.2. "
        "Install one, e.g. python3.12, beside it.\n"
    )
    assert not (project / ".venv").exists()


def test_a_missing_venv_module_is_said_with_the_package_to_install(
    project: Path, tmp_path: Path
) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    code, _, message = run(project, "demo", path=only(bin, WITHOUT_VENV))
    assert code == 2
    assert message == (
        "abovechance: Python's venv module is missing; "
        "on Debian or Ubuntu: apt-get install python3.12-venv\n"
    )


def test_the_tool_runs_where_the_user_stands(installed: Path) -> None:
    code, out, _ = run(installed, "abovechance", "assess", "a file.csv")
    assert code == 0
    assert out == f"{installed.parent.resolve()}: assess a file.csv\n"


def test_requirements_are_installed_once(installed: Path) -> None:
    assert run(installed, "demo")[2].startswith("abovechance: installing requirements-run.lock")
    assert run(installed, "demo")[2] == ""
    assert installations(installed) == 1


@pytest.mark.parametrize("name", ["requirements-run.lock", "pyproject.toml"])
def test_a_changed_lock_or_project_is_installed_again(installed: Path, name: str) -> None:
    run(installed, "demo")
    with (installed / name).open("a") as file:
        file.write("# changed\n")
    assert "installing" in run(installed, "demo")[2]
    assert installations(installed) == 2


def test_a_moved_project_is_installed_again(installed: Path) -> None:
    run(installed, "demo")
    moved = installed.rename(installed.with_name("elsewhere"))
    assert "installing" in run(moved, "demo")[2]


def test_an_interrupted_installation_is_repeated(installed: Path) -> None:
    run(installed, "demo")
    (installed / "broken").touch()
    code, out, message = run(installed, "check")
    assert (code, out) == (2, "")
    assert "the installation failed" in message
    assert not list((installed / ".venv").glob("installed-*"))
    (installed / "broken").unlink()
    assert "installing" in run(installed, "demo")[2]
    assert run(installed, "demo")[2] == ""
    attempts = (installed / "installations").read_text().splitlines()
    assert ["--reinstall" in attempt for attempt in attempts] == [False, False, True]


def test_what_the_tests_install_serves_the_demo(installed: Path) -> None:
    run(installed, "test", "-k", "nothing")
    assert run(installed, "demo")[2] == ""
    assert installations(installed) == 1


def test_an_unknown_command_or_benchmark_is_refused(installed: Path) -> None:
    assert run(installed, "tets")[0::2] == (
        2,
        "abovechance: there is no command tets; ./run help lists them.\n",
    )
    code, _, message = run(installed, "bench", "nothing")
    assert code == 2
    assert message.endswith("no benchmark nothing; see the scripts in benchmarks/.\n")
