"""Tests against chance under their own null hypotheses: how often do they reject?"""

from collections.abc import Callable, Iterator

import numpy as np

from abovechance.inference.areas import mann_whitney
from abovechance.inference.gains import skill
from abovechance.inference.permutation import association
from abovechance.inference.significance import (
    against_majority,
    against_rate,
    studentised_permutation,
)
from abovechance.measures import find
from abovechance.numerics.exact import hypergeometric_tails
from abovechance.numerics.ranks import midranks
from abovechance.predictions import Binary, Multiclass, Numeric, Survival
from abovechance.resampling import (
    LabelPermutations,
    Settings,
    exact_rank_sum,
    label_sums,
    tail,
)
from statistical.bars import Cell, rejections

DRAWS = 999
Pair = tuple[float, float | None]


def outcomes(rng: np.random.Generator, n: int, prevalence: float) -> np.ndarray:
    """Outcomes with both classes present."""
    while True:
        y = rng.random(n) < prevalence
        if 0 < y.sum() < n:
            return y


def fisher(n: int, prevalence: float, called: float) -> Callable[[np.random.Generator], Pair]:
    def one(rng: np.random.Generator) -> Pair:
        y, label = outcomes(rng, n, prevalence), outcomes(rng, n, called)
        hits, margins = int((y & label).sum()), (n, int(y.sum()), int(label.sum()))
        return hypergeometric_tails(hits, *margins)[0], hypergeometric_tails(hits + 1, *margins)[0]

    return one


def ranks(n: int, prevalence: float, levels: int | None) -> Callable[[np.random.Generator], Pair]:
    def one(rng: np.random.Generator) -> Pair:
        y = outcomes(rng, n, prevalence)
        score = rng.random(n) if levels is None else rng.integers(levels, size=n).astype(float)
        doubled = np.rint(2 * midranks(score)).astype(np.int64)
        found = exact_rank_sum(doubled, int(y.sum()), int(doubled[y].sum()))
        return found.p_value, found.p_strict

    return one


def ranks_normal(n: int, prevalence: float, levels: int) -> Callable[[np.random.Generator], Pair]:
    def one(rng: np.random.Generator) -> Pair:
        y = outcomes(rng, n, prevalence)
        score = rng.integers(levels, size=n).astype(float)
        return mann_whitney(Binary(y, score=score), method="normal").p_value, None

    return one


def linear(kind: str, n: int, prevalence: float) -> Callable[[np.random.Generator], Pair]:
    """Label permutation of the Brier and the log score, through the sums they depend on."""

    def one(rng: np.random.Generator) -> Pair:
        y = outcomes(rng, n, prevalence)
        p = np.clip(rng.beta(1.5, 3.0, size=n), 0.01, 0.99)
        p = np.round(p, 2) if kind == "brier" else p
        score = p if kind == "brier" else np.log(p / (1 - p))
        scheme = LabelPermutations(y)
        found = tail(float(score[y].sum()), label_sums(score[None], scheme, rng, DRAWS)[:, 0])
        return found.p_value, found.p_strict

    return one


def by_association(measure: str, make: Callable[[np.random.Generator], object], draws: int = 199):
    def one(rng: np.random.Generator) -> Pair:
        predictions = make(rng)
        chosen = find(measure).for_outcome(predictions.kind)
        how = Settings(draws=draws, seed=int(rng.integers(2**53)))
        return association(predictions, [chosen], how)[chosen.label].p_value, None

    return one


def three_classes(n: int) -> Callable[[np.random.Generator], Multiclass]:
    def make(rng: np.random.Generator) -> Multiclass:
        p = rng.dirichlet([1.0, 1.0, 2.0], size=n)
        y = np.concatenate([[0, 1, 2], rng.choice(3, size=n - 3, p=[0.2, 0.3, 0.5])])
        return Multiclass(y, probability=p)

    return make


def numbers(n: int) -> Callable[[np.random.Generator], Numeric]:
    return lambda rng: Numeric(rng.standard_t(3, size=n), rng.standard_t(3, size=n))


def times(n: int) -> Callable[[np.random.Generator], Survival]:
    def make(rng: np.random.Generator) -> Survival:
        event, censor = rng.exponential(size=n), rng.exponential(1.5, size=n)
        risk = np.round(rng.normal(size=n), 1)
        return Survival(np.minimum(event, censor), event <= censor, risk=risk)

    return make


def clustered(clusters: int, size: int, constant: bool) -> Callable[[np.random.Generator], Binary]:
    """Scores share a cluster's level; labels are the cluster's own, or vary within it."""

    def make(rng: np.random.Generator) -> Binary:
        groups = np.repeat(np.arange(clusters), size)
        level = rng.normal(size=clusters)[groups]
        y = outcomes(rng, clusters, 0.5)[groups] if constant else outcomes(rng, len(groups), 0.4)
        return Binary(y, score=level + 0.5 * rng.normal(size=len(groups)), groups=groups)

    return make


def naive(make: Callable[[np.random.Generator], Binary]) -> Callable[[np.random.Generator], Pair]:
    """The same data with the clusters ignored: what not to do."""

    def one(rng: np.random.Generator) -> Pair:
        predictions = make(rng)
        flat = Binary(predictions.positive, score=predictions.score)
        return mann_whitney(flat).p_value, None

    return one


def no_skill(n: int) -> Callable[[np.random.Generator], Pair]:
    """Forecasts twice too bold: their Brier score equals that of the constant forecast."""

    def one(rng: np.random.Generator) -> Pair:
        side = rng.choice([-1.0, 1.0], size=n)
        y = rng.random(n) < 0.5 + 0.1 * side
        made = Binary(y, probability=0.5 + 0.2 * side)
        found = skill(find("brier"), made, draws=DRAWS, seed=int(rng.integers(2**53)))
        return float(found.p_value), None

    return one


def as_good_as_majority(n: int) -> Callable[[np.random.Generator], Pair]:
    """A tenth of the cases is called otherwise, half of it rightly."""

    def one(rng: np.random.Generator) -> Pair:
        apart = rng.random(n) < 0.2
        y = np.where(apart, rng.random(n) < 0.5, rng.random(n) < 0.8)
        return against_majority(Binary(y, label=~apart)).p_value, None

    return one


def rate(n: int, share: float) -> Callable[[np.random.Generator], Pair]:
    def one(rng: np.random.Generator) -> Pair:
        y = np.zeros(n, dtype=bool)
        y[0] = True
        label = np.where(rng.random(n) < share, y, ~y)
        return against_rate(Binary(y, label=label), share).p_value, None

    return one


def half_area(n1: int, n0: int, spread: float) -> Callable[[np.random.Generator], Pair]:
    """Area one half with unequal spread: true for this test, not for Mann and Whitney's."""

    def one(rng: np.random.Generator) -> Pair:
        score = np.concatenate([rng.normal(size=n1) * spread, rng.normal(size=n0)])
        made = Binary(np.arange(n1 + n0) < n1, score=score)
        return studentised_permutation(made, draws=99, rng=rng).p_value, None

    return one


SETTINGS: dict[tuple[str, str], tuple[Callable[[np.random.Generator], Pair], float]] = {
    ("Fisher", "n = 20, prevalence .5, called .5"): (fisher(20, 0.5, 0.5), 1),
    ("Fisher", "n = 20, prevalence .2, called .2"): (fisher(20, 0.2, 0.2), 1),
    ("Fisher", "n = 40, prevalence .5, called .3"): (fisher(40, 0.5, 0.3), 1),
    ("Fisher", "n = 100, prevalence .1, called .1"): (fisher(100, 0.1, 0.1), 1),
    ("exact binomial", "n = 20, rate .5"): (rate(20, 0.5), 1),
    ("exact binomial", "n = 60, rate 1/3"): (rate(60, 1 / 3), 1),
    ("McNemar against the largest class", "n = 50"): (as_good_as_majority(50), 1),
    ("McNemar against the largest class", "n = 200"): (as_good_as_majority(200), 1),
    ("Mann–Whitney exact", "n = 20"): (ranks(20, 0.5, None), 1),
    ("Mann–Whitney exact", "n = 20, five distinct scores"): (ranks(20, 0.5, 5), 1),
    ("Mann–Whitney exact", "n = 40, prevalence .2, ten scores"): (ranks(40, 0.2, 10), 1),
    ("Mann–Whitney exact", "n = 100, prevalence .1"): (ranks(100, 0.1, None), 1),
    ("Mann–Whitney normal", "n = 300, ten scores"): (ranks_normal(300, 0.3, 10), 1),
    ("permutation, Brier", "n = 20, two decimals"): (linear("brier", 20, 0.5), 1),
    ("permutation, Brier", "n = 50, prevalence .2, two decimals"): (linear("brier", 50, 0.2), 1),
    ("permutation, log score", "n = 20"): (linear("log", 20, 0.5), 1),
    ("permutation, log score", "n = 100, prevalence .1"): (linear("log", 100, 0.1), 1),
    ("permutation, accuracy", "n = 40, 3 classes"): (
        by_association("accuracy", three_classes(40)),
        1,
    ),
    ("permutation, log score", "n = 40, 3 classes"): (
        by_association("log_score", three_classes(40)),
        1,
    ),
    ("permutation, mean squared error", "n = 20, t(3)"): (by_association("mse", numbers(20)), 1),
    ("permutation, Spearman", "n = 30, t(3)"): (by_association("spearman", numbers(30), 99), 0.25),
    ("permutation, concordance", "n = 30, 40 % censored, ties"): (
        by_association("c_index", times(30), 99),
        0.25,
    ),
    ("permutation of clusters, AUC", "12 clusters of 5, constant labels"): (
        by_association("auc", clustered(12, 5, True)),
        1,
    ),
    ("permutation within clusters, AUC", "10 clusters of 8"): (
        by_association("auc", clustered(10, 8, False)),
        1,
    ),
    ("skill, studentised", "n = 50"): (no_skill(50), 1),
    ("skill, studentised", "n = 200"): (no_skill(200), 1),
    ("studentised permutation, AUC = ½", "20 + 20, spread ×2"): (half_area(20, 20, 2.0), 0.25),
}

WARNINGS: dict[tuple[str, str], tuple[Callable[[np.random.Generator], Pair], float]] = {
    ("Mann–Whitney, clusters ignored", "12 clusters of 5, constant labels"): (
        naive(clustered(12, 5, True)),
        1,
    ),
    ("Mann–Whitney", "AUC ½ but spread ×3, 15 + 45"): (
        lambda rng: (
            mann_whitney(
                Binary(
                    np.arange(60) < 15,
                    score=np.concatenate([rng.normal(size=15) * 3, rng.normal(size=45)]),
                )
            ).p_value,
            None,
        ),
        1,
    ),
}


def simulate(
    settings: dict[tuple[str, str], tuple[Callable[[np.random.Generator], Pair], float]],
    replications: int,
) -> Iterator[Cell]:
    """Every setting; costly ones with their share of the replications."""
    for number, ((test, setting), (one, share)) in enumerate(settings.items()):
        count = max(50, int(replications * share))
        found = []
        for r in range(count):
            rng = np.random.default_rng(np.random.SeedSequence(20, spawn_key=(number, r)))
            found.append(one(rng))
        weak = [pair[0] for pair in found]
        strict = None if found[0][1] is None else [float(pair[1]) for pair in found]
        yield rejections(test, setting, weak, strict, number)
