"""Comparisons of equally good models: how often does each test find a difference?"""

from collections.abc import Callable, Iterator

import numpy as np

from abovechance.inference.exchange import exchanged, flips, resample_means
from abovechance.inference.folds import difference_over_folds
from abovechance.inference.law_contrasts import ModelFamily, unpaired
from abovechance.inference.omnibus import omnibus_of
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass, Numeric, Survival
from abovechance.resampling import Settings
from statistical.bars import Cell, rejections

DRAWS = 199
Rng = np.random.Generator
Pair = tuple[float, float | None]
One = Callable[[Rng], Pair]


def stream(rng: Rng, draws: int = DRAWS) -> Settings:
    return Settings(draws=draws, seed=int(rng.integers(2**53)))


def both_classes(rng: Rng, n: int, prevalence: float, each: int = 2) -> np.ndarray:
    while True:
        y = rng.random(n) < prevalence
        if each <= y.sum() <= n - each:
            return y


def two_scores(rng: Rng, y: np.ndarray, shift: float, shared: float) -> np.ndarray:
    """Scores of two models with the same area; `shared` is the squared correlation."""
    common, own = rng.normal(size=len(y)), rng.normal(size=(2, len(y)))
    return np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own + shift * y


def logistic(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


# ------------------------------------------------------------- settings: two equally good models


def scored(
    n: int, prevalence: float, shift: float, shared: float, digits: int | None = None
) -> Callable[[Rng], list[Binary]]:
    def make(rng: Rng) -> list[Binary]:
        y = both_classes(rng, n, prevalence)
        scores = two_scores(rng, y, shift, shared)
        if digits is not None:
            scores = np.round(scores, digits)
        return [Binary(y, score=s) for s in scores]

    return make


def probable(n: int, prevalence: float, digits: int | None = None, models: int = 2):
    """Models with the same errors in distribution, exchangeable."""

    def make(rng: Rng) -> list[Binary]:
        y = both_classes(rng, n, prevalence)
        common = rng.normal(size=n) + 1.0 * y - 0.5
        p = logistic(common + 0.7 * rng.normal(size=(models, n)))
        if digits is not None:
            p = np.clip(np.round(p, digits), 0.5 * 10.0**-digits, 1 - 0.5 * 10.0**-digits)
        return [Binary(y, probability=row) for row in p]

    return make


def skewed(n: int) -> Callable[[Rng], np.ndarray]:
    """Differences of mean zero that are far from symmetric."""
    return lambda rng: rng.exponential(size=n) - 1.0


def clustered(clusters: int, size: int, models: int = 2) -> Callable[[Rng], list[Binary]]:
    """Clusters in which one model happens to do well together."""

    def make(rng: Rng) -> list[Binary]:
        groups = np.repeat(np.arange(clusters), size)
        n = len(groups)
        y = both_classes(rng, n, 0.4)
        ease = rng.normal(size=(models, clusters))[:, groups]
        scores = (2.0 * y - 1.0) * (0.5 + 0.8 * ease) + rng.normal(size=(models, n))
        return [Binary(y, probability=logistic(s), groups=groups) for s in scores]

    return make


def unlike(n: int) -> Callable[[Rng], list[Binary]]:
    """Equal positive predictive values although one model calls more cases positive."""

    def make(rng: Rng) -> list[Binary]:
        while True:
            calls = rng.random((2, n)) < np.array([[0.5], [0.1]])
            y = rng.random(n) < np.where(calls.any(axis=0), 0.6, 0.1)
            if calls.sum(axis=1).min() > 1 and 1 < y.sum() < n - 1:
                return [Binary(y, label=label) for label in calls]

    return make


def three_classes(n: int, models: int = 2) -> Callable[[Rng], list[Multiclass]]:
    def make(rng: Rng) -> list[Multiclass]:
        y = np.concatenate([np.repeat([0, 1, 2], 3), rng.choice(3, size=n - 9, p=[0.2, 0.3, 0.5])])
        common = rng.normal(size=(n, 3))
        common[np.arange(n), y] += 1.0
        made = []
        for _ in range(models):
            e = np.exp(common + 0.7 * rng.normal(size=(n, 3)))
            made.append(Multiclass(y, probability=e / e.sum(axis=1, keepdims=True)))
        return made

    return make


def numbers(n: int) -> Callable[[Rng], list[Numeric]]:
    def make(rng: Rng) -> list[Numeric]:
        y = rng.normal(size=n)
        return [Numeric(y, y + rng.standard_t(4, size=n)) for _ in range(2)]

    return make


def times(n: int, shared: float, models: int = 2) -> Callable[[Rng], list[Survival]]:
    def make(rng: Rng) -> list[Survival]:
        hazard = rng.normal(size=n)
        event = rng.exponential(np.exp(-hazard))
        censor = rng.exponential(2.0, size=n)
        common, own = rng.normal(size=n), rng.normal(size=(models, n))
        noise = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
        time, happened = np.minimum(event, censor), event <= censor
        return [Survival(time, happened, risk=np.round(hazard + e, 1)) for e in noise]

    return make


# --------------------------------------------------------------------------- tests, one p-value


def by_law(measure: str, make: Callable[[Rng], list], draws: int = DRAWS) -> One:
    """The test that `compare` gives."""

    def one(rng: Rng) -> Pair:
        models = make(rng)
        chosen = find(measure).for_outcome(models[0].kind)
        how = stream(rng, draws)
        return ModelFamily(chosen, models, how).contrast(0, 1).test("two-sided").test.p_value, None

    return one


def of_flips(measure: str, make: Callable[[Rng], list], draws: int = DRAWS) -> One:
    """Sign flips with the p-value between ties as well."""
    from abovechance.inference.contrasts import contributions

    def one(rng: Rng) -> Pair:
        first, second = make(rng)
        parts = contributions(find(measure).for_outcome(first.kind), first, second)
        how = stream(rng, draws)
        found = flips(parts, groups=first.cases.groups, settings=how, strict=True)
        return found.p_value, found.p_strict

    return one


def of_exchange(measure: str, make: Callable[[Rng], list], draws: int = DRAWS) -> One:
    """Exchanges of exchangeable models: exact, so the randomised p-value is uniform."""

    def one(rng: Rng) -> Pair:
        first, second = make(rng)
        chosen = find(measure).for_outcome(first.kind)
        found = exchanged(chosen, first, second, settings=stream(rng, draws))
        return found.p_value, found.p_strict

    return one


def of_means(make: Callable[[Rng], np.ndarray]) -> One:
    return lambda rng: (resample_means(make(rng), settings=stream(rng)).p_value, None)


def of_all(measure: str, make: Callable[[Rng], list]) -> One:
    """All models at once."""

    def one(rng: Rng) -> Pair:
        models = make(rng)
        chosen = find(measure).for_outcome(models[0].kind)
        found = omnibus_of(ModelFamily(chosen, models, stream(rng)))
        return found.p_value, None

    return one


def of_different_cases(measure: str, make: Callable[[Rng], list]) -> One:
    def one(rng: Rng) -> Pair:
        first, second = make(rng)[0], make(rng)[1]
        found = unpaired(find(measure), first, second, stream(rng))
        return found.test("two-sided").test.p_value, None

    return one


def of_folds(naive: bool) -> One:
    """Two nearest-centroid rules on different features, equally good; five repeats of ten folds."""

    def one(rng: Rng) -> Pair:
        n, k, repeats = 40, 10, 5
        y = np.arange(n) % 2
        x = rng.normal(size=(n, 2, 2)) + 0.7 * y[:, None, None]
        folds = np.concatenate([rng.permutation(n // 2).repeat(2) % k for _ in range(repeats)])
        repeat = np.repeat(np.arange(repeats), n)
        made = []
        for part in range(2):
            label = np.empty((repeats, n), dtype=int)
            for r, fold in enumerate(folds.reshape(repeats, n)):
                for f in range(k):
                    train, test = fold != f, fold == f
                    centre = [x[train & (y == c), part].mean(axis=0) for c in (0, 1)]
                    far = [((x[test, part] - c) ** 2).sum(axis=1) for c in centre]
                    label[r, test] = far[1] < far[0]
            made.append(
                Binary(
                    np.tile(y, repeats),
                    label=label.ravel(),
                    labels=[0, 1],
                    fold=folds,
                    repeat=repeat,
                )
            )
        return difference_over_folds(find("accuracy"), *made, naive=naive).test(
            "two-sided"
        ).test.p_value, None

    return one


S = dict[tuple[str, str], tuple[One, float]]
FIRST: S = {
    ("McNemar", "n = 20"): (of_flips("accuracy", probable(20, 0.5)), 1),
    ("McNemar", "n = 200"): (by_law("accuracy", probable(200, 0.3)), 1),
    ("McNemar within the class", "n = 60, prevalence .3"): (
        by_law("sensitivity", probable(60, 0.3)),
        1,
    ),
    ("stratified sign flip, balanced accuracy", "n = 20"): (
        of_flips("balanced_accuracy", probable(20, 0.4)),
        1,
    ),
    ("stratified sign flip, balanced accuracy", "n = 60, 3 classes"): (
        of_flips("balanced_accuracy", three_classes(60)),
        0.5,
    ),
    ("sign flip, Brier", "n = 20"): (of_flips("brier", probable(20, 0.5)), 0.4),
    ("sign flip, Brier", "n = 20, one decimal"): (of_flips("brier", probable(20, 0.5, 1)), 1),
    ("sign flip, log score", "n = 100, prevalence .1"): (
        of_flips("log_score", probable(100, 0.1)),
        1,
    ),
    ("sign flip, mean absolute error", "n = 14, t(4)"): (of_flips("mae", numbers(14)), 1),
    ("sign flip of clusters, Brier", "8 clusters of 10"): (of_flips("brier", clustered(8, 10)), 1),
    ("sign flip of clusters, accuracy", "20 clusters of 6"): (
        of_flips("accuracy", clustered(20, 6)),
        0.5,
    ),
    ("studentised bootstrap of means", "n = 100, exponential"): (of_means(skewed(100)), 1),
    ("DeLong, t", "n = 20"): (by_law("auc", scored(20, 0.5, 0.8, 0.5)), 1),
    ("DeLong, t", "n = 20, prevalence .25, independent models"): (
        by_law("auc", scored(20, 0.25, 0.0, 0.0)),
        1,
    ),
    ("DeLong, t", "n = 40, scores rounded to ties"): (
        by_law("auc", scored(40, 0.4, 0.8, 0.5, 0)),
        1,
    ),
    ("DeLong, t", "n = 100, prevalence .1"): (by_law("auc", scored(100, 0.1, 1.0, 0.3)), 1),
    ("DeLong", "n = 200, area .9"): (by_law("auc", scored(200, 0.5, 1.8, 0.5)), 1),
    ("DeLong, Hand–Till", "n = 60, 3 classes"): (by_law("auc", three_classes(60)), 0.5),
    ("Obuchowski", "20 clusters of 6"): (by_law("auc", clustered(20, 6)), 1),
    ("paired jackknife, concordance", "n = 40, 40 % censored, ties"): (
        by_law("c_index", times(40, 0.3)),
        0.5,
    ),
    ("paired jackknife, concordance", "n = 150, 40 % censored, ties"): (
        by_law("c_index", times(150, 0.3)),
        0.2,
    ),
    ("studentised exchange, F1", "n = 20"): (of_exchange("f1", probable(20, 0.5)), 0.3),
    ("studentised exchange, MCC", "n = 60, 3 classes"): (
        of_exchange("mcc", three_classes(60), 99),
        0.1,
    ),
    ("studentised exchange, PPV", "n = 400, calls .5 and .1"): (by_law("ppv", unlike(400)), 0.2),
    ("studentised exchange, average precision", "n = 40"): (
        of_exchange("average_precision", probable(40, 0.4), 39),
        0.05,
    ),
    ("studentised exchange, Pearson", "n = 30, t(4)"): (
        of_exchange("pearson", numbers(30), 39),
        0.1,
    ),
    ("studentised exchange of clusters, F1", "10 clusters of 8"): (
        of_exchange("f1", clustered(10, 8), 39),
        0.1,
    ),
    ("DeLong F, 3 models", "n = 200"): (of_all("auc", probable(200, 0.4, models=3)), 1),
    ("Cochran's Q, 4 models", "n = 60"): (of_all("accuracy", probable(60, 0.5, models=4)), 1),
    ("largest t of all pairs, 4 models", "n = 40"): (
        of_all("brier", probable(40, 0.5, models=4)),
        1,
    ),
    ("DeLong, unpaired", "n = 60 + 60"): (
        of_different_cases("auc", scored(60, 0.4, 0.8, 0.5)),
        1,
    ),
    ("Fisher, unpaired", "n = 40 + 40"): (of_different_cases("accuracy", probable(40, 0.5)), 1),
    ("Welch t, unpaired", "n = 40 + 40"): (of_different_cases("brier", probable(40, 0.5)), 1),
    ("corrected resampled t", "n = 40, 5 × 10 folds"): (of_folds(naive=False), 0.2),
}
OMNIBUS: S = {
    ("DeLong F, 3 models", "n = 20"): (of_all("auc", probable(20, 0.5, models=3)), 1),
    ("DeLong F, 4 models", "n = 40, prevalence .25"): (
        of_all("auc", probable(40, 0.25, models=4)),
        1,
    ),
    ("DeLong F, 4 models", "n = 100, prevalence .1"): (
        of_all("auc", probable(100, 0.1, models=4)),
        1,
    ),
    ("DeLong F, Hand–Till, 3 models", "n = 60, 3 classes"): (
        of_all("auc", three_classes(60, models=3)),
        0.5,
    ),
    ("DeLong χ², 3 models", "n = 400"): (of_all("auc", probable(400, 0.4, models=3)), 1),
    ("Obuchowski F, 4 models", "10 clusters of 6"): (of_all("auc", clustered(10, 6, 4)), 1),
    ("Obuchowski F, 4 models", "20 clusters of 6"): (of_all("auc", clustered(20, 6, 4)), 1),
    ("infinitesimal jackknife F, 4 models", "n = 40, 40 % censored, ties"): (
        of_all("c_index", times(40, 0.3, models=4)),
        0.2,
    ),
    ("Cochran's Q, 4 models", "n = 20"): (of_all("accuracy", probable(20, 0.5, models=4)), 1),
    ("losses permuted among 4 models", "n = 10"): (of_all("brier", probable(10, 0.5, models=4)), 1),
    ("permutation of clusters among models, Brier, 4 models", "10 clusters of 6"): (
        of_all("brier", clustered(10, 6, 4)),
        0.5,
    ),
}
UNPAIRED: S = {
    ("DeLong, unpaired", "n = 20 + 20, prevalence .25, area .5"): (
        of_different_cases("auc", scored(20, 0.25, 0.0, 0.0)),
        1,
    ),
}
SETTINGS: S = {**FIRST, **OMNIBUS, **UNPAIRED}


def normal_delong(make: Callable[[Rng], list]) -> One:
    from abovechance.inference.area_differences import delong

    return lambda rng: (delong(*make(rng)).p_value, None)


def plain_exchange(rng: Rng) -> Pair:
    """Exchanging labels without dividing by the standard error: what not to do."""
    from abovechance.resampling import tail

    first, second = unlike(400)(rng)
    y, a, b = first.positive, first.label, second.label
    observed = (y & a).sum() / a.sum() - (y & b).sum() / b.sum()
    swap = rng.random((DRAWS, len(y))) < 0.5
    one, other = np.where(swap, b, a), np.where(swap, a, b)
    null = (y & one).sum(axis=1) / one.sum(axis=1) - (y & other).sum(axis=1) / other.sum(axis=1)
    return tail(float(observed), null, alternative="two-sided", center=0.0).p_value, None


def ignoring_clusters(rng: Rng) -> Pair:
    from abovechance.inference.contrasts import contributions

    parts = contributions(find("brier"), *clustered(8, 10)(rng))
    return flips(parts, settings=stream(rng)).p_value, None


def chi2_of_clusters(rng: Rng) -> Pair:
    """The covariance of few clusters taken for the true one."""
    from scipy.special import chdtrc

    from abovechance.inference.area_differences import wald
    from abovechance.inference.influence import components

    found = components(clustered(10, 6, 4)(rng))
    statistic, df = wald(found.areas, found.covariance)
    return float(chdtrc(df, statistic)), None


AVOIDED: S = {
    ("DeLong, normal", "n = 20, prevalence .25, independent models"): (
        normal_delong(scored(20, 0.25, 0.0, 0.0)),
        1,
    ),
    ("plain exchange, PPV", "n = 400, calls .5 and .1"): (plain_exchange, 0.3),
    ("sign flip, clusters ignored", "8 clusters of 10"): (ignoring_clusters, 0.5),
    ("t-test over folds, not corrected", "n = 40, 5 × 10 folds"): (of_folds(naive=True), 0.2),
}
OMNIBUS_AVOIDED: S = {
    ("Obuchowski χ², 4 models", "10 clusters of 6"): (chi2_of_clusters, 1),
}
WARNINGS: S = {**AVOIDED, **OMNIBUS_AVOIDED}
# Every setting has the random numbers of its place here: append, so that no other row changes.
PLACES = list({**FIRST, **AVOIDED, **OMNIBUS, **OMNIBUS_AVOIDED, **UNPAIRED})


def simulate(settings: S, replications: int) -> Iterator[Cell]:
    """Every setting; costly ones with their share of the replications."""
    for (test, setting), (one, share) in settings.items():
        number = PLACES.index((test, setting))
        count = max(30, int(replications * share))
        found = [
            one(np.random.default_rng(np.random.SeedSequence(40, spawn_key=(number, r))))
            for r in range(count)
        ]
        weak = [pair[0] for pair in found]
        strict = None if found[0][1] is None else [float(pair[1] or 0.0) for pair in found]
        yield rejections(test, setting, weak, strict, number)
