"""What every interval, test and comparison keeps to, over all measures and kinds of data.

Settings here are few and small, each with every measure that applies; `./run audit` draws others at
random and measures how often answers are right. A method needs no entry: the verbs reach it.
"""

import dataclasses
import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.measures import Form, Measure, applicable, find
from statistical.audit.settings import Setting
from statistical.audit.worlds import sample

DRAWS = 99
BASE = {
    "binary": Setting(kind="binary", verb="assess", n=60, prevalence=0.4, effect=1.2),
    "3 classes": Setting(kind="multiclass", verb="assess", n=60, classes=3, effect=1.5),
    "10 classes": Setting(kind="multiclass", verb="assess", n=90, classes=10, effect=2.5),
    "numeric": Setting(kind="numeric", verb="assess", n=40, effect=1.0),
    "positive numbers": Setting(kind="numeric", verb="assess", n=40, effect=1.0, tails="skewed"),
    "survival": Setting(kind="survival", verb="assess", n=50, effect=1.0, censored=0.3),
}
CHANGES: dict[str, dict[str, Any]] = {
    "plain": {},
    "perfect": {"effect": 60.0},
    "ties": {"ties": 3},
    "equal clusters": {"clusters": "equal", "groups": 10, "icc": 0.3},
    "unequal clusters": {"clusters": "unequal", "groups": 12, "icc": 0.3},
    "constant clusters": {"clusters": "unequal", "groups": 14, "icc": 0.3, "held": "constant"},
    "perfect in clusters": {"clusters": "unequal", "groups": 12, "effect": 60.0},
    "weights": {"weights": "unrelated"},
    "perfect, weighted": {"weights": "unrelated", "effect": 60.0},
    "separate sampling": {"sampling": "case-control", "prevalence": 0.1},
    "perfect, sampled apart": {"sampling": "case-control", "prevalence": 0.1, "effect": 60.0},
    "folds": {"origin": "cv", "folds": 5},
    "repeated folds": {"origin": "cv", "folds": 5, "repeats": 3},
    "time order": {"series": 0.6},
    "perfect in time order": {"series": 0.6, "effect": 60.0},
    "labels alone": {"given": "label"},
    "scores alone": {"given": "score"},
    "two decimals": {"rounded": True, "confidence": 3.0},
    "a rare class": {"rare": True},
    "two outputs": {"outputs": 2},
    "weighted clusters": {"clusters": "unequal", "groups": 12, "icc": 0.3, "weights": "unrelated"},
    "very few": {"n": 10},
}
ONLY = {
    "repeated folds": ("binary", "numeric"),
    "time order": ("binary", "numeric"),
    "perfect in time order": ("binary", "numeric"),
    "labels alone": ("binary", "3 classes"),
    "scores alone": ("binary",),
    "two decimals": ("binary", "3 classes"),
    "a rare class": ("3 classes",),
    "two outputs": ("numeric",),
    "weighted clusters": ("binary", "3 classes", "numeric"),
    "constant clusters": ("binary",),
    "separate sampling": ("binary",),
    "perfect, sampled apart": ("binary",),
    "folds": ("binary", "numeric"),
    "very few": ("binary", "3 classes", "numeric", "survival"),
    "weights": ("binary", "3 classes", "numeric"),
    "perfect, weighted": ("binary", "3 classes", "numeric"),
    "perfect": ("binary", "3 classes", "10 classes", "numeric"),
    "perfect in clusters": ("binary", "3 classes", "numeric"),
}
CASES = [
    pytest.param(kind, change, id=f"{kind}, {change}")
    for kind in BASE
    for change in CHANGES
    if kind in ONLY.get(change, BASE)
]


def setting(kind: str, change: str, **facts: Any) -> Setting:
    return dataclasses.replace(BASE[kind], **{**CHANGES[change], **facts})


def options(s: Setting) -> dict[str, Any]:
    if s.sampling == "case-control":
        return {"sampling": s.sampling, "prevalence": s.prevalence}
    return {}


@cache
def predictions(kind: str, change: str) -> Any:
    s = setting(kind, change)
    made = sample(s, np.random.default_rng(5))["new"]
    if s.effect > 50 and kind.startswith("numeric"):  # noise is left: predict the outcome itself
        made = ac.Numeric(made.outcome[0], made.outcome[0], **_kept(made))
    return made


def _kept(made: Any) -> dict[str, Any]:
    cases = made.cases
    found = {"groups": cases.groups, "sample_weight": cases.sample_weight}
    return {name: value for name, value in found.items() if value is not None}


@cache
def assessed(kind: str, change: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ac.assess(
            predictions(kind, change), draws=DRAWS, rng=1, **options(setting(kind, change))
        )


def rows(kind: str, change: str) -> Iterator[tuple[Any, Measure]]:
    """Every row with its measure: of all cases, of classes, of outputs."""
    for row in assessed(kind, change).estimates:
        yield row, measure_of(row, kind)


def measure_of(row: Any, kind: str) -> Measure:
    outcome = "binary" if row.class_ is not None else BASE[kind].kind
    return find(row.measure).for_outcome(outcome)


def reason(row: Any) -> str:
    return str(row.undefined or getattr(row, "remark", None) or "")


INTERNAL = re.compile(r"\bkind=|\bNone\b|ndarray|dtype|\b0x|<class|Traceback|\bself\b")


@pytest.mark.part(2)
@pytest.mark.parametrize(("kind", "change"), CASES)
def test_an_interval_contains_its_estimate(kind: str, change: str) -> None:
    wrong = [
        (row.measure, row.class_, row.value, str(row.interval))
        for row, _ in rows(kind, change)
        if row.interval is not None
        and np.isfinite(row.value)
        and not row.interval.low - 1e-12 <= row.value <= row.interval.high + 1e-12
    ]
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_an_interval_lies_within_the_range_of_its_measure(kind: str, change: str) -> None:
    wrong = [
        (row.measure, row.class_, str(row.interval), m.range)
        for row, m in rows(kind, change)
        if row.interval is not None
        and not m.range[0] - 1e-12 <= row.interval.low <= row.interval.high <= m.range[1] + 1e-12
    ]
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_an_interval_has_a_width_also_where_no_error_was_seen(kind: str, change: str) -> None:
    wrong = [
        (row.measure, row.class_, str(row.interval), row.interval.method)
        for row, _ in rows(kind, change)
        if row.interval is not None and not row.interval.high > row.interval.low
    ]
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_a_value_without_interval_says_why_in_plain_words(kind: str, change: str) -> None:
    found = assessed(kind, change)
    told = " ".join(a.text for a in found.advice)
    wrong = [
        (row.measure, row.class_, reason(row))
        for row, _ in rows(kind, change)
        if row.interval is None
        and np.isfinite(row.value)
        and not reason(row)
        and row.measure not in told
        and "no interval over folds" not in told
    ]
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_what_chance_makes_larger_has_no_interval(kind: str, change: str) -> None:
    given = [(row.measure, str(row.interval)) for row, m in rows(kind, change) if m.extreme]
    assert not [one for one in given if one[1] != "None"]


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_no_message_names_anything_internal(kind: str, change: str) -> None:
    found = assessed(kind, change)
    said = [reason(row) for row in found.estimates] + [a.text for a in found.advice]
    assert not [text for text in said if INTERNAL.search(text)]


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_a_p_value_lies_above_0_and_up_to_1(kind: str, change: str) -> None:
    for row, _ in rows(kind, change):
        for p in (row.p_value, row.skill.p_value if row.skill else None):
            assert p is None or 0.0 < p <= 1.0, row.measure


# ---------------------------------------------------------------- what must not matter


def again(kind: str, change: str, made: Any, names: list[str] | None = None) -> Any:
    s = setting(kind, change)
    return ac.assess(made, names, draws=DRAWS, rng=1, **options(s))


def same(first: Any, second: Any, *, resampled: float) -> list[Any]:
    """Rows that differ: closed forms to rounding, resampled limits by a share of the width."""
    other = {(r.measure, r.class_, r.output): r for r in second.estimates}
    wrong = []
    for row in first.estimates:
        twin = other[row.measure, row.class_, row.output]
        if not np.isclose(row.value, twin.value, rtol=1e-9, atol=1e-12, equal_nan=True):
            wrong.append((row.measure, row.value, twin.value))
        if (row.interval is None) != (twin.interval is None):
            if "bootstrap samples" in reason(row) + reason(twin):
                continue  # too many undefined among these draws, and not among those
            wrong.append((row.measure, str(row.interval), str(twin.interval), reason(twin)))
        elif row.interval is not None:
            drawn = re.search("bootstrap|posterior|draws", row.interval.method)
            width = row.interval.high - row.interval.low
            slack = resampled * width if drawn and np.isfinite(width) else 1e-9
            pairs = ((row.interval.low, twin.interval.low), (row.interval.high, twin.interval.high))
            if not all(np.isclose(a, b, rtol=1e-7, atol=slack) for a, b in pairs):
                wrong.append((row.measure, str(row.interval), str(twin.interval)))
    return wrong


ORDERLESS = [c for c in CASES if c.values[1] in ("plain", "ties", "unequal clusters", "weights")]


@pytest.mark.parametrize(("kind", "change"), ORDERLESS)
def test_the_order_of_rows_changes_nothing(kind: str, change: str) -> None:
    made = predictions(kind, change)
    order = np.random.default_rng(3).permutation(made.n)
    shuffled = made.take(order)
    assert not same(assessed(kind, change), again(kind, change, shuffled), resampled=0.6)


@pytest.mark.parametrize("kind", BASE)
def test_clusters_of_one_case_are_independent_cases(kind: str) -> None:
    made = predictions(kind, "plain")
    alone = dataclasses.replace(made.cases, groups=np.arange(made.n))
    other = made.take(slice(None))
    other.__dict__["cases"] = alone
    wrong = same(assessed(kind, "plain"), again(kind, "plain", other), resampled=0.5)
    assert not [w for w in wrong if isinstance(w[1], float)]  # values are the same
    far = []
    twins = {(r.measure, r.class_): r for r in again(kind, "plain", other).estimates}
    for row, _ in rows(kind, "plain"):
        twin = twins[row.measure, row.class_]
        if row.interval is None or twin.interval is None:
            continue
        if row.class_ is not None and kind == "10 classes":
            continue  # half a dozen cases: a likelihood and leaving out may well differ
        width, wide = (i.high - i.low for i in (row.interval, twin.interval))
        if np.isfinite(width) and np.isfinite(wide) and not 0.6 * width <= wide <= 1.6 * width:
            far.append((row.measure, row.class_, str(row.interval), str(twin.interval)))
    assert not far


@pytest.mark.parametrize("kind", ["binary", "3 classes", "numeric"])
def test_counts_are_repeated_rows(kind: str) -> None:
    made = predictions(kind, "plain")
    counts = np.random.default_rng(2).integers(1, 4, made.n)
    counted = made.take(slice(None))
    counted.__dict__["cases"] = dataclasses.replace(
        made.cases, counts=counts.astype(float), id=None
    )
    repeated = made.take(np.repeat(np.arange(made.n), counts))
    repeated.__dict__["cases"] = dataclasses.replace(repeated.cases, id=None)
    assert not same(again(kind, "plain", counted), again(kind, "plain", repeated), resampled=0.0)


# copies of a time are no further times, and copies of a case in other folds no further cases
DOUBLED = [
    c for c in CASES if not any(word in c.values[1] for word in ("folds", "very few", "time order"))
]


@pytest.mark.part(2)
@pytest.mark.parametrize(("kind", "change"), DOUBLED)
def test_twice_the_cases_never_widen_an_interval(kind: str, change: str) -> None:
    made = predictions(kind, change)
    twice = made.take(np.tile(np.arange(made.n), 2))
    cases = dataclasses.replace(twice.cases, id=None)
    if cases.groups is not None:
        copy = np.repeat([0, 1], made.n)
        named = [f"{g} {c}" for g, c in zip(cases.groups, copy, strict=True)]
        cases = dataclasses.replace(cases, groups=np.array(named))
    twice.__dict__["cases"] = cases
    wider = []
    twins = {(r.measure, r.class_, r.output): r for r in again(kind, change, twice).estimates}
    for row, _ in rows(kind, change):
        twin = twins[row.measure, row.class_, row.output]
        if row.interval is None or twin.interval is None:
            continue
        width, wide = (i.high - i.low for i in (row.interval, twin.interval))
        drawn = re.search("bootstrap|posterior|draws", twin.interval.method)
        if np.isfinite(width) and wide > width * (1.1 if drawn else 1.0) + 1e-9:
            wider.append((row.measure, row.class_, str(row.interval), str(twin.interval)))
    assert not wider


# ---------------------------------------------------------------- a measure of one's own


def scaled(m: Measure, factor: float) -> Measure:
    """The same measure in another unit under another name, as a user would declare it."""
    low, high = (factor * limit for limit in m.range)
    changed: dict[str, Any] = {"name": "mine", "range": (low, high), "best": factor * m.best}
    if m.after is not None:
        after = m.after
        changed["after"] = lambda x: factor * after(x)
    elif m.form is Form.CLASS_RATIO:
        formula = m.formula
        changed["formula"] = lambda *c, **k: _times(formula(*c, **k), factor)
    else:
        formula = m.formula
        changed["formula"] = lambda *a, **k: factor * formula(*a, **k)
    return dataclasses.replace(
        m, **changed, aliases=(), shortcut=None, multiclass=None, chance=None, errors=None
    )


def _times(ratio: Any, factor: float) -> Any:
    hits, total = ratio
    return factor * hits, total


def own_measures() -> Iterator[Any]:
    for kind in ("binary", "3 classes", "numeric", "survival"):
        for m in applicable(predictions(kind, "plain")):
            if not m.parameters and not m.averages:
                yield pytest.param(kind, m, id=f"{kind}, {m.name}")


@pytest.mark.parametrize(("kind", "m"), list(own_measures()))
@pytest.mark.parametrize("change", ["plain", "unequal clusters"])
def test_a_measure_in_other_units_has_its_interval_in_those_units(
    kind: str, m: Measure, change: str
) -> None:
    made = predictions(kind, change)
    fitted = m.for_outcome(BASE[kind].kind)
    usual = ac.assess(made, [fitted], draws=DRAWS, rng=1).estimates[0]
    mine = ac.assess(made, [scaled(fitted, 100.0)], draws=DRAWS, rng=1).estimates[0]
    assert mine.value == pytest.approx(100.0 * usual.value, rel=1e-9, nan_ok=True)
    if usual.interval is None:
        return
    assert mine.interval is not None, reason(mine)
    assert mine.interval.low <= mine.value <= mine.interval.high
    width = 100.0 * (usual.interval.high - usual.interval.low)
    if np.isfinite(width):  # another method may answer for an unknown measure, of like precision
        assert mine.interval.low == pytest.approx(100.0 * usual.interval.low, abs=0.5 * width)
        assert mine.interval.high == pytest.approx(100.0 * usual.interval.high, abs=0.5 * width)


# ---------------------------------------------------------------- comparisons

CHANGES |= {"different cases": {"apart": 45}, "perfect on different cases": {"apart": 45}}
CHANGES["perfect on different cases"]["effect"] = 60.0
PAIRED = [
    c for c in CASES if not any(word in c.values[1] for word in ("folds", "sampl", "very few"))
] + [
    pytest.param(kind, change, id=f"{kind}, {change}")
    for change in ("different cases", "perfect on different cases")
    for kind in BASE
]


def _one_of_each(cases: list[Any]) -> list[Any]:
    """Of every change one kind of outcome, another one each time."""
    by_change: dict[str, list[Any]] = {}
    for case in cases:
        by_change.setdefault(case.values[1], []).append(case)
    return [kinds[i % len(kinds)] for i, kinds in enumerate(by_change.values())]


MIRRORED = _one_of_each(PAIRED)  # each is compared once more


@cache
def compared(kind: str, change: str) -> Any:
    s = setting(kind, change, verb="compare", worse=0.8, correlation=0.5)
    models = sample(s, np.random.default_rng(6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return models, _compared(models, change)


def _compared(models: dict[str, Any], change: str) -> Any:
    """By every measure that applies and does not take seconds; by the usual ones of 10 classes."""
    first, second = ({m.label: m for m in applicable(p)} for p in models.values())
    quick = models["new"].kind == "survival"
    names = [m for m in first.values() if m.label in second and (quick or not m.needs_index_draws)]
    if len(getattr(models["new"], "classes", ())) == 10:
        names = None
    return ac.compare(models, names, draws=DRAWS, rng=1, paired=_pairing(change))


def _pairing(change: str) -> bool | None:
    return False if "different cases" in change else None


@pytest.mark.part(3)
@pytest.mark.parametrize(("kind", "change"), PAIRED)
def test_a_difference_has_a_width_or_says_why_it_has_no_interval(kind: str, change: str) -> None:
    _, found = compared(kind, change)
    wrong = []
    for d in found.differences:
        if d.interval is None:
            if np.isfinite(d.difference) and not reason(d):
                wrong.append((d.measure, d.difference, "no reason"))
        elif d.interval.low == d.interval.high and "identical" not in d.interval.method:
            wrong.append((d.measure, d.difference, str(d.interval), d.interval.method))
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), PAIRED)
def test_an_interval_of_a_difference_contains_it_and_can_be_reached(kind: str, change: str) -> None:
    _, found = compared(kind, change)
    wrong = []
    for d in found.differences:
        if d.interval is None or not np.isfinite(d.difference):
            continue
        m = find(d.measure).for_outcome(BASE[kind].kind)
        reach = m.range[1] - m.range[0]
        low, high = d.interval.low, d.interval.high
        if (
            not -reach - 1e-12 <= low <= d.difference + 1e-12
            or not d.difference - 1e-12 <= high <= reach + 1e-12
        ):
            wrong.append((d.measure, d.difference, str(d.interval), d.interval.method))
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), MIRRORED)
def test_models_the_other_way_round_mirror_the_difference(kind: str, change: str) -> None:
    models, found = compared(kind, change)
    other = {"old": models["old"], "new": models["new"]}
    turned = _compared(other, change)
    wrong = []
    for d, e in zip(found.differences, turned.differences, strict=True):
        assert d.measure == e.measure
        if not np.isclose(d.difference, -e.difference, atol=1e-12, equal_nan=True):
            wrong.append((d.measure, d.difference, e.difference))
        if d.interval is None or e.interval is None:
            continue
        width = d.interval.high - d.interval.low
        slack = 0.35 * width if np.isfinite(width) else 0.0
        if not np.isclose(d.interval.low, -e.interval.high, atol=slack + 1e-9):
            wrong.append((d.measure, str(d.interval), str(e.interval)))
    assert not wrong


@pytest.mark.parametrize(("kind", "change"), PAIRED)
def test_a_comparison_says_nothing_internal(kind: str, change: str) -> None:
    _, found = compared(kind, change)
    said = [reason(d) for d in found.differences] + [a.text for a in found.advice]
    assert not [text for text in said if INTERNAL.search(text)]


@pytest.mark.parametrize("kind", ["binary", "3 classes", "numeric", "survival"])
def test_clusters_of_one_case_are_compared_as_independent_cases(kind: str) -> None:
    models, found = compared(kind, "plain")
    alone = {}
    for name, p in models.items():
        other = p.take(slice(None))
        other.__dict__["cases"] = dataclasses.replace(p.cases, groups=np.arange(p.n))
        alone[name] = other
    again = _compared(alone, "plain")
    for d, e in zip(found.differences, again.differences, strict=True):
        assert (d.measure, d.p_value, d.interval) == (e.measure, e.p_value, e.interval)
    one, other = (ac.assess(p["new"], draws=DRAWS, rng=1) for p in (models, alone))
    for a, b in zip(one.estimates, other.estimates, strict=True):
        assert (a.measure, a.p_value, a.interval) == (b.measure, b.p_value, b.interval)


def test_one_case_is_compared_without_an_interval() -> None:
    models = {k: ac.Numeric([1.0], [v], sample_weight=[2.0]) for k, v in (("a", 2.0), ("b", 2.5))}
    found = ac.compare(models, ["mse", "mae"], draws=19)
    assert [d.interval for d in found.differences] == [None, None]


SIZES = {60: 40, 600: 20}  # cases of a sample, and how many samples


@pytest.mark.parametrize("effect", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["binary", "3 classes", "positive numbers", "survival"])
def test_what_changes_with_the_number_of_cases_alone_is_not_compared_between_samples(
    kind: str, effect: float
) -> None:
    _, found = compared(kind, "different cases")
    answered = {d.measure for d in found.differences if d.p_value is not None or d.interval}
    values: dict[str, dict[int, list[float]]] = {name: {} for name in answered}
    for n, samples in SIZES.items():
        for i in range(samples):
            s = setting(kind, "plain", n=n, effect=effect)
            made = sample(s, np.random.default_rng([n, i]))["new"]
            for m in applicable(made):
                if m.label in answered:
                    values[m.label].setdefault(n, []).append(m.of(made))
    shifts = {}
    for name, known in values.items():
        few, many = (np.array(known[n])[np.isfinite(known[n])] for n in SIZES)
        if len(few) > 5 and few.std() > 0:
            shifts[name] = float(few.mean() - many.mean()) / float(few.std())
    assert len(shifts) > 5
    assert {name for name, shift in shifts.items() if abs(shift) > 0.8} == set()


@pytest.mark.parametrize("change", ["different cases", "perfect, weighted, different cases"])
@pytest.mark.parametrize("kind", ["binary", "3 classes", "numeric"])
def test_what_has_no_interval_by_itself_has_none_beside_other_cases(kind: str, change: str) -> None:
    CHANGES["perfect, weighted, different cases"] = {**CHANGES["perfect, weighted"], "apart": 45}
    models, found = compared(kind, change)
    alone = {
        (e.measure, name): e.interval
        for name, p in models.items()
        for e in ac.assess(p, draws=DRAWS, rng=1).estimates
        if e.class_ is None and e.output is None
    }
    for d in found.differences:
        parts = [alone[d.measure, name] for name in ("new", "old")]
        if None in parts and not d.measure.startswith("expected_cost"):
            assert d.interval is None, d.measure
            assert reason(d), d.measure
