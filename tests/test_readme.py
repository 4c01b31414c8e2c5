"""What the README shows is what one gets."""

import re
import shlex
from pathlib import Path

import pytest

from abovechance import examples
from abovechance.cli import COMMANDS, main

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
SHOWN = re.findall(r"^\$ abovechance ((?:.*\\\n)*.*)\n((?:(?!```).*\n)*)```", README, re.MULTILINE)


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_the_output_shown_is_the_output(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(examples.path("breast_cancer").parent)
    assert main(shlex.split(command.replace("\\\n", " "))) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    wanted = [line.rstrip() for line in output.splitlines() if line.strip()]
    assert len(wanted) > 3
    assert wanted == [line for line in lines if line][: len(wanted)]


def test_outputs_are_shown() -> None:
    assert SHOWN


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_named(name: str) -> None:
    assert f"`{name}`" in README


@pytest.mark.parametrize("path", re.findall(r'\]\(([\w./-]+)\)|src(?:set)?="([\w./-]+)"', README))
def test_what_is_linked_is_there(path: tuple[str, str]) -> None:
    assert (Path(__file__).parents[1] / (path[0] or path[1])).is_file()
