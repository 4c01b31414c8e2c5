"""Whether the band of a learning curve covers, at sizes that were trained on and beyond.

What an algorithm is worth at a training size is a mean over samples of that size of what the model
of each is worth on all cases there could be (`validation_coverage.worth`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import abovechance as ac
from abovechance.inference.learning_curves import growing
from abovechance.learning.learner_tasks import task_of
from statistical.validation_coverage import Setting, drawn, worth

REPEATS = 2  # of five folds; `learning_curve` has 10
TRUTHS = 400  # samples over which what an algorithm is worth is averaged
PLACES = ("smallest", "middle", "largest", "continued to twice", "continued to four times")
"""Of the curve: training sizes, and sizes beyond the cases that there are."""

SETTINGS = (
    Setting("logistic", 60, 3),
    Setting("logistic", 150, 8),
    Setting("logistic", 150, 38),
    Setting("trees", 150, 8),
    Setting("linear", 150, 15),
    Setting("linear", 150, 38),
    Setting("Cox", 150, 8),
)


def judged(setting: Setting) -> tuple[str, ...]:
    """Measures that averages over folds do not bias, of which a curve has a band."""
    return setting.measures[:2]


def once(setting: Setting, replication: int, seed: int) -> dict[str, list[list[float]]]:
    """By measure: size, value and limits at every place of PLACES."""
    X, y, _ = drawn(setting, replication, seed)
    found = ac.learning_curve(
        setting.estimator(), X, y, measures=judged(setting), draws=REPEATS, rng=replication
    )
    rows = {}
    for name in judged(setting):
        points, ahead = found[name].points, found[name].continued
        trained = [points[0], points[len(points) // 2], points[-1]]
        rows[name] = [
            [p.size, p.value, *((np.nan, np.nan) if i is None else (i.low, i.high))]
            for p, i in ((p, p.interval) for p in trained)
        ]
        for times in (2, 4):  # as many as the cases that there are
            near = min(ahead, key=lambda one: abs(one.size - times * setting.n), default=None)
            found_there = () if near is None else (near.size, near.value, near.low, near.high)
            rows[name].append([np.nan if x is None else x for x in found_there] or [np.nan] * 4)
    return rows


def truth(setting: Setting, size: float, seed: int) -> dict[str, float]:
    """What the algorithm is worth when trained on so many cases."""
    whole = Setting(setting.learner, max(setting.n, round(size)), setting.features)
    found: dict[str, list[float]] = {name: [] for name in setting.measures}
    for r in range(TRUTHS):
        X, y, rng = drawn(whole, 10_000 + r, seed)
        if size < whole.n:
            task = task_of(setting.estimator(), X, y)
            part = growing(np.ones(whole.n, dtype=np.int64), [round(size)], task, rng)[0] > 0
            X, y = X[part], y[part]
        for name, value in worth(setting, X, y, rng).items():
            found[name].append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def cells(setting: Setting, replications: int, seed: int = 4) -> Iterator[dict[str, Any]]:
    """Of every measure and place: the truth, and how often there are limits and hold it."""
    found = [once(setting, r, seed) for r in range(replications)]
    where = np.array([one[name] for one in found for name in judged(setting)])[:, :, 0]
    sizes = [float(column[np.isfinite(column)].min(initial=np.inf)) for column in where.T]
    true = [truth(setting, size, seed) if np.isfinite(size) else {} for size in sizes]
    for name in judged(setting):
        rows = np.array([one[name] for one in found])  # samples, places, (size, value, low, high)
        for k, place in enumerate(PLACES):
            _, value, low, high = rows[:, k].T
            given = np.isfinite(low)
            inside = (
                given & (low <= true[k].get(name, np.nan)) & (true[k].get(name, np.nan) <= high)
            )
            yield {
                "measure": name,
                "place": place,
                "size": sizes[k],
                "truth": true[k].get(name, np.nan),
                "value": value[np.isfinite(value)].mean() if np.isfinite(value).any() else np.nan,
                "given": given.mean(),
                "covers": inside[given].mean() if given.any() else np.nan,
                "width": (high - low)[given].mean() if given.any() else np.nan,
            }


def table(replications: int, command: str) -> str:
    """Coverage of bands in every setting."""
    lines = [
        "# Coverage of the bands of learning curves",
        "",
        f"Made by `{command}`: {replications} samples of every setting, standard error at .95 "
        f"{np.sqrt(0.95 * 0.05 / replications):.3f}; {REPEATS} repeats of five folds in place of "
        "10. `truth`: what the algorithm is worth when trained on so many cases, mean over "
        f"{TRUTHS} other samples of what the model of each is worth; `value`: mean of the curve. "
        "Sizes beyond the cases that there are rest on the inverse power law.",
        "",
        "| learner | cases | features | measure | place | trained on | truth | value | given | "
        "covers | width |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        for cell in cells(setting, replications):
            figures = " | ".join(
                f"{cell[name]:.3f}" if np.isfinite(cell[name]) else ""
                for name in ("truth", "value", "given", "covers", "width")
            )
            lines.append(
                f"| {setting.learner} | {setting.n} | {setting.features} | {cell['measure']} | "
                f"{cell['place']} | {cell['size']:.0f} | {figures} |"
            )
    return "\n".join(lines) + "\n"
