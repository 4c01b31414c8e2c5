"""The figures of Brodersen et al. (2010) on balanced accuracy and its posterior, drawn again.

The paper shows two classifiers: C1 tested on 70 positive and 70 negative cases, C2 on 45 positive
and 10 negative ones. Its text gives these margins (and, for C2, 48 positive predictions) but not
the tables; those below agree with all that it says of them:

- C1: two standard errors around the average accuracy reach above 100 %;
- C2: accuracy seems well above chance, balanced accuracy is not.

    python examples/brodersen_figure.py figure.png
"""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.inference import posterior

# Rows actual, columns predicted; the positive class second.
TABLES = {"C1": [[68, 2], [1, 69]], "C2": [[2, 8], [5, 40]]}
RED, BLUE, GREEN, GREY = "#c8443c", "#2f6fae", "#3f8f4f", "#777777"


@dataclass(frozen=True)
class Example:
    """What the paper compares for one table."""

    average: float
    two_errors: tuple[float, float]
    accuracy: posterior.Posterior
    balanced: posterior.Posterior


def examples() -> dict[str, Example]:
    """Average accuracy with two standard errors, and both posteriors, for both tables."""
    found = {}
    for name, table in TABLES.items():
        counts = np.array(table)
        average, n = float(np.trace(counts) / counts.sum()), int(counts.sum())
        error = float(np.sqrt(average * (1 - average) / n))
        found[name] = Example(
            average=average,
            two_errors=(average - 2 * error, average + 2 * error),
            accuracy=posterior.accuracy(table),
            balanced=posterior.balanced_accuracy(table),
        )
    return found


def draw(path: str) -> None:
    """Both figures on one page, written to `path`."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = examples()
    figure, axes = plt.subplots(2, 2, figsize=(8.2, 6.4), height_ratios=(1.0, 1.15))
    for ax, (name, example) in zip(axes[0], found.items(), strict=True):
        _intervals(ax, name, example)
    biased = found["C2"]
    _density(axes[1, 0], biased.accuracy, "Posterior accuracy, C2", BLUE, biased.average)
    modes = np.mean([40 / 45, 2 / 10])
    _density(axes[1, 1], biased.balanced, "Posterior balanced accuracy, C2", GREEN, float(modes))
    figure.tight_layout()
    figure.savefig(path, dpi=200)
    plt.close(figure)


def _intervals(ax: Any, name: str, example: Example) -> None:
    rows = [
        ("average\n± 2 s.e.", example.average, example.two_errors, RED),
        ("accuracy", example.accuracy.mean, _limits(example.accuracy), BLUE),
        ("balanced\naccuracy", example.balanced.mean, _limits(example.balanced), GREEN),
    ]
    for place, (_, centre, (low, high), colour) in enumerate(rows):
        ax.plot([place, place], [low, high], color=colour, linewidth=2.2, solid_capstyle="butt")
        ax.plot(place, centre, "o", color=colour, markersize=6)
    ax.axhline(1.0, color=GREY, linewidth=0.8)
    ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
    ax.set_xticks(range(len(rows)), [label for label, *_ in rows])
    ax.set_xlim(-0.6, len(rows) - 0.4)
    ax.set_ylim(0.35, 1.06)
    cells = " / ".join(" ".join(map(str, row)) for row in TABLES[name])
    ax.set_title(f"{name}: {cells} (actual − then +)", fontsize=9)
    _plain(ax)


def _density(ax: Any, found: posterior.Posterior, title: str, colour: str, point: float) -> None:
    x = np.linspace(0.2, 1.0, 401)
    limits = found.interval()
    inside = np.linspace(limits.low, limits.high, 201)
    ax.fill_between(inside, found.pdf(inside), color=colour, alpha=0.25, linewidth=0)
    ax.plot(x, found.pdf(x), color=colour)
    marks = [("mean", found.mean, "-"), ("median", found.median, "--"), ("mode", found.mode, ":")]
    for word, at, style in marks:
        ax.plot([at, at], [0, found.pdf(at)], style, color=colour, linewidth=1, label=word)
    ax.axvline(point, color=RED, linewidth=1, label="average")
    ax.axvline(0.5, color=GREY, linewidth=0.8, linestyle="--", label="chance")
    ax.set_title(f"{title}: P(> 0.5) = {found.prob_above(0.5):.3f}", fontsize=9)
    ax.set_xlabel("value")
    ax.set_yticks([])
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=7, loc="upper left")
    _plain(ax)


def _limits(found: posterior.Posterior) -> tuple[float, float]:
    limits = found.interval()
    return limits.low, limits.high


def _plain(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/brodersen_figure.py FIGURE.png")
    for name, example in examples().items():
        print(f"{name}: {example.accuracy}")
        print(f"{name}: {example.balanced}")
    draw(sys.argv[1])
