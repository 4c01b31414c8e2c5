"""Resampling: label permutations of four families, sign flips, the bootstrap of twelve measures.

Compiled loops are loaded beforehand, as they are after the first large job of a process. Random
results are equal in distribution: their p-values, or means and spreads, agree within chance.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import harness
import numpy as np
from harness import Race, race
from scipy import stats
from sklearn import metrics
from sklearn.utils import resample

from abovechance.numerics.exact import label_sum_tail
from abovechance.numerics.kernels import draw_loops
from abovechance.resampling import (
    Bootstrap,
    LabelPermutations,
    Settings,
    SignFlips,
    Sorted,
    binary_bootstrap,
    flip_sums,
    label_sums,
    p_values,
    replicate_blocks,
    tail,
)

LOADED = draw_loops  # before the first race, so that loading is not timed
DRAWS = 10_000
REPLICATES = 1_000


def predictions(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes with a prevalence of 0.3 and probabilities that say a little about them."""
    y = np.arange(n) < 3 * n // 10
    p = 1 / (1 + np.exp(-rng.normal(1.0 * y / np.sqrt(n / 20) - 0.3)))
    order = rng.permutation(n)
    return y[order], p[order]


def label_scores(p: np.ndarray) -> np.ndarray:
    """Accuracy, area under the curve, Brier score, log score: sums over the positives."""
    return np.stack([p > 0.5, stats.rankdata(p), p, np.log(p / (1 - p))]).astype(np.float64)


def close_p_values(ours: np.ndarray, theirs: np.ndarray) -> None:
    noise = np.sqrt(2 * np.maximum(ours * (1 - ours), 1e-4) / DRAWS)
    assert np.all(abs(ours - theirs) < 5 * noise), (ours, theirs)


def near_p_values(ours: np.ndarray, theirs: np.ndarray) -> None:
    """An approximation beside drawn p-values: within chance and five per cent."""
    noise = np.sqrt(np.maximum(theirs * (1 - theirs), 1e-4) / DRAWS)
    assert np.all(abs(ours - theirs) < 4 * noise + 0.05 * theirs), (ours, theirs)


def permuted(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    work = partial(label_sums, scores, LabelPermutations(y))
    return p_values(scores @ y, replicate_blocks(work, Settings(draws=DRAWS)))


def permuted_by_scipy(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    def first_sum(first: np.ndarray, _: np.ndarray, axis: int) -> np.ndarray:
        return first.sum(axis=axis)

    tests = [
        stats.permutation_test(
            (score[y], score[~y]),
            first_sum,
            vectorized=True,
            n_resamples=DRAWS,
            batch=max(1, 10**7 // y.size),
            alternative="greater",
            rng=1,
        )
        for score in scores
    ]
    return np.array([test.pvalue for test in tests])


def permuted_by_hand(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Labels shuffled in batches and multiplied with all scores at once."""
    rng, null = np.random.default_rng(1), []
    rows = max(1, 10**6 // y.size)
    for start in range(0, DRAWS, rows):
        labels = np.tile(y.astype(np.float64), (min(rows, DRAWS - start), 1))
        null.append(rng.permuted(labels, axis=1) @ scores.T)
    return p_values(scores @ y, np.concatenate(null))


def permuted_by_scikit_learn(y: np.ndarray, p: np.ndarray, draws: int) -> np.ndarray:
    """Four measures of every permuted labelling, as a loop over scikit-learn's functions."""
    rng, yhat = np.random.default_rng(1), p > 0.5
    null = []
    for _ in range(draws):
        labels = rng.permutation(y)
        null.append(
            [
                metrics.accuracy_score(labels, yhat),
                metrics.roc_auc_score(labels, p),
                metrics.brier_score_loss(labels, p),
                metrics.log_loss(labels, p),
            ]
        )
    return np.array(null)


def null_of_measures(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The same four measures from sums over the positives."""
    work = partial(label_sums, scores, LabelPermutations(y))
    labelled, ranks, probability, logit = replicate_blocks(work, Settings(draws=DRAWS)).T
    n, m, p = y.size, y.sum(), scores[2]
    return np.column_stack(
        [
            (2 * labelled + n - m - scores[0].sum()) / n,
            (ranks - m * (m + 1) / 2) / (m * (n - m)),
            (np.square(p).sum() + m - 2 * probability) / n,
            -(np.log1p(-p).sum() + logit) / n,
        ]
    )


def same_columns(ours: np.ndarray, theirs: np.ndarray) -> None:
    spread = ours.std(axis=0)
    assert np.all(abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 5 * spread / np.sqrt(len(theirs)))


def approximated(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Saddlepoint p-values of the Brier score and the log score."""
    positives = int(y.sum())
    return np.array([label_sum_tail(s, positives, float(s @ y)) for s in scores[2:]])


def permutations(rng: np.random.Generator) -> Iterator[Race]:
    for n, floor, rounds in ((100, None, 5), (1_000, 120, 5), (10_000, 120, 2)):
        y, p = predictions(n, rng)
        scores = label_scores(p)
        yield from race(
            f"1e4 label permutations, 4 families, n = {n:.0e}",
            partial(permuted, y, scores),
            {
                "scipy, vectorised": partial(permuted_by_scipy, y, scores),
                "numpy by hand": partial(permuted_by_hand, y, scores),
            },
            agree=close_p_values,
            floors={} if floor is None else {"scipy, vectorised": floor},
            rounds=rounds,
        )
        (found,) = race(
            f"1e4 label permutations, 4 families, n = {n:.0e}",
            partial(null_of_measures, y, scores),
            {"scikit-learn loop": partial(permuted_by_scikit_learn, y, p, 10)},
            agree=same_columns,
            rounds=3,
        )
        yield _scaled(found, 10, DRAWS, 2_000)
        yield from race(
            f"p of Brier and log score, n = {n:.0e}",
            partial(approximated, y, scores),
            {"our permutations": partial(permuted, y, scores)},
            agree=lambda ours, theirs: near_p_values(ours, theirs[2:]),
        )


def flipped(d: np.ndarray) -> float:
    work = partial(flip_sums, d, SignFlips(d.size))
    null = replicate_blocks(work, Settings(draws=DRAWS))[:, 0]
    return tail(float(d.sum()), null, alternative="two-sided", center=0.0).p_value


def flipped_by_scipy(d: np.ndarray) -> float:
    return stats.permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=DRAWS,
        batch=max(1, 10**6 // d.size),
        rng=1,
    ).pvalue


def flipped_by_hand(d: np.ndarray) -> float:
    rng, null = np.random.default_rng(1), []
    rows = max(1, 10**6 // d.size)
    for start in range(0, DRAWS, rows):
        signs = rng.integers(0, 2, (min(rows, DRAWS - start), d.size), dtype=np.int8)
        null.append((2.0 * signs - 1.0) @ d)
    return tail(float(d.sum()), np.concatenate(null), alternative="two-sided", center=0.0).p_value


def sign_flips(rng: np.random.Generator) -> Iterator[Race]:
    for n, floor, rounds in ((1_000, None, 3), (10_000, 500, 1)):
        d = rng.normal(1.3 / np.sqrt(n), size=n)
        yield from race(
            f"1e4 sign flips, n = {n:.0e}",
            partial(flipped, d),
            {
                "scipy": partial(flipped_by_scipy, d),
                "numpy by hand": partial(flipped_by_hand, d),
            },
            agree=lambda ours, theirs: close_p_values(np.array(ours), np.array(theirs)),
            floors={} if floor is None else {"scipy": floor, "numpy by hand": 35},
            rounds=rounds,
        )


def sorted_cases(y: np.ndarray, p: np.ndarray) -> Sorted:
    order = np.argsort(p)
    y, p = y[order], p[order]
    group = np.cumsum(np.diff(p, prepend=p[0]) != 0)
    losses = np.stack([(y - p) ** 2, -np.log(np.where(y, p, 1 - p))])
    return Sorted(y, group, int(np.searchsorted(p, 0.5, side="right")), losses)


def twelve(y: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """Twelve measures of a thousand bootstrap samples, from sorting on."""
    work = partial(binary_bootstrap, sorted_cases(y, p), Bootstrap(y.size))
    drawn: Any = replicate_blocks(work, Settings(draws=REPLICATES))
    tp, fp, positives, negatives = (drawn[k] for k in ("tp", "fp", "positives", "negatives"))
    tn, n = negatives - fp, positives + negatives
    sensitivity, specificity = tp / positives, tn / negatives
    agreement = (tp + tn) / n
    expected = ((tp + fp) * positives + (n - tp - fp) * negatives) / n**2
    return {
        "accuracy": agreement,
        "balanced_accuracy": (sensitivity + specificity) / 2,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "ppv": tp / (tp + fp),
        "npv": tn / (n - tp - fp),
        "f1": 2 * tp / (tp + fp + positives),
        "mcc": (tp * negatives - fp * positives)
        / np.sqrt(1.0 * (tp + fp) * positives * negatives * (n - tp - fp)),
        "kappa": (agreement - expected) / (1 - expected),
        "auc": drawn["doubled_u"] / (2 * positives * negatives),
        "brier": drawn["losses"][:, 0] / n,
        "log_loss": drawn["losses"][:, 1] / n,
    }


SCIKIT_LEARN: dict[str, Callable[..., float]] = {
    "accuracy": lambda y, p, yhat: metrics.accuracy_score(y, yhat),
    "balanced_accuracy": lambda y, p, yhat: metrics.balanced_accuracy_score(y, yhat),
    "sensitivity": lambda y, p, yhat: metrics.recall_score(y, yhat),
    "specificity": lambda y, p, yhat: metrics.recall_score(y, yhat, pos_label=0),
    "ppv": lambda y, p, yhat: metrics.precision_score(y, yhat),
    "npv": lambda y, p, yhat: metrics.precision_score(y, yhat, pos_label=0),
    "f1": lambda y, p, yhat: metrics.f1_score(y, yhat),
    "mcc": lambda y, p, yhat: metrics.matthews_corrcoef(y, yhat),
    "kappa": lambda y, p, yhat: metrics.cohen_kappa_score(y, yhat),
    "auc": lambda y, p, yhat: metrics.roc_auc_score(y, p),
    "brier": lambda y, p, yhat: metrics.brier_score_loss(y, p),
    "log_loss": lambda y, p, yhat: metrics.log_loss(y, p),
}


def twelve_by_scikit_learn(y: np.ndarray, p: np.ndarray, samples: int) -> dict[str, np.ndarray]:
    random = np.random.RandomState(1)
    found: dict[str, list[float]] = {name: [] for name in SCIKIT_LEARN}
    for _ in range(samples):
        drawn_y, drawn_p = resample(y, p, random_state=random)
        for name, measure in SCIKIT_LEARN.items():
            found[name].append(measure(drawn_y, drawn_p, drawn_p > 0.5))
    return {name: np.array(values) for name, values in found.items()}


def auc_by_scipy(y: np.ndarray, p: np.ndarray, samples: int) -> dict[str, np.ndarray]:
    """scipy.stats.bootstrap of the area alone, by scikit-learn's function."""
    result = stats.bootstrap(
        (y, p),
        metrics.roc_auc_score,
        paired=True,
        vectorized=False,
        n_resamples=samples,
        method="percentile",
        rng=1,
    )
    return {"auc": result.bootstrap_distribution}


def auc_by_ranks(y: np.ndarray, p: np.ndarray, samples: int) -> dict[str, np.ndarray]:
    """The same from ranks of many samples at once, written for this race."""

    def auc(y: np.ndarray, p: np.ndarray, axis: int) -> np.ndarray:
        positives = y.sum(axis=axis)
        ranks = (stats.rankdata(p, axis=axis) * y).sum(axis=axis)
        negatives = y.shape[axis] - positives
        return (ranks - positives * (positives + 1) / 2) / (positives * negatives)

    result = stats.bootstrap(
        (y, p),
        auc,
        paired=True,
        vectorized=True,
        n_resamples=samples,
        batch=max(1, 10**6 // y.size),
        method="percentile",
        rng=1,
    )
    return {"auc": result.bootstrap_distribution}


def same_distribution(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    for name, values in theirs.items():
        spread = ours[name].std()
        assert abs(values.mean() - ours[name].mean()) < 5 * spread / np.sqrt(values.size), name
        if values.size >= 100:
            np.testing.assert_allclose(values.std(), spread, rtol=0.3, err_msg=name)


def bootstraps(rng: np.random.Generator) -> Iterator[Race]:
    for n, floor, samples, rounds in (
        (1_000, None, (10, 200, 1000), 5),
        (10_000, 150, (5, 100, 200), 5),
        (100_000, 80, (2, 10, 20), 3),
    ):
        y, p = predictions(n, rng)
        peers = (
            ("scikit-learn loop", twelve_by_scikit_learn, 500),
            ("scipy.stats.bootstrap of roc_auc_score only", auc_by_scipy, floor),
            ("scipy.stats.bootstrap of AUC from ranks only", auc_by_ranks, None),
        )
        for (name, peer, least), size in zip(peers, samples, strict=True):
            (found,) = race(
                f"bootstrap of 12 measures, B = 1000, n = {n:.0e}",
                partial(twelve, y, p),
                {name: partial(peer, y, p, size)},
                agree=same_distribution,
                rounds=rounds,
            )
            yield _scaled(found, size, REPLICATES, least)


def _scaled(found: Race, done: int, wanted: int, floor: float | None) -> Race:
    """A race in which the peer did only a part of the work."""
    times = wanted / done
    return replace(
        found,
        peer=found.peer if times == 1 else f"{found.peer} ({done} × {times:.0f})",
        theirs=times * found.theirs,
        ratio=times * found.ratio,
        floor=floor,
    )


def races() -> Iterator[Race]:
    rng = np.random.default_rng(20260101)
    yield from permutations(rng)
    yield from sign_flips(rng)
    yield from bootstraps(rng)


if __name__ == "__main__":
    sys.exit(harness.main("resampling", __doc__.splitlines()[0], races, ("scipy", "scikit-learn")))
