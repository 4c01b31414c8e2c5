"""Compiled loops made ahead: `abovechance warm`, for those who would rather wait once and now."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.errors import Unfinished
from abovechance.numerics import kernels

CASES, MANY = 240, 2_000  # of numbers enough for loops over turns of one order
HOW: dict[str, Any] = {"rng": 1, "workers": 1, "progress": False}
FEW: dict[str, Any] = {"draws": 99, **HOW}
Tell = Callable[[int, int, str], None]
"""Called with the number of parts done, of all parts, and what is done next."""


@dataclass(frozen=True)
class Warmed:
    """What was made ready: loops `compiled` now, beside those that were on disk already."""

    compiled: int
    kept: str

    def __str__(self) -> str:
        if not self.compiled:
            return "all loops were compiled before; nothing was left to do."
        return f"{self.compiled} loops compiled; later runs read them from {self.kept}."


def warm(tell: Tell | None = None) -> Warmed:
    """Compile what the verbs use, by asking each of them a small question of simulated cases.

    What is compiled is kept on disk, for all later processes of this installation.

    Parameters
    ----------
    tell
        Called before each part with how many are done, how many there are, and what it is.

    Returns
    -------
    Warmed
        How many loops were compiled, and where they are.

    Raises
    ------
    Unfinished
        If numba is not installed, or compiled loops are turned off.
    """
    if not kernels.available():
        raise Unfinished(
            "nothing can be compiled: numba is not installed, or ABOVECHANCE_COMPILED is off."
        )
    parts = _parts()
    with kernels.eagerly(), kernels.counted() as compiled:
        for done, (what, ask) in enumerate(parts.items()):
            if tell is not None:
                tell(done, len(parts), what)
            ask()
        if tell is not None:
            tell(len(parts), len(parts), "")
    return Warmed(len(compiled), str(kernels.kept_in()))


def _parts() -> dict[str, Callable[[], Any]]:
    """What is asked, so that every loop that verbs need is needed once."""
    import abovechance as ac

    rng = np.random.default_rng(1)
    y = np.arange(CASES) % 2
    models = [1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=CASES)))) for _ in range(2)]
    two = [ac.Binary(y, probability=p, pos_label=1) for p in models]
    clusters = np.arange(CASES) // 4
    grouped = ac.Binary(y, probability=models[0], pos_label=1, groups=clusters)
    p = rng.dirichlet(np.ones(3), CASES)
    three = ac.Multiclass(np.arange(CASES) % 3, probability=p, labels=[0, 1, 2])
    value = rng.gamma(3.0, size=MANY)
    numbers = ac.Numeric(value, value * rng.uniform(0.6, 1.3, MANY))
    time, times = rng.exponential(3.0, CASES), [1.0, 2.0, 3.0]
    survival = np.exp(-np.outer(rng.gamma(2.0, 0.2, CASES), times))
    censored = ac.Survival(time, rng.random(CASES) < 0.7, survival=survival, times=times)
    X = rng.normal(size=(40, 6)) + 0.4 * y[:40, None]
    return {
        "two classes": lambda: ac.assess(two[0], **HOW),
        "clusters": lambda: ac.assess(grouped, **HOW),
        "several classes": lambda: ac.assess(three, **HOW),
        "numbers": lambda: ac.assess(numbers, **HOW),
        "times to an event": lambda: ac.assess(censored, **HOW),
        "two models": lambda: ac.compare(two, **HOW),
        "calibration curves of two models": lambda: ac.compare(two, ["ici"], **HOW),
        "few cases of two models": lambda: ac.compare(
            [one.take(np.arange(20)) for one in two], **HOW
        ),
        "curves": lambda: [
            curve(two[0], draws=99, rng=1) for curve in (ac.curves.roc, ac.curves.decision)
        ],
        "signals in features": lambda: ac.detect(X, y[:40], tests=list(SIGNALS), **FEW),
        **{
            f"refits of {name}": partial(_refitted, learner, X, y[:40])
            for name, learner in _learners().items()
        },
        "maps": lambda: _mapped(rng),
        "files in pieces": lambda: _streamed(y, models[0]),
    }


SIGNALS = ("hotelling", "hotelling_shrink", "srivastava_du", "lda.b632", "lda.cv8", "svm.c10.cv8")


def _learners() -> dict[str, Any]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, LinearSVC

    return {
        "discriminants": LinearDiscriminantAnalysis(),
        "machines": make_pipeline(StandardScaler(), SVC(kernel="linear")),
        "machines with the squared hinge": make_pipeline(StandardScaler(), LinearSVC()),
        "regressions": make_pipeline(StandardScaler(), LogisticRegression()),
    }


def _refitted(learner: Any, X: Any, y: Any) -> Any:
    import abovechance as ac

    return ac.permutation_test(learner, X, y, cv=4, measures=["accuracy", "auc"], **FEW)


def _mapped(rng: Any) -> None:
    import abovechance as ac

    images, labels = rng.normal(size=(5, 5, 5, 24)), np.arange(24) % 2
    asked: dict[str, Any] = {**FEW, "draws": 20, "radius": 1.5, "radius_unit": "voxels"}
    for statistic in ("hotelling_shrink", "srivastava_du", "lda.cv4", "svm.c1.cv4"):
        found = ac.searchlight(
            images, labels, runs=np.arange(24) // 6, statistic=statistic, **asked
        )
    for control in ("maximum", "cluster", "tfce"):
        ac.group_maps([found] * 5, control=control, cluster_p=0.05, **FEW)
    ac.group_maps([found] * 5, method="prevalence", **FEW)


def _streamed(y: Any, p: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    import abovechance as ac

    with tempfile.TemporaryDirectory(prefix="abovechance-") as folder:
        file = Path(folder) / "cases.parquet"
        pq.write_table(pa.table({"y": y, "p": p}), file)
        return ac.assess_stream(file, outcome="y", probability="p", rng=1, progress=False)
