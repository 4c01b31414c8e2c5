"""Do the classes differ at all? Two-group tests and accuracy tests on the same permutations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.multiplicity import holm
from abovechance.inference.nulls import null_values, scheme_of
from abovechance.inference.results import Result, to_frame
from abovechance.resampling import (
    LabelPermutations,
    Resampling,
    seed_of,
    stream,
    tail,
)
from abovechance.signal import Accuracy, classes_of, evaluate, features_of, find

DEFAULT_TESTS = ("hotelling_shrink", "srivastava_du", "lda.b632")
PERMUTE = ("labels", "within", "blocks", "features")
RULES = ("standard", "paper")
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
    """Whether classes differ, by several statistics on the same permutations."""

    tests: tuple[Detected, ...]
    n: int
    features: int
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
            adjusted = "" if r.p_adjusted is None else f", adjusted {r.p_adjusted:.3g}"
            lines.append(
                f"{r.statistic:<20} {r.value:>9.4g}  null mean {r.null_mean:>8.4g}  "
                f"p = {r.p_value:.3g}{adjusted}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Labellings:
    """Statistics on permuted labellings, as work for blocks."""

    X: Floats
    labels: Ints
    statistics: tuple[Any, ...]
    scheme: Any
    permute: str

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        if self.permute == "features":
            values = self._shuffled(rng, size)
        else:
            drawn = self.scheme.draw(rng, size)
            labels = drawn.astype(np.int64) if drawn.dtype == np.bool_ else self.labels[drawn]
            values = evaluate(self.X, labels, self.statistics, rng)
        return {s.name: values[:, i] for i, s in enumerate(self.statistics)}

    def _shuffled(self, rng: np.random.Generator, size: int) -> Floats:
        """Every feature permuted on its own: breaks their correlation as well."""
        rows = []
        for _ in range(size):
            other = rng.permuted(self.X, axis=0)
            rows.append(evaluate(other, self.labels[None, :], self.statistics, rng)[0])
        return np.array(rows)


def detect(
    X: Any,
    y: Any,
    *,
    tests: Iterable[Any] = DEFAULT_TESTS,
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
        `lda.b632.B50`), or the papers' own names; or statistics themselves.
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
    labels, names = classes_of(np.asarray(y), len(features))
    if rule not in RULES:
        raise NotApplicable(f"rule must be one of {', '.join(RULES)}; got {rule!r}.")
    statistics = tuple(_statistics(tests, features, labels))
    how = Resampling(
        draws=draws, seed=seed_of(rng), workers=workers, store=store, progress=progress
    )
    work = Labellings(features, labels, statistics, _scheme(labels, permute, blocks), permute)
    observed = evaluate(features, labels[None, :], statistics, stream(how.seed, OBSERVED))[0]
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
                title=statistic.title,
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
        n=len(labels),
        features=features.shape[1],
        classes=tuple(str(c) for c in names),
        permute=permute,
        hypothesis=_hypothesis(permute),
        seed=how.seed,
        null=null,
        advice=tuple(_advice(features, labels, statistics)),
    )


def _statistics(tests: Iterable[Any], X: Floats, labels: Ints) -> Iterator[Any]:
    names = [tests] if isinstance(tests, str) else list(tests)
    if not names:
        raise NotApplicable("no test was named.")
    for test in names:
        statistic = find(test) if isinstance(test, str) else test
        statistic.require(X, labels)
        yield statistic


def _scheme(labels: Ints, permute: str, blocks: Any) -> Any:
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "features":
        return None
    if permute == "labels" and blocks is None and labels.max() == 1:
        return LabelPermutations(labels == 1)
    if permute == "blocks" and blocks is not None:
        sizes = np.unique(np.asarray(blocks), return_counts=True)[1]
        if len(np.unique(sizes)) > 1:
            raise DataError(
                "permuting whole blocks here needs blocks of equal size; theirs range from "
                f"{sizes.min()} to {sizes.max()}. Balance them first."
            )
    return scheme_of(labels, permute, blocks)


def _hypothesis(permute: str) -> str:
    return {
        "labels": "features have the same distribution in all classes",
        "within": "within blocks, features have the same distribution in all classes",
        "blocks": "features of whole blocks have the same distribution in all classes",
        "features": "features are independent of the class and of each other",
    }[permute]


def _advice(X: Floats, labels: Ints, statistics: Sequence[Any]) -> Iterator[Advice]:
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
    if len(accuracies) == len(statistics) and labels.max() == 1:
        yield Advice(
            "AC562",
            "to detect a difference, prefer a two-group statistic such as srivastava_du or "
            "hotelling_shrink; keep accuracy for how well classes can be told apart.",
            PAPER,
        )
