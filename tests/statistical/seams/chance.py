"""What stands beside a value: the p of the level that is printed, and that level."""

import numpy as np

import abovechance as ac
from statistical.seams.seam import seam

TOPIC = "chance and skill"


def _of_reference(row: object) -> float:
    """The p that speaks of the largest class's share: where there is none, the only one."""
    skill = getattr(row, "skill", None)
    p = row.p_value if skill is None or skill.p_value is None else skill.p_value
    return float(p < 0.05)


def _as_right_as_constant(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels right in .65 of each class, where the larger class has .65 of the cases."""
    y = (rng.random(n) < 0.35).astype(int)
    return y, np.where(rng.random(n) < 0.65, y, 1 - y)


for _n in (60, 200):

    @seam(TOPIC, f"accuracy = share of the larger class, associated, n = {_n}", "level", high=0.05)
    def _two(rng: np.random.Generator, n: int = _n) -> float:
        y, label = _as_right_as_constant(rng, n)
        found = ac.assess(ac.Binary(y, label=label, pos_label=1), ["accuracy"], rng=1, draws=99)
        return _of_reference(found["accuracy"])


@seam(
    TOPIC, "accuracy of 3 classes = share of the largest, associated, n = 150", "level", high=0.05
)
def _three(rng: np.random.Generator) -> float:
    y = rng.choice(3, size=150, p=[0.6, 0.2, 0.2])
    label = np.where(rng.random(150) < 0.6, y, (y + rng.integers(1, 3, size=150)) % 3)
    found = ac.assess(ac.Multiclass(y, label=label), ["accuracy"], rng=1, draws=99)
    return _of_reference(found["accuracy"])


@seam(TOPIC, "the same of two classes over 30 clusters of 2 to 10", "level", high=0.05)
def _clusters(rng: np.random.Generator) -> float:
    groups = np.repeat(np.arange(30), rng.integers(2, 11, size=30))
    n = groups.size
    each = rng.normal(0.0, 0.8, size=30)[groups]  # a cluster is easy or hard, whatever the class
    y = (rng.random(n) < 0.35).astype(int)
    right = rng.random(n) < 1 / (1 + np.exp(-(0.687 + each)))
    label = np.where(right, y, 1 - y)
    cases = ac.Binary(y, label=label, pos_label=1, groups=groups)
    return _of_reference(ac.assess(cases, ["accuracy"], rng=1, draws=199)["accuracy"])


for _name in ("accuracy", "brier", "log_score"):

    @seam(
        TOPIC,
        f"chance of {_name} and its mean over shuffled outcomes",
        "distance",
        low=-0.005,
        high=0.005,
    )
    def _distance(rng: np.random.Generator, name: str = _name) -> float:
        x = rng.normal(size=80)
        y = (rng.random(80) < 1 / (1 + np.exp(-x))).astype(int)
        p = 1 / (1 + np.exp(-2.0 * x))
        row = ac.assess(ac.Binary(y, probability=p, pos_label=1), [name], rng=1, draws=19)[name]
        of = getattr(ac.measures, name)
        given = (p > 0.5).astype(int) if name == "accuracy" else p
        mean = np.mean([of(rng.permutation(y), given) for _ in range(50)])
        return float(row.chance - mean)


@seam(
    TOPIC,
    "net benefit of cases called at 0.2 and that counted at 0.2",
    "distance",
    high=1e-12,
    fixed=True,
)
def _net_benefit(rng: np.random.Generator) -> float:
    x = np.linspace(-2.0, 2.0, 200)
    y, p = (np.sin(40 * x) + x > 0.3).astype(int), 1 / (1 + np.exp(-x))
    cases = ac.Binary(y, probability=p, pos_label=1, threshold=0.2)
    row = ac.assess(cases, ["net_benefit"], rng=1, draws=99)["net_benefit"]
    counted = np.mean((p > 0.2) & (y == 1)) - np.mean((p > 0.2) & (y == 0)) * 0.25
    return float(abs(row.value - counted))


@seam(TOPIC, "Nagelkerke's R² over 20 unequal clusters, strong effect", "power", low=0.8)
def _nagelkerke(rng: np.random.Generator) -> float:
    groups = np.repeat(np.arange(20), np.arange(20) % 4 + 1)
    effect = rng.normal(size=20)
    outcome = effect + 0.5 * rng.normal(size=20) > 0
    outcome[:2] = False, True
    p = 1 / (1 + np.exp(-(2.0 * effect[groups] + 0.5 * rng.normal(size=groups.size))))
    cases = ac.Binary(outcome[groups].astype(int), probability=p, pos_label=1, groups=groups)
    found = ac.assess(cases, ["nagelkerke_r2"], rng=1, draws=99)["nagelkerke_r2"]
    return float(found.p_value < 0.05)
