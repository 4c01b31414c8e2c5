"""Is a learner better than chance? Refit it under permuted outcomes and compare."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.nulls import null_values, scheme_of
from abovechance.inference.refitting import Refits, TogetherRefits, over_folds
from abovechance.inference.results import Result, Sequel, to_frame
from abovechance.learning.from_sklearn import from_cv
from abovechance.learning.splits import folds_of, splitter_of
from abovechance.learning.together import known
from abovechance.measures import Measure, find
from abovechance.measures.evaluation import COUNTING
from abovechance.numerics.kernels import worthwhile
from abovechance.numerics.p_values import p_equation
from abovechance.predictions import Predictions
from abovechance.resampling import Resampling, seed_of, tail

BLOCK = 8  # refits of an estimator of unknown cost
TOGETHER_BLOCK = 128  # refits of one for which there is a fast way, whether taken or not
FEW = 100  # arrangements
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
    """A learner under cross-validation, tested by refitting it under permuted outcomes.

    `together` says whether the learner was trained by the fast way for all permutations at once,
    or by scikit-learn one by one; the numbers are the same.
    """

    tests: tuple[RefitRow, ...]
    n: int
    permute: str
    hypothesis: str
    seed: int
    together: bool
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
                f"{p_equation(r.p_value)}, {r.draws} draws"
            )
        return "\n".join(lines)


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
    fast: bool = True,
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
    fast
        Train linear discriminants and linear support vector machines (`learning.recognise`) on
        all permutations together where this gives scikit-learn's own numbers: two classes, every
        case tested once, measures of labels and, of discriminants, of probabilities. False
        always refits one by one.

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
    cv = list(cv) if isinstance(cv, Iterator) else cv
    first = from_cv(
        estimator, X, outcome, cv=cv, groups=cv_groups, pos_label=pos_label, rng=how.seed
    )
    chosen = tuple(_fitted(measures, first))
    singly = Refits(estimator, X, outcome, cv, cv_groups, chosen, pos_label, how.seed, scheme)
    together = _together(singly)
    block = BLOCK if together is None else TOGETHER_BLOCK
    if not fast or not worthwhile(draws * len(outcome)):
        together = None
    if together is None:
        observed = {m.label: over_folds(m, first) for m in chosen}
    else:  # by the same arithmetic as under permutation
        observed = together.observed()
    main = chosen[0]
    null, sequel = null_values(
        together or singly,
        how,
        block,
        first=(main.label, observed[main.label], _side(main)),
        stop=stop,
        level=level,
        risk=risk,
    )
    rows = []
    for m in chosen:
        found = tail(observed[m.label], null[m.label], alternative=_side(m))
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
        together=together is not None,
        null=null,
        advice=tuple(_advice(scheme, permute, chosen)),
    )


def _together(singly: Refits) -> TogetherRefits | None:
    """The fast way to the same numbers, where there is one."""
    found = known(singly.estimator, singly.X)
    if found is None or len(np.unique(singly.y)) != 2:
        return None
    counting = all(m.form in COUNTING for m in singly.measures)
    if found.kind != "probability" and not counting:
        return None
    splitter = splitter_of(singly.estimator, singly.cv, singly.y, singly.cv_groups, singly.seed)
    folds = folds_of(splitter, singly.X, singly.y, singly.cv_groups)
    return None if folds is None else TogetherRefits(found, singly)


def _side(measure: Measure) -> Any:
    return "greater" if measure.higher_is_better else "less"


def _fitted(measures: Iterable[str | Measure], predictions: Predictions) -> list[Measure]:
    from abovechance.measures.evaluation import fit

    found = [fit(find(m) if isinstance(m, str) else m, predictions) for m in measures]
    for m in found:
        if m.higher_is_better is None:
            raise NotApplicable(f"{m.title} has no better direction to test.")
    if not found:
        raise NotApplicable("no measure was named.")
    return found


def _advice(scheme: Any, permute: str, chosen: Sequence[Measure]) -> Iterable[Advice]:
    if scheme.arrangements < FEW:
        least = 1.0 / scheme.arrangements
        yield Advice("AC645", f"with so few arrangements p cannot fall below {least:.2g}.")
    if permute == "within":
        yield Advice("AC646", "outcomes moved within blocks: this tests prediction within them.")
    if len(chosen) > 1:
        yield Advice("AC647", "several measures of one learner: name the primary one beforehand.")
