"""Kaplan-Meier estimates, and concordant pairs of censored times."""

import numpy as np
import pytest

from abovechance.numerics.censoring import (
    concordance_by_case,
    concordance_counts,
    kaplan_meier,
    reverse_kaplan_meier,
)

# ----------------------------------------------------------------------------------------------
# Survival, and remaining under observation, from partly censored times.
# ----------------------------------------------------------------------------------------------


def test_published_survival_and_censoring(reference):
    for case in reference("censoring_survival")["cases"]:
        given = {key: np.array(value) for key, value in case["input"].items()}
        for sample in ("train", "test"):
            time, event = given[f"{sample}_time"], given[f"{sample}_event"] == 1
            expected = case["expected"]
            for values in expected[f"censoring_survival_{sample}_at_eval_times"].values():
                np.testing.assert_allclose(
                    kaplan_meier(time, ~event).at(given["eval_times"]), values, rtol=1e-12
                )
            for values in expected.get(f"km_survival_{sample}_at_eval_times", {}).values():
                np.testing.assert_allclose(
                    kaplan_meier(time, event).at(given["eval_times"]), values, rtol=1e-12
                )


def product_by_definition(time, event, until, reverse):
    value = 1.0
    for t in np.unique(time[time <= until]):
        at_risk = np.sum(time >= t) - reverse * np.sum((time == t) & event)
        leaving = np.sum((time == t) & (event != reverse))
        value *= 1 - leaving / at_risk if leaving else 1
    return value


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_the_product_limit_by_its_definition(n, reverse):
    rng = np.random.default_rng(n)
    time, event = np.ceil(rng.exponential(4, n)), rng.random(n) < 0.5
    curve = (reverse_kaplan_meier if reverse else kaplan_meier)(time, event)
    for t in np.arange(0, 20, 0.5):
        expected = product_by_definition(time, event, t, reverse)
        np.testing.assert_allclose(curve.at(t), expected, rtol=1e-13)
        left = product_by_definition(time, event, np.nextafter(t, -1), reverse)
        np.testing.assert_allclose(curve.before(t), left, rtol=1e-13)


def test_without_coinciding_times_censoring_is_survival_with_the_roles_swapped():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(1, 50), rng.random(50) < 0.5
    np.testing.assert_allclose(
        reverse_kaplan_meier(time, event).values, kaplan_meier(time, ~event).values, rtol=1e-13
    )


@pytest.mark.parametrize("estimate", [kaplan_meier, reverse_kaplan_meier])
def test_a_batch_of_weights_equals_repeated_cases(estimate):
    rng = np.random.default_rng(1)
    time, event = np.ceil(rng.exponential(4, 30)), rng.random(30) < 0.5
    counts = rng.integers(0, 3, (4, 30))
    at = np.arange(12.0)
    batch = estimate(time, event, counts).at(at)
    rows = [estimate(np.repeat(time, c), np.repeat(event, c)).at(at) for c in counts]
    np.testing.assert_allclose(batch, rows, rtol=1e-12)


# ----------------------------------------------------------------------------------------------
# Pairs of cases whose order in time is known.
# ----------------------------------------------------------------------------------------------


def pair_matrices(time, event, risk, event_censored_ties, tau, weight, pair_weight):
    """Weight of each comparable pair (earlier, later), apart by the order of the risks."""
    event = event & (time < tau)
    comparable = event[:, None] & (time[:, None] < time)
    if event_censored_ties:
        comparable |= (event[:, None] & ~event) & (time[:, None] == time)
    pairs = comparable * (weight * pair_weight)[:, None] * weight
    higher, equal = risk[:, None] > risk, risk[:, None] == risk
    return pairs * higher, pairs * ~(higher | equal), pairs * equal


def survival_data(n, tied, seed):
    rng = np.random.default_rng(seed)
    time, risk = rng.exponential(5, n), rng.standard_normal(n)
    if tied:
        time, risk = np.ceil(time), np.round(risk)
    return time, rng.random(n) < 0.6, risk, rng


def test_published_counts(reference, path):
    for case in reference("concordance_counts")["cases"]:
        time, event, risk = (np.array(case["input"][k]) for k in ("time", "event", "risk"))
        limit = case["input"]["time_max"]
        tau = None if limit is None else np.nextafter(limit, np.inf)
        for name, ties in (("harrell_c_counts", True), ("strict_time_counts", False)):
            found = concordance_counts(time, event, risk, event_censored_ties=ties, tau=tau)
            assert list(found) == case["expected"][name]["exact"], case["id"]


@pytest.mark.parametrize("event_censored_ties", [True, False])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 150])
def test_counts_equal_looking_at_every_pair(n, tied, event_censored_ties, path):
    time, event, risk, rng = survival_data(n, tied, n)
    ones, weight, pair_weight = np.ones(n), rng.random(n), rng.random(n)
    for tau in (None, 4.0):
        for w, g in ((None, None), (weight, None), (None, pair_weight), (weight, pair_weight)):
            how = {"event_censored_ties": event_censored_ties, "tau": tau}
            pairs = pair_matrices(
                time,
                event,
                risk,
                event_censored_ties,
                np.inf if tau is None else tau,
                ones if w is None else w,
                ones if g is None else g,
            )
            found = concordance_counts(time, event, risk, **how, weight=w, pair_weight=g)
            np.testing.assert_allclose(found, [p.sum() for p in pairs], rtol=1e-11, atol=1e-12)
            by_case = concordance_by_case(time, event, risk, **how, weight=w, pair_weight=g)
            expected = [p.sum(axis=0) + p.sum(axis=1) for p in pairs]
            np.testing.assert_allclose(by_case, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("tied", [True, False])
def test_the_compiled_counts_of_many_cases_equal_the_plain_ones(tied, monkeypatch):
    from abovechance.numerics import censoring as concordance

    time, event, risk, _ = survival_data(70_000, tied, 1)
    fast = concordance_counts(time, event, risk)
    fast_by_case = concordance_by_case(time, event, risk)
    monkeypatch.setattr(concordance, "worthwhile", lambda *_, **__: False)
    assert concordance_counts(time, event, risk) == fast
    assert np.array_equal(concordance_by_case(time, event, risk), fast_by_case)


@pytest.mark.parametrize(
    "times",
    [
        1e9 + np.arange(300) * 1e-6,
        np.append(-1.0, 1e9 + np.arange(300) * 1e-6),  # agree in all digits that are used at first
        np.array([0.0, -0.0, 0.0, -1.0, 1.0, -0.0]),
        -np.arange(100.0),
    ],
    ids=["close", "close but for one", "zeros", "negative"],
)
def test_times_that_are_hard_to_sort(times, path):
    rng = np.random.default_rng(6)
    time = rng.permutation(times)
    event, risk = rng.random(time.size) < 0.7, rng.integers(0, 5, time.size)
    pairs = pair_matrices(time, event, risk, True, np.inf, np.ones(time.size), np.ones(time.size))
    assert list(concordance_counts(time, event, risk)) == [p.sum() for p in pairs]


def test_constant_risk_ties_every_comparable_pair(path):
    time, event, _, _ = survival_data(60, False, 2)
    concordant, discordant, tied = concordance_counts(time, event, np.zeros(60))
    assert (concordant, discordant) == (0, 0)
    assert tied == sum((time[i] < time).sum() for i in np.flatnonzero(event))


def test_published_uno_c(reference, path):
    for case in reference("censoring_survival")["cases"]:
        given = {key: np.array(value) for key, value in case["input"].items()}
        time, event = given["test_time"], given["test_event"] == 1
        for sample in ("train", "test"):
            sample_time, sample_event = given[f"{sample}_time"], given[f"{sample}_event"] == 1
            reverse = reverse_kaplan_meier(sample_time, sample_event)
            plain = kaplan_meier(sample_time, ~sample_event)
            expected = case["expected"][f"uno_c_tau_{sample}G"]
            for censoring, values, ties, key in (
                (
                    reverse,
                    reverse.at(time),
                    True,
                    "exact_reverseKM_G(t)_event_cens_ties_comparable",
                ),
                (
                    reverse,
                    reverse.before(time),
                    True,
                    "exact_reverseKM_G(t-)_event_cens_ties_comparable",
                ),
                (plain, plain.at(time), False, "exact_G(t)_strict_times"),
                (plain, plain.before(time), False, "exact_G(t-)_strict_times"),
            ):
                assert censoring.values.size > 0
                counted = event & (time < given["tau"])
                weight = np.zeros(time.size)
                weight[counted] = values[counted] ** -2.0
                concordant, discordant, tied = concordance_counts(
                    time,
                    event,
                    given["risk"],
                    event_censored_ties=ties,
                    tau=float(given["tau"]),
                    pair_weight=weight,
                )
                c = (concordant + tied / 2) / (concordant + discordant + tied)
                np.testing.assert_allclose(c, expected[key], rtol=1e-10, err_msg=case["id"])
