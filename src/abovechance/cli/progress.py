"""A progress bar on stderr, shown only when work takes longer than two seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with how much is done of how much; the bar comes after two seconds."""
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
