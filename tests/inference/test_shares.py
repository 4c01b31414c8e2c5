"""Shares: contracts of their intervals and comparisons, and shares that users declare."""

import tracemalloc
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import abovechance as ac
from abovechance.inference import assessment, confusion_tables, shares
from abovechance.inference.method import Kind, Takes
from abovechance.inference.method import every as every_method
from abovechance.measures import Family, Form, Law, Measure, every, find
from abovechance.measures.sample import COUNTING
from abovechance.numerics import counts
from abovechance.predictions.base import View
from abovechance.settings import Settings

# ----------------------------------------------------------------------------------------------
# What every interval of a confusion measure must keep, whatever the cases are like.
#
# `SETTINGS` builds cases of every kind (classes, clusters, weights, counts, sampling, perfect
# results); `broken` names the promises that an interval breaks. Both are free of any one measure,
# so that other methods can be held to the same.
# ----------------------------------------------------------------------------------------------


LAWS = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.UNKNOWN)
CLUSTERS = ("none", "equal", "unequal", "constant", "crossing")
INTERNAL = ("kind=", "formula", "replicates", "nan", "None", "dtype")


@dataclass(frozen=True)
class Setting:
    """Cases, and how they were sampled."""

    name: str
    outcome: Any
    label: Any
    extra: dict[str, Any]
    options: dict[str, Any]

    def predictions(self, times: int = 1) -> Any:
        """The predictions, every case `times` over, in its own cluster."""
        outcome, label = np.tile(self.outcome, times), np.tile(self.label, times)
        extra = {k: np.tile(v, times) for k, v in self.extra.items()}
        if outcome.max() == 1:
            return ac.Binary(outcome, label=label, **extra)
        return ac.Multiclass(outcome, label=label, labels=list(range(outcome.max() + 1)), **extra)

    def assessed(self, measures: list[Any], times: int = 1) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = ac.assess(self.predictions(times), measures, rng=1, draws=99, **self.options)
        return {e.measure: e for e in found.estimates if e.class_ is None}


def settings(classes: int, perfect: bool) -> Iterator[Setting]:
    """Cases of so many classes in clusters of every kind, weighted, counted, sampled apart."""
    rng = np.random.default_rng(classes)
    n = 60 if classes < 10 else 120
    outcome = np.sort(np.arange(n) % classes)
    wrong = (outcome + 1 + rng.integers(classes - 1, size=n)) % classes
    label = outcome if perfect else np.where(rng.random(n) < 0.75, outcome, wrong)
    groups = {
        "none": None,
        "equal": np.arange(n) // 4,
        "unequal": np.searchsorted(np.cumsum([1, 2, 3, 5, 8, 12, 4, 6, 9]), np.arange(n) % 50),
        "constant": outcome * 3 + np.arange(n) % 3,
        "crossing": np.arange(n) % 7,
    }
    weight = 0.5 + rng.random(n) * 2.0
    for name in CLUSTERS if classes < 10 else ("none", "unequal", "crossing"):
        extra = {} if groups[name] is None else {"groups": groups[name]}
        yield Setting(f"{classes} classes, clusters {name}", outcome, label, extra, {})
        if classes == 10 and name != "crossing":
            continue
        weighted = {**extra, "sample_weight": weight}
        yield Setting(f"{classes} classes, clusters {name}, weights", outcome, label, weighted, {})
    counted = {"counts": 1 + np.arange(n) % 3}
    yield Setting(f"{classes} classes, counts", outcome, label, counted, {})
    if classes == 2:
        stated = {"sampling": "case-control", "prevalence": 0.05}
        yield Setting("case-control", outcome, label, {}, stated)
        crossed = {"groups": groups["crossing"]}
        yield Setting("case-control, clusters crossing", outcome, label, crossed, stated)


SETTINGS = [
    pytest.param(s, perfect, id=s.name + ", no error" * perfect)
    for classes in (2, 3, 10)
    for perfect in (False, True)
    for s in settings(classes, perfect)
]


def confusion_measures(classes: int) -> list[Measure]:
    """Every listed measure of a confusion table with a law of shares or of tables."""
    kind = "binary" if classes == 2 else "multiclass"
    found = [m.for_outcome(kind) for m in every().values() if kind in m.outcomes]
    return [m for m in found if m.form in COUNTING and m.law in LAWS]


def in_words(interval: Any) -> bool:
    """Whether reports have words for a method."""
    from abovechance.inference.method import Use

    return Use.of_interval(interval).method is not None


def broken(measure: Measure, row: Any) -> list[str]:
    """The promises that the interval of a row breaks; none of a row whose value is undefined."""
    if np.isnan(row.value):
        return [] if row.undefined else ["undefined without a reason"]
    interval = row.interval
    if interval is None:
        reason = row.remark or ""
        plain = reason and not any(word in reason for word in INTERNAL)
        return [] if plain else [f"no interval and no plain reason: {reason!r}"]
    bottom, top = measure.range
    checks = {
        "low is above high": interval.low <= interval.high,
        "does not contain the value": interval.low <= row.value <= interval.high,
        "leaves the range": bottom <= interval.low and interval.high <= top,
        "has no width": interval.high > interval.low,
        f"has a method without words: {interval.method}": in_words(interval),
    }
    return [words for words, kept in checks.items() if not kept]


def slack_of(method: str) -> float:
    """How much wider doubling may make an interval.

    Draws differ. Over clusters classes that go against each other narrow an interval less when
    one of them is known better; and a class whose clusters hold one case each has clusters only
    once its cases are doubled.
    """
    return 0.02 * ("posterior" in method) + 0.05 * ("clusters" in method) + 1e-9


def width(row: Any) -> float:
    return row.interval.high - row.interval.low


@pytest.mark.part(2)
@pytest.mark.parametrize(("setting", "perfect"), SETTINGS)
def test_intervals_keep_their_promises(setting: Setting, perfect: bool) -> None:
    measures = confusion_measures(int(setting.outcome.max()) + 1)
    assert len(measures) > 10
    once, twice = setting.assessed(measures), setting.assessed(measures, times=2)
    found = {}
    for m in measures:
        row, doubled = once[m.label], twice[m.label]
        faults = broken(m, row)
        if row.interval is not None and doubled.interval is not None:
            slack = slack_of(row.interval.method)
            if width(doubled) > width(row) * (1 + slack) + 1e-9:
                faults.append(f"doubling widens {width(row):.4f} to {width(doubled):.4f}")
        if faults:
            found[m.label] = faults
    assert not found


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_clusters_of_one_case_and_equal_weights_change_nothing(classes: int) -> None:
    plain = next(settings(classes, False))
    n = len(plain.outcome)
    measures = confusion_measures(classes)
    expected = plain.assessed(measures)
    for extra in ({"groups": np.arange(n)}, {"sample_weight": np.full(n, 0.3)}):
        found = replace(plain, extra=extra).assessed(measures)
        for label, row in expected.items():
            assert _ends(found[label]) == pytest.approx(_ends(row), abs=1e-9), (label, *extra)


@pytest.mark.parametrize("classes", [2, 3])
def test_counts_are_repeated_rows(classes: int) -> None:
    plain = next(settings(classes, False))
    counts = 1 + np.arange(len(plain.outcome)) % 4
    measures = confusion_measures(classes)
    counted = replace(plain, extra={"counts": counts}).assessed(measures)
    rows = replace(
        plain, outcome=np.repeat(plain.outcome, counts), label=np.repeat(plain.label, counts)
    ).assessed(measures)
    for label, row in rows.items():
        assert _ends(counted[label]) == pytest.approx(_ends(row), abs=1e-12), label


def _ends(row: Any) -> tuple[float, float]:
    return (row.interval.low, row.interval.high) if row.interval is not None else (-9.0, -9.0)


def scaled(original: str, law: Law, form: Form = Form.COUNTS) -> Measure:
    """A user's own measure: 10 minus 100 times a known one, under another name."""
    known = find(original)

    def turned(table: Any) -> Any:
        return 10.0 - 100.0 * np.asarray(known.on_counts(table))

    turned.__name__ = f"my_{original}"
    low, high = known.range
    return ac.measure(
        title=f"Turned {original}",
        form=form,
        family=ac.measures.Family.CATEGORICAL,
        reads=known.reads,
        range=(10.0 - 100.0 * high, 10.0 - 100.0 * low),
        best=10.0 - 100.0 * high,
        law=law,
        source="a test",
    )(turned)


NAMES = {
    "accuracy": Law.SHARE,
    "sensitivity": Law.CONDITIONAL,
    "ppv": Law.CONDITIONAL,
    "balanced_accuracy": Law.BALANCED,
    "youden_j": Law.BALANCED,
    "informedness": Law.BALANCED,
    "kappa": Law.UNKNOWN,
    "f1": Law.UNKNOWN,
}


@pytest.mark.parametrize("name", NAMES)
def test_scaling_a_measure_scales_its_interval(name: str) -> None:
    for setting in settings(2, False):
        rows = setting.assessed([find(name), scaled(name, NAMES[name])])
        own, turned = rows[name], rows[f"my_{name}"]
        if setting.options and NAMES[name] in (Law.CONDITIONAL, Law.BALANCED):
            continue  # whether a measure depends on prevalence is declared, not seen
        low, high = own.interval.low, own.interval.high
        assert turned.value == pytest.approx(10 - 100 * own.value)
        expected = (10 - 100 * high, 10 - 100 * low)
        assert _ends(turned) == pytest.approx(expected, abs=1e-6), setting.name


def test_a_law_that_the_formula_does_not_bear_out_is_not_used() -> None:
    plain = next(settings(2, False))
    table = plain.predictions().confusion
    for law in (Law.SHARE, Law.CONDITIONAL, Law.BALANCED):
        own = plain.assessed([scaled("mcc", law)])["my_mcc"]
        assert own.interval.method.startswith("Dirichlet")
        assert 10 - 100 * find("mcc").from_confusion(table) in own.interval


@pytest.mark.parametrize("classes", [3, 5, 10])
def test_informedness_of_several_classes_contains_its_value(classes: int) -> None:
    rng = np.random.default_rng(classes)
    shares = rng.dirichlet(np.full(classes, 2.0))
    outcome = np.concatenate([np.arange(classes), rng.choice(classes, 200, p=shares)])
    guess = rng.integers(classes, size=len(outcome))
    label = np.where(rng.random(len(outcome)) < 0.7, outcome, guess)
    row = ac.assess(ac.Multiclass(outcome, label=label), ["informedness"], rng=1)["informedness"]
    assert row.value in row.interval
    assert 0.05 < width(row) < 0.35


def test_clusters_without_the_class_tell_nothing_of_it() -> None:
    outcome = np.r_[np.ones(12, int), np.zeros(40, int)]
    label = outcome.copy()
    label[[0, 1, 2, 5]] = 0
    groups = np.r_[np.repeat([0, 1, 2], 4), np.arange(3, 43)]
    whole = ac.assess(ac.Binary(outcome, label=label, groups=groups), ["sensitivity"], rng=1)
    alone = ac.Binary(outcome[:12], label=label[:12], labels=[0, 1], groups=groups[:12])
    part = ac.assess(alone, ["sensitivity"], rng=1)
    assert whole["sensitivity"].interval == part["sensitivity"].interval
    assert any("3 clusters with cases of 1 are few" in a.text for a in whole.advice)


@pytest.mark.parametrize("classes", [2, 3])
def test_one_cluster_shows_no_spread(classes: int) -> None:
    plain = next(settings(classes, False))
    alone = replace(plain, extra={"groups": np.zeros(len(plain.outcome))})
    for m in confusion_measures(classes):
        row = alone.assessed([m])[m.label]
        assert row.interval is None, m.label
        assert m.extreme or "cluster" in row.remark, m.label


def test_classes_sampled_apart_need_no_list_of_measures() -> None:
    rng = np.random.default_rng(3)
    outcome = np.repeat([0, 1], 30)
    predictions = ac.Binary(outcome, probability=np.clip(rng.normal(outcome, 1) / 4 + 0.4, 0, 1))
    found = ac.assess(predictions, rng=1, draws=99, sampling="case-control", prevalence=0.1)
    refused = found["hosmer_lemeshow"]
    assert np.isnan(refused.value)
    assert "no weighted form" in (refused.undefined or "")
    assert found["ppv"].interval.method == "MOVER with Wilson"


@pytest.mark.parametrize("classes", [3, 4, 10])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_cases_of_several_classes_are_no_accident(classes: int, n: int) -> None:
    outcome, label = np.arange(n), (np.arange(n) + (n > 2)) % classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predictions = ac.Multiclass(outcome, label=label, labels=list(range(classes)))
        found = ac.assess(predictions, rng=1, draws=99)
    for row in found.estimates:
        if row.interval is not None:
            assert row.interval.low <= row.value <= row.interval.high, row.measure


def test_predictive_values_are_as_by_hand() -> None:
    """Square-and-add of what Wilson's limits of sensitivity and specificity do to the value."""
    outcome, label = np.repeat([1, 0], [50, 80]), np.r_[np.ones(40), np.zeros(10), np.ones(4)]
    label = np.r_[label, np.zeros(76)].astype(int)
    found = ac.assess(
        ac.Binary(outcome, label=label), ["ppv"], rng=1, sampling="case-control", prevalence=0.1
    )["ppv"]
    sens, spec = ac.intervals.wilson(40, 50), ac.intervals.wilson(76, 80)

    def ppv(s: float, c: float) -> float:
        return 0.1 * s / (0.1 * s + 0.9 * (1 - c))

    centre = ppv(0.8, 0.95)
    low = centre - np.hypot(centre - ppv(sens.low, 0.95), centre - ppv(0.8, spec.low))
    high = centre + np.hypot(ppv(sens.high, 0.95) - centre, ppv(0.8, spec.high) - centre)
    assert _ends(found) == pytest.approx((low, high), abs=1e-12)


# ---------------------------------------------------------------- one number, one interval


def versions(kind: str) -> dict[str, Measure]:
    """Every measure of a confusion table, averaged ones too."""
    found = {}
    for m in every().values():
        averaged = [m.averaged(a) for a in ("macro", "micro", "weighted")] if m.averages else []
        for version in (m, *averaged):
            fitted = version.for_outcome(kind)
            if kind in fitted.outcomes and fitted.form in COUNTING:
                found[fitted.label] = fitted
    return found


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_of_one_size_make_no_share_of_kappa(classes: int) -> None:
    """Whose formula is linear in the cases of each class only there."""
    y = np.arange(90) % classes
    label = np.where(np.arange(90) % 7 < 5, y, 0)
    make = ac.Binary if classes == 2 else ac.Multiclass
    row = ac.assess(make(y, label=label), ["kappa"], rng=1, draws=19)["kappa"]
    assert "posterior" in row.interval.method
    over = ac.assess(make(y, label=label, fold=np.arange(90) // classes % 5), ["kappa"])
    assert over["kappa"].interval is None


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("folds", [False, True], ids=["independent", "folds"])
def test_measures_that_are_the_same_number_have_the_same_interval(
    classes: int, folds: bool
) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=91)
    label = np.where(rng.random(91) < 0.7, y, rng.integers(classes, size=91))
    extra = {"fold": rng.permutation(91) % 5} if folds else {}
    make = ac.Binary if classes == 2 else ac.Multiclass
    measures = versions("binary" if classes == 2 else "multiclass")
    found = ac.assess(make(y, label=label, **extra), list(measures.values()), rng=1, draws=19)
    tables = rng.uniform(0.5, 1.5, size=(5, classes, classes))
    alike: dict[Any, list[Any]] = {}
    for name, m in measures.items():
        alike.setdefault(tuple(np.round(m.on_counts(tables), 9)), []).append(found[name])
    assert sum(len(rows) > 1 for rows in alike.values()) >= 5
    for first, *others in alike.values():
        for row in others:
            assert (first.interval is None) == (row.interval is None), (first.measure, row.measure)
            if first.interval is not None:
                limits = [(r.interval.low, r.interval.high) for r in (first, row)]
                assert limits[1] == pytest.approx(limits[0], abs=1e-9), (first.measure, row.measure)


# ----------------------------------------------------------------------------------------------
# A share that a user declares: its test counts what it counts, not right predictions.
# ----------------------------------------------------------------------------------------------


OWN: dict[str, Any] = {
    "form": Form.COUNTS,
    "family": Family.CATEGORICAL,
    "reads": View.LABEL,
    "range": (0.0, 1.0),
    "law": Law.SHARE,
    "source": "here",
}


def far(classes: int) -> Any:
    row, column = np.indices((classes, classes))
    return np.abs(row - column) > 1


@ac.measure(title="Within one grade", best=1.0, outcomes=frozenset({"multiclass"}), **OWN)
def within_one(table: Any) -> Any:
    return (table * ~far(table.shape[-1])).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


@ac.measure(title="Far off", best=0.0, outcomes=frozenset({"multiclass"}), **OWN)
def far_off(table: Any) -> Any:
    return (table * far(table.shape[-1])).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


@ac.measure(title="Part of the way", best=1.0, outcomes=frozenset({"multiclass"}), **OWN)
def part_of_the_way(table: Any) -> Any:
    row, column = np.indices(table.shape[-2:])
    worth = 1.0 - np.abs(row - column) / (table.shape[-1] - 1)
    return (table * worth).sum(axis=(-2, -1)) / table.sum(axis=(-2, -1))


def models(**facts: Any) -> dict[str, ac.Multiclass]:
    """The first is rarely right and never far off, the second the other way round."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 120)
    near = np.where(rng.random(120) < 0.5, y, np.clip(y + rng.choice([-1, 1], 120), 0, 2))
    wild = np.where(rng.random(120) < 0.75, y, 2 - y)
    given = {"near": near, "wild": wild}
    return {k: ac.Multiclass(y, label=v, labels=[0, 1, 2], **facts) for k, v in given.items()}


@pytest.mark.parametrize("asked", [within_one, far_off])
def test_discordant_cases_are_those_that_the_share_counts(asked: Measure) -> None:
    two = models()
    kept = (two["near"].actual, two["near"].label, two["wild"].label)
    y, near, wild = (np.asarray(codes, dtype=np.int64) for codes in kept)
    one, other = np.abs(near - y) <= 1, np.abs(wild - y) <= 1
    expected = ac.significance.mcnemar(int((one & ~other).sum()), int((other & ~one).sum()))
    found = ac.compare(two, [asked, "accuracy"], rng=1, draws=99)[asked.name]
    assert found.p_value == expected.p_value
    assert found.better == "near"
    assert found.interval is not None
    assert not found.interval.low <= 0.0 <= found.interval.high


def test_clusters_and_three_models_count_the_same() -> None:
    two = models(groups=np.arange(120) // 4)
    found = ac.compare(two, [within_one, far_off], rng=1, draws=99)
    assert found["within_one"].difference == pytest.approx(-found["far_off"].difference)
    assert found["within_one"].p_value == found["far_off"].p_value
    three = {**models(), "again": models()["near"].take(slice(None))}
    right, own = ac.compare(three, ["accuracy", within_one], rng=1, draws=99).omnibus
    assert right.statistic != own.statistic


def test_scores_between_right_and_wrong_are_not_taken_for_wrong() -> None:
    found = ac.compare(models(), [part_of_the_way], rng=1, draws=99)["part_of_the_way"]
    assert found.test is not None
    assert "McNemar" not in found.test


def test_hundred_classes_are_compared_without_a_table_of_all_pairs_of_cells() -> None:
    y = np.arange(300) % 100
    two = {k: ac.Multiclass(y, label=np.roll(y, s)) for k, s in (("a", 100), ("b", 1))}
    ac.compare(two, ["accuracy"], draws=19)  # what is imported and compiled once is not counted
    tracemalloc.start()
    found = ac.compare(two, ["accuracy"], draws=19)["accuracy"]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.difference == 1.0
    assert most < 100**4 * 8 / 2  # bytes of half the table, the smallest sum that would be wasted


OF_MANY = ["kappa", "mcc", "f1_macro", "markedness"]


def test_tables_of_many_classes_are_drawn_in_blocks_once_for_all_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    k, draws, block = 6, confusion_tables.LEAST_DRAWS, 3_600
    y = rng.integers(k, size=90)
    label = np.where(rng.random(90) < 0.6, y, rng.integers(k, size=90))

    def limits() -> list[tuple[float, float]]:
        found = ac.assess(ac.Multiclass(y, label=label, labels=list(range(k))), OF_MANY, rng=1)
        return [(found[name].interval.low, found[name].interval.high) for name in OF_MANY]

    monkeypatch.setattr(confusion_tables, "NUMBERS", draws * k**2)
    whole = limits()
    held: list[int] = []
    plain = confusion_tables._drawn_tables

    def counted(*args: Any) -> Any:
        tables = plain(*args)
        if tables.shape[-1] == k:  # not those of one class against the rest
            held.append(tables.size)
        return tables

    monkeypatch.setattr(confusion_tables, "_drawn_tables", counted)
    monkeypatch.setattr(confusion_tables, "NUMBERS", draws * k**2 - 1)
    monkeypatch.setattr(counts, "HELD", block)
    assert limits() == whole
    assert max(held) <= block
    assert sum(held) == draws * k**2  # and not once for each measure


def test_facts_of_a_formula_are_found_whatever_is_held_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    totals = np.arange(3.0, 10.0)
    accuracy, recall = (
        find(n).for_outcome("multiclass") for n in ("accuracy", "sensitivity_macro")
    )
    whole = (
        confusion_tables.as_share.__wrapped__(accuracy, 7),
        confusion_tables.as_rows(recall, totals),
    )
    monkeypatch.setattr(counts, "HELD", 2 * 49)  # two tables of seven classes
    share = confusion_tables.as_share.__wrapped__(accuracy, 7)
    rows = confusion_tables.as_rows(recall, totals)
    np.testing.assert_array_equal(share.score, whole[0].score)
    np.testing.assert_array_equal(rows.change, whole[1].change)


def some_table(k: int, n: int) -> np.ndarray:
    rng = np.random.default_rng(k)
    y = rng.integers(k, size=n)
    label = np.where(rng.random(n) < 0.6, y, rng.integers(k, size=n))
    return counts.confusion(y, label, k)


@pytest.mark.parametrize(("k", "n"), [(20, 150), (50, 400)])
def test_empty_cells_drawn_together_have_the_law_of_those_drawn_one_by_one(
    k: int, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = confusion_tables.Cells(some_table(k, n))
    empty, draws = cells.table == 0.0, 3_000

    def drawn(few: int, seed: int) -> dict[str, np.ndarray]:
        monkeypatch.setattr(confusion_tables, "FEW_EMPTY", few)
        blocks = confusion_tables._tables_by_blocks(cells, 1.0, Settings(seed=seed), draws)
        tables = np.concatenate(list(blocks))
        np.testing.assert_allclose(tables.sum(axis=(1, 2)), 1.0)
        beside = np.sort(tables[:, empty], axis=1)
        values = {name: find(name).on_counts(tables) for name in OF_MANY}
        held = {"held": beside.sum(axis=1), "first": beside[:, -1], "third": beside[:, -3]}
        column = (tables * empty)[:, :, 0].sum(axis=1)
        found = {**values, **held, "in the first column": column}
        return {name: np.where(np.abs(v) < 1e-7, 0.0, v) for name, v in found.items()}

    together, apart = drawn(0, 1), drawn(k * k, 2)
    for name, values in together.items():
        assert stats.ks_2samp(values, apart[name]).pvalue > 1e-3, name
    share = empty.sum() / k**2
    assert together["held"].mean() == pytest.approx(share / (n + 1), rel=0.06)


@pytest.mark.parametrize("totals", [np.full(7, 5.0), np.arange(3.0, 10.0)])
def test_what_derivatives_tell_of_many_classes_is_what_each_of_them_would(
    totals: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    k = len(totals)
    known = [m.for_outcome("multiclass") for m in every().values() if m.form in COUNTING]
    known = [m for m in known if m.form is Form.COUNTS or m.average is not None]
    known = [m for m in known if confusion_tables.of_table(m) and not m.extreme]
    assert len(known) > 15

    def facts(m: Measure) -> tuple[Any, ...]:
        share = confusion_tables.as_share.__wrapped__(m, k)
        return confusion_tables.as_rows(m, totals), share, confusion_tables.law_of(m, k)

    def forget() -> None:
        for kept in (confusion_tables.as_share, confusion_tables.linear_in_rows):
            kept.cache_clear()

    forget()
    each = [facts(m) for m in known]
    monkeypatch.setattr(confusion_tables, "EACH_TRIED", 4)
    forget()
    for m, (rows, share, law) in zip(known, each, strict=True):
        few_rows, few_share, few_law = facts(m)
        assert few_law is law, m.name
        assert (few_share is None) == (share is None), m.name
        if law is Law.BALANCED:
            np.testing.assert_allclose(few_rows.change, rows.change, rtol=1e-5, atol=1e-8)
        if share is not None:
            np.testing.assert_array_equal(few_share.score, share.score)
    forget()


def test_limits_of_many_classes_are_those_of_every_class_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(6)
    y = rng.choice(8, size=300, p=np.arange(1, 9) / 36)
    label = np.where(rng.random(300) < 0.6, y, rng.integers(8, size=300))
    names = ["balanced_accuracy", "informedness", "specificity_macro", "false_negative_rate_macro"]
    groups = np.arange(300) // 3
    cases = [ac.Multiclass(y, label=label), ac.Multiclass(y, label=label, groups=groups)]

    def limits() -> list[float]:
        found = [ac.assess(c.replace(), [*names, "mcc"], rng=1) for c in cases]
        rows = [f[name] for f in found for name in names] + [found[1]["mcc"]]
        return [end for row in rows for end in (row.interval.low, row.interval.high)]

    each = limits()
    monkeypatch.setattr(confusion_tables, "EACH_TRIED", 5)
    np.testing.assert_allclose(limits(), each, rtol=1e-5)


def test_of_very_many_classes_only_what_takes_no_pairs_of_them_has_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    y = np.arange(60) % 6
    p = rng.dirichlet(np.ones(6), 60)
    p[np.arange(60), y] += 1.0
    monkeypatch.setattr(assessment, "MOST_RESAMPLED", 5)
    found = ac.assess(ac.Multiclass(y, probability=p / p.sum(axis=1, keepdims=True)), rng=1)
    for name in ("accuracy", "f1_macro", "log_loss"):
        assert found[name].interval is not None
    assert found["accuracy"].p_value is not None
    assert found["log_loss"].p_value is None
    assert "no test: with more than 500 classes" in found["log_loss"].remark
    assert found["auc"].interval is None
    assert found["auc"].p_value is None
    assert np.isfinite(found["auc"].value)
    assert "more than 500 classes" in found["auc"].remark


# ----------------------------------------------------------------------------------------------
# Tables of clusters: what they are worth, and how they are drawn.
# ----------------------------------------------------------------------------------------------


def clustered(table: list[list[int]], units: list[list[int]]) -> confusion_tables.Cells:
    """Cases of cells (the table's, row by row) in the clusters that are listed for each cell."""
    counts_of = np.ravel(table)
    cell = np.repeat(np.arange(len(counts_of)), counts_of)
    unit = np.concatenate(units).astype(np.int64)
    return confusion_tables.Cells(np.array(table, float), cell, None, unit)


def test_two_clusters_tell_what_frequencies_are_worth_by_their_one_difference() -> None:
    # 3 + 1 cases of the classes in one cluster, 1 + 3 in the other: as 4 cases, one degree left
    cells = clustered([[4, 0], [0, 4]], [[0, 0, 0, 1], [], [], [0, 1, 1, 1]])
    normal, student = 1.959963984540054, 12.706204736174694
    assert cells.margin_worth(0.95) == pytest.approx(4 * (normal / student) ** 2, rel=1e-9)


def test_classes_that_err_together_in_clusters_vary_twice_as_much() -> None:
    accuracy, four = find("accuracy"), [0, 1, 2, 3]
    together = clustered([[2, 2], [2, 2]], [four[:2], four[2:], four[2:], four[:2]])
    steps = np.log(confusion_tables._variance_factor(accuracy, together)) / np.log(1.05)
    assert steps == pytest.approx(np.ceil(np.log(2) / np.log(1.05)), rel=1e-9)
    against = clustered([[2, 2], [2, 2]], [four[:2], four[2:], four[:2], four[2:]])
    assert confusion_tables._variance_factor(accuracy, against) == 1.0


class Expected:
    """Draws that are the mean of what they are drawn from."""

    def standard_gamma(self, shape: Any, size: tuple[int, ...]) -> Any:
        return np.broadcast_to(shape, size).copy()


def test_tables_of_clusters_are_drawn_around_frequencies_with_half_a_case_in_each_cell() -> None:
    cells = clustered([[9, 3], [1, 3]], [[0] * 5 + [1] * 4, [1, 2, 2], [0], [1, 2, 2]])
    drawn = confusion_tables._drawn_tables(cells, 1.0, Settings(), np.random.default_rng(1), 20)
    np.testing.assert_allclose(drawn.sum(axis=(1, 2)), np.ones(20), rtol=1e-12)
    (mean,) = confusion_tables._drawn_tables(cells, 1.0, Settings(), Expected(), 1)
    worth = cells.margin_worth(0.95)
    share = (0.75 * worth + 1.0) / (worth + 2.0)
    np.testing.assert_allclose(mean.sum(axis=1), [share, 1.0 - share], rtol=1e-12)


@pytest.mark.parametrize(
    ("gained", "lost", "least"), [(0, 0, 1.0), (1, 0, 1.0), (2, 1, 0.25), (0, 9, 2**-8)]
)
def test_the_least_p_is_that_of_all_discordant_cases_on_one_side(
    gained: int, lost: int, least: float
) -> None:
    found = shares.PairedShares(gained, lost, 20, 1.0)
    assert found.test("two-sided").least == least
    assert found.test("greater").least == 0.5 ** (gained + lost)


def test_quantiles_of_draws_are_draws_where_some_of_them_are_infinite() -> None:
    """Between two numbers one is interpolated; beside infinity there is nothing in between."""
    cells = confusion_tables.Cells(np.array([[30.0, 10.0], [10.0, 30.0]]))
    ratio = find("diagnostic_odds_ratio")
    values = np.arange(1.0, 43.0)
    found = confusion_tables._of_draws(ratio, cells, values, 0.95)
    assert (found.low, found.high) == pytest.approx((2.025, 40.975), rel=1e-12)
    values[-3:] = np.inf
    found = confusion_tables._of_draws(ratio, cells, values, 0.95)
    assert (found.low, found.high) == (2.0, np.inf)


def test_where_no_direction_is_known_both_rates_have_jeffreys_posterior(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    class Draws:
        def beta(self, a: float, b: float, size: int) -> Any:
            asked.append((a, b))
            return np.random.default_rng(len(asked)).beta(a, b, size)

    def gap(tables: Any) -> Any:
        right = np.diagonal(tables, axis1=-2, axis2=-1) / tables.sum(axis=-1)
        return np.abs(right[..., 0] - right[..., 1])

    cells = confusion_tables.Cells(np.array([[0.0, 4.0], [3.0, 1.0]]))
    monkeypatch.setattr(Settings, "rng", lambda *purpose, cheap: Draws())
    found = confusion_tables.at_prevalence(find("accuracy"), cells, Settings(prevalence=0.2), gap)
    assert np.ravel(asked) == pytest.approx([0.5, 4.5, 1.5, 3.5], rel=1e-12)
    assert 0.0 <= found.low < 0.25 < found.high < 1.0


def test_classes_that_go_together_over_clusters_keep_their_correlation() -> None:
    """Shares of right cases (2 of each class and cluster); against each other, nearer to 0."""
    right = np.array([[2, 2], [2, 1], [1, 1], [1, 0], [0, 0], [2, 2]])
    for own in (right, np.stack([right[:, 0], 2 - right[:, 1]], axis=1)):
        units = [np.repeat(np.arange(6), n) for n in (own[:, 0], 2 - own[:, 0],
                                                      2 - own[:, 1], own[:, 1])]  # fmt: skip
        table = [[len(units[0]), len(units[1])], [len(units[2]), len(units[3])]]
        found = clustered(table, units).correlations(np.eye(2))
        plain = float(np.corrcoef(own.T)[0, 1])
        nearer = min(np.tanh(np.arctanh(plain) + 1 / np.sqrt(6 - 3)), 0.0)
        wanted = plain if plain > 0 else nearer
        np.testing.assert_allclose(found, [[1.0, wanted], [wanted, 1.0]], rtol=1e-12)


def test_of_thirty_classes_every_change_of_a_label_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    y, label = rng.integers(3, size=40), rng.integers(3, size=40)
    kappa = find("kappa", weights="quadratic")
    models = {k: ac.Multiclass(y, label=label) for k in "ab"}
    reach = {}
    for many in (2, 3, 30):
        monkeypatch.setattr(shares, "MANY_CLASSES", many)
        reach[many] = shares.Agreeing(kappa, models["a"]).interval(0.95).high
    assert reach[3] == reach[30] > reach[2]


@pytest.mark.parametrize("table", [[[30, 5], [4, 11]], [[5, 30], [11, 4]], [[9, 1], [6, 2]]])
def test_the_largest_class_is_the_reference_of_accuracy_alone(table: list[list[int]]) -> None:
    """Whether another share of the same cases lies above the accuracy or below it."""
    cells = np.array(table, dtype=float)
    known = [m for m in every().values() if m.law in shares.SHARES and m.form in COUNTING]
    accuracy = np.trace(cells) / cells.sum()
    refused = 0
    for measure in known:
        value = float(measure.on_counts(cells))
        if abs(value - accuracy) <= 1e-9:
            _, level = shares.counted_against(measure, cells, "majority")
            assert level == cells.sum(axis=1).max() / cells.sum()
        else:
            refused += 1
            with pytest.raises(ac.errors.NotApplicable, match="accuracy alone"):
                shares.counted_against(measure, cells, "majority")
    assert refused >= 4


NAMED = [m.name for m in every_method(Kind.INTERVAL) if m.takes is Takes.SHARE]


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("wrong", [0, 1, 9, 30])
def test_limits_of_an_error_rate_are_those_of_the_accuracy_turned_around(
    name: str, wrong: int
) -> None:
    """By every method of x of n cases, whichever way the scale of the measure runs."""
    y = np.arange(30) % 2
    made = ac.Binary(y, label=np.where(np.arange(30) < wrong, 1 - y, y))
    both = ("accuracy", "error_rate")
    found = ac.assess(made, list(both), methods=dict.fromkeys(both, name), draws=99, rng=1)
    accuracy, error = (found[one].interval for one in both)
    assert accuracy.by["name"] == error.by["name"] == name
    assert 0.0 <= accuracy.low <= accuracy.high <= 1.0
    assert (1.0 - error.high, 1.0 - error.low) == pytest.approx((accuracy.low, accuracy.high))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_mean_scores_of_cases_that_are_clusters_of_one_are_those_of_cases(level: float) -> None:
    """Clusters of one change nothing, and twins are worth less than twice as many cases."""
    rng = np.random.default_rng(4)
    y, score = np.arange(40) % 2, np.round(rng.random(40), 2)

    def limits(score: Any, groups: Any) -> Any:
        made = ac.Binary(np.resize(y, len(score)), label=np.resize(y, len(score)), groups=groups)
        return confusion_tables.of_mean_score(score, made, level)

    alone = limits(score, None)
    singles = limits(score, np.arange(40)[::-1])
    twins = limits(np.tile(score, 2), np.tile(np.arange(40), 2))
    assert (singles.low, singles.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    assert twins.by["clusters"] == singles.by["clusters"] == 40
    naive = limits(np.tile(score, 2), None)
    assert twins.high - twins.low >= singles.high - singles.low > naive.high - naive.low
