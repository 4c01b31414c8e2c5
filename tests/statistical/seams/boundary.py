"""What users type: labels that are none, rows in another order, options that were ignored."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from scipy.stats import binomtest

import abovechance as ac
from statistical.seams.seam import seam

NOT_LABELS = ("accuracy", "balanced_accuracy", "f1", "mcc", "kappa")


def _cases(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    y = np.arange(n) % 2
    return y, np.round(1 / (1 + np.exp(0.7 - 1.5 * y - rng.normal(size=n))), 3)


for _name in NOT_LABELS:

    @seam("What users type", f"{_name}(y, probabilities)", "value", low=0.5, fixed=True)
    def _value(rng: np.random.Generator, name: str = _name) -> float:
        try:
            return float(ac.measures.find(name)(*_cases()))
        except ac.AboveChanceError:
            return float("nan")


@seam("What users type", "a series sorted beside its outcome", "AUC off by", high=0.0, fixed=True)
def _sorted(rng: np.random.Generator) -> float:
    y, p = map(pd.Series, _cases())
    try:
        return abs(ac.measures.auc(y, p.sort_values()) - ac.measures.auc(y, p))
    except ac.AboveChanceError:
        return float("nan")


@seam("What users type", "exact p of the log score, 7+8", "p off by", high=1e-12, fixed=True)
def _exact(rng: np.random.Generator) -> float:
    p = _cases(15)[1]
    y = np.repeat([1, 0], [7, 8])
    gain = np.log(p / (1 - p))
    sums = np.array([gain[list(chosen)].sum() for chosen in combinations(range(15), 7)])
    true = np.count_nonzero(sums >= gain[:7].sum() - 1e-9) / comb(15, 7)
    made = ac.Binary(y, probability=p)
    try:
        found = ac.assess(made, ["log_score"], exact=True, draws=999, rng=1)
    except TypeError:  # no such option
        found = ac.assess(made, ["log_score"], draws=999, rng=1)
    return abs(found["log_score"].p_value - true)


for _share, _hits in (("sensitivity", 1), ("ppv", 0)):

    @seam("What users type", f"{_share} against a rate of .6", "p off by", high=1e-12, fixed=True)
    def _rate(rng: np.random.Generator, name: str = _share, axis: int = _hits) -> float:
        y, p = _cases()
        made = ac.Binary(y, probability=p)
        table = np.asarray(made.confusion)
        total = int(table.sum(axis=axis)[1])
        true = binomtest(int(table[1, 1]), total, 0.6, "greater").pvalue
        return abs(ac.assess(made, [name], rate=0.6, draws=99, rng=1)[name].p_value - true)


for _call in ("assess(y, p)", "compare([first, second])", 'assess(predictions, "auc")'):

    @seam("What users type", _call, "answered or refused", low=1.0, fixed=True)
    def _natural(rng: np.random.Generator, call: str = _call) -> float:
        y, p = _cases()
        made = ac.Binary(y, probability=p)
        try:
            if call.startswith("compare"):
                ac.compare([made, made], measures=["auc"], draws=9, rng=1)
            elif call.endswith('"auc")'):
                ac.assess(made, "auc", draws=9, rng=1)
            else:
                ac.assess(y, p, draws=9, rng=1)
        except Exception as error:
            return float(isinstance(error, ac.AboveChanceError) and "'a'" not in str(error))
        return 1.0
