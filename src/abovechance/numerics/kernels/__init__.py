"""Compiled loops, imported only when the work is large enough to pay for loading them.

They need numba. Where it is not installed every question is answered by the plain forms.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from abovechance.progress import watched

WORTHWHILE = 5_000
LOADED_ALREADY = 8  # times less where another module has brought the compiler's library
NEVER_COMPILED = 16  # times more where loops must first be compiled
SWITCH = "ABOVECHANCE_COMPILED"  # the environment variable that turns compiled loops off
OFF = ("0", "false", "no", "off")

AGAIN = 5.0  # seconds without compiling after which a wait for it is another one

_taken: Counter[str] = Counter()  # steps that were asked for while a module was not loaded
_announced: dict[str, float] = {}  # when compiling was last seen
_eager: list[bool] = []  # not empty while compiled code is to be used for work of any size

Function = TypeVar("Function", bound=Callable[..., Any])


def available() -> bool:
    """Whether loops can be compiled: numba is installed, and ABOVECHANCE_COMPILED is not off."""
    return _allowed(os.environ.get(SWITCH, "on"))


@cache
def _allowed(switch: str) -> bool:
    return switch.strip().lower() not in OFF and find_spec("numba") is not None


def worthwhile(size: int, *, module: str | None = None) -> bool:
    """Whether `size` elementary steps repay loading compiled code (about half a second).

    A `module` here whose results equal the plain ones to the last bit is worth using for any size
    once it has been loaded, and worth loading as soon as the plain path has taken as many steps as
    loading would have cost: many small jobs then never take more than twice the least time.
    """
    if _eager:
        return available()
    if module is None:
        return size >= WORTHWHILE and available()
    if f"{__name__}.{module}" in sys.modules:
        return available()
    _taken[module] += size
    least = WORTHWHILE / LOADED_ALREADY if "numba" in sys.modules else WORTHWHILE
    if _taken[module] < least or not available():
        return False
    return _taken[module] >= NEVER_COMPILED * WORTHWHILE or _compiled_before(module)


@cache
def _compiled_before(module: str) -> bool:
    """Whether machine code of a module is likely to be on disk, to be read rather than made."""
    beside = Path(__file__).parent / "__pycache__"
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return any(Path(given).rglob(f"{module}.*.nbi"))
    # where nothing can be written beside the source it is kept in a place that numba knows
    return any(beside.glob(f"{module}.*.nbi")) or not os.access(beside.parent, os.W_OK)


@contextmanager
def eagerly() -> Iterator[None]:
    """Use compiled code for work of any size meanwhile, so that it is there when it is needed."""
    _eager.append(True)
    try:
        yield
    finally:
        _eager.pop()


@contextmanager
def counted() -> Iterator[list[str]]:
    """The names of the loops of this package that are compiled meanwhile, not read from disk."""
    from numba.core import event

    found: list[str] = []

    class Count(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            if function.__module__.startswith("abovechance."):
                found.append(f"{function.__module__}.{function.__name__}")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Count()):
        yield found


def kept_in() -> Path:
    """Where machine code is kept for later processes."""
    from abovechance.numerics.kernels import draw_loops

    loop: Any = draw_loops.subset_masks
    return Path(loop.stats.cache_path or "")


def compiled(function: Function) -> Function:
    """Compile a loop to machine code at its first call and keep it on disk for later processes."""
    return _compile(function)


def compiled_sums(function: Function) -> Function:
    """Compile a loop whose sums may be added up in any order, so that they fill vector registers.

    Nothing else is relaxed: nan, infinities and signed zeros keep their meaning.
    """
    return _compile(function, fastmath={"reassoc"})


def inlined(function: Function) -> Function:
    """Make a function part of the compiled loops of its module that call it many times."""
    return _compile(function, inline="always")


def _compile(function: Function, **how: Any) -> Function:
    import numba

    _announce_compiling()
    dispatcher: Function
    options = {"nogil": True, "error_model": "numpy"} | how
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to write: compile in every process
        dispatcher = numba.njit(**options)(function)
    return dispatcher


@cache
def _announce_compiling() -> None:
    """Let `announce` know when code is compiled rather than read from disk."""
    from numba.core import event

    class Announcement(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            announce(event.data["dispatcher"].py_func.__module__)

        def on_end(self, event: Any) -> None:
            _announced["last"] = time.monotonic()  # the next loop may follow a slow one at once

    event.register("numba:compile", Announcement())


def announce(module: str) -> None:
    """Say where somebody watches why nothing happens; once for loops that follow each other.

    Other packages compile too, and speak for themselves.
    """
    if not module.startswith("abovechance.") or not watched():
        return
    now = time.monotonic()
    if now - _announced.get("last", float("-inf")) > AGAIN:
        print(
            "abovechance: compiling fast loops, once on this machine; this can take half a minute",
            file=sys.stderr,
            flush=True,
        )
    _announced["last"] = now
