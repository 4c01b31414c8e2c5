"""Pictures of many classes: no name on another, no count cut, outlines where the areas end."""

import re

import numpy as np
import pytest

from abovechance import Multiclass, assess, report
from abovechance.errors import NotApplicable
from abovechance.plots import chart_of
from abovechance.plots.svg_render import render


def classes(count: int, n: int = 400) -> Multiclass:
    rng = np.random.default_rng(1)
    names = np.array([f"class number {k}" for k in range(count)])
    y = np.arange(n) % count
    z = rng.normal(size=(n, count))
    z[np.arange(n), y] += 3
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return Multiclass(names[y], probability=p, labels=names.tolist())


def test_columns_of_many_classes_are_numbered_and_rows_have_room() -> None:
    chart = chart_of(classes(20), "confusion")
    assert chart.x.labels == tuple(str(k) for k in range(1, 21))
    assert chart.y.labels[3] == "class number 3 · 4"
    assert chart.rows >= 20
    assert "Columns have the numbers of the rows" in chart.caption
    assert not any(text == "0" for row in chart.layers[0].texts for text in row)
    small = chart_of(classes(3), "confusion")
    assert (small.rows, small.x.labels) == (0.0, tuple(f"class number {k}" for k in range(3)))


def test_counts_of_many_classes_keep_their_room_and_are_reached_by_keys() -> None:
    many, few = (str(render(chart_of(classes(k), "confusion"))) for k in (20, 3))
    assert 'class="plot by-rows by-cells"' in many
    assert 'tabindex="0"' in many
    assert "--cells:20" in many
    assert "by-cells" not in few
    assert "tabindex" not in few


def test_outline_and_area_of_a_density_coincide() -> None:
    drawn = str(render(chart_of(classes(20), "probabilities")))
    bands = re.findall(r'class="band solid[^"]*"[^>]* d="M([\d ]+)Z"', drawn)
    lines = re.findall(r'class="line thin[^"]*"[^>]* d="M([\d ]+)"', drawn)
    assert len(bands) == len(lines) == 20
    for band, line in zip(bands, lines, strict=True):
        edge, outline = (
            np.array(path.split(), dtype=float).reshape(-1, 2) for path in (band, line)
        )
        upper = edge[: np.argmax(edge[:, 0]) + 1]
        off = np.interp(outline[:, 0], upper[:, 0], upper[:, 1]) - outline[:, 1]
        assert np.abs(off).max() <= 2.0  # of a density that is about 50 high


def test_a_legend_does_not_repeat_the_rows() -> None:
    assert not chart_of(classes(20), "probabilities").legend
    assert chart_of(classes(3), "probabilities").legend
    predictions = classes(20)
    page = report(assess(predictions, ["accuracy"], draws=99, rng=1), predictions=predictions).html
    assert '<ul class="legend" hidden>' in page


def test_more_classes_than_a_page_holds_have_no_picture_but_a_report() -> None:
    many = classes(70, 700)
    for kind in ("confusion", "probabilities"):
        with pytest.raises(NotApplicable, match="too many"):
            chart_of(many, kind)
    found = assess(many, ["accuracy"], draws=99, rng=1)
    assert report(found, predictions=many).document.tables
