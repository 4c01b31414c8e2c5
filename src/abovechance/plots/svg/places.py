"""From values to whole numbers on the drawing, and paths through them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from markupsafe import Markup

from abovechance.arrays import Floats
from abovechance.plots.chart import Chart

SIZE = 2000  # the drawing's own units, both ways


def across(chart: Chart, x: Any) -> Floats:
    """Places along the horizontal axis."""
    return np.nan_to_num(np.round(chart.x.share(x) * SIZE))


def down(chart: Chart, y: Any) -> Floats:
    """Places along the vertical axis, from the top."""
    return np.nan_to_num(np.round((1.0 - chart.y.share(y)) * SIZE))


def percent(share: Any) -> str:
    """A place as a share of the frame."""
    return f"{100 * float(share):.4g}%"


def pairs(x: Iterable[float], y: Iterable[float]) -> str:
    """Places as a path names them.

    >>> pairs([1.0, 2.0], [3.0, 4.0])
    '1 3 2 4'
    """
    return " ".join(f"{a:.0f} {b:.0f}" for a, b in zip(x, y, strict=True))


def path(kind: str, colour: str, d: str, attributes: str = "") -> Markup:
    """A path of a kind and a colour that the style sheet knows."""
    return Markup('<path class="{} c-{}"{} d="{}"/>').format(kind, colour, Markup(attributes), d)


def stepped(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of a line that keeps its value until the next point.

    >>> stepped(np.array([0, 1, 2]), np.array([9, 8, 7]))
    (array([0, 1, 1, 2, 2]), array([9, 9, 8, 8, 7]))
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
