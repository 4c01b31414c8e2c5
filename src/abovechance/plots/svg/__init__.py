"""Charts for the report: shapes as inline SVG that stretches, words as HTML that does not.

The drawing is scaled to whatever room there is, while lines keep their width (non-scaling strokes)
and text its size, so a chart is as readable on a phone as on a desk. Dots are lines of no length
with round ends. Colours are CSS variables, so one drawing serves light and dark paper and print.
"""

from abovechance.plots.svg.render import render

__all__ = ["render"]
