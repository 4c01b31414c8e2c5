"""Areas under the ROC curve near 1, over clusters, at a margin."""

import numpy as np

import abovechance as ac
from statistical.seams.seam import seam


def _perfect(n: int) -> float:
    y = np.repeat([0, 1], n)
    found = ac.assess(ac.Binary(y, score=np.arange(2.0 * n)), ["auc"], rng=1)["auc"].interval
    return found.low


for _size, _low in ((10, 0.75), (100, 0.95), (1000, 0.99)):
    seam("AUC near 1", f"AUC 1 seen in {_size}+{_size}", "lower limit", low=_low, fixed=True)(
        lambda rng, size=_size: _perfect(size)
    )
