"""Samples of a setting, and what is true in it."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import norm

import abovechance as ac
from statistical.audit.settings import Setting

LARGE = 100_000  # cases that stand for the population
LOGS = 0.6  # standard deviation of the logarithms of positive numbers
UNEQUAL = 0.8  # standard deviation of the logarithms of clusters' sizes
HORIZONS = np.array([0.4, 1.0])  # times at which survival is predicted; 1 is the median
Floats = np.ndarray[Any, np.dtype[np.float64]]


def sample(s: Setting, rng: np.random.Generator) -> dict[str, Any]:
    """One sample: predictions of one model, or of two on the same cases."""
    if s.origin == "cv":
        return _cross_validated(s, rng)
    made = _usable(s, rng, s.n)
    if s.apart:  # the second model judged on other cases
        made["old"] = _usable(replace(s, n=s.apart), rng, s.apart)["old"]
    return made


def _usable(s: Setting, rng: np.random.Generator, n: int) -> dict[str, Any]:
    for _ in range(1000):
        made = _models(s, rng, n, alone=False)
        if made is not None:
            return made
    raise AssertionError(f"no usable sample of {s.words}")


def subgroups(s: Setting, seed: int) -> Any:
    """Which of two subgroups every case is in, for nothing but itself."""
    rng = np.random.default_rng(np.random.SeedSequence(20_263, spawn_key=(seed,)))
    return np.where(rng.random(s.n) < s.part, "judged", "other")


@cache
def population(s: Setting) -> dict[str, Any]:
    """A sample so large that its values are the true ones; dependence is gone from it."""
    rng = np.random.default_rng(np.random.SeedSequence(20_261, spawn_key=(s.n, s.classes)))
    size = max(LARGE, 150 * s.n)
    if s.sampling == "case-control" or s.weights == "by class":  # half of a sample is rare
        size = max(size, round(25 * s.n / s.prevalence))
    if s.kind == "multiclass":
        size = max(2 * LARGE, 40 * s.n)
    if s.kind == "survival":
        size = 60_000
    made = _models(s, rng, size, alone=True)
    assert made is not None
    return made


def many_cases(s: Setting, size: int) -> Any:
    """The first model's predictions for so many independent cases of a setting."""
    rng = np.random.default_rng(np.random.SeedSequence(20_264, spawn_key=(s.n, s.classes)))
    made = _models(s, rng, size, alone=True)
    assert made is not None
    return made["new"]


def truth(s: Setting, measure: str, model: str = "new") -> float:
    """The value of a measure in the population, or that of the algorithm for folds."""
    from abovechance.measures import find
    from abovechance.measures.utility import at_threshold

    m = find(asked_as(s, measure)).for_outcome(s.kind)
    if s.origin == "cv":
        return float(np.mean([m.of(p) for p in _trained(s)[model]]))
    all_cases = population(s)[model]
    if s.outputs > 1 and s.verb == "assess" and not m.many_outputs:
        all_cases = next(iter(all_cases.each_output.values()))
    return float(at_threshold(m, all_cases).of(all_cases))


def asked_as(s: Setting, measure: str) -> str:
    """A measure as it is asked for: at the setting's time, where it is one at a time."""
    return f"{measure}({s.time:g})" if s.time and measure.endswith("_at") else measure


def spread_of_trained(s: Setting, measure: str) -> float:
    """How much the true value, or difference, varies between models trained on different cases."""
    from abovechance.measures import find

    m = find(measure).for_outcome(s.kind)
    values = [[m.of(p) for p in trained] for trained in _trained(s).values()]
    return float(np.nanstd(np.subtract(*values) if len(values) == 2 else values[0]))


def small(kind: str, given: str = "probability", outputs: int = 1) -> Any:
    """Predictions of a kind that show which measures apply."""
    s = Setting(
        kind=kind,
        verb="assess",
        n=60,
        effect=1.0,
        classes=3 if kind == "multiclass" else 2,
        given=given,
        outputs=outputs,
    )
    return sample(s, np.random.default_rng(1))["new"]


def _noise(s: Setting, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Mean 0, variance 1, with the setting's tails."""
    if s.tails == "t3":
        return rng.standard_t(3, shape) / np.sqrt(3.0)
    z = rng.normal(size=shape)
    if s.tails == "skewed":
        return (np.exp(0.8 * z) - np.exp(0.32)) / np.sqrt(np.exp(0.64) * (np.exp(0.64) - 1.0))
    return z


def equal_clusters(s: Setting) -> float:
    """How many clusters of one size those of a setting are worth, the cases of each alike."""
    others = s.groups * (np.exp(-(UNEQUAL**2)) if s.clusters == "unequal" else 1.0)
    return 1.0 / (s.largest**2 + (1.0 - s.largest) ** 2 / others) if s.largest else others


def _clusters(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> Any:
    if s.clusters == "none" or alone:
        return np.arange(n)
    if s.clusters == "equal":
        return np.arange(n) * s.groups // n
    share = rng.lognormal(sigma=UNEQUAL, size=s.groups)
    share /= share.sum()
    if s.largest:
        share *= 1.0 - s.largest
        share[0] += s.largest
    return np.sort(rng.choice(s.groups, size=n, p=share))


def _within(s: Setting, rng: np.random.Generator, group: Any, rows: int) -> Floats:
    """Noise of several models (rows) that share a cluster's part and, as asked, a case's part."""
    n = len(group)
    clusters = int(group.max()) + 1
    shared = _in_order(s, _noise(s, rng, (n,)))
    own = _in_order(s, _noise(s, rng, (rows, n)))
    case = np.sqrt(s.correlation) * shared + np.sqrt(1.0 - s.correlation) * own
    cluster = rng.normal(size=clusters)[group]
    return np.sqrt(1.0 - s.icc) * case + np.sqrt(s.icc) * cluster


def _in_order(s: Setting, noise: Floats) -> Floats:
    """Every case a share of the one before it; of a panel half of it shared by those of a time."""
    if not s.series:
        return noise
    from scipy.signal import lfilter

    times = _times(s, noise.shape[-1])
    new = np.sqrt(1.0 - s.series**2) * noise[..., : times[-1] + 1]
    new[..., 0] = noise[..., 0]
    kept = np.asarray(lfilter([1.0], [1.0, -s.series], new))
    if s.panel == 1:
        return kept
    return np.asarray(np.sqrt(0.5) * (kept[..., times] + noise[..., ::-1]))


def _times(s: Setting, n: int) -> Any:
    return np.arange(n) // s.panel


def _rounded(s: Setting, score: Floats) -> Floats:
    return np.round(score * s.ties / 4.0) * 4.0 / s.ties if s.ties else score


def _extras(
    s: Setting, rng: np.random.Generator, group: Any, score: Floats, alone: bool, y: Any = None
) -> tuple[Any, dict[str, Any]]:
    """Which cases were sampled, and their groups or weights."""
    n = len(group)
    if alone:
        return np.arange(n), {}
    if s.series:
        return np.arange(n), {"order": _times(s, n)}
    if s.clusters != "none":
        weight = {"sample_weight": _weights(s, rng, n)} if s.weights != "none" else {}
        return np.arange(n), {"groups": group, **weight}
    if s.weights == "unrelated":
        return np.arange(n), {"sample_weight": _weights(s, rng, n)}
    if s.weights == "by score":  # high scores are sampled three times as often
        chance = np.where(score > np.median(score), 1.0, 1.0 / 3.0)
    elif s.weights == "by class":  # positives so much more often that half of a sample is of them
        chance = np.where(y == 1, 1.0, s.prevalence / (1.0 - s.prevalence))
    else:
        return np.arange(n), {}
    kept = np.flatnonzero(rng.random(n) < chance)[: s.n]
    return kept, {"sample_weight": 1.0 / chance[kept]}


def _weights(s: Setting, rng: np.random.Generator, n: int) -> Floats:
    return rng.lognormal(size=n) if s.heavy else rng.gamma(2.0, size=n) + 0.05


def _recorded(s: Setting, rng: np.random.Generator, y: Any) -> Any:
    """Classes as they were written down: some cases as the next class."""
    if not s.misread:
        return y
    return np.where(rng.random(len(y)) < s.misread, (y + 1) % s.classes, y)


def _models(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> dict[str, Any] | None:
    make = {
        "binary": _binary,
        "multiclass": _multiclass,
        "numeric": _numeric,
        "survival": _survival,
    }[s.kind]
    return make(s, rng, n, alone)


def _drawn_size(s: Setting, n: int, alone: bool) -> int:
    if s.weights == "by class" and not alone:
        return round(1.3 * n / (2.0 * s.prevalence))
    return 3 * n if s.weights == "by score" and not alone else n


def models_of(s: Setting) -> tuple[str, ...]:
    """The models that are assessed or compared."""
    return ("new",) if s.verb == "assess" else ("new", "old")


def _effects(s: Setting) -> list[float]:
    # at a margin the new model is the worse one; in comparisons which is worse does not matter
    return [s.effect * s.worse, s.effect][-len(models_of(s)) :]


def _binary(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> dict[str, Any] | None:
    n = _drawn_size(s, n, alone)
    group = _clusters(s, rng, n, alone)
    if s.sampling == "case-control":  # the prevalence is stated, so it does not vary
        y = np.arange(n) < round(n * s.prevalence) if alone else np.arange(n) % 2
        y = y.astype(int)
    elif s.held == "constant" and not alone:
        y = (rng.random(int(group.max()) + 1) < s.prevalence).astype(int)[group]
    else:
        y = (rng.random(n) < s.prevalence).astype(int)
    noise = _within(s, rng, group, len(models_of(s))) * np.where(y == 1, s.spread, 1.0)
    base = np.log(s.prevalence / (1.0 - s.prevalence))
    made, kept, extras, recorded = {}, np.arange(n), {}, y
    for row, (name, effect) in enumerate(zip(models_of(s), _effects(s), strict=True)):
        score = _rounded(s, effect * y + noise[row])
        slope = max(effect, 0.7)
        p = expit(base + s.confidence * (slope * score - slope**2 / 2.0))
        if row == 0:
            kept, extras = _extras(s, rng, group, score, alone, y)
            recorded = _recorded(s, rng, y)
        if np.bincount(recorded[kept], minlength=2).min() < 2:
            return None
        cut = 0.5 if s.cut == "half" else s.prevalence
        p = np.round(p[kept], 2) if s.rounded else p[kept]
        made[name] = _of_two(s, recorded[kept], p, score[kept], cut, extras)
    return made


def _of_two(s: Setting, y: Any, p: Floats, score: Floats, cut: float, extras: Any) -> ac.Binary:
    if s.given == "label":
        return ac.Binary(y, label=(p > cut).astype(int), labels=[0, 1], pos_label=1, **extras)
    if s.given == "score":
        return ac.Binary(y, score=score, pos_label=1, **extras)
    return ac.Binary(y, probability=p, pos_label=1, threshold=cut, **extras)


def _multiclass(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> dict[str, Any] | None:
    n, k = _drawn_size(s, n, alone), s.classes
    group = _clusters(s, rng, n, alone)
    share = np.linspace(2.0, 1.0, k)
    if s.rare:
        share[-1] = share[:-1].sum() / 29.0
    if s.held == "constant" and not alone:
        y = rng.choice(k, size=int(group.max()) + 1, p=share / share.sum())[group]
    else:
        y = rng.choice(k, size=n, p=share / share.sum())
    noise = [_within(s, rng, group, k) for _ in models_of(s)]
    common = _within(s, rng, group, k)
    made, kept, extras, recorded = {}, np.arange(n), {}, y
    for row, (name, effect) in enumerate(zip(models_of(s), _effects(s), strict=True)):
        mixed = np.sqrt(s.correlation) * common + np.sqrt(1.0 - s.correlation) * noise[row]
        score = _rounded(s, effect * (y == np.arange(k)[:, None]) + mixed)
        slope = s.confidence * max(effect, 0.7)
        weight = np.exp(slope * (score - score.max(axis=0))) * share[:, None]
        if row == 0:
            kept, extras = _extras(s, rng, group, score[0], alone)
            recorded = _recorded(s, rng, y)
        if np.bincount(recorded[kept], minlength=k).min() < 1:
            return None
        p = (weight / weight.sum(axis=0)).T[kept]
        if s.rounded:  # what is left goes to the likeliest class
            p = np.round(p, 2)
            p[np.arange(len(p)), p.argmax(axis=1)] += 1.0 - p.sum(axis=1)
        held = {"label": p.argmax(axis=1)} if s.given == "label" else {"probability": p}
        made[name] = ac.Multiclass(recorded[kept], labels=list(range(k)), **held, **extras)
    return made


def _numeric(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> dict[str, Any]:
    n = _drawn_size(s, n, alone)
    group = _clusters(s, rng, n, alone)
    # the logarithm of costs and counts is normal: of what is skewed itself the mean is infinite
    plain = replace(s, tails="normal") if s.tails == "skewed" else s
    shape = (n,) if s.outputs == 1 else (n, s.outputs)
    signal = _in_order(s, rng.normal(size=shape).T).T
    error = _within(plain, rng, group, s.outputs).T.reshape(shape)
    y = s.effect * signal + error * (1.0 + (s.spread - 1.0) * np.abs(signal))
    scale = LOGS / np.sqrt(s.effect**2 + s.spread**2)
    made, kept, extras = {}, np.arange(n), {}
    for row, (name, share) in enumerate(zip(models_of(s), (s.worse, 1.0), strict=False)):
        # a share of the signal, the rest is noise of the model's own
        rest = np.sqrt(max(1.0 - (0.9 * share) ** 2, 0.0))
        value = (
            s.confidence
            * max(s.effect, 0.5)
            * (0.9 * share * signal + rest * rng.normal(size=shape))
        )
        value = _rounded(s, value)
        outcome = y
        if s.tails == "skewed":  # costs, counts, times: positive and skewed
            outcome, value = np.exp(scale * y), np.exp(scale * value)
            if s.whole:
                outcome = np.floor(1.5 * outcome)
        if row == 0:
            first = value if s.outputs == 1 else value[:, 0]
            kept, extras = _extras(s, rng, group, first, alone)
        made[name] = ac.Numeric(outcome[kept], value[kept], **extras)
    return made


def _survival(s: Setting, rng: np.random.Generator, n: int, alone: bool) -> dict[str, Any] | None:
    group = _clusters(s, rng, n, alone)
    signal, error = rng.normal(size=n), _within(s, rng, group, 1)[0]
    time = np.exp(error - s.effect * signal)
    limit = np.full(n, np.inf)
    if s.censored:
        scale = {0.3: 2.5, 0.7: 0.5}[s.censored]
        limit = scale * rng.exponential(size=n) * np.exp(0.2)
    event = time <= limit
    if event.sum() < 5:
        return None
    made, extras = {}, {} if alone or s.clusters == "none" else {"groups": group}
    for name, share in zip(models_of(s), (s.worse, 1.0), strict=False):
        rest = np.sqrt(max(1.0 - (0.9 * share) ** 2, 0.0))
        risk = _rounded(s, 0.9 * share * signal + rest * rng.normal(size=n))
        late = np.log(HORIZONS) + s.confidence * max(s.effect, 0.5) * 0.9 * share * risk[:, None]
        made[name] = ac.Survival(
            np.minimum(time, limit),
            event,
            risk=risk,
            survival=np.sort(norm.sf(late / np.hypot(1.0, 0.5 * s.effect)), axis=1)[:, ::-1],
            times=HORIZONS,
            **extras,
        )
    return made


FEATURES = 4
TRAINED = 150  # training sets behind the algorithm's true value
JUDGED = 4_000


def _learners(s: Setting) -> dict[str, list[int]]:
    """Which features each model is trained on: all, or half of them, the first of which tells."""
    if s.verb == "assess":
        return {"new": list(range(FEATURES))}
    return {"new": [0, 2], "old": [1, 3]}


def _features(s: Setting, rng: np.random.Generator, n: int) -> tuple[Floats, Any]:
    x = _noise(s, rng, (n, FEATURES))
    tells = np.zeros(FEATURES)
    tells[: len(models_of(s))] = _effects(s)
    if s.kind == "numeric":
        return x, x @ tells + _noise(s, rng, (n,))
    y = (rng.random(n) < s.prevalence).astype(int)
    return x + y[:, None] * tells, y


def _fitted(s: Setting, x: Floats, y: Any, new: Floats) -> Floats:
    """Ridge regression, or a linear discriminant's probabilities."""
    width = x.shape[1]
    if s.kind == "numeric":
        centre, level = x.mean(axis=0), y.mean()
        penalised = (x - centre).T @ (x - centre) + np.eye(width)
        return level + (new - centre) @ np.linalg.solve(penalised, (x - centre).T @ (y - level))
    means = np.stack([x[y == c].mean(axis=0) for c in (0, 1)])
    apart = x - means[y]
    pooled = (apart.T @ apart + np.eye(width)) / (len(y) - 2)
    slope = np.linalg.solve(pooled, means[1] - means[0])
    base = np.log(y.mean() / (1 - y.mean())) - means.sum(axis=0) @ slope / 2
    return expit(np.clip(base + new @ slope, -30, 30))


def _cross_validated(s: Setting, rng: np.random.Generator) -> dict[str, Any]:
    for _ in range(1000):
        x, y = _features(s, rng, s.n)
        if s.kind == "numeric" or np.bincount(y, minlength=2).min() >= 2 * s.folds:
            break
    else:
        raise AssertionError("too few of one class for these folds")
    folds = np.array([_folds(s, rng, y) for _ in range(s.repeats)])
    extras: dict[str, Any] = {"fold": folds.ravel()}
    if s.repeats > 1:
        extras["repeat"] = np.repeat(np.arange(s.repeats), s.n)
        extras["id"] = np.tile(np.arange(s.n), s.repeats)
    made = {}
    for name, used in _learners(s).items():
        value = np.empty((s.repeats, s.n))
        for repeat, fold in enumerate(folds):
            for f in range(s.folds):
                inside = fold == f
                given = x[np.ix_(~inside, used)], y[~inside], x[np.ix_(inside, used)]
                value[repeat, inside] = _fitted(s, *given)
        made[name] = _told(s, np.tile(y, s.repeats), value.ravel(), 0.5, extras)
    return made


def _told(s: Setting, y: Any, value: Floats, cut: float, extras: dict[str, Any]) -> Any:
    """Predictions of what was trained."""
    if s.kind == "numeric":
        return ac.Numeric(y, value, **extras)
    p = np.round(value, 2) if s.rounded else value
    return _of_two(s, y, p, p, cut, extras)


def _folds(s: Setting, rng: np.random.Generator, y: Any) -> Any:
    if s.kind == "numeric":
        return rng.permutation(np.arange(s.n) % s.folds)
    # stratified, as scikit-learn does: every fold has both classes where there are enough
    order = np.argsort(y + rng.random(s.n) / 2)
    fold = np.empty(s.n, dtype=int)
    fold[order] = np.arange(s.n) % s.folds
    return fold


@cache
def _trained(s: Setting) -> dict[str, list[Any]]:
    rng = np.random.default_rng(np.random.SeedSequence(20_262, spawn_key=(s.n,)))
    size, found = s.n - s.n // s.folds, {name: [] for name in models_of(s)}
    while len(found["new"]) < TRAINED:
        x, y = _features(s, rng, size)
        if s.kind == "binary" and np.bincount(y, minlength=2).min() < 2:
            continue
        new, outcome = _features(s, rng, JUDGED)
        for name, used in _learners(s).items():
            value = _fitted(s, x[:, used], y, new[:, used])
            found[name].append(_told(s, outcome, value, 0.5, {}))
    return found
