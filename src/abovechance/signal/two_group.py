"""The two-group statistics, collected."""

from abovechance.signal.distances import energy, goeman, mmd
from abovechance.signal.means import hotelling, hotelling_shrink, srivastava_du
from abovechance.signal.sparse import cai, simes
from abovechance.signal.statistic import Statistic

TWO_GROUP: tuple[Statistic, ...] = (
    hotelling,
    hotelling_shrink,
    srivastava_du,
    goeman,
    mmd,
    energy,
    simes,
    cai,
)
