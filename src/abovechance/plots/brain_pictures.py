"""Maps of a group as nilearn draws them: through a glass brain, and over a template."""

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable, missing_extra, shown

LOW, HIGH = (-100.0, -135.0, -85.0), (100.0, 105.0, 115.0)
"""Millimetres within which a brain in MNI space lies, with room for a mask that is too wide."""

SHARPNESS = 120  # dots per inch
SHOWN = {"z": "standard deviations from what combinations give", "log10_p": "−log10 p"}


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A picture that another library has drawn: what it shows, and its dots as PNG."""

    title: str
    caption: str
    png: bytes


def glass_brain(result: Any, *, name: str = "z", rejected: bool = True, **options: Any) -> Any:
    """A group map seen through a transparent brain, drawn by nilearn.

    Parameters
    ----------
    result
        What `group_maps` returns.
    name
        Which of its maps.
    rejected
        Whether to show the rejected centres alone.
    **options
        For `nilearn.plotting.plot_glass_brain`.

    Returns
    -------
    nilearn.plotting.displays.OrthoProjector
        What nilearn has drawn.

    Raises
    ------
    FileError
        If nilearn is not installed.
    NotApplicable
        If there is no such map, or its centres are not those of a volume.

    See Also
    --------
    plot : cuts through the volume, without nilearn.

    Examples
    --------
    >>> glass_brain(found).savefig("brain.png")  # doctest: +SKIP
    """
    if not _of_a_volume(result):
        raise NotApplicable(
            "a glass brain needs what group_maps returns for images; got "
            f"{'centres that are not in a volume' if hasattr(result, 'maps') else shown(result)}."
        )
    if find_spec("nilearn") is None:
        raise missing_extra("to draw a glass brain", "nilearn", "neuro")
    from nilearn.plotting import plot_glass_brain

    from abovechance.maps.images import image_of

    values = np.where(result.rejected, result[name], 0.0) if rejected else result[name]
    own = {"colorbar": True, "threshold": 1e-9, **options}  # what is 0 is not drawn
    return plot_glass_brain(image_of(result.geometry, values), **own)


def brain_drawings(result: Any) -> list[Drawing]:
    """The rejected centres of a volume in a glass brain and over a template; none without nilearn.

    A brain is drawn only where all centres lie as far out as one in MNI space can.
    """
    if find_spec("nilearn") is None or find_spec("matplotlib") is None:
        return []
    if not _of_a_volume(result) or not result.rejected.any():
        return []
    geometry = result.geometry
    if not _may_be_in_mni_space(geometry.coordinates):
        return []
    from matplotlib.figure import Figure
    from nilearn import __version__
    from nilearn.plotting import plot_stat_map

    from abovechance.maps.images import image_of

    name = "z" if "z" in result.maps else "log10_p"
    heights = np.where(result.rejected, result[name], 0.0)
    top = float(heights.max())
    shown = {"vmin": 0.0, "vmax": top, "cmap": "inferno", "symmetric_cbar": False}
    about = (
        f"Centres rejected at level {result.alpha:g} ({result.control}); colours: {SHOWN[name]}."
    )
    by = f"drawn by nilearn {__version__}; wrong for maps that are not in MNI space."
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what nilearn thinks of its own settings
        figure = Figure(figsize=(9.0, 3.1))
        glass_brain(result, name=name, figure=figure, vmin=0.0, vmax=top, cmap="inferno")
        found.append(
            Drawing(
                title="Glass brain",
                caption=f"{about} The highest along each line of sight, {by}",
                png=_dots(figure),
            )
        )
        figure, peak = Figure(figsize=(9.0, 3.1)), int(np.argmax(heights))
        place = tuple(float(at) for at in geometry.coordinates[peak])
        image = image_of(geometry, heights)
        plot_stat_map(image, cut_coords=place, figure=figure, threshold=1e-9, **shown)
        found.append(
            Drawing(
                title="Slices through the highest centre",
                caption=f"{about} Over the MNI152 template, {by}",
                png=_dots(figure),
            )
        )
    return found


def _of_a_volume(result: Any) -> bool:
    """Whether it is a group map of which images can be made."""
    geometry = getattr(result, "geometry", None)
    return hasattr(result, "rejected") and getattr(geometry, "affine", None) is not None


def _may_be_in_mni_space(coordinates: Floats) -> bool:
    return bool((coordinates >= LOW).all() and (coordinates <= HIGH).all())


def _dots(figure: Any) -> bytes:
    """A figure as PNG, without the time at which it was made."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=SHARPNESS, metadata={"Software": None})
    return file.getvalue()
