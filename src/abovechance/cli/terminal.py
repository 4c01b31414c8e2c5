"""Results on the terminal: tables to stdout, remarks and progress to stderr."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from abovechance.tabular import Block, lines, screen_width

PATIENCE = 1.0  # seconds before a progress bar is shown


def console() -> Any:
    """A rich console that neither wraps pipes nor colours them."""
    from rich.console import Console

    width = screen_width(sys.stdout)
    return Console(file=sys.stdout, width=width, soft_wrap=False, highlight=False)


def print_blocks(blocks: Iterable[Block]) -> None:
    """Tables and paragraphs, laid out for the screen, in their styles."""
    screen = console()
    for style, line in lines(blocks, screen.width):
        screen.print(line.rstrip(), style=style or None, markup=False, emoji=False, soft_wrap=True)


def show(result: Any, format_: str, *also: str, full: bool = False) -> None:
    """Print a result as text, Markdown, JSON or CSV; what CSV cannot hold goes to stderr.

    `also` are lines below the tables; `full` shows what a screen has no room for. A reader that
    closes the pipe has seen enough; files are written and gates told all the same.
    """
    from abovechance.cli import leave_the_pipe

    try:
        _print(result, format_, *also, full=full)
    except (BrokenPipeError, SystemExit) as left:
        if isinstance(left, SystemExit) and not isinstance(left.__context__, BrokenPipeError):
            raise
        leave_the_pipe()


def _print(result: Any, format_: str, *also: str, full: bool) -> None:
    from abovechance.tabular import Note

    if format_ == "json":
        click.echo(result.to_json())
    elif format_ == "markdown":
        click.echo(result.to_markdown(full=full), nl=False)
    elif format_ == "csv":
        click.echo(result.to_csv(), nl=False)
        for said in (*also, *result.advice):
            click.echo(f"abovechance: {said}", err=True)
    else:
        print_blocks([*result.blocks(full=full), *(Note(said) for said in also)])


def write_files(
    result: Any, path: str | None, predictions: Any = None, *, drawn: Any = None
) -> None:
    """Write the HTML report, with the command that made it, and the picture; say where.

    `drawn` is what to draw, where that is not the result.
    """
    from abovechance.cli.options import NO_CASES, PICTURE

    context = click.get_current_context()
    if path is not None:
        from abovechance.reports import report

        command = context.find_root().obj
        cases = not context.meta.get(NO_CASES)
        report(result, path, predictions=predictions, command=command or "", cases=cases)
        click.echo(f"abovechance: report written to {path}", err=True)
    picture = context.meta.get(PICTURE)
    if picture is not None:
        from abovechance.plots import save

        save(result if drawn is None else drawn, picture)
        click.echo(f"abovechance: picture written to {picture}", err=True)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with how much is done of how much; the bar comes after a second."""
    started = time.monotonic()
    bar = None

    def tell(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - started < PATIENCE or done >= total or not sys.stderr.isatty():
                return
            bar = _bar(what)
        bar[0].update(bar[1], completed=done, total=total)

    try:
        yield tell
    finally:
        if bar is not None:
            bar[0].stop()


def _bar(what: str):  # type: ignore[no-untyped-def]
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None)
    bar.start()
    return bar, task
