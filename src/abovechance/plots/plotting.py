"""The one function that plots anything."""

from typing import Any

from abovechance.plots.chart import Chart
from abovechance.plots.kinds import chart_of


def plot(result: Any, *, kind: str | None = None, ax: Any = None) -> Any:
    """Plot a result or predictions with matplotlib and return the axes.

    Parameters
    ----------
    result
        What `assess`, `compare`, `power` and the like return, a posterior, predictions, or
        predictions by name for several models.
    kind
        The picture, when not the usual one of such a result: see `abovechance.plots.chart_of`.
    ax
        Axes to draw on; new ones, one journal column wide, when not given.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, to be changed or saved: `plot(result).figure.savefig("picture.pdf")`.

    Raises
    ------
    NotApplicable
        If there is no such picture of this result, or matplotlib is not installed.

    See Also
    --------
    report : all pictures of a result in one page.
    plots.chart_of : the picture as data.

    Examples
    --------
    >>> from abovechance import examples
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot(examples.breast_cancer()).get_xlabel()
    'Predicted probability of malignant'
    """
    from abovechance.plots.matplotlib_renderer import draw

    chart = result if isinstance(result, Chart) else chart_of(result, kind)
    return draw(chart, ax)
