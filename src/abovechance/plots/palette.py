"""Colours that readers with any colour vision can tell apart, on light and on dark paper.

The first three series are those of Okabe and Ito (2008), "Color universal design", the others
chosen so that all six stay apart under every kind of colour blindness; on dark paper lighter
shades, in the same order, so that a figure and a report speak of the same colours.
"""

LIGHT = {
    "0": "#0072B2",
    "1": "#D55E00",
    "2": "#009E73",
    "3": "#B0528A",
    "4": "#332288",
    "5": "#7A1A1A",
    "ink": "#1B1F24",
    "muted": "#5C6570",
    "grid": "#E7EAEE",
    "paper": "#FFFFFF",
}
DARK = {
    "0": "#58A6FF",
    "1": "#FF8A4C",
    "2": "#57DDB2",
    "3": "#D684B8",
    "4": "#C9B6FF",
    "5": "#FFD24D",
    "ink": "#E8ECF1",
    "muted": "#98A3B0",
    "grid": "#2A313A",
    "paper": "#161B22",
}
