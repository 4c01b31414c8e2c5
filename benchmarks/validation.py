"""Validated values of logistic regression by eight measures, beside a plain loop of refits.

The loop is what one would write with scikit-learn: fit, predict, eight of its point values, again
for each bootstrap sample or fold. Values are first checked to be equal with a solver that stops
late, on the same bootstrap samples and folds; both then use scikit-learn's default tolerance, which
serves the loop.
"""

import sys
from collections.abc import Iterator
from typing import Any

import harness
import numpy as np
from harness import Race, race
from sklearn import metrics
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold

import abovechance as ac
from abovechance.learning.learner_tasks import task_of
from abovechance.resampling import stream

VALUES = {
    "auc": lambda y, p: metrics.roc_auc_score(y, p),
    "brier": lambda y, p: metrics.brier_score_loss(y, p),
    "log_score": lambda y, p: -metrics.log_loss(y, p),
    "accuracy": lambda y, p: metrics.accuracy_score(y, p > 0.5),
    "balanced_accuracy": lambda y, p: metrics.balanced_accuracy_score(y, p > 0.5),
    "sensitivity": lambda y, p: metrics.recall_score(y, p > 0.5),
    "specificity": lambda y, p: metrics.recall_score(y, p > 0.5, pos_label=0),
    "average_precision": lambda y, p: metrics.average_precision_score(y, p),
}
AVERAGED = [name for name in VALUES if name != "average_precision"]  # over folds
SEED, DRAWS, FOLDS, REPEATS = 1, 200, 10, 10


def data(n: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, features))
    return X, (X[:, 0] + rng.normal(size=n) > 0.5).astype(int)


def bootstrap_samples(X: np.ndarray, y: np.ndarray, draws: int) -> list[np.ndarray]:
    """The rows of every bootstrap sample that `validate` draws."""
    task = task_of(LogisticRegression(), X, y, seed=SEED)
    found: list[np.ndarray] = []
    block = 0
    while len(found) < draws:
        counts = task.bootstrap().draw(stream(SEED, block), min(task.block, draws - len(found)))
        found += [np.repeat(np.arange(len(y)), row) for row in counts]
        block += 1
    return found


def plain_optimism(
    estimator: Any, X: np.ndarray, y: np.ndarray, samples: list[np.ndarray]
) -> dict[str, float]:
    """Harrell's correction as a loop."""
    whole = clone(estimator).fit(X, y).predict_proba(X)[:, 1]
    gaps: dict[str, list[float]] = {name: [] for name in VALUES}
    for rows in samples:
        p = clone(estimator).fit(X[rows], y[rows]).predict_proba(X)[:, 1]
        for name, value in VALUES.items():
            gaps[name].append(value(y[rows], p[rows]) - value(y, p))
    return {name: value(y, whole) - np.mean(gaps[name]) for name, value in VALUES.items()}


def plain_folds(estimator: Any, X: np.ndarray, y: np.ndarray, cv: Any) -> dict[str, float]:
    """Means over folds as a loop; no intervals."""
    found: dict[str, list[float]] = {name: [] for name in VALUES}
    for train, test in cv.split(X, y):
        p = clone(estimator).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        for name, value in VALUES.items():
            found[name].append(value(y[test], p))
    return {name: float(np.mean(values)) for name, values in found.items()}


def same(ours: Any, theirs: dict[str, float], names: list[str]) -> None:
    for name in names:
        np.testing.assert_allclose(ours[name].corrected, theirs[name], atol=1e-6, err_msg=name)


def races() -> Iterator[Race]:
    tight, usual = LogisticRegression(tol=1e-10, max_iter=10_000), LogisticRegression()
    for n, features in ((200, 5), (300, 8), (500, 20)):
        X, y = data(n, features)
        asked = {"measures": list(VALUES), "rng": SEED}
        samples = bootstrap_samples(X, y, DRAWS)
        optimism = {"method": "optimism", "draws": DRAWS, **asked}
        same(
            ac.validate(tight, X, y, **optimism),
            plain_optimism(tight, X, y, samples),
            list(VALUES),
        )
        size = f"{n} cases, {features} features"
        yield from race(
            f"optimism, {DRAWS} bootstrap samples, {len(VALUES)} measures, {size}",
            lambda X=X, y=y, optimism=optimism: ac.validate(usual, X, y, **optimism),
            {"plain loop": lambda X=X, y=y, samples=samples: plain_optimism(usual, X, y, samples)},
            agree=None,
            floors={"plain loop": 10.0},
            rounds=3,
        )
        folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=SEED)
        found = ac.validate(tight, X, y, cv=folds, **asked)
        same(found, plain_folds(tight, X, y, folds), AVERAGED)
        yield from race(
            f"{REPEATS} × {FOLDS} folds with intervals, {len(VALUES)} measures, {size}",
            lambda X=X, y=y, asked=asked: ac.validate(usual, X, y, **asked),
            {
                "plain loop, no intervals": lambda X=X, y=y, folds=folds: plain_folds(
                    usual, X, y, folds
                )
            },
            agree=None,
            floors={"plain loop, no intervals": 10.0},
            rounds=3,
        )


if __name__ == "__main__":
    sys.exit(
        harness.main(
            "validation",
            "Validated values against a plain loop of refits",
            races,
            ("scikit-learn",),
            checked="values were checked to be equal to 1e-6 with a solver that stops late before "
            "timing, those of folds for the measures that are averaged over them",
        )
    )
