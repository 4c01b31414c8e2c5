"""How far it is: a bar on the error stream, for whoever asks."""

import sys
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 1.0  # seconds before a bar is shown: what ends sooner needs none
STEP = 0.1  # seconds between two drawings of it
LENGTH = 30  # letters


class Bar:
    """What `progress=True` shows after a second, on one line of the error stream.

    >>> import io
    >>> stream = io.StringIO()
    >>> bar = Bar(stream, clock=iter([0.0, 2.0, 4.0]).__next__)
    >>> bar(50, 100), bar(100, 100)
    (None, None)
    >>> stream.getvalue().split("\\r")[1]
    '50%|###############               | 50/100 [00:02<00:02]'
    """

    def __init__(self, stream: Any = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._begun, self._last, self._wide = clock(), float("-inf"), 0
        self._patient = self._begun + PATIENCE  # of all that is done, not of each part

    def __call__(self, done: int, total: int) -> None:
        """So much is done of so much; wiped when that is all."""
        now = self._clock()
        spent = now - self._begun
        stream = sys.stderr if self._stream is None else self._stream
        if done >= total:
            if self._wide:
                print(f"\r{' ' * self._wide}\r", end="", file=stream, flush=True)
            self._begun, self._wide = now, 0
            return
        if now < self._patient or now - self._last < STEP:
            return
        self._last = now
        share = done / total
        left = _minutes(spent / share - spent) if share else "?"
        cells = f"{'#' * int(share * LENGTH):{LENGTH}}"
        line = f"{share:.0%}|{cells}| {done}/{total} [{_minutes(spent)}<{left}]"
        print(f"\r{line:{self._wide}}", end="", file=stream, flush=True)
        self._wide = max(self._wide, len(line))


def unasked_bar() -> Bar | None:
    """A bar for whoever did not ask for one but watches the error stream; else none."""
    return Bar() if watched() else None


def watched() -> bool:
    """Whether somebody sees the error stream as it is written: on a screen, in a notebook."""
    return (sys.stderr is not None and sys.stderr.isatty()) or "ipykernel" in sys.modules


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"
