"""A density drawn with characters, for terminals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.inference.posterior.result import Posterior


class Ink(NamedTuple):
    """Characters to draw with: column heights from empty to full, and marks."""

    levels: str
    line: str
    start: str
    stop: str
    dash: str
    mean: str
    chance: str


UNICODE = Ink(" ▁▂▃▄▅▆▇█", "─", "├", "┤", "─", "●", "╎")
ASCII = Ink(" .:#", "-", "|", "|", "-", "o", ":")


def sketch(
    posterior: Posterior,
    *,
    width: int = 64,
    height: int = 8,
    level: float = 0.95,
    chance: float | None = None,
    ascii_only: bool = False,
) -> str:
    """Draw a posterior density as text, with its mean, interval and chance marked.

    Examples
    --------
    >>> from abovechance.inference.posterior import balanced_accuracy
    >>> print(sketch(balanced_accuracy([[5, 5], [2, 43]]), width=44, height=4, ascii_only=True))
    :                 .::#####:..
    :             .:##############:.
    :          .:####################:.
    :    ...::###########################:...
    --------------------------------------------
    :        |-------------o-------------|
    0.5      0.580         0.718         0.855
    """
    ink = ASCII if ascii_only else UNICODE
    chance = posterior.chance if chance is None else chance
    interval = posterior.interval(level)
    at = _scale(posterior, chance, width)
    density = _finite(np.asarray(posterior.pdf(_points(posterior, chance, width))))
    marks = {name: at(x) for name, x in (("low", interval.low), ("high", interval.high))}
    rows = _columns(density, height, ink)
    if chance is not None:
        rows = [_over(row, {at(chance): ink.chance}) for row in rows]
    bar = [" "] * width
    bar[marks["low"] : marks["high"] + 1] = ink.dash * (marks["high"] - marks["low"] + 1)
    bar[marks["low"]], bar[marks["high"]] = ink.start, ink.stop
    bar[at(posterior.mean)] = ink.mean
    if chance is not None and bar[at(chance)] == " ":
        bar[at(chance)] = ink.chance
    labels = [(at(x), f"{x:.3f}") for x in (interval.low, posterior.mean, interval.high)]
    if chance is not None:
        labels.insert(0, (at(chance), f"{chance:.3g}"))
    lines = [*rows, ink.line * width, "".join(bar), _labelled(labels, width)]
    return "\n".join(line.rstrip() for line in lines)


def _range(posterior: Posterior, chance: float | None) -> tuple[float, float]:
    low, high = posterior.ppf(0.001), posterior.ppf(0.999)
    if chance is not None:
        low, high = min(low, chance), max(high, chance)
    room = 0.02 * (high - low)
    return low - room, high + room


def _points(posterior: Posterior, chance: float | None, width: int) -> Floats:
    low, high = _range(posterior, chance)
    return low + (high - low) * (np.arange(width) + 0.5) / width


def _scale(posterior: Posterior, chance: float | None, width: int) -> Callable[[float], int]:
    """The column of a value."""
    low, high = _range(posterior, chance)

    def column(x: float) -> int:
        return int(np.clip((x - low) / (high - low) * width, 0, width - 1))

    return column


def _columns(density: Floats, height: int, ink: Ink) -> list[str]:
    """Rows from the top, each column filled up to its density."""
    steps = len(ink.levels) - 1
    filled = np.round(density / density.max() * height * steps).astype(int)
    rows = []
    for row in range(height - 1, -1, -1):
        part = np.clip(filled - row * steps, 0, steps)
        rows.append("".join(ink.levels[level] for level in part))
    return rows


def _over(row: str, marks: dict[int, str]) -> str:
    """A row with marks where it is empty."""
    return "".join(marks.get(i, c) if c == " " else c for i, c in enumerate(row))


def _labelled(labels: list[tuple[int, str]], width: int) -> str:
    """Numbers under their columns, in order, those that would overlap left out."""
    text, used = [" "] * width, -1
    for column, label in sorted(labels):
        start = min(max(column, 0), width - len(label))
        if start > used:
            text[start : start + len(label)] = label
            used = start + len(label)
    return "".join(text)


def _finite(density: Floats) -> Floats:
    """A density infinite at an end is drawn as high as its highest finite value."""
    known = density[np.isfinite(density)]
    return np.where(np.isfinite(density), density, known.max(initial=1.0))
