"""The figures of Brodersen et al. (2010), both on one page."""

from typing import Any

import numpy as np

from replications.brodersen import Classifier, Figures

RED, BLUE, GREEN, GREY = "#c8443c", "#2f6fae", "#3f8f4f", "#777777"


def figure_of(figures: Figures) -> Any:
    """A matplotlib figure: intervals of both classifiers above, posteriors of the second below."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(8.2, 6.4), height_ratios=(1.0, 1.15))
    for ax, one in zip(axes[0], figures.classifiers, strict=True):
        _intervals(ax, one)
    biased = figures["C2"]
    _density(axes[1, 0], biased.accuracy, "Posterior accuracy, C2", BLUE, biased.average)
    average = biased.balanced_average
    _density(axes[1, 1], biased.balanced, "Posterior balanced accuracy, C2", GREEN, average)
    figure.tight_layout()
    return figure


def _intervals(ax: Any, one: Classifier) -> None:
    limits = [(q.interval.low, q.interval.high) for q in one.posteriors]
    rows = [
        ("average\n± 2 s.e.", one.average, one.two_errors, RED),
        ("accuracy", one.posteriors[0].mean, limits[0], BLUE),
        ("balanced\naccuracy", one.posteriors[1].mean, limits[1], GREEN),
    ]
    for place, (_, centre, (low, high), colour) in enumerate(rows):
        ax.plot([place, place], [low, high], color=colour, linewidth=2.2, solid_capstyle="butt")
        ax.plot(place, centre, "o", color=colour, markersize=6)
    ax.axhline(1.0, color=GREY, linewidth=0.8)
    ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
    ax.set_xticks(range(len(rows)), [label for label, *_ in rows])
    ax.set_xlim(-0.6, len(rows) - 0.4)
    ax.set_ylim(0.35, 1.06)
    cells = " / ".join(" ".join(map(str, row)) for row in one.table)
    ax.set_title(f"{one.name}: {cells} (actual − then +)", fontsize=9)
    _plain(ax)


def _density(ax: Any, distribution: Any, title: str, colour: str, point: float) -> None:
    x = np.linspace(0.2, 1.0, 401)
    limits = distribution.interval()
    inside = np.linspace(limits.low, limits.high, 201)
    ax.fill_between(inside, distribution.pdf(inside), color=colour, alpha=0.25, linewidth=0)
    ax.plot(x, distribution.pdf(x), color=colour)
    marks = [
        ("mean", distribution.mean, "-"),
        ("median", distribution.median, "--"),
        ("mode", distribution.mode, ":"),
    ]
    for word, at, style in marks:
        ax.plot([at, at], [0, distribution.pdf(at)], style, color=colour, linewidth=1, label=word)
    ax.axvline(point, color=RED, linewidth=1, label="average")
    ax.axvline(0.5, color=GREY, linewidth=0.8, linestyle="--", label="chance")
    ax.set_title(f"{title}: P(> 0.5) = {distribution.prob_above(0.5):.3f}", fontsize=9)
    ax.set_xlabel("value")
    ax.set_yticks([])
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=7, loc="upper left")
    _plain(ax)


def _plain(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
