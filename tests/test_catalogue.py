"""What must hold of every measure, read from its declaration.

A measure is tried in all its versions: for each kind of outcome, averaged over classes, trimmed,
in the dialect of familiar. Exceptions are facts of the declaration, not lists kept here.
"""

import doctest
import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.measures import Form, LabelScore, Law, Measure, every, find
from abovechance.measures.chance import SameNumber, best_constant
from abovechance.measures.sample import COUNTING
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

ROOT = Path(__file__).parents[1]
MAKE: dict[str, Any] = {
    "binary": Binary,
    "multiclass": Multiclass,
    "numeric": Numeric,
    "outputs": Numeric,
    "survival": Survival,
}
CLASSES = ("ash", "birch", "cedar", "durian")


def versions() -> Iterator[tuple[Measure, str]]:
    """Every measure with each kind of outcome it is for."""
    for measure in every().values():
        for outcome in sorted(measure.outcomes):
            kind = "outputs" if measure.many_outputs else outcome
            yield measure.for_outcome(outcome), kind
            if outcome == "numeric" and not measure.many_outputs:
                yield measure, "outputs"
                yield find(f"{measure.name}_trim"), kind
                yield find(f"{measure.name}_winsor"), kind
            if measure.averages:
                for average in ("micro", "weighted") if outcome == "multiclass" else ("macro",):
                    yield measure.averaged(average), kind


VERSIONS = list(versions())


def each_version(which: Callable[[Measure, str], bool] = lambda measure, kind: True) -> Any:
    """A test for every version of every measure, or those with some declared fact."""
    chosen = [(m, kind) for m, kind in VERSIONS if which(m, kind)]
    assert chosen
    names = [f"{m.label}-{kind}" for m, kind in chosen]
    return pytest.mark.parametrize(("measure", "kind"), chosen, ids=names)


def of_classes(measure: Measure, kind: str) -> bool:
    return kind in ("binary", "multiclass")


each_measure = pytest.mark.parametrize("measure", every().values(), ids=list(every()))


def columns(kind: str, seed: int, n: int = 48) -> dict[str, Any]:
    """Outcomes and predictions that have something to do with each other, some of them tied."""
    rng = np.random.default_rng(seed)
    if kind == "binary":
        y = np.arange(n) % 3 == 0
        p = np.clip(np.round(0.5 + 0.25 * y - 0.1 + rng.normal(0, 0.2, n), 2), 0.02, 0.98)
        return {"y_true": y, "probability": p, "label": p > rng.uniform(0.3, 0.7)}
    if kind == "multiclass":
        actual = np.arange(n) % len(CLASSES)
        p = rng.dirichlet(np.ones(len(CLASSES)), n)
        p[np.arange(n), actual] += 0.3
        p[n // 2 :] = p[: n - n // 2]  # ties between cases, not within one
        names = np.array(CLASSES)
        p /= p.sum(axis=1, keepdims=True)
        label = names[p.argmax(axis=1)]
        return {"y_true": names[actual], "probability": p, "label": label, "labels": CLASSES}
    if kind in ("numeric", "outputs"):
        shape = (n,) if kind == "numeric" else (n, 2)
        y = np.round(rng.gamma(3.0, 1.0, shape), 1) + 0.1
        return {"y_true": y, "value": np.round(y * rng.uniform(0.4, 1.8, shape), 1)}
    time = np.round(rng.exponential(5.0, n), 1) + 0.1
    risk = np.round(rng.normal(0, 1, n) - time / 5.0, 1)
    times = np.array([1.0, 2.0, 4.0])
    survival = np.exp(-times * np.exp(risk)[:, None] / 8.0)
    event = rng.random(n) < 0.7
    return {"time": time, "event": event, "risk": risk, "survival": survival, "times": times}


def rows_of(given: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Some rows of the columns, by position."""
    return {k: v if k in ("labels", "times") else v[rows] for k, v in given.items()}


def sample(kind: str, seed: int = 1, **extra: Any) -> Predictions:
    return MAKE[kind](**columns(kind, seed), **extra)


def perfect(kind: str) -> Predictions:
    """Predictions that say what happened."""
    given = columns(kind, 2)
    if kind == "binary":
        y = given["y_true"]
        return Binary(y, probability=y.astype(float), label=y)
    if kind == "multiclass":
        y = given["y_true"]
        certain = (y[:, None] == np.array(CLASSES)).astype(float)
        return Multiclass(y, probability=certain, labels=CLASSES)
    if kind in ("numeric", "outputs"):
        return Numeric(given["y_true"], given["y_true"])
    time = np.arange(1.0, 31.0)
    alive = (time[:, None] > given["times"]).astype(float)
    return Survival(time, np.ones(30), risk=-time, survival=alive, times=given["times"])


def uninformative(measure: Measure, kind: str) -> Predictions:
    """Predictions that ignore the case, in the way the measure's chance level means it."""
    if kind == "binary":
        y, label = np.repeat([0, 0, 0, 1, 1], 3), np.tile([0, 1, 1], 5)
        if measure.reference is best_constant:
            label = np.zeros(15, dtype=int)
        return Binary(y, probability=np.full(15, 0.4), label=label)
    if kind == "multiclass":
        y, label = np.repeat([0, 0, 1, 2], 3), np.tile([0, 1, 2], 4)
        if measure.reference is best_constant:
            label = np.zeros(12, dtype=int)
        return Multiclass(y, probability=np.tile([0.5, 0.25, 0.25], (12, 1)), label=label)
    if kind in ("numeric", "outputs"):
        y, value = np.repeat(np.arange(1.0, 10.0), 10), np.tile(np.arange(0.5, 10.0), 9)
        constant, unrelated = np.full(len(y), y.mean()), value  # mean and median at once
        if kind == "outputs":
            y, constant, unrelated = (np.column_stack([v, 10 * v]) for v in (y, constant, value))
        if isinstance(measure.reference, SameNumber):
            centre = measure.reference.centre(np.atleast_2d(y.T), None)
            constant = np.broadcast_to(centre if kind == "outputs" else centre[0], y.shape)
        always_the_same = Numeric(y, constant)
        undefined = np.isnan(measure.of(always_the_same))  # correlations
        return Numeric(y, unrelated) if undefined else always_the_same
    given = columns("survival", 3)
    given |= {"risk": np.zeros(48)}
    curve = kaplan_meier(given["time"], given["event"], given["times"])
    given["survival"] = np.tile(curve, (48, 1))
    return Survival(**given)


def kaplan_meier(time: Floats, event: Any, at: Floats) -> Floats:
    """The share event-free at some times, written out."""
    curve = np.ones(len(at))
    for moment in np.unique(time[event]):
        died = np.sum((time == moment) & event) / np.sum(time >= moment)
        curve[at >= moment] *= 1.0 - died
    return curve


def chance(measure: Measure, predictions: Predictions) -> float:
    assert measure.reference is not None
    return measure.reference(predictions, measure)


# ---------------------------------------------------------------- values


@each_version()
def test_a_measure_stays_in_its_range(measure: Measure, kind: str) -> None:
    low, high = measure.range
    found = np.array([measure.of(sample(kind, seed)) for seed in range(15)])
    assert not np.isnan(found).any()
    assert (found >= low - 1e-12).all()
    assert (found <= high + 1e-12).all()


@each_version()
def test_perfect_predictions_reach_the_best_value(measure: Measure, kind: str) -> None:
    found = measure.of(perfect(kind))
    if measure.attainable:
        assert found == pytest.approx(measure.best, abs=1e-12)
    else:
        assert np.isfinite(found)
        assert found != pytest.approx(measure.best)


@each_version(lambda measure, kind: measure.reference is not None)
def test_uninformative_predictions_score_chance(measure: Measure, kind: str) -> None:
    predictions = uninformative(measure, kind)
    assert measure.of(predictions) == pytest.approx(chance(measure, predictions), abs=1e-12)


@each_version(lambda measure, kind: measure.reference is not None)
def test_perfect_predictions_are_not_worse_than_chance(measure: Measure, kind: str) -> None:
    predictions = perfect(kind)
    found, guess = measure.of(predictions), chance(measure, predictions)
    if measure.higher_is_better is None:
        assert abs(found - measure.best) <= abs(guess - measure.best)
    else:
        assert found >= guess if measure.higher_is_better else found <= guess


# ---------------------------------------------------------------- cases and weights


@each_version()
def test_the_order_of_cases_is_ignored(measure: Measure, kind: str) -> None:
    predictions = sample(kind)
    shuffled = predictions.take(np.random.default_rng(5).permutation(predictions.n))
    assert measure.of(shuffled) == pytest.approx(measure.of(predictions), rel=1e-12)


def weightings(n: int) -> Floats:
    """Bootstrap counts, fractions, and a third of the cases left out."""
    rng = np.random.default_rng(6)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=3).astype(float)
    left_out = np.where(np.arange(n) % 3 == 1, 0.0, rng.random(n))
    return np.vstack([counts, rng.exponential(size=(2, n)), left_out])


@each_version()
def test_a_batch_equals_its_rows(measure: Measure, kind: str) -> None:
    predictions = sample(kind)
    weights = weightings(predictions.n)
    if measure.needs_index_draws:
        with pytest.raises(NotApplicable, match="draw cases by index"):
            measure.batch(predictions, weights)
        return
    one_by_one = [measure.of(sample(kind, sample_weight=row)) for row in weights]
    assert measure.batch(predictions, weights) == pytest.approx(one_by_one, rel=1e-12, nan_ok=True)


@each_version()
def test_two_halves_of_a_case_count_as_one(measure: Measure, kind: str) -> None:
    weight = np.random.default_rng(7).uniform(0.5, 2.0, 48)
    if not measure.weighted:
        with pytest.raises(NotApplicable, match="no weighted form"):
            measure.of(sample(kind, sample_weight=weight))
        return
    whole = MAKE[kind](**columns(kind, 1), sample_weight=weight)
    twice = np.tile(np.arange(48), 2)
    halves = MAKE[kind](**rows_of(columns(kind, 1), twice), sample_weight=weight[twice] / 2)
    assert measure.of(halves) == pytest.approx(measure.of(whole), rel=1e-12)


@each_version(lambda measure, kind: measure.weighted)
def test_equal_weights_change_nothing(measure: Measure, kind: str) -> None:
    weighted = measure.of(sample(kind, sample_weight=np.full(48, 0.25)))
    assert weighted == pytest.approx(measure.of(sample(kind)), rel=1e-12)


@each_version()
def test_counts_equal_repeated_rows(measure: Measure, kind: str) -> None:
    counts = np.random.default_rng(8).integers(0, 4, 48)
    repeated = MAKE[kind](**rows_of(columns(kind, 1), np.repeat(np.arange(48), counts)))
    counted = sample(kind, counts=counts)
    assert measure.of(counted) == pytest.approx(measure.of(repeated), rel=1e-12)
    if measure.reference is not None:
        assert chance(measure, counted) == pytest.approx(chance(measure, repeated), rel=1e-12)


# ---------------------------------------------------------------- classes


@each_version(of_classes)
def test_renaming_the_classes_changes_nothing(measure: Measure, kind: str) -> None:
    given = columns(kind, 1)
    if kind == "binary":
        name = np.array(["zebra", "ant"])
        changed = given | {k: name[given[k].astype(int)] for k in ("y_true", "label")}
        renamed: Predictions = Binary(**changed, pos_label="ant")
    else:
        new = dict(zip(CLASSES, ("3", "yak", "1 000", "ape"), strict=True))
        changed = given | {k: [new[v] for v in given[k]] for k in ("y_true", "label")}
        renamed = Multiclass(**changed | {"labels": list(new.values())})
    assert measure.of(renamed) == measure.of(sample(kind))


@each_version(lambda measure, kind: kind == "multiclass")
def test_the_order_of_classes_is_ignored(measure: Measure, kind: str) -> None:
    given = columns(kind, 1)
    order = [2, 0, 3, 1]
    given["probability"] = given["probability"][:, order]
    given["labels"] = [CLASSES[k] for k in order]
    other = Multiclass(**given)
    assert measure.of(other) == pytest.approx(measure.of(sample(kind)), rel=1e-12)


@each_version(lambda measure, kind: kind == "binary" and not measure.directed)
def test_which_class_is_positive_is_ignored_where_it_need_not_be_said(
    measure: Measure, kind: str
) -> None:
    given = columns(kind, 1)
    given["probability"] = 1.0 - given["probability"]
    turned = Binary(**given, pos_label=False)
    assert measure.of(turned) == pytest.approx(measure.of(sample(kind)), rel=1e-12)


@each_version(lambda measure, kind: measure.prevalence_free)
def test_a_prevalence_free_measure_ignores_how_frequent_a_class_is(
    measure: Measure, kind: str
) -> None:
    y = columns(kind, 1)["y_true"]
    code = np.unique(y, return_inverse=True)[1]
    tilted = sample(kind, sample_weight=np.array([0.3, 1.0, 2.0, 5.0])[code])
    assert measure.of(tilted) == pytest.approx(measure.of(sample(kind)), rel=1e-12)


@each_version(lambda measure, kind: measure.label_score is not None and kind == "binary")
def test_a_label_score_decides_the_value_when_class_sizes_are_fixed(
    measure: Measure, kind: str
) -> None:
    assert measure.label_score is not None
    given = columns("binary", 1)
    p = given["probability"]
    score = {
        LabelScore.LABEL: given["label"].astype(float),
        LabelScore.MIDRANK: np.array([np.sum(p < v) + np.sum(p == v) / 2 for v in p]),
        LabelScore.PROBABILITY: p,
        LabelScore.LOGIT: np.log(p / (1 - p)),
    }[measure.label_score]
    rng = np.random.default_rng(9)
    sums, values = [], []
    for _ in range(25):
        y = rng.permutation(given["y_true"])
        sums.append(score[y].sum())
        values.append(measure.of(Binary(y, probability=p, label=given["label"])))
    order = np.argsort(sums)
    if not measure.higher_is_better:
        values = [-v for v in values]
    assert (np.diff(np.array(values)[order]) >= -1e-12).all()


# ---------------------------------------------------------------- forms


@each_version(lambda measure, kind: measure.shortcut is not None)
def test_the_shortcut_equals_the_plain_path(measure: Measure, kind: str) -> None:
    for seed in range(5):
        predictions = sample(kind, seed)
        plain = replace(measure, shortcut=None).of(sample(kind, seed))
        assert measure.of(predictions) == pytest.approx(plain, rel=1e-12)


@each_version()
def test_the_losses_of_cases_average_to_the_value(measure: Measure, kind: str) -> None:
    predictions = sample(kind)
    if not measure.decomposable:
        with pytest.raises(NotApplicable, match="no per-case losses"):
            measure.losses(predictions)
        return
    losses = measure.losses(predictions)
    assert losses.shape == (predictions.n,)
    if kind != "outputs" or measure.after is None:
        mean = losses.mean() if measure.after is None else measure.after(losses.mean())
        assert mean == pytest.approx(measure.of(predictions), rel=1e-12)


@each_version(of_classes)
def test_a_confusion_table_gives_the_same_value(measure: Measure, kind: str) -> None:
    predictions: Any = sample(kind)
    if measure.form not in COUNTING:
        with pytest.raises(NotApplicable):
            measure.from_confusion([[3, 1], [2, 4]])
        return
    table = predictions.confusion
    wanted = pytest.approx(measure.of(predictions), rel=1e-12)
    assert measure.on_counts(table) == wanted
    labels = [str(c) for c in predictions.classes]
    positive = labels[1] if measure.directed else None
    assert measure.from_confusion(table, labels=labels, pos_label=positive) == wanted


# ---------------------------------------------------------------- pickling


def unpickled(measure: Measure) -> Measure:
    return pickle.loads(pickle.dumps(measure))


@each_version()
def test_a_pickled_measure_is_the_same_measure(measure: Measure, kind: str) -> None:
    again = unpickled(measure)
    assert (again.label, again.title, again.law) == (measure.label, measure.title, measure.law)
    assert again.of(sample(kind)) == measure.of(sample(kind))


@pytest.mark.parametrize(
    "measure",
    [
        find("f_beta(0.5)"),
        find("f05_score_weighted"),
        find("f_beta(0.5)", dialect="familiar"),
        find("kappa", weights="quadratic"),
        find("balanced_accuracy", weight=0.25),
        find("partial_auc", max_fpr=0.3, standardised=False),
        find("scaled_brier", reference="mean_prediction"),
        find("log_score", base=2),
        find("brier_miscalibration", method="binned", bins=5),
    ],
    ids=lambda m: f"{m.label}-{m.dialect}",
)
def test_a_pickled_measure_keeps_its_parameters(measure: Measure) -> None:
    again = unpickled(measure)
    assert (again.label, again.parameters) == (measure.label, measure.parameters)
    assert again.of(sample("binary")) == measure.of(sample("binary"))


@each_version()
def test_a_pickled_measure_keeps_its_dialect(measure: Measure, kind: str) -> None:
    familiar = find(measure.name, dialect="familiar")
    again = unpickled(familiar)
    assert (again.name, again.dialect) == (familiar.name, familiar.dialect)
    assert again.of(sample(kind)) == familiar.of(sample(kind))


# ---------------------------------------------------------------- declarations


def test_no_two_measures_share_a_name() -> None:
    names = []
    for measure in every().values():
        family = (
            [measure, *(measure.averaged(a) for a in ("macro", "micro", "weighted"))]
            if (measure.averages)
            else [measure]
        )
        names += [name for m in family for name in (m.name, *m.aliases)]
    assert sorted(names) == sorted(set(names))


@each_measure
def test_every_name_finds_its_measure(measure: Measure) -> None:
    assert {find(name).name for name in (measure.name, *measure.aliases)} == {measure.name}


@each_measure
def test_best_lies_in_the_range(measure: Measure) -> None:
    low, high = measure.range
    assert low < high
    assert low <= measure.best <= high


@each_measure
def test_a_measure_says_what_it_is(measure: Measure) -> None:
    first = measure.doc.split("\n\n")[0]
    assert first.endswith((".", "?")) or first.rstrip(".").endswith("`")
    assert first[0].isupper()
    assert "Examples\n--------" in measure.doc
    assert f">>> {measure.name}(" in measure.doc.replace(f"{measure.name}_(", f"{measure.name}(")


@each_measure
def test_a_chance_level_says_what_it_is(measure: Measure) -> None:
    assert measure.reference is None or inspect.getdoc(measure.reference)


@each_version(lambda measure, kind: measure.law is Law.MEAN)
def test_the_law_of_means_needs_losses(measure: Measure, kind: str) -> None:
    assert measure.form is Form.LOSSES


def citations(source: str) -> set[tuple[str, str]]:
    """First authors with years that a declaration names."""
    name = r"[A-Z][\w'’-]+"
    return set(
        re.findall(rf"({name})(?:(?:, | & | and | et al\.)(?:{name})?)* \((\d{{4}})\)", source)
    )


def bibliography() -> tuple[set[tuple[str, str]], set[str]]:
    """First authors with years, and the words by which undated sources are named."""
    text = (ROOT / "docs" / "references.bib").read_text("utf-8")
    dated, words = set(), set()
    for entry in re.split(r"^@", text, flags=re.MULTILINE)[1:]:
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.MULTILINE))
        dated.add((fields["author"].split(",")[0], fields["year"]))
        words.update(value for key, value in fields.items() if key == "keywords")
    return dated, words


@each_measure
def test_the_source_of_a_measure_is_in_the_bibliography(measure: Measure) -> None:
    dated, words = bibliography()
    named = citations(measure.source)
    assert named or any(word in measure.source for word in words)
    assert named <= dated


@each_measure
def test_the_examples_of_a_measure_are_true(measure: Measure) -> None:
    names: dict[str, Any] = {measure.name: measure}
    checked = 0
    for example in doctest.DocTestParser().get_examples(measure.doc):
        if not example.want:
            exec(example.source, names)
            continue
        digits = len(example.want.strip().partition(".")[2])
        assert abs(eval(example.source, names) - float(example.want)) <= 0.5 * 10.0**-digits
        checked += 1
    assert checked
