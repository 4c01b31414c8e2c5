"""Is there signal? Statistics of two groups of rows, and accuracies of learners as statistics."""

from abovechance.signal.accuracy_statistics import Accuracy, format_name, parse_name
from abovechance.signal.battery import AnyStatistic, evaluate, evaluate_numeric
from abovechance.signal.distances import energy, goeman, mmd
from abovechance.signal.inputs import (
    classes_of,
    features_of,
    holds_numbers,
    numbers_of,
    present,
    two_groups,
)
from abovechance.signal.mean_differences import hotelling, hotelling_shrink, oracle, srivastava_du
from abovechance.signal.sparse import cai, simes
from abovechance.signal.statistic import Statistic
from abovechance.signal.statistics_by_name import TABLES, TWO_GROUP, find, known_names, table

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
