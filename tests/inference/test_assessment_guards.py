"""Every named method allows for folds, clusters and weights, or refuses them and says why."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abovechance.errors import NotApplicable
from abovechance.inference import assess, intervals, posterior, significance
from abovechance.inference.results import Interval
from abovechance.measures import find
from abovechance.predictions import Binary, Numeric, Survival

N, CLUSTERS = 60, 12
RNG = np.random.default_rng(4)
GROUPS = np.repeat(np.arange(CLUSTERS), N // CLUSTERS)
SHARED = RNG.normal(size=CLUSTERS)[GROUPS]
LATENT = SHARED + RNG.normal(size=N)
Y = LATENT + RNG.normal(size=N) > 0
P = 1 / (1 + np.exp(-(0.7 * LATENT + 0.4 * RNG.normal(size=N))))
Q = 1 / (1 + np.exp(-(0.3 * LATENT + SHARED * RNG.normal(size=CLUSTERS)[GROUPS])))
WEIGHT = RNG.permutation(np.linspace(0.5, 2.0, N))
FOLD = np.arange(N) % 5
COUNTS = 1 + np.arange(N) % 3


def binary(p: Any = P, **extra: Any) -> Binary:
    return Binary(Y, probability=p, **extra)


def survival(**extra: Any) -> Survival:
    return Survival(np.exp(-LATENT) + 0.01 * np.arange(N), np.arange(N) % 4 > 0, risk=P, **extra)


def numeric(**extra: Any) -> Numeric:
    return Numeric(LATENT, P, **extra)


Call = Callable[..., Any]

TESTS: dict[str, tuple[Call, str]] = {
    # what is called, and which of groups and weights it allows for
    "against_majority": (lambda **x: significance.against_majority(binary(**x)), ""),
    "against_rate": (lambda **x: significance.against_rate(binary(**x), 0.5), ""),
    "calibration": (lambda **x: significance.calibration(binary(**x), rng=1, draws=99).test, ""),
    "delong": (lambda **x: significance.delong(binary(**x), binary(Q, **x)), "groups"),
    "exchange": (
        lambda **x: significance.exchange(binary(**x), binary(Q, **x), "f1", rng=1, draws=199),
        "groups",
    ),
    "fisher": (lambda **x: significance.fisher(binary(**x)), ""),
    "hosmer_lemeshow": (lambda **x: significance.hosmer_lemeshow(binary(**x), groups=5, rng=1), ""),
    "likelihood_ratio": (lambda **x: significance.likelihood_ratio(binary(**x)), ""),
    "mann_whitney": (lambda **x: significance.mann_whitney(binary(**x)), ""),
    "permutation": (
        lambda **x: significance.permutation(binary(Q, **x), "brier", rng=1, draws=199),
        "groups weights",
    ),
    "sign_flip": (
        lambda **x: significance.sign_flip(binary(**x), binary(Q, **x), "brier", rng=1),
        "groups",
    ),
    "skill": (lambda **x: significance.skill(find("brier"), binary(**x), seed=1), "groups"),
    "spiegelhalter": (lambda **x: significance.spiegelhalter(binary(**x)), ""),
    "studentised_permutation": (
        lambda **x: significance.studentised_permutation(binary(**x), rng=1, draws=99),
        "",
    ),
}
LIMITS: dict[str, tuple[Call, str]] = {
    "bootstrap": (
        lambda **x: intervals.bootstrap(binary(**x), "f1", rng=1, draws=199),
        "groups weights",
    ),
    "delong": (lambda **x: intervals.delong(binary(**x), scale="identity"), "groups"),
    "jackknife": (lambda **x: intervals.jackknife(survival(**x)), "groups"),
    "linear_calibration": (lambda **x: intervals.linear_calibration(numeric(**x)), "groups"),
    "observed_expected": (lambda **x: intervals.observed_expected(binary(**x)), "groups"),
    "recalibration": (lambda **x: intervals.recalibration(binary(**x)), "groups weights"),
}
OF_NUMBERS = {
    significance: {
        "binomial",
        "binomial_critical",
        "boundaries",
        "diebold_mariano",
        "fisher_counts",
        "ibragimov_mueller",
        "mcnemar",
    },
    intervals: {
        "agresti_coull",
        "clopper_pearson",
        "cluster_mean",
        "cluster_ratio",
        "effective_wilson",
        "fisher_z",
        "hanley_mcneil",
        "jeffreys",
        "logit",
        "mid_p",
        "modified_jeffreys",
        "mover",
        "newcombe",
        "newcombe_auc",
        "ordered_mean",
        "tango",
        "wald",
        "wilson",
        "wilson_corrected",
    },
}
NO_TEST = {"null_distribution"}  # what a test compares with
IN_ORDER = {"ordered"}  # the test of cases that are in time order
OVER_FOLDS = {"nadeau_bengio"}  # the interval for predictions of folds
EVERY = {f"test {name}": call for name, call in TESTS.items()} | {
    f"interval {name}": call for name, call in LIMITS.items()
}
EXTRA = {"groups": {"groups": GROUPS}, "weights": {"sample_weight": WEIGHT}}


def answer(found: Any) -> Any:
    return (found.low, found.high) if isinstance(found, Interval) else found.p_value


def test_every_named_method_is_here() -> None:
    assert set(TESTS) | OF_NUMBERS[significance] | IN_ORDER | NO_TEST == set(significance.__all__)
    assert set(LIMITS) | OF_NUMBERS[intervals] | OVER_FOLDS == set(intervals.__all__)


@pytest.mark.parametrize("name", EVERY)
def test_pooled_folds_are_refused_with_the_remedy(name: str) -> None:
    call, _ = EVERY[name]
    assert answer(call())
    for extra in ({"fold": FOLD}, {"origin": "cv"}, {"fold": FOLD, "repeat": FOLD % 2}):
        with pytest.raises(NotApplicable, match=r"cross-validation.*permutation_test"):
            call(**extra)


@pytest.mark.parametrize("name", EVERY)
def test_time_order_is_refused(name: str) -> None:
    call, _ = EVERY[name]
    with pytest.raises(NotApplicable, match="time order"):
        call(order=np.arange(N))


@pytest.mark.parametrize("name", EVERY)
def test_one_fold_is_a_test_set(name: str) -> None:
    call, _ = EVERY[name]
    assert answer(call(fold=np.ones(N))) == answer(call())


@pytest.mark.parametrize("dependence", ["groups", "weights"])
@pytest.mark.parametrize("name", EVERY)
def test_clusters_and_weights_change_the_answer_or_are_refused(name: str, dependence: str) -> None:
    call, allows = EVERY[name]
    extra: dict[str, Any] = EXTRA[dependence]
    if dependence in allows:
        assert answer(call(**extra)) != answer(call())
    else:
        with pytest.raises(NotApplicable, match=r"cluster \(groups\).*\. |sampling weights\. "):
            call(**extra)


@pytest.mark.parametrize("name", EVERY)
def test_frequencies_are_cases(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call, _ = EVERY[name]
    counted = answer(call(counts=COUNTS))
    here = globals()
    for column in ("Y", "P", "Q", "LATENT"):
        monkeypatch.setitem(here, column, np.repeat(here[column], COUNTS))
    times = np.repeat(np.arange(N), COUNTS)
    monkeypatch.setitem(here, "binary", lambda p=None: Binary(Y, probability=P if p is None else p))
    monkeypatch.setitem(
        here,
        "survival",
        lambda: Survival(np.exp(-LATENT) + 0.01 * times, times % 4 > 0, risk=P),
    )
    assert counted == pytest.approx(answer(call()), rel=1e-9)


def test_an_interval_over_folds_needs_folds() -> None:
    with pytest.raises(NotApplicable, match="fold of every case"):
        intervals.nadeau_bengio(find("brier"), binary())
    assert intervals.nadeau_bengio(find("brier"), binary(fold=FOLD)).low > 0


def test_a_studentised_bootstrap_refuses_clusters() -> None:
    with pytest.raises(NotApplicable, match="cluster_mean"):
        intervals.bootstrap(binary(groups=GROUPS), "brier", method="studentised")


def test_acceleration_leaves_out_whole_clusters() -> None:
    # every case five times, as a cluster: clusters are the cases, and the limits nearly theirs
    some = np.flatnonzero(np.arange(N) % 2 == 0)
    fivefold = np.repeat(some, 5)
    alone = intervals.bootstrap(Binary(Y[some], probability=P[some]), "brier", rng=1, draws=4999)
    clustered = intervals.bootstrap(
        Binary(Y[fivefold], probability=P[fivefold], groups=fivefold), "brier", rng=2, draws=4999
    )
    assert clustered.low == pytest.approx(alone.low, rel=0.05)
    assert clustered.high == pytest.approx(alone.high, rel=0.05)


@pytest.mark.parametrize(
    "of",
    [
        posterior.accuracy,
        posterior.balanced_accuracy,
        posterior.prob_above_chance,
        lambda p: posterior.of("f1", p, draws=1000),
        lambda p: posterior.paired_difference(p, p, draws=1000),
    ],
)
def test_posteriors_count_every_independent_case_once(of: Call) -> None:
    for extra, words in (
        ({"groups": GROUPS}, "hierarchical"),
        ({"sample_weight": WEIGHT}, "sampling weights are not counts"),
        ({"fold": FOLD, "repeat": FOLD % 2}, "one repeat"),
    ):
        with pytest.raises(NotApplicable, match=words):
            of(binary(**extra))


def test_posteriors_are_summed_over_folds_and_take_frequencies() -> None:
    whole = posterior.balanced_accuracy(binary())
    assert posterior.balanced_accuracy(binary(fold=FOLD)).mean == whole.mean
    assert posterior.accuracy(binary(counts=np.full(N, 2))).n == 2 * N
    parts = [binary(fold=FOLD).take(k == FOLD) for k in range(5)]
    assert posterior.balanced_accuracy(parts).mean == pytest.approx(whole.mean)


def test_a_refusal_names_the_method_and_what_to_do() -> None:
    with pytest.raises(NotApplicable, match=r"^the Mann–Whitney test needs .*permutation allows"):
        significance.mann_whitney(binary(groups=GROUPS))


@pytest.mark.parametrize("n", [120, 400, 12_000])
def test_however_many_arrangements_there_are_it_is_said_why_p_is_not_exact(n: int) -> None:
    """A count beyond every float, and one that was not counted, are words too."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=n)
    found = assess(Numeric(y, y + rng.normal(size=n)), ["mae"], exact=True, draws=19, rng=1)
    (said,) = (one.text for one in found.advice if "arrangements" in one.text)
    assert {120: "6.69e+198 ", 400: "6.4e+868 ", 12_000: "countless "}[n] in said


def test_named_tests_refuse_a_measure_that_is_undefined_for_any_of_the_models() -> None:
    rng = np.random.default_rng(4)
    time, event = 1.0 + rng.exponential(size=30), rng.random(30) < 0.7
    first, second = (Survival(time, event, risk=rng.normal(size=30)) for _ in range(2))
    for call in (
        lambda: significance.exchange(first, second, "auc_at", draws=19, rng=1),
        lambda: significance.permutation(first, "auc_at", draws=19, rng=1),
        lambda: significance.null_distribution(first, "auc_at", draws=19, rng=1),
    ):
        with pytest.raises(NotApplicable, match=r"^Area under the ROC curve at a time is undefin"):
            call()
