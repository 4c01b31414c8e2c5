"""Concordance, and predicted survival judged at a time: references, oracles, properties."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.measures import evaluate, every, find
from abovechance.predictions import Survival

REFERENCES = Path(__file__).parents[1] / "references"
EXPECTED_TIME = "__expected_survival_time"
OF_SURVIVAL = [m for m in every().values() if m.family == "survival"]


def cases(name):
    return {c["id"]: c for c in json.loads((REFERENCES / name).read_text())["cases"]}


PAIRS = cases("survival_concordance.json")
WEIGHTED = cases("survival_ipcw.json")
FAMILIAR_TARGETS = [
    (case, quantity, sources["familiar"])
    for case in PAIRS
    for quantity, sources in PAIRS[case]["expected"].items()
    if "familiar" in sources
]


def concordance(measure, case, kind="risk"):
    given = PAIRS[case]["input"]
    return measure(given["time"], given["event"], tau=given["time_max"], **{kind: given["risk"]})


@pytest.mark.parametrize("case", PAIRS)
def test_the_concordance_index_equals_counting_pairs_exactly(case):
    target = float(PAIRS[case]["expected"]["harrell_c"]["exact"])
    assert concordance(find("harrell_c"), case) == pytest.approx(target, rel=1e-10, nan_ok=True)


@pytest.mark.parametrize("case", PAIRS)
def test_strict_ties_compare_only_different_times(case):
    target = float(PAIRS[case]["expected"]["concordance_index"]["exact_strict_time"])
    strict = find("c_index").with_parameters(ties="strict")
    assert concordance(strict, case) == pytest.approx(target, rel=1e-10, nan_ok=True)


@pytest.mark.parametrize(("case", "quantity", "target"), FAMILIAR_TARGETS)
def test_the_dialect_of_familiar_gives_its_number(case, quantity, target):
    tag = quantity.removesuffix(EXPECTED_TIME)
    kind = "risk" if tag == quantity else "predicted_time"
    found = concordance(find(tag, dialect="familiar"), case, kind)
    target = float("nan") if target is None else target
    assert found == pytest.approx(target, rel=1e-10, abs=1e-14, nan_ok=True)


def test_familiar_counts_an_event_at_tau_itself():
    time, event, risk = [1, 2, 3, 4], [1, 1, 1, 0], [4, 1, 2, 3]
    assert find("c_index")(time, event, risk=risk, tau=2) == 1.0
    assert find("c_index", dialect="familiar")(time, event, risk=risk, tau=2) == 3 / 5


def predictions(case, sample):
    given = WEIGHTED[case]["input"]
    censoring = (given["train_time"], given["train_event"]) if sample == "trainG" else None
    return Survival(
        given["test_time"],
        given["test_event"],
        risk=given["risk"],
        survival=np.array(given["surv_prob"]),
        times=given["eval_times"],
        censoring=censoring,
    )


def exact(case, quantity):
    sources = WEIGHTED[case]["expected"][quantity]
    return next(v for k, v in sources.items() if k.startswith("exact_reverseKM_G(t-)"))


@pytest.mark.parametrize("case", WEIGHTED)
@pytest.mark.parametrize("sample", ["trainG", "testG"])
def test_unos_concordance_equals_its_exact_value(case, sample):
    tau = WEIGHTED[case]["input"]["tau"]
    found = find("uno_c").with_parameters(tau=tau).of(predictions(case, sample))
    assert found == pytest.approx(exact(case, f"uno_c_tau_{sample}"), rel=1e-10)


@pytest.mark.parametrize("case", WEIGHTED)
@pytest.mark.parametrize("sample", ["trainG", "testG"])
@pytest.mark.parametrize(
    ("tag", "quantity"), [("auc_at", "cumulative_dynamic_auc"), ("brier_at", "ipcw_brier")]
)
def test_measures_at_a_time_equal_their_exact_values(case, sample, tag, quantity):
    given = predictions(case, sample)
    found = [find(tag).with_parameters(t=t).of(given) for t in given.times]
    assert found == pytest.approx(exact(case, f"{quantity}_{sample}"), rel=1e-10)
    assert find(tag).of(given) == found[-1]  # the last time when none is stated


@pytest.mark.parametrize("case", WEIGHTED)
@pytest.mark.parametrize("sample", ["trainG", "testG"])
def test_the_integrated_brier_score_equals_its_exact_value(case, sample):
    found = find("integrated_brier").of(predictions(case, sample))
    target = exact(case, f"integrated_brier_trapezoid_{sample}")
    assert found == pytest.approx(target, rel=1e-10)


@pytest.mark.parametrize("case", WEIGHTED)
def test_the_chance_level_is_the_kaplan_meier_curve_for_all(case):
    given = predictions(case, "testG")
    target = WEIGHTED[case]["expected"]["ipcw_brier_null_km_testG"]["riskRegression"]
    levels = []
    for t in given.times:
        measure = find("brier_at").with_parameters(t=t)
        levels.append(measure.reference(given, measure))
    assert levels == pytest.approx(target, rel=1e-10)
    integrated = find("integrated_brier")
    mean = np.trapezoid(levels, given.times) / np.ptp(given.times)
    assert integrated.reference(given, integrated) == pytest.approx(mean, rel=1e-12)


@pytest.fixture
def sample():
    rng = np.random.default_rng(11)
    time = np.ceil(rng.exponential(6.0, 80))  # ties
    event = rng.random(80) < 0.7
    risk = np.round(rng.normal(0.0, 1.0, 80) - time / 6, 1)
    times = np.array([2.5, 4.5, 8.5])
    curve = np.exp(-np.exp(risk / 4)[:, None] * times / 8)
    return {
        "time": time,
        "event": event,
        "risk": risk,
        "survival": curve,
        "times": times,
        "sample_weight": rng.uniform(0.2, 3.0, 80),
    }


@pytest.mark.parametrize("measure", OF_SURVIVAL, ids=lambda m: m.name)
def test_a_case_in_two_halves_counts_once(measure, sample):
    whole = measure.of(Survival(**sample))
    halved = {k: np.r_[v, v] for k, v in sample.items() if k != "times"}
    halved["sample_weight"] = halved["sample_weight"] / 2
    assert measure.of(Survival(**halved, times=sample["times"])) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("measure", OF_SURVIVAL, ids=lambda m: m.name)
def test_counts_are_cases_repeated(measure, sample):
    counts = np.arange(80) % 3
    times = sample.pop("times")
    sample.pop("sample_weight")
    repeated = Survival(**{k: np.repeat(v, counts, axis=0) for k, v in sample.items()}, times=times)
    counted = Survival(**sample, times=times, counts=counts)
    assert measure.of(counted) == pytest.approx(measure.of(repeated), rel=1e-12)


@pytest.mark.parametrize("measure", OF_SURVIVAL, ids=lambda m: m.name)
def test_the_order_of_the_cases_does_not_matter(measure, sample):
    given = Survival(**sample)
    shuffled = given.take(np.random.default_rng(1).permutation(80))
    assert measure.of(shuffled) == pytest.approx(measure.of(given), rel=1e-12)


@pytest.mark.parametrize("measure", OF_SURVIVAL, ids=lambda m: m.name)
def test_measures_survive_pickling(measure, sample):
    again = pickle.loads(pickle.dumps(measure))
    assert again.of(Survival(**sample)) == measure.of(Survival(**sample))


def brute_force(time, event, risk, weight, inverse, comparable):
    """Pairs one by one: weight of the concordant and half of the tied, over that of all."""
    concordant = total = 0.0
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if comparable(i, j):
                pair = weight[i] * weight[j] * inverse[i]
                total += pair
                concordant += pair * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return concordant / total


def test_weighted_pairs_equal_counting_one_by_one(sample):
    time, event, risk = sample["time"], sample["event"], sample["risk"]
    weight = sample["sample_weight"]
    given = Survival(time, event, risk=risk, sample_weight=weight)

    def follows(i, j):
        return time[i] < time[j] or (time[i] == time[j] and not event[j])

    def beyond(i, j):
        return time[i] <= 4 < time[j]

    inverse = 1 / given.censoring_survival.before(time)
    c = brute_force(time, event, risk, weight, np.ones(80), follows)
    uno = brute_force(time, event & (time < 9), risk, weight, inverse**2, follows)
    area = brute_force(time, event, risk, weight, inverse, beyond)
    assert find("c_index").of(given) == pytest.approx(c, rel=1e-12)
    assert find("uno_c").with_parameters(tau=9).of(given) == pytest.approx(uno, rel=1e-12)
    assert find("auc_at").with_parameters(t=4).of(given) == pytest.approx(area, rel=1e-12)


def test_tied_risks_may_be_left_out():
    time, event, risk = [1, 2, 3], [1, 1, 0], [2, 2, 1]
    assert find("c_index")(time, event, risk=risk) == 2.5 / 3
    assert find("c_index")(time, event, risk=risk, ties="drop") == 1.0
    with pytest.raises(NotApplicable, match="ties must be one of harrell, strict, drop"):
        find("c_index")(time, event, risk=risk, ties="none")


def test_without_censoring_the_weights_vanish():
    time, risk = np.array([1.0, 2.0, 3.0, 4.0]), [3.0, 4.0, 2.0, 1.0]
    event = np.ones(4)
    assert find("uno_c")(time, event, risk=risk) == find("c_index")(time, event, risk=risk)
    survival = np.array([[0.2], [0.4], [0.9], [0.7]])
    plain = np.mean((survival[:, 0] - (time > 2)) ** 2)
    found = find("brier_at")(time, event, survival=survival, times=[2])
    assert found == pytest.approx(plain, rel=1e-15)


def test_no_interpolation_between_predicted_times():
    given = {"survival": [[0.9, 0.5], [0.4, 0.2]], "times": [1.0, 3.0]}
    with pytest.raises(NotApplicable, match="one of the times survival was predicted at; got 2"):
        find("brier_at")([1, 4], [1, 0], **given, t=2)


def test_what_lies_beyond_the_follow_up_is_undefined():
    time, event, risk = [1, 2, 4, 6], [1, 1, 1, 0], [4, 3, 2, 1]
    survival = np.full((4, 3), 0.5)
    own = Survival(time, event, risk=risk, survival=survival, times=[1.5, 5, 6])
    assert find("brier_at").with_parameters(t=5).of(own) == 0.25
    assert np.isnan(find("brier_at").of(own))  # the last case was censored at 6
    assert np.isnan(find("integrated_brier").of(own))
    assert find("integrated_brier").with_parameters(stop=5).of(own) == pytest.approx(0.25)
    short = {"censoring": ([1, 2, 3], [1, 0, 1])}
    assert np.isnan(find("uno_c")(time, event, risk=risk, **short))
    assert find("uno_c")(time, event, risk=risk, tau=3, **short) == 1.0
    assert np.isnan(find("auc_at")(time, event, risk=risk, t=4, **short))
    late = Survival(time, event, survival=survival, times=[1.5, 3.5, 4], **short)
    assert np.isnan(find("brier_at").with_parameters(t=3.5).of(late))


def test_everybody_failed_is_still_within_the_follow_up():
    found = find("brier_at")([1, 2], [1, 1], survival=[[0.1], [0.3]], times=[9])
    assert found == pytest.approx(0.05, rel=1e-14)


def test_questions_without_an_answer_are_nan():
    assert np.isnan(find("auc_at")([1, 2], [1, 0], risk=[2, 1]))  # no time stated
    assert np.isnan(find("auc_at")([1, 2], [0, 0], risk=[2, 1], t=1))  # no event
    assert np.isnan(find("auc_at")([1, 2], [1, 1], risk=[2, 1], t=2))  # nobody left
    one_time = {"survival": [[0.1], [0.3]], "times": [1]}
    assert np.isnan(find("integrated_brier")([1, 2], [1, 1], **one_time))
    assert all(m.undefined for m in OF_SURVIVAL)


def test_risks_and_curves_are_judged_together(sample):
    assert set(evaluate(Survival(**sample))) >= {m.name for m in OF_SURVIVAL}
    sample.pop("survival")
    sample.pop("times")
    assert set(evaluate(Survival(**sample))) == {"c_index", "uno_c"}


# ---------------------------------------------------------------- risks from survival curves


def crossing(n=90, seed=2):
    """Curves whose order differs from time to time."""
    rng = np.random.default_rng(seed)
    rate, shape = np.exp(rng.normal(size=n)), rng.uniform(0.5, 2.0, size=n)
    time = (rng.exponential(size=n) / rate) ** (1 / shape)
    censored = rng.exponential(2.0, size=n)
    times = np.array([0.3, 0.7, 1.2])
    curves = np.exp(-rate[:, None] * times ** shape[:, None])
    return np.minimum(time, censored), time <= censored, curves, times


def test_curves_are_ordered_by_survival_at_the_last_time():
    time, event, curves, times = crossing()
    alone = Survival(time, event, survival=curves, times=times)
    by_last = Survival(time, event, risk=1 - curves[:, -1])
    for name in ("c_index", "uno_c", "c_index(strict)", "uno_c(1.0)"):
        assert find(name).of(alone) == find(name).of(by_last)
    assert find("c_index").of(alone) != find("c_index")(time, event, risk=1 - curves[:, 0])
    assert "AC005" in [note.code for note in alone.notes]
    assert "1.2" in alone.notes[-1].text
    half = alone.take(np.arange(45))
    assert find("c_index").of(half) == find("c_index").of(by_last.take(np.arange(45)))


def test_areas_at_a_time_take_the_risk_by_then():
    time, event, curves, times = crossing()
    alone = Survival(time, event, survival=curves, times=times)
    for k, t in enumerate(times):
        expected = find("auc_at", t=float(t))(time, event, risk=1 - curves[:, k])
        assert find("auc_at", t=float(t)).of(alone) == expected
    assert find("auc_at").of(alone) == find("auc_at", t=1.2).of(alone)
    with pytest.raises(NotApplicable, match="one of the times"):
        find("auc_at", t=0.5).of(alone)


def test_a_stated_risk_is_kept_beside_curves():
    time, event, curves, times = crossing()
    risk = np.arange(len(time)) % 7.0
    both = Survival(time, event, risk=risk, survival=curves, times=times)
    assert find("c_index").of(both) == find("c_index")(time, event, risk=risk)
    assert find("auc_at", t=0.5).of(both) == find("auc_at", t=0.5)(time, event, risk=risk)
    assert not both.notes


def test_curves_alone_have_inference_too(tmp_path):
    import abovechance as ac

    time, event, curves, times = crossing()
    alone = Survival(time, event, survival=curves, times=times)
    found = ac.assess(alone, rng=1, draws=99)
    for name in ("c_index", "uno_c", "auc_at"):
        assert found[name].interval is not None
        assert found[name].p_value is not None
    first = Survival(time, event, risk=1 - curves[:, 0])
    early = ac.assess(alone, ["auc_at(0.3)"], rng=1, draws=99)["auc_at(0.3)"]
    stated = ac.assess(first, ["auc_at(0.3)"], rng=1, draws=99)["auc_at(0.3)"]
    assert (early.p_value, early.interval) == (stated.p_value, stated.interval)
    worse = Survival(time, event, survival=curves[:, ::-1] ** 0.5, times=times)
    two = ac.compare({"a": alone, "b": worse}, ["auc_at(0.3)"], rng=1, draws=99)
    other = Survival(time, event, risk=-(curves[:, -1] ** 0.5))
    same = ac.compare({"a": first, "b": other}, ["auc_at(0.3)"], rng=1, draws=99)
    assert two["auc_at(0.3)"].p_value == same["auc_at(0.3)"].p_value
    assert two["auc_at(0.3)"].interval == same["auc_at(0.3)"].interval
    assert two["auc_at(0.3)"].title == "Area under the ROC curve at time 0.3"
    file = tmp_path / "curves.csv"
    names = ",".join(f"S_{t:g}" for t in times)
    lines = zip(time, event, curves, strict=True)
    rows = (f"{t},{int(e)},{','.join(map(str, s))}" for t, e, s in lines)
    file.write_text("\n".join([f"time,event,{names}", *rows]))
    read = ac.read(file)
    assert find("c_index").of(read) == pytest.approx(find("c_index").of(alone))
    assert "over time" in ac.report(found, predictions=alone).html


# ----------------------------------------------------------------------------------------------
# Outcomes in other orders, and what each case moves: closed forms are the plain formula.
# ----------------------------------------------------------------------------------------------


def mixed(tied: bool, given: bool, n: int = 60) -> Survival:
    """Risks beside curves or curves alone, with and without ties and censoring from elsewhere."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=n)
    event, stop = rng.exponential(3 * np.exp(-x)), rng.exponential(4.0, size=n)
    time, happened = np.minimum(event, stop), event <= stop
    if tied:
        time, x = np.ceil(time * 3) / 3, np.round(x)
    times = np.array([0.5, 1.0, 2.0])
    curves = np.exp(-times * np.exp(0.8 * x)[:, None] / 3)
    extra = {"risk": np.round(x, 1), "censoring": (time[::-1], happened[::-1])} if given else {}
    return Survival(time, happened, survival=curves, times=times, **extra)


@pytest.mark.parametrize("compiled", ["on", "off"])
@pytest.mark.parametrize("given", [False, True], ids=["curves", "risk and censoring"])
@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
def test_values_in_many_orders_at_once_are_those_of_each(tied, given, compiled, monkeypatch):
    from abovechance.measures.sample import Sample
    from abovechance.measures.sample import evaluate as in_rows
    from abovechance.numerics import censoring

    monkeypatch.setattr(censoring, "worthwhile", lambda size, module=None: compiled == "on")
    predictions = mixed(tied, given)
    orders = np.stack([np.random.default_rng(k).permutation(predictions.n) for k in range(20)])
    known = [m for m in OF_SURVIVAL if m.permuted is not None]
    assert {"c_index", "uno_c", "auc_at", "brier_at", "integrated_brier"} <= {m.name for m in known}
    known += [find("c_index", ties="strict"), find("c_index", ties="drop"), find("uno_c", tau=2.0)]
    known += [find("auc_at", t=1.0), find("brier_at", t=1.0), find("integrated_brier", stop=1.0)]
    for m in known:
        expected = in_rows(m, Sample.of(predictions).permuted(orders))
        found = m.permuted(predictions, orders, **m.parameters)
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=m.label)


def test_ties_that_are_counted_apart_are_permuted_row_by_row():
    from abovechance.inference.permutation import null_distribution

    both = find("c_index", ties="both_events")
    assert both.permuted(mixed(True, True), np.arange(60)[None], **both.parameters) is None
    assert null_distribution(mixed(True, True), both, draws=9, rng=1).values.shape == (9,)


@pytest.mark.parametrize("given", [False, True], ids=["curves", "risk and censoring"])
@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
def test_what_each_case_moves_is_the_derivative(tied, given):
    from abovechance.inference.influence import declared_influence, numerical_influence
    from abovechance.measures.sample import Sample

    sample = Sample.of(mixed(tied, given))
    chosen = [find("auc_at"), find("auc_at", t=1.0), find("brier_at", t=1.0)]
    for m in [*chosen, find("integrated_brier"), find("integrated_brier", start=1.0)]:
        expected = numerical_influence(m, sample)
        np.testing.assert_allclose(declared_influence(m, sample), expected, atol=1e-9)


@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
def test_exchanges_of_what_cases_add_are_those_of_predictions(tied):
    from abovechance.inference.exchange import swappable

    first = mixed(tied, True)
    second = first.replace(survival=first.survival**1.5)
    swaps = np.random.default_rng(3).random((15, first.n)) < 0.5
    for m in (find("brier_at"), find("brier_at", t=1.0), find("integrated_brier")):
        terms = m.terms(first, **m.parameters)
        assert terms.mean() == pytest.approx(m.of(first), rel=1e-12)
        found = swappable(m, first, second)
        expected = found.values(swaps) - found.values(~swaps)
        np.testing.assert_allclose(found.pivots(swaps), expected, atol=1e-13)
        weighted = first.with_cases(sample_weight=np.linspace(0.5, 2.0, first.n))
        heavy = swappable(m, weighted, second.with_cases(sample_weight=weighted.weight))
        np.testing.assert_allclose(heavy.pivots(swaps), heavy.values(swaps) - heavy.values(~swaps))
