"""Is there any association between prediction and outcome? Outcomes are permuted among the cases.

From top to bottom: which permutations the data allow, nulls under weights, how many are drawn, one
null run for all measures, one measure by itself, and the null of a measure value by value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.areas import EXACT_UP_TO, mann_whitney
from abovechance.inference.areas import SAME as SAME_DISTRIBUTION
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    Takes,
    answer,
    checked,
    facts_of,
    first_of,
    suited,
    test,
)
from abovechance.inference.method import (
    find as find_method,
)
from abovechance.inference.proportions import INDEPENDENT
from abovechance.inference.results import Result, Sequel, Test
from abovechance.measures import Form, LabelScore, Law, Measure, find
from abovechance.measures.catalogue import same_question
from abovechance.measures.chance_levels import level, shuffled, tables_of, turned
from abovechance.measures.evaluation import fit
from abovechance.measures.measure import Statistic
from abovechance.measures.rank import area_scale
from abovechance.measures.sample import (
    Sample,
    after,
    case_losses,
    evaluate,
    evaluate_all,
    made_of,
)
from abovechance.measures.sufficient_statistics import condensed
from abovechance.numerics.exact import normal_tail
from abovechance.numerics.ranks import midranks
from abovechance.numerics.recalibration import log_odds
from abovechance.numerics.shuffles import Shuffled, of_sum
from abovechance.predictions import Binary, Predictions, View
from abovechance.resampling import (
    LabelPermutations,
    Permutations,
    Scheme,
    Sequential,
    Turns,
    WholeBlocks,
    WithinBlocks,
    exceedances,
    in_order,
    label_sums,
    replicate_blocks,
    seed_of,
    tail,
)
from abovechance.settings import ONE_MODEL, Settings

# ----------------------------------------------------------------------------------------------
# Permutation nulls: what measures would be if predictions had nothing to do with outcomes.
#
# One set of permutations serves every measure. With fixed predictions, binary measures that are
# monotone in a sum over the positives (accuracy, AUC, Brier, log score and kin) share one pass.
# ----------------------------------------------------------------------------------------------


WHOLE_CLUSTERS = "whole clusters permuted"


def label_scores(predictions: Binary, kinds: Sequence[LabelScore]) -> Floats:
    """One number per case for each kind of sum over the positives (kinds, n).

    Logits of probabilities 0 and 1 are left out here; `linear_null` sees to them.
    """
    rows = []
    for kind in kinds:
        if kind is LabelScore.LABEL:
            assert predictions.label is not None
            rows.append(predictions.label.astype(np.float64))
        elif kind is LabelScore.MIDRANK:
            assert predictions.ranking is not None
            rows.append(midranks(predictions.ranking))
        else:
            p = predictions.probability
            assert p is not None
            rows.append(p if kind is LabelScore.PROBABILITY else _finite_logit(p))
    return np.stack(rows)


def linear_null(
    predictions: Binary, kinds: Sequence[LabelScore], scheme: LabelPermutations | None, labels: Any
) -> dict[LabelScore, Floats]:
    """Sums over the positives under permuted labels.

    `labels` is a generator and a number of draws of the scheme, or arrangements (draws, n). A
    sum of logits is minus infinity where something happened that had probability 0.
    """
    scores = label_scores(predictions, kinds)
    extreme = _certain(predictions, kinds)
    if extreme:
        p = predictions.probability
        scores = np.vstack([scores, p == 0.0, p == 1.0])
    if isinstance(labels, tuple):
        assert scheme is not None
        sums = label_sums(scores, scheme, *labels)
    else:
        sums = labels.astype(np.float64) @ scores.T
    found = {kind: sums[:, i] for i, kind in enumerate(kinds)}
    if extreme:
        impossible = sums[:, -2] + (scores[-1].sum() - sums[:, -1])
        at = found[LabelScore.LOGIT]
        found[LabelScore.LOGIT] = np.where(impossible > 0.5, -np.inf, at)
    return found


def observed_sums(predictions: Binary, kinds: Sequence[LabelScore]) -> dict[LabelScore, float]:
    """The same sums for the labels as they are."""
    itself = predictions.positive[None, :]
    found = linear_null(predictions, kinds, None, itself)
    return {kind: float(values[0]) for kind, values in found.items()}


def scheme_for(predictions: Predictions) -> tuple[Any, str]:
    """How to permute, and in words what that tests; refused where every order is the same.

    Whole clusters change places when outcomes are constant within them, else cases within
    clusters.
    """
    if predictions.kind != "binary":
        return orders_for(predictions)
    groups, positive = predictions.cases.groups, Sample.of(predictions).outcome
    if groups is None:
        return LabelPermutations(positive), ""
    if _constant_in_clusters(outcomes(predictions), groups):
        return LabelPermutations(positive, blocks=groups, permute="whole"), WHOLE_CLUSTERS
    words = "labels permuted within clusters: tests discrimination within clusters"
    return LabelPermutations(positive, blocks=groups), words


def orders_for(predictions: Predictions) -> tuple[Any, str]:
    """The same for any outcomes, as orders of the cases."""
    groups, observed = predictions.cases.groups, outcomes(predictions)
    if (observed == observed[:, :1]).all():
        raise NotApplicable(
            "all outcomes are the same, so permuting them changes nothing; there must be cases "
            "that turned out differently."
        )
    if groups is None:
        return Permutations(predictions.n), ""
    if _constant_in_clusters(observed, groups):
        return WholeBlocks(groups), WHOLE_CLUSTERS
    return WithinBlocks(groups), "permuted within clusters: tests prediction within clusters"


def outcomes(predictions: Predictions) -> Array:
    """What was observed, one column per case: a class, numbers, or time and event."""
    return np.atleast_2d(Sample.of(predictions).outcome)


def _constant_in_clusters(outcome: Array, groups: Array) -> bool:
    """Whether clusters change places as wholes: when no outcome differs within any of them."""
    return all(constant_within(row, groups) for row in outcome)


def constant_within(values: Array, groups: Array) -> bool:
    """Whether every cluster has one value only."""
    pairs = np.unique(
        np.stack(
            [np.unique(groups, return_inverse=True)[1], np.unique(values, return_inverse=True)[1]]
        ),
        axis=1,
    )
    return pairs.shape[1] == len(np.unique(groups))


def permuted(
    measures: Sequence[Measure], predictions: Predictions, drawn: Array
) -> dict[str, Floats]:
    """Values of measures under what a scheme drew (draws, n): other labels, or other orders."""
    sample = Sample.of(predictions)
    fitted = [fit(m, predictions) for m in measures]
    if drawn.dtype == np.bool_:
        return evaluate_all(fitted, sample.observed(drawn))
    scaled = [m for m in fitted if _has_scale(m, sample)]
    found = _in_orders(fitted, predictions, drawn)
    plain = [m for m in fitted if m not in scaled and m.label not in found]
    found |= evaluate_all(plain, sample.permuted(drawn)) if plain else {}
    there: dict[Any, Sample] = {}
    for m in scaled:
        assert m.on_scale is not None
        scale, name = m.on_scale
        if scale not in there:
            there[scale] = sample.scaled(scale).permuted(drawn)
        found[m.label] = evaluate(find(name), there[scale])
    return found


def _in_orders(
    measures: Sequence[Measure], predictions: Predictions, orders: Array
) -> dict[str, Floats]:
    """Of measures that say it, their values in all orders at once; each a true permutation."""
    if predictions.weight is not None or predictions.cases.groups is not None:
        return {}
    with np.errstate(divide="ignore", invalid="ignore"):
        said = {
            m.label: m.permuted(predictions, orders, **m.parameters)
            for m in measures
            if m.permuted is not None
        }
    return {label: values for label, values in said.items() if values is not None}


def _has_scale(measure: Measure, sample: Sample) -> bool:
    """Whether a measure is another one of these numbers on a scale, one that takes batches."""
    one = sample.kind == "numeric" and sample.outputs == 1 and sample.weight is None
    return one and measure.on_scale is not None


def _finite_logit(p: Floats) -> Floats:
    return log_odds(np.where((p > 0.0) & (p < 1.0), p, 0.5))


# ----------------------------------------------------------------------------------------------
# Permutation with sampling weights, and when it is refused.
#
# A weight may belong to its prediction (cases were sampled by what is known of them beforehand)
# or to its outcome. A permutation that leaves weights with predictions holds its level in the
# first case only, one that moves them with outcomes in the second only; so both are done and the
# larger p-value is given. Weights that are seen to depend on the outcome are refused.
# ----------------------------------------------------------------------------------------------


LEVEL = 0.05  # of each of two tests, of the weights' places and of their spread
PARTS = 5  # into which numbers and times are cut, so that no shape of dependence is missed
NOT_BOTH = "weights may depend on one of them, not on both"
WAYS = ("stay", "move")  # what weights do when outcomes are permuted
REFUSED = (
    "weights depend on the outcome{how}, so outcomes cannot be permuted among the cases: that "
    "would find the weights. Take the weighted value with its bootstrap interval "
    "(intervals.bootstrap), or leave the weights out."
)


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weighted measures with outcomes in other orders, weights staying and moving, as work."""

    predictions: Any
    measures: tuple[Measure, ...]
    scheme: Any

    def __post_init__(self) -> None:
        weight, groups = self.predictions.cases.sample_weight, self.predictions.cases.groups
        if not isinstance(self.scheme, WholeBlocks) or constant_within(weight, groups):
            return
        if len(np.unique(np.unique(groups, return_counts=True)[1])) > 1:
            raise NotApplicable(
                "clusters of different sizes cannot exchange weights that differ within them. "
                "Take the weighted value with its bootstrap interval (intervals.bootstrap)."
            )

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return self.of(self.scheme.draw(rng, size))

    def of(self, index: Array) -> dict[str, Floats]:
        """Values in given orders (draws, n), by what weights do and by label."""
        fitted = [fit(m, self.predictions) for m in self.measures]
        found: dict[str, Floats] = {}
        for way in WAYS:
            sample = Sample.of(self.predictions).permuted(index, weights=way == "move")
            found |= {key(way, m): evaluate(m, sample) for m in fitted}
        return found


def key(way: str, measure: Measure) -> str:
    """The name of a measure's replicates."""
    return f"{way} {measure.label}"


def refuse_related(predictions: Predictions) -> None:
    """Refuse weights that are seen to depend on the outcome.

    Weights are compared between classes, or between fifths of the outcome, by the rank test of
    Kruskal and Wallis, and their distances from the middle rank likewise. Clusters of constant
    outcome count once; else weights are compared within clusters, as outcomes are permuted.

    References
    ----------
    Kruskal & Wallis (1952); spread: Mood (1954).
    """
    weight = predictions.cases.sample_weight
    if weight is None or np.ptp(weight) == 0:
        return
    weight, observed = _units(weight, outcomes(predictions), predictions.cases.groups)
    if np.ptp(weight) == 0:
        return
    for row in observed:
        part = _parts(row)
        if len(np.unique(part)) < 2:
            continue
        if constant_within(weight, part):
            raise NotApplicable(REFUSED.format(how=" (they are a function of it)"))
        p = min(related(weight, part))
        if p <= LEVEL:
            raise NotApplicable(REFUSED.format(how=f" (p = {p:.2g})"))


def related(weight: Floats, part: Array) -> tuple[float, float]:
    """How probable such different places, and such different spreads, are between parts.

    >>> related(np.array([1.0, 1.2, 1.4, 2.0, 2.2, 2.4]), np.array([0, 0, 0, 1, 1, 1]))
    (0.0495, 1.0)
    """
    rank = midranks(weight)
    return _kruskal_wallis(rank, part), _kruskal_wallis((rank - rank.mean()) ** 2, part)


def _kruskal_wallis(score: Floats, part: Array) -> float:
    """The permutation variance between parts of any scores, as χ²."""
    from scipy.special import chdtrc

    code = np.unique(part, return_inverse=True)[1]
    size = np.bincount(code)
    gap = np.bincount(code, weights=score - score.mean()) / size
    total = ((score - score.mean()) ** 2).sum()
    if total == 0:
        return 1.0
    return float(chdtrc(len(size) - 1, (len(score) - 1) * (size * gap**2).sum() / total))


def _parts(outcome: Array) -> Array:
    """Classes as they are; numbers cut into fifths, ties together."""
    if len(np.unique(outcome)) <= PARTS:
        return outcome
    return np.ceil(midranks(outcome.astype(np.float64)) * PARTS / len(outcome)).astype(np.int64)


def _units(weight: Floats, outcome: Array, groups: Array | None) -> tuple[Floats, Array]:
    """Weights and outcomes of what is permuted: cases, clusters, or cases within clusters."""
    if groups is None:
        return weight, outcome
    code = np.unique(groups, return_inverse=True)[1]
    mean = np.bincount(code, weights=weight) / np.bincount(code)
    if _constant_in_clusters(outcome, groups):
        return mean, outcome[:, np.unique(groups, return_index=True)[1]]
    return weight - mean[code], outcome


# ----------------------------------------------------------------------------------------------
# Nulls by permuting outcomes: which orders are drawn, all of them or until enough is known.
# ----------------------------------------------------------------------------------------------


PERMUTE = ("labels", "within", "blocks")


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
        raise NotApplicable(f"permute={permute!r} needs blocks=, one value per case.")
    units = np.asarray(blocks)
    if units.shape != y.shape:
        raise DataError(f"blocks must hold one value for each of the {len(y)} cases.")
    constant = constant_within(y, units)
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


def null_values(
    work: Any,
    settings: Settings,
    block: int,
    *,
    first: tuple[str, float, Any],
) -> tuple[dict[str, Floats], Sequel | None]:
    """Null values of every statistic by name, and how a sequential test ended.

    `first` is the statistic that a sequential test watches: name, observed value, alternative.
    """
    if settings.stop is None:
        found = replicate_blocks(work, settings, block=block)
        assert isinstance(found, dict)
        return found, None
    name, observed, alternative = first
    kept: list[dict[str, Array]] = []

    def indicators() -> Iterator[Array]:
        for part in in_order(work, settings, block=block):
            assert isinstance(part, dict)
            kept.append(part)
            yield exceedances(observed, part[name], alternative=alternative)

    rule = Sequential(alpha=settings.alpha, risk=settings.risk, steps=settings.flips)
    answer = rule.run(indicators())
    null = {key: np.concatenate([part[key] for part in kept])[: answer.steps] for key in kept[0]}
    return null, Sequel.of(answer)


# ----------------------------------------------------------------------------------------------
# Is there any association between prediction and outcome? One null run for all measures.
# ----------------------------------------------------------------------------------------------


SLOW_DRAWS = 999  # where every draw is a loop over cases
FEWER_DRAWS = 1999  # where every draw reads all cases and these are not few
FEW_CASES = 200
MANY_CASES = 5_000  # cases from which reading all of them is as slow as a loop
FEWEST_DRAWS = 499  # of very many cases
VERY_MANY_CASES = 50_000
FAST_BLOCK = 2048
LIMIT_CASES = 10_000  # from which the law of shuffled outcomes stands for draws
ARRANGEMENTS = 64  # through which a function of a sum is known
FEW_ARRANGEMENTS = 8  # of many cases, whose sums vary little
CELLS = 1 << 21  # numbers a block may spread over
ALL_LABELLINGS = 2_000_000  # how many are counted one by one when an exact p is asked for
ALL_SLOW = 20_000  # the same where every one is a loop over cases
MANY_NUMBERS = 1_000  # from which turns of one random order stand for permutations of all
FEW_TURNS = 16  # of many cases, whose values are close to each other
ONE_ORDER = "one random order turned"
PERMUTATION = "permutation"
SMIRNOV = "Smirnov's limit"
SCORES = "prediction and outcome are independent (labels exchangeable)"


def affordable_draws(settings: Settings, n: int, slow: bool) -> int:
    """As many as asked for; by default fewer where every draw costs more."""
    if settings.draws is not None or (n <= FEW_CASES and not slow):
        return settings.flips
    if n >= VERY_MANY_CASES:
        return FEWEST_DRAWS
    return SLOW_DRAWS if slow or n >= MANY_CASES else FEWER_DRAWS


def arrangements_for(n: int) -> int:
    """Through how many arrangements a smooth function of a sum is read off."""
    return ARRANGEMENTS if n < MANY_CASES else FEW_ARRANGEMENTS


def counts_all(settings: Settings, scheme: Scheme, total: int, *, slow: bool = False) -> bool:
    """Whether every arrangement is counted: where few, or as many as can be when asked for."""
    many = scheme.arrangements
    return many <= total or (settings.exact and many <= (ALL_SLOW if slow else ALL_LABELLINGS))


def null_of(
    work: Any, settings: Settings, total: int, n: int, *, fast: bool = False
) -> dict[str, Array]:
    """The replicates that `work` computes, by label."""
    block = FAST_BLOCK if fast else max(1, min(FAST_BLOCK, CELLS // max(1, n)))
    asked = settings if settings.draws == total else replace(settings, draws=total)
    found = replicate_blocks(work, asked, block=block)
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
class Permuted:
    """Measures with outcomes permuted, as work for blocks."""

    predictions: Predictions
    measures: tuple[Measure, ...]
    scheme: Scheme

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        return permuted(self.measures, self.predictions, self.scheme.draw(rng, size))


def association(
    predictions: Predictions,
    measures: Sequence[Measure],
    settings: Settings,
    *,
    shortcuts: bool = True,
) -> dict[str, Test]:
    """One-sided tests of many measures against chance, by label; undefined ones are left out.

    With `shortcuts`, exact distributions stand for permutation where they are the same test:
    Fisher's for everything a binary confusion table says, Mann and Whitney's for areas.
    """
    refuse(predictions)
    testable = [m for m in measures if not np.isnan(m.of(predictions))]
    if predictions.one_class:
        return {}
    found = by_method(predictions, testable, settings, shortcuts=shortcuts)
    dependent = predictions.cases.groups is not None or predictions.cases.sample_weight is not None
    if dependent or settings.p_alone:
        return found
    known = {m.label: shuffled(m, predictions) for m in testable if m.label in found}
    return {
        label: test if known[label] is None else replace(test, expected=known[label])
        for label, test in found.items()
    }


def by_method(
    predictions: Any, measures: Sequence[Measure], settings: Settings, *, shortcuts: bool = True
) -> dict[str, Test]:
    """Every measure by its test: as asked for, else by its law and the data; by label."""
    facts, chosen = facts_of(predictions), settings.chosen(Kind.TEST)
    tests: dict[Method, list[Measure]] = {}
    for m in measures:
        method = chosen.get(m.label)
        if method is not None:
            method.refuse(predictions, m)
        elif not shortcuts:
            method = find_method(PERMUTATION, Kind.TEST)
        else:
            with suppress(NotApplicable):  # a law without a test
                first = first_of(Kind.TEST, m.law, facts)
                method = next(suited(first, m, predictions, facts), None)
        if method is not None and (method.undrawn or not (settings.quick and method.drawn)):
            tests.setdefault(method, []).append(m)
    found: dict[str, Test] = {}
    for method, some in tests.items():
        found.update(_answers(method, predictions, some, settings))
    return found


def _answers(
    method: Method, predictions: Any, measures: Sequence[Measure], settings: Settings
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
    find_method(PERMUTATION, Kind.TEST).refuse(predictions)
    refuse_related(predictions)


def hypothesis_of(predictions: Predictions) -> str:
    """The hypothesis of a permutation, with what it takes for granted of sampling weights."""
    return SCORES if predictions.cases.sample_weight is None else f"{SCORES}; {NOT_BOTH}"


def _of_labels(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.label_score is LabelScore.LABEL


@test(
    name="fisher",
    title="Fisher's exact test[, unpaired{unpaired}]",
    words="Fisher's exact test[ for different cases{unpaired}]",
    source="fisher1935",
    hypothesis=INDEPENDENT,
    default=[Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN],
    allows=[Fact.SUMMARY],
    takes=Takes.MEASURES,
    outcomes=["binary"],
    fits=_of_labels,
    otherwise="permuted_sums",
)
def fisher_of_all(
    predictions: Binary, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """One answer for every measure of a 2 × 2 table."""
    exact = fisher(predictions)
    return {m.label: exact for m in measures}


def _of_ranks(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.label_score is LabelScore.MIDRANK or _of_area(measure, predictions)


@test(
    name="mann_whitney",
    title="Mann–Whitney[, exact{exact}][, normal approximation{approximation}]",
    words="the Mann–Whitney test[ (exact{exact})][ (normal approximation{approximation})]",
    source="mann1947",
    hypothesis=SAME_DISTRIBUTION,
    default=[Law.PAIRS],
    takes=Takes.MEASURES,
    outcomes=["binary"],
    fits=_of_ranks,
    otherwise="permutation",
)
def mann_whitney_of_all(
    predictions: Binary, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """One answer for every measure that is better the larger the area."""
    ranks = _ranks(predictions, settings.exact)
    return {m.label: ranks for m in measures}


@test(
    name=PERMUTATION,
    drawn=True,
    undrawn=True,
    title="[sequential {sequential}]permutation[, exact{exact}]"
    "[, normal approximation{approximation}][ corrected for skewness{corrected}][, {limit}]"
    "[; {scheme}]",
    words="a[ sequential{sequential}][n exact{exact}] permutation test"
    "[ (normal approximation{approximation})][ corrected for skewness{corrected}][ by {limit}]"
    "[ ({scheme})]",
    source="phipson2010",
    hypothesis=SCORES,
    default=[Law.MEAN, Law.CENSORED_PAIRS],
    laws=tuple(law for law in Law if law not in (Law.CALIBRATION, Law.UTILITY)),
    allows=[Fact.CLUSTERS, Fact.WEIGHTS],
    takes=Takes.MEASURES,
)
def permutation_of_all(
    predictions: Any, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """All measures on the same permuted outcomes."""
    if predictions.cases.sample_weight is not None:
        return {} if settings.quick else _weighted(predictions, measures, settings)
    found: dict[str, Test] = {}
    scheme, words = scheme_for(predictions)
    many = predictions.n >= LIMIT_CASES and settings.draws is None and not settings.exact
    if isinstance(scheme, LabelPermutations) and scheme.blocks is None and many:
        found.update(_undrawn(predictions, measures, scheme))
        measures = [m for m in measures if m.label not in found]
    if settings.quick:
        return found
    if isinstance(scheme, LabelPermutations) and _sizes_fixed(scheme):
        linear = [m for m in measures if m.label_score is not None and predictions.weight is None]
        found.update(_linear(predictions, linear, scheme, words, settings) if linear else {})
    rest = [m for m in measures if m.label not in found]
    found.update(_general(predictions, rest, scheme, words, settings) if rest else {})
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
    predictions: Predictions, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """Weights once stay with predictions and once move with outcomes; the larger p counts."""
    chosen = tuple(m for m in measures if m.higher_is_better is not None)
    if not chosen:
        return {}
    scheme, words = orders_for(predictions)
    work = Weighted(predictions, chosen, scheme)
    total = affordable_draws(settings, predictions.n, True)
    exact = counts_all(settings, scheme, total, slow=True)
    null = work.of(scheme.enumerate()) if exact else null_of(work, settings, total, predictions.n)
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
    from abovechance.inference.proportions import fisher_counts

    find_method("fisher", Kind.TEST).refuse(predictions)
    return fisher_counts(predictions.confusion)


def _undrawn(
    predictions: Binary, measures: Sequence[Measure], scheme: LabelPermutations
) -> dict[str, Test]:
    """Tests of measures whose law is known when outcomes are shuffled among many cases.

    What these laws leave out is less than 999 draws do.
    """
    found = _of_sums(predictions, [m for m in measures if m.label_score is not None], scheme)
    ranked = [m for m in measures if m.shuffled_limit is not None and m.form is Form.RANKS]
    if ranked:
        groups = Sample.of(predictions).ranked
        sizes, positives = groups.positives + groups.negatives, int(groups.positives.sum())
        for m in ranked:
            assert m.shuffled_limit is not None
            law = m.shuffled_limit(sizes, positives, **m.parameters)
            if law is not None:
                tested = _limit_test(law.tail(m.of(predictions)), m, predictions, law)
                found[m.label] = replace(tested, expected=law.mean)
    return found


def _of_sums(
    predictions: Binary, measures: Sequence[Measure], scheme: LabelPermutations
) -> dict[str, Test]:
    """Of measures that rise with a sum over the positives."""
    by_kind: dict[LabelScore, list[Measure]] = {}
    for m in measures:
        if m.label_score is not None:
            by_kind.setdefault(m.label_score, []).append(m)
    kinds = tuple(sorted(by_kind))
    if not kinds or _certain(predictions, kinds):
        return {}
    positives, rows = int(predictions.positive.sum()), label_scores(predictions, kinds)
    laws = {kind: of_sum(row, positives) for kind, row in zip(kinds, rows, strict=True)}
    known = {kind: law for kind, law in laws.items() if law is not None}
    some = [m for kind in known for m in by_kind[kind]]
    drawn = {kind: law.values for kind, law in known.items()}
    levels = _levels(predictions, some, scheme, drawn)
    sums = observed_sums(predictions, kinds)
    found = {}
    for kind, law in known.items():
        p = law.tail(sums[kind])
        for m in by_kind[kind]:
            tested = _limit_test(p, m, predictions, law)
            found[m.label] = replace(tested, expected=levels[m.label])
    return found


def _limit_test(p: float, measure: Measure, predictions: Predictions, law: Any) -> Test:
    normal = isinstance(law, Shuffled)
    return answer(
        PERMUTATION,
        statistic=measure.of(predictions),
        p_value=p,
        alternative="greater",
        hypothesis=hypothesis_of(predictions),
        **({"approximation": True, "corrected": True} if normal else {"limit": SMIRNOV}),
    )


def _certain(predictions: Binary, kinds: Sequence[LabelScore]) -> bool:
    """Whether a sum of log odds may be infinite."""
    p = predictions.probability
    return LabelScore.LOGIT in kinds and p is not None and (p.min() == 0.0 or p.max() == 1.0)


def _linear(
    predictions: Binary,
    measures: Sequence[Measure],
    scheme: LabelPermutations,
    words: str,
    settings: Settings,
) -> dict[str, Test]:
    kinds = tuple(sorted({m.label_score for m in measures if m.label_score is not None}))
    observed = observed_sums(predictions, kinds)
    total = settings.flips
    exact = counts_all(settings, scheme, total)
    null: dict[Any, Floats]
    if exact:
        null = _in_parts(partial(linear_null, predictions, kinds, scheme), scheme.enumerate())
    else:
        null = dict(null_of(_Linear(predictions, kinds, scheme), settings, total, 1, fast=True))
    wanted = not (settings.p_alone or exact) and scheme.blocks is None
    check = _saddlepoints(predictions, kinds, observed) if wanted else {}
    check = {kind: check.get(kind) for kind in kinds}
    levels = {} if settings.p_alone else _levels(predictions, measures, scheme, null)
    found = {}
    for m in measures:
        assert m.label_score is not None
        kind = m.label_score
        test = _test(observed[kind], null[kind], "greater", exact, words, m, predictions)
        beside = None if exact else check[kind]
        found[m.label] = replace(test, expected=levels.get(m.label), saddlepoint=beside)
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
    for m in [m for m in rest if m.label not in found and plain]:
        there = _at_sums(m, predictions, null)
        if there is not None:
            found[m.label] = level(there)
    smooth = [m for m in rest if m.label not in found]
    if smooth:
        # places to read a curve off, no draws of the test: the same for every seed
        labels = scheme.draw(np.random.default_rng(0), arrangements_for(n))
        kinds = tuple({m.label_score for m in smooth if m.label_score is not None})
        sums = linear_null(predictions, kinds, scheme, labels)
        values = permuted(smooth, predictions, labels)
    for m in smooth:
        assert m.label_score is not None
        found[m.label] = _read_off(sums[m.label_score], values[m.label], null[m.label_score])
    return found


MEAN_BY_SUM = {  # how much a mean over the cases moves with a sum over the positives
    (Statistic.LOGS, LabelScore.LOGIT): 1.0,
    (Statistic.SQUARES, LabelScore.PROBABILITY): -2.0,
}


def _at_sums(measure: Measure, predictions: Binary, null: Any) -> Floats | None:
    """Values of a measure that follows from shares and a mean, where sums were drawn; else None."""
    kind = measure.label_score
    slope = MEAN_BY_SUM.get((measure.sufficient, kind))  # type: ignore[arg-type]
    if slope is None or kind is None or predictions.weight is not None:
        return None
    sample = Sample.of(predictions)
    few = None if _certain(predictions, [kind]) else condensed(fit(measure, predictions), sample)
    if few is None:
        return None
    means = np.tile(few.means, (len(null[kind]), 1))
    moved = null[kind] - observed_sums(predictions, [kind])[kind]
    means[:, -1] += slope * moved / predictions.n
    made = few.rebuilt(means)
    return None if made is None else evaluate(measure, made_of(sample, made))


def _read_off(sums: Floats, values: Floats, null: Floats) -> float | None:
    """The mean over a null of sums of a smooth function known at some of them."""
    if not (np.isfinite(sums).all() and np.isfinite(values).all() and np.isfinite(null).all()):
        return level(values)
    centre, spread = sums.mean(), sums.std()
    if spread <= 1e-12 * max(abs(centre), 1.0):
        return float(values.mean())
    places = np.unique(np.round((sums - centre) / spread, 9))
    degree = min(4, len(places) - 1)  # few cases have few different sums
    # sums that all but coincide leave some of it open, which numpy says unless told to be full
    through, _ = np.polynomial.Polynomial.fit((sums - centre) / spread, values, degree, full=True)
    return float(np.mean(through((null - centre) / spread)))


def _saddlepoints(
    predictions: Binary, kinds: Sequence[LabelScore], observed: dict[LabelScore, float]
) -> dict[LabelScore, float | None]:
    """An approximate p for each kind of sum; None where there is none (perfect separation)."""
    from abovechance.numerics.exact import label_sum_tail

    positives = int(predictions.positive.sum())
    scores = label_scores(predictions, kinds)
    found: dict[LabelScore, float | None] = {}
    for kind, row in zip(kinds, scores, strict=True):
        p = label_sum_tail(row, positives, observed[kind])
        found[kind] = None if np.isnan(p) else p
    return found


def _general(
    predictions: Predictions,
    measures: Sequence[Measure],
    scheme: Scheme,
    words: str,
    settings: Settings,
) -> dict[str, Test]:
    measures = [m for m in measures if m.higher_is_better is not None]
    plain = isinstance(scheme, LabelPermutations) or predictions.cases.groups is not None
    losses = {} if plain else _losses(predictions, measures)
    drawn = [m for m in measures if m.label not in losses]
    known = {m.label for m in drawn}
    drawn += {m.label: m for m in losses.values() if m.label not in known}.values()
    nulls: dict[str, Floats] = {}
    few: Array | None = None
    found = {} if plain else _near_normal(predictions, drawn, settings)
    drawn = [m for m in drawn if m.label not in found]
    loops = {m: _loops(m, predictions, scheme) for m in drawn}
    for slow in (False, True):
        chosen = [m for m in drawn if loops[m] is slow]
        if not chosen:
            continue
        total = affordable_draws(settings, predictions.n, slow)
        exact = counts_all(settings, scheme, total, slow=slow)
        how = words
        if exact:
            null = _in_parts(partial(permuted, chosen, predictions), scheme.enumerate())
        elif _turns_do(predictions, scheme, total):
            turns = Turns.of(predictions.n, total, settings.rng(ONE_MODEL, 10))
            null, how = _null_by_turns(predictions, chosen, turns), ONE_ORDER
            few = turns.orders(slice(FEW_TURNS))
        else:
            work = Permuted(predictions, tuple(chosen), scheme)
            null = null_of(work, settings, total, predictions.n)
        nulls.update(null)
        found.update(_tests(predictions, chosen, null, exact, how))
    rising = [m for m in measures if m.label in losses]
    if rising:
        if few is None:
            few = scheme.draw(np.random.default_rng(0), arrangements_for(predictions.n))
        asked = {m.label: m for m in (*rising, *losses.values())}
        values = permuted(list(asked.values()), predictions, few)
    for m in rising:
        loss = losses[m.label].label
        expected = _read_off(values[loss], values[m.label], nulls[loss])
        # as probable as that of the loss, but for what it is a value of
        found[m.label] = replace(found[loss], statistic=m.of(predictions), expected=expected)
    return {m.label: found[m.label] for m in measures if m.label in found}


def _near_normal(
    predictions: Predictions, measures: Sequence[Measure], settings: Settings
) -> dict[str, Test]:
    """Of rank statistics of many cases: as if normal, with their variance over all orders."""
    found: dict[str, Test] = {}
    one = predictions.kind == "numeric" and not predictions.each_output
    if not one or predictions.n <= EXACT_UP_TO or settings.draws is not None or settings.exact:
        return found
    for m in measures:
        if m.null_spread is None:
            continue
        spread = m.null_spread(*Sample.of(predictions).formula_columns(m))
        expected = shuffled(m, predictions)
        if spread is None or expected is None:
            continue
        value = m.of(predictions)
        z = (value - expected) / spread * (1.0 if m.higher_is_better else -1.0)
        found[m.label] = answer(
            PERMUTATION,
            statistic=value,
            p_value=normal_tail(z),
            alternative="greater",
            hypothesis=hypothesis_of(predictions),
            expected=expected,
            approximation=True,
        )
    return found


def _turns_do(predictions: Predictions, scheme: Scheme, total: int) -> bool:
    """Whether turns of one order are as many as are wanted: of one number per case, and many."""
    free = isinstance(scheme, Permutations) and predictions.kind == "numeric"
    enough = predictions.n >= MANY_NUMBERS and total < 2 * predictions.n
    return free and enough and not predictions.each_output


def _null_by_turns(
    predictions: Predictions, measures: Sequence[Measure], turns: Turns
) -> dict[str, Floats]:
    """Values under turns of one order; what must have them spelled out a part at a time."""
    sample, fitted = Sample.of(predictions), [fit(m, predictions) for m in measures]
    said = {m.label: turned(m, sample, turns) for m in fitted}
    found = {label: values for label, values in said.items() if values is not None}
    rest = [m for m in fitted if m.label not in found]
    rows = max(1, CELLS // turns.n)
    starts = range(0, len(turns.which), rows) if rest else ()
    parts = [permuted(rest, predictions, turns.orders(slice(at, at + rows))) for at in starts]
    return found | {m.label: np.concatenate([p[m.label] for p in parts]) for m in rest}


def _losses(predictions: Predictions, measures: Sequence[Measure]) -> dict[str, Measure]:
    """The mean losses that measures rise and fall with while outcomes stay the same, by label."""
    found = {}
    for m in measures:
        loss = same_question(m, predictions)
        if loss is not None and loss.applies(predictions):
            found[m.label] = loss
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


def _loops(measure: Measure, predictions: Predictions, scheme: Scheme) -> bool:
    """Whether a measure is evaluated draw by draw, not for many at once."""
    if _has_scale(measure, Sample.of(predictions)):
        return False
    if predictions.weight is not None or measure.needs_index_draws:
        return True
    if isinstance(scheme, LabelPermutations):
        return False
    if View.VALUE in predictions.views:
        return bool(predictions.each_output)
    return measure.form in (Form.PAIR_AUCS, Form.SAMPLE)


# ----------------------------------------------------------------------------------------------
# One measure against chance by permutation: all draws, every arrangement, or until it is known.
# ----------------------------------------------------------------------------------------------


def permutation(
    predictions: Predictions,
    measure: Measure | str,
    *,
    draws: int | None = None,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
    stop: str | None = None,
    alpha: float = 0.05,
    risk: float = 1e-3,
) -> Test:
    """Test a measure against chance by permuting outcomes among the cases.

    All arrangements are enumerated when there are no more of them than draws. With groups, whole
    clusters are permuted if outcomes are constant within them, else cases within clusters.
    Sampling weights once stay with their predictions and once move with the outcomes, and the
    larger p-value is given; weights that depend on the outcome are refused. Beside a Monte Carlo p
    of a measure that is a monotone function of a sum over the positives stands its saddlepoint
    approximation, as a check.

    Parameters
    ----------
    predictions
        Predictions of any kind.
    measure
        A measure or its name.
    draws
        Number of permutations; 9999 when not given, fewer where each takes long.
    stop
        "gandy": stop as soon as p is known to lie above or below `alpha`, being wrong with
        probability at most `risk`; for one decision, not for p-values that will be adjusted.
        All draws are made when not given.
    alpha
        The level that p is compared with when stopping; 0.05 unless stated.
    risk
        Probability of stopping with a wrong decision, at most; 0.001 unless stated.

    Raises
    ------
    NotApplicable
        If the measure is undefined here, or weights depend on the outcome; for predictions pooled
        over folds and cases in time order.

    See Also
    --------
    fisher, mann_whitney : exact tests of labels and of ranks.
    abovechance.permutation_test : refits the model under permuted outcomes.

    References
    ----------
    Fisher (1935), section 21; stopping: Gandy (2009).

    Examples
    --------
    >>> from abovechance import examples
    >>> permutation(examples.breast_cancer("p_texture"), "brier", rng=1).p_value
    0.0001
    """
    chosen = find(measure) if isinstance(measure, str) else measure
    chosen = chosen.for_outcome(predictions.kind)
    predictions = checked("permutation", predictions, Kind.TEST)
    settings = Settings(
        draws=draws,
        seed=seed_of(rng),
        workers=workers,
        store=store,
        stop=cast(Any, stop),
        alpha=alpha,
        risk=risk,
    )
    if stop is not None:
        return _sequential(predictions, chosen, settings)
    found = association(predictions, [chosen], settings, shortcuts=False)
    if chosen.label not in found:
        raise NotApplicable(f"{chosen.title} is undefined here, so it cannot be tested.")
    return found[chosen.label]


def _sequential(predictions: Predictions, measure: Measure, settings: Settings) -> Test:
    refuse(predictions)
    if predictions.cases.sample_weight is not None:
        raise NotApplicable(
            "with sampling weights two permutations are compared, so none stops early; leave "
            "stop= out."
        )
    observed = measure.of(predictions)
    if np.isnan(observed) or measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} is undefined here, so it cannot be tested.")
    scheme, words = scheme_for(predictions)
    side: Any = "greater" if measure.higher_is_better else "less"
    work = Permuted(predictions, (measure,), scheme)
    rule = Sequential(alpha=settings.alpha, risk=settings.risk, steps=settings.flips)
    blocks = in_order(work, settings, block=128)
    values = (block[measure.label] for block in blocks if isinstance(block, dict))
    where = rule.run(exceedances(observed, null, alternative=side) for null in values)
    return answer(
        "permutation",
        statistic=observed,
        p_value=where.p_value,
        alternative="greater",
        hypothesis=hypothesis_of(predictions),
        draws=where.steps,
        stopped=Sequel.of(where),
        sequential=True,
        **({"scheme": words} if words else {}),
    )


# ----------------------------------------------------------------------------------------------
# What a measure is when predictions have nothing to do with outcomes, value by value.
# ----------------------------------------------------------------------------------------------


SHOWN_DRAWS = 999
MOST_CELLS = 30_000_000  # draws times cases that are held at once


@dataclass(frozen=True, kw_only=True, eq=False)
class NullDistribution(Result, kind="null_distribution"):
    """A measure as observed, and its values under permuted outcomes.

    `exhaustive` says whether these are all arrangements of the outcomes rather than draws.
    """

    measure: str
    title: str
    value: float
    values: Floats
    exhaustive: bool
    seed: int

    @property
    def mean(self) -> float:
        """The mean under permuted outcomes."""
        return float(self.values.mean())

    def rows(self) -> list[dict[str, Any]]:
        """One row per permutation."""
        return [{"measure": self.measure, "value": float(v)} for v in self.values]

    def __str__(self) -> str:
        how = "all arrangements" if self.exhaustive else "permutations"
        spread = f"mean {self.mean:.3f}, {self.values.min():.3f} to {self.values.max():.3f}"
        return f"{self.title} {self.value:.3f}; under {self.values.size} {how}: {spread}"


def null_distribution(
    predictions: Predictions,
    measure: str | Measure | None = None,
    *,
    draws: int = SHOWN_DRAWS,
    rng: Any = None,
) -> NullDistribution:
    """The values of a measure under permuted outcomes: all arrangements when they are few.

    These are for looking at. The p-value of a result comes from its own draws, or from a closed
    form.

    Parameters
    ----------
    predictions
        What was predicted.
    measure
        A measure or its name; the primary one of such predictions when not given.
    draws
        How many permutations, when not all arrangements.
    rng
        A seed or a generator.

    Returns
    -------
    NullDistribution
        The value as observed and the values under permuted outcomes.

    Raises
    ------
    NotApplicable
        Where outcomes cannot be permuted (pooled folds, ordered cases), where no measure applies or
        the one is undefined here, or where there are too many cases to hold.

    See Also
    --------
    permutation : the test.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = null_distribution(examples.breast_cancer("p_texture"), "auc", rng=1)
    >>> found.measure, found.values.size, round(found.mean, 2)
    ('auc', 999, 0.5)
    """
    refuse(predictions)
    chosen = _chosen(predictions, measure)
    value = chosen.of(predictions)
    if np.isnan(value):
        raise NotApplicable(f"{chosen.title} is undefined here, so it has no null distribution.")
    if predictions.n * draws > MOST_CELLS:
        raise NotApplicable(f"{predictions.n} cases are too many to permute {draws} times here.")
    scheme, _ = scheme_for(predictions)
    seed = seed_of(rng)
    few = scheme.arrangements <= draws
    known = None if few else _of_both_losses(chosen, predictions, scheme, seed, draws)
    if known is None:
        orders = scheme.enumerate() if few else scheme.draw(np.random.default_rng(seed), draws)
        (known,) = permuted([chosen], predictions, orders).values()
    return NullDistribution(
        measure=chosen.label,
        title=chosen.heading,
        value=value,
        values=known,
        exhaustive=few,
        seed=seed,
    )


def _of_both_losses(
    measure: Measure, predictions: Predictions, scheme: Scheme, seed: int, draws: int
) -> Floats | None:
    """Mean losses under permuted labels: of all as negatives, and what positives change of it."""
    fitted, sample = fit(measure, predictions), Sample.of(predictions)
    if not isinstance(scheme, LabelPermutations) or fitted.form is not Form.LOSSES:
        return None
    if predictions.weight is not None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        negative, positive = (
            case_losses(fitted, sample.observed(np.full(sample.n, label)))
            for label in (False, True)
        )
    if not np.isfinite([negative, positive]).all():
        return None
    rng = np.random.default_rng(seed)
    change = label_sums(positive - negative, scheme, rng, draws)[:, 0]
    return np.asarray(after(fitted, (negative.sum() + change) / sample.n))


def _chosen(predictions: Predictions, measure: str | Measure | None) -> Measure:
    from abovechance.inference.assessment import PRIMARY

    if measure is not None:
        named = find(measure) if isinstance(measure, str) else measure
        return named.for_outcome(predictions.kind)
    known = [find(name).for_outcome(predictions.kind) for name in PRIMARY[predictions.kind]]
    for one in known:
        if one.applies(predictions):
            return one
    raise NotApplicable("no measure of these predictions can be permuted.")
