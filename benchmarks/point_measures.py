"""Point measures: thirteen of two classes in one call, Hand and Till's area, Harrell's C."""

import sys
from collections.abc import Iterator

import harness
import numpy as np
from harness import Race, race
from lifelines.utils import concordance_index
from sklearn import metrics

import abovechance as ac
from abovechance.numerics.censoring import concordance_counts
from abovechance.numerics.counts import probability_sums
from abovechance.numerics.ranks import rank_summary

THIRTEEN = {
    "accuracy": lambda y, p, yhat: metrics.accuracy_score(y, yhat),
    "balanced_accuracy": lambda y, p, yhat: metrics.balanced_accuracy_score(y, yhat),
    "sensitivity": lambda y, p, yhat: metrics.recall_score(y, yhat),
    "specificity": lambda y, p, yhat: metrics.recall_score(y, yhat, pos_label=0),
    "ppv": lambda y, p, yhat: metrics.precision_score(y, yhat),
    "npv": lambda y, p, yhat: metrics.precision_score(y, yhat, pos_label=0),
    "f1": lambda y, p, yhat: metrics.f1_score(y, yhat),
    "mcc": lambda y, p, yhat: metrics.matthews_corrcoef(y, yhat),
    "kappa": lambda y, p, yhat: metrics.cohen_kappa_score(y, yhat),
    "auc": lambda y, p, yhat: metrics.roc_auc_score(y, p),
    "average_precision": lambda y, p, yhat: metrics.average_precision_score(y, p),
    "brier": lambda y, p, yhat: metrics.brier_score_loss(y, p),
    "log_loss": lambda y, p, yhat: metrics.log_loss(y, p),
}
NAMES = tuple(THIRTEEN)
LEAN = ("accuracy", "auc", "average_precision", "brier", "log_loss")


def two_classes(n: int, digits: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes with a prevalence of 0.3 and informative probabilities, rounded for ties."""
    y = (rng.random(n) < 0.3).astype(np.int64)
    p = 1 / (1 + np.exp(-(rng.normal(1.5 * y - 1.3))))
    return y, np.clip(np.round(p, digits), 1e-3, 1 - 1e-3)


def with_scikit_learn(y: np.ndarray, p: np.ndarray, names: tuple[str, ...]) -> dict[str, float]:
    yhat = (p > 0.5).astype(np.int64)
    return {name: float(THIRTEEN[name](y, p, yhat)) for name in names}


def agree(ours: dict[str, float], theirs: dict[str, float]) -> None:
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=1e-10, err_msg=name)


def binary(rng: np.random.Generator) -> Iterator[Race]:
    for n, digits, thirteen, lean in ((10_000, 3, 100, None), (1_000_000, 17, 60, 25)):
        y, p = two_classes(n, digits, rng)
        work = f"binary, n = {n:.0e}" + (", ties" if digits < 17 else "")
        floors = {"13 scikit-learn calls": thirteen} | ({"lean 5": lean} if lean else {})
        peers = {
            "13 scikit-learn calls": lambda y=y, p=p: with_scikit_learn(y, p, NAMES),
            "lean 5": lambda y=y, p=p: with_scikit_learn(y, p, LEAN),
        }
        yield from race(
            f"{work}: 13 measures, checks included",
            lambda y=y, p=p: ac.measures.evaluate(ac.Binary(y, probability=p), NAMES),
            peers,
            agree=agree,
            floors=floors,
            rounds=9,
        )
        yield from race(
            f"{work}: every applicable measure, checks included",
            lambda y=y, p=p: ac.measures.evaluate(ac.Binary(y, probability=p)),
            peers,
            agree=agree,
        )
        positive = y == 1
        yield from race(
            f"{work}: one pass and one merge",
            lambda y=positive, p=p: (probability_sums(y, p), rank_summary(p, y)),
            {"np.sort(p)": lambda p=p: np.sort(p)},
            agree=None,
            rounds=9,
        )


def many_classes(rng: np.random.Generator) -> Iterator[Race]:
    k, n = 10, 1_000_000
    y = rng.integers(0, k, n)
    p = rng.random((n, k)) + 0.5 * (y[:, None] == np.arange(k))
    p /= p.sum(axis=1, keepdims=True)
    peer = "roc_auc_score(multi_class='ovo')"
    yield from race(
        "Hand and Till's area, K = 10, n = 1e+06, checks included",
        lambda: ac.measures.evaluate(ac.Multiclass(y, probability=p), ["auc"]),
        {peer: lambda: {"auc": metrics.roc_auc_score(y, p, multi_class="ovo")}},
        agree=agree,
        floors={peer: 12},
        rounds=3,
    )


def survival(rng: np.random.Generator) -> Iterator[Race]:
    for n, floor in ((100_000, 100), (10_000, 100), (1_000, 60)):
        risk = rng.standard_normal(n)
        time, event = rng.exponential(np.exp(-0.7 * risk)), rng.random(n) < 0.6

        def ours(time=time, event=event, risk=risk) -> dict[str, float]:
            return ac.measures.evaluate(ac.Survival(time, event, risk=risk), ["c_index"])

        def counts(time=time, event=event, risk=risk) -> None:
            concordance_counts(time, event, risk)

        def lifelines(time=time, event=event, risk=risk) -> dict[str, float]:
            return {"c_index": float(concordance_index(time, -risk, event))}

        def sorts(time=time, risk=risk) -> None:
            np.argsort(time), np.argsort(risk)

        yield from race(
            f"Harrell's C, n = {n:.0e}, checks included",
            ours,
            {"lifelines": lifelines},
            agree=agree,
            floors={"lifelines": floor},
            rounds=3,
        )
        work = f"Harrell's C, n = {n:.0e}: the pairs"
        yield from race(work, counts, {"two np.argsort": sorts}, agree=None)


def races() -> Iterator[Race]:
    rng = np.random.default_rng(20_240_601)
    yield from binary(rng)
    yield from many_classes(rng)
    yield from survival(rng)


if __name__ == "__main__":
    title = "Point measures against scikit-learn and lifelines"
    sys.exit(harness.main("point_measures", title, races, ("scikit-learn", "lifelines", "numba")))
