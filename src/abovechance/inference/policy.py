"""The law table: which interval, which test against chance, which comparison follows from a law."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from abovechance.inference import defaults
from abovechance.inference.results import Interval
from abovechance.measures import Law


@dataclass(frozen=True)
class Policy:
    """What inference does for measures of one law."""

    interval: Callable[..., Interval] | None
    interval_name: str
    chance: str
    comparison: str
    skill: bool = False


FISHER = "association of prediction and outcome, margins fixed: Fisher"

TABLE: dict[Law, Policy] = {
    Law.SHARE: Policy(
        defaults.of_share,
        "Wilson",
        f"{FISHER}; and skill against the best constant prediction: McNemar",
        "exact McNemar",
        skill=True,
    ),
    Law.CONDITIONAL: Policy(
        defaults.of_share,
        "Wilson on its denominator",
        FISHER,
        "exact McNemar within the class; predictive values: studentised exchange",
    ),
    Law.BALANCED: Policy(
        defaults.of_balanced,
        "MOVER with Wilson; more than two classes: Wilson at the effective n",
        f"{FISHER}; more than two classes: permutation",
        "stratified sign flip",
    ),
    Law.PAIRS: Policy(
        defaults.of_pairs,
        "the wider limits of Newcombe and logit DeLong; over clusters Obuchowski, t",
        "same distribution of scores in both classes: Mann–Whitney",
        "DeLong; intervals of differences and margins: MOVER of both intervals",
    ),
    Law.CENSORED_PAIRS: Policy(
        defaults.of_censored_pairs,
        "infinitesimal jackknife, logit scale",
        "risk permuted against time and event",
        "paired jackknife",
    ),
    Law.MEAN: Policy(
        defaults.of_mean,
        "studentised bootstrap; over clusters each left out in turn, t",
        "association by label permutation, and skill against the uninformative forecast",
        "studentised bootstrap; sign flip of fewer than 30",
        skill=True,
    ),
    Law.UNKNOWN: Policy(
        defaults.of_unknown,
        "cases left out in turn, t on the range's scale; tables: Dirichlet posterior; maxima: none",
        f"tables: {FISHER}; others: permutation",
        "studentised exchange",
    ),
    Law.CALIBRATION: Policy(
        defaults.of_calibration,
        "slope, intercept: profile likelihood; distances: none, for it would not cover 0",
        "probabilities are right: likelihood ratio, or outcomes simulated from them",
        "bootstrap of the difference",
    ),
    Law.UTILITY: Policy(
        defaults.of_utility,
        "MOVER of two shares, else bootstrap BCa of counts; over clusters jackknife, t",
        "none; net benefit: gain over the better of acting on all and on none",
        "bootstrap of the difference",
        skill=True,
    ),
}


def policy_of(law: Law) -> Policy:
    """The row of a law."""
    return TABLE[law]


def describe() -> list[dict[str, Any]]:
    """The table as rows of text."""
    return [
        {
            "law": law.value,
            "interval": row.interval_name,
            "against chance": row.chance,
            "comparison": row.comparison,
        }
        for law, row in TABLE.items()
    ]
