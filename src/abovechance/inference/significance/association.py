"""Is there any association between prediction and outcome? One null run for all measures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    answer,
    every,
    facts_of,
    find,
    first_of,
    suited,
    test,
)
from abovechance.inference.results import Test
from abovechance.inference.significance.counts import INDEPENDENT
from abovechance.inference.significance.null import (
    label_scores,
    linear_null,
    observed_sums,
    orders_for,
    outcomes,
    permuted,
    permuted_labels,
    scheme_for,
)
from abovechance.inference.significance.ranks import SAME as SAME_DISTRIBUTION
from abovechance.inference.significance.ranks import mann_whitney
from abovechance.inference.significance.weighting import (
    NOT_BOTH,
    WAYS,
    Weighted,
    key,
    refuse_related,
)
from abovechance.measures import Form, LabelScore, Law, Measure
from abovechance.measures.area_scale import area_scale
from abovechance.measures.shuffled import level, shuffled, tables_of
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions
from abovechance.resampling import (
    DEFAULT,
    LabelPermutations,
    Resampling,
    Scheme,
    replicate_blocks,
    tail,
)

DRAWS = 9999
SLOW_DRAWS = 999  # where every draw is a loop over cases
FAST_BLOCK = 2048
ARRANGEMENTS = 64  # through which a function of a sum is known
CELLS = 1 << 21  # numbers a block may spread over
ALL_LABELLINGS = 2_000_000  # how many are counted one by one when an exact p is asked for
ALL_SLOW = 20_000  # the same where every one is a loop over cases
PERMUTATION = "permutation"
SCORES = "prediction and outcome are independent (labels exchangeable)"


@dataclass(frozen=True)
class Draws:
    """How many permutations (None: as many as are affordable), and how they are drawn.

    `check`: whether a saddlepoint approximation is computed beside a p-value from draws.
    """

    count: int | None = None
    resampling: Resampling = DEFAULT
    exact: bool = False
    check: bool = True

    def affordable(self, n: int, slow: bool) -> int:
        """As many as asked for; by default fewer where every draw costs more."""
        if self.count is not None:
            return self.count
        return SLOW_DRAWS if slow or n > 20_000 else DRAWS

    def counts_all(self, scheme: Scheme, total: int, *, slow: bool = False) -> bool:
        """Whether every arrangement is counted: where few, or as many as can be when asked for."""
        many = scheme.arrangements
        return many <= total or (self.exact and many <= (ALL_SLOW if slow else ALL_LABELLINGS))

    def null(self, work: Any, total: int, n: int, *, fast: bool = False) -> dict[str, Array]:
        """The replicates that `work` computes, by label."""
        block = FAST_BLOCK if fast else max(1, min(FAST_BLOCK, CELLS // max(1, n)))
        found = replicate_blocks(work, replace(self.resampling, draws=total), block=block)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, eq=False)
class _Linear:
    """Sums over permuted positives, as work for blocks."""

    predictions: Binary
    kinds: tuple[LabelScore, ...]
    scheme: LabelPermutations

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        found = linear_null(self.predictions, self.kinds, self.scheme, (rng, size))
        return {kind.value: values for kind, values in found.items()}


@dataclass(frozen=True, eq=False)
class Labels:
    """Binary measures under permuted labels, as work for blocks."""

    predictions: Binary
    measures: tuple[Measure, ...]
    scheme: LabelPermutations

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return permuted_labels(self.measures, self.predictions, self.scheme.draw(rng, size))


@dataclass(frozen=True, eq=False)
class Orders:
    """Measures with outcomes in other orders, as work for blocks."""

    predictions: Predictions
    measures: tuple[Measure, ...]
    scheme: Scheme

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return permuted(self.measures, self.predictions, self.scheme.draw(rng, size))


def association(
    predictions: Predictions,
    measures: Sequence[Measure],
    draws: Draws,
    *,
    shortcuts: bool = True,
    chosen: Mapping[str, Method] = MappingProxyType({}),
) -> dict[str, Test]:
    """One-sided tests of many measures against chance, by label; undefined ones are left out.

    With `shortcuts`, exact distributions stand for permutation where they are the same test:
    Fisher's for everything a binary confusion table says, Mann and Whitney's for areas. `chosen`
    are tests that were asked for by name.
    """
    refuse(predictions)
    testable = [m for m in measures if not np.isnan(m.of(predictions))]
    if isinstance(predictions, Binary | Multiclass) and len(np.unique(outcomes(predictions))) < 2:
        return {}
    found: dict[str, Test] = {}
    for method, some in _by_method(predictions, testable, shortcuts, chosen).items():
        found.update(answers_of(method, predictions, some, draws))
    if predictions.cases.groups is not None or predictions.cases.sample_weight is not None:
        return found
    known = {m.label: shuffled(m, predictions) for m in testable if m.label in found}
    return {
        label: test if known[label] is None else replace(test, expected=known[label])
        for label, test in found.items()
    }


def _by_method(
    predictions: Predictions,
    measures: Sequence[Measure],
    shortcuts: bool,
    chosen: Mapping[str, Method],
) -> dict[Method, list[Measure]]:
    """Which test every measure has: as asked for, else by its law and the data."""
    facts = facts_of(predictions)
    found: dict[Method, list[Measure]] = {m: [] for m in every(Kind.TEST)}
    for m in measures:
        method = chosen.get(m.label)
        if method is not None:
            method.refuse(predictions)
        elif not shortcuts:
            method = find(PERMUTATION, Kind.TEST)
        else:
            method = next(suited(first_of(Kind.TEST, m.law, facts), m, predictions, facts))
        found[method].append(m)
    return {method: some for method, some in found.items() if some}


def answers_of(
    method: Method, predictions: Any, measures: Sequence[Measure], settings: Any
) -> dict[str, Test]:
    """What a test says of some measures, by label."""
    assert method.function is not None
    if method.takes is Takes.MEASURES:
        return dict(method.function(predictions, measures, settings))
    found = {}
    for m in measures:
        said = method.function(m, predictions, settings)
        if isinstance(said, Real):
            said = method.answer(
                statistic=m.of(predictions), p_value=float(said), alternative="greater"
            )
        if said is not None:
            found[m.label] = said if said.by else replace(said, by={"name": method.name})
    return found


def refuse(predictions: Predictions) -> None:
    """Why outcomes must not be permuted among these cases, if so."""
    find(PERMUTATION, Kind.TEST).refuse(predictions)
    refuse_related(predictions)


def hypothesis_of(predictions: Predictions) -> str:
    """The hypothesis of a permutation, with what it takes for granted of sampling weights."""
    return SCORES if predictions.cases.sample_weight is None else f"{SCORES}; {NOT_BOTH}"


def _of_labels(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return isinstance(predictions, Binary) and measure.label_score is LabelScore.LABEL


@test(
    name="fisher",
    title="Fisher's exact test[, unpaired{unpaired}]",
    words="Fisher's exact test[ for different cases{unpaired}]",
    source="fisher1935",
    hypothesis=INDEPENDENT,
    default=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN],
    takes=Takes.MEASURES,
    fits=_of_labels,
    otherwise="permutation",
)
def fisher_of_all(
    predictions: Binary, measures: Sequence[Measure], draws: Draws
) -> dict[str, Test]:
    """One answer for every measure of a 2 × 2 table."""
    exact = fisher(predictions)
    return {m.label: exact for m in measures}


def _of_ranks(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    if not isinstance(predictions, Binary):
        return False
    return measure.label_score is LabelScore.MIDRANK or _of_area(measure, predictions)


@test(
    name="mann_whitney",
    title="Mann–Whitney[, exact{exact}][, normal approximation{approximation}]",
    words="the Mann–Whitney test[ (exact{exact})][ (normal approximation{approximation})]",
    source="mann1947",
    hypothesis=SAME_DISTRIBUTION,
    default=[Law.PAIRS],
    takes=Takes.MEASURES,
    fits=_of_ranks,
    otherwise="permutation",
)
def mann_whitney_of_all(
    predictions: Binary, measures: Sequence[Measure], draws: Draws
) -> dict[str, Test]:
    """One answer for every measure that is better the larger the area."""
    ranks = _ranks(predictions, draws.exact)
    return {m.label: ranks for m in measures}


@test(
    name=PERMUTATION,
    drawn=True,
    title="[sequential {sequential}]permutation[, exact{exact}]"
    "[, normal approximation{approximation}][; {scheme}]",
    words="a[ sequential{sequential}][n exact{exact}] permutation test"
    "[ (normal approximation{approximation})][ ({scheme})]",
    source="phipson2010",
    hypothesis=SCORES,
    default=[Law.MEAN, Law.CENSORED_PAIRS],
    laws=tuple(law for law in Law if law not in (Law.CALIBRATION, Law.UTILITY)),
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
    takes=Takes.MEASURES,
)
def permutation_of_all(
    predictions: Any, measures: Sequence[Measure], draws: Draws
) -> dict[str, Test]:
    """All measures on the same permuted outcomes."""
    if predictions.cases.sample_weight is not None:
        return _weighted(predictions, measures, draws)
    if not isinstance(predictions, Binary):
        return _other(predictions, measures, draws)
    found: dict[str, Test] = {}
    scheme, words = scheme_for(predictions)
    linear = [m for m in measures if m.label_score is not None and predictions.weight is None]
    if linear and _sizes_fixed(scheme):
        found.update(_linear(predictions, linear, scheme, words, draws))
    rest = [m for m in measures if m.label not in found]
    if rest:
        found.update(_general(predictions, rest, scheme, words, draws))
    return found


def _of_area(measure: Measure, predictions: Binary) -> bool:
    """Whether a measure of pairs is better the larger the area, whatever else it declares."""
    if measure.law is not Law.PAIRS or predictions.ranking is None:
        return False
    scale = area_scale(measure, measure.of(predictions), predictions.rank_summary.auc)
    return scale is not None and measure.higher_is_better is (scale.slope > 0)


def _in_parts(work: Callable[[Array], Mapping[Any, Floats]], every: Array) -> dict[Any, Floats]:
    """Values of all arrangements, so many at a time that memory holds them."""
    rows = max(1, CELLS // every.shape[-1])
    parts = [work(every[start : start + rows]) for start in range(0, len(every), rows)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _ranks(predictions: Binary, exact: bool) -> Test:
    """Mann and Whitney's test; exact beyond its usual size when asked for, if it can be counted."""
    if exact:
        try:
            return mann_whitney(predictions, method="exact")
        except NotApplicable:
            pass
    return mann_whitney(predictions)


def _weighted(
    predictions: Predictions, measures: Sequence[Measure], draws: Draws
) -> dict[str, Test]:
    """Weights once stay with predictions and once move with outcomes; the larger p counts."""
    chosen = tuple(m for m in measures if m.higher_is_better is not None)
    if not chosen:
        return {}
    scheme, words = orders_for(predictions)
    work = Weighted(predictions, chosen, scheme)
    total = draws.affordable(predictions.n, True)
    exact = draws.counts_all(scheme, total, slow=True)
    null = work.of(scheme.enumerate()) if exact else draws.null(work, total, predictions.n)
    found = {}
    for m in chosen:
        side = "greater" if m.higher_is_better else "less"
        value = m.of(predictions)
        both = [
            replace(
                _test(value, null[key(way, m)], side, exact, words, m, predictions),
                expected=level(null[key(way, m)]),
            )
            for way in WAYS
        ]
        found[m.label] = max(both, key=lambda test: test.p_value)
    return found


def fisher(predictions: Binary) -> Test:
    """Test whether predicted labels and outcomes are associated, both margins fixed.

    Every measure of a 2 × 2 table is then a monotone function of the true positives, so that this
    one p-value is that of all of them.

    Parameters
    ----------
    predictions
        Predictions of two classes with labels, made with `Binary`.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        For predictions pooled over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    fisher_counts : the same test of a table.
    permutation : for clusters, weights and other measures.

    References
    ----------
    Fisher (1935).

    Examples
    --------
    >>> from abovechance import Binary
    >>> print(fisher(Binary([0, 0, 0, 1, 1, 1], label=[0, 0, 1, 1, 1, 1])))
    p = 0.2, Fisher's exact test; H0: prediction and outcome are independent (both margins fixed)
    """
    from abovechance.inference.significance.counts import fisher_counts

    find("fisher", Kind.TEST).refuse(predictions)
    return fisher_counts(predictions.confusion)


def _linear(
    predictions: Binary,
    measures: Sequence[Measure],
    scheme: LabelPermutations,
    words: str,
    draws: Draws,
) -> dict[str, Test]:
    kinds = tuple(sorted({m.label_score for m in measures if m.label_score is not None}))
    observed = observed_sums(predictions, kinds)
    total = draws.count or DRAWS
    exact = draws.counts_all(scheme, total)
    null: dict[Any, Floats]
    if exact:
        null = _in_parts(partial(linear_null, predictions, kinds, scheme), scheme.enumerate())
    else:
        null = dict(draws.null(_Linear(predictions, kinds, scheme), total, 1, fast=True))
    wanted = draws.check and not exact and scheme.blocks is None
    check = _saddlepoints(predictions, kinds, observed) if wanted else {}
    check = {kind: check.get(kind) for kind in kinds}
    levels = _levels(predictions, measures, scheme, null)
    found = {}
    for m in measures:
        assert m.label_score is not None
        kind = m.label_score
        test = _test(observed[kind], null[kind], "greater", exact, words, m, predictions)
        test = replace(test, expected=levels[m.label])
        found[m.label] = test if exact else replace(test, saddlepoint=check[kind])
    return found


def _levels(
    predictions: Binary, measures: Sequence[Measure], scheme: LabelPermutations, null: Any
) -> dict[str, float | None]:
    """What measures are on average where only the sums they are functions of were drawn.

    A confusion table follows from its true positives. Other functions of a sum are smooth: they
    are read off a polynomial through some arrangements.
    """
    found: dict[str, float | None] = {}
    positives, n = int(predictions.positive.sum()), predictions.n
    plain = predictions.cases.groups is None
    rest = [m for m in measures if not plain or shuffled(m, predictions) is None]
    found.update({m.label: None for m in measures if m not in rest})
    for m in [m for m in rest if m.label_score is LabelScore.LABEL]:
        assert predictions.label is not None
        called = int(predictions.label.sum())
        tables = tables_of(null[LabelScore.LABEL], n, positives, called)
        found[m.label] = level(np.asarray(m.on_counts(tables)))
    smooth = [m for m in rest if m.label not in found]
    if smooth:
        labels = scheme.draw(np.random.default_rng(0), ARRANGEMENTS)
        kinds = tuple({m.label_score for m in smooth if m.label_score is not None})
        sums = linear_null(predictions, kinds, scheme, labels)
        values = permuted_labels(smooth, predictions, labels)
    for m in smooth:
        assert m.label_score is not None
        found[m.label] = _read_off(sums[m.label_score], values[m.label], null[m.label_score])
    return found


def _read_off(sums: Floats, values: Floats, null: Floats) -> float | None:
    """The mean over a null of sums of a smooth function known at some of them."""
    if not (np.isfinite(sums).all() and np.isfinite(values).all() and np.isfinite(null).all()):
        return level(values)
    centre, spread = sums.mean(), sums.std()
    if spread <= 1e-12 * max(abs(centre), 1.0):
        return float(values.mean())
    places = np.unique(np.round((sums - centre) / spread, 9))
    degree = min(4, len(places) - 1)  # few cases have few different sums
    through = np.polynomial.Polynomial.fit((sums - centre) / spread, values, degree)
    return float(np.mean(through((null - centre) / spread)))


def _saddlepoints(
    predictions: Binary, kinds: Sequence[LabelScore], observed: dict[LabelScore, float]
) -> dict[LabelScore, float | None]:
    """An approximate p for each kind of sum; None where there is none (perfect separation)."""
    from abovechance.numerics.saddlepoint import label_sum_tail

    positives = int(predictions.positive.sum())
    scores = label_scores(predictions, kinds)
    found: dict[LabelScore, float | None] = {}
    for kind, row in zip(kinds, scores, strict=True):
        p = label_sum_tail(row, positives, observed[kind])
        found[kind] = None if np.isnan(p) else p
    return found


def _general(
    predictions: Binary,
    measures: Sequence[Measure],
    scheme: LabelPermutations,
    words: str,
    draws: Draws,
) -> dict[str, Test]:
    loops = predictions.weight is not None or any(m.form is Form.DRAWS for m in measures)
    total = draws.affordable(predictions.n, loops)
    exact = draws.counts_all(scheme, total, slow=loops)
    if exact:
        null = _in_parts(partial(permuted_labels, measures, predictions), scheme.enumerate())
    else:
        null = draws.null(Labels(predictions, tuple(measures), scheme), total, predictions.n)
    return _tests(predictions, measures, null, exact, words)


def _other(predictions: Predictions, measures: Sequence[Measure], draws: Draws) -> dict[str, Test]:
    scheme, words = scheme_for(predictions)
    quick = [m for m in measures if _vectorised(m, predictions)]
    slow = [m for m in measures if not _vectorised(m, predictions)]
    found: dict[str, Test] = {}
    for chosen, looping in ((quick, False), (slow, True)):
        if not chosen:
            continue
        total = draws.affordable(predictions.n, looping)
        exact = draws.counts_all(scheme, total, slow=looping)
        if exact:
            null = _in_parts(partial(permuted, chosen, predictions), scheme.enumerate())
        else:
            null = draws.null(Orders(predictions, tuple(chosen), scheme), total, predictions.n)
        found.update(_tests(predictions, chosen, null, exact, words))
    return found


def _tests(
    predictions: Predictions,
    measures: Sequence[Measure],
    null: dict[str, Floats],
    exact: bool,
    words: str,
) -> dict[str, Test]:
    found = {}
    for m in measures:
        if m.higher_is_better is None:
            continue
        side = "greater" if m.higher_is_better else "less"
        value = m.of(predictions)
        test = _test(value, null[m.label], side, exact, words, m, predictions)
        found[m.label] = replace(test, expected=level(null[m.label]))
    return found


def _test(
    observed: float,
    null: Floats,
    side: Any,
    exact: bool,
    words: str,
    measure: Measure,
    predictions: Predictions,
) -> Test:
    where = tail(observed, null, alternative=side, exact=exact)
    known: dict[str, Any] = {"exact": True} if exact else {}
    if words:
        known["scheme"] = words
    return answer(
        PERMUTATION,
        statistic=measure.of(predictions),
        p_value=where.p_value,
        alternative="greater",
        hypothesis=hypothesis_of(predictions),
        draws=where.draws,
        **known,
    )


def _sizes_fixed(scheme: LabelPermutations) -> bool:
    """Whether every permutation has the same number of positive cases."""
    if not scheme.whole:
        return True
    sizes = np.unique(np.asarray(scheme.blocks), return_counts=True)[1]
    return len(np.unique(sizes)) == 1


def _vectorised(measure: Measure, predictions: Predictions) -> bool:
    if predictions.weight is not None or measure.needs_index_draws:
        return False
    if isinstance(predictions, Numeric):
        return len(predictions.outputs) == 1
    return measure.form is not Form.PAIR_AUCS and measure.form is not Form.SAMPLE
