"""Differences of models: skew, margins, nearly identical models, clusters, time order, skill."""

from functools import cache
from typing import Any

import numpy as np

import abovechance as ac
from statistical.seams.seam import seam

SKEW, MARGIN, REACH = "skewed differences", "margins of means", "limits of differences"
CLUSTERS, ORDER, SKILL = "differences over clusters", "time order", "skill"
DRAWS = 199


def _row(models: dict[str, Any], measure: str, **options: Any) -> Any:
    options = {"rng": 1, "draws": DRAWS, **options}
    return ac.compare(models, [measure], **options)


def _rarely_far(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Equal MSE of 1; the last model is nearly always right, and far off in 5 % of cases."""
    y = rng.normal(size=n)
    far = rng.random(n) < 0.05
    error = np.where(far, 4.0, np.sqrt(0.2 / 0.95) * rng.normal(size=n))
    made = {k: y + rng.normal(size=n) for k in "ab"} | {"c": y + error}
    return {k: ac.Numeric(y, v) for k, v in made.items()}


for _n in (100, 200):

    @seam(SKEW, f"equal MSE, one model rarely far off, n = {_n}", "level", high=0.05)
    def _equal_means(rng: np.random.Generator, n: int = _n) -> float:
        models = _rarely_far(rng, n)
        found = _row({"a": models["a"], "c": models["c"]}, "mse").differences[0]
        return float(found.p_value <= 0.05)

    @seam(SKEW, f"equal MSE, one model rarely far off, n = {_n}", "coverage", low=0.93)
    def _covered(rng: np.random.Generator, n: int = _n) -> float:
        models = _rarely_far(rng, n)
        found = _row({"a": models["a"], "c": models["c"]}, "mse").differences[0].interval
        return float(found.low <= 0.0 <= found.high)

    @seam(
        SKEW,
        f"three models of equal MSE, one rarely far off, n = {_n}",
        "level of the omnibus",
        high=0.05,
    )
    def _all_at_once(rng: np.random.Generator, n: int = _n) -> float:
        return float(_row(_rarely_far(rng, n), "mse").omnibus[0].p_value <= 0.05)


@seam(
    SKEW,
    "equal MSE, one model rarely far off, n = 20",
    "share rejected and not a word of symmetry",
    high=0.05,
)
def _said(rng: np.random.Generator) -> float:
    models = _rarely_far(rng, 20)
    found = _row({"a": models["a"], "c": models["c"]}, "mse")
    warned = any("symmetric" in str(advice) for advice in found.advice)
    return float(found.differences[0].p_value <= 0.05 and not warned)


@seam(SKEW, "five equal models, n = 50, accuracy .8", "level of Cochran's Q", high=0.05)
def _cochran(rng: np.random.Generator) -> float:
    y = rng.integers(2, size=50)
    labels = {k: np.where(rng.random(50) < 0.8, y, 1 - y) for k in "abcde"}
    models = {k: ac.Binary(y, label=v, pos_label=1) for k, v in labels.items()}
    return float(_row(models, "accuracy").omnibus[0].p_value <= 0.05)


def _logits(rng: np.random.Generator, n: int, prevalence: float) -> tuple[Any, Any, Any]:
    logit = rng.normal(size=n) + np.log(prevalence / (1 - prevalence))
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    bold = 1.8 * logit + 0.3 * rng.normal(size=n)
    return y, 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(-bold))


def _losses(measure: str, y: Any, p: Any) -> Any:
    return (p - y) ** 2 if measure == "brier" else -np.log(np.where(y, p, 1 - p))


@cache
def _true_margin(measure: str, prevalence: float) -> float:
    y, p, q = _logits(np.random.default_rng(11), 2_000_000, prevalence)
    return float((_losses(measure, y, q) - _losses(measure, y, p)).mean())


for _measure in ("log_score", "brier"):
    for _n, _prevalence in ((60, 0.1), (200, 0.1)):

        @seam(
            MARGIN,
            f"{_measure}, exactly at the margin, n = {_n}, prevalence {_prevalence:g}",
            "level",
            high=0.05,
        )
        def _at_the_margin(
            rng: np.random.Generator,
            measure: str = _measure,
            n: int = _n,
            prevalence: float = _prevalence,
        ) -> float:
            margin = _true_margin(measure, prevalence)
            y, p, q = _logits(rng, n, prevalence)
            if not 0 < y.sum() < n:
                return float("nan")
            models = {
                k: ac.Binary(y, probability=v, pos_label=True) for k, v in (("q", q), ("p", p))
            }
            found = _row(models, measure, margin=margin).differences[0].margin
            return float("nan") if found is None else float(found.noninferior)


for _n, _share in ((30, 0.1), (60, 0.05)):

    @seam(REACH, f"nearly identical models, n = {_n}", "share of limits beyond reach", high=0.0)
    def _beyond(rng: np.random.Generator, n: int = _n, share: float = _share) -> float:
        y = np.arange(n) % 2
        p = np.clip(0.3 + 0.4 * y + 0.1 * rng.normal(size=n), 0.02, 0.98)
        moved = np.clip(p + np.where(rng.random(n) < share, 0.1 * rng.normal(size=n), 0), 0, 1)
        models = {k: ac.Binary(y, probability=v, pos_label=1) for k, v in (("p", p), ("q", moved))}
        found = _row(models, "brier").differences[0].interval
        return float("nan") if found is None else float(found.low < -1 or found.high > 1)

    @seam(REACH, f"nearly identical models, n = {_n}", "width", high=0.1)
    def _width(rng: np.random.Generator, n: int = _n, share: float = _share) -> float:
        y = np.arange(n) % 2
        p = np.clip(0.3 + 0.4 * y + 0.1 * rng.normal(size=n), 0.02, 0.98)
        moved = np.clip(p + np.where(rng.random(n) < share, 0.1 * rng.normal(size=n), 0), 0, 1)
        models = {k: ac.Binary(y, probability=v, pos_label=1) for k, v in (("p", p), ("q", moved))}
        found = _row(models, "brier").differences[0].interval
        return float("nan") if found is None else min(found.high - found.low, 1e6)


@seam(
    REACH,
    "four classes, the same gain in every case",
    "skill interval infinite",
    high=0.0,
    fixed=True,
)
def _infinite(rng: np.random.Generator) -> float:
    y = np.repeat(np.arange(4), 5)
    p = np.full((20, 4), 0.1)
    p[np.arange(20), y] = 0.7
    found = ac.assess(ac.Multiclass(y, probability=p), ["log_score"], rng=1)["log_score"].skill
    limits = (0.0, 0.0) if found.interval is None else (found.interval.low, found.interval.high)
    return float(not np.isfinite(limits).all())


def _clusters(
    rng: np.random.Generator, held: tuple[int, int], size: int
) -> tuple[dict[str, Any], Any]:
    """Two equally good models; the clusters are of one class each."""
    units = sum(held)
    y = np.repeat(np.arange(units) < held[0], size).astype(int)
    groups = np.repeat(np.arange(units), size)
    made = {}
    for k in "ab":
        right = np.repeat(rng.beta(0.75 * 7 / 3, 0.25 * 7 / 3, size=units), size)
        made[k] = np.where(rng.random(len(y)) < right, y, 1 - y)
    return {k: ac.Binary(y, label=v, pos_label=1, groups=groups) for k, v in made.items()}, y


for _held, _size in (((4, 4), 6), ((5, 40), 6), ((8, 60), 5)):
    for _measure in ("sensitivity", "balanced_accuracy"):

        @seam(
            CLUSTERS,
            f"{_measure}, {_held[0]} + {_held[1]} clusters of {_size}, ICC .3",
            "coverage",
            low=0.93,
        )
        def _over_clusters(
            rng: np.random.Generator,
            held: tuple[int, int] = _held,
            size: int = _size,
            measure: str = _measure,
        ) -> float:
            found = _row(_clusters(rng, held, size)[0], measure).differences[0].interval
            return float("nan") if found is None else float(found.low <= 0.0 <= found.high)


@seam(CLUSTERS, "sensitivity, 4 + 4 clusters of 6, ICC .3", "share of limits beyond ±1", high=0.0)
def _beyond_one(rng: np.random.Generator) -> float:
    found = _row(_clusters(rng, (4, 4), 6)[0], "sensitivity").differences[0].interval
    return float("nan") if found is None else float(found.low < -1 or found.high > 1)


def _overconfident(rng: np.random.Generator, n: int, scale: float) -> tuple[Any, Any]:
    logit = 2.0 * rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    return y, 1 / (1 + np.exp(-scale * logit))


@cache
def _without_skill() -> float:
    """By how much too bold predictions must be to gain nothing over the prevalence."""
    low, high = 1.2, 6.0
    for _ in range(30):
        middle = (low + high) / 2
        y, p = _overconfident(np.random.default_rng(3), 1_000_000, middle)
        low, high = (middle, high) if _losses("log", y, p).mean() < np.log(2) else (low, middle)
    return low


for _n in (50, 100, 300):

    @seam(SKILL, f"true skill 0, too bold, log score, n = {_n}", "level", high=0.05)
    def _no_skill(rng: np.random.Generator, n: int = _n) -> float:
        y, p = _overconfident(rng, n, _without_skill())
        if not 0 < y.sum() < n:
            return float("nan")
        made = ac.Binary(y, probability=p, pos_label=True)
        return float(
            ac.assess(made, ["log_score"], rng=1, draws=DRAWS)["log_score"].skill.p_value <= 0.05
        )


def _series(rng: np.random.Generator, n: int, rho: float) -> Any:
    noise = rng.normal(size=n)
    x = np.empty(n)
    x[0] = noise[0]
    for t in range(1, n):
        x[t] = rho * x[t - 1] + np.sqrt(1 - rho**2) * noise[t]
    return x


def _in_order(rng: np.random.Generator, n: int, rho: float, **facts: Any) -> dict[str, Any]:
    """Losses of two models whose difference is an AR(1) series about 0."""
    y = np.zeros(n)
    gap = _series(rng, n, rho)
    level = 6.0 + rng.normal(size=n)
    values = {"a": level + gap / 2, "b": level - gap / 2}
    return {k: ac.Numeric(y, v, **facts) for k, v in values.items()}


for _n, _rho, _most in ((100, 0.0, 0.05), (100, 0.5, 0.07), (100, 0.8, 0.07), (50, 0.5, 0.09)):

    @seam(ORDER, f"AR(1) with ρ = {_rho:g}, {_n} times, order stated", "level", high=_most)
    def _stated(rng: np.random.Generator, n: int = _n, rho: float = _rho) -> float:
        try:
            models = _in_order(rng, n, rho, order=np.arange(n))
        except TypeError:  # a version that does not ask for the order
            models = _in_order(rng, n, rho)
        return float(_row(models, "mae").differences[0].p_value <= 0.05)


@seam(
    ORDER,
    "AR(1) with ρ = 0.8, 100 times, order not stated",
    "share rejected and not a word of order",
    high=0.05,
)
def _noticed(rng: np.random.Generator) -> float:
    found = _row(_in_order(rng, 100, 0.8), "mae")
    warned = any("order" in str(advice) for advice in found.advice)
    return float(found.differences[0].p_value <= 0.05 and not warned)
