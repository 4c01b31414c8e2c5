"""Do the classes differ at all? Two-group tests and accuracy tests on the same permutations."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.detection_advice import advice_on, advice_on_draws
from abovechance.inference.detection_nulls import (
    Labellings,
    check_stop,
    every_value,
    fewest_cases,
    until_decided,
)
from abovechance.inference.detection_result import Detected, Detection
from abovechance.inference.multiplicity import holm
from abovechance.inference.nulls import scheme_of
from abovechance.learning.from_sklearn import seeded
from abovechance.learning.learners import Estimator
from abovechance.numerics.kernels import worthwhile
from abovechance.predictions.checks import aligned
from abovechance.resampling import LabelPermutations, Resampling, seed_of, tail
from abovechance.resampling.draws import labellings
from abovechance.signal import (
    Accuracy,
    Statistic,
    classes_of,
    features_of,
    find,
    holds_numbers,
    numbers_of,
    present,
)

__all__ = ["Detected", "Detection", "detect"]

DEFAULT_TESTS = {
    "two": ("hotelling_shrink", "srivastava_du", "lda.b632"),
    "several": ("goeman", "energy", "lda.b632"),
    "numeric": ("goeman", "energy"),
}
PERMUTE = ("labels", "rows", "within", "blocks", "features")
RULES = ("standard", "paper")
KINDS = ("classes", "numeric")


def detect(
    X: Any,
    y: Any,
    *,
    tests: Iterable[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    kind: str | None = None,
    standardise: bool = False,
    draws: int = 999,
    permute: str = "labels",
    blocks: Any = None,
    adjust: bool = True,
    rule: str = "standard",
    stop: str | None = None,
    level: float = 0.05,
    risk: float = 1e-3,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
    progress: Any = None,
) -> Detection:
    """Test whether classes differ in their features, by several statistics at once.

    Folds and bootstrap samples are drawn anew for every permutation of labels. A classifier with no
    `random_state` of its own gets one from `rng`, the same for every fit.

    Parameters
    ----------
    X
        Features: cases × features, or a dataframe.
    y
        Class of each case, or a number.
    tests
        Names: two-group statistics (`hotelling`, `hotelling_shrink`, `srivastava_du`, `goeman`,
        `mmd`, `energy`, `simes`, `cai`), accuracies by their grammar (`svm.c10.cv8`,
        `lda.b632.B50`), or the papers' own names; statistics themselves, or scikit-learn
        classifiers, whose accuracy in 8 folds is tested. With more than two classes `hotelling`,
        `goeman`, `mmd`, `energy` and accuracies; for numbers the first four. A statistic that is
        named twice is tested once. A set that suits the outcome when not given.
    feature_names
        What to call the features; the columns of a dataframe when not given.
    kind
        "classes" or "numeric"; when not given, fractions and more than 20 different numbers
        are numeric.
    standardise
        Divide every feature by its standard deviation over all cases first; matters to `goeman`,
        `mmd`, `energy` and the squared-hinge machines, which depend on units.
    draws
        Number of permutations; 999 unless stated.
    permute
        "labels": freely; "rows": whole rows of features, while folds and bootstrap samples stay
        at their places (Golland et al. 2005); "within" or "blocks" with `blocks`: within each
        block, or whole blocks of constant label; "features": every feature on its own (a stronger
        hypothesis). Blocks may differ in size.
    blocks
        The block of each case, for `permute="within"` and `permute="blocks"`.
    adjust
        Adjust for several tests by Holm; a test whose p is undefined counts as one.
    rule
        "standard": (b + 1) / (m + 1). "paper": b / m, without the observed labelling, as the
        studies of the papers were run; its size exceeds the level.
    stop
        "gandy" stops each test as soon as its p is known to lie on one side of `level`, divided by
        the number of tests where p-values are adjusted; the permutations are the same for all.
        All draws are made when not given.
    level
        The level that p is compared with when stopping; 0.05 unless stated.
    risk
        Probability of stopping with a wrong decision, at most; 0.001 unless stated.
    rng
        Seed of the permutations; a fresh one when not given. It is in the result.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.
    progress
        True to show how far it is, or a function that is called with the numbers done and to do.

    Returns
    -------
    Detection
        One row per test; `detection["hotelling"]` has its value, p-value and null mean.

    Raises
    ------
    DataError
        If features or classes are not what they must be.
    NotApplicable
        If a test is unknown or does not suit the classes, or an option is unknown.

    See Also
    --------
    permutation_test : whether a model of your own predicts better than chance.

    References
    ----------
    Rosenblatt, Benjamini, Gilron, Mukamel & Goeman (2019); Gandy (2009).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(30) % 2
    >>> X = rng.normal(size=(30, 4)) + 0.9 * y[:, None]
    >>> detect(X, y, tests=["hotelling"], draws=99, rng=1)["hotelling"].p_value
    0.01
    """
    given, _, moved = aligned({"X": X, "y": y, "blocks": blocks})
    y, blocks = given["y"], given["blocks"]
    called = _column_names(X, feature_names)
    features = features_of(X, called)
    if standardise:
        features = features / features.std(axis=0)
    outcome, classes = _outcome(y, kind, len(features))
    if rule not in RULES:
        raise NotApplicable(f"rule must be one of {', '.join(RULES)}; got {rule!r}.")
    check_stop(stop, level)
    statistics = tuple(_statistics(tests, outcome))
    units = None if blocks is None else present("blocks", blocks)
    scheme = _scheme(outcome, permute, units)
    if permute == "blocks" and units is not None and outcome.dtype.kind != "f":
        for labelling in fewest_cases(outcome, units):
            for statistic in statistics:
                statistic.require(features, labelling)
    how = Resampling(
        draws=draws, seed=seed_of(rng), workers=workers, store=store, progress=progress
    )
    # What is worth doing fast is the whole run: the same way for the outcome as it is.
    fast = worthwhile(draws * len(outcome)) or None
    work = Labellings(
        features, outcome, _seeded(statistics, how.seed), scheme, permute, fast, how.seed
    )
    observed = work.observed()
    # No accuracy is infinite: its scale was 0.
    broken = np.isinf(observed) & [isinstance(s, Accuracy) for s in statistics]
    observed = np.where(broken, np.nan, observed)
    decisions: list[str | None] = [None] * len(statistics)
    shared = len(statistics) if adjust else 1
    if stop is None:
        null = every_value(work, how)
    else:
        null, decisions = until_decided(work, how, observed, level=level, risk=risk, shared=shared)
    names, titles = _told_apart(statistics, outcome)
    rows = [
        Detected(
            statistic=name,
            title=title,
            undefined=statistic.undefined_when if np.isnan(value) else None,
            decision=None if np.isnan(value) else decision,
            **_against(float(value), values, rule),
        )
        for name, title, statistic, value, values, decision in zip(
            names, titles, statistics, observed, null, decisions, strict=True
        )
    ]
    if adjust and len(rows) > 1:
        rows = _adjusted(rows)
    by = "labels" if permute == "rows" else permute
    many = np.inf if permute == "features" else labellings(outcome, by, units)
    return Detection(
        tests=tuple(rows),
        n=len(outcome),
        features=features.shape[1],
        feature_names=tuple(called or ()),
        outcome="numeric" if outcome.dtype.kind == "f" else "classes",
        classes=tuple(str(c) for c in classes),
        permute=permute,
        hypothesis=_hypothesis(permute, outcome),
        rule=rule,
        stop=stop,
        level=None if stop is None else level,
        decided_at=None if stop is None else level / shared,
        seed=how.seed,
        null=dict(zip(names, null, strict=True)),
        advice=(
            *moved,
            *advice_on(features, outcome, list(zip(names, statistics, strict=True)), called, many),
            *(() if stop is None else advice_on_draws(draws, level, shared)),
        ),
    )


def _column_names(X: Any, names: Sequence[str] | None) -> list[str] | None:
    if names is not None:
        return [str(name) for name in names]
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def _outcome(y: Any, kind: str | None, n: int) -> tuple[Array, Array]:
    """Class numbers and the classes; or numbers, and no classes."""
    if kind not in (None, *KINDS):
        raise NotApplicable(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
    if kind == "numeric" or (kind is None and holds_numbers(y)):
        return numbers_of(y, n), np.array([])
    return classes_of(y, n)


def _statistics(tests: Any, outcome: Array) -> list[Any]:
    """What was asked for, each statistic once."""
    if tests is None:
        several = "several" if outcome.max() > 1 else "two"
        tests = DEFAULT_TESTS["numeric" if outcome.dtype.kind == "f" else several]
    alone = isinstance(tests, str) or not isinstance(tests, Iterable) or _classifies(tests)
    found: list[Any] = []
    for statistic in map(_statistic, [tests] if alone else tests):
        if statistic not in found:
            found.append(statistic)
    if not found:
        raise NotApplicable("no test was named.")
    return found


def _statistic(test: Any) -> Statistic | Accuracy:
    if isinstance(test, str):
        return find(test)
    if isinstance(test, Statistic | Accuracy):
        return test
    if _classifies(test):
        return Accuracy(Estimator(test))
    what = f"the class {test.__name__}" if isinstance(test, type) else type(test).__name__
    raise NotApplicable(
        "a test must be a name, a statistic of abovechance.signal, or a scikit-learn classifier; "
        f"got {what}."
    )


def _seeded(statistics: Sequence[Any], seed: int) -> tuple[Any, ...]:
    """Statistics of which no estimator takes chance from elsewhere; one learner stays one."""
    learners: dict[Any, Any] = {}
    found = []
    for statistic in statistics:
        learner = statistic.learner if isinstance(statistic, Accuracy) else None
        if isinstance(learner, Estimator):
            if learner not in learners:
                learners[learner] = Estimator(seeded(learner.estimator, seed))
            statistic = replace(statistic, learner=learners[learner])
        found.append(statistic)
    return tuple(found)


def _classifies(test: Any) -> bool:
    if isinstance(test, type) or not (hasattr(test, "fit") and hasattr(test, "get_params")):
        return False
    from sklearn.base import is_classifier

    return bool(is_classifier(test))


def _told_apart(statistics: Sequence[Any], outcome: Array) -> tuple[list[str], list[str]]:
    """Names and titles of the rows; equal names are numbered, and their learners written out."""
    often, seen = Counter(s.name for s in statistics), Counter[str]()
    names, titles = [], []
    for s in statistics:
        seen[s.name] += 1
        names.append(s.name if seen[s.name] == 1 else f"{s.name} ({seen[s.name]})")
        title = _title(s, outcome)
        if often[s.name] > 1 and isinstance(s, Accuracy):
            title += f" [{' '.join(repr(s.learner).split())}]"
        titles.append(title)
    return names, titles


def _title(statistic: Any, outcome: Array) -> str:
    if isinstance(statistic, Accuracy):
        return statistic.title
    extended = statistic.several if outcome.max() > 1 else None
    if outcome.dtype.kind == "f":
        extended = statistic.numeric
    return str(statistic.title if extended is None else extended.title)


def _against(value: float, null: Floats, rule: str) -> dict[str, Any]:
    """A value, its p and the mean of its null; undefined null values count as extreme."""
    found = tail(value, null)
    p = found.p_value
    if rule == "paper" and not np.isnan(value):
        p = found.exceed / found.draws
    known = null[~np.isnan(null)]
    mean = float(np.mean(known)) if len(known) else np.nan
    return {"value": value, "p_value": p, "draws": found.draws, "null_mean": mean}


def _adjusted(rows: Sequence[Detected]) -> list[Detected]:
    """Holm's p-values; what has no p was a test all the same."""
    p = np.array([row.p_value for row in rows])
    found = np.where(np.isnan(p), np.nan, holm(np.where(np.isnan(p), 1.0, p)))
    return [replace(row, p_adjusted=float(one)) for row, one in zip(rows, found, strict=True)]


def _scheme(outcome: Array, permute: str, blocks: Array | None) -> Any:
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "features":
        if blocks is not None:
            raise NotApplicable("blocks= goes with permute='within' or permute='blocks'.")
        return None
    if permute == "rows":
        return scheme_of(outcome, "labels", blocks)
    if permute == "labels" and blocks is None and set(np.unique(outcome)) == {0, 1}:
        return LabelPermutations(outcome == 1)
    return scheme_of(outcome, permute, blocks)


def _hypothesis(permute: str, outcome: Array) -> str:
    if outcome.dtype.kind == "f":
        return {
            "labels": "features and outcome are independent",
            "rows": "features and outcome are independent",
            "within": "within blocks, features and outcome are independent",
            "blocks": "features and outcome of whole blocks are independent",
            "features": "features are independent of the outcome and of each other",
        }[permute]
    return {
        "labels": "features have the same distribution in all classes",
        "rows": "features have the same distribution in all classes",
        "within": "within blocks, features have the same distribution in all classes",
        "blocks": "features of whole blocks have the same distribution in all classes",
        "features": "features are independent of the class and of each other",
    }[permute]
