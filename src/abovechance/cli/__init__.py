"""The command line: `abovechance COMMAND`, one module per command, or per topic of several.

A command outside the package shares `options` and `terminal`.
"""

import contextlib
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import TextIO

import click

from abovechance import __version__
from abovechance.cli import options, terminal
from abovechance.errors import AboveChanceError, PluginWarning, Unfinished, in_one_line

__all__ = ["main", "options", "run", "terminal"]

COMMANDS = {
    "app": "Open a local page: drop a file of predictions, see its report.",
    "assess": "Every applicable measure of the predictions in a file.",
    "compare": "Test whether one model predicts better than another on the same cases.",
    "completion": "Complete commands and options in the shell, by the tab key.",
    "curves": "A curve of the predictions in a file, with its band.",
    "demo": "Assess bundled example predictions and write their report.",
    "detect": "Test whether classes differ in their features.",
    "learning-curve": "Whether more cases would make a learner better, and how many it takes.",
    "group-maps": "Test where a group of subjects carries a signal, from their maps.",
    "measures": "List the measures, or explain one.",
    "plot": "Draw the predictions in a file, or a saved result.",
    "posterior": "Posterior of accuracy and balanced accuracy from a confusion table.",
    "report": "Render a saved result as an HTML report.",
    "searchlight": "Map where in the brain classes differ.",
    "selftest": "Check this installation: references, error rates, draws.",
    "thresholds": "Where to cut the predictions in a file, given what errors cost.",
    "warm": "Compile ahead what later commands use.",
    "validate": "How good a model will be on new cases, from those it is trained on.",
    "power": "How many cases, and which test: power and sample sizes by simulation.",
    "reliability": "Whether cross-validation tells what held-out cases say.",
    "select": "Select features one by one, by what improves a measure most.",
    "stability": "Which features are selected again and again, with a bound on false ones.",
    "reproduce": "Run the papers' simulation studies again, beside the published values.",
}
# The commands under the question that each answers; one under none is listed at the end.
QUESTIONS = {
    "How good is this model?": ("assess", "curves", "thresholds", "posterior"),
    "Which model is better?": ("compare",),
    "How good will it be on new cases?": ("validate", "learning-curve"),
    "Is there any signal in these data?": ("detect", "searchlight", "group-maps"),
    "Which features, and can the validation be believed?": ("select", "stability", "reliability"),
    "How many cases are needed?": ("power",),
    "How do I show it?": ("report", "plot", "app"),
    "Where do I begin?": ("demo", "measures", "reproduce", "selftest", "warm"),
}
EXAMPLES = """\b
Examples:
  abovechance demo
  abovechance assess predictions.csv --outcome y --report report.html
  abovechance compare models.csv --outcome y --positive sick --models old,new
"""
HOMES = {  # several commands in one module
    **dict.fromkeys(("completion", "reproduce", "selftest", "warm"), "setup_commands"),
    **dict.fromkeys(("app", "curves", "demo", "plot", "report", "thresholds"), "report_commands"),
    **dict.fromkeys(("group-maps", "searchlight"), "map_commands"),
    **dict.fromkeys(
        ("learning-curve", "reliability", "select", "stability", "validate"), "learner_commands"
    ),
}
OPTION_OF = {"pos_label": "positive", "sample_weight": "weight"}  # where the two words differ
ANSWERED, GATE, WRONG, UNFINISHED, UNDECIDED = 0, 1, 2, 3, 4


class Commands(click.Group):
    """A group that loads a command's module only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        called = name.replace("-", "_")
        module = HOMES.get(name, f"{called}_command")
        command = getattr(import_module(f"abovechance.cli.{module}"), called)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from abovechance.errors import did_you_mean

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}{did_you_mean(args[0], COMMANDS) or '.'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        asked = [name for names in QUESTIONS.values() for name in names]
        others = tuple(name for name in COMMANDS if name not in asked)
        for question, names in {**QUESTIONS, "Also": others}.items():
            if not names:
                continue
            formatter.write(f"\n{question}\n")
            with formatter.indentation():
                formatter.write_dl([(name, COMMANDS[name]) for name in names])


@click.group(
    cls=Commands,
    help="Is this predictive model really any good, and how sure are we?",
    epilog=EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="abovechance")
@click.pass_context
def command(ctx: click.Context) -> None:
    """The root of all commands."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0 answered, 1 a gate fired or goals are not met, 2 wrong usage or bad data, 3 could not finish,
    4 goals are undecided.
    """
    given = sys.argv[1:] if argv is None else list(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return _answer(given)


def _answer(given: list[str]) -> int:
    try:
        result = command.main(given, "abovechance", standalone_mode=False, obj=_as_typed(given))
        sys.stdout.flush()  # a full disk behind a pipe is noticed here, not while Python ends
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say(_stopped(given), UNFINISHED)
    except click.ClickException as wrong:
        return _say(_one_line(wrong), WRONG)
    except Unfinished as unfinished:
        return _say(str(unfinished), UNFINISHED)
    except AboveChanceError as refused:
        return _say(_with_options(str(refused), given), WRONG)
    except (BrokenPipeError, SystemExit) as left:
        # whoever read the output has seen enough; click ends the program with 1, a gate's code
        if isinstance(left, SystemExit) and not isinstance(left.__context__, BrokenPipeError):
            raise
        leave_the_pipe()
        return ANSWERED
    except MemoryError:
        return _say(TOO_LARGE, UNFINISHED)
    except OSError as error:
        leave_the_pipe()
        file = f" ({error.filename})" if isinstance(error.filename, str) else ""
        said = f"could not finish: {error.strerror or error}{file}."
        return _say(in_one_line(said), UNFINISHED)
    except Exception as error:
        return _say(_unforeseen(error, given), UNFINISHED)
    return result if isinstance(result, int) else ANSWERED


TOO_LARGE = (
    "could not finish: there is not enough memory. Leave out columns or cases that are not needed, "
    "or read a Parquet file in pieces (assess --stream)."
)


def leave_the_pipe() -> None:
    """Let nothing be written any more to an output that takes nothing, when Python ends too."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unforeseen(error: Exception, given: Sequence[str]) -> str:
    """One line for a mistake of this program's, with a file that says all that is known of it."""
    import platform
    import tempfile
    import traceback

    said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    text = (
        f"abovechance {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{_as_typed(given)}\n\n{''.join(traceback.format_exception(error))}"
    )
    try:
        number, name = tempfile.mkstemp(".txt", "abovechance-error-")
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        kept = f"Details are in {name}; please report it with them, without cases in them."
    except OSError:
        kept = "Details could not be written down."
    return f"could not finish, by a mistake of its own ({said}). {kept}"


def _stopped(arguments: Sequence[str]) -> str:
    """What is left of a command that was stopped: nothing, or what its store holds.

    >>> _stopped(["power", "--store=a.db"])
    'stopped before the end; finished work is kept in a.db, and the same command goes on from it.'
    """
    after = [file for option, file in pairwise(arguments) if option == "--store"]
    stuck = [word.removeprefix("--store=") for word in arguments if word.startswith("--store=")]
    for file in (*after, *stuck):
        kept = f"finished work is kept in {file}, and the same command goes on from it"
        return f"stopped before the end; {kept}."
    return "stopped before the end; nothing was written."


def _with_options(said: str, given: Sequence[str]) -> str:
    """A refusal in the words of the command line: options in place of Python's keywords.

    Messages that name an option already, keywords that the command has no option for, and what is
    quoted stay.

    >>> _with_options("For repeats pass repeat=.", ["assess", "file.csv"])
    'For repeats pass --repeat.'
    >>> _with_options("Pass scores as score=.", ["compare", "file.csv", "--models=a,b"])
    'Pass scores as --as score.'
    >>> _with_options("Pass pos_label='sick', for instance.", ["assess", "file.csv"])
    "Pass --positive 'sick', for instance."
    """
    name = next((word for word in given if word in COMMANDS), None)
    if name is None or "--" in said:
        return said
    found = command.get_command(click.Context(command), name)
    options = [p for p in found.params if isinstance(p, click.Option)] if found else []
    words = {str(option.name).rstrip("_"): option.opts[-1] for option in options}
    if any(
        word.partition("=")[0] == "--models" for word in given
    ):  # an option says what all columns of models hold
        for option in options:
            if isinstance(option.type, click.Choice):
                words |= {str(kind): f"{option.opts[-1]} {kind}" for kind in option.type.choices}

    def word(keyword: re.Match[str]) -> str:
        option = words.get(OPTION_OF.get(keyword[1], keyword[1]))
        return keyword[0] if option is None else f"{option} {keyword[2]}".rstrip()

    return re.sub(r"(?<!')\b(\w+)=(?!=)(['\w]?)", word, said)


def _as_typed(arguments: Sequence[str]) -> str:
    """The command as one would type it again, for reports."""
    from shlex import join

    typed = join(["abovechance", *arguments])
    # what the system could not read as text is spelt out, for text is all that a report holds
    return typed.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _one_line(wrong: click.ClickException) -> str:
    text = " ".join(wrong.format_message().split())
    ctx = getattr(wrong, "ctx", None)
    return in_one_line(f"{text} See {ctx.command_path} --help." if ctx is not None else text)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A broken plug-in costs one line; other warnings are shown as Python does."""
    said = f"abovechance: {message}"
    if not issubclass(category, PluginWarning):
        said = warnings.formatwarning(message, category, filename, lineno, line).rstrip()
    click.echo(said, err=True)


def _say(text: str, code: int) -> int:
    click.echo(f"abovechance: {text}", err=True)
    return code


def _terminated(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def run() -> None:
    """The console script; a request to end is answered as Ctrl-C is, so that no draft is left."""
    with contextlib.suppress(ValueError, AttributeError):
        signal.signal(signal.SIGTERM, _terminated)
    for stream in (sys.stdout, sys.stderr):
        # a letter that a terminal does not know is spelt out rather than refused
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    sys.exit(main())
