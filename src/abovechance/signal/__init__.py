"""Is there signal? Statistics of two groups of rows, and accuracies of learners as statistics."""

from abovechance.signal.accuracy_statistics import Accuracy, format_name, parse_name
from abovechance.signal.battery import (
    TABLES,
    TWO_GROUP,
    AnyStatistic,
    evaluate,
    evaluate_numeric,
    find,
    known_names,
    table,
)
from abovechance.signal.statistic import (
    Statistic,
    classes_of,
    features_of,
    holds_numbers,
    numbers_of,
    present,
    two_groups,
)
from abovechance.signal.two_group_statistics import (
    cai,
    energy,
    goeman,
    hotelling,
    hotelling_shrink,
    mmd,
    oracle,
    simes,
    srivastava_du,
)

__all__ = [
    "TABLES",
    "TWO_GROUP",
    "Accuracy",
    "AnyStatistic",
    "Statistic",
    "cai",
    "classes_of",
    "energy",
    "evaluate",
    "evaluate_numeric",
    "features_of",
    "find",
    "format_name",
    "goeman",
    "holds_numbers",
    "hotelling",
    "hotelling_shrink",
    "known_names",
    "mmd",
    "numbers_of",
    "oracle",
    "parse_name",
    "present",
    "simes",
    "srivastava_du",
    "table",
    "two_groups",
]
