"""Pictures look as they did: every chart against an image kept beside this file.

BASELINES=write ./run test tests/plots/test_images.py draws them anew; look at them before keeping.
"""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from abovechance.plots.chart import Chart
from abovechance.plots.matplotlib_renderer import draw

BASELINE = Path(__file__).parent / "baseline"
NAMES = (
    "probabilities",
    "class_probabilities",
    "forest",
    "posterior",
    "null",
    "roc",
    "precision_recall",
    "calibration",
    "decision",
    "confusion",
    "differences",
    "power",
    "sizes",
    "predicted_observed",
    "residuals",
    "kaplan_meier",
    "auc_over_time",
)
COARSER = 4  # pixels a side that are seen as one
TOLERANCE = 8.0  # of 255, root mean square over all pixels: fonts and versions differ a little
LARGEST = 30_000  # bytes of an image


def drawn(chart: Chart) -> Image.Image:
    """As matplotlib draws with its own settings and font, whatever this machine's are."""
    import matplotlib
    from matplotlib import pyplot

    usual = {k: v for k, v in matplotlib.rcParamsDefault.items() if not k.startswith("backend")}
    file = io.BytesIO()
    with matplotlib.rc_context(usual):
        ax = draw(chart)
        ax.figure.savefig(file, dpi=80)
        pyplot.close(ax.figure)
    return Image.open(file).convert("RGB")


def distance(one: Image.Image, other: Image.Image) -> float:
    """Of what is seen from afar: edges of letters and lines are drawn a little differently."""
    a, b = (np.asarray(image.reduce(COARSER), dtype=np.float64) for image in (one, other))
    return float(np.sqrt(((a - b) ** 2).mean()))


def test_every_picture_has_an_image(gallery: dict[str, Chart]) -> None:
    assert sorted(gallery) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_looks_as_it_did(name: str, gallery: dict[str, Chart]) -> None:
    image, path = drawn(gallery[name]), BASELINE / f"{name}.png"
    if os.environ.get("BASELINES") == "write":
        BASELINE.mkdir(exist_ok=True)
        image.quantize(64).save(path, optimize=True)
    kept = Image.open(path).convert("RGB")
    assert image.size == kept.size
    assert distance(image, kept) < TOLERANCE
    assert path.stat().st_size < LARGEST


def test_another_picture_would_be_seen(gallery: dict[str, Chart]) -> None:
    one, other = drawn(gallery["roc"]), drawn(gallery["precision_recall"])
    other = other.resize(one.size)
    assert distance(one, other) > TOLERANCE


def test_a_picture_on_given_axes_leaves_the_figure_alone(gallery: dict[str, Chart]) -> None:
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2)
    returned: Any = draw(gallery["roc"], right)
    assert returned is right
    assert not left.has_data()
    assert len(figure.axes) == 2
    pyplot.close(figure)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_fits_one_column_and_its_words_can_be_read(
    name: str, gallery: dict[str, Chart]
) -> None:
    from matplotlib import pyplot

    ax = draw(gallery[name])
    figure = ax.figure
    figure.draw_without_rendering()
    words = [
        text for text in figure.findobj(lambda a: hasattr(a, "get_fontsize")) if text.get_text()
    ]
    assert figure.get_figwidth() <= 3.5
    assert min(word.get_fontsize() for word in words) >= 7.0
    box = ax.get_tightbbox().transformed(figure.transFigure.inverted())
    assert box.x0 >= -0.005
    assert box.x1 <= 1.005
    pyplot.close(figure)
