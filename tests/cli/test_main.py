"""Exit codes and messages: one line, no traceback, what to do."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abovechance import __version__
from abovechance.cli import COMMANDS, QUESTIONS, command, main
from abovechance.errors import Unfinished
from abovechance.examples import path

CANCER = str(path("breast_cancer"))
NAMED = ["--outcome", "outcome", "--probability", "p_forest", "--positive", "malignant"]


def refusal(capsys: pytest.CaptureFixture[str], argv: list[str]) -> str:
    """The one line on stderr of a command that must be refused."""
    code = main(argv)
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("abovechance: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["asses"], "no command 'asses'; did you mean 'assess'?"),
        (["xyzzy"], "no command 'xyzzy'."),
        (["--frobnicate"], "No such option"),
        (["assess"], "Missing argument 'FILE'. See abovechance assess --help."),
        (["assess", CANCER, "--frmat", "json"], "--frmat"),
        (
            ["assess", CANCER, "--format", "xml"],
            "not one of 'text', 'markdown', 'json', 'csv'",
        ),
        (["assess", CANCER, "--threshold", "half"], "'half' is not a valid float"),
        (["assess", "nowhere.csv"], "no file 'nowhere.csv'"),
        (["assess", CANCER], "no prediction column was found by name"),
        (
            ["assess", CANCER, "--outcome", "outcom", "--probability", "p_forest"],
            "no column 'outcom' in breast_cancer.csv; did you mean 'outcome'?",
        ),
        (
            ["assess", CANCER, "--outcome", "outcome", "--probability", "p_forest"],
            "pos_label must say which class is positive; the classes are benign, malignant.",
        ),
        (
            ["assess", CANCER, *NAMED[:5], "malig"],
            "pos_label must be one of benign, malignant; got 'malig'",
        ),
        (["assess", CANCER, *NAMED, "--by", "sit"], "no column 'sit'"),
        (["assess", CANCER, *NAMED, "--measures", "brierr"], "did you mean 'brier'?"),
        (
            ["assess", CANCER, *NAMED, "--measures", "f_beta(two)"],
            "beta of f_beta must be a number",
        ),
        (
            ["assess", CANCER, *NAMED, "--measures", "kappa(cubic)"],
            "weights must be None, 'linear'",
        ),
        (["assess", CANCER, *NAMED, "--measures", "mae"], "is for numeric outcomes, not binary"),
        (["assess", CANCER, *NAMED, "--measures", ","], "no measure was named"),
        (["assess", CANCER, *NAMED, "--primary", "aucc"], "did you mean 'auc'?"),
        (["assess", CANCER, *NAMED, "--threshold", "nan"], "threshold must be a number; got nan."),
        (["assess", CANCER, *NAMED, "--level", "95"], "must lie between 0 and 1; got 95"),
        (["assess", CANCER, *NAMED, "--dialect", "klingon"], "'klingon' is not 'familiar'"),
        (["measures", "brierr"], "unknown measure 'brierr'; did you mean 'brier'?"),
        (["measures", "--family", "ranks"], "got 'ranks'; did you mean 'rank'?"),
    ],
    ids=lambda value: " ".join(value).replace(CANCER, "FILE") if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refusal(capsys, argv)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("y,p\n", "must hold at least one row"),
        ("y,p\n1,1.7\n0,0.2\n", "probability must lie in [0, 1]; got 1.7 at row 1."),
        ("y,p\n1,\n0,0.2\n", "probability must not be missing; it is at row 1."),
        ("y,p\n1,x\n0,0.2\n", "'x'"),
        ("id,y,p\na,1,0.3\na,0,0.2\n", "id must name every case once; a occurs more than once."),
        ("y,p_a,p_b,p_c\na,.5,.5,.5\nb,0,1,0\nc,0,0,1\n", "row 1 sums to 1.5."),
        ("y,p\n1,0.4\n2,0.3\n1,0.6\n", "pos_label must say which class is positive"),
    ],
)
def test_bad_data_is_one_line_and_exit_code_2(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text, "utf-8")
    assert message in refusal(capsys, ["assess", str(file), "--no-inference"])


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [(["--probability", "x"], "--score"), (["--models", "x,x2"], "--as score")],
)
def test_a_refusal_names_the_options_of_the_command(
    columns: list[str], remedy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("y,x,x2\n0,0.5,1\n1,3,2\n0,0.2,0\n1,2,5\n")
    verb = "compare" if "--models" in columns else "assess"
    assert main([verb, str(file), "--outcome", "y", *columns]) == 2
    assert capsys.readouterr().err.endswith(f"pass them as {remedy}.\n")


def test_what_could_not_be_finished_has_exit_code_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stops(error: BaseException) -> Any:
        def run(*arguments: Any, **options: Any) -> None:
            raise error

        return run

    for error in (Unfinished("the disk is full."), KeyboardInterrupt()):
        monkeypatch.setattr("abovechance.inference.assess", stops(error), raising=False)
        assert main(["assess", CANCER, *NAMED]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert err.lstrip("\n").startswith("abovechance: ")  # below the ^C of the terminal
        assert len(err.split("\n")) <= 3


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for name in COMMANDS:
        assert f"\n  {name}" in out


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"Usage: abovechance {command}")
    assert err == ""


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"abovechance, version {__version__}\n"


def in_a_process(*argv: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "abovechance", *argv]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def test_the_package_can_be_run_as_a_module() -> None:
    done = in_a_process("measures", "brier")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Brier score (brier; quadratic family)")
    refused = in_a_process("measures", "brierr")
    assert refused.returncode == 2
    assert refused.stderr == "abovechance: unknown measure 'brierr'; did you mean 'brier'?\n"


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f'"{sys.executable}" -m abovechance measures --format json | head -c 10'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("[")


def examples_of(name: str) -> list[list[str]]:
    """The example commands in the help of a command, as typed."""
    import click

    root = click.Context(command, info_name="abovechance")
    found = command.get_command(root, name)
    assert found is not None
    typed = [line.partition(" > ")[0] for line in (found.epilog or "").splitlines()]
    return [shlex.split(line)[1:] for line in typed if line.startswith("  ")]


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"reproduce"}))
def test_every_command_has_examples_with_options_that_exist(name: str) -> None:
    import click

    root = click.Context(command, info_name="abovechance")
    found = command.get_command(root, name)
    assert found is not None
    shown = examples_of(name)
    assert shown
    for called, *argv in shown:
        assert called == name
        parser = found.make_parser(click.Context(found, info_name=name))
        parser.parse_args(list(argv))  # refuses an option that is not there
    assert max(len(line) for line in (found.epilog or "").splitlines()) <= 76


def test_help_lists_every_command_once_under_its_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    listed = out.partition("Examples:")[0]
    for question in QUESTIONS:
        assert question in listed
    for name in COMMANDS:
        assert len(re.findall(rf"^  {name}\s{{2,}}", listed, re.M)) == 1


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_picture_is_written_beside_a_result(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for argv in (
        ["assess", CANCER, *NAMED, "--measures", "auc,accuracy", "--draws", "19"],
        ["thresholds", CANCER, *NAMED, "--draws", "19"],
        ["curves", CANCER, *NAMED, "--kind", "roc", "--draws", "19"],
        ["posterior", "--correct", "17", "--wrong", "3"],
    ):
        file = tmp_path / f"{argv[0]}.{ending}"
        assert main([*argv, "--picture", str(file)]) == 0
        assert file.stat().st_size > 1000
    file = tmp_path / f"plot.{ending}"
    argv = ["plot", CANCER, "--outcome", "outcome", "--positive", "malignant"]
    assert main([*argv, "--models", "p_forest,p_texture", "--kind", "roc", "-o", str(file)]) == 0
    assert file.stat().st_size > 1000
    capsys.readouterr()


def test_a_saved_result_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["assess", CANCER, *NAMED, "--measures", "auc,accuracy", "--draws", "19"]
    assert main([*argv, "--format", "json"]) == 0
    saved = tmp_path / "result.json"
    saved.write_text(capsys.readouterr().out, "utf-8")
    assert main(["plot", str(saved), "-o", str(tmp_path / "forest.svg")]) == 0
    assert "Area under" in (tmp_path / "forest.svg").read_text("utf-8")
    wrong = refusal_of(capsys, ["plot", str(saved), "-o", str(tmp_path / "forest.bmp")])
    assert "a picture must end in .svg, .png or .pdf; got 'forest.bmp'" in wrong


def refusal_of(capsys: pytest.CaptureFixture[str], argv: list[str]) -> str:
    capsys.readouterr()
    return refusal(capsys, argv)


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "~nobody-of-this-name/a.csv", "\udcff.csv"])
def test_a_file_of_any_name_is_answered_in_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal(capsys, ["assess", name])
    refusal(capsys, ["assess", CANCER, *NAMED, "--no-inference", "--report", name + "/r.html"])


def test_a_mistake_of_the_program_is_one_line_and_a_file_with_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise KeyError("deep inside")

    monkeypatch.setattr("abovechance.inference.assess", broken, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["assess", CANCER, *NAMED]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("abovechance: could not finish, by a mistake of its own (KeyError")
    assert err.count("\n") == 1
    (kept,) = tmp_path.iterdir()
    assert str(kept) in err
    details = kept.read_text("utf-8")
    assert "KeyError: 'deep inside'" in details
    assert f"abovechance assess {CANCER}" in details


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "there is not enough memory"),
        (OSError(5, "Input/output error", "a.csv"), "could not finish: Input/output error (a.csv)"),
    ],
)
def test_what_the_machine_cannot_do_has_exit_code_3(
    error: Exception,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fails(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr("abovechance.inference.assess", fails, raising=False)
    monkeypatch.setattr("abovechance.cli.leave_the_pipe", lambda: None)
    assert main(["assess", CANCER, *NAMED]) == 3
    assert said in capfd.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_an_output_that_takes_nothing_is_said() -> None:
    with open("/dev/full", "w") as full:
        done = begun(["measures"], stdout=full)
        _, said = done.communicate()
    assert done.returncode == 3
    assert "No space left" in said


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    with begun(["measures"], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.readline()
        started.stdout.close()
        assert started.stderr.read() == ""
    assert started.returncode == 0


def test_a_request_to_end_is_answered_as_ctrl_c_is(tmp_path: Path) -> None:
    pipe = tmp_path / "never"
    os.mkfifo(pipe)
    started = begun(["assess", str(pipe)], stdout=subprocess.PIPE)
    with open(pipe, "wb"):  # opened when the command has begun to read
        started.terminate()
        _, said = started.communicate(timeout=60)
    assert started.returncode == 3
    assert said.strip() == "abovechance: stopped before the end; nothing was written."
    assert [p.name for p in tmp_path.iterdir()] == ["never"]


def test_a_reader_that_closes_the_pipe_leaves_report_and_exit_code_as_they_are(
    tmp_path: Path,
) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    report = tmp_path / "report.html"
    asked = ["--measures", "auc", "--fail-if", "auc value < 1", "--report", str(report)]
    done = begun(["assess", CANCER, *NAMED, *asked], stdout=writes)
    os.close(writes)
    _, said = done.communicate()
    assert done.returncode == 1, said
    assert "report written to" in said
    assert report.exists()


def begun(words: list[str], **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "abovechance", *words], stderr=subprocess.PIPE, text=True, **options
    )
