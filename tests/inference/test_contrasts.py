"""What holds of every difference, whatever the measure, the outcome, the clusters, the weights."""

from collections.abc import Iterator
from statistics import NormalDist, fmean
from typing import Any

import numpy as np
import pytest

from abovechance.inference.bootstrap import accelerated, span
from abovechance.inference.comparison import compare
from abovechance.inference.contrasts import Resampled
from abovechance.inference.miscalibration import depends_on_size
from abovechance.measures import Family, Form, Law, Measure, applicable, find
from abovechance.measures.sample import COUNTING
from abovechance.numerics.kernels import SWITCH
from abovechance.numerics.smooth import Repeated
from abovechance.predictions import Binary, Multiclass, Numeric, Survival, View
from abovechance.settings import Settings

N = 48
DRAWS = 99
TIGHT = 1e-9
SLOW = {"e50", "e90", "emax", "ici"}  # a loess fit each
WITHOUT = {  # cases as they come, and the ways in which they can depend on each other
    "none": None,
    "equal": np.repeat(np.arange(12), 4),
    "unequal": np.repeat(np.arange(10), [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]),
    "crossing": np.arange(N) % 9,
}


def logits(rng: np.random.Generator, y: Any, strength: float) -> Any:
    return strength * (2.0 * y - 1.0) + rng.normal(size=len(y))


def binary(**facts: Any) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], N // 2) if facts.pop("constant", False) else np.arange(N) % 2
    p = {k: 1 / (1 + np.exp(-logits(rng, y, s))) for k, s in (("a", 1.2), ("b", 0.6))}
    return {k: Binary(y, probability=v, **facts) for k, v in p.items()}


def classes(**facts: Any) -> dict[str, Any]:
    facts.pop("constant", None)
    rng = np.random.default_rng(8)
    y = np.arange(N) % 3
    made = {}
    for k, s in (("a", 1.2), ("b", 0.6)):
        raw = np.exp(s * (np.arange(3) == y[:, None]) + 0.7 * rng.normal(size=(N, 3)))
        made[k] = raw / raw.sum(axis=1, keepdims=True)
    return {k: Multiclass(y, probability=v, **facts) for k, v in made.items()}


def numbers(**facts: Any) -> dict[str, Any]:
    facts.pop("constant", None)
    rng = np.random.default_rng(9)
    y = 3.0 + rng.random(N)
    made = {k: np.abs(y + s * rng.normal(size=N)) for k, s in (("a", 0.3), ("b", 0.5))}
    return {k: Numeric(y, v, **facts) for k, v in made.items()}


def times(**facts: Any) -> dict[str, Any]:
    facts.pop("constant", None)
    rng = np.random.default_rng(10)
    latent = rng.normal(size=N)
    time, event = np.exp(-latent) * rng.exponential(size=N), rng.random(N) < 0.7
    made = {k: latent + s * rng.normal(size=N) for k, s in (("a", 0.5), ("b", 1.0))}
    return {k: Survival(time, event, risk=v, **facts) for k, v in made.items()}


KINDS = {"binary": binary, "multiclass": classes, "numeric": numbers, "survival": times}
SETTINGS = {name: {"groups": groups} for name, groups in WITHOUT.items()} | {
    "constant": {"groups": np.repeat(np.arange(12), 4), "constant": True},
    "weights": {"sample_weight": np.linspace(0.5, 2.0, N)},
}


def measures(models: dict[str, Any]) -> Iterator[Measure]:
    """All that apply and have finite values, but those that only cost time."""
    for m in applicable(models["a"]):
        values = [m.of(p) for p in models.values()]
        if m.name not in SLOW and np.isfinite(values).all():
            yield m


def rows(models: dict[str, Any], chosen: list[Measure], **options: Any) -> dict[str, Any]:
    found = compare(models, chosen, **{"rng": 1, "draws": DRAWS, **options})
    return {row.measure: row for row in found.differences}


@pytest.mark.part(3)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_difference_within_reach_or_are_refused(kind: str, setting: str) -> None:
    models = KINDS[kind](**dict(SETTINGS[setting]))
    chosen = list(measures(models))
    found = rows(models, chosen)
    for m in chosen:
        row = found[m.label]
        if row.interval is None:
            assert row.undefined, m.name
            for internal in ("kind=", "groups=None", "ndarray", "Traceback", "stratum"):
                assert internal not in row.undefined, (m.name, row.undefined)
            continue
        low, high = row.interval.low, row.interval.high
        assert low - TIGHT <= row.difference <= high + TIGHT, (m.name, row.interval)
        assert low < high or row.interval.method.startswith("identical "), (m.name, row.interval)
        least, most = span(m.range)
        assert least - TIGHT <= low <= high <= most + TIGHT, (m.name, row.interval)
        if row.p_value is not None:
            assert 0.0 < row.p_value <= 1.0, m.name


@pytest.mark.part(3)
@pytest.mark.parametrize("setting", ["none", "unequal", "weights"])
@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric"])  # of times all are drawn
def test_swapped_models_have_the_opposite_difference(kind: str, setting: str) -> None:
    models = KINDS[kind](**dict(SETTINGS[setting]))
    chosen = [m for m in measures(models) if not m.needs_index_draws]
    other = {"b": models["b"], "a": models["a"]}
    found, swapped = rows(models, chosen), rows(other, chosen)
    for m in chosen:
        one, two = found[m.label], swapped[m.label]
        assert one.difference == pytest.approx(-two.difference, abs=1e-12), m.name
        assert one.better == two.better, m.name
        assert (one.p_value is None) == (two.p_value is None), m.name
        if one.p_value is not None:
            assert one.p_value == pytest.approx(two.p_value, abs=0.06), m.name  # of the draws
        if one.interval is None or two.interval is None:
            assert one.interval is two.interval is None, m.name
            continue
        width = one.interval.high - one.interval.low
        slack = 1e-6 * width + 1e-9
        assert one.interval.low == pytest.approx(-two.interval.high, abs=slack), m.name
        assert one.interval.high == pytest.approx(-two.interval.low, abs=slack), m.name


@pytest.mark.parametrize("kind", KINDS)
def test_twice_the_cases_never_widen_an_interval(kind: str) -> None:
    models = KINDS[kind]()
    twice = {k: p.take(np.tile(np.arange(N), 2)) for k, p in models.items()}
    chosen = list(measures(models))
    found, doubled = (rows(p, chosen, draws=199) for p in (models, twice))
    for m in chosen:
        one, two = found[m.label].interval, doubled[m.label].interval
        if one is None:
            continue
        assert two is not None, m.name
        slack = 1.1 if "bootstrap" in one.method else 1.0 + TIGHT
        assert two.high - two.low <= slack * (one.high - one.low), (m.name, one, two)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "numeric"])  # that have mean losses
def test_clusters_of_one_case_are_independent_cases(kind: str) -> None:
    plain, alone = KINDS[kind](), KINDS[kind](groups=np.arange(N))
    chosen = [
        m
        for m in measures(plain)
        if m.law is Law.MEAN and m.form is Form.LOSSES and m.after is None
    ]
    found, clustered = rows(plain, chosen), rows(alone, chosen)
    for m in chosen:
        one, two = found[m.label], clustered[m.label]
        assert one.difference == pytest.approx(two.difference, rel=1e-12), m.name
        assert one.p_value == two.p_value, m.name
        assert one.interval.low == pytest.approx(two.interval.low, rel=1e-9), m.name
        assert one.interval.high == pytest.approx(two.interval.high, rel=1e-9), m.name


def test_clusters_of_one_case_leave_class_shares_nearly_as_they_are() -> None:
    plain, alone = binary(), binary(groups=np.arange(N))
    for name in ("sensitivity", "balanced_accuracy", "accuracy"):
        one, two = (compare(p, [name], rng=1)[name] for p in (plain, alone))
        assert one.p_value == pytest.approx(two.p_value, rel=1e-9), name
        width = one.interval.high - one.interval.low
        assert two.interval.low == pytest.approx(one.interval.low, abs=0.15 * width), name
        assert two.interval.high == pytest.approx(one.interval.high, abs=0.15 * width), name


@pytest.mark.parametrize("kind", KINDS)
def test_margins_verdicts_intervals_and_p_values_agree(kind: str) -> None:
    models = KINDS[kind]()
    for m in measures(models):
        if m.higher_is_better is None or m.needs_index_draws:
            continue
        gap = abs(m.of(models["a"]) - m.of(models["b"]))
        for margin in (0.5 * gap + 1e-6, 3.0 * gap + 1e-3):
            found = rows(models, [m], margin=margin)[m.label].margin
            if found is None:
                continue
            sign = 1.0 if m.higher_is_better else -1.0
            low, high = sorted((sign * found.interval.low, sign * found.interval.high))
            if found.noninferior:
                assert low > -margin, m.name
                assert found.p_noninferior is None or found.p_noninferior <= 0.05, m.name
            if found.equivalent:
                assert -margin < low <= high < margin, m.name
                assert found.p_equivalent is None or found.p_equivalent <= 0.05, m.name


def test_p_of_means_is_what_the_interval_says() -> None:
    rng = np.random.default_rng(4)
    for seed in range(12):
        y = rng.normal(size=40)
        models = {
            k: Numeric(y, y + rng.standard_t(3, size=40) * s) for k, s in (("a", 1), ("b", 1.3))
        }
        row = compare(models, ["mae"], rng=seed, draws=199)["mae"]
        assert row.test == "studentised bootstrap"
        assert (row.p_value <= 0.05) == (not row.interval.low <= 0.0 <= row.interval.high)


def test_models_that_differ_nowhere_have_no_verdict() -> None:
    y = np.arange(40) % 2
    p = np.where(y, 0.7, 0.2) + np.linspace(0.0, 0.1, 40)
    one, same = Binary(y, probability=p), Binary(y, probability=p)
    row = compare({"a": one, "b": same}, ["brier"], margin=0.02, rng=1)["brier"]
    assert row.identical
    assert row.margin is None
    assert "no verdict" in row.undefined
    turned = {"a": Numeric(y, y + 0.1), "b": Numeric(y, y - 0.1)}  # other predictions, equal losses
    row = compare(turned, ["mse"], margin=0.02, rng=1)["mse"]
    assert not row.identical
    assert (row.p_value, row.interval, row.margin) == (1.0, None, None)
    assert "standard error" in row.undefined


def test_a_cluster_without_the_class_says_nothing_of_it() -> None:
    y = np.r_[np.ones(12, int), np.zeros(40, int)]
    one, other = y.copy(), y.copy()
    one[[0, 1, 2, 5]] = 0
    other[[4, 8, 9]] = 0
    groups = np.r_[np.repeat([0, 1, 2], 4), np.arange(3, 43)]
    models = {k: Binary(y, label=v, groups=groups) for k, v in (("a", one), ("b", other))}
    kept = {k: p.take(y == 1) for k, p in models.items()}
    whole = compare(models, ["sensitivity"], rng=1)["sensitivity"].interval
    alone = compare(kept, ["sensitivity"], rng=1)["sensitivity"].interval
    assert (whole.low, whole.high) == (alone.low, alone.high)
    assert whole.method == "t over 3 clusters"


def test_a_users_share_of_right_cases_is_treated_as_accuracy() -> None:
    import abovechance as ac

    @ac.measure(
        title="Right in percent",
        form=Form.COUNTS,
        family=Family.CATEGORICAL,
        reads=View.LABEL,
        range=(0.0, 100.0),
        best=100.0,
        law=Law.SHARE,
        source="here",
    )
    def percent(table: Any) -> Any:
        right = np.trace(table, axis1=-2, axis2=-1)
        return 100.0 * right / table.sum(axis=(-2, -1))

    found = compare(binary(), [percent, "accuracy"], rng=1)
    mine, usual = found.differences
    assert mine.difference == pytest.approx(100.0 * usual.difference)
    assert mine.interval.low == pytest.approx(100.0 * usual.interval.low)
    assert mine.p_value == usual.p_value
    assert mine.posterior.p_better == usual.posterior.p_better


def test_models_that_order_alike_are_not_called_identical() -> None:
    y, p = np.arange(40) % 2, np.linspace(0.05, 0.95, 40)
    models = {"one": Binary(y, probability=p), "other": Binary(y, probability=0.9 * p)}
    row = compare(models, ["auc"], rng=1).differences[0]
    assert not row.identical
    assert row.interval is not None
    assert row.interval.method == row.test == "identical order of all cases"


@pytest.mark.parametrize("calling", ["every positive found", "nobody called"])
def test_leaving_out_pairs_the_cases_and_not_the_cells_of_two_tables(calling: str) -> None:
    rng = np.random.default_rng(11)
    y = np.r_[np.ones(9), np.zeros(31)]
    p = np.clip(0.3 + 0.3 * y + rng.normal(0, 0.2, 40), 0.01, 0.99)
    other = np.where(y == 1, 0.9, p) if calling == "every positive found" else 0.4 * p
    first, second = (Binary(y, probability=q, pos_label=1) for q in (p, other))
    tables = {name: len(np.flatnonzero(q.confusion)) for name, q in (("a", first), ("b", second))}
    assert tables["a"] != tables["b"]  # else cells might pair by luck
    smooth = [m for m in applicable(first) if m.form in COUNTING and m.smooth]
    assert len(smooth) > 3
    for measure in smooth:
        found, times = Resampled(measure, first, second, Settings())._without_one()
        rows = [np.delete(np.arange(40), k) for k in range(40)]
        with np.errstate(all="ignore"):
            plain = [float(measure.of(first.take(r)) - measure.of(second.take(r))) for r in rows]
        spelled = np.repeat(found, times.astype(int))
        assert np.sort(spelled) == pytest.approx(np.sort(plain), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("positives", "enough"), [(12, False), (45, True)])
def test_few_weighted_cases_of_a_class_give_no_verdict_on_a_margin(
    positives: int, enough: bool
) -> None:
    rng = np.random.default_rng(6)
    y = np.arange(120) < positives
    weight = rng.uniform(1.0, 3.0, 120)
    p = [1 / (1 + np.exp(-(2.0 * y - 1.0 + rng.normal(size=120)))) for _ in range(2)]
    models = {
        k: Binary(y, probability=q, sample_weight=weight) for k, q in zip("ab", p, strict=True)
    }
    for row in compare(models, ["sensitivity", "brier"], margin=0.1, draws=DRAWS).differences:
        assert row.interval is not None
        assert (row.margin is not None) == enough
        assert ("30 weighted cases of each class" in str(row.undefined)) != enough


def test_few_clusters_of_a_class_give_no_verdict_on_a_margin() -> None:
    rng = np.random.default_rng(5)
    for positive, enough in ((6, False), (24, True)):
        groups = np.repeat(np.arange(positive + 30), 5)
        y = groups < positive
        p = [1 / (1 + np.exp(-(2.0 * y - 1.0 + rng.normal(size=len(y))))) for _ in range(2)]
        models = {k: Binary(y, probability=q, groups=groups) for k, q in zip("ab", p, strict=True)}
        found = compare(models, ["sensitivity", "brier"], margin=0.1, draws=DRAWS)
        for row in found.differences:
            assert row.interval is not None
            assert (row.margin is not None) == enough
            said = "needs 20 clusters with cases of True, and there are 6"
            assert (said in str(row.undefined)) != enough


def _hardly_apart(changed: int) -> dict[str, Any]:
    """Two weighted models that call only so many of 1200 cases differently."""
    rng = np.random.default_rng(9)
    y = np.arange(1200) % 10 == 0
    p = np.clip(0.1 + 0.25 * y + rng.normal(0, 0.12, 1200), 0.01, 0.99)
    other = p.copy()
    other[rng.choice(np.flatnonzero(p < 0.4), changed, replace=False)] = 0.7
    weight = rng.uniform(0.5, 2.0, 1200)
    return {k: Binary(y, probability=q, sample_weight=weight) for k, q in (("a", p), ("b", other))}


@pytest.mark.parametrize(("changed", "enough"), [(2, False), (40, True)])
def test_a_difference_that_a_handful_of_cases_makes_has_no_bootstrap_interval(
    changed: int, enough: bool
) -> None:
    measure = "standardised_net_benefit"
    row = compare(_hardly_apart(changed), [measure], draws=DRAWS, rng=1)[measure]
    assert (row.interval is not None) == enough
    assert ("too few to say how the difference varies" in str(row.undefined)) != enough


def test_intervals_of_differences_of_distances_are_warned_of() -> None:
    for names, told in ((["ece", "brier"], True), (["brier"], False)):
        found = compare(_hardly_apart(40), names, draws=DRAWS, rng=1)
        said = [a.text for a in found.advice if a.code == "AC161"]
        assert bool(said) == told
        assert all(text.startswith("ece:") for text in said)


def test_what_chance_makes_greater_has_no_verdict_on_a_margin() -> None:
    models = binary()
    with_direction = [m for m in applicable(models["a"]) if m.higher_is_better is not None]
    distances = [m for m in with_direction if depends_on_size(m)]
    assert {"ece", "emax", "ici"} <= {m.name for m in distances}
    found = compare(models, distances, margin=0.5, draws=DRAWS, rng=1)
    assert all(row.margin is None for row in found.differences)
    for row in found.differences:
        assert row.interval is None or "no verdict on a margin" in str(row.undefined), row.measure


CURVES = ["ici", "e50", "e90"]


def confident(n: int, models: int) -> dict[str, Any]:
    """Models of three classes that are more or less overconfident."""
    rng = np.random.default_rng(n)
    y = np.arange(n) % 3
    raw = rng.normal(size=(n, 3)) + 1.2 * (np.arange(3) == y[:, None])
    made = [np.exp((1.0 + 0.3 * k) * raw + 0.3 * rng.normal(size=(n, 3))) for k in range(models)]
    return {
        str(k): Multiclass(y, probability=p / p.sum(axis=1, keepdims=True))
        for k, p in enumerate(made)
    }


@pytest.mark.parametrize("n", [1_000, 1_001])  # cases left out, and resamples
def test_curves_are_fitted_once_to_each_model(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[int] = []
    plain = Repeated.curves

    def counted(self: Repeated, counts: Any, span: float = 0.75) -> Any:
        fitted.append(int(counts.sum()))
        return plain(self, counts, span)

    monkeypatch.setattr(Repeated, "curves", counted)
    compare(confident(n, 3), CURVES, draws=19, rng=1)
    left_out = n if n <= 1_000 else 500
    assert len(fitted) == 3 * (left_out + (0 if n <= 1_000 else 19))


def test_curves_of_resamples_are_those_without_compiled_loops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick = compare(confident(70, 2), CURVES, rng=1)
    monkeypatch.setenv(SWITCH, "off")
    plain = compare(confident(70, 2), CURVES, rng=1)
    for name in CURVES:
        assert plain[name].interval.low == pytest.approx(quick[name].interval.low, rel=1e-8)
        assert plain[name].interval.high == pytest.approx(quick[name].interval.high, rel=1e-8)


def test_accelerated_percentiles_are_those_of_the_textbook() -> None:
    """Efron and Tibshirani (1993), equations 14.9 to 14.15, cases that count several times."""
    normal = NormalDist()
    values, estimate = np.array([0.1, 0.2, 0.2, 0.3, 0.5, 0.7, 0.8, 1.1]), 0.3
    without, times = np.array([0.31, 0.22, 0.4, np.nan]), np.array([2.0, 1.0, 3.0, 5.0])
    spelled = [0.31, 0.31, 0.22, 0.4, 0.4, 0.4]  # undefined ones do not count
    gap = [fmean(spelled) - one for one in spelled]
    a = sum(g**3 for g in gap) / (6.0 * sum(g**2 for g in gap) ** 1.5)
    z0 = normal.inv_cdf((3 + 0.5) / 8)  # one replicate equals the estimate
    wanted = [
        normal.cdf(z0 + (z0 + normal.inv_cdf(at)) / (1.0 - a * (z0 + normal.inv_cdf(at))))
        for at in (0.05, 0.95)
    ]
    found = accelerated(np.array([0.05, 0.95]), values, estimate, without, times)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_replicates_all_on_one_side_keep_half_a_replicate_beyond() -> None:
    same, once, normal = np.full(3, 2.0), np.ones(3), NormalDist()
    for estimate, share in ((9.0, 1 - 0.5 / 4), (-9.0, 0.5 / 4)):
        found = accelerated(np.array([0.5]), np.arange(4.0), estimate, same, once)
        assert found == pytest.approx([normal.cdf(2 * normal.inv_cdf(share))])


@pytest.mark.parametrize("n", [13, 80])
def test_few_cases_give_no_verdict_on_a_margin_by_leaving_out(n: int) -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=n)
    models = {k: Numeric(y, y + rng.normal(0, 0.5, n)) for k in "ab"}
    for row in compare(models, ["pearson", "r2"], margin=0.2, draws=DRAWS, rng=1).differences:
        assert row.interval is not None
        assert (row.margin is not None) == (n >= 50)
        assert ("needs 50 cases, and there are 13" in str(row.undefined)) == (n < 50)


@pytest.mark.parametrize("clusters", [False, True])
def test_two_models_vary_together_as_their_influences_less_one_standard_error(
    clusters: bool,
) -> None:
    """Spelled out for a mean, whose influence is the deviation over n."""
    rng = np.random.default_rng(3)
    y, shared = rng.normal(size=40), rng.normal(size=40)
    groups = np.repeat(np.arange(20), 2) if clusters else None
    first, second = (
        Numeric(y, y + shared + 0.1 * s * rng.normal(size=40), groups=groups) for s in (1, 2)
    )
    losses = [(p.value - p.outcome).ravel() ** 2 for p in (first, second)]
    a, b = ((x - x.mean()) / 40 for x in losses)
    if clusters:
        a, b = (x.reshape(20, 2).sum(axis=1) for x in (a, b))
    r = (a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum())

    def freedom(x: Any) -> float:
        n, kurtosis = len(x), len(x) * (x**4).sum() / (x**2).sum() ** 2
        return min(max(2 * n / (kurtosis - 1), 3), n - 1)

    near = r - (1 - r**2) / np.sqrt(1 + min(freedom(a), freedom(b)))
    square, fourth = ((a - b) ** 2).sum(), ((a - b) ** 4).sum()
    parted = (a**2).sum() + (b**2).sum() - square - 4 * fourth / square
    careful = parted / (2 * np.sqrt((a**2).sum() * (b**2).sum()))
    found = Resampled(find("mse"), first, second, Settings(seed=1))._correlation()
    assert found == pytest.approx(min(near, careful), rel=1e-9)
    assert found > 0.1


def test_a_model_that_never_varies_varies_with_no_other() -> None:
    y = np.arange(8.0)
    first, second = Numeric(y, y + 1.0), Numeric(y, y + np.array([1, 2] * 4))
    assert Resampled(find("mse"), first, second, Settings(seed=1))._correlation() == 0.0


@pytest.mark.parametrize("groups", [None, np.arange(40) // 2])
def test_areas_of_scores_alone_are_compared_with_weights(groups: Any) -> None:
    rng = np.random.default_rng(8)
    y, weight = np.arange(40) % 2, rng.gamma(2.0, size=40)
    models = {
        name: Binary(y, score=y + rng.normal(size=40), sample_weight=weight, groups=groups)
        for name in ("old", "new")
    }
    found = compare(models, draws=99, rng=1)
    rows = {row.measure: row.interval for row in found.differences}
    assert rows["auc"] is not None
