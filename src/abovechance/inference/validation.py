"""How good will it be on the next cases? `validate`: a model judged by refits to parts of its data.

All methods are views of the same thing, fits to some of the cases judged on others
(`learning/learner_tasks.py`); every measure comes from the same fits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.inference.folds import (
    averages,
    interval_over_cases,
    mean_over_folds,
)
from abovechance.inference.results import Interval, Result
from abovechance.learning.from_sklearn import seeded_splitter
from abovechance.learning.learner_tasks import (
    Task,
    learner_words,
    measures_for,
    split_parts,
    task_of,
)
from abovechance.measures import Measure, find
from abovechance.measures.chance_levels import level as mean_of_defined
from abovechance.measures.chance_levels import shuffled
from abovechance.measures.measure import Calibration
from abovechance.measures.sample import Sample, evaluate
from abovechance.predictions import Predictions
from abovechance.predictions.checks import aligned
from abovechance.resampling import replicate_blocks
from abovechance.resampling.draws import members
from abovechance.settings import Settings, one_of, settled, whole_number

METHODS: tuple[str, ...] = ("optimism", ".632", ".632+", "cv", "repeated_cv", "bootstrap_cv")
BOOTSTRAPPED = ("optimism", ".632", ".632+")
DRAWS = {
    "optimism": 200,
    ".632": 200,
    ".632+": 200,
    "cv": 1,
    "repeated_cv": 10,
    "bootstrap_cv": 50,
}
"""Bootstrap samples, or repeats of the cross-validation, unless stated."""

SHUFFLES = 200  # orders of the outcomes, where the level of chance has no closed form
GRID = 21  # places of the calibration curve
ROWS = 8  # curves drawn at a time
SINGULAR = 1e-9  # of the spread: below it a line has no slope
SPAN = 0.75  # share of the cases in a neighbourhood of it
LEAST_SHARE = 0.5  # of the draws in which a measure must be defined to have a value
MODEL = "the model trained on these data"


# ----------------------------------------------------------------------------------------------
# What is found out of each draw.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Refitted:
    """Measures of models fitted to bootstrap samples, as work for blocks.

    Each model is judged on its own sample ("inside"), on all cases ("all") and on the cases that
    its sample left out ("outside"). Of the calibration curve that `smoother` draws, how much higher
    it lies inside than among all cases.
    """

    task: Task
    measures: tuple[Measure, ...]
    smoother: "LocalLine | None"

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        train = self.task.bootstrap().draw(rng, size)
        fits = self.task.fits(train)
        parts = (("inside", train), ("all", None), ("outside", train == 0))
        found = {
            f"{part} {label}": values
            for part, judged in parts
            for label, values in fits.values(self.measures, judged).items()
        }
        if self.smoother is not None:
            predicted, outcome = calibration_columns(fits.sample)
            found["curve"] = self.smoother.optimism(outcome, predicted, train.astype(np.float64))
        return found


def calibration_columns(sample: Sample) -> tuple[Floats, Floats]:
    """Predictions (…, n) and outcomes (n,) of a calibration curve, of one output."""
    name = "probability" if sample.kind == "binary" else "value"
    predicted = np.asarray(sample.column(name), dtype=np.float64)
    predicted = predicted if sample.kind == "binary" else predicted[..., 0, :]
    return predicted, np.asarray(sample.outcome, dtype=np.float64).reshape(-1)


@dataclass(frozen=True, eq=False)
class LocalLine:
    """The mean outcome about places of the prediction, by local lines with Cleveland's weights.

    A neighbourhood reaches as far as the nearest three quarters of the cases do in the model
    itself; it is the same for all refits, so that they differ by what they predict alone.

    References
    ----------
    Cleveland (1979), without the steps that guard against outliers.
    """

    places: Floats
    reach: Floats

    @classmethod
    def over(cls, predicted: Floats) -> "LocalLine | None":
        """Places over the middle nine tenths of what is predicted; None where all is the same."""
        low, high = np.quantile(predicted, [0.05, 0.95])
        if not high > low:
            return None
        places = np.linspace(low, high, GRID)
        distance = np.sort(np.abs(predicted - places[:, None]), axis=1)
        near = distance[:, min(len(predicted), int(np.ceil(SPAN * len(predicted)))) - 1]
        return cls(places, np.maximum(near, (high - low) / GRID))

    def __call__(self, outcome: Floats, predicted: Floats) -> Floats:
        """The curve at its places (B, G) of predictions (B, n); nan where no case is near."""
        return _lines(outcome, *self._near(predicted))

    def optimism(self, outcome: Floats, predicted: Floats, weight: Floats) -> Floats:
        """How much higher the curve (B, G) lies among cases that count `weight` (B, n)."""
        found = np.empty((len(predicted), len(self.places)))
        for start in range(
            0, len(predicted), ROWS
        ):  # few at a time, so that they stay in the cache
            some = slice(start, start + ROWS)
            near, apart = self._near(predicted[some])
            inside = _lines(outcome, near * weight[some, None, :], apart)
            found[some] = inside - _lines(outcome, near, apart)
        return found

    def _near(self, predicted: Floats) -> tuple[Floats, Floats]:
        """What each case counts at each place (B, G, n), and how far it is from it."""
        apart = predicted[:, None, :] - self.places[:, None]
        share = np.abs(apart) / self.reach[:, None]
        near = np.clip(1.0 - share * share * share, 0.0, None)
        return near * near * near, apart  # a power is several times slower


def _lines(outcome: Floats, near: Floats, apart: Floats) -> Floats:
    """The heights at 0 of lines through outcomes that lie `apart`, by weighted least squares."""
    once = near * apart
    s0, s1, s2 = near.sum(axis=-1), once.sum(axis=-1), np.einsum("...i,...i->...", once, apart)
    t0, t1 = near @ outcome, once @ outcome
    spread = s0 * s2 - s1 * s1
    line = spread > SINGULAR * s0 * s2  # else all that is near lies at one place
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(line, (s2 * t0 - s1 * t1) / np.where(line, spread, 1.0), t0 / s0)


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """Predictions for the cases of every fold of every pass of a cross-validation.

    Where there are several passes, `again`, a splitter that shuffles does so anew for each.
    """

    task: Task
    cv: Any
    again: bool = True

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        passes = []
        for _ in range(size):
            cv = reshuffled(self.cv, rng) if self.again else self.cv
            splitter = self.task.splitter(cv, int(rng.integers(2**31)))
            train, judged = split_parts(
                splitter, self.task.X, to_split(self.task), self.task.groups
            )
            passes.append(self.task.fits(train).judged(judged))
        many = {len(one.row) for one in passes}
        if len(many) > 1:
            raise DataError("cv must judge as many cases in every repeat; this splitter does not.")
        return {
            "fold": np.array([one.fold for one in passes]),
            "row": np.array([one.row for one in passes]),
            "predicted": np.array([one.predicted for one in passes]),
        }


def to_split(task: Task) -> Array:
    """What a splitter may look at: times of survival would not be classes."""
    return np.zeros(task.n) if task.kind == "survival" else task.y


def reshuffled(cv: Any, rng: np.random.Generator) -> Any:
    """A splitter that shuffles, with another seed for each repeat; others as they are."""
    if isinstance(cv, int) or not getattr(cv, "shuffle", False):
        return cv
    from copy import copy

    other = copy(cv)
    other.random_state = int(rng.integers(2**31))
    return other


@dataclass(frozen=True, eq=False)
class BootstrapValidated:
    """Measures of a cross-validation of each of many bootstrap samples.

    Copies of a case, and cases of a group, are in one fold: nothing is judged that was trained on.
    """

    task: Task
    measures: tuple[Measure, ...]
    folds: int

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        found: dict[str, list[float]] = {m.label: [] for m in self.measures}
        for counts in self.task.bootstrap().draw(rng, size):
            fold = self._folds(counts, rng)
            own = fold == np.arange(self.folds)[:, None]
            train = np.where(own, 0, counts)
            fits = self.task.fits(train)
            rows = np.repeat(np.arange(self.task.n), counts)
            predicted = fits.predicted[fold[rows], rows]
            made = self.task.predictions(fits.kind, predicted, rows)
            for m in self.measures:
                found[m.label].append(m.of(made))
        return {label: np.array(values) for label, values in found.items()}

    def _folds(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """A fold for every case; classes are spread over them as evenly as can be."""
        task = self.task
        drawn = np.flatnonzero(counts)
        fold = np.zeros(task.n, dtype=np.int64)
        if task.group_code is not None:
            dealt = rng.permutation(int(task.group_code.max()) + 1) % self.folds
            return np.asarray(dealt[task.group_code])
        strata = np.zeros(len(drawn), dtype=np.int64) if task.code is None else task.code[drawn]
        start = 0
        for some in members(strata):
            fold[drawn[rng.permutation(some)]] = (start + np.arange(len(some))) % self.folds
            start += len(some)
        return fold


# ----------------------------------------------------------------------------------------------
# What is returned.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Validated:
    """One measure of a validation.

    `apparent` is its value for the model and the cases it was fitted to, `corrected` what is to be
    expected of new cases, `optimism` the difference; `left_out` the mean over the cases that
    bootstrap samples left out. `chance` is the level when outcomes are shuffled. `interval` is of
    the corrected value; `no_interval` says why there is none, `undefined` why there is no value.
    """

    measure: str
    title: str
    family: str
    apparent: float
    optimism: float
    corrected: float
    interval: Interval | None = None
    no_interval: str | None = None
    chance: float | None = None
    left_out: float | None = None
    undefined: str | None = None
    used: int | None = None


@dataclass(frozen=True, kw_only=True)
class Shrinkage:
    """By what the linear predictor of a model should be multiplied before it meets new cases.

    `refitted` is the calibration slope of cross-validated predictions, or the mean of it over
    models of bootstrap samples among all cases; `heuristic` is (χ² − p)/χ² of the model, χ² twice
    the gain in log-likelihood by p coefficients, of models without a penalty.
    """

    refitted: float | None
    heuristic: float | None = None
    coefficients: int | None = None


@dataclass(frozen=True, kw_only=True)
class CorrectedCurve:
    """A calibration curve as it appears, and corrected for optimism, at predicted values."""

    predicted: Floats
    apparent: Floats
    corrected: Floats


@dataclass(frozen=True, kw_only=True)
class Validation(Result, kind="validation"):
    """How good a model is, and how good it will be on new cases, by every measure."""

    validated: tuple[Validated, ...]
    n: int
    features: int
    outcome: str
    estimator: str
    method: str
    draws: int
    folds: int | None
    groups: int | None
    level: float
    interval_for: str
    seed: int
    together: bool
    calibration: CorrectedCurve | None = None
    shrinkage: Shrinkage | None = None
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[Validated]:
        return iter(self.validated)

    def __len__(self) -> int:
        return len(self.validated)

    def __getitem__(self, measure: str) -> Validated:
        labels = {find(measure).label, find(measure).for_outcome(self.outcome).label, measure}
        for row in self.validated:
            if row.measure in labels:
                return row
        raise NotApplicable(f"{measure!r} was not validated.")

    def rows(self) -> list[dict[str, Any]]:
        """The measures as rows of a table."""
        return [
            {
                **{k: v for k, v in vars(row).items() if k != "interval"},
                "low": None if row.interval is None else row.interval.low,
                "high": None if row.interval is None else row.interval.high,
            }
            for row in self.validated
        ]


# ----------------------------------------------------------------------------------------------
# From draws to corrected values.
# ----------------------------------------------------------------------------------------------


def relative_overfitting(
    apparent: float, left_out: float, chance: float, *, higher: bool | None = None
) -> float:
    """How far the value of cases left out has fallen from the apparent one towards chance, 0 to 1.

    0 where it is no worse than apparent, and where the apparent value is itself no better than
    chance, as `higher` (is better) says; of a measure with no better direction anything is.

    References
    ----------
    Efron & Tibshirani (1997), equations 28 and 31.

    Examples
    --------
    >>> relative_overfitting(0.9, 0.7, 0.5), relative_overfitting(0.9, 0.4, 0.5)
    (0.5, 1.0)
    """
    same = np.isclose(chance, apparent, rtol=1e-9, atol=1e-12)  # no matter of the last digit
    if same or (higher is not None and (apparent > chance) != higher):
        return 0.0
    return float(np.clip((left_out - apparent) / (chance - apparent), 0.0, 1.0))


def plus_632(
    apparent: float, left_out: float, chance: float, *, higher: bool | None = None
) -> float:
    r"""The .632+ estimate: the more a model overfits, the less its apparent value counts.

    .. math:: (1 - w)\,a + w\,o, \quad w = .632 / (1 - .368 R)

    with a the apparent value, o that of cases left out, no worse than chance, and R the relative
    overfitting. Written for errors; as it is linear in them it serves measures of any direction.

    References
    ----------
    Efron & Tibshirani (1997), equations 29 to 32.

    Examples
    --------
    >>> plus_632(1.0, 0.75, 0.5)
    0.806
    """
    overfitting = relative_overfitting(apparent, left_out, chance, higher=higher)
    weight = 0.632 / (1.0 - 0.368 * overfitting)
    return (1.0 - weight) * apparent + weight * (chance if overfitting == 1.0 else left_out)


def chance_level(measure: Measure, predictions: Predictions, rng: np.random.Generator) -> float:
    """The mean of a measure when the outcomes are shuffled among the predictions."""
    found = shuffled(measure, predictions)
    if found is None:
        orders = np.argsort(rng.random((SHUFFLES, predictions.n)), axis=1)
        values = evaluate(measure, Sample.of(predictions).permuted(orders))
        found = mean_of_defined(values)
    return np.nan if found is None else found


@dataclass(frozen=True)
class Mean:
    """The mean over draws of what is defined, of how many, and why there is none."""

    value: float
    used: int
    undefined: str | None = None


def mean_over(values: Floats, what: str) -> Mean:
    """A mean over draws; none where a draw is infinite, or too few are defined."""
    infinite, defined = int(np.isinf(values).sum()), int(np.isfinite(values).sum())
    total = len(values)
    if infinite:
        return Mean(np.nan, defined, f"infinite in {infinite} of {total} {what}")
    if defined < LEAST_SHARE * total:
        return Mean(np.nan, defined, f"undefined in {total - defined} of {total} {what}")
    return Mean(float(values[np.isfinite(values)].mean()), defined)


def _bootstrapped(
    method: str, measure: Measure, apparent: float, chance: float, draws: Mapping[str, Array]
) -> tuple[Mean, Mean, Mean]:
    """The corrected value, the optimism and the mean over cases left out, from bootstrap draws."""
    what = "bootstrap samples"
    with np.errstate(invalid="ignore"):
        gaps = draws[f"inside {measure.label}"] - draws[f"all {measure.label}"]
    optimism = mean_over(gaps, what)
    left_out = mean_over(draws[f"outside {measure.label}"], what)
    if method == "optimism":
        return replace(optimism, value=apparent - optimism.value), optimism, left_out
    value = 0.368 * apparent + 0.632 * left_out.value
    if method == ".632+":
        higher = measure.higher_is_better
        value = plus_632(apparent, left_out.value, chance, higher=higher)
    found = replace(left_out, value=value)
    return found, replace(found, value=apparent - value), left_out


def over_passes(measure: Measure, pooled: Predictions) -> float:
    """The cross-validated value of a measure.

    The mean over folds where small ones do not bias it, as for means and pairs; else that of all
    cases of a repeat together, over repeats.
    """
    if averages(measure, pooled):
        try:
            return mean_over_folds(measure, pooled)
        except NotApplicable:  # a fold with one class, or with one case
            pass
    repeat, fold = pooled.cases.repeat, pooled.cases.fold
    if repeat is None or fold is None:
        return measure.of(pooled)
    sizes = np.unique(repeat, return_counts=True)[1]
    # splits that overlap judge some cases more often than others
    parts = repeat if (sizes == sizes[0]).all() else fold
    return float(np.mean([measure.of(pooled.take(parts == one)) for one in np.unique(parts)]))


# ----------------------------------------------------------------------------------------------
# How sure the corrected value is.
# ----------------------------------------------------------------------------------------------


FEW = 50  # cases of the rarer class below which coverage was found to fall short


def _interval(
    task: Task, measure: Measure, row: Validated, pooled: Predictions | None, level: float
) -> Interval | str:
    """The interval of a corrected value, or why there is none."""
    if np.isnan(row.corrected):
        return "there is no corrected value"
    if pooled is None:
        return "none was found to cover after this correction; ask for repeated_cv"
    repeat = pooled.cases.repeat
    sizes = [pooled.n] if repeat is None else np.unique(repeat, return_counts=True)[1].tolist()
    if any(size != task.n for size in sizes):
        return "these splits do not judge every case once; ask for folds"
    overfitting = relative_overfitting(
        row.apparent,
        row.corrected,
        np.nan if row.chance is None else row.chance,
        higher=measure.higher_is_better,
    )
    try:
        return interval_over_cases(
            measure, pooled, row.corrected, row.apparent, overfitting, confidence_level=level
        )
    except NotApplicable as refused:
        return str(refused).rstrip(".")


# ----------------------------------------------------------------------------------------------
# What is said of the model beside its values.
# ----------------------------------------------------------------------------------------------


def smoother_of(predictions: Predictions) -> LocalLine | None:
    """What draws the calibration curve of probabilities or numbers; None of other predictions."""
    sample = Sample.of(predictions)
    one_number = sample.kind == "numeric" and sample.outputs == 1
    if not one_number and not (
        sample.kind == "binary" and sample.column("probability") is not None
    ):
        return None
    return LocalLine.over(calibration_columns(sample)[0])


def _corrected_curve(
    predictions: Predictions, draws: Mapping[str, Array], pooled: Predictions | None
) -> CorrectedCurve | None:
    """The curve of cases that models were not fitted to, or less the optimism of bootstrap ones."""
    smoother = smoother_of(predictions)
    if smoother is None or (pooled is None and "curve" not in draws):
        return None
    predicted, outcome = calibration_columns(Sample.of(predictions))
    apparent = smoother(outcome, predicted[None])[0]
    if pooled is not None:
        judged, observed = calibration_columns(Sample.of(pooled))
        corrected = smoother(observed, judged[None])[0]
    else:
        known = np.isfinite(draws["curve"])
        often = known.sum(axis=0)
        sums = np.where(known, draws["curve"], 0.0).sum(axis=0)
        enough = often >= LEAST_SHARE * len(known)
        corrected = apparent - np.where(enough, sums / np.maximum(often, 1), np.nan)
    if predictions.kind == "binary":
        apparent, corrected = np.clip(apparent, 0.0, 1.0), np.clip(corrected, 0.0, 1.0)
    return CorrectedCurve(predicted=smoother.places, apparent=apparent, corrected=corrected)


def _shrinkage(
    task: Task, rows: Iterable[Validated], predictions: Predictions, draws: Mapping[str, Array]
) -> Shrinkage | None:
    """Of a model whose last step is a linear predictor; None of others."""
    from sklearn.base import clone

    slope = next((r for r in rows if find(r.measure).calibration is Calibration.SLOPE), None)
    last = getattr(task.estimator, "steps", [("", task.estimator)])[-1][1]
    if slope is None or not _linear(last):
        return None
    fitted = clone(task.estimator).fit(task.X, task.y)
    last = getattr(fitted, "steps", [("", fitted)])[-1][1]
    many = int(np.size(getattr(last, "coef_", ())))
    if not many:
        return None
    refits = draws.get(f"all {slope.measure}")
    factor = slope.corrected
    if refits is not None:
        factor = mean_over(refits, "bootstrap samples").value
    return Shrinkage(
        refitted=None if np.isnan(factor) else factor,
        heuristic=_heuristic(last, predictions, many),
        coefficients=many,
    )


def _linear(estimator: Any) -> bool:
    """Whether an estimator has coefficients once it is fitted, seen from its class."""
    from sklearn.linear_model._base import LinearClassifierMixin, LinearModel

    return isinstance(estimator, LinearClassifierMixin | LinearModel)


def _heuristic(last: Any, predictions: Predictions, coefficients: int) -> float | None:
    """(χ² − p)/χ², of maximum likelihood alone: a penalty has shrunken already.

    References
    ----------
    van Houwelingen & le Cessie (1990).
    """
    from sklearn.linear_model import LinearRegression, LogisticRegression

    n = predictions.n
    sample = Sample.of(predictions)
    if isinstance(last, LogisticRegression) and sample.kind == "binary":
        if np.isfinite(last.C) and getattr(last, "penalty", "l2") is not None:
            return None
        share = float(sample.prevalences[1])
        null = n * (share * np.log(share) + (1 - share) * np.log1p(-share))
        given = sample.probability_given
        if (given <= 0).any():
            return None
        gain = 2.0 * (float(np.log(given).sum()) - null)
    elif isinstance(last, LinearRegression) and sample.kind == "numeric":
        r2 = find("r2").of(predictions)
        if not 0.0 < r2 < 1.0:
            return None
        gain = -n * float(np.log1p(-r2))
    else:
        return None
    return float((gain - coefficients) / gain) if gain > 0 else None


def advice_on_task(task: Task, without: Sequence[str], *, intervals: bool) -> Iterator[Advice]:
    """What to know of cases and estimator whenever it is fitted to parts of them."""
    if without and task.kind == "survival":
        yield Advice(
            "AC859",
            "left out, as no times are named at which to predict being event-free (times=, "
            f"--times): {listed(list(without), 8)}.",
        )
    elif without:
        yield Advice(
            "AC850",
            f"left out, as {type(task.estimator).__name__} predicts no probability: "
            f"{listed(list(without), 8)}. Wrap it in scikit-learn's CalibratedClassifierCV to have "
            "them.",
        )
    still = constant_columns(task.table)
    if still:
        yield Advice(
            "AC851",
            f"{listed(still)} hold{'s' * (len(still) == 1)} one value in all cases, so that "
            "nothing can be learned from it.",
        )
    smallest = None if task.code is None else int(np.bincount(task.code).min())
    if intervals and smallest is not None and smallest < FEW:
        yield Advice(
            "AC852",
            f"the rarest class has {smallest} cases; with fewer than {FEW} the intervals were "
            "found to cover less often than they say.",
        )


def advice_on(
    task: Task,
    method: str,
    rows: Iterable[Validated],
    without: list[str],
    draws: int,
    folds: int | None,
) -> Iterator[Advice]:
    """What a reader of a validation should know."""
    few = method in ("cv", "repeated_cv")
    yield from advice_on_task(task, without, intervals=few)
    partly = [r.title for r in rows if r.used is not None and r.used < draws and not r.undefined]
    if partly:
        yield Advice(
            "AC853",
            f"undefined in some of the {draws} draws, which are left out of the mean: "
            f"{listed(partly)}.",
        )
    if method in BOOTSTRAPPED and draws < 100:
        yield Advice(
            "AC854", f"{draws} bootstrap samples are few; 200 are usual.", "Steyerberg (2019)"
        )
    if method == "bootstrap_cv":
        yield Advice(
            "AC855",
            "models of bootstrap samples without a fold learn from about 0.6 of the cases, so that "
            "these values are too low rather than too high.",
            "Fu et al. (2005)",
        )
    if task.groups is None and folds is not None and folds == task.n:
        yield Advice(
            "AC856",
            "leave-one-out folds hold one case each: values are of all cases together, and there "
            "is no interval.",
        )


def constant_columns(table: Iterable[tuple[str, Array]]) -> list[str]:
    """The columns of a table that hold one value.

    >>> constant_columns([("'a'", np.array([1.0, 1.0])), ("'b'", np.array([1.0, 2.0]))])
    ["'a'"]
    """
    return [name for name, column in table if len(set(column.tolist())) == 1]


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    method: str | None = None,
    cv: Any = None,
    groups: Any = None,
    event: Any = None,
    times: Any = None,
    pos_label: Any = None,
    feature_names: Any = None,
    fast: bool = True,
    **given: Any,
) -> Validation:
    r"""How good a model will be on new cases, from the cases it is trained on.

    Everything that is fitted is fitted again to every part of the cases, a pipeline from its first
    step; a model is never judged on what it was trained on but to see how much that flatters it.
    All measures come from the same fits.

    Parameters
    ----------
    estimator
        Any scikit-learn classifier, regressor or pipeline; of survival one that predicts a risk,
        as scikit-survival's do. It is cloned, and stays as it is.
    X
        Features: cases × features, or a dataframe.
    y
        Observed classes or numbers; times of survival, or scikit-survival's table of both.
    measures
        Names or measures, or several; a set that suits the outcome when not given.
    method
        "repeated_cv" and "cv": cross-validation, repeated unless `cv` is a splitter whose repeats
        would all be the same (default). "optimism": the apparent value less the mean by which
        models of bootstrap samples do better on their own sample than on all cases (Harrell's).
        ".632" and ".632+": apparent values and those of cases left out by bootstrap samples,
        mixed. "bootstrap_cv": cross-validation of each of many bootstrap samples.
    cv
        Number of folds, or any scikit-learn splitter; when not given 10, or as many as the rarest
        class has cases (or there are groups) where that is fewer.
    groups
        The cluster of each case: whole clusters are drawn, and kept together in folds.
    event
        Of survival: whether the event happened, `y` being the time of it or of censoring.
    times
        Of survival: when to predict being event-free, for measures that read it.
    pos_label
        The positive class of two not coded 0/1.
    feature_names
        What to call the features in messages; the columns of a dataframe when not given.
    fast
        Train linear discriminants and logistic regressions (alone or after a `StandardScaler`, two
        classes) on all parts together. Discriminants give scikit-learn's numbers; of logistic
        regression the optimum is found, which scikit-learn's solver approaches to its tolerance.
        False always fits one by one.

    Returns
    -------
    Validation
        One row per measure; `validation["auc"]` has its apparent and its corrected value, optimism
        and interval. `calibration` is the curve corrected for optimism, `shrinkage` the factor for
        linear predictors.

    Raises
    ------
    DataError
        If the data are not what they must be, or a model cannot be fitted to a part of them.
    NotApplicable
        If a measure was named that the estimator's predictions do not allow.

    See Also
    --------
    learning_curve : whether more cases would make it better.
    assess : for predictions of cases that the model has not seen.
    permutation_test : whether the learner does better than chance.

    Notes
    -----
    Cross-validation is the default because optimism falls short of what models that overfit much
    (many features, trees) truly lose; where they overfit little both agree. Its interval is for
    the model trained on these data, by how much every case moves the value and Nadeau and Bengio's
    term for training sets that overlap. After the other methods no interval was found to cover. A
    bootstrap sample that misses a class is drawn again. `.632` and `.632+` take the mean over
    samples of the value among the cases each left out.

    References
    ----------
    Harrell, Lee & Mark (1996); Efron & Tibshirani (1997); Nadeau & Bengio (2003); Fu, Carroll &
    Wang (2005); van Houwelingen & le Cessie (1990) on shrinkage; Noma et al. (2021) on intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 4))
    >>> y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    >>> found = validate(LogisticRegression(), X, y, draws=5, rng=1)["auc"]
    >>> found.apparent, found.corrected
    (0.773, 0.738)
    """
    settings = Settings.of("validate", given)
    cv = list(cv) if isinstance(cv, Iterator) else cv
    if method is None:
        method = "repeated_cv" if settings.draws is not None or _repeats(cv) else "cv"
    one_of("method", method, METHODS)
    columns, _, notes = aligned({"X": X, "y": y, "groups": groups, "event": event})
    task = task_of(
        estimator,
        columns["X"],
        columns["y"],
        event=columns["event"],
        times=times,
        groups=columns["groups"],
        pos_label=pos_label,
        names=feature_names,
        seed=settings.seed,
        fast=fast,
    )
    draws = DRAWS[method] if settings.draws is None else settings.draws
    if method == "cv":
        draws = 1
    settings = replace(settings, draws=draws)
    whole_fit = task.fits(np.ones((1, task.n), dtype=np.int64))
    predictions = whole_fit.predictions(0)
    chosen, without = measures_for(task, predictions, measures)
    rng = settings.rng(LEVELS)
    cv = usual_folds(task) if cv is None else cv
    cv = seeded_splitter(cv, settings.seed)
    found, pooled, folds = _drawn(task, method, chosen, predictions, whole_fit.kind, cv, settings)
    rows = []
    for m in chosen:
        row = _row(method, m, predictions, chance_level(m, predictions, rng), found, pooled)
        interval = _interval(task, m, row, pooled, settings.level)
        refused = interval if isinstance(interval, str) else None
        rows.append(
            replace(
                row, interval=None if isinstance(interval, str) else interval, no_interval=refused
            )
        )
    return Validation(
        validated=tuple(rows),
        n=task.n,
        features=int(task.X.shape[1]),
        outcome=predictions.kind,
        estimator=learner_words(estimator),
        method=method,
        draws=draws,
        folds=folds,
        groups=None if task.group_code is None else int(task.group_code.max()) + 1,
        level=settings.level,
        interval_for=MODEL,
        seed=settings.seed,
        together=task.known is not None,
        calibration=_corrected_curve(predictions, found, pooled),
        shrinkage=_shrinkage(task, rows, predictions, found),
        advice=(*notes, *advice_on(task, method, rows, without, draws, folds)),
    )


FOLDS = 10


def _repeats(cv: Any) -> bool:
    """Whether a cross-validation is another one when it is repeated."""
    return cv is None or isinstance(cv, int) or bool(getattr(cv, "shuffle", False))


def usual_folds(task: Task) -> int:
    """Ten folds, or fewer where a class or the groups do not suffice for ten."""
    return max(2, min(FOLDS, task.units))


LEVELS = 3000  # purpose of the stream that levels of chance are drawn from


def _drawn(
    task: Task,
    method: str,
    measures: tuple[Measure, ...],
    predictions: Predictions,
    kind: str,
    cv: Any,
    settings: Settings,
) -> tuple[dict[str, Array], Predictions | None, int | None]:
    """All draws of a method; of a cross-validation its predictions and the number of folds."""
    work: Any
    if method in BOOTSTRAPPED:
        work = Refitted(task, measures, smoother_of(predictions))
        return _blocks(work, settings), None, None
    if method == "bootstrap_cv":
        if not isinstance(cv, int):
            raise DataError("bootstrap_cv needs a number of folds (cv=, --folds), not a splitter.")
        whole_number("cv", cv, 2)
        return _blocks(BootstrapValidated(task, measures, cv), settings), None, cv
    task.splitter(cv, settings.seed)  # refused before anything is fitted
    again = settings.flips > 1
    if again and not _repeats(cv):
        raise DataError(
            "repeated_cv needs a number of folds or a splitter that shuffles; repeats of this one "
            "would all be the same. Ask for method 'cv'."
        )
    found = _blocks(CrossValidated(task, cv, again), settings)
    fold, row, predicted = (found[name] for name in ("fold", "row", "predicted"))
    many = int(fold.max()) + 1
    apart = fold + many * np.arange(len(fold))[:, None]
    pooled = task.pooled(
        kind, apart.ravel(), row.ravel(), predicted.reshape(-1, *predicted.shape[2:])
    )
    return found, pooled, many


def _blocks(work: Any, settings: Settings) -> dict[str, Array]:
    found = replicate_blocks(work, settings, block=work.task.block)
    assert isinstance(found, dict)
    return found


def _row(
    method: str,
    measure: Measure,
    predictions: Predictions,
    chance: float,
    draws: Mapping[str, Array],
    pooled: Predictions | None,
) -> Validated:
    """One measure: apparent, corrected, and by how much they differ."""
    apparent = measure.of(predictions)
    left_out: Mean | None = None
    if pooled is not None:
        value = over_passes(measure, pooled)
        corrected = Mean(value, 0, measure.undefined or "not defined" if np.isnan(value) else None)
    elif method == "bootstrap_cv":
        corrected = mean_over(draws[measure.label], "bootstrap samples")
    else:
        corrected, _, left_out = _bootstrapped(method, measure, apparent, chance, draws)
    undefined = corrected.undefined
    if np.isnan(apparent):
        undefined = measure.undefined or "not defined for these cases"
    with np.errstate(invalid="ignore"):
        optimism = apparent - corrected.value
    return Validated(
        measure=measure.label,
        title=measure.title,
        family=measure.family.value,
        apparent=apparent,
        optimism=float(optimism),
        corrected=corrected.value,
        chance=None if np.isnan(chance) else chance,
        left_out=None if left_out is None else left_out.value,
        undefined=undefined,
        used=None if pooled is not None else corrected.used,
    )
