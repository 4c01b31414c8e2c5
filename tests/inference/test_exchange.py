"""Signs flipped and predictions exchanged."""

import dataclasses
from itertools import product

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference.exchange import (
    Joint,
    Swapped,
    _Binomials,
    _Tables,
    affordable,
    exchanged,
    flips,
    resample_means,
    studentised,
    swappable,
    totals,
)
from abovechance.inference.influence import table_slopes
from abovechance.inference.significance import exchange, mcnemar, sign_flip
from abovechance.measures import Family, Form, Law, Measure, applicable, find
from abovechance.measures.measure import measure
from abovechance.measures.sample import Sample
from abovechance.predictions import Binary, Multiclass, Numeric, Survival, View
from abovechance.resampling import Settings, replicate_blocks, tail

# ----------------------------------------------------------------------------------------------
# Sign flips: exact values by complete enumeration, clusters, ties, draws.
# ----------------------------------------------------------------------------------------------


SIDES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}
MEASURES = {
    "brier": "brier",
    "log_score": "log",
    "log_loss": "log",
    "accuracy": "error01",
    "error_rate": "error01",
}


@pytest.fixture(scope="module")
def cases(reference):
    return reference("signflip_exact")["cases"]


def two_models(case) -> list[Binary]:
    given = case["input"]
    return [Binary(given["y"], probability=given[p]) for p in ("p", "p2")]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("measure", MEASURES)
def test_exact_values(cases, measure: str, side: str) -> None:
    for case in cases:
        found = sign_flip(*two_models(case), measure, alternative=side)
        key = f"{MEASURES[measure]}_signflip_p_{SIDES[side]}"
        assert found.p_value == pytest.approx(case["expected"][key]["exact"], rel=1e-12), case["id"]
        assert found.method == "sign flip, exact"


def test_statistic_is_the_difference_in_the_measures_own_units(cases) -> None:
    for case in cases:
        expected = case["expected"]
        loss = sign_flip(*two_models(case), "brier").statistic
        assert -loss == pytest.approx(expected["brier_mean_difference"]["exact"], abs=1e-14)
        wrong = sign_flip(*two_models(case), "error_rate").statistic
        assert -wrong == pytest.approx(expected["error01_mean_difference"]["exact"], abs=1e-14)


def test_right_and_wrong_answers_give_mcnemars_exact_p(cases) -> None:
    for case in cases:
        first, second = two_models(case)
        one, other = (p.label == p.positive for p in (first, second))
        b, c = int((one & ~other).sum()), int((other & ~one).sum())
        p = sign_flip(first, second, "accuracy").p_value
        assert p == pytest.approx(mcnemar(b, c).p_value, rel=1e-12)
        assert p == pytest.approx(case["expected"]["mcnemar_exact_two.sided"]["exact"], rel=1e-12)


def enumerated(units: np.ndarray, side: str) -> float:
    """The definition: every pattern of signs, one by one."""
    sums = np.array([np.dot(s, units) for s in product((-1, 1), repeat=len(units))])
    observed = units.sum()
    if side == "two-sided":
        return float((np.abs(sums) >= abs(observed) - 1e-9).mean())
    turned = 1 if side == "greater" else -1
    return float((turned * sums >= turned * observed - 1e-9).mean())


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.2, 0.3, -0.6],
        [1.0, 1.0, 1.0, -1.0, 0.0, 0.0],
        [0.1 + 0.2, -0.3, 0.5, 0.0],
        [2.0],
        [3.0, -1.0, 1.0, 1.0, 0.5, 0.5, -0.25],
    ],
)
def test_counting_equals_trying_every_pattern(values: list[float], side: str) -> None:
    found = flips(np.array(values), alternative=side, strict=True)
    assert found.exact
    assert found.p_value == pytest.approx(enumerated(np.array(values), side), rel=1e-12)
    assert found.p_strict <= found.p_value


def test_clusters_flip_as_wholes() -> None:
    rng = np.random.default_rng(1)
    d, groups = rng.normal(size=24), np.repeat(list("abcdef"), 4)
    assert flips(d, groups=groups) == flips(totals(d, groups))
    assert flips(d, groups=groups).p_value == enumerated(totals(d, groups), "two-sided")


def test_five_clusters_cannot_give_a_smaller_p_than_they_allow() -> None:
    found = flips(np.ones(50), groups=np.repeat(np.arange(5), 10))
    assert found.p_value == found.least == 0.0625


def test_without_differences_p_is_one() -> None:
    found = flips(np.zeros(30))
    assert (found.p_value, found.least, found.exact) == (1.0, 1.0, True)


def test_draws_come_near_the_exact_p() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(size=18) + 0.4
    exact = flips(d)
    drawn = flips(np.concatenate([d, rng.normal(size=30) * 1e-9]), settings=Settings(seed=1))
    assert exact.exact
    assert not drawn.exact
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 9999)
    assert abs(drawn.p_value - exact.p_value) < 4 * error + 1e-4


def test_a_seed_gives_the_same_p_again_and_from_two_processes() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=60)
    models = [Binary(y, probability=rng.random(60)) for _ in range(2)]
    one = sign_flip(*models, "brier", rng=7, draws=4100)
    assert one == sign_flip(*models, "brier", rng=7, draws=4100)
    assert one == sign_flip(*models, "brier", rng=7, draws=4100, workers=2)
    assert one.draws == 4100


def test_studentised_bootstrap_tests_means_of_skewed_differences() -> None:
    rng = np.random.default_rng(5)
    d = rng.exponential(size=60)
    how = Settings(seed=1, draws=999)
    assert resample_means(d - d.mean() + 1e-3, settings=how).p_value > 0.8
    assert resample_means(d, settings=how).p_value == 0.001
    assert resample_means(np.zeros(9), settings=how).p_value == 1.0
    with pytest.raises(NotApplicable, match="standard error"):
        resample_means(np.ones(9), settings=how)


def test_studentised_is_an_option_of_the_named_test() -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=40)
    models = [Numeric(y, y + s * rng.normal(size=40)) for s in (0.5, 1.5)]
    found = sign_flip(*models, "mse", studentised=True, rng=1)
    assert found.method == "studentised bootstrap"
    assert found.hypothesis == "expected losses are equal"
    assert found.p_value < 0.01


def test_balanced_accuracy_flips_within_classes() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(3, size=12)
    models = [Multiclass(y, label=rng.integers(3, size=12), labels=[0, 1, 2]) for _ in range(2)]
    found = sign_flip(*models, "balanced_accuracy")
    right = [p.label == y for p in models]
    sizes = np.bincount(y)[y]
    units = (right[0].astype(float) - right[1]) / sizes / 3
    assert found.p_value == pytest.approx(enumerated(units, "two-sided"), rel=1e-12)


def test_what_is_no_sum_over_cases_is_refused() -> None:
    first, second = Binary([0, 1, 1], label=[0, 1, 0]), Binary([0, 1, 1], label=[1, 1, 1])
    with pytest.raises(NotApplicable, match=r"exchange\(\)"):
        sign_flip(first, second, "f1")
    with pytest.raises(NotApplicable, match="infinite"):
        sign_flip(
            Binary([0, 1], probability=[0.1, 0.0]),
            Binary([0, 1], probability=[0.2, 0.5]),
            "log_score",
        )
    with pytest.raises(DataError, match="same cases"):
        sign_flip(first, Binary([0, 1], label=[0, 1]), "accuracy")


def test_sums_of_two_halves_are_counted_as_all_sums_listed() -> None:
    rng = np.random.default_rng(6)
    for n in (11, 12, 14, 17):
        for digits in (3, 1, 0):
            gains = np.round(rng.normal(size=n) + 0.2, digits)
            for alternative in ("greater", "less", "two-sided"):
                halves = flips(gains, alternative=alternative)
                listed = flips(gains, alternative=alternative, strict=True)
                assert halves.exact
                assert halves.p_value == pytest.approx(listed.p_value, rel=1e-12)
    lopsided = np.concatenate([np.full(900, 0.5), [0.25, -0.125, 0.7]])
    assert flips(lopsided).p_value == flips(lopsided, strict=True).p_value


# ----------------------------------------------------------------------------------------------
# Studentised exchange: against its definition, on every kind of measure, and where it refuses.
# ----------------------------------------------------------------------------------------------


def labelled(n: int, seed: int, k: int = 2) -> list:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    made = []
    for _ in range(2):
        label = np.where(rng.random(n) < 0.7, y, rng.integers(k, size=n))
        kind = Binary if k == 2 else Multiclass
        made.append(kind(y, label=label, labels=list(range(k))))
    return made


def pivot(measure, joint: np.ndarray) -> float:
    """Difference over the infinitesimal jackknife's standard error, half a case in every cell."""
    gap = measure.on_counts(joint.sum(axis=2)) - measure.on_counts(joint.sum(axis=1))
    smooth = joint + 0.5 / joint.shape[-1]

    def value(table: np.ndarray) -> float:
        return float(measure.on_counts(table.sum(axis=2)) - measure.on_counts(table.sum(axis=1)))

    total, step = 0.0, 1e-5
    moves = np.zeros(joint.shape)
    for cell in np.ndindex(*joint.shape):
        more, less = smooth.copy(), smooth.copy()
        more[cell] += step
        less[cell] -= step
        moves[cell] = (value(more) - value(less)) / (2 * step)
    moves -= (smooth * moves).sum() / smooth.sum()
    total = (smooth * moves**2).sum()
    return float(gap / np.sqrt(total)) if gap else 0.0


@pytest.mark.part(2)
@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "ppv", "npv"])
def test_tables_equal_exchanging_case_by_case(name: str) -> None:
    first, second = labelled(9, 3)
    chosen = find(name)
    y, a, b = (x.astype(int) for x in (first.positive, first.label, second.label))
    null = []
    for swap in product((False, True), repeat=9):
        joint = np.zeros((2, 2, 2))
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        np.add.at(joint, (y, one, other), 1.0)
        null.append(pivot(chosen, joint))
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (y, a, b), 1.0)
    observed = pivot(chosen, joint)
    # the two derivatives differ in the sixth digit, so ties are told by five
    expected = tail(
        round(observed, 3), np.round(null, 3), alternative="two-sided", center=0.0, exact=True
    )
    found = exchanged(chosen, first, second)
    assert found.draws is None
    assert found.statistic == pytest.approx(observed, rel=1e-3)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)


def dense_pivot(measure: Measure, joint: np.ndarray) -> float:
    """The studentised difference from a joint table (K, K, K) written out."""
    one, other = joint.sum(axis=2), joint.sum(axis=1)
    gap = float(measure.on_counts(one) - measure.on_counts(other))
    smooth = joint + 0.5 / len(joint)
    mine, theirs = (table_slopes(measure, smooth.sum(axis=axis)) for axis in (2, 1))
    moves = mine[:, :, None] - theirs[:, None, :]
    moves = moves - (smooth * moves).sum() / smooth.sum()
    return gap / float(np.sqrt((smooth * moves**2).sum()))


@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc", "kappa", "informedness"])
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_tables_held_by_their_cells_equal_whole_ones(name: str, classes: int) -> None:
    first, second = labelled(60, 5, classes)
    measure = find(name).for_outcome(first.kind)
    tables = _Tables(measure, Joint.of(first, second))
    joint = tables.joint
    swaps = np.random.default_rng(1).binomial(joint.sizes, 0.5, size=(7, len(joint.now)))
    swaps[0] = joint.now
    actual, low, high = joint.kinds.T
    expected = []
    for row in swaps:
        whole = np.zeros((classes, classes, classes))
        whole[joint.same[0], joint.same[1], joint.same[1]] = joint.agreed
        whole[actual, low, high] = row
        whole[actual, high, low] = joint.sizes - row
        expected.append(dense_pivot(measure, whole))
    np.testing.assert_allclose(tables.pivots(swaps), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("classes", [2, 5])
def test_measures_share_the_exchanges_of_a_pair(
    classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = labelled(60, 5, classes)
    chosen = [find(name).for_outcome(first.kind) for name in ("f1", "mcc", "kappa")]
    how = Settings(draws=199, seed=3)
    monkeypatch.setattr("abovechance.inference.exchange.LISTED_TABLES", 0)
    alone = [np.asarray(replicate_blocks(_Tables(m, Joint.of(first, second)), how)) for m in chosen]
    drawn: list[int] = []
    plain = _Binomials.__call__

    def counted(self: _Binomials, rng: np.random.Generator, size: int) -> np.ndarray:
        drawn.append(size)
        return plain(self, rng, size)

    monkeypatch.setattr(_Binomials, "__call__", counted)
    for m, expected in zip(chosen, alone, strict=True):
        found = _Tables(m, Joint.of(first, second)).replicates(how)
        np.testing.assert_array_equal(found, expected)
        exchanged(m, first, second, settings=how)
    assert drawn == [199]
    third = labelled(60, 8, classes)[1]
    assert Joint.of(first, third) is not Joint.of(first, second)


@pytest.mark.parametrize("classes", [2, 3])
def test_sides_and_directions(classes: int) -> None:
    first, second = labelled(40, 5, classes)
    how = Settings(draws=999, seed=1)
    for name, opposite in (("f1", None), ("ppv", "false_discovery_rate")):
        chosen = find(name).for_outcome(first.kind)
        sides = {
            side: exchanged(chosen, first, second, alternative=side, settings=how).p_value
            for side in ("greater", "less", "two-sided")
        }
        turned = exchanged(chosen, second, first, alternative="less", settings=how)
        assert turned.p_value == pytest.approx(sides["greater"], abs=0.05)
        assert min(sides["greater"], sides["less"]) <= sides["two-sided"]
        if opposite:
            other = find(opposite).for_outcome(first.kind)
            found = exchanged(other, first, second, alternative="greater", settings=how)
            assert found.p_value == pytest.approx(sides["greater"], abs=1e-12)


def test_identical_models_have_p_one_for_every_measure() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(2, size=30)
    model = Binary(y, probability=np.round(rng.random(30), 2))
    seen = 0
    for chosen in applicable(model):
        if chosen.law is Law.UNKNOWN and np.isfinite(chosen.of(model)):
            assert exchange(model, model, chosen, draws=19, rng=1).p_value == 1.0, chosen.name
            seen += 1
    assert seen > 15


def test_rank_measures_do_not_care_about_the_scale_of_the_scores() -> None:
    rng = np.random.default_rng(10)
    y = rng.integers(2, size=40)
    a, b = rng.normal(size=(2, 40)) + y
    plain = exchange(Binary(y, score=a), Binary(y, score=b), "average_precision", draws=49, rng=1)
    scaled = exchange(
        Binary(y, score=a), Binary(y, score=np.exp(5 * b)), "average_precision", draws=49, rng=1
    )
    assert plain == scaled


@measure(
    title="Mean gap",
    form=Form.SAMPLE,
    family=Family.RANK,
    reads=View.SCORE,
    range=(-np.inf, np.inf),
    best=np.inf,
    law=Law.UNKNOWN,
    source="for this test",
    outcomes=frozenset({"binary"}),
)
def mean_gap(outcome, score, weight):
    """Mean score of positives less that of negatives: it depends on the scale."""
    return (outcome * score).mean(axis=-1)


def test_scores_of_unknown_scale_are_not_mixed() -> None:
    y = [0, 1, 1, 0]
    with pytest.raises(NotApplicable, match="scale"):
        exchange(Binary(y, score=[1, 2, 3, 4]), Binary(y, score=[9, 8, 7, 6]), mean_gap)


def test_whole_clusters_are_exchanged() -> None:
    rng = np.random.default_rng(11)
    groups = np.repeat(np.arange(4), 10)
    y = rng.integers(2, size=40)
    models = [Binary(y, label=rng.integers(2, size=40), groups=groups) for _ in range(2)]
    found = exchanged(find("f1"), *models)
    assert found.draws is None
    assert found.least == 0.125
    assert found.p_value * 16 == pytest.approx(round(found.p_value * 16))


def test_survival_brier_is_a_sign_flip_of_weighted_losses() -> None:
    rng = np.random.default_rng(12)
    time, event = rng.exponential(size=12), rng.random(12) < 0.7
    times = np.array([0.3, 0.6])
    models = [
        Survival(time, event, survival=rng.random((12, 1)) * [1.0, 0.7], times=times)
        for _ in range(2)
    ]
    chosen = find("brier_at")
    made = Swapped(chosen, *(Sample.of(p) for p in models))
    everyone = np.eye(12, dtype=bool)
    parts = -made.pivots(everyone) / 2 + made.pivots(np.zeros((1, 12), bool)) / 2
    swap = rng.random((1, 12)) < 0.5
    expected = (np.where(swap[0], -1, 1) * parts).sum()
    assert made.pivots(swap)[0] == pytest.approx(expected, rel=1e-9)


def test_a_jackknife_leaves_out_groups_without_a_value() -> None:
    rng = np.random.default_rng(13)
    y = np.zeros(30, dtype=int)
    y[:2] = 1  # without one of the groups there is one positive case left
    models = [Binary(y, score=rng.normal(size=30) + y) for _ in range(2)]
    made = swappable(find("average_precision"), *models)
    found = made.pivots(rng.random((6, 30)) < 0.5)
    assert np.isfinite(found).all()
    groups = np.where(y == 1, 0, np.arange(30))
    grouped = [Binary(y, score=p.score, groups=groups) for p in models]
    found = swappable(find("average_precision"), *grouped).pivots(rng.random((6, 30)) < 0.5)
    assert np.isfinite(found).all()


def test_an_own_correlation_is_exchanged_on_its_own_scale() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=60)
    one, other = y + rng.normal(size=60), 1000.0 * (y + rng.normal(size=60)) + 500.0
    first, second = Numeric(y, one), Numeric(y, other)
    for name in ("pearson", "spearman"):
        known = find(name)
        own = dataclasses.replace(known, name=f"my_{name}", title="Mine")
        there, here = (
            swappable(m.for_outcome("numeric"), first, second).first.column("value")
            for m in (known, own)
        )
        assert np.array_equal(there, here)
        assert not np.array_equal(there, first.value)
    kept = swappable(find("mse"), first, second).first.column("value")
    assert np.array_equal(kept, first.value)


def test_tables_of_many_classes_are_exchanged_less_often() -> None:
    asked = [affordable(find("kappa"), 500, None, k) for k in (2, 10, 20, 40)]
    assert asked == [9999, 9999, 1249, 199]
    assert affordable(find("kappa"), 500, 5000, 40) == 5000


def test_grades_are_exchanged_as_they_are_and_scores_as_ranks() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(60) % 4 == 0
    grades = [np.round(rng.normal(size=60) + y) for _ in range(2)]
    scores = [rng.normal(size=60) * scale for scale in (1.0, 50.0)]
    kept = swappable(find("partial_auc"), *(Binary(y, score=s) for s in grades))
    ranked = swappable(find("partial_auc"), *(Binary(y, score=s) for s in scores))
    apart = swappable(find("partial_auc"), *(Binary(y, score=s) for s in (grades[0], scores[1])))
    assert np.array_equal(kept.second.column("score"), grades[1])
    for made in (ranked, apart):
        assert np.array_equal(np.sort(made.second.column("score")), np.arange(1.0, 61.0))


def test_a_model_on_another_scale_has_the_exchanged_correlations_of_its_own() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=40)
    one, other = y + rng.normal(size=40), y + rng.normal(size=40)
    swaps = rng.random((5, 40)) < 0.5
    pearson = find("pearson")
    expected = swappable(pearson, Numeric(y, one), Numeric(y, other)).pivots(swaps)
    for moved in (other + 50.0, 10.0 * other, 3.0 - one.mean() + 0.2 * other):
        made = swappable(pearson, Numeric(y, one), Numeric(y, moved))
        assert made.pivots(swaps) == pytest.approx(expected, rel=1e-9)
    standard = [(v - v.mean()) / v.std() for v in (one, other + 50.0)]
    mixed = swappable(pearson, Numeric(y, one), Numeric(y, other + 50.0)).values(swaps)
    for row, found in zip(swaps, mixed, strict=True):
        assert found == pytest.approx(np.corrcoef(y, np.where(row, *standard[::-1]))[0, 1])


def test_few_cases_are_left_out_two_at_a_time() -> None:
    """The jackknife spelled out for Tjur's R², a difference of two mean probabilities."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 6)
    p = rng.random((2, 12))
    made = swappable(find("tjur_r2"), *(Binary(y, probability=row) for row in p))
    swaps = rng.random((4, 12)) < 0.5
    for row, found in zip(swaps, made.pivots(swaps), strict=True):
        apart = np.where(row, p[1] - p[0], p[0] - p[1])
        gaps = []
        for k in range(-1, 6):  # all cases, then without one of each class
            kept = np.arange(12) % 6 != k
            gaps.append(apart[kept & (y == 1)].mean() - apart[kept & (y == 0)].mean())
        without = np.array(gaps[1:])
        error = np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
        assert found == pytest.approx(gaps[0] / error, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "groups"),
    [("mcc", 50), ("tjur_r2", 50), ("auc", 20), ("average_precision", 20)],
)
def test_the_jackknife_has_fewer_groups_where_every_value_is_computed_by_itself(
    name: str, groups: int
) -> None:
    rng = np.random.default_rng(1)
    first, second = (Binary(np.arange(200) % 2, probability=rng.random(200)) for _ in "ab")
    parts = Swapped(find(name), Sample.of(first), Sample.of(second)).parts
    assert np.unique(parts).size == groups
    assert np.ptp(np.bincount(parts)) <= 200 % groups


def test_a_spread_that_only_rounding_makes_is_none_in_any_unit() -> None:
    """Of differences (0, 1, −1, unknown) in units of any size, beside a spread of that size."""
    gap = np.array([0.0, 1.0, -1.0, np.nan, 1.0, -2.0])
    share = np.array([0.0, 1e-32, 1e-30, 0.0, 4.0, 1e-26])  # of the squared unit
    wanted = [0.0, np.inf, -np.inf, np.nan, 0.5, -2e13]
    for unit in (1.0, 1e6, 1e12):
        found = studentised(unit * gap, unit**2 * share)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
