"""What stands beside a value: `chance` is the mean under the hypothesis that p tests, and the
reference has a test of its own."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from abovechance import Binary, Multiclass, Numeric, Survival, assess
from abovechance.inference.permutation import permuted, scheme_for
from abovechance.measures import Law, Measure, applicable, find
from abovechance.measures.chance_levels import level, shuffled
from abovechance.predictions import Predictions

DRAWS = 200


def _binary(n: int, seed: int, **options: object) -> Binary:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    p = 1 / (1 + np.exp(-1.5 * x))
    y = (x + rng.normal(size=n) > 0.4).astype(int)
    y[:2] = 0, 1
    return Binary(y, probability=p, pos_label=1, **options)


def _classes(n: int, seed: int) -> Multiclass:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    p = rng.dirichlet(np.ones(3), size=n) + 0.7 * np.eye(3)[y]
    return Multiclass(y, probability=p / p.sum(axis=1, keepdims=True))


def _numbers(n: int, seed: int, outputs: int = 1) -> Numeric:
    rng = np.random.default_rng(seed)
    y = rng.gamma(2.0, size=(n, outputs))
    return Numeric(y, np.abs(y + rng.normal(0.3, 1.0, size=(n, outputs))))


def _survival(n: int, seed: int) -> Survival:
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    time, censored = rng.exponential(np.exp(-risk)), rng.exponential(2.0, size=n)
    times = np.quantile(time, [0.3, 0.6])
    curve = np.exp(-times * np.exp(0.8 * risk[:, None]))
    seen, event = np.minimum(time, censored), time <= censored
    return Survival(seen, event, risk=risk, survival=curve, times=times)


KINDS: dict[str, Predictions] = {
    "binary": _binary(60, 1),
    "clusters apart": _binary(60, 2, groups=np.arange(60) // 6),
    "classes": _classes(45, 3),
    "numbers": _numbers(40, 4),
    "several outputs": _numbers(30, 5, outputs=2),
    "survival": _survival(50, 6),
}
FEW = {
    "binary": _binary(8, 11),
    "classes": _classes(6, 13),
    "numbers": _numbers(6, 14),
    "survival": _survival(6, 16),
}


@cache
def _null(kind: str, few: bool) -> dict[str, np.ndarray]:
    cases = (FEW if few else KINDS)[kind]
    scheme, _ = scheme_for(cases)
    drawn = scheme.enumerate() if few else scheme.draw(np.random.default_rng(8), DRAWS)
    chosen = [m for m in applicable(cases) if _tested(m)]
    return permuted(chosen, cases, drawn)


def _tested(measure: Measure) -> bool:
    return measure.law is not Law.CALIBRATION and measure.higher_is_better is not None


def _each(cases: dict[str, Predictions]) -> Iterator[object]:
    for kind, one in cases.items():
        for m in applicable(one):
            if _tested(m):
                yield pytest.param(kind, m, id=f"{kind}-{m.label}")


@cache
def _rows(kind: str) -> dict[str, object]:
    return {e.measure: e for e in assess(KINDS[kind], rng=3, draws=DRAWS) if e.class_ is None}


@pytest.mark.parametrize(("kind", "measure"), list(_each(FEW)))
def test_what_is_known_without_drawing_is_the_mean_over_all_orders(
    kind: str, measure: Measure
) -> None:
    found = shuffled(measure, FEW[kind])
    if found is None:
        return
    wanted = level(_null(kind, True)[measure.label])
    if wanted is None:
        return
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(("kind", "measure"), list(_each(KINDS)))
def test_chance_beside_a_value_is_the_mean_of_permutations(kind: str, measure: Measure) -> None:
    row = _rows(kind).get(measure.label)
    if row is None or row.output is not None or row.p_value is None:
        return
    null = _null(kind, False)[measure.label]
    wanted = level(null)
    assert row.chance is not None
    if not np.isfinite(np.mean(null)):
        assert row.chance == pytest.approx(wanted, rel=0.1)
        return
    error = np.std(null) * np.sqrt(2.0 / DRAWS)
    assert abs(row.chance - wanted) <= 4.5 * error + 1e-9


def test_no_p_stands_beside_a_number_it_does_not_test() -> None:
    """An accuracy below the share of the larger class, with p far below .05."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-(1.5 * x - 1.2)))).astype(int)
    p = 1 / (1 + np.exp(-(1.5 * x + 0.8)))
    row = assess(Binary(y, probability=p, pos_label=1), ["accuracy"], rng=1, draws=99)["accuracy"]
    assert row.reference is not None
    assert row.chance is not None
    assert row.skill is not None
    assert row.skill.p_value is not None
    assert row.chance < row.value < row.reference
    assert row.p_value is not None
    assert row.p_value < 0.001
    assert row.skill.p_value > 0.5
    assert row.skill.interval is not None
    assert row.skill.difference in row.skill.interval


def test_error_rate_and_expected_cost_say_the_same() -> None:
    cases = KINDS["binary"]
    found = assess(cases, ["error_rate", "expected_cost"], rng=1, draws=99)
    error, cost = found["error_rate"], found["expected_cost"]
    assert (cost.value, cost.chance, cost.reference) == pytest.approx(
        (error.value, error.chance, error.reference)
    )
    assert cost.skill is not None
    assert error.skill is not None
    assert cost.skill.difference == pytest.approx(error.skill.difference)


def test_the_skill_test_of_accuracy_holds_its_level() -> None:
    """Labels right as often as the larger class is frequent, and not for being it."""
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(400):
        y = (rng.random(120) < 0.35).astype(int)
        label = np.where(rng.random(120) < 0.65, y, 1 - y)
        y[:2] = 0, 1
        row = assess(Binary(y, label=label, pos_label=1), ["accuracy"], rng=1, draws=19)["accuracy"]
        assert row.skill is not None
        assert row.skill.p_value is not None
        rejected += row.skill.p_value < 0.05
    assert rejected / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_bias_has_no_skill() -> None:
    found = assess(KINDS["numbers"], ["mean_error"], rng=1, draws=99)["mean_error"]
    assert found.skill is None
    assert found.chance is None


def test_a_chance_of_zero_is_zero() -> None:
    for name in ("kappa", "youden_j", "mcc", "informedness", "markedness", "somers_d", "tjur_r2"):
        row = _rows("binary")[name]
        assert row.chance == 0.0


def test_a_users_own_measure_has_the_chance_of_its_formula() -> None:
    from abovechance.measures import Form, find
    from abovechance.measures.measure import measure

    def twice(outcome: np.ndarray, probability: np.ndarray) -> np.ndarray:
        return 2.0 * (outcome - probability) ** 2

    brier = find("brier")
    facts = {"family": brier.family, "reads": brier.reads, "law": Law.MEAN, "form": Form.LOSSES}
    mine = measure(title="Twice", range=(0.0, 2.0), best=0.0, source="", **facts)(twice)
    cases = KINDS["binary"]
    assert shuffled(mine, cases) == pytest.approx(2 * shuffled(brier, cases))


def test_of_very_many_classes_the_most_frequent_is_the_reference(monkeypatch) -> None:
    from abovechance.measures import chance

    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 200)
    made = Multiclass(y, label=rng.integers(0, 12, 200), labels=list(range(12)))
    accuracy = find("accuracy").for_outcome("multiclass")
    every = chance.best_constant(made, accuracy)
    monkeypatch.setattr(chance, "MANY_CLASSES", 3)
    assert chance.best_constant(made, accuracy) == every == np.bincount(y).max() / 200
