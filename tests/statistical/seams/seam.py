"""What a seam is: a setting, one replicate of it, and the bar that its figure must hold."""

import importlib
import pkgutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Replicate = Callable[[np.random.Generator], float]


@dataclass(frozen=True)
class Seam:
    """One setting; `replicate` gives 1 or 0 (covered, rejected), a number, or nan (no answer)."""

    topic: str
    setting: str
    figure: str  # "coverage", "level", or what the number is, as "width" or "share beyond range"
    replicate: Replicate
    low: float  # the mean over replicates must lie between these, within its Monte Carlo error
    high: float
    fixed: bool  # no randomness: one replicate tells
    seed: int
    module: str  # the topic's module, and so the file that keeps its figures

    @property
    def name(self) -> str:
        return f"{self.topic}: {self.setting}, {self.figure}"


@dataclass(frozen=True)
class Measured:
    """The mean of a seam's replicates, how many gave no answer, and its standard error."""

    value: float
    error: float
    replications: int
    unanswered: float  # share of nan: refused, undefined or failed

    def holds(self, seam: Seam) -> bool:
        if not np.isfinite(self.value):
            return self.unanswered == 1.0  # refused throughout, which is an answer too
        slack = 3.0 * self.error
        return seam.low - slack <= self.value <= seam.high + slack


SEAMS: list[Seam] = []


def seam(
    topic: str,
    setting: str,
    figure: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    fixed: bool = False,
) -> Callable[[Replicate], Replicate]:
    """Declare a setting; its seed follows from its name, so that others do not move it."""

    def declare(replicate: Replicate) -> Replicate:
        words = f"{topic}: {setting}, {figure}"
        seed = int.from_bytes(words.encode()[-64:], "little") % 2**63
        module = replicate.__module__.rpartition(".")[2]
        made = Seam(topic, setting, figure, replicate, low, high, fixed, seed, module)
        same = [i for i, other in enumerate(SEAMS) if other.name == made.name]
        if not same:
            SEAMS.append(made)
        elif SEAMS[same[0]].module == module:  # its file was read again
            SEAMS[same[0]] = made
        else:
            raise ValueError(f"two seams are called {made.name!r}")
        return replicate

    return declare


def collected() -> list[Seam]:
    """All seams of the modules in this folder, in the order of the modules' names."""
    package = importlib.import_module("statistical.seams")
    for module in sorted(m.name for m in pkgutil.iter_modules(package.__path__)):
        if module != "seam":
            importlib.import_module(f"statistical.seams.{module}")
    return list(SEAMS)


def measure(chosen: Seam, replications: int, start: int = 0) -> list[float]:
    """Replicates `start` to `start + replications`, each from a stream of its own."""
    found = []
    for i in range(start, start + (1 if chosen.fixed else replications)):
        rng = np.random.default_rng(np.random.SeedSequence(chosen.seed, spawn_key=(i,)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(float(chosen.replicate(rng)))
    return found


def summary(values: list[float]) -> Measured:
    """Mean and standard error; shares near 0 or 1 keep an error above 0."""
    kept = np.array([v for v in values if not np.isnan(v)])
    unanswered = 1.0 - len(kept) / len(values)
    if not len(kept):
        return Measured(float("nan"), float("nan"), len(values), unanswered)
    mean = float(kept.mean())
    if np.isin(kept, (0.0, 1.0)).all():
        share = (kept.sum() + 0.5) / (len(kept) + 1)
        error = float(np.sqrt(share * (1 - share) / len(kept)))
    else:
        error = float(kept.std(ddof=1) / np.sqrt(len(kept))) if len(kept) > 1 else 0.0
    return Measured(mean, error if len(values) > 1 else 0.0, len(values), unanswered)
