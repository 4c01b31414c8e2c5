"""Where to cut: thresholds that follow from costs, and thresholds chosen on the data.

A threshold chosen on the cases it is judged on looks better than it is. What it is worth on new
cases is estimated by choosing on bootstrap samples and judging each choice on the cases that the
sample left out; the difference from its value here is the optimism. (Harrell's bootstrap, which
judges each choice on all cases, leaves a third of the optimism in: they overlap with the sample.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Bools, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.curves.curve import (
    Above,
    above,
    drawn_and_left_out,
    each_case,
    no_band,
    ranking_of,
    thresholds_of,
)
from abovechance.inference.results import Interval, Result
from abovechance.predictions import Binary
from abovechance.settings import Settings, settled

CRITERIA = ("cost", "youden", "closest")
TITLES = {
    "costs imply": "Threshold that the costs imply",
    "cost": "Least expected cost",
    "youden": "Greatest Youden's J",
    "closest": "Nearest to the perfect corner",
}
VALUES = {
    "costs imply": "expected cost",
    "cost": "expected cost",
    "youden": "Youden's J",
    "closest": "distance to the corner",
}
TIED = 1e-12
UNSEEN = 3  # cases that may lie where none of n was seen, all but surely
MOST = 2000  # candidates, evenly spread over the cases when there are more distinct scores
Rates = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class Choice(Result):
    """One threshold: cases above it are called positive.

    `value` is that of the criterion on these cases, `optimism` how much better it looks for having
    been chosen on them, `corrected` the value without it (nan where too few cases can tell). `tied`
    are other thresholds as good.
    """

    criterion: str
    title: str
    threshold: float
    interval: Interval | None
    criterion_value: str
    value: float
    optimism: float | None
    corrected: float
    sensitivity: float
    specificity: float
    net_benefit: float
    tied: tuple[float, ...] = ()

    def __str__(self) -> str:
        known = "" if self.interval is None else f" [{self.interval}]"
        corrected = "" if self.optimism is None else f", {self.corrected:.3f} without optimism"
        return (
            f"{self.title}: {self.threshold:.3f}{known}; "
            f"{self.criterion_value} {self.value:.3f}{corrected}"
        )


@dataclass(frozen=True, kw_only=True)
class Thresholds(Result, kind="thresholds"):
    """Thresholds by several criteria, with what is known of their uncertainty."""

    cost_fp: float
    cost_fn: float
    n: int
    level: float
    draws: int
    seed: int
    choices: tuple[Choice, ...]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    def __getitem__(self, criterion: str) -> Choice:
        for choice in self.choices:
            if choice.criterion == criterion:
                return choice
        known = ", ".join(choice.criterion for choice in self.choices)
        raise NotApplicable(f"no threshold by {criterion!r}; there are {known}.")

    def to_dict(self) -> dict[str, Any]:
        return {"abovechance": __version__, **super().to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        """The choices flat, as rows of a table."""
        found = []
        for choice in self.choices:
            row = {k: v for k, v in vars(choice).items() if k not in ("interval", "tied")}
            row["threshold_low"] = getattr(choice.interval, "low", None)
            row["threshold_high"] = getattr(choice.interval, "high", None)
            found.append(row)
        return found


@settled
def thresholds(
    predictions: Binary, *, cost_fp: float = 1.0, cost_fn: float = 1.0, **given: Any
) -> Thresholds:
    """Where to cut, given what false positives and false negatives cost.

    If probabilities are right, acting pays above :math:`c_{FP} / (c_{FP} + c_{FN})`: this needs no
    data, and nothing to correct. The others are chosen on these cases: least expected cost,
    greatest Youden's J, nearest to the corner of perfect sensitivity and specificity. Each lies
    midway between two scores; cases above it are called positive. Its interval holds the
    percentiles of the thresholds that bootstrap samples would choose, the lowest and the highest
    where several are as good, and reaches halfway to the next positive below and the next
    negative above: samples of the same cases choose right below one of the same positives, and
    right above one of the same negatives; where there is no such case, on to where more would be
    lost of the other class than three cases of this one could win. The corrected value is that of
    the samples' choices on the cases they left out, all such cases together; as a sample has
    fewer distinct cases than there are, it errs on the side of caution.

    Parameters
    ----------
    predictions
        Predictions of two classes with a score or a probability, made with `Binary`.
    cost_fp, cost_fn
        What a false positive and a false negative cost, in any unit; the same unless stated.

    Returns
    -------
    Thresholds
        One choice per criterion: `found["youden"]` has its threshold, interval and what it gives.

    Raises
    ------
    NotApplicable
        If only labels were predicted, only one class was observed, or a cost is not above 0.

    See Also
    --------
    curves.decision : net benefit at every threshold.
    curves.cost : expected cost over all ratios of costs.

    References
    ----------
    Pauker & Kassirer (1975); Youden (1950); Efron (1983), Estimating the error rate of a
    prediction rule, on cases left out of bootstrap samples.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = thresholds(examples.breast_cancer("p_texture"), cost_fp=1, cost_fn=4, rng=1)
    >>> found["costs imply"].threshold, found["cost"].threshold
    (0.2, 0.101)
    >>> print(found["youden"])
    Greatest Youden's J: 0.297 [0.149 to 0.588]; Youden's J 0.474, 0.412 without optimism
    """
    settings = Settings.of("thresholds", given)
    predictions = each_case(predictions)
    score = ranking_of(predictions, "a threshold")
    if predictions.probability is not None:  # what costs imply is one: all on one scale
        score = predictions.probability
    for name, price in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not (price > 0.0 and np.isfinite(price)):
            raise NotApplicable(f"{name} must be greater than 0; got {price}.")
    cuts = _Cuts.of(predictions, score)
    costs = (cost_fp, cost_fn)
    replicates = _Replicates.drawn(predictions, score, costs, settings.bootstraps, settings.rng())
    choices = []
    if predictions.probability is not None:
        choices.append(_implied(predictions, cost_fp, cost_fn))
    for criterion in CRITERIA:
        choices.append(_chosen(cuts, replicates, criterion, costs, settings.level))
    return Thresholds(
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        n=predictions.n,
        level=settings.level,
        draws=settings.bootstraps,
        seed=settings.seed,
        choices=tuple(choices),
        advice=tuple(_advice(predictions, choices)),
        described=predictions.described,
    )


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Candidate thresholds, ascending, and the rates above each: (…, candidates).

    Candidates lie below all scores, midway between neighbours, and above all.
    """

    candidates: Floats
    rates: Rates
    positives: Floats  # the scores of each class, ascending
    negatives: Floats
    ends: tuple[float, float]  # the least and the greatest that a score can be

    @classmethod
    def of(cls, predictions: Binary, score: Floats) -> "_Cuts":
        scores = thresholds_of(score, MOST)
        distinct = np.unique(score)
        below = distinct[np.searchsorted(distinct, scores[1:]) - 1]
        middles = np.maximum((below + scores[1:]) / 2.0, below)
        candidates = np.concatenate([[-np.inf], middles, [np.inf]])
        known = np.isfinite(score)
        if predictions.weight is not None:
            known &= predictions.weight > 0.0
        positives, negatives = (np.sort(score[known & (predictions.positive == k)]) for k in (1, 0))
        rates = _rates(above(predictions, score, scores))
        ends = (-np.inf, np.inf) if predictions.probability is None else (0.0, 1.0)
        return cls(candidates, rates, positives, negatives, ends)

    def reaching(self, low: float, high: float, price: float = 1.0) -> tuple[float, float]:
        """Limits halfway on to the next positive below and the next negative above.

        Where there is none, on to where more would be lost of the other class than three unseen
        cases could win; `price` is what a share of the positives is worth in negatives.
        """
        positives, negatives = self.positives, self.negatives
        if not len(positives) or not len(negatives):  # of one class no score is finite
            return low, high
        below, beyond = positives[positives < low], negatives[negatives > high]
        price *= len(negatives) / len(positives)  # of a case of them, in cases
        if len(below):
            lowest = (low + float(below[-1])) / 2.0
        else:
            lowest = _after(negatives[negatives < low][::-1], UNSEEN * price, self.ends[0])
        if len(beyond):
            highest = (high + float(beyond[0])) / 2.0
        else:
            highest = _after(positives[positives > high], UNSEEN / price, self.ends[1])
        return min(low, lowest), max(high, highest)


def _after(others: Floats, many: float, end: float) -> float:
    """Where so many cases are passed, or the end where there are not as many."""
    return float(others[int(many)]) if many < len(others) else end


def _rates(counts: Above) -> Rates:
    """Sensitivity and specificity at every candidate, and the share of positives."""
    parts = []
    for share in (counts.sensitivity, counts.false_positive_rate):
        parts.append(np.concatenate([share, np.zeros((*share.shape[:-1], 1))], axis=-1))
    positives = counts.all_positives / (counts.all_positives + counts.all_negatives)
    return parts[0], 1.0 - parts[1], positives


def _worth(criterion: str, rates: Rates, costs: tuple[float, float]) -> Floats:
    """What is to be made small, at every candidate."""
    sensitivity, specificity, share = rates
    if criterion == "youden":
        return 1.0 - sensitivity - specificity
    if criterion == "closest":
        return np.hypot(1.0 - sensitivity, 1.0 - specificity)
    part = share[..., None]
    return (1.0 - specificity) * (1.0 - part) * costs[0] + (1.0 - sensitivity) * part * costs[1]


@dataclass(frozen=True, eq=False)
class _Replicates:
    """By criterion: the lowest and the highest of the candidates that bootstrap samples would
    choose, and what their choices are worth on the cases they left out."""

    lowest: dict[str, Ints]
    highest: dict[str, Ints]
    worth: dict[str, float]
    draws: int

    @classmethod
    def drawn(
        cls,
        predictions: Binary,
        score: Floats,
        costs: tuple[float, float],
        draws: int,
        rng: np.random.Generator,
    ) -> "_Replicates":
        scores = thresholds_of(score, MOST)
        inside, outside = drawn_and_left_out(predictions, score, scores, rng, draws)
        both = (inside.all_positives > 0) & (inside.all_negatives > 0)
        if not both.any():
            raise NotApplicable("bootstrap samples hold one class only; nothing can be chosen.")
        rates = _rates(inside)
        lowest, highest, worth = {}, {}, {}
        for c in CRITERIA:
            values = _worth(c, rates, costs)[both]
            tied = values <= values.min(axis=-1, keepdims=True) + TIED
            lowest[c] = tied.argmax(axis=-1)
            highest[c] = tied.shape[-1] - 1 - tied[:, ::-1].argmax(axis=-1)
            worth[c] = float(_worth(c, _pooled(outside, lowest[c], both), costs)[0])
        return cls(lowest, highest, worth, draws)


def _pooled(outside: Above, at: Ints, rows: Bools) -> Rates:
    """Rates at a candidate of each sample, over the cases that all of them left out."""
    size = outside.positives.shape[-1]
    sums = []
    for counts in (outside.positives[rows], outside.negatives[rows]):
        chosen = np.take_along_axis(counts, np.minimum(at, size - 1)[:, None], axis=1)[:, 0]
        sums.append(chosen[at < size].sum())
    positives, negatives = outside.all_positives[rows].sum(), outside.all_negatives[rows].sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        sensitivity, specificity = sums[0] / positives, 1.0 - sums[1] / negatives
        share = positives / (positives + negatives)
    return np.array([sensitivity]), np.array([specificity]), np.asarray(share)


def _chosen(
    cuts: _Cuts,
    replicates: _Replicates,
    criterion: str,
    costs: tuple[float, float],
    level: float,
) -> Choice:
    rates = cuts.rates
    values = _worth(criterion, rates, costs)
    best = float(values.min())
    tied = np.flatnonzero(values <= best + TIED)
    at = int(tied[0])
    tail = (1.0 - level) / 2.0
    ends = ((replicates.lowest, tail), (replicates.highest, 1.0 - tail))
    low, high = (
        float(np.quantile(cuts.candidates[places[criterion]], q, method="inverted_cdf"))
        for places, q in ends
    )
    share = float(rates[2])
    price = costs[1] * share / (costs[0] * (1.0 - share)) if criterion == "cost" else 1.0
    low, high = cuts.reaching(low, high, price)
    sign = -1.0 if criterion == "youden" else 1.0
    optimism = replicates.worth[criterion] - best
    known = bool(np.isfinite(optimism))
    return Choice(
        criterion=criterion,
        title=TITLES[criterion],
        threshold=float(cuts.candidates[at]),
        interval=Interval(
            low, high, level, f"bootstrap percentile to the next case, {replicates.draws} draws"
        ),
        criterion_value=VALUES[criterion],
        value=sign * best + 0.0,  # no negative 0
        optimism=optimism if known else None,
        corrected=sign * (best + optimism) + 0.0,
        sensitivity=float(rates[0][at]),
        specificity=float(rates[1][at]),
        net_benefit=_net_benefit(rates, at, costs),
        tied=tuple(float(cuts.candidates[k]) for k in tied[1:]),
    )


def _net_benefit(rates: Rates, at: int, costs: tuple[float, float]) -> float:
    """At the rate of exchange of the stated costs."""
    sensitivity, specificity, share = float(rates[0][at]), float(rates[1][at]), float(rates[2])
    return share * sensitivity - (1.0 - share) * (1.0 - specificity) * costs[0] / costs[1]


def _implied(predictions: Binary, cost_fp: float, cost_fn: float) -> Choice:
    """The threshold of right probabilities, and what it costs here: p at least that."""
    at = cost_fp / (cost_fp + cost_fn)
    p = predictions.probability
    assert p is not None
    weight = np.ones(predictions.n) if predictions.weight is None else predictions.weight
    acted, y = p >= at, predictions.positive
    total = float(weight.sum())
    tp, fp = float(weight[acted & y].sum()), float(weight[acted & ~y].sum())
    fn, tn = float(weight[~acted & y].sum()), float(weight[~acted & ~y].sum())
    value = (cost_fp * fp + cost_fn * fn) / total
    return Choice(
        criterion="costs imply",
        title=TITLES["costs imply"],
        threshold=at,
        interval=None,
        criterion_value=VALUES["costs imply"],
        value=value,
        optimism=None,
        corrected=value,
        sensitivity=tp / (tp + fn),
        specificity=tn / (tn + fp),
        net_benefit=(tp - fp * at / (1.0 - at)) / total if at < 1.0 else float("nan"),
    )


def _calls_otherwise(threshold: float, interval: Interval, probability: Floats) -> bool:
    """Whether a threshold is outside and cases lie between, so that it calls them otherwise."""
    low, high = interval.low, interval.high
    between = (probability >= threshold) & (probability < low)
    between |= (probability > high) & (probability < threshold)
    return bool(between.any())


def _advice(predictions: Binary, choices: list[Choice]) -> list[Advice]:
    found = [
        Advice(
            "AC360",
            "thresholds chosen on these cases look better here than they will on new ones; "
            "compare the values without optimism, or choose on other cases.",
            "Leeflang et al. (2008)",
        )
    ]
    if no_band(predictions) is not None:
        found.append(
            Advice(
                "AC364",
                "limits of thresholds take cases to be independent, which those of pooled folds or "
                "in time order are not: they may cover less than they say.",
            )
        )
    chosen = next(c for c in choices if c.criterion == "cost")
    if predictions.probability is not None and chosen.interval is not None:
        implied = choices[0].threshold
        if _calls_otherwise(implied, chosen.interval, predictions.probability):
            found.append(
                Advice(
                    "AC361",
                    f"the costs imply a threshold of {implied:.3g}, which samples like these "
                    f"would not choose ({chosen.interval}): the probabilities are not right near "
                    "it; look at the calibration curve.",
                )
            )
    if np.isnan(chosen.corrected):
        found.append(
            Advice(
                "AC363",
                "no bootstrap sample leaves cases of both classes out: the optimism "
                "of a choice on so few cases is not known.",
            )
        )
    if len(chosen.tied) and predictions.n < 100:
        found.append(
            Advice("AC362", f"{len(chosen.tied) + 1} thresholds cost the same on these cases.")
        )
    return found
