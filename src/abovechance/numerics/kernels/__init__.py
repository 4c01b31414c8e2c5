"""Compiled loops, imported only when the work is large enough to pay for loading them."""

WORTHWHILE = 5_000


def worthwhile(size: int) -> bool:
    """Whether `size` elementary steps repay loading compiled code (about half a second)."""
    return size >= WORTHWHILE
