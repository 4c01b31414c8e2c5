"""What few cases cannot tell of a difference is refused or said."""

import numpy as np
import pytest

import abovechance as ac
from abovechance.measures import applicable
from abovechance.predictions import Binary, Multiclass, Numeric, Survival


def _binary(n: int, positives: int, seed: int) -> tuple[Binary, Binary]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    p, q = (1 / (1 + np.exp(-(2.0 * y - 1.0 + rng.normal(size=n)))) for _ in range(2))
    return tuple(Binary(y, probability=v, pos_label=1) for v in (p, q))  # type: ignore[return-value]


def _two(kind: str, n: int) -> tuple[object, object]:
    rng = np.random.default_rng(3)
    if kind == "binary":
        return _binary(n, n // 2, 3)
    if kind == "multiclass":
        y = np.arange(n) % 3
        made = []
        for _ in range(2):
            z = rng.normal(size=(n, 3)) + 1.5 * (y[:, None] == np.arange(3))
            p = np.exp(z)
            made.append(
                Multiclass(y, probability=p / p.sum(axis=1, keepdims=True), labels=[0, 1, 2])
            )
        return made[0], made[1]
    y = rng.normal(size=n)
    if kind == "numeric":
        return Numeric(y, y + rng.normal(size=n)), Numeric(y, y + rng.normal(size=n))
    time, event = np.exp(y), np.arange(n) % 2 == 0
    return tuple(Survival(time, event, risk=-y + rng.normal(size=n)) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric", "survival"])
def test_what_is_said_of_few_cases_in_an_assessment_is_said_in_a_comparison(kind):
    first, second = _two(kind, 40)
    measure = next(m for m in applicable(first) if m.name in ("brier", "mse", "c_index"))
    alone = ac.assess(first, [measure], draws=99, rng=1)
    both = ac.compare({"a": first, "b": second}, [measure], draws=99, rng=1)
    for found in (alone, both):
        assert any("cover less than they say" in a.text for a in found.advice)


def test_enough_cases_are_not_warned_of():
    first, second = _binary(400, 200, 1)
    found = ac.compare({"a": first, "b": second}, ["brier"], draws=99, rng=1)
    assert not any("cover less" in a.text for a in found.advice)


def _one_decides(n: int) -> dict[str, Numeric]:
    """Two models that differ much in one case and hardly in the others."""
    rng = np.random.default_rng(5)
    y = rng.normal(size=n)
    first = y + 0.1 * rng.normal(size=n)
    second = first + 0.001 * rng.normal(size=n)
    second[0] += 3.0
    return {"first": Numeric(y, first), "second": Numeric(y, second)}


@pytest.mark.parametrize("measure", ["mse", "rmse", "r2"])
def test_no_verdict_on_a_margin_that_one_case_decides(measure):
    found = ac.compare(_one_decides(80), [measure], margin=0.5, draws=199, rng=1).differences[0]
    assert found.margin is None
    assert "no verdict on a margin" in str(found.undefined)
    assert found.interval is not None


def test_a_margin_that_many_cases_decide_has_its_verdict():
    rng = np.random.default_rng(6)
    y = rng.normal(size=80)
    models = {k: Numeric(y, y + 0.3 * rng.normal(size=80)) for k in "ab"}
    found = ac.compare(models, ["mse"], margin=0.5, draws=199, rng=1).differences[0]
    assert found.margin is not None
    assert found.margin.noninferior


def test_losses_at_a_stated_prevalence_vary_within_classes():
    """Leaving out one case of a class moves the mean by its distance from its class's mean."""
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1], [40, 30])
    p = 1 / (1 + np.exp(-(1.5 * y - 1.0 + rng.normal(size=70))))
    share = 0.1
    row = ac.assess(
        Binary(y, probability=p, pos_label=1),
        ["brier"],
        sampling="case-control",
        prevalence=share,
        rng=1,
    ).estimates[0]
    loss = (p - y) ** 2
    value = (1 - share) * loss[y == 0].mean() + share * loss[y == 1].mean()
    variance = (1 - share) ** 2 * loss[y == 0].var(ddof=1) / 40
    variance += share**2 * loss[y == 1].var(ddof=1) / 30
    assert row.value == pytest.approx(value, abs=1e-12)
    assert "within classes" in row.interval.method
    # the limits are t standard errors from the value on the logit scale; t is at least normal's
    reach = np.log(row.interval.high / (1 - row.interval.high)) - np.log(value / (1 - value))
    error = np.sqrt(variance) / (value * (1 - value))
    assert 1.96 * error <= reach <= 3.2 * error


@pytest.mark.parametrize("extra", ["none", "groups", "weights"])
@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_agree_on_these_cases_may_differ_on_others(classes, extra):
    """No difference was seen, which is not the same as none: 0 of n has a limit too."""
    rng = np.random.default_rng(4)
    y = np.arange(60) % classes
    label = np.where(rng.random(60) < 0.7, y, (y + 1) % classes)
    facts = {
        "none": {},
        "groups": {"groups": np.arange(60) // 4},
        "weights": {"sample_weight": np.linspace(0.5, 2.0, 60)},
    }[extra]
    make = Binary if classes == 2 else Multiclass
    known = {"pos_label": 1} if classes == 2 else {"labels": list(range(classes))}
    models = {k: make(y, label=label.copy(), **known, **facts) for k in "ab"}
    found = ac.compare(models, [m.name for m in applicable(models["a"])], draws=99, rng=1)
    shown = 0
    for row in found.differences:
        if row.interval is None:
            assert row.undefined, row.measure
            continue
        shown += 1
        assert row.interval.low < 0.0 < row.interval.high, (row.measure, row.interval)
        assert row.p_value is None or row.p_value == 1.0
    assert shown > 5


def test_an_order_of_few_values_that_agrees_has_no_interval():
    y = np.arange(40) % 2
    label = np.where(np.arange(40) < 6, 1 - y, y)
    models = {
        k: Binary(y, probability=np.where(label == 1, high, low), pos_label=1)
        for k, low, high in (("a", 0.2, 0.8), ("b", 0.3, 0.7))
    }
    row = ac.compare(models, ["auc"], rng=1).differences[0]
    assert row.p_value == 1.0
    assert row.interval is None
    assert "few values" in str(row.undefined)


def test_areas_that_do_not_vary_have_no_verdict():
    y = np.repeat([0, 1], 50)
    score = np.arange(100.0)
    models = {"a": Binary(y, score=score, pos_label=1)}
    models["b"] = Binary(y, score=np.r_[score[:50][::-1], score[50:]], pos_label=1)
    row = ac.compare(models, ["auc"], margin=0.02, rng=1).differences[0]
    assert row.margin is None
    assert "no verdict" in str(row.undefined)


def test_few_cases_that_make_up_the_differences_are_warned_of():
    rng = np.random.default_rng(9)
    y = rng.normal(size=120)
    rare = np.where(np.arange(120) % 20 == 0, 4.4, 0.2) * rng.normal(size=120)
    heavy = {"a": Numeric(y, y + rng.normal(size=120)), "b": Numeric(y, y + rare)}
    plain = {k: Numeric(y, y + rng.normal(size=120)) for k in "ab"}
    codes = [
        {a.code for a in ac.compare(models, ["mse"], draws=99, rng=1).advice}
        for models in (heavy, plain)
    ]
    assert "AC159" in codes[0]
    assert "AC159" not in codes[1]


def test_rounding_is_no_spread():
    flat = Binary(np.arange(50) % 2, probability=np.full(50, 0.4), pos_label=1)
    row = ac.assess(flat, ["tjur_r2"], draws=99, rng=1).estimates[0]
    assert row.interval is None
