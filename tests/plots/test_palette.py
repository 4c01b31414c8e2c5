"""The colours can be told apart by readers with any colour vision, and stand out from the paper."""

from itertools import combinations

import numpy as np
import pytest

from abovechance.plots.chart import DARK, LIGHT

# Machado, Oliveira, Fernandes (2009), table 1, severity 1.0: linear RGB of what is seen.
SEEN = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    ratio = XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    high, low = sorted((float(XYZ[1] @ linear(c)) for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_all_series_are_told_apart(palette: dict[str, str], vision: str) -> None:
    seen = {name: lab(SEEN[vision] @ linear(palette[name])) for name in "012345"}
    nearest = min(float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(seen, 2))
    assert nearest > 12.0  # a difference of 2.3 is just noticeable


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_series_stands_out_from_the_paper(palette: dict[str, str]) -> None:
    weakest = min(contrast(palette[name], palette["paper"]) for name in "012345")
    assert weakest >= 3.0  # WCAG 2.1, 1.4.11


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "muted"])
def test_text_can_be_read(palette: dict[str, str], ink: str) -> None:
    assert contrast(palette[ink], palette["paper"]) >= 4.5  # WCAG 2.1, 1.4.3


def test_white_on_black_has_the_contrast_of_the_standard() -> None:
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21.0, rel=1e-6)
