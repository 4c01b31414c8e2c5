"""Do the classes differ at all? Two-group tests and accuracy tests on the same permutations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.multiplicity import holm
from abovechance.inference.nulls import null_values, scheme_of
from abovechance.inference.results import Result, to_frame
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.p_values import p_equation, p_text
from abovechance.resampling import (
    LabelPermutations,
    Resampling,
    seed_of,
    stream,
    tail,
)
from abovechance.signal import (
    Accuracy,
    classes_of,
    evaluate,
    evaluate_numeric,
    features_of,
    find,
    holds_numbers,
    numbers_of,
)

DEFAULT_TESTS = {
    "two": ("hotelling_shrink", "srivastava_du", "lda.b632"),
    "several": ("goeman", "energy", "lda.b632"),
    "numeric": ("goeman", "energy"),
}
UNITS = 10  # times: standard deviations of features so unequal that their units decide
PERMUTE = ("labels", "within", "blocks", "features")
RULES = ("standard", "paper")
KINDS = ("classes", "numeric")
BLOCK = 64
OBSERVED = 2**31  # a block number that no permutation uses
PAPER = "Rosenblatt et al. (2019)"


@dataclass(frozen=True, kw_only=True)
class Detected:
    """One statistic against its permutations."""

    statistic: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    p_adjusted: float | None = None
    decision: str | None = None


@dataclass(frozen=True, kw_only=True)
class Detection(Result):
    """Whether classes differ, by several statistics on the same permutations.

    For an outcome of numbers: whether features and outcome depend on each other.
    """

    tests: tuple[Detected, ...]
    n: int
    features: int
    kind: str
    classes: tuple[str, ...]
    permute: str
    hypothesis: str
    seed: int
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __getitem__(self, statistic: str) -> Detected:
        for row in self.tests:
            if row.statistic in (statistic, find(statistic).name):
                return row
        raise NotApplicable(f"{statistic!r} was not tested.")

    def to_dict(self) -> dict[str, Any]:
        found = {"abovechance": __version__, **super().to_dict()}
        del found["null"]
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The tests as rows of a table."""
        return [vars(row) for row in self.tests]

    def to_frame(self, library: str = "pandas") -> Any:
        """The tests as a dataframe of pandas or polars."""
        return to_frame(self.rows(), library)

    def to_csv(self) -> str:
        """The tests as CSV."""
        from abovechance.io.export import to_csv_text

        return to_csv_text(self.rows())

    def __str__(self) -> str:
        lines = [f"{self.n} cases, {self.features} features; H0: {self.hypothesis}"]
        for r in self.tests:
            adjusted = "" if r.p_adjusted is None else f", adjusted {p_text(r.p_adjusted)}"
            lines.append(
                f"{r.statistic:<20} {r.value:>9.4g}  null mean {r.null_mean:>8.4g}  "
                f"{p_equation(r.p_value)}{adjusted}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Labellings:
    """Statistics on permuted outcomes, as work for blocks.

    `outcome` holds class numbers, or numbers; `fast` is that of `evaluate`.
    """

    X: Floats
    outcome: Array
    statistics: tuple[Any, ...]
    scheme: Any
    permute: str
    fast: bool | None

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        if self.permute == "features":
            values = self._shuffled(rng, size)
        else:
            drawn = self.scheme.draw(rng, size)
            chosen = drawn.astype(np.int64) if drawn.dtype == np.bool_ else self.outcome[drawn]
            values = self.values(self.X, chosen, rng)
        return {s.name: values[:, i] for i, s in enumerate(self.statistics)}

    def values(self, X: Floats, outcomes: Array, rng: np.random.Generator) -> Floats:
        """Values (B, S) for outcomes (B, n)."""
        if self.outcome.dtype.kind == "f":
            return evaluate_numeric(X, outcomes, self.statistics)
        return evaluate(X, outcomes, self.statistics, rng, fast=self.fast)

    def _shuffled(self, rng: np.random.Generator, size: int) -> Floats:
        """Every feature permuted on its own: breaks their correlation as well."""
        rows = []
        for _ in range(size):
            other = rng.permuted(self.X, axis=0)
            rows.append(self.values(other, self.outcome[None, :], rng)[0])
        return np.array(rows)


def detect(
    X: Any,
    y: Any,
    *,
    tests: Iterable[Any] | None = None,
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

    Parameters
    ----------
    tests
        Names: two-group statistics (`hotelling`, `hotelling_shrink`, `srivastava_du`, `goeman`,
        `mmd`, `energy`, `simes`, `cai`), accuracies by their grammar (`svm.c10.cv8`,
        `lda.b632.B50`), or the papers' own names; or statistics themselves. With more than two
        classes `hotelling`, `goeman`, `mmd`, `energy` and accuracies; for numbers the first four.
    kind
        "classes" or "numeric"; when not given, fractions and more than 20 different numbers
        are numeric.
    standardise
        Divide every feature by its standard deviation over all cases first; matters to `goeman`,
        `mmd`, `energy` and the squared-hinge machines, which depend on units.
    permute
        "labels": freely; "within" or "blocks" with `blocks`: within each block, or whole blocks
        of constant label; "features": every feature on its own (a stronger hypothesis).
    adjust
        Adjust for several tests by Holm.
    rule
        "standard": (b + 1) / (m + 1). "paper": b / m, without the observed labelling, as the
        studies of the papers were run; its size exceeds the level.
    stop
        "gandy" stops as soon as the first test's p is known to lie on one side of `level`.

    Folds and bootstrap samples are drawn anew for every permutation.

    References
    ----------
    Rosenblatt, Benjamini, Gilron, Mukamel & Goeman (2019); Gandy (2009).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(30) % 2
    >>> X = rng.normal(size=(30, 4)) + 0.9 * y[:, None]
    >>> detect(X, y, tests=["hotelling"], draws=99, rng=1)["hotelling"].p_value
    0.01
    """
    features = features_of(np.asarray(X))
    if standardise:
        features = features / features.std(axis=0)
    outcome, names = _outcome(y, kind, len(features))
    if rule not in RULES:
        raise NotApplicable(f"rule must be one of {', '.join(RULES)}; got {rule!r}.")
    statistics = tuple(_statistics(tests, outcome))
    how = Resampling(
        draws=draws, seed=seed_of(rng), workers=workers, store=store, progress=progress
    )
    scheme = _scheme(outcome, permute, blocks)
    # What is worth doing fast is the whole run: the same way for the outcome as it is.
    fast = worthwhile(draws * len(outcome)) or None
    work = Labellings(features, outcome, statistics, scheme, permute, fast)
    observed = work.values(features, outcome[None, :], stream(how.seed, OBSERVED))[0]
    null, sequel = null_values(
        work,
        how,
        BLOCK,
        first=(statistics[0].name, float(observed[0]), "greater"),
        stop=stop,
        level=level,
        risk=risk,
    )
    decision = None if sequel is None else sequel.decision
    rows = []
    for statistic, value in zip(statistics, observed, strict=True):
        values = null[statistic.name]
        found = tail(float(value), values)
        p = found.p_value if rule == "standard" else found.exceed / found.draws
        rows.append(
            Detected(
                statistic=statistic.name,
                title=_title(statistic, outcome),
                value=float(value),
                p_value=p,
                draws=found.draws,
                null_mean=float(np.mean(values)),
                decision=decision if statistic is statistics[0] else None,
            )
        )
    if adjust and len(rows) > 1:
        adjusted = holm([row.p_value for row in rows])
        rows = [replace(r, p_adjusted=float(p)) for r, p in zip(rows, adjusted, strict=True)]
    return Detection(
        tests=tuple(rows),
        n=len(outcome),
        features=features.shape[1],
        kind="numeric" if outcome.dtype.kind == "f" else "classes",
        classes=tuple(str(c) for c in names),
        permute=permute,
        hypothesis=_hypothesis(permute, outcome),
        seed=how.seed,
        null=null,
        advice=tuple(_advice(features, outcome, statistics)),
    )


def _outcome(y: Any, kind: str | None, n: int) -> tuple[Array, Array]:
    """Class numbers and the classes; or numbers, and no classes."""
    if kind not in (None, *KINDS):
        raise NotApplicable(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
    if kind == "numeric" or (kind is None and holds_numbers(np.asarray(y))):
        return numbers_of(np.asarray(y), n), np.array([])
    return classes_of(np.asarray(y), n)


def _statistics(tests: Iterable[Any] | None, outcome: Array) -> Iterator[Any]:
    if tests is None:
        several = "several" if outcome.max() > 1 else "two"
        tests = DEFAULT_TESTS["numeric" if outcome.dtype.kind == "f" else several]
    names = [tests] if isinstance(tests, str) else list(tests)
    if not names:
        raise NotApplicable("no test was named.")
    for test in names:
        yield find(test) if isinstance(test, str) else test


def _title(statistic: Any, outcome: Array) -> str:
    if isinstance(statistic, Accuracy):
        return statistic.title
    extended = statistic.several if outcome.max() > 1 else None
    if outcome.dtype.kind == "f":
        extended = statistic.numeric
    return str(statistic.title if extended is None else extended.title)


def _scheme(outcome: Array, permute: str, blocks: Any) -> Any:
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "features":
        return None
    if permute == "labels" and blocks is None and set(np.unique(outcome)) == {0, 1}:
        return LabelPermutations(outcome == 1)
    if permute == "blocks" and blocks is not None:
        sizes = np.unique(np.asarray(blocks), return_counts=True)[1]
        if len(np.unique(sizes)) > 1:
            raise DataError(
                "permuting whole blocks here needs blocks of equal size; theirs range from "
                f"{sizes.min()} to {sizes.max()}. Balance them first."
            )
    return scheme_of(outcome, permute, blocks)


def _hypothesis(permute: str, outcome: Array) -> str:
    if outcome.dtype.kind == "f":
        return {
            "labels": "features and outcome are independent",
            "within": "within blocks, features and outcome are independent",
            "blocks": "features and outcome of whole blocks are independent",
            "features": "features are independent of the outcome and of each other",
        }[permute]
    return {
        "labels": "features have the same distribution in all classes",
        "within": "within blocks, features have the same distribution in all classes",
        "blocks": "features of whole blocks have the same distribution in all classes",
        "features": "features are independent of the class and of each other",
    }[permute]


def _advice(X: Floats, outcome: Array, statistics: Sequence[Any]) -> Iterator[Advice]:
    n, p = X.shape
    accuracies = [s for s in statistics if isinstance(s, Accuracy)]
    inside = [s.name for s in accuracies if ".resub" in s.name]
    if inside and p >= n / 4:
        yield Advice(
            "AC560",
            f"{', '.join(inside)}: with {p} features for {n} cases a learner fits any labelling "
            "nearly perfectly, so its accuracy on the same cases has little or no power.",
            PAPER,
        )
    discrete = [s.name for s in accuracies if ".b632" not in s.name and ".bloo" not in s.name]
    if discrete and n < 100:
        yield Advice(
            "AC561",
            f"{', '.join(discrete)}: an accuracy over {n} cases takes few values, so its test is "
            "conservative; a two-group statistic or a bootstrap accuracy detects more.",
            PAPER,
        )
    if len(accuracies) == len(statistics) and outcome.max() == 1:
        yield Advice(
            "AC562",
            "to detect a difference, prefer a two-group statistic such as srivastava_du or "
            "hotelling_shrink; keep accuracy for how well classes can be told apart.",
            PAPER,
        )
    spread = X.std(axis=0)
    near = [s.name for s in statistics if s.name in ("goeman", "mmd", "energy")]
    if near and spread.max() > UNITS * spread.min():
        yield Advice(
            "AC563",
            f"{', '.join(near)}: distances between rows depend on the units of the features, "
            "which differ much in spread here; consider standardise=True (--standardise).",
        )
