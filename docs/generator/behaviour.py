"""How a measure answers when a model gets better, or more extreme: a small picture, computed.

Cases are placed at the quantiles of their distributions, so that nothing is random.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

CASES = 1000
FOLLOWED = 400  # pairs of cases are compared
SECOND = {"10 %": 0.1, "none censored": 0.0, "half censored": 0.5}  # prevalence, share censored
Line = tuple[str, list[tuple[float, float]]]


def picture(measure: Any) -> str:
    """An SVG with a caption, or nothing where there is no natural axis."""
    if "binary" in measure.outcomes and measure.reads.value in ("label", "score", "probability"):
        if measure.family.value == "calibration":
            lines = _lines(measure, (0.5, 2.0), ("50 %", "10 %"), _stretched)
            axis = "log odds multiplied by (1: probabilities are right; 2: too extreme)"
        else:
            lines = _lines(measure, (0.0, 3.0), ("50 %", "10 %"), _separated)
            axis = "distance between the classes, in standard deviations of the score"
        caption = (
            f"Computed on {CASES} cases whose probabilities are "
            f"{'distorted' if measure.family.value == 'calibration' else 'right'}, with half and "
            "with a tenth of them positive. Cases above 0.5 are called positive."
        )
    elif measure.outcomes == {"numeric"}:
        lines = _lines(measure, (0.0, 2.0), ("",), _noisy_pairs if measure.many_outputs else _noisy)
        axis = "standard deviation of the errors (that of the outcome is 1)"
        caption = f"Computed on {CASES} outcomes between 5 and 11 with normal errors added."
        if measure.many_outputs:
            caption = f"Computed on {CASES} pairs of outcomes, normal errors added to both."
    elif measure.outcomes == {"survival"}:
        lines = _lines(measure, (0.0, 2.0), ("none censored", "half censored"), _followed)
        axis = "log hazard ratio of one standard deviation of the predictor"
        caption = (
            f"Computed on {FOLLOWED} cases whose predictions are right, followed to the end and "
            "with half of them censored; where it is of a time, at the one it takes by default."
        )
    elif measure.outcomes == {"multiclass"}:
        lines = _lines(measure, (0.0, 3.0), ("",), _three_classes)
        axis = "distance of each class from the centre, in standard deviations"
        caption = f"Computed on {CASES} cases of three classes whose probabilities are right."
    else:
        return ""
    if not any(len(points) > 2 for _, points in lines):
        return ""
    return _svg(lines, axis, measure.title) + f"\n<p><em>{caption}</em></p>"


def _lines(measure: Any, ends: tuple[float, float], names: Sequence[str], make: Any) -> list[Line]:
    found: list[Line] = []
    for name in names:
        points = []
        for x in np.linspace(*ends, 13):
            cases = make(float(x), SECOND.get(name, 0.5))
            if measure.applies(cases):
                value = float(measure.of(cases))
                if math.isfinite(value):
                    points.append((float(x), value))
        found.append((name, points))
    if len(found) == 2 and _same(found[0][1], found[1][1]):
        found = [("any prevalence" if "%" in names[0] else "both", found[0][1])]
    return found


def _same(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> bool:
    return len(first) == len(second) and np.allclose(first, second, atol=0.01)


@cache
def _separated(distance: float, prevalence: float) -> Any:
    """Two normal classes `distance` apart and the right probabilities."""
    outcome, odds = _odds(distance, prevalence)
    return _binary(outcome, odds)


@cache
def _stretched(factor: float, prevalence: float) -> Any:
    """Right probabilities of classes 1.5 apart, their log odds multiplied."""
    outcome, odds = _odds(1.5, prevalence)
    return _binary(outcome, factor * odds)


@cache
def _noisy(spread: float, prevalence: float) -> Any:
    from scipy.stats import norm

    from abovechance import Numeric

    grid = norm.ppf((np.arange(CASES) + 0.5) / CASES)
    order = np.random.default_rng(1).permutation(CASES)
    outcome = 8 + grid
    return Numeric(outcome, outcome + spread * grid[order])


@cache
def _noisy_pairs(spread: float, prevalence: float) -> Any:
    from abovechance import Numeric

    one = _noisy(spread, prevalence)
    actual, predicted = (np.ravel(values) for values in (one.outcome, one.value))
    back = slice(None, None, -1)
    return Numeric(
        np.stack([actual, actual[back]], axis=1), np.stack([predicted, predicted[back]], axis=1)
    )


@cache
def _followed(effect: float, censored: float) -> Any:
    """Proportional hazards with the right survival probabilities; a share lost at random."""
    from scipy.stats import norm

    from abovechance import Survival

    level = (np.arange(FOLLOWED) + 0.5) / FOLLOWED
    first, second, third = (np.random.default_rng(i).permutation(FOLLOWED) for i in (1, 2, 3))
    predictor = norm.ppf(level[first])
    hazard = np.exp(effect * predictor)
    died = -np.log(level[second]) / hazard
    lost = level[third] < censored
    time = np.where(lost, died * level[np.roll(third, 7)], died)
    middle = float(np.median(time))
    times = np.array([0.5, 1.0, 1.5]) * middle
    survival = np.exp(-hazard[:, None] * times)
    return Survival(time, ~lost, risk=predictor, survival=survival, times=times)


@cache
def _three_classes(distance: float, prevalence: float) -> Any:
    from scipy.stats import norm

    from abovechance import Multiclass

    classes = np.arange(CASES) % 3
    level = (np.arange(CASES) + 0.5) / CASES
    noise = [norm.ppf(level[np.random.default_rng(i).permutation(CASES)]) for i in (1, 2, 3)]
    seen = distance * np.eye(3)[classes] + np.stack(noise, axis=1)
    odds = distance * seen
    likely = np.exp(odds - odds.max(axis=1, keepdims=True))
    return Multiclass(classes, probability=likely / likely.sum(axis=1, keepdims=True))


def _odds(distance: float, prevalence: float) -> tuple[Any, Any]:
    from scipy.stats import norm

    positives = round(CASES * prevalence)
    sizes = (CASES - positives, positives)
    score = np.concatenate(
        [norm.ppf((np.arange(n) + 0.5) / n) + distance * k for k, n in enumerate(sizes)]
    )
    odds = distance * (score - distance / 2) + math.log(prevalence / (1 - prevalence))
    return np.repeat([0, 1], sizes), odds


def _binary(outcome: Any, odds: Any) -> Any:
    from scipy.special import expit

    from abovechance import Binary

    return Binary(outcome, probability=expit(odds), pos_label=1)


LEFT, TOP, WIDTH, HEIGHT = 58, 12, 360, 170


def _svg(lines: list[Line], axis: str, title: str) -> str:
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points]
    low, high = min(ys), max(ys)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - min(xs)) / (max(xs) - min(xs))
        return LEFT + WIDTH * across, TOP + HEIGHT * (1 - (y - low) / (high - low))

    parts = [
        f'<svg viewBox="0 0 {LEFT + WIDTH + 110} {TOP + HEIGHT + 46}" role="img" '
        f'aria-label="{title} as the model changes" class="behaviour">'
    ]
    for y in (low, (low + high) / 2, high):
        _, at = place(min(xs), y)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{at:.1f}" y2="{at:.1f}"/>'
        )
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{y:.3g}</text>')
    for x in (min(xs), (min(xs) + max(xs)) / 2, max(xs)):
        at, _ = place(x, low)
        parts.append(
            f'<text x="{at:.1f}" y="{TOP + HEIGHT + 17}" text-anchor="middle">{x:g}</text>'
        )
    parts.append(
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{axis}</text>'
    )
    ends = [place(*points[-1])[1] for _, points in lines if points]
    apart = 16 if len(ends) == 2 and abs(ends[0] - ends[1]) < 16 else 0
    for number, (name, points) in enumerate(lines):
        if not points:
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        parts.append(f'<polyline class="line{number}" points="{path}"/>')
        x, y = place(*points[-1])
        above = number == (0 if ends[0] <= ends[-1] else 1)
        y += apart * (-0.5 if above else 0.5)
        label = f"{name} positive" if name.endswith("%") else name
        parts.append(f'<text class="of{number}" x="{x + 5:.1f}" y="{y + 4:.1f}">{label}</text>')
    return "\n".join([*parts, "</svg>"])
