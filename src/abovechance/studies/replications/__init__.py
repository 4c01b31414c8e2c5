"""The papers' studies again, each by its name, beside the values that were published."""

from abovechance.studies.replications import brodersen
from abovechance.studies.replications.catalogue import (
    STUDIES,
    find_studies,
    find_study,
    left_out,
)
from abovechance.studies.replications.data import FILES, GROUPS, data_studies
from abovechance.studies.replications.running import reproduce
from abovechance.studies.replications.study import Expected, Study
from abovechance.studies.replications.tables import contents, distances, findings, page, row

__all__ = [
    "FILES",
    "GROUPS",
    "STUDIES",
    "Expected",
    "Study",
    "brodersen",
    "contents",
    "data_studies",
    "distances",
    "find_studies",
    "find_study",
    "findings",
    "left_out",
    "page",
    "reproduce",
    "row",
]
