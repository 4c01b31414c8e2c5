"""How much data may ask for: what would not fit the memory is refused before it is made."""

import os

from abovechance.errors import FileError
from abovechance.format import thousands

SHARE = 2
"""A file may take one part of so many of the memory: what is made of it takes as much again."""

RATIO, ROOM = 200, 2**30
"""Packed data may grow to so many times their size, and to so many bytes in any case."""


def memory() -> int | None:
    """Bytes of memory that this process may use, if the system tells."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    try:
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, OSError):
        return size
    return size if allowed == resource.RLIM_INFINITY else min(size, allowed)


def refuse_larger(size: int, source: str, what: str) -> None:
    """Refuse something of so many bytes when that is more than half the memory."""
    most = most_bytes()
    if size > most:
        raise FileError(
            f"{source} must fit the memory of this machine; {what} would take {gigabytes(size)} "
            f"and there is room for {gigabytes(most)}. Leave out columns and rows that are not "
            "needed, or write it as Parquet and read it in pieces (--stream)."
        )


def refuse_swollen(unpacked: int, packed: int, source: str) -> None:
    """Refuse what is many times as large once it is unpacked, as no table of predictions is."""
    if unpacked > room_for(packed):
        raise FileError(
            f"{source} must hold a table that fits the memory; unpacked its {thousands(packed)} "
            f"bytes are more than {gigabytes(room_for(packed))}. If it is what it should be, "
            "unpack it first."
        )


def room_for(packed: int) -> int:
    """The most bytes that so many packed ones may become."""
    return min(most_bytes(), max(ROOM, RATIO * packed))


def most_bytes() -> int:
    """The most that one table may take."""
    return (memory() or 2**36) // SHARE


def gigabytes(size: int) -> str:
    """A size for a message.

    >>> gigabytes(3 * 2**30), gigabytes(10**18)
    ('3.0 GiB', '931\\u202f322\\u202f575 GiB')
    """
    shown = size / 2**30
    return f"{shown:.1f} GiB" if shown < 1000 else f"{thousands(round(shown))} GiB"
