"""What a posterior is: a distribution with its prior, which prints and exports."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import DataError
from abovechance.inference.method import Kind, Takes, declared, limits
from abovechance.inference.results import Interval, Result
from abovechance.measures import Law

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
    advice
        What a reader should know beside the numbers.

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
