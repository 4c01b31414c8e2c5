"""Is a learner better than chance? Refit it under permuted outcomes and compare."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.results import Result, Sequel, to_frame
from abovechance.learning.from_sklearn import from_cv
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Multiclass, Predictions
from abovechance.resampling import (
    Permutations,
    Resampling,
    Sequential,
    WholeBlocks,
    WithinBlocks,
    exceedances,
    in_order,
    replicate_blocks,
    seed_of,
    tail,
)

BLOCK = 8
FEW = 100  # arrangements
PERMUTE = ("labels", "within", "blocks")
HYPOTHESIS = "features and outcome are independent"


@dataclass(frozen=True, kw_only=True)
class RefitRow:
    """One measure of a refit permutation test."""

    measure: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    null_sd: float
    stopped: Sequel | None = None


@dataclass(frozen=True, kw_only=True)
class RefitTest(Result):
    """A learner under cross-validation, tested by refitting it under permuted outcomes."""

    tests: tuple[RefitRow, ...]
    n: int
    permute: str
    hypothesis: str
    seed: int
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()

    def __getitem__(self, measure: str) -> RefitRow:
        labels = {find(measure).label, find(measure).for_outcome("multiclass").label, measure}
        for row in self.tests:
            if row.measure in labels:
                return row
        raise NotApplicable(f"{measure!r} was not tested.")

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in super().to_dict().items() if key != "null"}

    def to_frame(self, library: str = "pandas") -> Any:
        """The tests as a dataframe of pandas or polars."""
        return to_frame([vars(row) | {"stopped": None} for row in self.tests], library)

    def __str__(self) -> str:
        lines = [f"{self.n} cases; H0: {self.hypothesis}"]
        for r in self.tests:
            lines.append(
                f"{r.title:<40} {r.value:>8.3f}  null {r.null_mean:.3f} ± {r.null_sd:.3f}  "
                f"p = {r.p_value:.3g}, {r.draws} draws"
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Refits:
    """Measures of a learner refitted under permuted outcomes, as work for blocks."""

    estimator: Any
    X: Any
    y: Array
    cv: Any
    cv_groups: Any
    measures: tuple[Measure, ...]
    pos_label: Any
    seed: int
    scheme: Any

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        orders = self.scheme.draw(rng, size)
        rows = [self.values(self.y[order]) for order in orders]
        return {m.label: np.array([row[m.label] for row in rows]) for m in self.measures}

    def values(self, y: Array) -> dict[str, float]:
        """The mean over folds of each measure when the learner is fitted to these outcomes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit to shuffled outcomes often does not converge
            made = from_cv(
                self.estimator,
                self.X,
                y,
                cv=self.cv,
                groups=self.cv_groups,
                pos_label=self.pos_label,
                rng=self.seed,
            )
        return {m.label: over_folds(m, made) for m in self.measures}


def permutation_test(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    measures: Iterable[str | Measure] = ("balanced_accuracy",),
    permute: str = "labels",
    blocks: Any = None,
    cv_groups: Any = None,
    pos_label: Any = None,
    draws: int = 999,
    stop: str | None = None,
    level: float = 0.05,
    risk: float = 1e-3,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
    progress: Any = None,
) -> RefitTest:
    """Test whether a learner predicts better than chance, refitting it under permuted outcomes.

    The whole cross-validation is repeated for every permutation, splitting and preprocessing
    included, so dependence between folds is in the null as it is in the observed value. A value
    is the mean over folds; of all cases where folds are too small for the measure.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline.
    cv
        Number of folds or a scikit-learn splitter, asked again for every permutation.
    measures
        Names or measures; all are computed from the same refits.
    permute
        "labels": outcomes move freely. "within": within each block (repeated measures of a
        subject). "blocks": blocks exchange their outcomes as wholes (labels constant per block).
    cv_groups
        Clusters that cross-validation keeps together.
    stop
        "gandy" stops as soon as p is known to lie on one side of `level` (for the first measure).

    References
    ----------
    Ojala & Garriga (2010), test 1; Gandy (2009).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> permutation_test(GaussianNB(), X[:60], y[:60], cv=3, draws=19, rng=1)["bac"].p_value
    0.05
    """
    outcome = np.asarray(y)
    scheme = scheme_of(outcome, permute, blocks)
    how = Resampling(
        draws=draws, seed=seed_of(rng), workers=workers, store=store, progress=progress
    )
    first = from_cv(
        estimator, X, outcome, cv=cv, groups=cv_groups, pos_label=pos_label, rng=how.seed
    )
    chosen = tuple(_fitted(measures, first))
    work = Refits(estimator, X, outcome, cv, cv_groups, chosen, pos_label, how.seed, scheme)
    observed = {m.label: over_folds(m, first) for m in chosen}
    null, sequel = _null(work, how, observed, chosen, stop, level, risk)
    rows = []
    for m in chosen:
        side: Any = "greater" if m.higher_is_better else "less"
        found = tail(observed[m.label], null[m.label], alternative=side)
        rows.append(
            RefitRow(
                measure=m.label,
                title=m.title,
                value=observed[m.label],
                p_value=found.p_value,
                draws=found.draws,
                null_mean=float(np.nanmean(null[m.label])),
                null_sd=float(np.nanstd(null[m.label])),
                stopped=sequel if m is chosen[0] else None,
            )
        )
    return RefitTest(
        tests=tuple(rows),
        n=len(outcome),
        permute=permute,
        hypothesis=HYPOTHESIS,
        seed=how.seed,
        null=null,
        advice=tuple(_advice(scheme, permute, chosen)),
    )


def scheme_of(y: Array, permute: str, blocks: Any) -> Any:
    """Orders of outcomes; a scheme that leaves nothing to permute is refused with the remedy."""
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "labels":
        if blocks is not None:
            raise NotApplicable("blocks= goes with permute='within' or permute='blocks'.")
        if len(np.unique(y)) < 2:
            raise NotApplicable("permuting needs outcomes that differ; all are the same.")
        return Permutations(len(y))
    if blocks is None:
        raise NotApplicable(f"permute={permute!r} needs blocks=, one value a case.")
    units = np.asarray(blocks)
    if units.shape != y.shape:
        raise DataError(f"blocks must hold one value for each of the {len(y)} cases.")
    constant = all(len(np.unique(y[units == b])) == 1 for b in np.unique(units))
    if permute == "within":
        if constant:
            raise NotApplicable(
                "outcomes are constant within every block, so permuting within them changes "
                "nothing; permute whole blocks instead (permute='blocks')."
            )
        return WithinBlocks(units)
    if not constant:
        raise NotApplicable(
            "permuting whole blocks needs outcomes that are constant within every block; "
            "permute within blocks instead (permute='within')."
        )
    return WholeBlocks(units)


def over_folds(measure: Measure, predictions: Predictions) -> float:
    """Mean over folds; of all cases together where a fold leaves the measure undefined."""
    fold = predictions.cases.fold
    assert fold is not None
    if isinstance(predictions, Binary | Multiclass):
        seen = predictions.prevalences > 0
        if seen.sum() < 2:
            return float("nan")
    values = [measure.of(predictions.take(fold == k)) for k in np.unique(fold)]
    return float(np.mean(values)) if np.isfinite(values).all() else measure.of(predictions)


def _fitted(measures: Iterable[str | Measure], predictions: Predictions) -> list[Measure]:
    from abovechance.measures.evaluation import fit

    found = [fit(find(m) if isinstance(m, str) else m, predictions) for m in measures]
    for m in found:
        if m.higher_is_better is None:
            raise NotApplicable(f"{m.title} has no better direction to test.")
    if not found:
        raise NotApplicable("no measure was named.")
    return found


def _null(
    work: Refits,
    how: Resampling,
    observed: dict[str, float],
    chosen: Sequence[Measure],
    stop: str | None,
    level: float,
    risk: float,
) -> tuple[dict[str, Floats], Sequel | None]:
    if stop is None:
        found = replicate_blocks(work, how, block=BLOCK)
        assert isinstance(found, dict)
        return found, None
    if stop != "gandy":
        raise NotApplicable(f"stop must be 'gandy' or None; got {stop!r}.")
    main = chosen[0]
    side: Any = "greater" if main.higher_is_better else "less"
    kept: list[dict[str, Array]] = []

    def indicators() -> Iterable[Array]:
        for block in in_order(work, how, block=BLOCK):
            assert isinstance(block, dict)
            kept.append(block)
            yield exceedances(observed[main.label], block[main.label], alternative=side)

    answer = Sequential(level=level, risk=risk, steps=how.draws).run(indicators())
    null = {m.label: np.concatenate([b[m.label] for b in kept])[: answer.steps] for m in chosen}
    sequel = Sequel(
        steps=answer.steps,
        estimate=answer.estimate,
        decision=answer.decision,
        interval=answer.interval(),
        level=answer.level,
        risk=answer.risk,
    )
    return null, sequel


def _advice(scheme: Any, permute: str, chosen: Sequence[Measure]) -> Iterable[Advice]:
    if scheme.arrangements < FEW:
        least = 1.0 / scheme.arrangements
        yield Advice("AC645", f"with so few arrangements p cannot fall below {least:.2g}.")
    if permute == "within":
        yield Advice("AC646", "outcomes moved within blocks: this tests prediction within them.")
    if len(chosen) > 1:
        yield Advice("AC647", "several measures of one learner: name the primary one beforehand.")
