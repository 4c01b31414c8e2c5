"""How time and memory of whole verbs grow with what they are given.

Every point is a process of its own: one small call, so that compiled loops are loaded, then the
call that counts, twice unless it is long: CPU seconds are those of the faster, as one of them may
have had to compile a loop. Memory is the most the process ever held,
data and libraries included. A series ends where its next point would take too long. The slope is
that of a line through the logarithms of the last points: 1 means that twice as much takes twice
as long. Nothing is raced here, so nothing has a floor.
"""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import harness  # before numpy: it allows one thread to everybody
import numpy as np

LONGEST = 10.0  # seconds of CPU that a point may take, as the points before it let expect
POWERS = "⁰¹²³⁴⁵⁶⁷"
LAST = 3  # points that the slope is fitted to
SMALL = 60  # cases of the call that loads compiled loops
RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "growth.svg"


# ----------------------------------------------------------------------------------------------
# What grows: a call of each verb as a function of one number.
# ----------------------------------------------------------------------------------------------


def two_classes(n: int, models: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
    """Outcomes in four of ten cases and probabilities of so many models."""
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    common = 1.2 * y + rng.normal(size=n) - 0.6
    return y, [1 / (1 + np.exp(-(common + 0.5 * rng.normal(size=n)))) for _ in range(models)]


def assess(n: int = 1_000, **given: Any) -> Callable[[], Any]:
    import abovechance as ac

    y, (p,) = two_classes(n)
    about = {"groups": np.arange(n) % given.pop("clusters")} if "clusters" in given else {}

    def made() -> Any:  # anew for each call: predictions keep what was found of them
        return ac.Binary(y, probability=p, pos_label=1, **about)

    if "measures" in given:
        names = [m.name for m in ac.measures.applicable(made())]
        given["measures"] = names[: given["measures"]]
    return lambda: ac.assess(made(), rng=1, **given)


def assess_classes(k: int) -> Callable[[], Any]:
    import abovechance as ac

    rng = np.random.default_rng(k)
    y = rng.permutation(np.arange(1_000) % k)
    score = rng.normal(size=(1_000, k))
    score[np.arange(1_000), y] += 1.5
    p = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return lambda: ac.assess(ac.Multiclass(y, probability=p, labels=list(range(k))), rng=1)


def compare(n: int = 1_000, models: int = 2) -> Callable[[], Any]:
    import abovechance as ac

    y, found = two_classes(n, models)
    return lambda: ac.compare(
        {f"m{i}": ac.Binary(y, probability=p, pos_label=1) for i, p in enumerate(found)}, rng=1
    )


def table_of(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten features of two classes."""
    rng = np.random.default_rng(n)
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, 10)) + 0.1 * y[:, None], y


def detect(n: int = 100, draws: int = 400) -> Callable[[], Any]:
    import abovechance as ac

    X, y = table_of(n)
    tests = ["hotelling", "srivastava_du"]
    return lambda: ac.detect(X, y, tests=tests, draws=draws, rng=1)


def permutation_test(n: int = 100, draws: int = 400) -> Callable[[], Any]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    import abovechance as ac

    (X, y), learner = table_of(n), LinearDiscriminantAnalysis()
    return lambda: ac.permutation_test(learner, X, y, draws=draws, measures="accuracy", rng=1)


def power(n: int) -> Callable[[], Any]:
    import abovechance as ac

    return lambda: ac.power("auc", n=n, effects=0.7, replications=200, rng=1)


def stream(n: int) -> Callable[[], Any]:
    import abovechance as ac

    file = Path(tempfile.mkdtemp()) / "cases.parquet"
    _write(file, n)
    return lambda: ac.assess_stream(file, outcome="y", probability="p", rng=1)


def _write(file: Path, n: int, at_once: int = 10**6) -> None:
    """A file of so many cases, in parts, so that this process never holds all of them."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetWriter(file, pa.schema([("y", pa.int8()), ("p", pa.float64())])) as out:
        for start in range(0, n, at_once):
            rng = np.random.default_rng(start)
            y = rng.random(min(at_once, n - start)) < 0.3
            p = 1 / (1 + np.exp(-rng.normal(1.5 * y - 1.3)))
            out.write_table(pa.table({"y": y.astype(np.int8), "p": p}))


@dataclass(frozen=True)
class Grows:
    """A verb, what it is given more of, how much, and the call."""

    verb: str
    by: str
    sizes: tuple[int, ...]
    call: Callable[[int], Callable[[], Any]]
    first: int  # of the call that loads compiled loops


CASES = tuple(10**k for k in range(2, 8))
GROWING = {
    "assess_n": Grows("assess", "cases", CASES, assess, SMALL),
    "assess_k": Grows("assess of 1 000 cases", "classes", (3, 5, 10, 20, 50), assess_classes, 3),
    "assess_measures": Grows(
        "assess of 10 000 cases",
        "measures",
        (1, 4, 16, 64),
        lambda k: assess(10_000, measures=k),
        1,
    ),
    "assess_clusters": Grows(
        "assess of 10 000 cases",
        "clusters",
        (30, 100, 1_000, 5_000),
        lambda k: assess(10_000, clusters=k),
        30,
    ),
    "assess_draws": Grows(
        "assess of 1 000 cases",
        "draws",
        (500, 2_000, 8_000, 32_000),
        lambda k: assess(draws=k),
        500,
    ),
    "compare_n": Grows("compare of two models", "cases", CASES, compare, SMALL),
    "compare_models": Grows(
        "compare of 1 000 cases", "models", (2, 4, 8, 16), lambda k: compare(models=k), 2
    ),
    "detect_n": Grows("detect, 400 permutations", "cases", CASES, detect, SMALL),
    "detect_draws": Grows(
        "detect of 100 cases", "draws", (400, 4_000, 40_000), lambda k: detect(draws=k), 400
    ),
    "permutation_test_n": Grows(
        "permutation_test of a discriminant, 400 refits", "cases", CASES, permutation_test, SMALL
    ),
    "permutation_test_draws": Grows(
        "permutation_test of a discriminant, 100 cases",
        "draws",
        (400, 4_000, 40_000),
        lambda k: permutation_test(draws=k),
        400,
    ),
    "power_n": Grows("power of a test of the AUC, 200 samples", "cases", CASES, power, SMALL),
    "stream_n": Grows("assess_stream", "cases", CASES, stream, SMALL),
}


# ----------------------------------------------------------------------------------------------
# One point, in a process of its own.
# ----------------------------------------------------------------------------------------------


def point(name: str, size: int) -> dict[str, float]:
    """CPU seconds of the call, and the most megabytes that the process held."""
    grows = GROWING[name]
    grows.call(grows.first)()
    ready = grows.call(size)
    spent = [_seconds(ready)]
    if spent[0] < LONGEST:  # it may have compiled a loop that the small call did not need
        spent.append(_seconds(ready))
    return {"seconds": min(spent), "megabytes": _peak()}


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _peak() -> float:
    """Not what getrusage says, which counts what the parent had when it made the child."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(x.split()[1]) / 1024 for x in status.splitlines() if x.startswith("VmHWM"))


def series(name: str) -> Iterator[tuple[int, dict[str, float]]]:
    """Points until the next would take too long."""
    found: list[tuple[int, dict[str, float]]] = []
    for size in GROWING[name].sizes:
        if found and _expected(found, size) > LONGEST:
            return
        done = subprocess.run(
            [sys.executable, __file__, "--point", name, str(size)],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ,
        )
        found.append((size, json.loads(done.stdout.splitlines()[-1])))
        yield found[-1]


def _expected(found: Sequence[tuple[int, dict[str, float]]], size: int) -> float:
    """Seconds at another size, if they grow as they did, and at least nearly in proportion."""
    last, seconds = found[-1][0], found[-1][1]["seconds"]
    return seconds * (size / last) ** max(0.75, slope(found[-2:], "seconds"))


def slope(found: Sequence[tuple[int, dict[str, float]]], what: str) -> float:
    """The power of the size that the last points grow with; 0 of one point."""
    last = found[-LAST:]
    if len(last) < 2:
        return 0.0
    x, y = (np.log([a for a, _ in last]), np.log([b[what] for _, b in last]))
    return float(np.polyfit(x, y, 1)[0])


# ----------------------------------------------------------------------------------------------
# Table and picture.
# ----------------------------------------------------------------------------------------------


Measured = dict[str, list[tuple[int, dict[str, float]]]]


def rows(measured: Measured) -> Iterator[str]:
    yield "| verb | grows by | CPU seconds and megabytes at each size | slope of time | of memory |"
    yield "|---|---|---|---:|---:|"
    for name, found in measured.items():
        grows = GROWING[name]
        cells = "; ".join(
            f"{_number(size)}: {p['seconds']:.2g} s, {p['megabytes']:.0f} MB" for size, p in found
        )
        steep = [f"{slope(found, what):.2f}" for what in ("seconds", "megabytes")]
        yield f"| {grows.verb} | {grows.by} | {cells} | {' | '.join(steep)} |"


def _number(size: int) -> str:
    return f"{size:,}".replace(",", " ")


def picture(measured: Measured) -> Any:
    """CPU seconds of each verb against the number of cases, both by powers of ten."""
    from abovechance.plots.chart import Axis, Chart, Line, Points, Series

    by_cases = {k: v for k, v in measured.items() if GROWING[k].by == "cases"}
    layers: list[Any] = []
    behind = []
    for index, (name, found) in enumerate(by_cases.items()):
        x = np.log10([size for size, _ in found])
        y = np.log10([p["seconds"] for _, p in found])
        layers += [Line(x=x, y=y, colour=str(index)), Points(x=x, y=y, colour=str(index))]
        title = GROWING[name].verb
        behind.append(
            Series(name=title, headings=("cases", "seconds"), columns=(x, y), colour=str(index))
        )
    every = [np.log10(p["seconds"]) for found in by_cases.values() for _, p in found]
    low, high = math.floor(min(every)), math.ceil(max(every))
    seconds = range(low, high + 1)
    cases = range(2, 8)
    return Chart(
        title="How verbs grow with the number of cases",
        x=Axis(
            title="cases",
            low=1.8,
            high=7.2,
            ticks=tuple(map(float, cases)),
            labels=tuple(f"10{POWERS[k]}" for k in cases),
        ),
        y=Axis(
            title="CPU seconds",
            low=low,
            high=high,
            ticks=tuple(map(float, seconds)),
            labels=tuple(f"{10.0**k:g}" for k in seconds),
        ),
        layers=tuple(layers),
        series=tuple(behind),
    )


def kept(measured: Measured) -> None:
    doc = " ".join(__doc__.split("\n\n")[1].split())
    made = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scipy", "scikit-learn"))
    text = [
        f"# {__doc__.splitlines()[0]}",
        "",
        *rows(measured),
        "",
        doc,
        "",
        f"Made by `./run bench growth` with Python {platform.python_version()}, {made}.",
        "",
    ]
    (RESULTS / "growth.md").write_text("\n".join(text), encoding="utf-8")


def drawn(measured: Measured) -> None:
    import matplotlib as mpl

    from abovechance.plots.matplotlib_renderer import draw

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "growth"})
    figure = draw(picture(measured)).figure
    figure.savefig(PICTURE, metadata={"Date": None}, bbox_inches="tight")


def main() -> int:
    if "--point" in sys.argv:
        name, size = sys.argv[sys.argv.index("--point") + 1 :][:2]
        print(json.dumps(point(name, int(size))))
        return 0
    wanted = [name for name in sys.argv[1:] if name in GROWING] or list(GROWING)
    measured: Measured = {}
    for name in wanted:
        measured[name] = []
        for size, found in series(name):
            measured[name].append((size, found))
            seconds = harness._seconds(found["seconds"])
            print(f"{name} {size}: {seconds}, {found['megabytes']:.0f} MB", file=sys.stderr)
    print("\n".join(rows(measured)))
    if wanted == list(GROWING):
        kept(measured)
        drawn(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
