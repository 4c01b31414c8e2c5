"""Figures for a paper: one column, nothing that a journal takes off, legible without colour."""

from itertools import combinations

import pytest

import abovechance as ac
from abovechance.plots.chart import Axis, Chart, Line, Points, Series
from abovechance.plots.matplotlib_renderer import STYLES, draw, style_of

PAPER = STYLES["paper"]
CHARTS = ("roc", "decision", "calibration", "kaplan_meier", "power", "confusion", "forest", "null")


def six_lines() -> Chart:
    import numpy as np

    x = np.linspace(0.0, 1.0, 5)
    names = [f"model {i}" for i in range(6)]
    return Chart(
        title="Six models",
        x=Axis(title="x", low=0.0, high=1.0, ticks=(0.0, 1.0)),
        y=Axis(title="y", low=0.0, high=6.0, ticks=(0.0, 6.0)),
        layers=tuple(
            layer
            for i in range(6)
            for layer in (
                Line(x=x, y=x + i, colour=str(i)),
                Points(x=x[:1], y=x[:1] + i, colour=str(i)),
            )
        ),
        series=tuple(
            Series(name=name, headings=("x", "y"), columns=(x, x + i), colour=str(i))
            for i, name in enumerate(names)
        ),
    )


@pytest.mark.parametrize("name", CHARTS)
def test_a_paper_figure_is_85_mm_wide_and_holds_all_it_shows(
    name: str, gallery: dict[str, Chart]
) -> None:
    from matplotlib import pyplot

    ax = draw(gallery[name], style=PAPER)
    figure = ax.figure
    figure.draw_without_rendering()
    assert figure.get_figwidth() * 25.4 == pytest.approx(85.0)
    words = [
        text for text in figure.findobj(lambda a: hasattr(a, "get_fontsize")) if text.get_text()
    ]
    assert min(word.get_fontsize() for word in words) >= 7.0
    box = ax.get_tightbbox().transformed(figure.transFigure.inverted())
    assert box.x0 >= -0.005
    assert box.x1 <= 1.005
    pyplot.close(figure)


@pytest.mark.parametrize("name", CHARTS)
def test_a_paper_figure_has_no_title_and_no_grid(name: str, gallery: dict[str, Chart]) -> None:
    from matplotlib import pyplot

    on_screen, in_paper = draw(gallery[name]), draw(gallery[name], style=PAPER)
    titles = [ax.get_title(loc=loc) for ax in (in_paper,) for loc in ("left", "center", "right")]
    assert titles == ["", "", ""]
    assert any(on_screen.get_title(loc=loc) for loc in ("left", "right"))
    assert not any(line.get_visible() for line in in_paper.get_xgridlines())
    for ax in (on_screen, in_paper):
        pyplot.close(ax.figure)


def test_series_are_told_apart_without_colour() -> None:
    from matplotlib import pyplot

    ax = draw(six_lines(), style=PAPER)
    lines = [line for line in ax.get_lines() if line.get_linestyle() != "None"]
    marks = [line.get_marker() for line in ax.get_lines() if line.get_linestyle() == "None"]
    drawn = [str(line._unscaled_dash_pattern) for line in lines]
    assert len(drawn) == len(marks) == 6
    assert all(a != b for kind in (drawn, marks) for a, b in combinations(kind, 2))
    key = [str(line._unscaled_dash_pattern) for line in ax.get_legend().get_lines()]
    assert key == drawn
    assert [line.get_marker() for line in ax.get_legend().get_lines()] == marks
    assert len({*PAPER.hatches}) == 6
    pyplot.close(ax.figure)


def test_all_words_stand_out_from_dark_paper(gallery: dict[str, Chart]) -> None:
    from matplotlib import pyplot
    from matplotlib.colors import rgb_to_hsv, to_rgb

    for name in ("roc", "forest", "power"):
        ax = draw(gallery[name], style=STYLES["dark"])
        words = [
            text
            for text in ax.figure.findobj(lambda a: hasattr(a, "get_fontsize"))
            if text.get_text().strip() and text.get_visible()
        ]
        assert min(rgb_to_hsv(to_rgb(word.get_color()))[2] for word in words) > 0.6
        assert max(to_rgb(ax.figure.get_facecolor())) < 0.2
        pyplot.close(ax.figure)


def test_plot_takes_a_style_by_name(gallery: dict[str, Chart]) -> None:
    from matplotlib import pyplot

    ax = ac.plot(gallery["roc"], style="paper")
    assert ax.get_title(loc="left") == ""
    pyplot.close(ax.figure)
    display = ac.plots.RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    again = display.plot(style="paper")
    assert again.ax.figure.get_figwidth() * 25.4 == pytest.approx(85.0)
    for one in (display, again):
        pyplot.close(one.ax.figure)


def test_an_unknown_style_is_answered_with_the_known() -> None:
    with pytest.raises(ac.errors.NotApplicable, match="did you mean 'paper'"):
        style_of("papr")
    with pytest.raises(ac.errors.NotApplicable, match="screen, dark, paper"):
        style_of("journal of irreproducible results")
