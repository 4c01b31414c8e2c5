"""Comparisons of models: all of `compare`, few cases, items and letters."""

import json
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import abovechance as ac
from abovechance import examples
from abovechance.errors import DataError, NotApplicable, UnknownMeasure
from abovechance.inference import confusion_tables
from abovechance.inference.comparison import _freedom, compact_letters, compare, of_accuracy
from abovechance.inference.contrasts import contributions
from abovechance.inference.influence import placed
from abovechance.inference.intervals import tango
from abovechance.inference.items import compare_items
from abovechance.inference.omnibus import cochran
from abovechance.inference.significance import delong, mcnemar, sign_flip
from abovechance.measures import Law, applicable, find
from abovechance.predictions import Binary, Multiclass, Numeric, Survival

# ----------------------------------------------------------------------------------------------
# Comparisons as a whole: what every law gives, pairing, margins, posteriors, many models.
# ----------------------------------------------------------------------------------------------


def two(n: int = 80, seed: int = 1, **facts) -> dict[str, Binary]:
    """An older and a newer model; the newer one is better."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(2, size=n - 2)])
    signal = {"old": 0.2, "new": 1.8}
    p = {k: 1 / (1 + np.exp(-(s * (2 * y - 1) + rng.normal(size=n)))) for k, s in signal.items()}
    return {name: Binary(y, probability=column, **facts) for name, column in p.items()}


def classes(n: int = 60, seed: int = 2) -> dict[str, Multiclass]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat([0, 1, 2], 2), rng.integers(3, size=n - 6)])
    found = {}
    for name, signal in (("old", 0.5), ("new", 1.5)):
        e = np.exp(rng.normal(size=(n, 3)) + signal * (y[:, None] == np.arange(3)))
        found[name] = Multiclass(y, probability=e / e.sum(axis=1, keepdims=True))
    return found


def numbers(n: int = 60, seed: int = 3) -> dict[str, Numeric]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return {k: Numeric(y, y + s * rng.normal(size=n)) for k, s in (("old", 1.5), ("new", 0.7))}


def times(n: int = 60, seed: int = 4) -> dict[str, Survival]:
    rng = np.random.default_rng(seed)
    hazard = rng.normal(size=n)
    event, censor = rng.exponential(np.exp(-hazard)), rng.exponential(3.0, size=n)
    at = np.array([0.2, 0.5, 1.0])
    found = {}
    for name, noise in (("old", 2.0), ("new", 0.3)):
        risk = hazard + noise * rng.normal(size=n)
        curves = np.exp(-np.exp(0.7 * risk)[:, None] * at)
        found[name] = Survival(
            np.minimum(event, censor), event <= censor, risk=risk, survival=curves, times=at
        )
    return found


KINDS = {"binary": two, "multiclass": classes, "numeric": numbers, "survival": times}
EXPECTED = {
    "accuracy": ("McNemar, exact", "Tango"),
    "error_rate": ("McNemar, exact", "Tango"),
    "sensitivity": ("McNemar, exact, among 1", "Tango"),
    "specificity": ("McNemar, exact, among 0", "Tango"),
    "balanced_accuracy": ("stratified sign flip, exact", "MOVER with Tango"),
    "auc": ("DeLong, t(", "MOVER of Newcombe and logit DeLong"),
    "brier": ("studentised bootstrap", "studentised bootstrap"),
    "log_score": ("studentised bootstrap", "studentised bootstrap"),
    "ppv": ("studentised exchange, exact", "MOVER of both intervals"),
    "f1": ("studentised exchange, exact", "MOVER of both intervals"),
    "mcc": ("studentised exchange, exact", "MOVER of both intervals"),
    "average_precision": ("studentised exchange", "paired jackknife"),
    "nagelkerke_r2": ("studentised bootstrap", "paired jackknife"),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_law_gives_test_and_interval(name: str) -> None:
    row = compare(two(), [name], rng=1, draws=199)[name]
    test, interval = EXPECTED[name]
    assert row.test.startswith(test)
    assert row.interval.method.startswith(interval)
    assert row.interval.low <= row.difference <= row.interval.high
    assert row.better == "new"
    assert row.p_value < 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_every_measure_can_be_compared(kind: str) -> None:
    models = KINDS[kind]()
    first = models["old"]
    for measure in applicable(first):
        if measure.name in ("e50", "e90", "emax"):  # as ici, and as slow
            continue
        slow = measure.law is Law.CALIBRATION or measure.form.value in ("draws", "censored")
        row = compare(models, [measure], rng=1, draws=9 if slow else 39).differences[0]
        values = [measure.of(p) for p in models.values()]
        if not np.isfinite(values).all():
            assert row.undefined, measure.name
            continue
        expected = values[0] - values[1]
        assert row.difference == pytest.approx(expected, rel=1e-9, abs=1e-12), measure.name
        if measure.law not in (Law.CALIBRATION, Law.UTILITY):
            assert 0 < row.p_value <= 1, measure.name
        assert row.interval is not None or row.undefined, measure.name


@pytest.mark.parametrize("kind", KINDS)
def test_identical_predictions_have_difference_0_and_p_1(kind: str) -> None:
    model = KINDS[kind]()["old"]
    for measure in applicable(model):
        if np.isnan(measure.of(model)):
            continue
        row = compare({"a": model, "b": model}, [measure], rng=1, draws=9).differences[0]
        assert row.difference == 0.0, measure.name
        assert not np.signbit(row.difference), measure.name
        assert row.better is None
        assert row.p_value == 1.0, measure.name
        if row.interval is not None:
            assert row.interval.low <= 0.0 <= row.interval.high


@pytest.mark.parametrize("kind", KINDS)
def test_identical_predictions_are_equal_with_weights_groups_and_folds(kind: str) -> None:
    facts = {
        "sample_weight": np.linspace(1.0, 2.0, 60),
        "groups": np.repeat(np.arange(12), 5),
        "fold": np.arange(60) % 5,
    }
    model = KINDS[kind]()["old"].take(slice(0, 60))
    for name, column in facts.items():
        held = model.take(slice(None))
        held.__dict__["cases"] = replace(held.cases, **{name: column})
        held.__dict__["origin"] = "cv" if name == "fold" else "test"
        for row in compare({"a": held, "b": held, "c": held}, rng=1, draws=9):
            assert (row.difference, row.p_value) == (0.0, 1.0), (name, row)


def test_a_threshold_makes_models_differ_whose_probabilities_do_not() -> None:
    y, p = [0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.6, 0.4, 0.3, 0.1]
    models = {"a": Binary(y, probability=p), "b": Binary(y, probability=p, threshold=0.65)}
    row = compare(models, ["accuracy"], rng=1)["accuracy"]
    assert row.difference == pytest.approx(1 / 6)
    assert row.test.startswith("McNemar")


def test_identical_predictions_with_an_infinite_loss_are_equal() -> None:
    model = Binary([0, 1, 1], probability=[0.1, 0.0, 0.7])
    row = compare({"a": model, "b": model}, ["log_score"], rng=1)["log_score"]
    assert (row.difference, row.p_value) == (0.0, 1.0)


def test_an_infinite_difference_is_undefined_and_said() -> None:
    models = {
        "bold": Binary([0, 1, 1, 0], probability=[0.1, 0.0, 0.7, 0.2]),
        "shy": Binary([0, 1, 1, 0], probability=[0.4, 0.5, 0.6, 0.4]),
    }
    row = compare(models, ["log_score"], rng=1)["log_score"]
    assert row.difference == -np.inf
    assert row.p_value is None
    assert row.interval is None
    assert "1 case is infinite" in row.undefined
    assert (
        json.loads(compare(models, ["log_score"], rng=1).to_json())["differences"][0]["difference"]
        == "-Infinity"
    )


def test_numbers_are_those_of_the_named_methods() -> None:
    models = two(120)
    first, second = models.values()
    found = compare(models, ["accuracy", "auc", "brier"], rng=3)
    right = [p.label == p.positive for p in (first, second)]
    b, c = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    row, exact = found["accuracy"], mcnemar(b, c)
    assert (row.p_value, row.mid_p) == (exact.p_value, exact.mid_p)
    limits = tango(b, c, 120)
    found_limits = (row.interval.low, row.interval.high)
    assert found_limits == pytest.approx((limits.low, limits.high), rel=1e-12)
    area = delong(first, second)
    assert found["auc"].statistic == pytest.approx(area.statistic, rel=1e-10)
    assert found["auc"].p_value == pytest.approx(area.p_value, rel=1e-10)
    assert found["brier"].p_value == sign_flip(first, second, "brier", rng=3).p_value


def test_order_turns_signs_and_nothing_else() -> None:
    models = two()
    back = dict(reversed(models.items()))
    names = ["accuracy", "balanced_accuracy", "auc", "brier", "f1"]
    for name in names:
        row, turned = (compare(m, [name], rng=1)[name] for m in (models, back))
        assert row.difference == pytest.approx(-turned.difference, rel=1e-12)
        assert row.p_value == pytest.approx(turned.p_value, rel=1e-9)
        assert row.better == turned.better == "new"


def test_greater_asks_whether_the_first_is_better() -> None:
    models = {k: two()[k] for k in ("new", "old")}
    for name in ("accuracy", "auc", "brier", "log_loss", "f1", "balanced_error_rate"):
        better = compare(models, [name], alternative="greater", rng=1)[name].p_value
        worse = compare(models, [name], alternative="less", rng=1)[name].p_value
        assert better < 0.05 < worse, name


RELATIVE = [
    m.name
    for p in (Binary([0, 1], probability=[0.2, 0.7]), Numeric([1.0, 2.0], [1.5, 2.5]))
    for m in applicable(p)
    if m.monotone_in
]


def test_relative_measures_declare_their_loss() -> None:
    assert {"r2", "rae", "scaled_brier", "nagelkerke_r2"} <= set(RELATIVE)


@pytest.mark.parametrize("name", RELATIVE)
def test_relative_measures_are_functions_of_their_loss(name: str) -> None:
    measure = find(name)
    loss = find(measure.monotone_in)
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=30) if "binary" in measure.outcomes else rng.normal(size=30)
    if "binary" in measure.outcomes:
        many = [Binary(y, probability=rng.random(30)) for _ in range(12)]
    else:
        many = [Numeric(y, y + rng.normal(size=30)) for _ in range(12)]
    losses = [loss.of(p) for p in many]
    values = [measure.of(p) for p in many]
    sign = -1 if measure.higher_is_better else 1
    assert np.argsort(losses).tolist() == np.argsort(sign * np.array(values)).tolist()


def test_studentised_limits_of_many_cases_are_students() -> None:
    from scipy.stats import ttest_1samp

    rng = np.random.default_rng(8)
    y = rng.normal(size=60_000)
    models = {k: Numeric(y, y + s * rng.normal(size=60_000)) for k, s in (("a", 1.0), ("b", 1.01))}
    row = compare(models, ["mae"], rng=1, draws=99)["mae"]
    d = np.subtract(*(find("mae").losses(p) for p in models.values()))
    limits = ttest_1samp(d, 0).confidence_interval()
    assert row.interval.method == "Student's t"
    assert (row.interval.low, row.interval.high) == pytest.approx((limits.low, limits.high))


def test_a_wrong_alternative_is_refused() -> None:
    with pytest.raises(DataError, match="alternative must be"):
        compare(two(), ["auc"], alternative="better")


# ------------------------------------------------------------------------------------- pairing


def test_cases_are_paired_by_id_whatever_their_order() -> None:
    models = two(id=np.arange(80))
    rng = np.random.default_rng(1)
    shuffled = {"old": models["old"], "new": models["new"].take(rng.permutation(80))}
    names = ["auc", "accuracy", "brier"]
    expected, found = (compare(m, names, rng=1) for m in (models, shuffled))
    assert found.differences == expected.differences
    assert found.matched_by == "id"


def test_unmatched_cases_are_left_out_and_reported() -> None:
    models = two(id=[f"case {i}" for i in range(80)])
    part = {"old": models["old"].take(np.arange(75)), "new": models["new"].take(np.arange(3, 80))}
    found = compare(part, ["brier"], rng=1)
    whole = {k: p.take(np.arange(3, 75)) for k, p in models.items()}
    assert found["brier"] == compare(whole, ["brier"], rng=1)["brier"]
    assert found.unmatched == {"old": 3, "new": 5}
    (said,) = (a.text for a in found.advice if a.code == "AC140")
    assert "3 of old (id case 0, case 1, case 2), 5 of new (id case 75, " in said
    assert "72 are compared" in said


def test_outcomes_that_disagree_are_refused_with_their_ids() -> None:
    y = [0, 1, 0, 1, 1]
    first = Binary(y, probability=[0.1, 0.8, 0.3, 0.6, 0.9], id=list("abcde"))
    other = Binary([0, 1, 1, 1, 0], probability=[0.1, 0.8, 0.3, 0.6, 0.9], id=list("abcde"))
    with pytest.raises(DataError, match="first and second differ at id c, e"):
        compare({"first": first, "second": other})
    rows = [Binary(p.positive, probability=p.probability) for p in (first, other)]
    with pytest.raises(DataError, match="differ at rows 3, 5"):
        compare(dict(zip("ab", rows, strict=True)))


def test_rows_are_paired_only_when_they_can_be() -> None:
    models = two()
    short = {"old": models["old"], "new": models["new"].take(np.arange(79))}
    with pytest.raises(DataError, match="old has 80, new has 79"):
        compare(short)
    assert any(a.code == "AC141" for a in compare(models, ["brier"], rng=1).advice)


def test_groups_of_one_model_are_those_of_all() -> None:
    models = two()
    groups = np.repeat(np.arange(16), 5)
    some = {"old": two(groups=groups)["old"], "new": models["new"]}
    found = compare(some, ["brier"], rng=1)
    assert "16 clusters" in found["brier"].test
    said = [str(a) for a in found.advice if a.code == "AC152"]
    assert said == [
        "[AC152] new has no groups; those of old hold for every model, as they are facts about "
        "the cases."
    ]
    both = compare(two(groups=groups), ["brier"], rng=1)
    assert not [a for a in both.advice if a.code == "AC152"]
    assert both["brier"] == found["brier"]
    other = {"old": two(groups=groups)["old"], "new": two(groups=groups[::-1])["new"]}
    with pytest.raises(DataError, match="groups must be the same"):
        compare(other)


@pytest.mark.parametrize("giver", ["old", "new"])
def test_weights_and_folds_of_one_model_are_those_of_all_and_said(giver: str) -> None:
    for name, column in (("sample_weight", np.linspace(1, 2, 80)), ("fold", np.arange(80) % 4)):
        some = {k: p if k == giver else two()[k] for k, p in two(**{name: column}).items()}
        found, whole = compare(some, ["brier"], rng=1), compare(two(**{name: column}), ["brier"])
        assert [a.code for a in found.advice].count("AC152") == 1
        assert found["brier"].difference == whole["brier"].difference
        assert found.origin == whole.origin
        other = {**two(**{name: column}), giver: two(**{name: column[::-1]})[giver]}
        with pytest.raises(DataError, match=f"{name} must be the same"):
            compare(other)
    mixed = {"old": two(counts=np.ones(80))["old"], "new": two(sample_weight=np.ones(80))["new"]}
    with pytest.raises(DataError, match="sample_weight and another counts"):
        compare(mixed)


def test_frequencies_are_spelled_out() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 4, size=80)
    short = two(counts=counts)
    long = {k: p.take(np.repeat(np.arange(80), counts)) for k, p in two().items()}
    names = ["accuracy", "auc", "brier"]
    assert compare(short, names, rng=1).differences == compare(long, names, rng=1).differences


def test_classes_seen_by_one_model_only_are_added() -> None:
    y = list("aabbaabb")
    models = {
        "one": Multiclass(y, label=list("aabbabbc")),
        "two": Multiclass(y, label=list("aabbaaab")),
    }
    row = compare(models, ["accuracy"], rng=1)["accuracy"]
    assert row.difference == pytest.approx(6 / 8 - 7 / 8)


def test_models_of_different_things_are_refused() -> None:
    with pytest.raises(DataError, match="same kind of outcome"):
        compare({"a": two()["old"], "b": numbers()["old"]})
    with pytest.raises(DataError, match="which is positive"):
        compare(
            {
                "a": Binary(["x", "y"], probability=[0.1, 0.9], pos_label="y"),
                "b": Binary(["x", "y"], probability=[0.1, 0.9], pos_label="x"),
            }
        )
    with pytest.raises(DataError, match="at least two models"):
        compare({"a": two()["old"]})


# ------------------------------------------------------------------- dependence and weights


@pytest.mark.parametrize("name", ["accuracy", "sensitivity", "balanced_accuracy", "brier", "f1"])
def test_few_clusters_state_the_smallest_attainable_p(name: str) -> None:
    found = compare(two(400, groups=np.repeat(np.arange(5), 80)), [name], rng=1)
    assert found[name].p_value >= found[name].least_p == 0.0625
    assert any("smallest attainable p is 0.0625" in a.text for a in found.advice)


def test_clusters_of_one_case_are_cases() -> None:
    for name in ("accuracy", "balanced_accuracy", "brier"):
        plain = compare(two(14), [name], rng=1)[name]
        alone = compare(two(14, groups=np.arange(14)), [name], rng=1)[name]
        assert alone.p_value == pytest.approx(plain.p_value, rel=1e-9)
        assert alone.difference == pytest.approx(plain.difference, rel=1e-12)


def test_weights_give_an_interval_and_no_test() -> None:
    found = compare(two(sample_weight=np.linspace(1, 2, 80)), ["accuracy", "auc"], rng=1)
    for row in found:
        assert row.p_value is None
        assert "sampling weights" in row.undefined
        assert row.interval.low <= row.difference <= row.interval.high
    with pytest.raises(NotApplicable, match="weights"):
        sign_flip(*two(sample_weight=np.ones(80)).values(), "brier")


def test_equal_weights_move_no_value() -> None:
    plain = compare(two(), ["brier"], rng=1)["brier"].difference
    weighted = compare(two(sample_weight=np.full(80, 2.0)), ["brier"], rng=1)["brier"].difference
    assert weighted == pytest.approx(plain, rel=1e-12)


# ------------------------------------------------------------------------ margins, posteriors


def test_margins_by_their_tests() -> None:
    models = {k: two(200)[k] for k in ("new", "old")}
    found = compare(models, ["accuracy", "auc", "brier", "f1"], margin=0.05, rng=1)
    for row in found:
        assert row.margin.noninferior
        assert not row.margin.equivalent
        assert row.margin.interval.level == 0.9
    back = compare(dict(reversed(models.items())), ["accuracy", "brier"], margin=0.01, rng=1)
    assert not any(row.margin.noninferior for row in back)


def test_models_alike_are_equivalent_within_a_margin() -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(2, size=400)
    p = np.clip(0.3 + 0.4 * y + 0.1 * rng.normal(size=(2, 400)), 0.01, 0.99)
    models = {k: Binary(y, probability=row) for k, row in zip("ab", p, strict=True)}
    found = compare(models, ["accuracy", "auc", "brier"], margin=0.05, rng=1)
    for row in found:
        assert row.margin.equivalent
        assert row.margin.p_equivalent <= 0.05
        assert max(row.margin.p_noninferior, 0) <= row.margin.p_equivalent


def test_margin_of_shares_is_tangos_score() -> None:
    models = two(100)
    row = compare(models, ["accuracy"], margin=0.1, rng=1)["accuracy"]
    low = row.margin.interval.low
    at_bound = compare(models, ["accuracy"], margin=abs(low), rng=1)["accuracy"].margin
    assert at_bound.p_noninferior == pytest.approx(0.05, abs=1e-6)


def test_margin_of_areas_is_delongs() -> None:
    models = two(200)
    first = compare(models, ["auc"], margin=0.1, rng=1)["auc"].margin
    margin = abs(first.interval.low)
    assert compare(models, ["auc"], margin=margin, rng=1)["auc"].margin.p_noninferior == (
        pytest.approx(0.05, abs=1e-9)
    )


def test_margin_of_means_is_decided_by_the_interval_shown() -> None:
    for size, margin in ((30, 0.3), (60, 0.1), (60, 0.6)):
        row = compare(numbers(size), ["mae"], margin=margin, rng=1)["mae"]
        found = row.margin
        assert found.interval.level == pytest.approx(0.9)
        assert found.noninferior == (found.interval.high < margin)
        assert found.noninferior == (found.p_noninferior <= 0.05)
        assert found.equivalent == (-margin < found.interval.low and found.noninferior)
        assert found.equivalent == (found.p_equivalent <= 0.05)


def test_margins_may_differ_between_measures() -> None:
    found = compare(two(), ["auc", "brier"], margin={"brier": 0.01}, rng=1)
    assert found["auc"].margin is None
    assert found["brier"].margin.margin == 0.01
    with pytest.raises(NotApplicable, match="'f1', which is not compared"):
        compare(two(), ["auc"], margin={"f1": 0.1})
    with pytest.raises(DataError, match="positive number"):
        compare(two(), ["auc"], margin=-0.1)


def test_posterior_of_accuracies_equals_monte_carlo() -> None:
    rng = np.random.default_rng(1)
    draws = rng.dirichlet([30.5, 12.5, 2.5, 6.5], size=400_000)
    gain = draws[:, 1] - draws[:, 2]
    found = of_accuracy(12, 2, 50, rope=0.05)
    assert found.p_better == pytest.approx((gain > 0).mean(), abs=0.002)
    assert found.p_first == pytest.approx((gain > 0.05).mean(), abs=0.003)
    assert found.p_equal == pytest.approx((abs(gain) <= 0.05).mean(), abs=0.003)
    assert found.p_first + found.p_equal + found.p_second == pytest.approx(1.0)


def test_posteriors_are_those_of_the_posterior_of_a_paired_difference() -> None:
    from abovechance.inference import posterior

    models = two()
    found = compare(models, ["accuracy", "balanced_accuracy"], rng=1)
    old, new = models["old"], models["new"]
    tables = posterior.agreement(old.positive, old.label, new.label)
    for name, table in (("accuracy", tables.sum(axis=0)), ("balanced_accuracy", tables)):
        one = posterior.paired_difference(table)
        assert found[name].posterior.p_better == one.prob_above(0.0)
        assert found[name].posterior.prior.startswith(one.prior)


def test_posteriors_are_for_accuracies_of_independent_cases() -> None:
    found = compare(two(), ["accuracy", "balanced_accuracy", "auc"], rope=0.02, rng=1)
    assert found["accuracy"].posterior.p_second > 0.9
    assert found["balanced_accuracy"].posterior.p_better < 0.1
    assert found["auc"].posterior is None
    grouped = compare(two(groups=np.arange(80) // 2), ["accuracy"], rng=1)
    assert grouped["accuracy"].posterior is None
    with pytest.raises(DataError, match="rope"):
        compare(two(), ["accuracy"], rope=-0.1)


# ------------------------------------------------------------------------------ many models


def five(n: int = 100) -> dict[str, Binary]:
    rng = np.random.default_rng(11)
    y = rng.integers(2, size=n)
    strength = {"a": 2.0, "b": 1.9, "c": 0.9, "d": 0.8, "e": 0.0}
    p = {k: 1 / (1 + np.exp(-(s * (2 * y - 1) + rng.normal(size=n)))) for k, s in strength.items()}
    return {k: Binary(y, probability=v) for k, v in p.items()}


def test_all_pairs_are_adjusted_within_a_measure() -> None:
    from abovechance.inference.multiplicity import benjamini_hochberg, holm

    for adjust, method in (("holm", holm), ("bh", benjamini_hochberg)):
        found = compare(five(), ["auc", "accuracy"], adjust=adjust, rng=1)
        assert len(found) == 20
        for name in ("auc", "accuracy"):
            rows = [row for row in found if row.measure == name]
            expected = method([row.p_value for row in rows])
            assert [row.p_adjusted for row in rows] == pytest.approx(expected.tolist())


def test_ranking_is_best_first_with_letters_for_what_was_told_apart() -> None:
    found = compare(five(), ["brier"], rng=1)
    places = {place.model: place for place in found.ranking}
    assert [p.rank for p in found.ranking] == [1, 2, 3, 4, 5]
    values = [p.value for p in found.ranking]
    assert values == sorted(values)
    for row in found:
        shared = set(places[row.first].letters) & set(places[row.second].letters)
        assert bool(shared) == (row.p_adjusted > 0.05)


def test_omnibus_tests_by_law() -> None:
    found = {test.measure: test for test in compare(five(), rng=1).omnibus}
    assert found["auc"].test == "DeLong F"
    assert found["auc"].df_error > found["auc"].df > 1
    assert found["brier"].df_error is None
    assert found["accuracy"].test == "Cochran's Q, permuted within cases, 9999 draws"
    assert found["brier"].test == "largest t of all pairs, studentised bootstrap, 9999 draws"
    assert found["auc"].p_value < 1e-6
    assert found["accuracy"].p_value == found["brier"].p_value == 1e-4
    assert compare(two(), rng=1).omnibus == ()
    (many,) = compare(five(450), ["auc"], rng=1).omnibus
    assert (many.test, many.df, many.df_error) == ("DeLong χ²", 4.0, None)


def test_omnibus_over_clusters_names_them() -> None:
    groups = np.repeat(np.arange(10), 10)
    models = {
        k: Binary(p.positive, probability=p.probability, groups=groups) for k, p in five().items()
    }
    area, brier = compare(models, ["auc", "brier"], rng=1, draws=99).omnibus
    assert area.test == "Obuchowski F over 10 clusters"
    assert area.df_error == pytest.approx(9 * area.df)
    assert brier.test == "permutation of 10 clusters among models, 99 draws"


def test_pairs_of_many_models_are_those_of_two() -> None:
    models = five()
    whole = compare(models, ["auc", "brier"], rng=1)
    pair = compare({k: models[k] for k in ("b", "d")}, ["auc", "brier"], rng=1)
    for name in ("auc", "brier"):
        row, alone = whole[name, "b", "d"], pair[name]
        assert (row.difference, row.p_value) == pytest.approx((alone.difference, alone.p_value))


# ----------------------------------------------------------------------------- different cases


def test_different_cases_are_compared_unpaired_and_said() -> None:
    a, b = two(160, 1)["new"], two(140, 2)["old"]
    found = compare({"a": a, "b": b}, paired=False, rng=1)
    assert not found.paired
    assert found.n == 300
    assert all(not row.paired and "unpaired" in row.test for row in found)
    assert any(advice.code == "AC142" for advice in found.advice)
    assert found["auc"].p_value == pytest.approx(delong(a, b, paired=False).p_value, rel=1e-9)
    assert found["accuracy"].interval.method == "Newcombe, unpaired"


@pytest.mark.parametrize("kind", [two, classes, numbers])
def test_the_difference_of_different_cases_is_that_of_their_values(kind) -> None:
    (_, a), (_, b) = kind(60, 1).items()
    b = b.take(np.arange(50))
    found = compare({"a": a, "b": b}, applicable(a), paired=False, rng=1, draws=49)
    for row in found:
        one, other = (find(row.measure).of(p) for p in (a, b))
        assert row.difference == pytest.approx(one - other, rel=1e-9, abs=1e-12, nan_ok=True)


def test_few_different_cases_have_degrees_of_freedom_by_class() -> None:
    a, b = two(40, 1)["new"], two(30, 2)["old"]
    row, proc = compare({"a": a, "b": b}, ["auc"], paired=False)["auc"], delong(a, b, paired=False)
    assert row.statistic == pytest.approx(proc.statistic, rel=1e-9)
    variance, below = 0.0, 0.0
    for p in (a, b):
        share = placed(p.probability, p.positive)
        for inside in (p.positive, ~p.positive):
            part = share[inside].var(ddof=1) / inside.sum()
            variance, below = variance + part, below + part**2 / (inside.sum() - 1)
    assert row.test == f"DeLong, unpaired, t({variance**2 / below:.1f})"
    assert row.p_value > proc.p_value
    rare = [np.flatnonzero(~p.positive | (np.cumsum(p.positive) <= 4)) for p in (a, b)]
    few = {"a": a.take(rare[0]), "b": b.take(rare[1])}
    assert compare(few, ["auc"], paired=False)["auc"].test == "DeLong, unpaired, t(6.0)"


def test_one_case_of_a_class_leaves_the_limits_of_areas_of_different_cases() -> None:
    """MOVER of the limits that each area has by itself (Zou and Donner, 2008)."""
    a, b = two(60, 1)["new"], two(50, 2)["old"]
    a = a.take(np.flatnonzero(~a.positive | (np.cumsum(a.positive) <= 1)))
    row = compare({"a": a, "b": b}, ["auc"], paired=False)["auc"]
    assert row.p_value is None
    assert "one case of a class" in row.undefined
    one, other = (ac.assess(p, ["auc"], rng=1)["auc"] for p in (a, b))
    gap = one.value - other.value
    assert row.difference == pytest.approx(gap, rel=1e-12)
    low = gap - np.hypot(one.value - one.interval.low, other.interval.high - other.value)
    high = gap + np.hypot(one.interval.high - one.value, other.value - other.interval.low)
    assert (row.interval.low, row.interval.high) == pytest.approx((low, high), rel=1e-9)


def test_perfect_models_of_different_cases_have_no_degrees_of_freedom_to_print() -> None:
    perfect = {
        name: Binary(np.repeat([0, 1], n), score=np.arange(2.0 * n), pos_label=1)
        for name, n in (("a", 30), ("b", 31))
    }
    row = compare(perfect, ["auc"], paired=False)["auc"]
    assert (row.test, row.p_value) == ("DeLong, unpaired", 1.0)
    assert "inf" not in str(delong(perfect["a"], perfect["b"], paired=False))
    certain = {
        name: Binary(np.repeat([0, 1], n), probability=np.repeat([0.25, 0.75], n), pos_label=1)
        for name, n in (("a", 30), ("b", 31))
    }
    alike = compare(certain, ["brier"], paired=False)["brier"]
    assert (alike.p_value, alike.interval) == (None, None)
    assert alike.undefined == "the cases of neither part show a spread"


def test_cases_in_common_that_are_not_paired_are_said() -> None:
    ids = np.arange(80)
    found = compare(two(id=ids), ["brier"], paired=False, rng=1)
    assert [a.code for a in found.advice] == ["AC153", "AC158"]
    assert "80 cases are those of every model" in found.advice[0].text


def test_equal_values_over_clusters_are_equal() -> None:
    # right answers in different clusters, whose parts of 1/30 do not add up to 0 exactly
    right = np.zeros((2, 30), dtype=int)
    right[0, [1, 4, 8, 13, 17, 19, 22]] = right[1, [0, 4, 9, 12, 16, 21, 29]] = 1
    for shift in range(12):
        labels = [right[0], np.roll(right[1], shift)]
        models = {
            name: Binary(
                np.ones(30, dtype=int), label=row, labels=[0, 1], groups=np.arange(30) // 3
            )
            for name, row in zip("ab", labels, strict=True)
        }
        row = compare(models, ["accuracy"], rng=1, draws=99)["accuracy"]
        assert (row.difference, row.better) == (0.0, None)


def test_ids_without_common_cases_are_different_cases() -> None:
    a = two(40, 1, id=np.arange(40))["new"]
    b = two(40, 2, id=np.arange(100, 140))["old"]
    assert not compare({"a": a, "b": b}, ["auc"], rng=1).paired
    with pytest.raises(DataError, match="no id is in all"):
        compare({"a": a, "b": b}, ["auc"], paired=True)


def test_means_of_different_cases_in_shared_clusters_vary_as_the_clusters_do() -> None:
    """Clusters of both parts taken together; Student's limits, by hand."""
    from scipy.stats import t

    rng = np.random.default_rng(8)
    parts, moved = {}, np.zeros(14)
    for name, n, sign in (("a", 90, 1.0), ("b", 70, -1.0)):
        y, group = rng.normal(size=n), rng.integers(0, 14, n)
        p = y + 0.4 * rng.normal(size=14)[group] + 0.5 * rng.normal(size=n)
        losses = (y - p) ** 2
        parts[name] = Numeric(y, p, groups=group)
        np.add.at(moved, group, sign * (losses - losses.mean()) / n)
    row = compare(parts, ["mse"], paired=False, rng=1)["mse"]
    half = t.ppf(0.975, 13) * np.sqrt((moved**2).sum() * 14 / 13)
    limits = row.interval.low, row.interval.high
    assert limits == pytest.approx((row.difference - half, row.difference + half), rel=1e-12)


def test_from_thirty_cases_on_means_are_tested_and_not_symmetry() -> None:
    for n, test, hypothesis in (
        (29, "sign flip", "differences of loss are symmetric about zero"),
        (30, "studentised bootstrap", "expected losses are equal"),
    ):
        row = compare(numbers(n, 1), ["mae"], draws=199, rng=1)["mae"]
        assert (row.test, row.hypothesis) == (test, hypothesis)


def test_welch_t_of_losses() -> None:
    from scipy.stats import ttest_ind

    a, b = numbers(50, 1)["new"], numbers(40, 2)["old"]
    row = compare({"a": a, "b": b}, ["mse"], paired=False, rng=1)["mse"]
    losses = [find("mse").losses(p) for p in (a, b)]
    expected = ttest_ind(*losses, equal_var=False)
    assert row.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    limits = expected.confidence_interval(0.95)
    assert (row.interval.low, row.interval.high) == pytest.approx((limits.low, limits.high))


def test_subgroups_are_compared_for_every_model() -> None:
    models = two(360)
    by = np.where(np.arange(360) % 3 == 0, "f", "m")
    found = compare(models, ["accuracy", "auc", "f1"], by=by, by_name="sex", between=True, rng=1)
    rows = [row for row in found if row.model is not None]
    assert len(rows) == 6
    assert {(row.first, row.second) for row in rows} == {("sex=f", "sex=m")}
    assert not any(row.paired for row in rows)
    parts = [models["new"].take(by == s) for s in ("f", "m")]
    row = next(r for r in rows if r.model == "new" and r.measure == "auc")
    assert row.p_value == pytest.approx(delong(*parts, paired=False).p_value, rel=1e-9)


def test_subgroups_that_share_clusters_keep_their_dependence() -> None:
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(30), 4)
    level = rng.normal(size=30)[groups]
    y = rng.normal(size=120)
    model = Numeric(y, y + 3 * level + 0.3 * rng.normal(size=120), groups=groups)
    by = np.tile(["a", "b"], 60)
    row = compare({"m": model}, ["mse"], by=by, rng=1).differences[0]
    alone = compare({"m": Numeric(y, model.value[0])}, ["mse"], by=by, rng=1).differences[0]
    wide = alone.interval.high - alone.interval.low
    assert row.interval.high - row.interval.low < 0.6 * wide


# ------------------------------------------------------------------------------- the result


def test_json_is_the_contract() -> None:
    found = compare(five(60), ["auc", "accuracy"], margin=0.1, rope=0.01, rng=1)
    told = json.loads(found.to_json())
    assert set(told) >= {
        "abovechance", "outcome", "n", "origin", "seed", "models", "estimates", "differences",
        "omnibus", "ranking", "advice",
    }  # fmt: skip
    row = told["differences"][0]
    assert list(row)[:5] == ["measure", "title", "first", "second", "difference"]
    assert set(row) >= {"interval", "p_value", "test", "p_adjusted", "hypothesis", "draws"}
    assert set(row["interval"]) == {"low", "high", "level", "method", "by"}
    assert {e["model"] for e in told["estimates"]} == set("abcde")
    assert told["seed"] == 1


def test_rows_export_to_csv_and_frames() -> None:
    found = compare(two(), ["auc", "brier"], rng=1)
    lines = found.to_csv().splitlines()
    assert lines[0].startswith("measure,title,first,second,difference")
    assert len(lines) == 3
    frame = found.to_frame()
    assert frame["p_value"].tolist() == [row.p_value for row in found]
    assert found.to_frame("polars").shape == (2, len(frame.columns))


def test_words_say_which_is_better() -> None:
    found = compare(two(), ["auc", "brier"], rng=1)
    assert "new is better than old (difference +" in found["brier"].sentence
    with pytest.raises(UnknownMeasure, match="was not compared"):
        found["f1"]
    with pytest.raises(UnknownMeasure, match="in this order"):
        found["auc", "new", "old"]


def test_a_seed_gives_the_same_comparison_again() -> None:
    names = ["log_score", "f1", "average_precision", "tjur_r2"]
    first = compare(two(), names, rng=5, draws=49)
    assert first == compare(two(), names, rng=5, draws=49)
    assert first == compare(two(), names, rng=5, draws=49, workers=2)
    assert first.seed == 5


def test_defaults_are_one_measure_of_each_family() -> None:
    assert [e.measure for e in compare(two(), rng=1).estimates][::2] == [
        "log_score", "brier", "auc", "balanced_accuracy", "accuracy",
    ]  # fmt: skip
    labels = {k: Binary(p.positive, label=p.label) for k, p in two().items()}
    assert {row.measure for row in compare(labels, rng=1)} == {"balanced_accuracy", "accuracy"}
    models = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    assert compare(models, rng=1).primary == "log_score"


# ----------------------------------------------------------------------------------------------
# What few cases cannot tell of a difference is refused or said.
# ----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", ["binary", "numeric"])
def test_no_function_of_losses_has_a_verdict_on_a_margin_of_twenty_cases(kind):
    first, second = _two(kind, 20)
    losses = [m for m in applicable(first) if m.law is Law.MEAN and m.higher_is_better is not None]
    assert len(losses) >= 2
    rows = ac.compare({"a": first, "b": second}, losses, margin=0.5, draws=199, rng=1).differences
    for row in rows:
        assert row.margin is None, row.measure
        assert row.interval is None or "verdict on a margin" in str(row.undefined), row.measure


@pytest.mark.parametrize("positives", [1, 2, 4, 5])
def test_what_leaves_out_cases_has_no_interval_where_nearly_all_are_of_one_class(positives):
    """Few cases of a class say how counts vary, not how predictions do."""
    models = dict(zip("ab", _binary(60, positives, 3), strict=True))
    rows = ac.assess(models["a"], draws=199, rng=1).estimates
    rows += ac.compare(models, draws=199, rng=1).differences
    named = {r.measure for r in rows if r.interval is not None and "jackknife" in r.interval.method}
    assert bool(named) == (positives == 5)
    for row in rows:
        if row.measure == "tjur_r2" and positives < 5:
            assert row.interval is None
            assert "are of one class" in f"{row.undefined}{getattr(row, 'remark', '')}"


def test_tables_of_few_different_cases_are_compared_with_students_t():
    """Limits of posteriors joined, as much wider as Student's quantile is than the normal one."""
    from scipy.stats import norm, t

    models = {k: _binary(n, n // 4, n)[0] for k, n in (("a", 80), ("b", 40))}
    row = ac.compare(models, ["mcc"], paired=False, rng=1).differences[0]
    one, other = (ac.assess(p, ["mcc"], rng=1).estimates[0] for p in models.values())
    plain = np.hypot(one.value - one.interval.low, other.interval.high - other.value)
    df = row.interval.by["df"]
    assert 10.0 < df < 118.0
    wider = t.ppf(0.975, df) / norm.ppf(0.975)
    assert row.difference - row.interval.low == pytest.approx(wider * plain, rel=0.05)
    assert (row.p_value <= 0.05) == (not row.interval.low <= 0.0 <= row.interval.high)


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


# ----------------------------------------------------------------------------------------------
# The parts of a comparison: letters, omnibus tests, contributions, items.
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_models_share_a_letter_exactly_when_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    models = [f"m{i}" for i in range(int(rng.integers(2, 8)))]
    pairs = list(combinations(models, 2))
    apart = {pair for pair in pairs if rng.random() < 0.4}
    letters = compact_letters(models, apart)
    for pair in pairs:
        first, second = (set(letters[m]) for m in pair)
        assert bool(first & second) == (pair not in apart)
    assert "a" in letters[models[0]]


def test_letters_of_simple_cases() -> None:
    assert compact_letters(["x", "y"], []) == {"x": "a", "y": "a"}
    assert compact_letters(["x", "y"], [("x", "y")]) == {"x": "a", "y": "b"}
    every = list(combinations("pqrs", 2))
    assert compact_letters("pqrs", every) == {"p": "a", "q": "b", "r": "c", "s": "d"}


def test_cochrans_q_equals_statsmodels() -> None:
    hits = np.array(
        [
            [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1],
            [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0],
            [0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0],
            [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1],
        ]
    )
    # statsmodels 0.15.0, stats.contingency_tables.cochrans_q(hits.T)
    assert cochran(hits) == (pytest.approx(9.176470588235293, rel=1e-12), 3.0)


def test_cochrans_q_of_two_models_is_mcnemars_chi2() -> None:
    hits = (np.random.default_rng(2).random((2, 50)) < [[0.5], [0.7]]).astype(float)
    b, c = (int(((hits[i] == 1) & (hits[1 - i] == 0)).sum()) for i in (0, 1))
    assert cochran(hits)[0] == pytest.approx(mcnemar(b, c, method="chi2").statistic)


def test_identical_models_have_omnibus_zero() -> None:
    assert cochran(np.tile([1.0, 0.0, 1.0], (3, 1))) == (0.0, 2.0)


@pytest.mark.parametrize("k", [2, 3])
def test_contributions_sum_to_the_difference(k: int) -> None:
    rng = np.random.default_rng(k)
    y = np.concatenate([np.arange(k), rng.integers(k, size=37)])
    if k == 2:
        models = [Binary(y, probability=rng.random(39)) for _ in range(2)]
    else:
        models = [Multiclass(y, probability=rng.dirichlet(np.ones(k), size=40)) for _ in range(2)]
    seen = 0
    for measure in applicable(models[0]):
        if measure.law in (Law.SHARE, Law.BALANCED, Law.MEAN):
            parts = contributions(measure, *models)
            gap = measure.of(models[0]) - measure.of(models[1])
            assert parts.sum() == pytest.approx(gap, abs=1e-12), measure.name
            seen += 1
    assert seen >= 7


def test_contributions_of_micro_averages() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=30)
    models = [Multiclass(y, label=rng.integers(3, size=30), labels=[0, 1, 2]) for _ in range(2)]
    for name in ("specificity_micro", "f1_micro", "sensitivity_micro"):
        measure = find(name)
        gap = measure.of(models[0]) - measure.of(models[1])
        assert contributions(measure, *models).sum() == pytest.approx(gap, abs=1e-12)


# ----------------------------------------------------------------------------------------- items


def items(n: int = 40, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    ability = {"new": 0.8, "old": 0.5}
    return {
        "id": np.tile([f"q{i}" for i in range(n)], 2),
        "model": np.repeat(list(ability), n),
        "value": np.concatenate([(rng.random(n) < p).astype(int) for p in ability.values()]),
        "groups": np.tile([f"d{i // 4}" for i in range(n)], 2),
    }


def without(columns: dict, *names: str) -> dict:
    return {k: v for k, v in columns.items() if k not in names}


def test_right_and_wrong_items_get_mcnemar() -> None:
    columns = items()
    row = compare_items(**without(columns, "groups"), rng=1)["accuracy"]
    new, old = columns["value"].reshape(2, -1).astype(bool)
    b, c = int((new & ~old).sum()), int((old & ~new).sum())
    assert row.p_value == mcnemar(b, c).p_value
    assert row.difference == pytest.approx(new.mean() - old.mean())
    assert (row.first, row.second, row.n) == ("new", "old", 40)


def test_right_answers_have_no_chance_level() -> None:
    found = compare_items(**items(), rng=1)
    assert [row.chance for row in found.estimates] == [None, None]
    assert [row.reference for row in found.estimates] == [None, None]


def test_scores_get_sign_flips_and_a_name() -> None:
    columns = without(items(), "groups")
    columns["value"] = columns["value"] + np.random.default_rng(2).normal(size=80)
    found = compare_items(**columns, name="rouge", rng=1)
    assert found["rouge"].test == "studentised bootstrap"
    assert found["rouge"].better == "new"
    losses = compare_items(**columns, higher_is_better=False, rng=1)
    assert losses.differences[0].better == "old"
    assert losses.differences[0].measure == "mean_loss"


def test_clusters_of_items_flip_together() -> None:
    row = compare_items(**items(), rng=1)["accuracy"]
    assert row.test == "sign flip of 10 clusters, exact"
    assert row.interval.method == "t over 10 clusters"


def test_order_of_models_is_as_asked() -> None:
    row = compare_items(**items(), models=["old", "new"], rng=1)["accuracy"]
    assert (row.first, row.second) == ("old", "new")
    with pytest.raises(DataError, match="no row is of model 'newer'"):
        compare_items(**items(), models=["old", "newer"])


def test_several_rows_for_an_item_are_averaged_and_said() -> None:
    columns = without(items(), "groups")
    twice = {k: np.concatenate([v, v]) for k, v in columns.items()}
    twice["value"][80:] = np.random.default_rng(3).integers(2, size=80)
    found = compare_items(**twice, rng=1)
    assert found.advice[0].code == "AC151"
    means = (twice["value"][:80] + twice["value"][80:]).reshape(2, -1) / 2
    assert found.differences[0].difference == pytest.approx((means[0] - means[1]).mean())


def test_items_missing_for_a_model_are_left_out() -> None:
    columns = without(items(), "groups")
    short = {k: v[:77] for k, v in columns.items()}
    found = compare_items(**short, rng=1)
    assert found.n == 37
    assert found.unmatched == {"new": 3, "old": 0}


def test_slips_in_items_are_refused() -> None:
    columns = items()
    with pytest.raises(DataError, match="at row 3"):
        compare_items(**{**columns, "value": np.where(np.arange(80) == 2, np.nan, 1.0)})
    wrong = {k: np.concatenate([v, v[1:2]]) for k, v in columns.items()}
    wrong["groups"] = wrong["groups"].astype(object)
    wrong["groups"][-1] = "elsewhere"
    with pytest.raises(DataError, match="item 'q1' is in several"):
        compare_items(**wrong)
    with pytest.raises(DataError, match="at least two models"):
        compare_items(id=[1, 2], model=["a", "a"], value=[1, 0])
    with pytest.raises(DataError, match="one entry per row"):
        compare_items(id=[1, 2], model=["a", "b"], value=[1])


TABLED = ["balanced_accuracy", "f1", "mcc", "kappa", "net_benefit"]


@pytest.mark.parametrize("measure", TABLED)
def test_no_error_in_either_of_two_samples_leaves_a_difference_open(measure: str) -> None:
    models = {
        name: Binary(np.arange(n) % 2, probability=0.1 + 0.8 * (np.arange(n) % 2), pos_label=1)
        for name, n in (("a", 40), ("b", 30))
    }
    row = compare(models, [measure], paired=False, rng=1).differences[0]
    assert row.interval is not None
    assert row.interval.low < 0.0 < row.interval.high
    assert row.p_value == 1.0


def test_different_samples_are_compared_by_the_limits_that_each_has() -> None:
    rng = np.random.default_rng(3)
    made = {}
    for name, n, apart in (("a", 120, 2.0), ("b", 60, 0.5)):
        y = np.arange(n) % 3 == 0
        p = 1 / (1 + np.exp(-(apart * y - apart / 2 + rng.normal(size=n))))
        made[name] = Binary(y.astype(int), probability=p, pos_label=1)
    found = compare(made, ["mcc"], paired=False, rng=1)
    row, (one, other) = found.differences[0], (e for e in found.estimates)
    low = row.difference - np.hypot(one.value - one.interval.low, other.interval.high - other.value)
    high = row.difference + np.hypot(
        one.interval.high - one.value, other.value - other.interval.low
    )
    assert row.interval.low == pytest.approx(low, abs=0.02)
    assert row.interval.high == pytest.approx(high, abs=0.02)
    assert (row.p_value < 0.05) == (row.interval.low > 0.0 or row.interval.high < 0.0)


@pytest.mark.parametrize(("wrong", "said"), [(1, "1 case is"), (3, "3 cases is")])
def test_infinite_losses_do_not_compare_and_their_cases_are_counted(wrong, said) -> None:
    y, p = np.arange(20) % 2, np.full(20, 0.5)
    sure = np.where(np.arange(20) < wrong, 1.0 - y, p)
    models = {k: Binary(y, probability=v) for k, v in (("a", sure), ("b", p))}
    row = compare(models, ["log_score"], rng=1, draws=99)["log_score"]
    assert f"the loss of {said} infinite" in str(row.undefined)


@pytest.mark.parametrize(("n", "events", "freedom"), [
    (100, None, 99), (100, 30, 29), (100, 70, 29), (100, 50, 49), (9, 9, 1), (2, 1, 1),
])  # fmt: skip
def test_a_difference_is_as_free_as_its_scarcer_class(n, events, freedom) -> None:
    assert _freedom(SimpleNamespace(n=n, events=events)) == freedom


def test_tables_of_a_model_are_drawn_once_for_all_measures_of_a_subgroup(monkeypatch):
    drawn = []
    real = confusion_tables._drawn_tables

    def counted(cells, *others):
        drawn.append(cells.table.tobytes())
        return real(cells, *others)

    monkeypatch.setattr(confusion_tables, "_drawn_tables", counted)
    halves = np.arange(120) % 2
    found = compare(classes(120), ["f1_macro", "mcc", "ppv_macro", "kappa"], by=halves, rng=1)
    assert len(drawn) == len(set(drawn)) == 6  # two models, of all cases and of each half
    alone = compare(classes(120), ["kappa"], by=halves, rng=1)
    of_all = [row for row in found.differences if row.measure == "kappa"]
    assert [row.interval for row in alone.differences] == [row.interval for row in of_all]


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("measure", ["brier", "accuracy", "auc", "balanced_accuracy"])
def test_several_models_that_are_one_have_nothing_between_them(measure: str, n: int) -> None:
    """By the test of all models at once, whichever law the measure has and however few cases."""
    rng = np.random.default_rng(n)
    made = Binary(np.arange(n) % 2, probability=rng.random(n))
    found = compare(dict.fromkeys("abc", made), measures=[measure], draws=99, rng=1)
    for one in found.omnibus:
        assert (one.statistic, one.p_value) == pytest.approx((0.0, 1.0), abs=1e-12)
    assert {row.difference for row in found.differences} == {0.0}


def test_few_times_with_cases_of_a_class_give_no_verdict_on_a_margin() -> None:
    rng = np.random.default_rng(3)
    for positives, given in ((19, False), (20, True)):
        y = np.zeros(160, dtype=int)
        y[rng.choice(160, positives, replace=False)] = 1
        models = {
            name: ac.Binary(
                y, probability=1 / (1 + np.exp(-(y + rng.normal(size=160)))), order=np.arange(160)
            )
            for name in ("old", "new")
        }
        found = ac.compare(models, ["brier"], margin=0.1, draws=99, rng=1)
        row, reason = found.differences[0], "needs 20 times with cases of each class, and there are"
        assert row.interval is not None
        assert (row.margin is not None) == given
        assert (f"{reason} 19" in " ".join(str(found).split())) != given
