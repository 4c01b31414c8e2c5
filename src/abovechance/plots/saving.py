"""Pictures as files: SVG, PNG or PDF by the ending of their name."""

import io
import os
from pathlib import Path
from typing import Any

from abovechance.errors import DataError, NotApplicable
from abovechance.gate import gated
from abovechance.io.export import write_bytes
from abovechance.paths import place
from abovechance.plots.plotting import plot

ENDINGS = (".svg", ".png", ".pdf")


@gated
def save(result: Any, path: str | os.PathLike[str], *, kind: str | None = None) -> None:
    """Draw a picture and write it to a file.

    The file is the same whenever it is drawn from the same numbers.

    Parameters
    ----------
    result
        What `abovechance.plot` takes: a result, predictions, or several of them by name.
    path
        Where to; the ending says how: .svg, .png or .pdf.
    kind
        The picture, when not the usual one of such a result: see `abovechance.plots.pictures`.

    Raises
    ------
    DataError
        If the file would end otherwise.
    NotApplicable
        Where there is no such picture, it cannot be of this, or matplotlib is not installed.

    See Also
    --------
    abovechance.plot : the same on axes of matplotlib.

    Examples
    --------
    >>> from abovechance import examples
    >>> save(examples.breast_cancer(), "roc.bmp")
    Traceback (most recent call last):
        ...
    abovechance.errors.DataError: a picture must end in .svg, .png or .pdf; got 'roc.bmp'.
    """
    file = drawable(path)
    try:
        from matplotlib import pyplot, rc_context
    except ModuleNotFoundError:
        raise NotApplicable(
            "matplotlib is needed to plot; pip install 'abovechance[plot]'."
        ) from None
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "abovechance", "backend": "agg"}):
        figure = plot(result, kind=kind).figure
        drawn, ending = io.BytesIO(), file.suffix[1:].lower()
        try:
            dateless = {"Date": None} if ending == "svg" else None
            figure.savefig(drawn, format=ending, metadata=dateless)
        finally:
            pyplot.close(figure)
    write_bytes(file, drawn.getvalue())


def drawable(path: str | os.PathLike[str]) -> Path:
    """A file that a picture can be written to."""
    file = place(path)
    if file.suffix.lower() not in ENDINGS:
        raise DataError(f"a picture must end in .svg, .png or .pdf; got {file.name!r}.")
    return file
