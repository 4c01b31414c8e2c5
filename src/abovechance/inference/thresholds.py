"""Where to cut: thresholds that follow from costs, and thresholds chosen on the data.

A threshold chosen on the cases it is judged on looks better than it is. How much better is
estimated by choosing again on bootstrap samples: each sample's choice does better on the sample
than on all cases, and the mean of that difference is the optimism.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.inference.curves.resampled import (
    Above,
    above,
    ranking_of,
    resampled_above,
    thresholds_of,
)
from abovechance.inference.results import Interval, Result, to_frame
from abovechance.predictions import Binary
from abovechance.resampling import seed_of

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
DRAWS = 1000
MOST = 2000  # candidates, evenly spread over the cases when there are more distinct scores
Rates = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class Choice(Result):
    """One threshold: cases above it are called positive.

    `value` is that of the criterion on these cases, `optimism` how much better it looks for having
    been chosen on them, `corrected` the value without it. `tied` are other thresholds as good.
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
class Thresholds(Result):
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

    def to_frame(self, library: str = "pandas") -> Any:
        """The choices as a dataframe of pandas or polars."""
        return to_frame(self.rows(), library)

    def to_csv(self) -> str:
        """The choices as CSV."""
        from abovechance.io.export import to_csv_text

        return to_csv_text(self.rows())

    def __str__(self) -> str:
        return "\n".join(str(choice) for choice in self.choices)


def thresholds(
    predictions: Binary,
    *,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    confidence_level: float = 0.95,
    draws: int = DRAWS,
    rng: Any = None,
) -> Thresholds:
    r"""Where to cut, given what false positives and false negatives cost.

    If probabilities are right, acting pays above :math:`c_{FP} / (c_{FP} + c_{FN})`: this needs no
    data, and nothing to correct. The others are chosen on these cases: least expected cost,
    greatest Youden's J, nearest to the corner of perfect sensitivity and specificity. Each lies
    midway between two scores; cases above it are called positive. Its interval are the
    percentiles of the thresholds that bootstrap samples would choose.

    References
    ----------
    Pauker & Kassirer (1975); Youden (1950); optimism: Harrell, Lee, Mark (1996), section 5.3.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = thresholds(examples.breast_cancer("p_texture"), cost_fp=1, cost_fn=4, rng=1)
    >>> found["costs imply"].threshold, found["cost"].threshold
    (0.2, 0.101)
    >>> print(found["youden"])
    Greatest Youden's J: 0.297 [0.154 to 0.558]; Youden's J 0.474, 0.437 without optimism
    """
    score = ranking_of(predictions, "a threshold")
    for name, price in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not (price > 0.0 and np.isfinite(price)):
            raise NotApplicable(f"{name} must be greater than 0; got {price}.")
    seed = seed_of(rng)
    cuts = _Cuts.of(predictions, score)
    costs = (cost_fp, cost_fn)
    replicates = _Replicates.drawn(
        cuts, predictions, score, costs, draws, np.random.default_rng(seed)
    )
    choices = []
    if predictions.probability is not None:
        choices.append(_implied(predictions, cost_fp, cost_fn))
    for criterion in CRITERIA:
        choices.append(_chosen(cuts, replicates, criterion, costs, confidence_level))
    return Thresholds(
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        n=predictions.n,
        level=confidence_level,
        draws=draws,
        seed=seed,
        choices=tuple(choices),
        advice=tuple(_advice(predictions, choices)),
    )


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Candidate thresholds, ascending, and the rates above each: (…, candidates).

    Candidates lie below all scores, midway between neighbours, and above all.
    """

    candidates: Floats
    rates: Rates

    @classmethod
    def of(cls, predictions: Binary, score: Floats) -> "_Cuts":
        scores = thresholds_of(score, MOST)
        distinct = np.unique(score)
        below = distinct[np.searchsorted(distinct, scores[1:]) - 1]
        middles = np.maximum((below + scores[1:]) / 2.0, below)
        candidates = np.concatenate([[-np.inf], middles, [np.inf]])
        return cls(candidates, _rates(above(predictions, score, scores)))


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
    """By criterion: the candidates that bootstrap samples choose, and their optimism."""

    places: dict[str, Ints]
    optimism: dict[str, Floats]

    @classmethod
    def drawn(
        cls,
        cuts: _Cuts,
        predictions: Binary,
        score: Floats,
        costs: tuple[float, float],
        draws: int,
        rng: np.random.Generator,
    ) -> "_Replicates":
        drawn = resampled_above(predictions, score, thresholds_of(score, MOST), rng, draws)
        rates = _rates(drawn)
        places, optimism = {}, {}
        for c in CRITERIA:
            values = np.nan_to_num(_worth(c, rates, costs), nan=np.inf)
            places[c] = values.argmin(axis=-1)
            there = np.take_along_axis(values, places[c][:, None], axis=1)[:, 0]
            optimism[c] = _worth(c, cuts.rates, costs)[places[c]] - there
        return cls(places, optimism)


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
    tied = np.flatnonzero(values <= best + 1e-12 * max(1.0, abs(best)))
    at = int(tied[0])
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(
        cuts.candidates[replicates.places[criterion]],
        [tail, 1.0 - tail],
        method="inverted_cdf",
    )
    sign = -1.0 if criterion == "youden" else 1.0
    gained = replicates.optimism[criterion]
    optimism = float(gained[np.isfinite(gained)].mean())
    return Choice(
        criterion=criterion,
        title=TITLES[criterion],
        threshold=float(cuts.candidates[at]),
        interval=Interval(
            float(low), float(high), level, f"bootstrap percentile, {len(gained)} draws"
        ),
        criterion_value=VALUES[criterion],
        value=sign * best,
        optimism=optimism,
        corrected=sign * (best + optimism),
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
        net_benefit=(tp - fp * at / (1.0 - at)) / total,
    )


def _advice(predictions: Binary, choices: list[Choice]) -> list[Advice]:
    found = [
        Advice(
            "AC360",
            "thresholds chosen on these cases look better here than they will on new ones; "
            "compare the values without optimism, or choose on other cases.",
            "Leeflang et al. (2008)",
        )
    ]
    chosen = next(c for c in choices if c.criterion == "cost")
    if predictions.probability is not None and chosen.interval is not None:
        implied = choices[0].threshold
        if implied not in chosen.interval:
            found.append(
                Advice(
                    "AC361",
                    f"the costs imply a threshold of {implied:.3g}, which bootstrap samples would "
                    f"not choose ({chosen.interval}): the probabilities are not right near it; "
                    "look at the calibration curve.",
                )
            )
    if len(chosen.tied) and predictions.n < 100:
        found.append(
            Advice("AC362", f"{len(chosen.tied) + 1} thresholds cost the same on these cases.")
        )
    return found
