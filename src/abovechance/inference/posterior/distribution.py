"""What a posterior is: a distribution with its prior, exact or drawn, which prints and exports."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import DataError
from abovechance.inference.method import Kind, Takes, declared, limits
from abovechance.inference.results import Interval, Result
from abovechance.measures import Law

# ----------------------------------------------------------------------------------------------
# What a posterior is: a distribution with its prior, which prints and exports.
# ----------------------------------------------------------------------------------------------


KINDS = ("equal_tailed", "highest_density")


class Distribution(Protocol):
    """What knows the numbers: exact, or a sample of draws."""

    @property
    def mean(self) -> float: ...
    @property
    def std(self) -> float: ...
    @property
    def mode(self) -> float: ...
    @property
    def support(self) -> tuple[float, float]: ...
    def pdf(self, x: ArrayLike) -> Floats: ...
    def cdf(self, x: ArrayLike) -> Floats: ...
    def sf(self, x: ArrayLike) -> Floats: ...
    def ppf(self, q: ArrayLike) -> Floats: ...
    def shortest(self, level: float) -> tuple[float, float]: ...


for _name, _title, _words in (
    ("equal_tailed", "posterior, equal tailed", "that of the posterior with equal tails"),
    ("highest_density", "posterior, highest density", "that of highest posterior density"),
):
    declared(
        Kind.INTERVAL,
        name=_name,
        title=_title,
        words=_words,
        source="brodersen2010",
        laws=[Law.SHARE, Law.BALANCED],
        posterior=True,
        takes=Takes.PARTS,
        origin=__name__,
    )


@dataclass(frozen=True, kw_only=True)
class Posterior(Result, kind="posterior"):
    """What is known of a quantity after the data, under a stated prior.

    Attributes
    ----------
    quantity
        What it is the posterior of.
    prior
        What was assumed before the data, in words.
    n
        Number of cases behind it.
    distribution
        The distribution that the methods below read.
    chance
        The value of guessing, if there is one.
    against_chance
        The distribution under which guessing is judged, where it is another one.

    See Also
    --------
    accuracy, balanced_accuracy, of : make posteriors.

    Examples
    --------
    >>> from abovechance import posterior
    >>> found = posterior.accuracy(48, 7)
    >>> found.mean, found.prob_above(0.8)
    (0.860, 0.896)
    >>> print(found.interval(0.9, kind="highest_density"))
    0.788 to 0.934
    """

    quantity: str
    prior: str
    n: int
    distribution: Distribution = field(repr=False)
    chance: float | None = None
    against_chance: Distribution | None = field(default=None, repr=False)
    advice: tuple[Advice, ...] = ()

    @property
    def mean(self) -> float:
        """Posterior mean."""
        return self.distribution.mean

    @property
    def std(self) -> float:
        """Posterior standard deviation."""
        return self.distribution.std

    @property
    def mode(self) -> float:
        """Where the density is largest."""
        return self.distribution.mode

    @property
    def median(self) -> float:
        """Posterior median."""
        return float(self.ppf(0.5))

    def pdf(self, x: ArrayLike) -> Any:
        """Density at x."""
        return _like(x, self.distribution.pdf(x))

    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most x."""
        return _like(x, self.distribution.cdf(x))

    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than x."""
        return _like(x, self.distribution.sf(x))

    def ppf(self, q: ArrayLike) -> Any:
        """Quantile."""
        return _like(q, self.distribution.ppf(q))

    def prob_above(self, x: float) -> float:
        """Probability that the quantity is more than x."""
        return float(self.distribution.sf(x))

    def prob_between(self, low: float, high: float) -> float:
        """Probability of a value from low to high, such as a region of practical equivalence."""
        if not low <= high:
            raise DataError(f"low must not be above high; got {low:g} and {high:g}.")
        below, above = float(self.distribution.cdf(low)), float(self.distribution.sf(high))
        return max(0.0, 1.0 - below - above)

    @property
    def prob_above_chance(self) -> float | None:
        """Probability of being better than guessing; None where guessing has no value.

        For three classes or more this is under the Dirichlet prior, whatever the prior of the
        rest: flat priors on each class would put more than half of the prior above chance.
        """
        if self.chance is None:
            return None
        return float((self.against_chance or self.distribution).sf(self.chance))

    def interval(
        self, level: float = 0.95, *, kind: str = "equal_tailed", method: str | None = None
    ) -> Interval:
        """Posterior interval, with equal tails or the shortest (of highest density)."""
        if not 0.0 < level < 1.0:
            raise DataError(f"level must lie between 0 and 1; got {level}.")
        if kind not in KINDS:
            raise DataError(f"kind must be {' or '.join(map(repr, KINDS))}; got {kind!r}.")
        if kind == "equal_tailed":
            low, high = self.distribution.ppf([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        else:
            low, high = self.distribution.shortest(level)
        if method is not None:
            return Interval(float(low), float(high), level, method)
        return limits(kind, low, high, level)

    def to_dict(self) -> dict[str, Any]:
        """Summaries as plain Python values, fit for JSON."""
        return {"kind": self.kind, **self.summary(), "advice": [asdict(a) for a in self.advice]}

    def summary(self, level: float = 0.95) -> dict[str, Any]:
        """Mean, median, mode, interval and chance as plain Python values."""
        from abovechance.io.export import jsonable

        facts = {
            "quantity": self.quantity,
            "n": self.n,
            "prior": self.prior,
            "mean": self.mean,
            "median": self.median,
            "mode": self.mode,
            "std": self.std,
            "interval": asdict(self.interval(level)),
            "chance": self.chance,
            "prob_above_chance": self.prob_above_chance,
        }
        found = jsonable(facts)
        assert isinstance(found, dict)
        return found

    def __str__(self) -> str:
        parts = [f"{self.quantity} {self.mean:.3f}, 95% posterior interval {self.interval()}"]
        above = self.prob_above_chance
        if above is not None and self.against_chance is None:
            parts.append(f"P(> {self.chance:.3g}) {probability(above)}")
        said = "; ".join([*parts, f"prior {self.prior}"])
        return "\n".join([said, *(str(a) for a in self.advice)])


def probability(p: float) -> str:
    """A probability in a sentence, never rounded to 0 or 1."""
    if p > 0.999:
        return "> 0.999"
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def _like(given: ArrayLike, values: Floats) -> Any:
    """A number for a number, an array for an array."""
    return float(values) if np.ndim(given) == 0 else values


# ----------------------------------------------------------------------------------------------
# A posterior known by a sample of it.
# ----------------------------------------------------------------------------------------------


BINS = 2048


@dataclass(frozen=True, eq=False)
class Draws:
    """A distribution given by independent draws, sorted; the density by a Gaussian kernel."""

    values: Floats

    @classmethod
    def of(cls, values: ArrayLike) -> "Draws":
        """From draws in any order."""
        return cls(np.sort(np.asarray(values, dtype=np.float64)))

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def std(self) -> float:
        return float(self.values.std(ddof=1))

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the mean."""
        return float(self.std / np.sqrt(self.values.size))

    @property
    def support(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])

    @cached_property
    def mode(self) -> float:
        centres, heights = self._smoothed
        return float(centres[heights.argmax()])

    def pdf(self, x: ArrayLike) -> Floats:
        """Density by a Gaussian kernel with Silverman's bandwidth."""
        return np.interp(np.asarray(x, dtype=np.float64), *self._smoothed, left=0.0, right=0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        return np.searchsorted(self.values, x, side="right") / self.values.size

    def sf(self, x: ArrayLike) -> Floats:
        return 1.0 - self.cdf(x)

    def ppf(self, q: ArrayLike) -> Floats:
        return np.asarray(np.quantile(self.values, np.asarray(q, dtype=np.float64)))

    def shortest(self, level: float) -> tuple[float, float]:
        """The narrowest interval that holds a share `level` of the draws."""
        inside = min(int(np.ceil(level * self.values.size)), self.values.size - 1)
        widths = self.values[inside:] - self.values[: self.values.size - inside]
        start = int(widths.argmin())
        return float(self.values[start]), float(self.values[start + inside])

    @cached_property
    def _smoothed(self) -> tuple[Floats, Floats]:
        low, high = self.support
        quarters = np.quantile(self.values, [0.25, 0.75])
        spread = min(self.std, float(quarters[1] - quarters[0]) / 1.349) or self.std
        width = max(0.9 * spread * self.values.size**-0.2, 1e-12)
        edges = np.linspace(low - 4.0 * width, high + 4.0 * width, BINS + 1)
        step = edges[1] - edges[0]
        counts = np.histogram(self.values, edges)[0] / (self.values.size * step)
        reach = int(np.ceil(5.0 * width / step))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
        heights = np.convolve(counts, kernel / kernel.sum(), mode="full")
        return (edges[:-1] + edges[1:]) / 2.0, heights[reach : reach + BINS]


# ----------------------------------------------------------------------------------------------
# A density drawn with characters, for terminals.
# ----------------------------------------------------------------------------------------------


class Ink(NamedTuple):
    """Characters to draw with: column heights from empty to full, and marks."""

    levels: str
    line: str
    start: str
    stop: str
    dash: str
    mean: str
    chance: str


UNICODE = Ink(" ▁▂▃▄▅▆▇█", "─", "├", "┤", "─", "●", "╎")
ASCII = Ink(" .:#", "-", "|", "|", "-", "o", ":")


def sketch(
    posterior: Posterior,
    *,
    width: int = 64,
    height: int = 8,
    level: float = 0.95,
    chance: float | None = None,
    ascii_only: bool = False,
) -> str:
    """Draw a posterior density as text, with its mean, interval and chance marked.

    Examples
    --------
    >>> from abovechance.inference.posterior import balanced_accuracy
    >>> print(sketch(balanced_accuracy([[5, 5], [2, 43]]), width=44, height=4, ascii_only=True))
    :                 .::#####:..
    :             .:##############:.
    :          .:####################:.
    :    ...::###########################:...
    --------------------------------------------
    :        |-------------o-------------|
    0.5      0.580         0.718         0.855
    """
    ink = ASCII if ascii_only else UNICODE
    chance = posterior.chance if chance is None else chance
    interval = posterior.interval(level)
    at = _scale(posterior, chance, width)
    density = _finite(np.asarray(posterior.pdf(_points(posterior, chance, width))))
    marks = {name: at(x) for name, x in (("low", interval.low), ("high", interval.high))}
    rows = _columns(density, height, ink)
    if chance is not None:
        rows = [_over(row, {at(chance): ink.chance}) for row in rows]
    bar = [" "] * width
    bar[marks["low"] : marks["high"] + 1] = ink.dash * (marks["high"] - marks["low"] + 1)
    bar[marks["low"]], bar[marks["high"]] = ink.start, ink.stop
    bar[at(posterior.mean)] = ink.mean
    if chance is not None and bar[at(chance)] == " ":
        bar[at(chance)] = ink.chance
    labels = [(at(x), f"{x:.3f}") for x in (interval.low, posterior.mean, interval.high)]
    if chance is not None:
        labels.insert(0, (at(chance), f"{chance:.3g}"))
    lines = [*rows, ink.line * width, "".join(bar), _labelled(labels, width)]
    return "\n".join(line.rstrip() for line in lines)


def _range(posterior: Posterior, chance: float | None) -> tuple[float, float]:
    low, high = posterior.ppf(0.001), posterior.ppf(0.999)
    if chance is not None:
        low, high = min(low, chance), max(high, chance)
    room = 0.02 * (high - low)
    return low - room, high + room


def _points(posterior: Posterior, chance: float | None, width: int) -> Floats:
    low, high = _range(posterior, chance)
    return low + (high - low) * (np.arange(width) + 0.5) / width


def _scale(posterior: Posterior, chance: float | None, width: int) -> Callable[[float], int]:
    """The column of a value."""
    low, high = _range(posterior, chance)

    def column(x: float) -> int:
        return int(np.clip((x - low) / (high - low) * width, 0, width - 1))

    return column


def _columns(density: Floats, height: int, ink: Ink) -> list[str]:
    """Rows from the top, each column filled up to its density."""
    steps = len(ink.levels) - 1
    filled = np.round(density / density.max() * height * steps).astype(int)
    rows = []
    for row in range(height - 1, -1, -1):
        part = np.clip(filled - row * steps, 0, steps)
        rows.append("".join(ink.levels[level] for level in part))
    return rows


def _over(row: str, marks: dict[int, str]) -> str:
    """A row with marks where it is empty."""
    return "".join(marks.get(i, c) if c == " " else c for i, c in enumerate(row))


def _labelled(labels: list[tuple[int, str]], width: int) -> str:
    """Numbers under their columns, in order, those that would overlap left out."""
    text, used = [" "] * width, -1
    for column, label in sorted(labels):
        start = min(max(column, 0), width - len(label))
        if start > used:
            text[start : start + len(label)] = label
            used = start + len(label)
    return "".join(text)


def _finite(density: Floats) -> Floats:
    """A density infinite at an end is drawn as high as its highest finite value."""
    known = density[np.isfinite(density)]
    return np.where(np.isfinite(density), density, known.max(initial=1.0))
