"""Whether intervals of validated values cover what a model is worth on new cases.

Of each simulated sample a model is made; what it is worth is seen on many new cases. Candidates
stand side by side: the interval that `validate` gives after "optimism" (with how often it refuses),
the location-shifted bootstrap of Noma et al. (2021), that of Nadeau and Bengio after "repeated_cv",
and the nested cross-validation of Bates, Hastie and Tibshirani (2024), of mean losses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from abovechance.inference.folds import interval_over_folds
from abovechance.inference.validation import CrossValidated, Refitted, validate
from abovechance.learning.parts import task_of
from abovechance.measures import find
from abovechance.measures.evaluation import losses

NEW = 10_000  # cases on which a model's worth is seen
DRAWS = 200
FOLDS, REPEATS = 10, 5
NESTED_FOLDS, NESTED_REPEATS = 5, 4
Z = 1.959963984540054
CLASSES = (
    "auc",
    "brier",
    "log_score",
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "calibration_slope",
    "nagelkerke_r2",
)
OVER_FOLDS = ("auc", "brier", "log_score", "balanced_accuracy", "mse", "mae")
NUMBERS = ("mse", "mae", "linear_calibration_slope", "r2")


@dataclass(frozen=True)
class Setting:
    """A learner, so many cases and features, of which ten at most carry signal."""

    learner: str
    n: int
    features: int

    @property
    def numeric(self) -> bool:
        return self.learner == "linear"

    @property
    def measures(self) -> tuple[str, ...]:
        return NUMBERS if self.numeric else CLASSES

    def estimator(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LinearRegression, LogisticRegression

        if self.learner == "boosting":
            return HistGradientBoostingClassifier(max_iter=50, random_state=0)
        return LinearRegression() if self.numeric else LogisticRegression()

    def weights(self) -> np.ndarray:
        found = np.zeros(self.features)
        many = min(self.features, 10)
        found[:many] = 1.0 / np.arange(1, many + 1)
        return 1.4 * found / np.sqrt((found**2).sum())

    def sample(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, self.features))
        centre = X @ self.weights()
        if self.numeric:
            return X, centre + 1.4 * rng.normal(size=n)
        return X, (rng.random(n) < 1.0 / (1.0 + np.exp(0.8 - centre))).astype(int)


SETTINGS = (
    Setting("logistic", 60, 3),
    Setting("logistic", 60, 15),
    Setting("logistic", 60, 30),
    Setting("logistic", 150, 8),
    Setting("logistic", 150, 15),
    Setting("logistic", 150, 38),
    Setting("logistic", 500, 25),
    Setting("linear", 150, 8),
    Setting("linear", 150, 38),
)
LARGE = tuple(Setting("logistic", n, p) for n, p in ((150, 75), (500, 50), (500, 125), (500, 250)))
"""Slower than all the others together: asked for by `--large`."""

BOOSTED = tuple(Setting("boosting", n, p) for n, p in ((60, 3), (150, 8), (500, 25)))
"""Far slower: asked for by `--boosting`."""


@cache
def new_cases(setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    return setting.sample(np.random.default_rng([7, setting.n, setting.features]), NEW)


def judged(setting: Setting, estimator: Any, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """What the model of a sample is worth on new cases, by the fit that `validate` makes."""
    Z_, outcome = new_cases(setting)
    task = task_of(estimator, np.vstack([X, Z_]), np.concatenate([y, outcome]))
    train = np.r_[np.ones(len(y), dtype=int), np.zeros(NEW, dtype=int)]
    made = task.fits(train[None]).predictions(0, train == 0)
    return {name: find(name).of(made) for name in setting.measures}


def candidates(setting: Setting, replication: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The worth of one sample's model, and every candidate's interval of every measure."""
    key = np.random.SeedSequence(11, spawn_key=(setting.n, setting.features, replication))
    rng = np.random.default_rng(key)
    X, y = setting.sample(rng, setting.n)
    while not setting.numeric and min(y.sum(), len(y) - y.sum()) < FOLDS:
        X, y = setting.sample(rng, setting.n)
    estimator = setting.estimator()
    measures = tuple(find(name) for name in setting.measures)
    task = task_of(estimator, X, y)
    found: dict[str, Any] = {}
    shown = validate(estimator, X, y, measures=setting.measures, draws=DRAWS, rng=replication)
    draws = Refitted(task, measures, None)(rng, DRAWS)
    for name in setting.measures:
        row = shown[name]
        given = row.interval
        found["optimism", name] = None if given is None else (given.low, given.high)
        inside, among = draws[f"inside {name}"], draws[f"all {name}"]
        if np.isfinite(inside).all() and np.isfinite(among).all():
            low, high = np.quantile(inside, [0.025, 0.975]) - (inside - among).mean()
            found["shifted", name] = (low, high)
    parts = CrossValidated(task, FOLDS)(rng, REPEATS)
    apart = parts["fold"] + FOLDS * np.arange(REPEATS)[:, None]
    predicted = parts["predicted"].reshape(-1, *parts["predicted"].shape[2:])
    kind = "value" if setting.numeric else "probability"
    pooled = task.pooled(kind, apart.ravel(), parts["row"].ravel(), predicted)
    for m in (m for m in measures if m.label in OVER_FOLDS):
        try:
            given = interval_over_folds(m, pooled).interval
        except ValueError:
            continue
        if given is not None:
            found["folds", m.label] = (given.low, given.high)
    for m in measures:
        if m.decomposable and m.after is None and task.known is not None:
            found["nested", m.label] = nested(task, m, rng)
    return judged(setting, estimator, X, y), found


def nested(task: Any, measure: Any, rng: np.random.Generator) -> tuple[float, float]:
    """Nested cross-validation of a mean loss (Bates, Hastie & Tibshirani 2024, algorithm 1)."""
    K, n = NESTED_FOLDS, task.n
    squares, variances, inner, outer = [], [], [], []
    for _ in range(NESTED_REPEATS):
        fold = np.empty(n, dtype=int)
        strata = np.zeros(n, dtype=int) if task.code is None else task.code
        start = 0
        for k in np.unique(strata):
            some = rng.permutation(np.flatnonzero(strata == k))
            fold[some] = (start + np.arange(len(some))) % K
            start += len(some)
        pairs = [(k, j) for k in range(K) for j in range(K)]  # (k, k): all but fold k
        train = np.array([(fold != k) & (fold != j) for k, j in pairs]).astype(int)
        fits = task.fits(train)
        loss = np.array([losses(measure, fits.predictions(f)) for f in range(len(pairs))])
        loss = loss.reshape(K, K, n)
        whole = np.empty(n)
        for k in range(K):
            held = loss[k, k, fold == k]
            within = np.concatenate([loss[k, j, fold == j] for j in range(K) if j != k])
            squares.append((within.mean() - held.mean()) ** 2)
            variances.append(held.var(ddof=1) / len(held))
            inner.append(within.mean())
            whole[fold == k] = held
        outer.append(whole)
    plain = np.mean(outer, axis=0).std(ddof=1) / np.sqrt(n)
    error = np.sqrt(max(0.0, (K - 1) / K * (np.mean(squares) - np.mean(variances))))
    error = min(max(error, plain), plain * np.sqrt(K))
    bias = (1 + (K - 2) / K) * (np.mean(inner) - np.mean(outer))
    centre = float(np.mean(inner) - bias)
    return centre - Z * error, centre + Z * error


def cells(setting: Setting, replications: int) -> Iterator[dict[str, Any]]:
    """Coverage of every candidate and measure: of the model, and of the algorithm on average."""
    worth, found = zip(*(candidates(setting, r) for r in range(replications)), strict=True)
    for way in ("optimism", "shifted", "folds", "nested"):
        for name in setting.measures:
            given = [one.get((way, name)) for one in found]
            have = [k for k, one in enumerate(given) if one is not None]
            if not have:
                continue
            low, high = np.array([given[k] for k in have]).T
            truth = np.array([worth[k][name] for k in have])
            mean = float(np.mean([one[name] for one in worth]))
            yield {
                "setting": setting,
                "way": way,
                "measure": name,
                "model": float(((low <= truth) & (truth <= high)).mean()),
                "algorithm": float(((low <= mean) & (mean <= high)).mean()),
                "width": float(np.mean(high - low)),
                "given": len(have) / replications,
            }


def table(replications: int, command: str, further: tuple[Setting, ...] = ()) -> str:
    """The committed table, and further settings."""
    lines = [
        "# Coverage of intervals of validated values",
        "",
        f"Made by `{command}`: {replications} replications, standard "
        f"error at .95 {np.sqrt(0.95 * 0.05 / replications):.3f}. Ten features "
        "at most carry signal; a third of the cases are positive. `optimism` is what `validate` "
        f"shows (spread of the optimism, {DRAWS} draws), `given` how often it does not refuse; "
        "`shifted` the location-shifted "
        f"bootstrap of Noma et al. (2021), `folds` Nadeau–Bengio over {REPEATS} × {FOLDS} folds, "
        f"`nested` the nested cross-validation of Bates et al. (2024), {NESTED_REPEATS} × "
        f"{NESTED_FOLDS} folds. `model`: covers the worth of the model trained on the sample, on "
        f"{NEW} new cases; `algorithm`: the mean of that over samples.",
        "",
        "| learner | cases | features | measure | interval | given | model | algorithm | width |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in (*SETTINGS, *further):
        for cell in cells(setting, replications):
            lines.append(
                f"| {setting.learner} | {setting.n} | {setting.features} | "
                f"{cell['measure']} | {cell['way']} | "
                f"{cell['given']:.2f} | {cell['model']:.3f} | {cell['algorithm']:.3f} | "
                f"{cell['width']:.3f} |"
            )
    return "\n".join(lines) + "\n"
