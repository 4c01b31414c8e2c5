"""Whole verbs, from the call to the answer, beside the point values that others give.

A verb does more than its peer: intervals, tests and chance levels of every measure beside thirteen
or twenty bare values. How many times the peer's time that may take is the number under "at most".
Values that both give are checked to be equal. Refits, Harrell's C and detection do the same work as
their peers and are raced as usual; peers of refits do a part of the permutations and are scaled.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import harness
import numpy as np
from harness import Race, race
from scipy import stats
from sklearn import metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, permutation_test_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import abovechance as ac

SEED = 1
PERMUTATIONS, FEWER = 400, 4
POINT_CALLS = {"binary": "13 point calls", "multiclass": "20 point calls", "numeric": "14 calls"}


# ----------------------------------------------------------------------------------------------
# Point values by others.
# ----------------------------------------------------------------------------------------------


BINARY: dict[str, Callable[..., float]] = {
    "accuracy": lambda y, p, hit: metrics.accuracy_score(y, hit),
    "balanced_accuracy": lambda y, p, hit: metrics.balanced_accuracy_score(y, hit),
    "sensitivity": lambda y, p, hit: metrics.recall_score(y, hit),
    "specificity": lambda y, p, hit: metrics.recall_score(y, hit, pos_label=0),
    "ppv": lambda y, p, hit: metrics.precision_score(y, hit),
    "npv": lambda y, p, hit: metrics.precision_score(y, hit, pos_label=0),
    "f1": lambda y, p, hit: metrics.f1_score(y, hit),
    "mcc": lambda y, p, hit: metrics.matthews_corrcoef(y, hit),
    "kappa": lambda y, p, hit: metrics.cohen_kappa_score(y, hit),
    "auc": lambda y, p, hit: metrics.roc_auc_score(y, p),
    "average_precision": lambda y, p, hit: metrics.average_precision_score(y, p),
    "brier": lambda y, p, hit: metrics.brier_score_loss(y, p),
    "log_loss": lambda y, p, hit: metrics.log_loss(y, p),
}


def binary_points(y: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Thirteen calls of scikit-learn."""
    hit = (p > 0.5).astype(int)
    return {name: call(y, p, hit) for name, call in BINARY.items()}


def class_points(y: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Twenty calls of scikit-learn; those with a name of ours are compared."""
    hit, classes = p.argmax(axis=1), np.arange(p.shape[1])
    onehot = (y[:, None] == classes).astype(int)
    return {
        "accuracy": metrics.accuracy_score(y, hit),
        "error_rate": metrics.zero_one_loss(y, hit),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, hit),
        "mcc": metrics.matthews_corrcoef(y, hit),
        "kappa": metrics.cohen_kappa_score(y, hit),
        "sensitivity_macro": metrics.recall_score(y, hit, average="macro"),
        "ppv_macro": metrics.precision_score(y, hit, average="macro"),
        "f1_macro": metrics.f1_score(y, hit, average="macro"),
        "jaccard_macro": metrics.jaccard_score(y, hit, average="macro"),
        "auc": metrics.roc_auc_score(y, p, multi_class="ovo", labels=classes),
        "auc_ovr_macro": metrics.roc_auc_score(y, p, multi_class="ovr", labels=classes),
        "auc_ovr_weighted": metrics.roc_auc_score(
            y, p, multi_class="ovr", average="weighted", labels=classes
        ),
        "log_loss": metrics.log_loss(y, p, labels=classes),
        "(f1 weighted)": metrics.f1_score(y, hit, average="weighted"),
        "(recall weighted)": metrics.recall_score(y, hit, average="weighted"),
        "(precision weighted)": metrics.precision_score(y, hit, average="weighted"),
        "(Hamming)": metrics.hamming_loss(y, hit),
        "(top 2)": metrics.top_k_accuracy_score(y, p, k=2, labels=classes),
        "(average precision)": metrics.average_precision_score(onehot, p),
        "(Brier)": metrics.mean_squared_error(onehot, p),
    }


def number_points(y: np.ndarray, value: np.ndarray) -> dict[str, float]:
    """Eleven calls of scikit-learn and three of scipy."""
    return {
        "mse": metrics.mean_squared_error(y, value),
        "rmse": metrics.root_mean_squared_error(y, value),
        "mae": metrics.mean_absolute_error(y, value),
        "medae": metrics.median_absolute_error(y, value),
        "max_error": metrics.max_error(y, value),
        "r2": metrics.r2_score(y, value),
        "explained_variance": metrics.explained_variance_score(y, value),
        "d2_absolute_error": metrics.d2_absolute_error_score(y, value),
        "msle": metrics.mean_squared_log_error(y, value),
        "rmsle": metrics.root_mean_squared_log_error(y, value),
        "(pinball)": metrics.mean_pinball_loss(y, value),
        "pearson": float(stats.pearsonr(y, value).statistic),
        "spearman": float(stats.spearmanr(y, value).statistic),
        "kendall": float(stats.kendalltau(y, value).statistic),
    }


def survival_points(
    time: np.ndarray, event: np.ndarray, survival: np.ndarray, times: np.ndarray
) -> dict[str, float]:
    """lifelines' C and the measures of scikit-survival."""
    from lifelines.utils import concordance_index
    from sksurv import metrics as censored
    from sksurv.util import Surv

    observed, risk = Surv.from_arrays(event, time), 1.0 - survival[:, -1]
    return {
        "c_index": concordance_index(time, -risk, event),
        "(C)": censored.concordance_index_censored(event, time, risk)[0],
        "(Uno's C)": censored.concordance_index_ipcw(observed, observed, risk)[0],
        "(area)": censored.cumulative_dynamic_auc(observed, observed, risk, times)[1],
        "(Brier)": float(censored.brier_score(observed, observed, survival, times)[1][-1]),
        "(integrated)": censored.integrated_brier_score(observed, observed, survival, times),
    }


# ----------------------------------------------------------------------------------------------
# Data.
# ----------------------------------------------------------------------------------------------


def two_classes(n: int, models: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
    """Outcomes in four of ten cases and probabilities of so many models."""
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    common = 1.2 * y + rng.normal(size=n) - 0.6
    noise = 0.5 * rng.normal(size=(models, n))
    noise[0] = 0.0
    return y, list(1.0 / (1.0 + np.exp(-(common + noise))))


def classes(n: int, k: int, models: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
    """Outcomes of k classes and probabilities of so many models."""
    rng = np.random.default_rng(n + k)
    y = rng.permutation(np.arange(n) % k)
    common = rng.normal(size=(n, k))
    common[np.arange(n), y] += 1.5
    found = []
    for _ in range(models):
        p = np.exp(common + 0.5 * rng.normal(size=(n, k)) * (models > 1))
        found.append(p / p.sum(axis=1, keepdims=True))
    return y, found


def times_to_event(n: int) -> tuple[np.ndarray, ...]:
    """Times, events, survival at three times, and these."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    time, censoring = rng.exponential(3.0 * np.exp(-x)), rng.exponential(6.0, size=n)
    times = np.array([1.0, 2.0, 3.0])
    guess = 0.8 * x + 0.3 * rng.normal(size=n)
    survival = np.exp(-times * np.exp(guess)[:, None] / 3.0)
    return np.minimum(time, censoring), time <= censoring, survival, times


def same_values(ours: Any, theirs: Mapping[str, float]) -> None:
    """Values under names of ours must agree."""
    for name, value in theirs.items():
        if not name.startswith("("):
            np.testing.assert_allclose(ours[name].value, value, rtol=1e-7, err_msg=name)


# ----------------------------------------------------------------------------------------------
# What is run.
# ----------------------------------------------------------------------------------------------


def assess_binary(
    sizes: tuple[int, ...] = (100, 1_000, 10_000, 100_000, 1_000_000),
) -> Iterator[Race]:
    for n in sizes:
        y, (p,) = two_classes(n)
        yield from race(
            f"assess, two classes, n = {n:.0e}",
            lambda y=y, p=p: ac.assess(ac.Binary(y, probability=p, pos_label=1), rng=SEED),
            {POINT_CALLS["binary"]: partial(binary_points, y, p)},
            agree=same_values,
            ceilings={POINT_CALLS["binary"]: 10 if n < 100_000 else 6},
            rounds=3 if n <= 1_000 else 1,
        )


def assess_with_intervals(n: int = 1_000) -> Iterator[Race]:
    """Beside the same thirteen values, each in its own bootstrap of scipy, of fewer resamples.

    The peer's time grows with its resamples and is scaled to those that `assess` takes.
    """
    y, (p,) = two_classes(n)
    names = list(binary_points(y, p))
    drawn, wanted = 19, 1_999

    def peer() -> list[Any]:
        def of(name: str) -> Callable[..., float]:
            return lambda a, b: BINARY[name](a, b, (b > 0.5).astype(int))

        return [
            stats.bootstrap(
                (y, p),
                of(name),
                paired=True,
                vectorized=False,
                n_resamples=drawn,
                method="percentile",
                rng=SEED,
            )
            for name in names
        ]

    found = race(
        f"assess with intervals, two classes, n = {n:.0e}, the same 13 measures",
        lambda: ac.assess(ac.Binary(y, probability=p, pos_label=1), names, rng=SEED),
        {f"scipy.stats.bootstrap, {wanted} resamples": peer},
        agree=None,
        rounds=2,
    )
    times = wanted / drawn
    yield from (replace(r, theirs=r.theirs * times, ratio=r.ratio * times, floor=50) for r in found)


def assess_beside_packages(n: int = 1_000) -> Iterator[Race]:
    """Beside packages that give intervals, for the measures that each of them has.

    Those that resample do a part of their resamples and are scaled to all; others give limits in
    closed form and no more, where `assess` gives chance levels and tests too, `quick` those that
    need no draws.
    """
    os.environ["TQDM_DISABLE"] = "1"
    y, (p,) = two_classes(n)
    hit = (p > 0.5).astype(int)
    few = 20
    peers: list[tuple[str, Callable[[], Any], list[str], int]] = []
    if find_spec("confidenceinterval"):
        import confidenceinterval as ci

        labels = {
            "accuracy": ci.accuracy_score,
            "sensitivity": ci.tpr_score,
            "specificity": ci.tnr_score,
            "ppv": ci.ppv_score,
            "npv": ci.npv_score,
            "f1": partial(ci.f1_score, average="binary"),
        }

        def limits(**how: Any) -> list[Any]:
            return [of(y, hit, **how) for of in labels.values()] + [ci.roc_auc_score(y, p, **how)]

        drawn = {"method": "bootstrap_percentile", "n_resamples": few}
        peers += [
            ("confidenceinterval, closed forms", limits, [*labels, "auc"], 0),
            (
                "confidenceinterval, 1999 resamples",
                partial(limits, **drawn),
                [*labels, "auc"],
                1999,
            ),
        ]
    if find_spec("MLstatkit"):
        from MLstatkit import Bootstrapping

        words = ("f1", "accuracy", "recall", "precision", "roc_auc", "average_precision")
        names = ["f1", "accuracy", "sensitivity", "ppv", "auc", "average_precision"]
        some = {"n_bootstraps": few, "average": "binary"}
        peers.append(
            (
                "MLstatkit, 1000 resamples",
                lambda: [Bootstrapping(y, p, word, **some) for word in words],
                names,
                1000,
            )
        )
    if find_spec("evalstats"):
        import evalstats

        losses = [(hit == y).astype(float), (y - p) ** 2, -np.log(np.where(y == 1, p, 1 - p))]
        names = ["accuracy", "brier", "log_loss"]
        called = "evalstats, closed forms"
        peers.append((called, lambda: [evalstats.mean_ci(s, rng=1) for s in losses], names, 0))
    asked = [(*peer, False) for peer in peers] + [(*peer, True) for peer in peers if not peer[-1]]
    for name, peer, names, wanted, quick in asked:

        def ours(names: list[str] = names, quick: bool = quick) -> Any:
            return ac.assess(ac.Binary(y, probability=p, pos_label=1), names, rng=1, quick=quick)

        work = f"assess with intervals, two classes, n = {n:.0e}, {len(names)} measures"
        found = race(work + ", quick" * quick, ours, {name: peer}, agree=None, rounds=3)
        times = wanted / few if wanted else 1.0
        floor = 50 if wanted else None
        for r in found:
            yield replace(r, theirs=r.theirs * times, ratio=r.ratio * times, floor=floor)


def assess_classes(
    settings: tuple[tuple[int, int], ...] = ((1_000, 3), (1_000, 5), (1_000, 20), (3_000, 100)),
) -> Iterator[Race]:
    for n, k in settings:
        y, (p,) = classes(n, k)
        yield from race(
            f"assess, {k} classes, n = {n:.0e}",
            lambda y=y, p=p, k=k: ac.assess(
                ac.Multiclass(y, probability=p, labels=list(range(k))), rng=SEED
            ),
            {POINT_CALLS["multiclass"]: partial(class_points, y, p)},
            agree=same_values,
            ceilings={POINT_CALLS["multiclass"]: 10},
            rounds=1,
        )


def assess_numbers(sizes: tuple[int, ...] = (1_000, 10_000)) -> Iterator[Race]:
    for n in sizes:
        rng = np.random.default_rng(n)
        y = rng.gamma(3.0, size=n)
        value = y * rng.uniform(0.6, 1.3, size=n)
        yield from race(
            f"assess, numbers, n = {n:.0e}",
            lambda y=y, value=value: ac.assess(ac.Numeric(y, value), rng=SEED),
            {POINT_CALLS["numeric"]: partial(number_points, y, value)},
            agree=same_values,
            ceilings={POINT_CALLS["numeric"]: 10},
            rounds=3,
        )


def assess_outputs(n: int = 1_000, outputs: int = 5) -> Iterator[Race]:
    """Several numbers a case: every measure of each of them, and of all together."""
    rng = np.random.default_rng(n)
    y = rng.gamma(3.0, size=(n, outputs))
    value = y * rng.uniform(0.6, 1.3, size=y.shape)
    peer = f"{POINT_CALLS['numeric']} of each"

    def same(ours: Any, theirs: list[dict[str, float]]) -> None:
        mean = np.mean([one["r2"] for one in theirs])
        np.testing.assert_allclose(ours["multi_r2"].value, mean, rtol=1e-9)

    yield from race(
        f"assess, numbers, {outputs} outputs, n = {n:.0e}",
        lambda: ac.assess(ac.Numeric(y, value), rng=SEED),
        {peer: lambda: [number_points(y[:, k], value[:, k]) for k in range(outputs)]},
        agree=same,
        ceilings={peer: 10},
        rounds=3,
    )


def assess_survival(sizes: tuple[int, ...] = (300, 1_000)) -> Iterator[Race]:
    for n in sizes:
        time, event, survival, times = times_to_event(n)
        peer = "lifelines, scikit-survival (6 calls)"
        yield from race(
            f"assess, survival, n = {n:.0e}",
            lambda a=time, b=event, c=survival, d=times: ac.assess(
                ac.Survival(a, b, survival=c, times=list(d)), rng=SEED
            ),
            {peer: partial(survival_points, time, event, survival, times)},
            agree=same_values,
            ceilings={peer: 10},
            rounds=3,
        )


def compare_two(sizes: tuple[int, ...] = (100, 1_000, 10_000)) -> Iterator[Race]:
    for n in sizes:
        y, models = two_classes(n, 2)
        peer = "13 point calls of both"
        yield from race(
            f"compare two models, n = {n:.0e}",
            lambda y=y, models=models: ac.compare(
                {str(i): ac.Binary(y, probability=p, pos_label=1) for i, p in enumerate(models)},
                rng=SEED,
            ),
            {peer: lambda y=y, models=models: [binary_points(y, p) for p in models]},
            agree=None,
            ceilings={peer: 5},
            rounds=2,
        )


def compare_classes(n: int = 1_000, k: int = 20, models: int = 5) -> Iterator[Race]:
    """All measures that apply, of five models."""
    y, found = classes(n, k, models)
    labels = list(range(k))
    every = [
        m.name
        for m in ac.measures.applicable(ac.Multiclass(y, probability=found[0], labels=labels))
    ]
    peer = "20 point calls of each"
    yield from race(
        f"compare {models} models, {k} classes, all measures, n = {n:.0e}",
        lambda: ac.compare(
            {str(i): ac.Multiclass(y, probability=p, labels=labels) for i, p in enumerate(found)},
            every,
            rng=SEED,
        ),
        {peer: lambda: [class_points(y, p) for p in found]},
        agree=None,
        ceilings={peer: 30},
        rounds=1,
    )


def beside_assess(n: int = 1_000) -> Iterator[Race]:
    """Curves, thresholds and the report, none of which may take longer than `assess`."""
    y, (p,) = two_classes(n)

    def cases() -> Any:
        return ac.Binary(y, probability=p, pos_label=1)

    def assessed() -> Any:
        return ac.assess(cases(), rng=SEED)

    known, target = assessed(), Path(tempfile.mkdtemp()) / "report.html"
    verbs: dict[str, Callable[[], Any]] = {
        "curves.roc": lambda: ac.curves.roc(cases(), rng=SEED),
        "curves.precision_recall": lambda: ac.curves.precision_recall(cases(), rng=SEED),
        "curves.calibration": lambda: ac.curves.calibration(cases()),
        "curves.decision": lambda: ac.curves.decision(cases(), rng=SEED),
        "curves.cost": lambda: ac.curves.cost(cases(), rng=SEED),
        "thresholds": lambda: ac.thresholds(cases(), cost_fn=5, rng=SEED),
        "report, pictures included": lambda: ac.report(known, target, predictions=cases()),
    }
    for name, verb in verbs.items():
        yield from race(
            f"{name}, n = {n:.0e}",
            verb,
            {"assess": assessed},
            agree=None,
            ceilings={"assess": 1},
            rounds=2,
        )


REFITTED = ("lda", "lda with shrinkage", "svm", "LinearSVC", "logistic regression")


def refits(names: tuple[str, ...] = REFITTED) -> Iterator[Race]:
    """`permutation_test` from the call to p, one refit by scikit-learn included."""
    rng = np.random.default_rng(4)
    y = rng.permutation(np.arange(40) % 2)
    X = rng.normal(size=(40, 23)) + 0.25 * y[:, None]
    learners = {
        "lda": (LinearDiscriminantAnalysis(), 1_000),
        "lda with shrinkage": (LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), 10),
        "svm": (make_pipeline(StandardScaler(), SVC(kernel="linear", C=10.0)), 100),
        "LinearSVC": (make_pipeline(StandardScaler(), LinearSVC()), 10),
        "logistic regression": (make_pipeline(StandardScaler(), LogisticRegression()), 10),
    }
    for name in names:
        learner, floor = learners[name]

        def peer(learner: Any = learner) -> float:
            folds = StratifiedKFold(8, shuffle=True, random_state=0)
            found = permutation_test_score(
                learner, X, y, cv=folds, n_permutations=FEWER - 1, random_state=0
            )
            return float(found[2])

        for measures in (["accuracy"], ["accuracy", "auc"]):
            found = race(
                f"permutation_test of {name}, {' and '.join(measures)}, 40 × 23, 8 folds, "
                f"{PERMUTATIONS} permutations",
                lambda learner=learner, measures=measures: ac.permutation_test(
                    learner, X, y, cv=8, draws=PERMUTATIONS, rng=SEED, measures=measures
                ),
                {"permutation_test_score": peer},
                agree=None,
                rounds=2,
            )
            times = PERMUTATIONS / FEWER
            yield from (
                replace(r, theirs=r.theirs * times, ratio=r.ratio * times, floor=floor)
                for r in found
            )


def detections() -> Iterator[Race]:
    """Hotelling by hyppo and Srivastava and Du's formula, one labelling after another."""
    from detection import hyppo_and_loop

    rng = np.random.default_rng(4)
    y = rng.permutation(np.arange(40) % 2)
    X = rng.normal(size=(40, 23)) + 0.25 * y[:, None]
    few = rng.permuted(np.tile(y, (PERMUTATIONS // 10, 1)), axis=1)
    few[0] = y
    found = race(
        f"detect by Hotelling and Srivastava and Du, {PERMUTATIONS} permutations",
        lambda: ac.detect(X, y, tests=["hotelling", "srivastava_du"], draws=PERMUTATIONS, rng=1),
        {"hyppo and a numpy loop": partial(hyppo_and_loop, X, few)},
        agree=lambda ours, theirs: np.testing.assert_allclose(
            [ours["hotelling"].value, ours["srivastava_du"].value], theirs[0], rtol=1e-9
        ),
    )
    yield from (replace(r, theirs=10 * r.theirs, ratio=10 * r.ratio, floor=100) for r in found)


def concordances(sizes: tuple[int, ...] = (1_000, 10_000)) -> Iterator[Race]:
    from lifelines.utils import concordance_index

    for n in sizes:
        time, event, survival, _ = times_to_event(n)
        risk = 1.0 - survival[:, -1]
        yield from race(
            f"Harrell's C, checks included, n = {n:.0e}",
            lambda a=time, b=event, c=risk: ac.measures.c_index(a, b, risk=c),
            {"lifelines": partial(concordance_index, time, -risk, event)},
            agree=lambda ours, theirs: np.testing.assert_allclose(ours, theirs, rtol=1e-10),
            floors={"lifelines": 60 if n < 10_000 else 100},
        )


def cold_starts() -> Iterator[Race]:
    """Imports, and a first assessment from the command line."""
    alone = _seconds_of("-c", "import numpy")
    ours = _seconds_of("-c", "import abovechance")
    yield Race("import abovechance", "import numpy", ours, alone, alone / ours, ceiling=1.5)
    file = Path(tempfile.mkdtemp()) / "cases.csv"
    y, (p,) = two_classes(300)
    rows = "\n".join(f"{a},{b:.6f}" for a, b in zip(y, p, strict=True))
    file.write_text(f"outcome,probability\n{rows}\n", encoding="utf-8")
    call = ("-m", "abovechance", "assess", str(file), "--outcome", "outcome", "--seed", "1")
    usual = _seconds_of(*call)
    never = min(_seconds_of(*call, NUMBA_CACHE_DIR=tempfile.mkdtemp(), rounds=1) for _ in range(2))
    work = "abovechance assess of 300 rows, command line"
    yield Race(f"{work}, loops never compiled", "once compiled", never, usual, usual / never, None)


def _seconds_of(*arguments: str, rounds: int = 3, **environment: str) -> float:
    """The least CPU seconds of a fresh interpreter."""
    spent = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments],
            check=True,
            capture_output=True,
            env={**os.environ, **environment},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def races() -> Iterator[Race]:
    yield from assess_binary()
    yield from assess_with_intervals()
    yield from assess_beside_packages()
    yield from assess_classes()
    yield from assess_numbers()
    yield from assess_outputs()
    yield from assess_survival()
    yield from compare_two()
    yield from compare_classes()
    yield from beside_assess()
    yield from cold_starts()
    yield from refits()
    yield from detections()
    yield from concordances()


def quick() -> Iterator[Race]:
    yield from assess_binary((100, 1_000))
    yield from assess_classes(((300, 3),))
    yield from compare_two((1_000,))
    yield from detections()
    yield from cold_starts()


if __name__ == "__main__":
    sys.exit(
        harness.main(
            "verbs",
            __doc__.splitlines()[0],
            races,
            ("scikit-learn", "scipy", "lifelines", "scikit-survival", "hyppo"),
            quick,
            "values of `assess`, `detect` and Harrell's C that both give were checked to be equal "
            "before timing, the other verbs have no such counterpart or are checked by `detection`",
        )
    )
