"""Write `population.json`: the posterior of balanced accuracy in a population of subjects.

    python tests/references/make_population.py

Nothing here imports abovechance. The model of `posterior.hierarchical` (binomial counts, logits of
subjects bivariate normal; priors: typical accuracies uniform, standard deviations half-normal(1),
correlation uniform) is sampled by random-walk Metropolis steps on all parameters and logits, in
many chains at once. The standard errors are those of the mean over independent chains.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("population.json")
CHAINS, WARM, STEPS, SEED = 3000, 1500, 3000, 20240611
TABLES = {
    "four subjects": [[[18, 2], [6, 14]], [[17, 3], [2, 18]], [[12, 8], [7, 13]],
                      [[19, 1], [3, 17]]],
    "six subjects, unequal": [[[9, 6], [3, 12]], [[30, 10], [11, 9]], [[7, 1], [5, 5]],
                              [[22, 8], [6, 14]], [[5, 5], [2, 8]], [[14, 6], [9, 21]]],
}  # fmt: skip


def accuracy(logit: Any) -> Any:
    return 1 / (1 + np.exp(-logit))


def subjects_density(theta: Any, mean: Any, deviation: Any, correlation: Any) -> Any:
    """Log density of logits (chains, subjects, 2) in their populations, by subject."""
    z = (theta - mean[:, None]) / deviation[:, None]
    free = 1 - correlation[:, None] ** 2
    square = (
        z[..., 0] ** 2 - 2 * correlation[:, None] * z[..., 0] * z[..., 1] + z[..., 1] ** 2
    ) / free
    return -square / 2 - np.log(free) / 2 - np.log(deviation).sum(1)[:, None]


def prior_density(mean: Any, deviation: Any, correlation: Any) -> Any:
    p = accuracy(mean)
    inside = (deviation > 0).all(1) & (np.abs(correlation) < 1)
    return np.where(inside, np.log(p * (1 - p)).sum(1) - (deviation**2).sum(1) / 2, -np.inf)


def counted(right: Any, total: Any, theta: Any) -> Any:
    """Log likelihood of the numbers right, by subject."""
    return (right * theta - total * np.log1p(np.exp(theta))).sum(2)


def sampled(tables: Any) -> dict[str, Any]:
    """Posterior means, each with its standard error."""
    rng = np.random.default_rng(SEED)
    counts = np.array(tables, dtype=float)
    right, total = counts[:, [0, 1], [0, 1]], counts.sum(2)
    mean = rng.normal(0.7, 0.5, (CHAINS, 2))
    deviation = np.abs(rng.normal(0.5, 0.3, (CHAINS, 2))) + 0.05
    correlation = rng.uniform(-0.8, 0.8, CHAINS)
    theta = mean[:, None] + deviation[:, None] * rng.normal(size=(CHAINS, len(counts), 2))
    sums: dict[str, Any] = {}
    for step in range(WARM + STEPS):
        # the logits of every subject, given the population
        new = theta + rng.normal(scale=0.5, size=theta.shape)
        gain = counted(right, total, new) - counted(right, total, theta)
        gain += subjects_density(new, mean, deviation, correlation)
        gain -= subjects_density(theta, mean, deviation, correlation)
        taken = np.log(rng.random(gain.shape)) < gain
        theta = np.where(taken[..., None], new, theta)
        # means, deviations and correlation in turn, given the logits
        for part, width in (("mean", 0.35), ("deviation", 0.3), ("correlation", 0.4)):
            now = {"mean": mean, "deviation": deviation, "correlation": correlation}
            moved = now[part] + rng.normal(scale=width, size=now[part].shape)
            other = now | {part: moved}
            with np.errstate(all="ignore"):
                gain = (
                    prior_density(**other) + subjects_density(theta, **other).sum(1)
                    - prior_density(**now) - subjects_density(theta, **now).sum(1)
                )  # fmt: skip
            taken = np.log(rng.random(CHAINS)) < np.where(np.isnan(gain), -np.inf, gain)
            chosen = np.where(taken if moved.ndim == 1 else taken[:, None], moved, now[part])
            mean, deviation, correlation = (now | {part: chosen}).values()
        # all of a chain's place at once, which separate steps move slowly
        shift = rng.normal(scale=0.3, size=mean.shape)
        there, before = mean + shift, prior_density(mean, deviation, correlation)
        gain = prior_density(there, deviation, correlation) - before
        moved = theta + shift[:, None]
        gain += (counted(right, total, moved) - counted(right, total, theta)).sum(1)
        taken = np.log(rng.random(CHAINS)) < gain
        mean = np.where(taken[:, None], there, mean)
        theta = np.where(taken[:, None, None], moved, theta)
        if step >= WARM:
            typical, own = accuracy(mean), accuracy(theta).mean(2)
            found = {
                "population": typical.mean(1), "population above 0.7": typical.mean(1) > 0.7,
                "first class": typical[:, 0], "second class": typical[:, 1],
                "first deviation": deviation[:, 0], "second deviation": deviation[:, 1],
                "correlation": correlation,
            } | {f"subject {i}": own[:, i] for i in range(len(counts))}  # fmt: skip
            for name, values in found.items():
                sums[name] = sums.get(name, 0.0) + values
    return {
        name: {"mean": float(s.mean() / STEPS), "error": float(s.std() / STEPS / np.sqrt(CHAINS))}
        for name, s in sums.items()
    }


def main() -> None:
    cases = [
        {"name": name, "tables": tables, "expected": sampled(tables)}
        for name, tables in TABLES.items()
    ]
    source = {
        "metropolis": f"make_population.py, {CHAINS} chains of {STEPS} steps after {WARM}, seed "
        f"{SEED}, numpy {np.__version__}"
    }
    about = {"source": source, "description": "posterior.hierarchical by Metropolis steps"}
    FILE.write_text(json.dumps(about | {"cases": cases}, indent=1) + "\n", "utf-8")
    for case in cases:
        print(case["name"], json.dumps(case["expected"]))


if __name__ == "__main__":
    main()
