"""How matplotlib's figures look: on light and dark screens, or in one column of a paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from abovechance.errors import NotApplicable, did_you_mean, listed
from abovechance.plots.chart import DARK, LIGHT, Chart, Line, Points

MILLIMETRE = 1 / 25.4  # inches

Dashes = tuple[float, ...]
REFERENCE: Dashes = (3, 2.5)  # of what a series is held against


@dataclass(frozen=True, kw_only=True)
class Style:
    """Colours, sizes, letters and signs of a figure.

    Attributes
    ----------
    colours
        The paint of each role that a chart names.
    width
        Of new figures, in inches.
    font
        Size of the letters at the axes, in points; others are a little larger or smaller.
    families
        Fonts wanted, the first that the machine has is taken; matplotlib's own when empty.
    titled
        Whether the title stands over the figure; a journal prints it in the caption.
    grid
        Whether lines cross the figure at the marks.
    line
        Width of the lines of series, in points.
    dashes, markers, hatches
        By series, so that they can be told apart without colour; none: all are alike.
    """

    colours: Mapping[str, str]
    width: float = 3.5
    font: float = 8.0
    families: tuple[str, ...] = ()
    titled: bool = True
    grid: bool = True
    line: float = 1.6
    dashes: tuple[Dashes, ...] = ()
    markers: tuple[str, ...] = ()
    hatches: tuple[str, ...] = ()

    def letters(self) -> dict[str, Any]:
        """What matplotlib is told about the font of a text."""
        found = _first_installed(self.families)
        return {"fontfamily": found} if found else {}

    def dash_of(self, colour: str) -> Any:
        """The line of a series."""
        own = self.dashes[int(colour)] if self.dashes and colour.isdigit() else ()
        return (0, own) if own else "-"

    def marker_of(self, colour: str) -> str:
        """The dot of a series."""
        return self.markers[int(colour)] if self.markers and colour.isdigit() else "o"

    def hatch_of(self, colour: str) -> str:
        """What fills the bars of a series."""
        return self.hatches[int(colour)] if self.hatches and colour.isdigit() else ""

    def key_of(self, colour: str, chart: Chart) -> dict[str, Any]:
        """How the legend shows a series: as it is drawn, where that differs between series."""
        if not self.markers:
            return {}
        own = [one for one in chart.layers if getattr(one, "colour", "") == colour]
        lines = [one for one in own if isinstance(one, Line)]
        dots = any(isinstance(one, Points) and one.shape == "dot" for one in own)
        dashed = bool(lines) and all(one.dashed for one in lines)
        dash = (0, REFERENCE) if dashed else self.dash_of(colour)
        return {
            "linestyle": dash if lines or not dots else "none",
            "marker": self.marker_of(colour) if dots else "",
            "markersize": 3.5,
        }


STYLES = {
    "screen": Style(colours=LIGHT),
    "dark": Style(colours=DARK),
    # one column of most journals; letters of 7 points and more; a printer without colour
    "paper": Style(
        colours=LIGHT,
        width=85 * MILLIMETRE,
        families=("Arial", "Helvetica", "Liberation Sans", "Nimbus Sans"),
        titled=False,
        grid=False,
        line=1.2,
        dashes=((), (5, 1.5), (1.2, 1.2), (5, 1.5, 1.2, 1.5), (9, 2), (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
        markers=("o", "s", "^", "v", "P", "X"),
        hatches=("", "////", "....", "\\\\\\\\", "xxxx", "----"),
    ),
}


def style_of(name: str) -> Style:
    """The style of that name.

    >>> round(style_of("paper").width * 25.4, 6)
    85.0
    """
    if name not in STYLES:
        known = did_you_mean(name, STYLES) or f"; there are {listed(list(STYLES))}."
        raise NotApplicable(f"no style {name!r}{known}")
    return STYLES[name]


@cache
def _first_installed(families: tuple[str, ...]) -> str | None:
    """A font that is there: matplotlib complains of every other that it is asked for."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist} if families else set()
    return next((family for family in families if family in installed), None)
