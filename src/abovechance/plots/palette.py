"""Colours that readers with any colour vision can tell apart, on light and on dark paper.

The series follow Okabe and Ito (2008), "Color universal design"; on dark paper lighter shades of
the same hues, in the same order, so that a figure and a report speak of the same colours.
"""

LIGHT = {
    "0": "#0072B2",
    "1": "#D55E00",
    "2": "#00845F",
    "3": "#B0528A",
    "4": "#A96F00",
    "5": "#3A8FC4",
    "ink": "#1B1F24",
    "muted": "#6B7480",
    "grid": "#E7EAEE",
    "paper": "#FFFFFF",
}
DARK = {
    "0": "#5CB3EA",
    "1": "#FF9C5B",
    "2": "#3CC79E",
    "3": "#E69AC8",
    "4": "#E8B04B",
    "5": "#A3D3F2",
    "ink": "#E8ECF1",
    "muted": "#98A3B0",
    "grid": "#2A313A",
    "paper": "#161B22",
}
