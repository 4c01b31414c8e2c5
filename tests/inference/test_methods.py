"""What every declared interval, test and comparison keeps to; new ones are met without an entry."""

import dataclasses
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import abovechance as ac
from abovechance.errors import AboveChanceError, DataError, NotApplicable, UnknownMethod
from abovechance.inference import method
from abovechance.inference.interval_choice import Shared, limits_of
from abovechance.inference.method import Fact, Kind, Method, Takes, Use, chain, facts_of, first_of
from abovechance.measures import Law, applicable, find
from abovechance.reports import report
from abovechance.reports.citations import bibliography
from abovechance.settings import Settings
from inference.test_contracts import CASES, assessed, predictions

EVERY = method.every()
NAMED = [pytest.param(m, id=f"{m.kind} {m.name}") for m in EVERY]
TESTING = (Kind.TEST, Kind.COMPARISON, Kind.OMNIBUS)
N = 40
RNG = np.random.default_rng(3)
Y = np.arange(N) % 2
P = np.clip(0.5 + 0.3 * (Y - 0.5) + RNG.normal(0, 0.2, N), 0.02, 0.98)
Q = np.clip(0.5 + 0.1 * (Y - 0.5) + RNG.normal(0, 0.2, N), 0.02, 0.98)
DEPENDENT: dict[Fact, dict[str, Any]] = {
    Fact.CLUSTERS: {"groups": np.arange(N) // 4},
    Fact.WEIGHTS: {"sample_weight": np.linspace(0.5, 2.0, N)},
    Fact.FOLDS: {"fold": np.arange(N) % 5},
    Fact.ORDER: {"order": np.arange(N)},
}


def fields(template: str) -> set[str]:
    """What a template names."""
    bare = template.replace("[", "").replace("]", "")
    return {name for _, name, _, _ in Formatter().parse(bare) if name}


@pytest.mark.parametrize("m", NAMED)
def test_a_method_states_its_facts(m: Method) -> None:
    assert m.name.isidentifier()
    assert m.listed.strip(" ,") == m.listed != ""
    assert m.worded().strip(" ,") == m.worded() != ""
    assert m.laws >= m.default
    assert m.laws
    assert (m.function is not None) or m.takes is Takes.PARTS
    assert bool(m.hypothesis) or m.kind not in TESTING
    assert not (m.allows & m.needs)


@pytest.mark.parametrize("m", NAMED)
def test_a_method_rests_on_sources_of_the_bibliography(m: Method) -> None:
    known = dict.fromkeys({name for key in m.source for name in fields(key)}, True)
    assert set(m.sources(**known)) <= set(bibliography())
    assert m.sources(**known) or m.name == "identical"


@pytest.mark.parametrize("m", NAMED)
def test_titles_and_words_are_whole_whatever_is_known(m: Method) -> None:
    named = sorted(fields(m.title) | fields(m.words))
    for known in ({}, dict.fromkeys(named, 7.0), *({name: 7.0} for name in named)):
        for text in (m.titled(**known), m.worded(**known)):
            assert not set("[]{}") & set(text)
            assert "  " not in text


def plainly(kind: Kind, law: Law) -> list[Method]:
    return [m for m in method.every(kind) if law in m.default and not m.needs]


@pytest.mark.parametrize("law", Law)
def test_every_law_has_one_first_method_for_every_kind_of_data(law: Law) -> None:
    assert len(plainly(Kind.INTERVAL, law)) == 1
    assert len(plainly(Kind.COMPARISON, law)) == 1
    assert len(plainly(Kind.TEST, law)) == (law is not Law.UTILITY)
    assert len(plainly(Kind.OMNIBUS, law)) <= 1
    assert len(plainly(Kind.GAIN, law)) <= 1
    special = {
        Kind.INTERVAL: (Fact.FOLDS, Fact.ORDER),
        Kind.COMPARISON: (Fact.FOLDS, Fact.ORDER, Fact.UNPAIRED),
    }
    for kind, facts in special.items():
        for fact in facts:
            there = [m for m in method.every(kind) if law in m.default and m.needs == {fact}]
            assert [first_of(kind, law, frozenset({fact}))] == there
    both = frozenset({Fact.FOLDS, Fact.ORDER})
    assert first_of(Kind.INTERVAL, law, both).name == "ordered"


@pytest.mark.parametrize("law", Law)
@pytest.mark.parametrize("kind", [Kind.INTERVAL, Kind.COMPARISON])
@pytest.mark.parametrize("facts", [set(), {Fact.CLUSTERS}, {Fact.WEIGHTS}])
def test_every_law_has_something_for_clusters_and_weights(
    law: Law, kind: Kind, facts: set[Fact]
) -> None:
    for beside in (set(), {Fact.UNPAIRED}) if kind is Kind.COMPARISON else (set(),):
        data = frozenset(facts | beside)
        names = [m.name for m in chain(first_of(kind, law, data)) if m.allowed(data)]
        assert names


@pytest.mark.parametrize("m", NAMED)
def test_what_stands_in_for_a_method_comes_to_an_end(m: Method) -> None:
    names = []
    for other in chain(m):
        assert other.kind is m.kind
        assert other.name not in names
        names.append(other.name)


def binary(p: Any = P, **extra: Any) -> ac.Binary:
    return ac.Binary(Y, probability=p, **extra)


@pytest.mark.parametrize("fact", DEPENDENT)
@pytest.mark.parametrize("m", NAMED)
def test_what_a_method_does_not_allow_for_is_refused_with_a_remedy(m: Method, fact: Fact) -> None:
    cases = binary(**DEPENDENT[fact])
    assert facts_of(cases) == {fact}
    if fact in m.allows | m.needs:
        if m.outcomes and cases.kind not in m.outcomes:
            with pytest.raises(NotApplicable, match=r"is for \w+ outcomes, not binary"):
                m.refuse(cases)
        elif m.needs & {*DEPENDENT, Fact.SUMMARY} - {fact}:
            with pytest.raises(NotApplicable, match=r"needs .*, and these data have none"):
                m.refuse(cases)
        else:
            m.refuse(cases)
        return
    with pytest.raises(NotApplicable) as refused:
        m.refuse(cases)
    said = str(refused.value)
    assert said.startswith(m.worded())
    remedy = m.remedy(fact)
    assert said.endswith(remedy)
    assert any(word in remedy for word in ("intervals.", "significance.", "assess", "compare"))


@pytest.mark.parametrize("m", NAMED)
def test_a_remedy_names_what_there_is_and_allows(m: Method) -> None:
    for fact in (Fact.CLUSTERS, Fact.WEIGHTS):
        words = m.remedy(fact).rstrip(".").split()
        for word in (w for w in words if w.startswith(("intervals.", "significance."))):
            home, name = word.split(".")
            assert name in import_module(f"abovechance.inference.{home}").__all__
            kind = Kind.INTERVAL if home == "intervals" else Kind.TEST
            assert fact in method.find(name, kind).allows


def test_public_names_are_declared() -> None:
    alone = {"hanley_mcneil", "effective_wilson"}  # a standard error; another way to Wilson's
    assert set(ac.intervals.__all__) - alone <= {m.name for m in method.every(Kind.INTERVAL)}
    alone = {"binomial_critical", "boundaries", "against_rate", "against_majority", "skill"}
    alone |= {"null_distribution"}  # what a test compares with
    assert set(ac.significance.__all__) - alone <= {m.name for m in method.every(Kind.TEST)}


def uses(result: Any) -> list[tuple[Kind, str, Any]]:
    """Every method that a result names, with its declared name."""
    found = []
    for row in result:
        for interval in (row.interval, getattr(getattr(row, "skill", None), "interval", None)):
            if interval is not None:
                found.append((Kind.INTERVAL, interval.method, interval.by))
        for tested in (row, getattr(row, "skill", None)):
            if tested is not None and tested.test is not None:
                found.append((Kind.TEST, tested.test, tested.test_by))
    return found


def told(kind: Kind, text: str, by: Any) -> None:
    known = {key: value for key, value in by.items() if key != "name"}
    assert method.find(by["name"], kind).titled(**known) == text


@pytest.mark.part(3)
@pytest.mark.parametrize(("kind", "change"), CASES)
def test_every_method_of_an_assessment_is_a_declared_one(kind: str, change: str) -> None:
    named = uses(assessed(kind, change))
    assert named or change == "folds"
    for use in named:
        told(*use)


STREAMED = {
    "binary": {"y": Y, "p": P},
    "labels": {"y": Y, "label": (P > 0.5).astype(int)},
    "multiclass": {"y": np.arange(N) % 3, "p_0": P / 2, "p_1": P / 2, "p_2": 1 - P},
    "numeric": {"y": Y + Q, "value": P},
}


@pytest.mark.parametrize("kind", STREAMED)
def test_a_stream_names_its_methods_as_an_assessment_does(kind: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table(STREAMED[kind]), tmp_path / "cases.parquet")
    result = ac.assess_stream(tmp_path / "cases.parquet", outcome="y", rng=1)
    named = uses(result)
    for use in named:
        told(*use)
    tested = [row for row in result if row.p_value is not None]
    assert tested
    assert sum(use[0] is Kind.TEST for use in named) >= len(tested)


COMPARED = [
    pytest.param(kind, change, paired, id=f"{kind}, {change}, {'paired' * paired or 'unpaired'}")
    for kind, change in (case.values for case in CASES)
    for paired in (True, False)
    if change in ("plain", "equal clusters", "weights") or (change == "folds" and paired)
]


@pytest.mark.parametrize(("kind", "change", "paired"), COMPARED)
def test_every_method_of_a_comparison_is_a_declared_one(
    kind: str, change: str, paired: bool
) -> None:
    one = predictions(kind, change)
    other = one.take(np.roll(np.arange(one.n), 3)) if not paired else one
    shuffled = {"a": one, "b": other} if not paired else {"a": one, "b": _worse(one)}
    found = ac.compare(shuffled, rng=1, draws=99, paired=paired)
    for use in uses(found):
        told(*use)
    for test in found.omnibus:
        told(Kind.OMNIBUS, test.test, test.test_by)


def _worse(made: Any) -> Any:
    """The same cases with some of the predictions exchanged."""
    other = made.take(slice(None))
    rows = np.arange(made.n)
    rows[:6] = rows[:6][::-1]
    for name in ("probability", "score", "value", "risk", "label"):
        values = made.__dict__.get(name)
        if values is not None:
            other.__dict__[name] = np.asarray(values)[..., rows]
    return other


# ------------------------------------------------------------------------- methods of one's own


@pytest.fixture
def own() -> dict[str, Callable[..., Any]]:
    """An interval, a test and a comparison that a user declares."""

    @ac.methods.interval(
        title="a tenth around",
        words="a tenth to either side",
        source="wald1943",
        laws=[Law.PAIRS],
        allows=[Fact.CLUSTERS],
    )
    def a_tenth(measure: Any, predictions: Any, settings: Any) -> tuple[float, float]:
        value = measure.of(predictions)
        return value - 0.1, value + 0.1

    @ac.methods.test(
        title="a coin",
        words="the toss of a coin",
        source="fisher1935",
        hypothesis="the coin is fair",
        laws=[Law.PAIRS],
    )
    def a_coin(measure: Any, predictions: Any, settings: Any) -> float:
        return 0.5

    @ac.methods.comparison(
        title="a rule[, t({df:.0f})]",
        words="a rule of thumb[ with {df:.0f} degrees of freedom]",
        source="welch1947",
        hypothesis="thumbs are equal",
        laws=[Law.PAIRS],
    )
    def a_rule(measure: Any, first: Any, second: Any, settings: Any) -> tuple[float, float, float]:
        return measure.of(first) - measure.of(second), 0.05, 9.0

    return {"interval": a_tenth, "test": a_coin, "comparison": a_rule}


def test_ones_own_interval_and_test_are_found_by_name_and_reported(own: Any) -> None:
    asked = {"auc": ["a_tenth", own["test"]]}
    found = ac.assess(binary(), ["auc", "accuracy"], methods=asked, rng=1)
    row = found["auc"]
    assert (row.interval.low, row.interval.high) == pytest.approx(
        (row.value - 0.1, row.value + 0.1)
    )
    assert (row.interval.method, row.interval.by) == ("a tenth around", {"name": "a_tenth"})
    assert (row.p_value, row.test, row.hypothesis) == (0.5, "a coin", "the coin is fair")
    assert found["accuracy"].interval.by["name"] == "wilson"
    text = report(found).html
    assert "a tenth to either side" in text
    assert "the toss of a coin" in text
    assert "Wald 1943" in text


def test_ones_own_comparison_has_test_interval_and_words(own: Any) -> None:
    found = ac.compare({"a": binary(), "b": binary(Q)}, ["auc"], methods={"auc": "a_rule"}, rng=1)
    row = found["auc"]
    assert row.test == row.interval.method == "a rule, t(9)"
    assert row.hypothesis == "thumbs are equal"
    assert row.interval.high - row.interval.low == pytest.approx(2 * 2.2622 * 0.05, rel=1e-4)
    text = report(found).html
    assert "a rule of thumb with 9 degrees of freedom" in text


def test_what_ones_own_method_does_not_allow_for_is_refused(own: Any) -> None:
    clusters, weights = (DEPENDENT[fact] for fact in (Fact.CLUSTERS, Fact.WEIGHTS))
    asked = {"auc": "a_tenth"}
    assert ac.assess(binary(**clusters), ["auc"], methods=asked, rng=1)["auc"].interval is not None
    row = ac.assess(binary(**weights), ["auc"], methods=asked, rng=1)["auc"]
    assert row.interval is None
    assert "a tenth to either side needs cases that count one each" in row.remark
    two = {"a": binary(**clusters), "b": binary(Q, **clusters)}
    compared = ac.compare(two, ["auc"], methods={"auc": "a_rule"}, rng=1)["auc"]
    assert compared.p_value is compared.interval is None
    assert "independent cases" in compared.undefined


def test_a_method_can_be_chosen_by_name() -> None:
    usual = ac.assess(binary(), ["accuracy"], rng=1)["accuracy"]
    exact = ac.assess(binary(), ["accuracy"], methods={"accuracy": "clopper_pearson"}, rng=1)
    assert usual.interval.method == "Wilson"
    assert exact["accuracy"].interval == ac.intervals.clopper_pearson(round(usual.value * N), N)
    drawn = ac.assess(binary(), ["auc"], methods={"auc": "permutation"}, rng=1, draws=99)["auc"]
    assert drawn.test_by["name"] == "permutation"
    other = ac.compare({"a": binary(), "b": binary(Q)}, ["auc"], methods={"auc": "exchange"}, rng=1)
    assert other["auc"].test_by["name"] == "exchange"


@pytest.mark.parametrize("name", [m.name for m in EVERY if m.takes is Takes.SHARE])
def test_intervals_of_shares_serve_every_share_in_its_units(name: str) -> None:
    asked = dict.fromkeys(("accuracy", "error_rate", "sensitivity"), name)
    found = ac.assess(binary(), list(asked), methods=asked, rng=1)
    right, wrong = found["accuracy"].interval, found["error_rate"].interval
    assert right.by["name"] == name
    assert (wrong.low, wrong.high) == pytest.approx((1 - right.high, 1 - right.low), abs=1e-12)


def test_an_unknown_or_unfitting_method_is_refused_with_what_there_is() -> None:
    with pytest.raises(UnknownMethod, match=r"did you mean 'clopper_pearson'.*There are: .*wilson"):
        ac.assess(binary(), ["accuracy"], methods={"accuracy": "cloper_pearson"})
    with pytest.raises(UnknownMethod, match="no interval or test of auc is called 'wilson'"):
        ac.assess(binary(), ["auc"], methods={"auc": "wilson"})
    with pytest.raises(NotApplicable, match="not among the measures"):
        ac.assess(binary(), ["auc"], methods={"brier": "bootstrap"})
    with pytest.raises(DataError, match="methods must be a dictionary"):
        ac.assess(binary(), ["auc"], methods="wilson")


def test_a_name_is_taken_once() -> None:
    with pytest.raises(NotApplicable, match="'wilson' is the name of another interval"):
        method.declared(
            Kind.INTERVAL, name="wilson", title="x", words="x", source="x", origin="elsewhere"
        )


# ---------------------------------------------------------------------------- words and documents


def test_a_result_saved_before_methods_had_names_is_still_reported() -> None:
    found = ac.assess(binary(), ["auc", "accuracy", "brier"], rng=1, draws=99)
    facts = json.loads(found.to_json())
    for row in facts["estimates"]:
        del row["test_by"], row["interval"]["by"]
        if row["skill"]:
            del row["skill"]["test_by"]
    text = report(facts).html
    assert "Wilson&#39;s score method" in text  # by its title
    assert "studentised bootstrap, 99 draws" in text  # as it stands


def test_uses_that_differ_in_freedom_are_one() -> None:
    three = [Use.of(Kind.TEST, "DeLong", {"name": "delong", "df": df}) for df in (9.0, 10.6)]
    assert {use.title for use in method.freedom_as_range(three)} == {"DeLong, t(9 to 11)"}
    assert method.freedom_as_range(three[:1])[0].words.endswith("(9.0 degrees of freedom)")


def test_the_law_table_of_the_architecture_is_the_one_declared() -> None:
    text = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text("utf-8")
    assert method.law_table() in text


def test_a_measure_of_ones_own_has_the_methods_of_its_law() -> None:
    auc = find("auc")
    assert first_of(Kind.INTERVAL, auc.law).name == "newcombe_delong"
    assert "pairs" in method.describe("comparison")


def test_an_answer_that_cannot_be_is_refused_whichever_method_gives_it() -> None:
    wilson = method.find("wilson", method.Kind.INTERVAL)
    with pytest.raises(NotApplicable, match=r"gave limits 0\.9 to 0\.1, low above high"):
        wilson.limits(0.9, 0.1, 0.95)
    fisher = method.find("fisher", method.Kind.TEST)
    for p in (2.0, -0.1):
        with pytest.raises(NotApplicable, match="which is no probability"):
            fisher.answer(statistic=1.0, p_value=p, alternative="greater")
    assert fisher.answer(statistic=1.0, p_value=1.0, alternative="greater").p_value == 1.0


def test_a_measure_named_twice_or_by_its_alias_is_one() -> None:
    made = ac.examples.breast_cancer("p_texture")
    found = ac.assess(made, ["auc", "brier", "auroc", "auc"], rng=1, draws=99)
    assert [row.measure for row in found] == ["auc", "brier"]
    both = ac.compare({"a": made, "b": ac.examples.breast_cancer("p_forest")}, ["auc", "auroc"])
    assert [row.measure for row in both.differences] == ["auc"]


def test_limits_that_do_not_hold_their_value_are_refused() -> None:
    wilson = method.find("wilson", method.Kind.INTERVAL)
    away = dataclasses.replace(
        wilson, takes=method.Takes.CASES, function=lambda m, p, s: (0.01, 0.02)
    )
    made = ac.examples.breast_cancer("p_texture")
    shared = Shared.among(Settings(), made, [find("auc")])
    with pytest.raises(NotApplicable, match=r"gave limits 0\.01 to 0\.02, which do not hold"):
        limits_of(away, find("auc"), made, shared)


KINDS: dict[str, tuple[Any, Any]] = {
    "binary": (ac.Binary(Y, probability=P), ac.Binary(Y, probability=Q)),
    "multiclass": tuple(
        ac.Multiclass(np.arange(N) % 3, probability=np.stack([p / 2, 1 - p, p / 2], axis=1))
        for p in (P, Q)
    ),
    "numeric": (ac.Numeric(P + Y, P), ac.Numeric(P + Y, Q)),
    "survival": tuple(
        ac.Survival(1.0 + np.arange(N) % 7, Y, risk=p, survival=1.0 - p[:, None], times=[3.0])
        for p in (P, Q)
    ),
}


def asked_by_name() -> list[Any]:
    """Every method that can be asked for, with each kind of outcome that its laws occur for."""
    found = []
    for m in EVERY:
        for kind, (cases, _) in KINDS.items():
            measure = next((q for q in applicable(cases) if q.law in m.laws), None)
            if m.takes is not Takes.PARTS and m.kind in ASKED and measure is not None:
                found.append(pytest.param(m, kind, measure.label, id=f"{m.kind} {m.name} {kind}"))
    return found


ASKED = (Kind.INTERVAL, Kind.TEST, Kind.COMPARISON)


@pytest.mark.parametrize(("m", "kind", "label"), asked_by_name())
def test_a_method_asked_for_by_name_answers_or_says_why_not(
    m: Method, kind: str, label: str
) -> None:
    first, second = KINDS[kind]
    asked: dict[str, Any] = {"methods": {label: m.name}, "draws": 19, "rng": 1}
    try:
        if m.kind is Kind.COMPARISON:
            result = ac.compare({"a": first, "b": second}, [label], **asked)
        else:
            result = ac.assess(first, [label], **asked)
    except AboveChanceError:
        return
    for row in result.differences if m.kind is Kind.COMPARISON else result.estimates:
        value = row.difference if m.kind is Kind.COMPARISON else row.value
        if row.interval is not None:
            assert row.interval.low <= value + 1e-9
            assert row.interval.high >= value - 1e-9
        if row.p_value is not None:
            assert 0.0 <= row.p_value <= 1.0


def test_a_method_that_is_declared_later_is_found_by_its_law_at_once() -> None:
    rare = frozenset({Fact.SUMMARY, Fact.ORDER, Fact.FOLDS})
    before = method.first_of(Kind.INTERVAL, Law.PAIRS, rare)
    try:

        @method.interval(
            title="later",
            words="a method declared later",
            source="wald1943",
            default=[Law.PAIRS],
            needs=rare,
        )
        def later(measure: Any, predictions: Any, settings: Any) -> None: ...

        assert method.first_of(Kind.INTERVAL, Law.PAIRS, rare).name == "later" != before.name
    finally:
        method._DECLARED.pop((Kind.INTERVAL, "later"))
        method._defaults.cache_clear()
