"""Which interval a law has by default, and whether its values are held against a reference."""

from collections.abc import Callable
from dataclasses import dataclass

from abovechance.inference import defaults
from abovechance.inference.results import Interval
from abovechance.measures import Law


@dataclass(frozen=True)
class Policy:
    """What an assessment does for measures of one law."""

    interval: Callable[..., Interval]
    skill: bool = False


TABLE: dict[Law, Policy] = {
    Law.SHARE: Policy(defaults.of_share, skill=True),
    Law.CONDITIONAL: Policy(defaults.of_share),
    Law.BALANCED: Policy(defaults.of_balanced),
    Law.PAIRS: Policy(defaults.of_pairs),
    Law.CENSORED_PAIRS: Policy(defaults.of_censored_pairs),
    Law.MEAN: Policy(defaults.of_mean, skill=True),
    Law.UNKNOWN: Policy(defaults.of_unknown),
    Law.CALIBRATION: Policy(defaults.of_calibration),
    Law.UTILITY: Policy(defaults.of_utility, skill=True),
}


def policy_of(law: Law) -> Policy:
    """The row of a law."""
    return TABLE[law]
