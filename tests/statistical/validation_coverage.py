"""Whether the intervals that `validate` gives cover what the model is worth on new cases.

Of each simulated sample a model is made, and validated as `validate` does by default. What the
model is worth is known: features are normal, so that what a linear model predicts and what is true
are normal together and its worth is an integral over two numbers; of trees it is seen on new cases,
each counted with both outcomes by their probabilities. `table` has the interval that is shown;
`candidates_table` what was weighed against it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import abovechance as ac
from abovechance.inference.folds import interval_over_folds
from abovechance.inference.influence import influence
from abovechance.inference.validation import CrossValidated, Refitted
from abovechance.learning.learner_tasks import task_of
from abovechance.measures import find
from abovechance.measures.sample import Sample
from statistical.small_learners import BoostedTrees, Cox

NEW = 5_000  # cases on which the worth of trees is seen
REPEATS = 2  # of ten folds; `validate` has 10, which can only steady its value
BLOCK = 50  # replications that are kept together
NOISE = 1.4  # of numbers, as large as the signal
CENSORED = 1.0  # time at which all are censored
LEAST = 10  # cases of a class in a sample, so that there are ten folds
Z = 1.959963984540054
BAR = 0.93
CLASSES = ("auc", "brier", "calibration_slope", "nagelkerke_r2")
MEASURES = {
    "logistic": CLASSES,
    "trees": CLASSES,
    "linear": ("mse", "mae", "linear_calibration_slope", "r2"),
    "Cox": ("c_index",),
}


@dataclass(frozen=True)
class Setting:
    """A learner, so many cases and features, of which ten at most carry signal."""

    learner: str
    n: int
    features: int
    share: float = 1.0  # of the replications, where they take long

    @property
    def measures(self) -> tuple[str, ...]:
        return MEASURES[self.learner]

    def estimator(self) -> Any:
        from sklearn.linear_model import LinearRegression, LogisticRegression

        made = {"logistic": LogisticRegression, "linear": LinearRegression}
        return {**made, "trees": BoostedTrees, "Cox": Cox}[self.learner]()

    def weights(self) -> np.ndarray:
        found = np.zeros(self.features)
        many = min(self.features, 10)
        found[:many] = 1.0 / np.arange(1, many + 1)
        return 1.4 * found / np.sqrt((found**2).sum())

    def sample(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(self.n, self.features))
        centre = X @ self.weights()
        if self.learner == "linear":
            return X, centre + NOISE * rng.normal(size=self.n)
        if self.learner == "Cox":
            time = rng.exponential(size=self.n) / np.exp(centre)
            pairs = np.empty(self.n, dtype=[("event", bool), ("time", float)])
            pairs["event"], pairs["time"] = time < CENSORED, np.minimum(time, CENSORED)
            return X, pairs
        y = (rng.random(self.n) < expit(centre - 0.8)).astype(int)
        return (X, y) if LEAST <= y.sum() <= self.n - LEAST else self.sample(rng)


SHARES = {60: (3, 6, 15, 30), 150: (8, 15, 38, 75), 500: (25, 50, 125, 250)}
SLOW = {("logistic", 250): 0.2, ("trees", 250): 0.1, ("linear", 250): 0.1, ("Cox", 125): 0.1}
"""Of so many features fewer replications: a fit takes ten to forty times as long as others."""

SETTINGS = tuple(
    Setting(learner, n, p, SLOW.get((learner, p), 1.0))
    for learner in ("logistic", "trees", "linear", "Cox")
    for n, many in SHARES.items()
    for p in many
    if learner != "Cox" or p <= n / 4
)


def expit(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


@cache
def normals() -> np.ndarray:
    """Points that fill the plane as two independent normal numbers do."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    return ndtri(np.clip(qmc.Sobol(2, seed=1).random(4096), 1e-6, 1 - 1e-6))


def counted_both_ways(true: np.ndarray, predicted: np.ndarray) -> ac.Binary:
    """Every case with both outcomes, which count as much as they are probable."""
    outcome = np.repeat([1, 0], len(true))
    return ac.Binary(
        outcome, probability=np.tile(predicted, 2), sample_weight=np.r_[true, 1.0 - true]
    )


def worth(setting: Setting, X: np.ndarray, y: np.ndarray, rng: Any) -> dict[str, float]:
    """What the model of a sample is worth on all cases there could be."""
    w, model = setting.weights(), setting.estimator().fit(X, y)
    if setting.learner == "trees":
        new = rng.normal(size=(NEW, setting.features))
        made = counted_both_ways(expit(new @ w - 0.8), model.predict_proba(new)[:, 1])
        return {name: find(name).of(made) for name in setting.measures}
    b = np.ravel(model.coef_)
    start = float(np.ravel(getattr(model, "intercept_", 0.0))[0])
    if setting.learner == "linear":
        off = float(((b - w) ** 2).sum())
        mse = NOISE**2 + off + start**2
        folded = np.sqrt(NOISE**2 + off)  # of an error that is normal about −start
        from scipy.special import ndtr

        mae = folded * np.sqrt(2 / np.pi) * np.exp(-(start**2) / (2 * folded**2))
        mae += start * (1 - 2 * ndtr(-start / folded))
        return {
            "mse": mse,
            "mae": float(mae),
            "linear_calibration_slope": float(b @ w / (b @ b)),
            "r2": float(1 - mse / (NOISE**2 + w @ w)),
        }
    length = np.sqrt(w @ w)
    along = b @ w / length
    across = np.sqrt(max(float(b @ b - along**2), 0.0))
    true = length * normals()[:, 0]
    said = start + along * normals()[:, 0] + across * normals()[:, 1]
    if setting.learner == "logistic":
        made = counted_both_ways(expit(true - 0.8), expit(said))
        return {name: find(name).of(made) for name in setting.measures}
    hazard, said = np.exp(true[:1024]), said[:1024]
    both = hazard[:, None] + hazard
    first = hazard[:, None] / both * (1 - np.exp(-both * CENSORED))  # has its event, and first
    return {"c_index": float((first * (said[:, None] > said)).sum() / first.sum())}


def once(setting: Setting, replication: int, seed: int) -> dict[str, list[Any]]:
    """By measure: worth, corrected value, limits (None where refused) and apparent value."""
    X, y, rng = drawn(setting, replication, seed)
    shown = ac.validate(
        setting.estimator(), X, y, measures=setting.measures, draws=REPEATS, rng=replication
    )
    truth = worth(setting, X, y, rng)
    found = {}
    for name in setting.measures:
        row = shown[name]
        low, high = (None, None) if row.interval is None else (row.interval.low, row.interval.high)
        found[name] = [truth[name], row.corrected, low, high, row.apparent]
    return found


def drawn(setting: Setting, replication: int, seed: int) -> tuple[np.ndarray, np.ndarray, Any]:
    key = np.random.SeedSequence(seed, spawn_key=(setting.n, setting.features, replication))
    rng = np.random.default_rng(key)
    return *setting.sample(rng), rng


def blocks(
    setting: Setting, replications: int, seed: int, store: Path | None
) -> Iterator[dict[str, list[Any]]]:
    """All replications; those of blocks that are in the store are not made again."""
    for start in range(0, replications, BLOCK):
        name = f"{setting.learner}-{setting.n}-{setting.features}-{seed}-{start}.json"
        kept = None if store is None else store / name
        if kept is not None and kept.exists():
            found = json.loads(kept.read_text("utf-8"))
        else:
            some = range(start, min(start + BLOCK, replications))
            found = [once(setting, r, seed) for r in some]
            if kept is not None:
                kept.write_text(json.dumps(found), "utf-8")
        yield from found[: replications - start]


def kept(setting: Setting, replications: int, seed: int, store: Path) -> int:
    """How many replications the store has, from the first on."""
    whole = max(1, round(setting.share * replications))
    for start in range(0, whole, BLOCK):
        name = f"{setting.learner}-{setting.n}-{setting.features}-{seed}-{start}.json"
        if not (store / name).exists():
            return start
    return whole


def cells(
    setting: Setting,
    replications: int,
    seed: int = 4,
    store: Path | None = None,
    *,
    made: bool = False,
) -> Iterator[dict[str, Any]]:
    """Coverage of the interval of every measure, and how far values are from the truth.

    With `made`, of those replications alone that the store has.
    """
    many = max(1, round(setting.share * replications))
    if made and store is not None:
        many = kept(setting, replications, seed, store)
    found = list(blocks(setting, many, seed, store))
    for name in setting.measures:
        rows = np.array([one[name] for one in found], dtype=np.float64)  # None is nan
        truth, value, low, high, apparent = rows.T
        given = np.isfinite(low)
        inside = (low <= truth) & (truth <= high)
        yield {
            "measure": name,
            "replications": many,
            "worth": truth.mean(),
            "apparent": apparent.mean(),
            "corrected": value.mean(),
            "given": given.mean(),
            "covers": inside[given].mean() if given.any() else np.nan,
            "width": (high - low)[given].mean() if given.any() else np.nan,
        }


def table(
    replications: int, command: str, store: Path | None = None, seed: int = 4, *, made: bool = False
) -> str:
    """The interval that is shown, in every setting."""
    errors = [np.sqrt(0.95 * 0.05 / many) for many in (100, 300, 1000)]
    lines = [
        "# Coverage of intervals of validated values",
        "",
        f"Made by `{command}`; `samples` says how many were drawn of each setting: standard errors "
        f"at .95 are {errors[0]:.3f}, {errors[1]:.3f} and {errors[2]:.3f} with 100, 300 and 1 000 "
        "of them. The interval is what `validate` shows by default "
        f"({REPEATS} repeats of ten folds in place of 10). Ten features at most carry signal; a "
        "third of the cases are positive; of survival the C-index. `worth`: of the model trained "
        "on the sample, known for all cases there could be; mean over samples, beside apparent and "
        "corrected values. `given`: share of samples in which the interval is not refused; "
        "`covers`: of these, how often it holds the worth of the sample's own model. Trees: 20 of "
        "four leaves, boosted at a rate of 0.2.",
        "",
        "| learner | cases | features | measure | samples | worth | apparent | corrected | given | "
        "covers | width |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        for cell in cells(setting, replications, seed, store, made=made):
            figures = " | ".join(
                f"{cell[name]:.3f}" if np.isfinite(cell[name]) else ""
                for name in ("worth", "apparent", "corrected", "given", "covers", "width")
            )
            lines.append(
                f"| {setting.learner} | {setting.n} | {setting.features} | {cell['measure']} | "
                f"{cell['replications']} | {figures} |"
            )
    return "\n".join(lines) + "\n"


# What was weighed against it.

WAYS = (
    "shown",  # by cases, what validate gives
    "alone",  # by cases, as if folds were independent
    "folds",  # Nadeau and Bengio's over folds
    "shifted",  # the apparent value's percentiles, less the optimism (Noma et al. 2021)
    "spread",  # of the optimism from sample to sample, about the value that it corrects
)
COMPARED = (
    Setting("logistic", 60, 15),
    Setting("logistic", 150, 8),
    Setting("logistic", 150, 38),
    Setting("trees", 150, 8),
    Setting("linear", 150, 38),
)
DRAWS = 60


def candidates(setting: Setting, replication: int, seed: int) -> dict[str, Any]:
    """By measure: worth, the two corrected values, and every candidate's limits."""
    X, y, rng = drawn(setting, replication, seed)
    task = task_of(setting.estimator(), X, y)
    measures = tuple(find(name) for name in setting.measures)
    shown = ac.validate(
        setting.estimator(), X, y, measures=setting.measures, draws=REPEATS, rng=replication
    )
    draws = Refitted(task, measures, None)(rng, DRAWS)
    parts = CrossValidated(task, 10)(rng, REPEATS)
    apart = parts["fold"] + 10 * np.arange(REPEATS)[:, None]
    predicted = parts["predicted"].reshape(-1, *parts["predicted"].shape[2:])
    kind = "value" if setting.learner == "linear" else "probability"
    pooled = task.pooled(kind, apart.ravel(), parts["row"].ravel(), predicted)
    truth = worth(setting, X, y, rng)
    found: dict[str, Any] = {}
    for m in measures:
        row, made = shown[m.label], {}
        if row.interval is not None:
            made["shown"] = (row.interval.low, row.interval.high)
        once_each = pooled.take(pooled.cases.repeat == 1)
        error = np.sqrt((influence(m, Sample.of(once_each)) ** 2).sum())
        made["alone"] = (row.corrected - Z * error, row.corrected + Z * error)
        try:
            given = interval_over_folds(m, pooled).interval
        except ac.errors.NotApplicable:
            given = None
        if given is not None:
            made["folds"] = (given.low, given.high)
        inside, gaps = draws[f"inside {m.label}"], np.array([np.nan])
        with np.errstate(invalid="ignore"):
            gaps = inside - draws[f"all {m.label}"]
        centre = row.apparent - float(gaps.mean())
        if np.isfinite(gaps).all():
            low, high = np.quantile(inside, [0.025, 0.975]) - gaps.mean()
            made["shifted"] = (low, high)
            made["spread"] = (centre - Z * gaps.std(ddof=1), centre + Z * gaps.std(ddof=1))
        found[m.label] = {"worth": truth[m.label], "cv": row.corrected, "optimism": centre, **made}
    return found


def candidates_table(replications: int, command: str, seed: int = 3) -> str:
    """Every candidate in a few settings: bias of the two corrections, and coverage."""
    lines = [
        "# Candidates for the intervals of validated values",
        "",
        f"Made by `{command}`: {replications} samples, standard error at .95 "
        f"{np.sqrt(0.95 * 0.05 / replications):.3f}. `cv` and `optimism`: mean distance from the "
        f"model's worth of values that {REPEATS} repeats of ten folds, and {DRAWS} bootstrap "
        "samples, correct. Then coverage and, in brackets, width of intervals: `shown` by "
        "`validate`; `alone`, the same as if folds were independent; `folds`, Nadeau and Bengio's; "
        "`shifted`, percentiles of the apparent value less the optimism (Noma et al. 2021); "
        "`spread` of the optimism. Of samples in which there is one.",
        "",
        f"| learner | cases | features | measure | cv | optimism | {' | '.join(WAYS)} |",
        f"|---|---|---|---|---|---|{'---|' * len(WAYS)}",
    ]
    for setting in COMPARED:
        found = [candidates(setting, r, seed) for r in range(replications)]
        for name in setting.measures:
            rows = [one[name] for one in found]
            truth = np.array([row["worth"] for row in rows])
            off = [np.mean([row[key] - row["worth"] for row in rows]) for key in ("cv", "optimism")]
            shown = [f"{x:+.3f}" if np.isfinite(x) else "infinite" for x in off]
            for way in WAYS:
                have = np.array([way in row for row in rows])
                if not have.any():
                    shown.append("")
                    continue
                low, high = np.array([row[way] for row in rows if way in row]).T
                covers = ((low <= truth[have]) & (truth[have] <= high)).mean()
                shown.append(f"{covers:.3f} ({np.mean(high - low):.3f})")
            lines.append(
                f"| {setting.learner} | {setting.n} | {setting.features} | {name} | "
                f"{' | '.join(shown)} |"
            )
    return "\n".join(lines) + "\n"
