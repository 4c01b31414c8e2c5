"""What users have, and how a setting is drawn from it."""

from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

MEASURES = 6  # of those that apply, drawn at random for each setting


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One kind of study: outcome, size, strength, dependence, and what is asked."""

    kind: str  # binary, multiclass, numeric, survival
    verb: str  # assess, compare, or margin: a comparison at exactly its margin
    n: int
    prevalence: float = 0.5
    classes: int = 2
    effect: float = 0.0  # 0 is no effect, 1 moderate, 4 nearly perfect
    tails: str = "normal"  # of noise: normal, t3, skewed
    spread: float = 1.0  # of positives beside negatives; of large predictions beside small ones
    ties: int = 0  # levels that scores are rounded to; 0 is none
    confidence: float = 1.0  # 1 is calibrated, 2 overconfident, ½ timid
    cut: str = "half"  # labels by probability above one half, or above the prevalence
    clusters: str = "none"  # none, equal, unequal
    held: str = "crossing"  # outcomes cross clusters, or are constant within them
    groups: int = 0
    icc: float = 0.0
    weights: str = "none"  # none, unrelated, by score, by class
    origin: str = "test"  # test, cv
    folds: int = 0
    sampling: str = "random"  # random, case-control
    correlation: float = 0.0  # of two models' scores beyond the outcome
    worse: float = 1.0  # the second model's effect as a share of the first's
    censored: float = 0.0
    # drawn since the first seeds, from a stream of their own (`_wider`)
    given: str = "probability"  # or label, score: what the predictions hold
    rounded: bool = False  # probabilities of two decimals: 0 and 1 are among them
    rare: bool = False  # one class of several in thirty cases
    outputs: int = 1  # numbers predicted at once
    series: float = 0.0  # autocorrelation of neighbouring cases, the order stated
    part: float = 0.0  # share of the cases in the subgroup that is judged; 0 is all of them
    apart: int = 0  # cases of the second model, which are not those of the first
    repeats: int = 1  # of cross-validation
    time: float = 0.0  # at which survival is judged; 0 is the last one
    level: float = 0.95
    # drawn since seed 101, again from a stream of their own
    misread: float = 0.0  # share of the cases whose class was recorded wrongly
    # drawn since seed 501, from a third stream (`_further`)
    heavy: bool = False  # weights like those of surveys: worth a third of the cases
    largest: float = 0.0  # share of the cases that one cluster holds
    panel: int = 1  # cases at each time of a series
    whole: bool = False  # skewed outcomes that are counts, many of them 0
    measures: tuple[str, ...] = ()

    @property
    def null(self) -> bool:
        """Whether predictions say nothing of the outcome, not of its spread either."""
        return self.effect == 0.0 and self.spread == 1.0

    @property
    def rarest(self) -> float:
        """The share of the rarest class among those sampled."""
        if self.weights == "by class":
            return 0.5
        if self.kind == "binary":
            return min(self.prevalence, 1.0 - self.prevalence)
        return 1.0 / (30.0 if self.rare else self.classes)

    @property
    def words(self) -> str:
        """The setting in one line, usual values left out."""
        plain = Setting(kind=self.kind, verb=self.verb, n=self.n)
        usual = asdict(plain)
        parts = [f"{self.verb} {self.kind}, n={self.n}"]
        for name, value in asdict(self).items():
            if name in ("kind", "verb", "n", "measures") or value == usual[name]:
                continue
            parts.append(f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}")
        return ", ".join(parts)


def drawn(seed: int, index: int) -> Setting:
    """Setting number `index` of a seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    kind = str(
        rng.choice(["binary", "multiclass", "numeric", "survival"], p=[0.54, 0.2, 0.18, 0.08])
    )
    verb = str(rng.choice(["assess", "compare", "margin"], p=[0.66, 0.24, 0.1]))
    classes = int(rng.choice([3, 3, 4, 5, 10])) if kind == "multiclass" else 2
    least = {"binary": 12, "multiclass": 4 * classes, "numeric": 10, "survival": 20}[kind]
    most = 1200 if kind == "multiclass" else 2000
    n = round(np.exp(rng.uniform(np.log(least), np.log(most))))
    facts: dict[str, Any] = {
        "effect": _effect(rng),
        "tails": str(rng.choice(["normal", "t3", "skewed"], p=[0.6, 0.2, 0.2])),
        "spread": float(rng.choice([1.0, 1.0, 2.0])),
        "ties": int(rng.choice([0, 0, 0, 3, 6, 12])),
        "confidence": float(rng.choice([1.0, 1.0, 0.5, 2.0])),
        "cut": str(rng.choice(["half", "prevalence"])),
    }
    prevalence = float(np.exp(rng.uniform(np.log(0.02), np.log(0.5))))
    facts |= _dependence(rng, kind, verb, n)
    floor = 4.0 / n
    if "folds" in facts:
        floor = 2.5 * int(facts["folds"]) / n
    if facts.get("held") == "constant":
        floor = max(floor, 4.0 / int(facts["groups"]))
    if verb != "assess":
        facts["correlation"] = float(rng.choice([0.0, 0.5, 0.9]))
        alike = verb == "compare" and rng.random() < 0.6
        facts["worse"] = 1.0 if alike else float(rng.uniform(0.4, 0.95))
        if verb == "margin":
            facts["effect"] = max(float(facts["effect"]), 0.8)
    if kind == "survival":
        facts["censored"] = float(rng.choice([0.0, 0.3, 0.7]))
    if kind == "binary":
        facts["prevalence"] = min(max(prevalence, floor), 0.5)
    # features, and what is made of them over folds, may be negative whatever their tails
    known = asked_of(kind, verb, "normal" if "folds" in facts else str(facts["tails"]))
    count = min(MEASURES, len(known))
    picked = tuple(str(m) for m in rng.choice(known, size=count, replace=False))
    plain = Setting(
        kind=kind, verb=verb, n=n, classes=classes, measures=tuple(sorted(picked)), **facts
    )
    other = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, 1)))
    found = plain if other.random() < 0.4 else _wider(plain, other)
    last = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, 2)))
    classes_cross = kind in ("binary", "multiclass") and found.held == "crossing"
    if classes_cross and found.sampling == "random" and found.effect > 1.5 and last.random() < 0.5:
        found = replace(found, misread=float(last.choice([0.003, 0.01, 0.03])))
    third = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, 3)))
    return found if third.random() < 0.4 else _further(found, third)


def _further(s: Setting, rng: np.random.Generator) -> Setting:
    """What the streams before do not draw, where it goes with what the setting has already."""
    may: list[dict[str, Any]] = []
    if s.kind == "binary":
        may += [{"prevalence": 1.0 - s.prevalence}]
    if s.origin == "test" and s.clusters == s.weights == "none" and s.sampling == "random":
        may += _of_independent(s, rng)
    if s.weights == "unrelated":
        may += [{"heavy": True}] * 2
    if s.clusters == "unequal":
        may += [{"largest": float(rng.choice([0.3, 0.5]))}] * 2
    if s.clusters != "none" and s.kind == "multiclass" and s.groups >= 4 * s.classes:
        may += [{"held": "constant"}] * 3
    if s.series and s.n >= 200:
        may += [{"panel": int(rng.choice([2, 5]))}] * 3
    if not may:
        return s
    made = replace(s, **may[int(rng.integers(len(may)))])
    if made.held == "constant" and made.kind == "binary":  # clusters of each class must be there
        floor = min(4.0 / made.groups, 0.5)
        made = replace(made, prevalence=min(max(made.prevalence, floor), 1.0 - floor))
    if made.n > 2500:  # what is drawn from indices takes minutes there
        from abovechance.measures import find

        kept = [m for m in applicable_names(made.kind, made) if not find(m).needs_index_draws]
        picked = rng.choice(sorted(kept), size=min(MEASURES, len(kept)), replace=False)
        made = replace(made, measures=tuple(sorted(str(m) for m in picked)))
    if made.kind == "numeric" and (made.origin == "cv" or made.whole):  # outcomes may be 0
        kept = [m for m in made.measures if m != "relative_error"]
        made = replace(made, measures=tuple(kept or ["mae", "mse"]))
    return made


def _of_independent(s: Setting, rng: np.random.Generator) -> list[dict[str, Any]]:
    """What independent cases may have besides: any of it once."""
    if s.part or s.apart or s.series or s.kind == "survival":
        return []
    may: list[dict[str, Any]] = []
    if s.kind == "binary":
        rare = float(np.exp(rng.uniform(np.log(0.003), np.log(0.02))))
        size = round(np.exp(rng.uniform(np.log(20.0 / rare), np.log(8000))))
        may += [{"n": size, "prevalence": rare}]
    if s.kind == "numeric" and s.n >= 30:
        may += [{"tails": "skewed", "whole": True}] * 2
    if s.n >= 40:
        may += [{"weights": "unrelated", "heavy": True}]
    if s.kind == "binary" and 40 <= s.n <= 600 and s.prevalence <= 0.2 and not s.misread:
        may += [{"weights": "by class"}] * 3
    if s.n >= 60:
        pairs = {"clusters": "equal", "groups": s.n // int(rng.choice([2, 2, 4]))}
        may += [pairs | {"icc": float(rng.choice([0.3, 0.6, 0.9]))}]
    if s.n >= 200 and s.kind in ("binary", "numeric"):
        series = float(rng.choice([0.3, 0.6, 0.9]))
        may += [{"series": series, "panel": int(rng.choice([2, 5]))}]
    enough = s.kind == "numeric" or (s.kind == "binary" and s.rarest * s.n >= 20)
    if s.n >= 100 and s.verb != "margin" and s.given == "probability" and enough:
        folds = {"origin": "cv", "folds": int(rng.choice([5, 10])), "correlation": 0.0}
        worse = float(rng.choice([1.0, 1.0, 0.6]))
        plain = {"verb": "compare", "worse": worse, "outputs": 1, "tails": "normal"}
        may += [folds | plain] * 2
    return may


def _wider(s: Setting, rng: np.random.Generator) -> Setting:
    """One more thing that users have, or two: where it goes with what the setting has already."""
    free = s.clusters == s.weights == "none" and s.origin == "test" and s.sampling == "random"
    large = s.n >= 60
    may: list[dict[str, Any]] = [{"level": float(rng.choice([0.9, 0.99]))}]
    if s.kind == "binary":
        may += [{"given": "label"}, {"rounded": True}]
        may += [{"given": "score"}] if s.origin == "test" and s.sampling == "random" else []
    if s.kind == "multiclass":
        may += [{"given": "label"}, {"rounded": True}]
        may += [{"rare": True}] * 2 if s.n >= 90 else []
    if s.kind == "numeric" and s.origin == "test":
        may += [{"outputs": int(rng.choice([2, 3]))}]
    if s.kind == "survival":
        may += [{"time": 0.4}]
    if free and s.kind in ("binary", "numeric") and large:
        may += [{"series": float(rng.choice([0.3, 0.6, 0.9]))}] * 2
    if s.clusters != "none" and s.kind != "survival":
        may += [{"weights": "unrelated"}]
    if s.origin == "cv":
        may += [{"repeats": int(rng.choice([3, 10]))}] * 3
    if s.origin == "test" and s.sampling == "random" and large and s.verb != "margin":
        may += [{"part": float(rng.choice([0.25, 0.5]))}] * 2
    if s.verb == "compare" and s.held == "crossing":
        may += [{"apart": max(round(s.n * float(rng.choice([0.5, 1.0, 2.0]))), 20)}] * 5
    first = may[int(rng.integers(len(may)))]
    second = may[int(rng.integers(len(may)))] if rng.random() < 0.3 else {}
    made = replace(s, **(first if _clash(first, second) else first | second))
    if made.apart:
        made = replace(made, correlation=0.0, part=0.0)
    if made.given == "probability" and made.outputs == 1:
        return made
    known = [m for m in asked_of(s.kind, s.verb, s.tails) if m in applicable_names(s.kind, made)]
    picked = rng.choice(known, size=min(MEASURES, len(known)), replace=False)
    return replace(made, measures=tuple(sorted(str(m) for m in picked)))


def _clash(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Rounded labels, and cases of a series that are left out, are nothing that users have."""
    return {*first, *second} >= {"given", "rounded"} or {*first, *second} >= {"series", "part"}


def _effect(rng: np.random.Generator) -> float:
    which = rng.random()
    if which < 0.25:
        return 0.0
    return float(rng.uniform(0.3, 2.0) if which < 0.75 else rng.uniform(2.0, 4.5))


def _dependence(rng: np.random.Generator, kind: str, verb: str, n: int) -> dict[str, Any]:
    """Clusters, weights, folds or separate sampling: at most one of them."""
    which = rng.random()
    if which < 0.33 and n >= 20:
        groups = round(np.exp(rng.uniform(np.log(5), np.log(min(100, n / 2)))))
        constant = kind in ("binary", "multiclass") and groups >= 8 and rng.random() < 0.5
        return {
            "clusters": str(rng.choice(["equal", "unequal", "unequal"])),
            "groups": groups,
            "icc": float(rng.choice([0.0, 0.1, 0.3, 0.6])),
            "held": "constant" if constant and kind == "binary" else "crossing",
        }
    if which < 0.47 and kind != "survival":
        return {"weights": str(rng.choice(["unrelated", "by score"]))}
    if verb == "assess" and kind in ("binary", "numeric") and which < 0.6 and n >= 30:
        return {"origin": "cv", "folds": int(rng.choice([5, 10])) if n >= 100 else 5}
    if verb == "assess" and kind == "binary" and which < 0.7:
        return {"sampling": "case-control"}
    return {}


def asked_of(kind: str, verb: str, tails: str) -> list[str]:
    """Measures that make sense here, and whose comparison does not take minutes."""
    from abovechance.measures import find

    known = applicable_names(kind)
    if verb != "assess":
        known = [m for m in known if not find(m).needs_index_draws]
    if kind == "numeric" and tails != "skewed":  # outcomes near 0: relative errors have no mean
        known = [m for m in known if m != "relative_error"]
    return known


def applicable_names(kind: str, like: Setting | None = None) -> list[str]:
    """Measures that apply to predictions of a kind, holding what those of a setting hold."""
    return _names(kind, like.given if like else "probability", like.outputs if like else 1)


@cache
def _names(kind: str, given: str, outputs: int) -> list[str]:
    from abovechance.measures import applicable
    from statistical.audit.worlds import small

    return sorted(m.name for m in applicable(small(kind, given, outputs)))
