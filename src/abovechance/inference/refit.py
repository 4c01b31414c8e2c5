"""Is a learner better than chance? Refit it under permuted outcomes and compare."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.nulls import null_values, scheme_of
from abovechance.inference.refit_guards import (
    HYPOTHESES,
    check_groups,
    positive_class,
    refit_advice,
    splits_blocks,
)
from abovechance.inference.refitting import EitherWay, Refits, TogetherRefits, over_folds
from abovechance.inference.results import Result, Sequel
from abovechance.learning.from_sklearn import folds_of, seeded, seeded_splitter
from abovechance.learning.sklearn_training import Known, known
from abovechance.measures import Measure, find
from abovechance.measures.catalogue import named
from abovechance.measures.evaluation import COUNTING
from abovechance.numerics.kernels import worthwhile
from abovechance.predictions import Predictions
from abovechance.predictions.checks import aligned
from abovechance.resampling import Resampling, seed_of, tail
from abovechance.signal import present

BLOCK = 8  # refits of an estimator of unknown cost
TOGETHER_BLOCK = 128  # refits of one for which there is a fast way, whether taken or not


@dataclass(frozen=True, kw_only=True)
class RefitRow:
    """One measure of a refit permutation test.

    `undefined` says why the outcomes as they are have no value, and then no p.
    """

    measure: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    null_sd: float
    stopped: Sequel | None = None
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class RefitTest(Result, kind="permutation_test"):
    """A learner under cross-validation, tested by refitting it under permuted outcomes.

    `together` says whether the learner was trained by the fast way for all permutations at once,
    or by scikit-learn one by one; the numbers are the same. `described` names learner and folds.
    """

    tests: tuple[RefitRow, ...]
    n: int
    permute: str
    hypothesis: str
    seed: int
    together: bool
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __getitem__(self, measure: str) -> RefitRow:
        labels = {find(measure).label, find(measure).for_outcome("multiclass").label, measure}
        for row in self.tests:
            if row.measure in labels:
                return row
        raise NotApplicable(f"{measure!r} was not tested.")

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in super().to_dict().items() if key != "null"}

    def rows(self) -> list[dict[str, Any]]:
        """The tests as rows of a table; `stopped` is what a sequential test decided."""
        return [
            vars(row) | {"stopped": None if row.stopped is None else row.stopped.decision}
            for row in self.tests
        ]


def permutation_test(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    measures: str | Measure | Iterable[str | Measure] = ("balanced_accuracy",),
    permute: str = "labels",
    blocks: Any = None,
    groups: Any = None,
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
    is the mean over folds; of all cases where folds are too small for the measure: it is undefined
    in one, or averages classes of which one is missing there. Where a training part holds a single
    class, that one is predicted.

    Parameters
    ----------
    estimator
        Any scikit-learn estimator or pipeline.
    X
        Features: cases × features.
    y
        Observed classes or numbers.
    cv
        Number of folds or a scikit-learn splitter, which splits anew for every permutation.
    measures
        A name or measure, or several; all are computed from the same refits.
    permute
        "labels": outcomes move freely. "within": within each block (repeated measures of a
        subject). "blocks": blocks exchange their outcomes as wholes (labels constant per block).
    blocks
        The block of each case, for `permute="within"` and `permute="blocks"`.
    groups, cv_groups
        Clusters that cross-validation keeps together, as scikit-learn means `groups`. Where
        outcomes are constant within all of them, they are also what can be permuted:
        `permute="blocks", blocks=groups`.
    pos_label
        The positive class of two that are not coded 0/1; needed for measures that depend on it.
    draws
        Number of permutations; 999 unless stated.
    stop
        "gandy" stops as soon as p is known to lie on one side of `level` (for the first measure).
        All draws are made when not given.
    level
        The level that p is compared with when stopping; 0.05 unless stated.
    risk
        Probability of stopping with a wrong decision, at most; 0.001 unless stated.
    rng
        Seed of the permutations, and of whatever else is random: folds that are shuffled, those
        inside the estimator too, and every `random_state` of it, nested ones too, that is None.
        Those that are set stay as they are. All refits use the same.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.
    progress
        True to show how far it is, or a function that is called with the numbers done and to do.
    fast
        Train linear discriminants and linear support vector machines (`learning.recognise`) on
        all permutations together where this gives scikit-learn's own numbers: two classes, every
        case tested once, measures of labels and, of discriminants, of probabilities. False
        always refits one by one.

    Returns
    -------
    RefitTest
        One row per measure; `test["auc"]` has its value, p-value and null mean.

    Raises
    ------
    DataError
        If the values are not what they must be, or both `groups` and `cv_groups` are given.
    NotApplicable
        If a measure has no better direction, or the permutation does not suit the blocks.

    See Also
    --------
    detect : whether classes differ in their features, by statistics made for it.
    significance.permutation : of predictions that are there, without refits.

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
    if groups is not None:
        if cv_groups is not None:
            raise DataError("give groups= or cv_groups=, two words for the same; not both.")
        cv_groups = groups
    columns, _, notes = aligned({"X": X, "y": y, "blocks": blocks, "cv_groups": cv_groups})
    outcome, blocks, cv_groups = (columns[name] for name in ("y", "blocks", "cv_groups"))
    outcome = present("outcomes", outcome)
    blocks = None if blocks is None else present("blocks", blocks)
    cv_groups = None if cv_groups is None else present("cv_groups", cv_groups)
    scheme = scheme_of(outcome, permute, blocks)
    check_groups(outcome, permute, blocks, cv_groups)
    how = Resampling(
        draws=draws, seed=seed_of(rng), workers=workers, store=store, progress=progress
    )
    named = _named(measures)
    singly = Refits(
        estimator=seeded(estimator, how.seed),
        X=X,
        y=outcome,
        cv=seeded_splitter(list(cv) if isinstance(cv, Iterator) else cv, how.seed),
        cv_groups=cv_groups,
        measures=named,
        pos_label=positive_class(named, outcome, pos_label),
        seed=how.seed,
        scheme=scheme,
    )
    recognised = known(singly.estimator, X) if len(np.unique(outcome)) == 2 else None
    if recognised is not None:
        singly = replace(singly, level=recognised.kind == "probability")
    together = _together(recognised, singly)
    block = BLOCK if together is None else TOGETHER_BLOCK
    if not fast or not worthwhile(draws * len(outcome)):
        together = None
    if together is None:
        first = singly.predictions(outcome)
        chosen = _fitted(named, first)
        observed = {m.label: over_folds(m, first) for m in chosen}
    else:  # by the same arithmetic as under permutation
        seeded(estimator, how.seed).fit(X, outcome)  # scikit-learn's checks of what it was given
        chosen = _fitted(named, together.predictions())
        observed = together.observed()
    singly = replace(singly, measures=chosen)
    main = chosen[0]
    null, sequel = null_values(
        EitherWay(singly, together),
        how,
        block,
        first=(main.label, observed[main.label], _side(main)),
        stop=stop,
        level=level,
        risk=risk,
    )
    rows = [
        _row(m, observed[m.label], null[m.label], sequel if m is main else None) for m in chosen
    ]
    leaks = permute == "blocks" and splits_blocks(singly.splitter, X, outcome, blocks, cv_groups)
    return RefitTest(
        tests=tuple(rows),
        n=len(outcome),
        permute=permute,
        hypothesis=HYPOTHESES[permute],
        seed=how.seed,
        together=together is not None,
        null=null,
        advice=(*notes, *refit_advice(outcome, permute, blocks, cv_groups, chosen, leaks)),
        described=f"{_text(estimator)}, cross-validated by {_text(singly.splitter)}",
    )


def _row(measure: Measure, value: float, null: Floats, sequel: Sequel | None) -> RefitRow:
    """A value against those under permutation; what is undefined there is left out of the mean."""
    found = tail(value, null, alternative=_side(measure))
    defined = null[~np.isnan(null)]
    with np.errstate(invalid="ignore"):  # infinite values have no spread
        mean, sd = (defined.mean(), defined.std()) if len(defined) else (np.nan, np.nan)
    why = (measure.undefined or "not defined for these cases") if np.isnan(value) else None
    return RefitRow(
        measure=measure.label,
        title=measure.title,
        value=value,
        p_value=found.p_value,
        draws=found.draws,
        null_mean=float(mean),
        null_sd=float(sd),
        stopped=sequel if why is None else None,
        undefined=why,
    )


def _together(found: Known | None, singly: Refits) -> TogetherRefits | None:
    """The fast way to the same numbers, where there is one."""
    if found is None:
        return None
    counting = all(m.form in COUNTING for m in singly.measures)
    if found.kind != "probability" and not counting:
        return None
    folds = folds_of(singly.splitter, singly.X, singly.y, singly.cv_groups)
    return None if folds is None else TogetherRefits(found, singly)


def _side(measure: Measure) -> Any:
    return "greater" if measure.higher_is_better else "less"


def _named(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    return tuple(named(measures))


def _fitted(measures: Iterable[Measure], predictions: Predictions) -> tuple[Measure, ...]:
    from abovechance.measures.evaluation import fit

    found = tuple(fit(m, predictions) for m in measures)
    for m in found:
        if m.higher_is_better is None:
            raise NotApplicable(f"{m.title} has no better direction to test.")
    return found


def _text(thing: Any) -> str:
    """A learner or splitter in one line."""
    splits = getattr(thing, "cv", None)
    if isinstance(splits, list):
        return f"{len(splits)} given splits"
    return " ".join(repr(thing).split())
