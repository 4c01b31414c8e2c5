"""Charts as HTML and SVG: nothing lost, nothing obeyed."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from abovechance import compare, examples
from abovechance.plots import chart_of, svg_render
from abovechance.plots.chart import Axis, Chart, Line, Points, Series, kept_vertices, unit
from abovechance.plots.svg_render import render

VOID = {"path", "rect", "i"}


class Tags(HTMLParser):
    """Which elements are open, and the attributes seen."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(markup: str) -> Tags:
    tags = Tags()
    tags.feed(markup)
    tags.close()
    assert tags.open == []
    return tags


def test_every_picture_is_well_formed(gallery: dict[str, Chart]) -> None:
    for chart in gallery.values():
        assert parsed(str(render(chart))).text


def test_every_picture_says_what_its_axes_are(gallery: dict[str, Chart]) -> None:
    for chart in gallery.values():
        text = "".join(parsed(str(render(chart))).text)
        assert chart.x.title in text
        assert chart.y.title in text


def test_colours_are_roles_not_paint(gallery: dict[str, Chart]) -> None:
    for chart in gallery.values():
        assert not re.search(r"#[0-9a-fA-F]{6}|rgb\(", str(render(chart)))


def test_labels_from_the_data_are_shown_and_not_obeyed() -> None:
    hostile = '"><script>alert(1)</script>\u202etxt.exe'
    axis = Axis(title=hostile, low=0, high=1, ticks=(0.5,), labels=(hostile,))
    x = np.array([0.0, 1.0])
    chart = Chart(title=hostile, name=hostile, x=axis, y=axis, layers=(Line(x=x, y=x),))
    markup = str(render(chart))
    tags = parsed(markup)
    assert "<script" not in markup
    assert "\u202e" not in markup
    assert '"><script>alert(1)</script>\ufffdtxt.exe' in "".join(tags.text)
    assert not any(name.startswith("on") for name, _ in tags.attributes)


def test_the_places_of_a_series_stand_once_in_the_drawing(gallery: dict[str, Chart]) -> None:
    for name, chart in gallery.items():
        held = re.findall(r'data-s="(\d+)"', str(render(chart)))
        expected = 0 if chart.readout == "none" else len(chart.series)
        assert sorted(map(int, held)) == list(range(expected)), name


def test_places_agree_with_the_numbers(gallery: dict[str, Chart]) -> None:
    chart = gallery["roc"]
    path = re.search(r'data-s="1" d="M([^"]+)"', str(render(chart)))
    assert path is not None
    places = np.array(path[1].split(), dtype=float).reshape(-1, 2)
    x, y = chart.series[1].columns[:2]
    assert places[:, 0] == pytest.approx(np.asarray(x) * 1000, abs=0.5)
    assert places[:, 1] == pytest.approx(1000 - np.asarray(y) * 1000, abs=0.5)


def test_a_line_is_broken_nowhere_by_undefined_values() -> None:
    x = np.array([0.0, 0.5, 1.0])
    y = np.array([0.0, np.nan, 1.0])
    line = Line(x=x, y=y)
    series = Series(name="a", headings=("x", "y"), columns=(x, y))
    chart = Chart(title="t", x=unit("x"), y=unit("y"), layers=(line,), series=(series,))
    markup = str(render(chart))
    assert "nan" not in markup
    assert 'd="M0 1000 1000 0"' in markup


def test_dots_are_round_whatever_the_shape_of_the_frame() -> None:
    x = np.array([0.25])
    chart = Chart(title="t", x=unit("x"), y=unit("y"), layers=(Points(x=x, y=x),))
    assert "m250 750h0" in str(render(chart))


def test_a_large_curve_is_drawn_with_few_points() -> None:
    rng = np.random.default_rng(1)
    score = rng.normal(size=20_000)
    outcome = (score + rng.normal(size=20_000) > 0).astype(int)
    chart = chart_of(type(examples.breast_cancer())(outcome, score=score), "roc")
    assert len(chart.series[0]) < 400
    assert len(str(render(chart))) < 12_000


def test_marks_that_would_overlap_on_a_phone_are_left_out_there_and_zero_stays() -> None:
    models = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    three = compare({**models, "a model with a long name": models["p_texture"]}, ["auc"], rng=1)
    chart = chart_of(three, "differences")
    words = str(svg_render.axis_words(chart))
    marks = re.findall(r'class="(xt(?: wide-only)?)"[^>]*>(?:<bdi>)?([^<]+)', words)
    kept = [text for kind, text in marks if kind == "xt"]
    assert len(marks) - len(kept) == len(marks) // 2
    assert 0.0 in [float(text.replace("−", "-")) for text in kept]
    assert "wide-only" not in str(svg_render.axis_words(chart_of(models["p_forest"], "roc")))


def one_by_one(x, y, tolerance):
    """Douglas and Peucker's way, a stretch at a time."""
    keep, waiting = {0, len(x) - 1}, [(0, len(x) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        dx, dy = x[last] - x[first], y[last] - y[first]
        right, up = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
        length = np.hypot(dx, dy)
        away = np.abs(dx * up - dy * right) / length if length > 0 else np.hypot(right, up)
        if away.max() > tolerance:
            middle = first + 1 + int(np.argmax(away))
            keep.add(middle)
            waiting += [(first, middle), (middle, last)]
    return sorted(keep)


@pytest.mark.parametrize("kind", ["steps", "walk", "loop", "grid"])
def test_lines_are_simplified_as_one_stretch_after_the_other_would_be(kind):
    rng = np.random.default_rng(len(kind))
    x, y = np.sort(rng.random(300)), np.cumsum(rng.normal(size=300)) / 30
    if kind == "steps":
        x, y = np.repeat(x, 2)[1:], np.repeat(np.sort(y), 2)[:-1]
    if kind == "loop":
        turn = np.linspace(0, 2 * np.pi, 200)
        x, y = np.append(np.cos(turn[:-1]), 1.0), np.append(np.sin(turn[:-1]), 0.0)
    if kind == "grid":
        x, y = np.round(x, 1), np.round(y, 1)
    assert kept_vertices(x, y, 0.004).tolist() == one_by_one(x, y, 0.004)
    fewer = kept_vertices(x, y, 0.0001, most=20)
    coarser = (0.0001 * 1.5**k for k in range(60))
    assert fewer.tolist() == next(found for t in coarser if len(found := one_by_one(x, y, t)) <= 20)
