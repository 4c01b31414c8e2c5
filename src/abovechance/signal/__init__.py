"""Is there signal? Statistics of two groups of rows, and accuracies of learners as statistics."""

from abovechance.signal.accuracy import Accuracy
from abovechance.signal.battery import AnyStatistic, evaluate, evaluate_numeric
from abovechance.signal.catalogue import TABLES, find, known_names, table
from abovechance.signal.checks import (
    classes_of,
    features_of,
    holds_numbers,
    numbers_of,
    present,
    two_groups,
)
from abovechance.signal.distances import energy, goeman, mmd
from abovechance.signal.means import hotelling, hotelling_shrink, oracle, srivastava_du
from abovechance.signal.names import format_name, parse_name
from abovechance.signal.sparse import cai, simes
from abovechance.signal.statistic import Statistic
from abovechance.signal.two_group import TWO_GROUP

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
