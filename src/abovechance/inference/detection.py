"""Do the classes differ at all? `detect`: tests and accuracies on the same permutations."""

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, cast

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.errors import NotApplicable, listed
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.permutation import scheme_of
from abovechance.inference.results import Detected, Detection
from abovechance.learning.from_sklearn import seeded
from abovechance.learning.learners import (
    LDA,
    DiagonalLDA,
    Estimator,
    RegularisedDA,
    ShrunkenDiagonalLDA,
    class_means,
    varies,
)
from abovechance.numerics.kernels import worthwhile
from abovechance.predictions.checks import aligned
from abovechance.resampling import (
    LabelPermutations,
    Sequential,
    exceedances,
    in_order,
    replicate_blocks,
    stream,
    tail,
)
from abovechance.resampling.draws import codes, labellings, members
from abovechance.resampling.replicates import JOINED
from abovechance.settings import Settings, settled
from abovechance.signal import (
    Accuracy,
    Statistic,
    classes_of,
    evaluate_numeric,
    features_of,
    holds_numbers,
    numbers_of,
    present,
)
from abovechance.signal.battery import Battery, named

# ----------------------------------------------------------------------------------------------
# Statistics under permuted outcomes: all permutations, or until every test is decided.
# ----------------------------------------------------------------------------------------------


SMALL = 2**19  # numbers of labels and of features that are worked on at once
OBSERVED = 2**31  # a block number that no permutation uses
BLOCK = 128  # permutations that share a stream


@dataclass(frozen=True, eq=False)
class Labellings:
    """Statistics on permuted outcomes (size, S), as work for blocks.

    `outcome` holds class numbers, or numbers. `fast` is that of `evaluate`; it changes no value, so
    a stored run goes on with another.
    """

    X: Floats
    outcome: Array
    statistics: tuple[Any, ...]
    scheme: Any
    permute: str
    fast: bool | None = field(compare=False)
    seed: int = field(default=0, compare=False)  # of folds that are kept; runs have it themselves

    def __call__(self, rng: np.random.Generator, size: int) -> Floats:
        """A part of a block is cut from the whole: folds are drawn for all labellings at once."""
        if self.permute == "features":
            return self._shuffled(rng, size)
        if self.permute == "rows":
            return self._moved(self.scheme.draw(rng, size))
        return self._permuted(rng, max(size, BLOCK))[:size]

    @property
    def joins(self) -> bool:
        """Whether several blocks are done at once: of small tables, on which calls take longest."""
        shared = isinstance(self.scheme, LabelPermutations) and self.permute == "labels"
        if self.outcome.dtype.kind == "f":
            return False
        return shared and sum(self.X.shape) * JOINED <= SMALL and self._battery.stacks

    def drawn(self, rng: np.random.Generator, size: int) -> Array:
        """The keys of a block's labellings."""
        return np.asarray(self.scheme.keys(rng, size))

    def of(self, draws: Sequence[Array]) -> Iterator[Floats]:
        """The statistics of the labellings of several blocks, of which some may be short."""
        for size, some in groupby(draws, key=lambda keys: max(len(keys), BLOCK)):
            keys = list(some)
            made, labels = (
                self.scheme.made(np.concatenate(keys)),
                np.zeros((len(keys), size, len(self.X))),
            )
            start = 0
            for block, each in zip(labels, keys, strict=True):
                block[: len(each)] = made[start : start + len(each)]
                start += len(each)
            yield from self._battery.stacked(labels)

    def observed(self) -> Floats:
        """The statistics (S,) of the outcomes as they are."""
        if self.permute == "rows":
            return self._moved(np.arange(len(self.X))[None, :])[0]
        return self.values(self.X, self.outcome[None, :], stream(self.seed, OBSERVED))[0]

    def _moved(self, orders: Array) -> Floats:
        """Whole rows moved to other places; folds and samples, from one stream, stay."""
        if self.outcome.dtype.kind == "f":
            return evaluate_numeric(self.X, self.outcome[orders], self.statistics)
        rng = stream(self.seed, OBSERVED)
        labels = np.broadcast_to(self.outcome, orders.shape)
        return self._battery.values(labels, rng, fast=self.fast, orders=orders)

    def _permuted(self, rng: np.random.Generator, size: int) -> Floats:
        drawn = self.scheme.draw(rng, size)
        chosen = drawn.astype(np.int64) if drawn.dtype == np.bool_ else self.outcome[drawn]
        if self.permute == "blocks":
            return self._by_class_sizes(chosen, rng)
        return self.values(self.X, chosen, rng)

    def values(self, X: Floats, outcomes: Array, rng: np.random.Generator) -> Floats:
        """Values (B, S) for outcomes (B, n)."""
        if self.outcome.dtype.kind == "f":
            return evaluate_numeric(X, outcomes, self.statistics)
        battery = self._battery if X is self.X else Battery(X, self.statistics)
        return battery.values(outcomes, rng, fast=self.fast)

    @cached_property
    def _battery(self) -> Battery:
        return Battery(self.X, self.statistics)

    def _shuffled(self, rng: np.random.Generator, size: int) -> Floats:
        """Every feature permuted on its own: breaks their correlation as well."""
        rows = []
        for _ in range(size):
            other = rng.permuted(self.X, axis=0)
            rows.append(self.values(other, self.outcome[None, :], rng)[0])
        return np.array(rows)

    def _by_class_sizes(self, outcomes: Array, rng: np.random.Generator) -> Floats:
        """Blocks of unequal size change how many cases have an outcome: those sets one by one."""
        kinds, which = np.unique(np.sort(outcomes, axis=1), axis=0, return_inverse=True)
        found = np.empty((len(outcomes), len(self.statistics)))
        for kind in range(len(kinds)):
            rows = which.ravel() == kind
            found[rows] = self.values(self.X, outcomes[rows], rng)
        return found


def every_value(work: Labellings, settings: Settings) -> list[Floats]:
    """The null values of every statistic, in order of the statistics."""
    found = replicate_blocks(work, settings, block=BLOCK)
    assert isinstance(found, np.ndarray)
    return list(found.T)


def until_decided(
    work: Labellings,
    settings: Settings,
    observed: Floats,
    *,
    shared: int,
) -> tuple[list[Floats], list[str | None]]:
    """Null values of every statistic until its own test is decided, and the decisions.

    The tests read the same permutations; the last to be decided says how many are drawn. The level
    is shared by so many tests: each is decided at its part, at which Holm's method rejects too.

    References
    ----------
    Gandy (2009).
    """
    rule = Sequential(alpha=settings.alpha / shared, risk=settings.risk, steps=settings.flips)
    drawn: list[Floats] = []
    values: list[Floats] = []
    decisions: list[str | None] = []
    part = "level" if shared == 1 else f"level/{shared}"
    stream = cast(Generator[Any, None, None], in_order(work, settings, block=BLOCK))
    with closing(stream) as blocks:
        for column, value in enumerate(observed):
            answer = rule.run(_exceeding(drawn, blocks, column, float(value)))
            values.append(np.concatenate([part[:, column] for part in drawn])[: answer.steps])
            decisions.append(answer.decision and answer.decision.replace("level", part))
    return values, decisions


def _exceeding(
    drawn: list[Floats], blocks: Iterator[Any], column: int, observed: float
) -> Iterator[Bools]:
    """Blocks of one statistic: those already drawn, then new ones, which are kept for others."""
    place = 0
    while True:
        if place == len(drawn):
            fresh = next(blocks, None)
            if fresh is None:
                return
            drawn.append(fresh)
        yield exceedances(observed, drawn[place][:, column])
        place += 1


def fewest_cases(outcome: Array, blocks: Array) -> Iterator[Array]:
    """For every class the labelling of whole blocks that leaves it the fewest cases.

    >>> [one.tolist() for one in fewest_cases(np.array([0, 0, 1]), np.array([7, 7, 8]))]
    [[1, 1, 0], [0, 0, 1]]
    """
    code = codes(blocks)
    parts = members(code)
    labels = outcome[[part[0] for part in parts]]
    smallest_first = np.argsort([part.size for part in parts], kind="stable")
    for label in np.unique(labels):
        moved = np.empty_like(labels)
        moved[smallest_first] = np.concatenate([labels[labels == label], labels[labels != label]])
        yield moved[code]


# ----------------------------------------------------------------------------------------------
# What a reader should know of a detection before believing it.
# ----------------------------------------------------------------------------------------------


UNITS = 10  # times: standard deviations of features so unequal that their units decide
LEVEL = 0.05
PAPER = "Rosenblatt et al. (2019)"
DISCRIMINANTS = (LDA, DiagonalLDA, ShrunkenDiagonalLDA, RegularisedDA)

Named = Sequence[tuple[str, Any]]  # statistics with the names of their rows


def advice_on(
    X: Floats, outcome: Array, statistics: Named, columns: Sequence[str] | None, labellings: float
) -> Iterator[Advice]:
    """Remarks on features (n, p), outcomes and statistics, of so many different labellings."""
    yield from _on_accuracies(X, outcome, statistics)
    yield from _on_features(X, outcome, statistics, columns)
    if 1 / labellings > LEVEL:
        yield Advice(
            "AC564",
            f"permuting gives only {labellings:.0f} different labellings, so p cannot fall much "
            f"below {1 / labellings:.2g}; more cases or blocks are needed.",
        )


def advice_on_draws(draws: int, level: float, shared: int) -> Iterator[Advice]:
    """A remark where no p of so many draws can be as small as its part of a shared level."""
    needed = math.ceil(shared / level) - 1
    if draws < needed:
        many = "" if shared == 1 else f", the part of {level:g} that each of {shared} tests has"
        yield Advice(
            "AC566",
            f"{draws} draws cannot give a p of {level / shared:.3g}{many}, so nothing can be "
            f"rejected; allow at least {needed}, and several times as many to decide early.",
        )


def _on_accuracies(X: Floats, outcome: Array, statistics: Named) -> Iterator[Advice]:
    n, p = X.shape
    accuracies = [name for name, s in statistics if isinstance(s, Accuracy)]
    inside = [name for name in accuracies if ".resub" in name]
    if inside and p >= n / 4:
        yield Advice(
            "AC560",
            f"{', '.join(inside)}: with {p} features for {n} cases a learner fits any labelling "
            "nearly perfectly, so its accuracy on the same cases has little or no power.",
            PAPER,
        )
    discrete = [name for name in accuracies if ".b632" not in name and ".bloo" not in name]
    if discrete and n < 100:
        yield Advice(
            "AC561",
            f"{', '.join(discrete)}: an accuracy over {n} cases takes few values, so its test is "
            "conservative; a two-group statistic or a bootstrap accuracy detects more.",
            PAPER,
        )
    rough = [name for name, s in statistics if _inverts(s)]
    if rough and p >= n / 4:
        yield Advice(
            "AC567",
            f"{', '.join(rough)}: with {p} features for {n} cases the inverse of a covariance is "
            "mostly noise; regularise: hotelling_shrink or srivastava_du of two groups, hdrda or a "
            "support vector machine with a small cost as learner.",
            PAPER,
        )
    scaled = [name for name, s in statistics if isinstance(s, Accuracy) and s.scaling != "plain"]
    if scaled:
        yield Advice(
            "AC568",
            f"{', '.join(scaled)}: do not z-score accuracies to test them; permutation needs no "
            "scaling, and dividing by an estimated spread only adds noise.",
            PAPER,
        )
    if len(accuracies) == len(statistics) and outcome.max() == 1:
        yield Advice(
            "AC562",
            "to detect a difference, prefer a two-group statistic such as srivastava_du or "
            "hotelling_shrink; keep accuracy for how well classes can be told apart.",
            PAPER,
        )


def _inverts(statistic: Any) -> bool:
    """Whether a statistic inverts a covariance as it was estimated."""
    if isinstance(statistic, Accuracy):
        return type(statistic.learner) is LDA
    return isinstance(statistic, Statistic) and statistic.full_rank


def _units_differ(X: Floats) -> bool:
    spread = X.std(axis=0)
    return bool(spread.max() > UNITS * spread.min())


def _on_features(
    X: Floats, outcome: Array, statistics: Named, columns: Sequence[str] | None
) -> Iterator[Advice]:
    near = [name for name, s in statistics if isinstance(s, Statistic) and s.of_distances]
    if near and _units_differ(X):
        yield Advice(
            "AC563",
            f"{', '.join(near)}: distances between rows depend on the units of the features, "
            "which differ much in spread here; consider standardise=True (--standardise).",
        )
    blind = [
        name
        for name, s in statistics
        if isinstance(s, Accuracy) and isinstance(s.learner, DISCRIMINANTS)
    ]
    if not blind or outcome.dtype.kind == "f":
        return
    means, _ = class_means(X, outcome)
    still = np.flatnonzero(~varies(X - means[outcome], X)).tolist()
    if still:
        called = [repr(columns[j]) if columns else j + 1 for j in still]
        yield Advice(
            "AC565",
            f"{', '.join(blind)}: discriminants leave out features that do not vary within "
            f"classes, and column {listed(called)} separates the classes "
            "without varying in any; use a support vector machine or a two-group statistic.",
        )


# ----------------------------------------------------------------------------------------------
# Do the classes differ at all? Two-group tests and accuracy tests on the same permutations.
# ----------------------------------------------------------------------------------------------


DEFAULT_TESTS = {
    "two": ("hotelling_shrink", "srivastava_du", "lda.b632"),
    "several": ("goeman", "energy", "lda.b632"),
    "numeric": ("goeman", "energy"),
}
PERMUTE = ("labels", "rows", "within", "blocks", "features")
KINDS = ("classes", "numeric")


@settled
def detect(
    X: Any,
    y: Any,
    *,
    tests: Iterable[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    kind: str | None = None,
    standardise: bool = False,
    permute: str = "labels",
    blocks: Any = None,
    **given: Any,
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
    permute
        "labels": freely; "rows": whole rows of features, while folds and bootstrap samples stay
        at their places (Golland et al. 2005); "within" or "blocks" with `blocks`: within each
        block, or whole blocks of constant label; "features": every feature on its own (a stronger
        hypothesis). Blocks may differ in size.
    blocks
        The block of each case, for `permute="within"` and `permute="blocks"`.

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
    settings = Settings.of("detect", given)
    columns, _, moved = aligned({"X": X, "y": y, "blocks": blocks})
    y, blocks = columns["y"], columns["blocks"]
    called = _column_names(X, feature_names)
    features = features_of(X, called)
    if standardise:
        features = features / features.std(axis=0)
    outcome, classes = _outcome(y, kind, len(features))
    statistics = tuple(_statistics(tests, outcome))
    units = None if blocks is None else present("blocks", blocks)
    scheme = _scheme(outcome, permute, units)
    if permute == "blocks" and units is not None and outcome.dtype.kind != "f":
        for labelling in fewest_cases(outcome, units):
            for statistic in statistics:
                statistic.require(features, labelling)
    # What is worth doing fast is the whole run: the same way for the outcome as it is.
    fast = worthwhile(settings.flips * len(outcome)) or None
    work = Labellings(
        features,
        outcome,
        with_seeds(statistics, settings.seed),
        scheme,
        permute,
        fast,
        settings.seed,
    )
    observed = work.observed()
    # No accuracy is infinite: its scale was 0.
    broken = np.isinf(observed) & [isinstance(s, Accuracy) for s in statistics]
    observed = np.where(broken, np.nan, observed)
    decisions: list[str | None] = [None] * len(statistics)
    adjust, rule = settings.adjust != "none", settings.rule
    shared = len(statistics) if adjust else 1
    stop = settings.stop
    if stop is None:
        null = every_value(work, settings)
    else:
        null, decisions = until_decided(work, settings, observed, shared=shared)
    names, titles = _told_apart(statistics, outcome)
    found = [
        _against(value, each, rule) for value, each in zip(observed.tolist(), null, strict=True)
    ]
    p_adjusted: list[float] | list[None] = [None] * len(found)
    if adjust and len(found) > 1:
        p_adjusted = _adjusted([one["p_value"] for one in found], settings.adjust)
    rows = [
        Detected(
            statistic=name,
            title=title,
            undefined=statistic.undefined_when if math.isnan(one["value"]) else None,
            decision=None if math.isnan(one["value"]) else decision,
            p_adjusted=adjusted_p,
            **one,
        )
        for name, title, statistic, one, adjusted_p, decision in zip(
            names, titles, statistics, found, p_adjusted, decisions, strict=True
        )
    ]
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
        level=None if stop is None else settings.alpha,
        decided_at=None if stop is None else settings.alpha / shared,
        seed=settings.seed,
        null=dict(zip(names, null, strict=True)),
        advice=(
            *moved,
            *advice_on(features, outcome, list(zip(names, statistics, strict=True)), called, many),
            *(() if stop is None else advice_on_draws(settings.flips, settings.alpha, shared)),
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
    for statistic in map(statistic_of, [tests] if alone else tests):
        if statistic not in found:
            found.append(statistic)
    if not found:
        raise NotApplicable("no test was named.")
    return found


def statistic_of(test: Any) -> Statistic | Accuracy:
    if isinstance(test, str):
        return named(test)
    if isinstance(test, Statistic | Accuracy):
        return test
    if _classifies(test):
        return Accuracy(Estimator(test))
    what = f"the class {test.__name__}" if isinstance(test, type) else type(test).__name__
    raise NotApplicable(
        "a test must be a name, a statistic of abovechance.signal, or a scikit-learn classifier; "
        f"got {what}."
    )


def with_seeds(statistics: Sequence[Any], seed: int) -> tuple[Any, ...]:
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
    own = [s.name for s in statistics]
    names, titles = [], []
    for place, s in enumerate(statistics):
        before, title = own[:place].count(own[place]), _title(s, outcome)
        names.append(f"{own[place]} ({before + 1})" if before else own[place])
        if own.count(own[place]) > 1 and isinstance(s, Accuracy):
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
    if rule == "paper" and not math.isnan(value):
        p = found.exceed / found.draws
    known = null[~np.isnan(null)] if found.undefined else null
    mean = float(known.sum()) / len(known) if len(known) else np.nan
    return {"value": value, "p_value": p, "draws": found.draws, "null_mean": mean}


def _adjusted(p: Sequence[float], adjust: str) -> list[float]:
    """Adjusted p-values; what has no p was a test all the same."""
    found = adjusted([1.0 if math.isnan(one) else one for one in p], adjust).tolist()
    return [math.nan if math.isnan(one) else new for one, new in zip(p, found, strict=True)]


def _scheme(outcome: Array, permute: str, blocks: Array | None) -> Any:
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "features":
        if blocks is not None:
            raise NotApplicable("blocks= goes with permute='within' or permute='blocks'.")
        return None
    if permute == "rows":
        return scheme_of(outcome, "labels", blocks)
    ends = outcome.min(), outcome.max()
    two = ends == (0, 1) and (outcome.dtype.kind != "f" or not (outcome % 1).any())
    if permute == "labels" and blocks is None and two:
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
