"""Error rates and coverage in small simulations, and whether chance is drawn as everywhere else."""

import hashlib
from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from abovechance.arrays import Array
from abovechance.inference import assess
from abovechance.predictions import Binary
from abovechance.qualification.checks_made import Check
from abovechance.resampling import random_bits

REPLICATIONS = 400
N = 60
DRAWS = 199
LEVEL = 0.05
TRUST = 1e-4
"""Chance that a share of a right installation lies outside its band, if samples were drawn anew."""
EFFECT = 1.0
BITS = {
    "permutations": "3be86b21b69c45d8",
    "sign flips": "b5d30d7a00163dab",
    "bootstrap": "d76ca1891569b786",
}
"""What the first draws of a seed are on every machine, as the first digits of their SHA-256."""


def rate_checks(tell: Callable[[int, int], None] | None = None) -> Iterator[Check]:
    """Type I error of two tests and coverage of two intervals, by the verb itself."""
    from scipy.special import ndtr

    area = float(ndtr(EFFECT / sqrt(2.0)))
    right = float(ndtr(EFFECT / 2.0))
    rejected, covered = {"auc": 0, "brier": 0}, {"auc": 0, "accuracy": 0}
    for number in range(REPLICATIONS):
        nothing = assess(sample(number, 0.0), list(rejected), draws=DRAWS, rng=number)
        for name in rejected:
            p = nothing[name].p_value
            rejected[name] += p is not None and p <= LEVEL
        something = assess(
            sample(REPLICATIONS + number, EFFECT), list(covered), draws=DRAWS, rng=number
        )
        for name, truth in (("auc", area), ("accuracy", right)):
            limits = something[name].interval
            covered[name] += limits is not None and truth in limits
        if tell is not None:
            tell(number + 1, REPLICATIONS)
    for name, count in rejected.items():
        yield rate(
            "Type I error", f"test of {name} where there is no signal", count, LEVEL, above=True
        )
    for name, count in covered.items():
        said = f"95% interval of {name}, true value {area if name == 'auc' else right:.4f}"
        yield rate("Coverage", said, count, 1.0 - LEVEL, above=False)


def sample(seed: int, effect: float) -> Binary:
    """Probabilities of two classes whose scores are normal, so far apart."""
    rng = np.random.default_rng([20260101, seed])
    outcome = np.arange(N) % 2
    score = rng.normal(size=N) + effect * (outcome - 0.5)
    # what the score says of the class, so that 0.5 is where the classes meet
    return Binary(outcome, probability=1.0 / (1.0 + np.exp(-score * max(effect, 1.0))))


def rate(group: str, name: str, count: int, nominal: float, *, above: bool) -> Check:
    """A share of replications beside its nominal value; only the bad side is bounded."""
    from scipy.stats import binom

    least, most = binom.ppf([TRUST, 1.0 - TRUST], REPLICATIONS, nominal) / REPLICATIONS
    found = count / REPLICATIONS
    band = most - nominal if above else nominal - least
    return Check(
        group=group,
        name=name,
        expected=nominal,
        found=found,
        tolerance=float(band),
        source=f"{REPLICATIONS} simulated samples of {N} cases",
        passed=bool(found <= most if above else found >= least),
    )


def draw_checks() -> Iterator[Check]:
    """Whether the first draws of a seed are those of every other machine."""
    for name, expected in BITS.items():
        found = fingerprint(first_draws(name))
        yield Check(
            group="Determinism",
            name=f"first {name} of seed 7",
            expected=expected,
            found=found,
            tolerance=0.0,
            source="made with the release; SHA-256, first 16 digits",
            passed=found == expected,
        )


def first_draws(name: str) -> Array:
    """Draws of one kind, as whole numbers."""
    keys = random_bits.keys(np.random.default_rng(7), 50)
    if name == "permutations":
        return random_bits.subset_masks(keys, 100, 37)
    if name == "sign flips":
        return random_bits.flip_masks(keys, 100)
    return random_bits.bounded(keys, 0, 100, 61)


def fingerprint(numbers: Array) -> str:
    """The first digits of a digest of whole numbers, whatever the byte order."""
    return hashlib.sha256(numbers.astype("<u8").tobytes()).hexdigest()[:16]


def worker_check() -> Check:
    """Whether two processes give what one gives, to the last bit."""
    predictions = sample(1, EFFECT)
    one, two = (
        assess(predictions, ["brier", "auc"], draws=DRAWS, rng=1, workers=many).to_json()
        for many in (1, 2)
    )
    return Check(
        group="Determinism",
        name="the same numbers with one worker and with two",
        expected=hashlib.sha256(one.encode()).hexdigest()[:16],
        found=hashlib.sha256(two.encode()).hexdigest()[:16],
        tolerance=0.0,
        source="this machine",
        passed=one == two,
    )
