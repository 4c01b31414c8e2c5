"""Weighted means of Beta variables agree with exact arithmetic, in the middle and far out."""

from functools import reduce
from itertools import pairwise, product
from math import gamma

import numpy as np
import pytest
from scipy import special

from abovechance.numerics import beta
from abovechance.numerics.beta_mean import (
    BetaMean,
    Convolution,
    Many,
    Share,
    Shares,
    _blocks,
    interpolate,
    series,
)

LEVELS = np.array([1e-9, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999, 1 - 1e-9])
SETTINGS = {
    "one": ([4.0], [2.0], [1.0]),
    "nothing known": ([1.0, 1.0], [1.0, 1.0], [0.5, 0.5]),
    "two": ([41.0, 3.0], [6.0, 9.0], [0.5, 0.5]),
    "unequal weights": ([41.0, 3.0], [6.0, 9.0], [0.9, 0.1]),
    "a million": ([9e5, 4e5], [1e5, 6e5], [0.5, 0.5]),
    "a million and two": ([1e6, 3.0], [1.0, 1.0], [0.5, 0.5]),
    "Jeffreys without errors": ([10.5, 3.5], [0.5, 0.5], [0.3, 0.7]),
    "three without errors": ([7.0, 5.0, 10.0], [1.0, 1.0, 1.0], [1 / 3] * 3),
    "three smooth": ([70.0, 50.0, 10.0], [11.0, 8.0, 6.0], [0.2, 0.3, 0.5]),
    "four, one tiny": ([700.0, 2.0, 30.0, 11.0], [90.0, 1.0, 3.0, 2.0], [0.25] * 4),
    "difference": ([41.0, 30.0], [6.0, 9.0], [1.0, -1.0]),
    "twelve": (np.arange(5.0, 17.0), np.arange(1.0, 13.0)[::-1], [1 / 12] * 12),
    "a hundred": (np.arange(5.0, 105.0), np.full(100, 4.0), [0.01] * 100),
}


@pytest.fixture(params=SETTINGS, ids=lambda name: name.replace(" ", "_"))
def mean(request) -> BetaMean:
    return BetaMean(*SETTINGS[request.param])


def test_beta_density_agrees_with_high_precision() -> None:
    import mpmath

    with mpmath.workdps(40):
        for a, b in [(1e6, 1e6), (1e6, 1.0), (1e6, 0.5), (3.0, 4.0), (0.5, 0.5), (17.0, 15.5)]:
            centre, spread = a / (a + b), (a * b / (a + b + 1)) ** 0.5 / (a + b)
            for z in (-4.0, -0.5, 0.7, 3.0):
                x = centre + z * spread
                if not 0 < x < 1:
                    continue
                exact = mpmath.mpf(x) ** (mpmath.mpf(a) - 1) * (1 - mpmath.mpf(x)) ** (
                    mpmath.mpf(b) - 1
                )
                exact /= mpmath.beta(a, b)
                assert float(beta.pdf(x, a, b) / exact) == pytest.approx(1.0, rel=2e-12)


def test_beta_density_has_its_limits_at_the_ends() -> None:
    assert beta.pdf([0.0, 1.0], 1.0, 3.0).tolist() == [3.0, 0.0]
    assert beta.pdf([0.0, 1.0], 0.5, 2.0).tolist() == [np.inf, 0.0]
    assert beta.pdf([-0.1, 1.1], 2.0, 2.0).tolist() == [0.0, 0.0]


def test_density_and_distribution_agree_with_exact_rationals(reference) -> None:
    cases = reference("brodersen_multiclass")["cases"]
    assert len(cases) == 15
    for case in cases:
        shapes = np.array(case["input"]["beta_parameters"], dtype=float)
        found, expected = BetaMean(*shapes.T, 1 / len(shapes)), case["expected"]
        for key, function in (("ba_pdf_grid", found.pdf), ("ba_cdf_grid", found.cdf)):
            x, exact = np.array(expected[key]["exact"]).T
            assert function(x) == pytest.approx(exact, rel=1e-10, abs=0), (case["id"], key)


def test_high_precision_is_reached_where_plain_rules_lose_digits(reference) -> None:
    for case in reference("posterior_extra")["cases"]:
        given = case["input"]
        found = BetaMean(given["a"], given["b"], given["weights"])
        for key, values in case["expected"].items():
            function = found.pdf if key == "pdf_grid" else found.cdf
            x, exact = np.array(values["mpmath"]).T
            # A million cases make the distribution as steep as 1e6: x itself has 16 digits.
            digits = 1e-9 if max(given["a"]) > 1e5 else 1e-10
            assert function(x) == pytest.approx(exact, rel=digits, abs=1e-300), (case["id"], key)


def test_density_integrates_to_one(mean: BetaMean) -> None:
    low, high = mean.support
    edges = np.unique(
        np.concatenate([[low, high], mean.ppf([1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-6])])
    )
    edges = np.unique(np.concatenate([edges, mean.kinks[(mean.kinks > low) & (mean.kinks < high)]]))
    root, weight = np.polynomial.legendre.leggauss(40)
    angle = (root + 1) * np.pi / 4
    total = 0.0
    for a, b in pairwise(edges):
        points = a + (b - a) * np.sin(angle) ** 2
        total += (b - a) * np.pi / 4 * (weight * np.sin(2 * angle)) @ mean.pdf(points)
    assert total == pytest.approx(1.0, abs=1e-9)


def test_quantiles_invert_the_distribution(mean: BetaMean) -> None:
    x = mean.ppf(LEVELS)
    assert mean.cdf(x[:5]) == pytest.approx(LEVELS[:5], rel=1e-9)
    # Near an upper end of 1 the steps of x itself are 1e-16.
    assert mean.sf(x[5:]) == pytest.approx(1 - LEVELS[5:], rel=1e-9, abs=1e-13)


def test_distribution_grows_and_tails_add_up(mean: BetaMean) -> None:
    x = mean.mean + mean.std * np.linspace(-12, 12, 97)
    assert (np.diff(mean.cdf(x)) >= 0).all()
    assert (mean.pdf(x) >= 0).all()
    assert mean.cdf(x) + mean.sf(x) == pytest.approx(1.0, abs=1e-13)


def test_outside_the_support_there_is_nothing(mean: BetaMean) -> None:
    low, high = mean.support
    assert mean.cdf([low - 1, low, high, high + 1]).tolist() == [0, 0, 1, 1]
    assert mean.sf([low - 1, low, high, high + 1]).tolist() == [1, 1, 0, 0]
    assert mean.pdf([low - 1, high + 1]).tolist() == [0, 0]
    assert mean.ppf([0.0, 1.0]).tolist() == [low, high]
    assert np.isnan(mean.ppf([-0.1, 1.1, np.nan])).all()
    assert np.isnan(mean.cdf(np.nan))


def test_right_and_wrong_exchanged_mirror_the_distribution(mean: BetaMean) -> None:
    mirrored = BetaMean(mean.b, mean.a, mean.weights)
    x = mean.ppf([0.01, 0.3, 0.9])
    turned = sum(mean.support) - x
    assert mirrored.sf(turned) == pytest.approx(mean.cdf(x), rel=1e-9)
    assert mirrored.pdf(turned) == pytest.approx(mean.pdf(x), rel=1e-8)


def test_mean_and_variance_are_exact(mean: BetaMean) -> None:
    a, b, w = mean.a, mean.b, mean.weights
    assert mean.mean == pytest.approx(sum(w * a / (a + b)), rel=1e-14)
    variance = sum(w**2 * a * b / ((a + b) ** 2 * (a + b + 1)))
    assert mean.variance == pytest.approx(variance, rel=1e-12)


def test_draws_agree() -> None:
    a, b, w = SETTINGS["four, one tiny"]
    drawn = np.random.default_rng(1).beta(a, b, size=(200_000, 4)) @ np.array(w)
    found = BetaMean(a, b, w).cdf(np.quantile(drawn, [0.05, 0.5, 0.95]))
    assert found == pytest.approx([0.05, 0.5, 0.95], abs=0.004)


def test_two_shares_by_the_general_way_equal_the_special_one() -> None:
    a, b, w = (np.array(part) for part in SETTINGS["two"])
    x = BetaMean(a, b, w).ppf([0.001, 0.2, 0.6, 0.99])
    general = series(Shares(a, b, w), force=True)
    assert general is not None
    left = np.ones(4, dtype=bool)
    assert general.tail(x, left) == pytest.approx(BetaMean(a, b, w).cdf(x), abs=1e-12)


def test_a_third_share_without_weight_changes_nothing() -> None:
    pair = BetaMean([41, 3], [6, 9], [0.5, 0.5])
    three = BetaMean([41, 3, 8], [6, 9, 2], [0.5, 0.5, 0.0])
    x = [0.4, 0.5, 0.7]
    assert three.cdf(x).tolist() == pair.cdf(x).tolist()


@pytest.mark.parametrize("name", ["three without errors", "three smooth", "four, one tiny"])
def test_fourier_and_one_by_one_agree(name: str) -> None:
    a, b, w = (np.array(part) for part in SETTINGS[name])
    shares = [Share(*shape) for shape in zip(a.tolist(), b.tolist(), w.tolist(), strict=True)]
    shares.sort(key=lambda share: share.variance)
    layered = reduce(
        lambda total, share: Convolution(interpolate(total), share, nodes=64),
        shares[2:],
        Convolution(shares[1], shares[0]),
    )
    found = BetaMean(a, b, w)
    x = found.ppf(LEVELS)
    left = LEVELS < 0.5
    assert layered.tail(x, left) == pytest.approx(np.where(left, LEVELS, 1 - LEVELS), rel=1e-8)
    assert layered.pdf(x) == pytest.approx(found.pdf(x), rel=1e-8)


def test_equal_shares_are_computed_once_and_count_each_time(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(10, 14, 30) + 1.0, rng.integers(2, 5, 30) + 1.0
    x = np.linspace(0.6, 0.9, 40)
    found = []
    for few in (2, 10**9):
        monkeypatch.setattr("abovechance.numerics.beta_mean.FEW", few)
        mean = BetaMean(a, b, np.full(30, 1 / 30))
        found.append([mean.cdf(x), mean.sf(x), mean.pdf(x)])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10, atol=1e-13)


def test_the_slow_series_is_not_taken_for_few_classes_without_errors() -> None:
    a, b, w = (np.array(part) for part in SETTINGS["three without errors"])
    assert Many(Shares(a, b, w))._plain is None
    a, b, w = (np.array(part) for part in SETTINGS["three smooth"])
    assert Many(Shares(a, b, w))._plain is not None


def test_the_mode_is_where_the_density_is_largest(mean: BetaMean) -> None:
    around = mean.mode + mean.std * np.array([-0.3, -0.01, 0.0, 0.01, 0.3])
    around = np.clip(around, *mean.support)
    values = mean.pdf(around)
    assert values[2] >= values.max() * (1 - 1e-12)


@pytest.mark.parametrize(
    ("a", "b", "weight", "end"),
    [(0.3, 2.0, 0.5, 0.0), (2.0, 0.3, 0.5, 1.0), (2.0, 0.3, 1.5, 3.0), (2.0, 0.3, -0.5, -1.0),
     (0.3, 0.2, 0.5, 1.0)],
)  # fmt: skip
def test_a_density_that_grows_without_end_has_its_mode_there(
    a: float, b: float, weight: float, end: float
) -> None:
    """At an end where the shapes sum to less than 1; where both are such, the upper one is said."""
    assert BetaMean([a, a], [b, b], [weight, weight]).mode == end


def test_the_shortest_interval_is_equally_high_at_both_ends() -> None:
    found = BetaMean([41, 3], [6, 9], [0.5, 0.5])
    low, high = found.shortest(0.9)
    assert float(found.cdf(high) - found.cdf(low)) == pytest.approx(0.9, abs=1e-10)
    assert float(found.pdf(low)) == pytest.approx(float(found.pdf(high)), rel=1e-8)
    tails = found.ppf([0.05, 0.95])
    assert high - low < tails[1] - tails[0]


def test_the_shortest_interval_of_a_falling_density_begins_at_the_end() -> None:
    found = BetaMean([1.0], [5.0], [1.0])
    assert found.shortest(0.95) == pytest.approx((0.0, 1 - 0.05**0.2), abs=1e-12)


@pytest.mark.parametrize("weight", [(0.5, 0.5), (0.3, 0.7), (3.0, 1.0)])
@pytest.mark.parametrize("shape", [(0.5, 0.5), (1.0,)])
def test_a_density_that_neither_grows_nor_falls_at_an_end_has_its_limit_there(
    shape: tuple[float, ...], weight: tuple[float, ...]
) -> None:
    """Where the shapes sum to 1: each share is a power there, and powers convolve to a constant."""
    other, weight = (2.0, 3.0)[: len(shape)], weight[: len(shape)]
    limit = 1.0
    for near, far, width in zip(shape, other, weight, strict=True):
        limit *= gamma(near + far) / gamma(far) / width**near
    upper, lower = BetaMean(other, shape, weight), BetaMean(shape, other, weight)
    assert upper.pdf(sum(weight)) == pytest.approx(limit, rel=1e-11)
    assert lower.pdf(0.0) == pytest.approx(limit, rel=1e-11)
    assert (upper.pdf(0.0), lower.pdf(sum(weight))) == (0.0, 0.0)


@pytest.mark.parametrize("unit", [2.0**-10, 2.0**10])
@pytest.mark.parametrize("name", ["three smooth", "twelve"])
def test_the_unit_of_a_sum_changes_nothing_about_its_series(name: str, unit: float) -> None:
    a, b, w = (np.array(part) for part in SETTINGS[name])
    plain, scaled = series(Shares(a, b, w)), series(Shares(a, b, w * unit))
    assert plain is not None
    assert scaled is not None
    x = BetaMean(a, b, w).ppf([0.001, 0.2, 0.6, 0.99])
    left = np.array([True, True, False, False])
    np.testing.assert_allclose(scaled.pdf(x * unit) * unit, plain.pdf(x), rtol=1e-11)
    np.testing.assert_allclose(scaled.tail(x * unit, left), plain.tail(x, left), rtol=1e-10)


def test_a_density_keeps_its_digits_close_to_an_end_that_a_narrow_share_hardly_reaches() -> None:
    """There it is a power of x times a smooth integral, exact by Gauss and Jacobi's rule."""
    a, b, w = np.array([2.5, 0.5]), np.array([1e6, 3.5]), np.array([0.9, 0.1])
    root, weight = special.roots_jacobi(60, a[1] - 1.0, a[0] - 1.0)
    x, part = np.array([[1e-7], [1e-9], [2e-10]]), (root + 1.0) / 2.0
    first, second = np.log1p(-x * part / w[0]), np.log1p(-x * (1.0 - part) / w[1])
    smooth = np.exp((b[0] - 1.0) * first + (b[1] - 1.0) * second) @ weight
    expected = x[:, 0] ** (a.sum() - 1.0) * smooth  # but for a constant
    found = BetaMean(a, b, w).pdf(x[:, 0])
    np.testing.assert_allclose(found / found[0], expected / expected[0], rtol=1e-11)


@pytest.mark.parametrize("size", [1, 5, 256, 600])
@pytest.mark.parametrize("left_out", [0, 1, 3])
def test_rows_are_computed_once_where_wanted_and_not_too_many_at_a_time(
    size: int, left_out: int
) -> None:
    some = np.ones(size, dtype=bool)
    some[:left_out] = False
    blocks = [np.arange(size)[rows] for rows in _blocks(some)]
    assert np.concatenate([[], *blocks]).tolist() == list(range(left_out, size))
    assert max((rows.size for rows in blocks), default=0) <= 256


@pytest.mark.parametrize("widths", [(1.0, 1.0), (0.5, 0.5), (0.2, 3.0), (2.5, 0.1)])
def test_means_and_variances_are_those_of_scaled_shares(widths: tuple[float, float]) -> None:
    """Of a share times its width, and of two that are added, as exact moments have it."""
    shapes = ((2.0, 7.5), (11.0, 0.5))
    shares = [Share(a, b, width) for (a, b), width in zip(shapes, widths, strict=True)]
    means = [w * a / (a + b) for (a, b), w in zip(shapes, widths, strict=True)]
    spreads = [
        w * w * a * b / ((a + b) ** 2 * (a + b + 1.0))
        for (a, b), w in zip(shapes, widths, strict=True)
    ]
    both = Convolution(*shares)
    whole = BetaMean(*np.transpose(shapes), widths)
    third = sum(  # of a beta, by its raw moments
        w**3 * (m3 - 3.0 * m1 * m2 + 2.0 * m1**3)
        for w, (m1, m2, m3) in (
            (w, np.cumprod([(a + k) / (a + b + k) for k in range(3)]))
            for (a, b), w in zip(shapes, widths, strict=True)
        )
    )
    assert whole.third_moment == pytest.approx(third, rel=1e-10)
    assert (whole.mean, whole.variance) == pytest.approx((sum(means), sum(spreads)), rel=1e-13)
    for found, mean, spread in zip(
        (*shares, both), (*means, sum(means)), (*spreads, sum(spreads)), strict=True
    ):
        assert (found.mean, found.variance) == pytest.approx((mean, spread), rel=1e-13)


def panels(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's nodes and weights on (0, 1), in panels that grow finer towards both ends."""
    edges = special.expit(np.linspace(-22.0, 22.0, count + 1))
    edges[0], edges[-1] = 0.0, 1.0
    node, weight = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2.0
    return ((edges[:-1, None] + half) + half * node).ravel(), (half * weight).ravel()


def integrated(x: float, shares: list[tuple[float, float, float]]) -> float:
    """P(sum ≤ x) by integrals over quantiles of all shares but the one that varies most.

    Each is cut where the others begin or cease to decide.
    """
    (a, b, w), *others = sorted(shares, key=lambda s: Share(s[0], s[1], abs(s[2])).variance)
    if not others:
        share = min(max(x / w, 0.0), 1.0)
        return float((special.betainc if w > 0 else special.betaincc)(a, b, share))
    ends = [sum(part) for part in product(*((0.0, width) for _, _, width in others))]
    cuts = special.betainc(a, b, np.clip((x - np.array(ends)) / w, 0.0, 1.0))
    total, (node, weight) = 0.0, panels(10 if len(others) == 1 else 3)
    for start, stop in pairwise(np.unique([0.0, *cuts, 1.0])):
        places = x - w * special.betaincinv(a, b, start + (stop - start) * node)
        total += (stop - start) * (weight @ [integrated(float(r), others) for r in places])
    return total


@pytest.mark.parametrize("seed", range(24))
def test_sums_of_any_two_or_three_shares_have_the_integral_of_their_distribution(seed: int) -> None:
    """Shapes of 0.5 and from 1 to 300, any widths, of either sign."""
    rng = np.random.default_rng(seed)
    terms = 2 + (seed % 4 == 3)
    shapes = np.exp(rng.uniform(0.0, np.log(300.0), (2, terms)))
    shapes[0, 0] = rng.choice([0.5, 1.0, shapes[0, 0]])
    width = rng.uniform(0.05, 1.0, terms) * rng.choice([1.0, 1.0, 1.0, -1.0], terms)
    found = BetaMean(*shapes, width)
    low, high = found.support
    places = found.mean + found.std * np.array([-2.5, -0.7, 0.1, 1.2, 3.0])
    inside = np.clip(places, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
    expected = [integrated(float(x), list(zip(*shapes, width, strict=True))) for x in inside]
    near = {2: 1e-4, 3: 3e-3}[terms]  # as near as the panels of the integral are
    assert found.cdf(inside) == pytest.approx(expected, abs=near)
    assert found.sf(inside) == pytest.approx(1.0 - np.array(expected), abs=near)
    told = (found.pdf(inside) > 1e-3 / found.std) & (found.cdf(inside) < 1.0 - 1e-9)
    assert found.ppf(found.cdf(inside))[told] == pytest.approx(inside[told], abs=1e-6)
    step = 1e-4 * found.std
    slope = (found.cdf(inside + step) - found.cdf(inside - step)) / (2.0 * step)
    kink = (np.abs(inside[:, None] - found.kinks) < 0.05 * found.std).any(axis=1)
    assert found.pdf(inside)[~kink] == pytest.approx(slope[~kink], rel=2e-3, abs=1e-4)


@pytest.mark.parametrize("first", [(1.0, 50.0), (0.5, 30.0), (50.0, 1.0), (3.0, 4.0)])
@pytest.mark.parametrize("second", [(50.0, 1.0), (3.0, 2.0), (1.0, 1.0)])
def test_both_tails_of_two_shares_hold_everywhere(
    first: tuple[float, float], second: tuple[float, float]
) -> None:
    """Before and behind the places where one of the two alone decides."""
    sum_of = Convolution(Share(*first, 0.4), Share(*second, 0.6))
    x = np.array([0.02, 0.2, 0.39, 0.41, 0.5, 0.59, 0.601, 0.61, 0.65, 0.8, 0.98])
    expected = [integrated(float(v), [(*first, 0.4), (*second, 0.6)]) for v in x]
    below = sum_of.tail(x, np.ones(x.shape, dtype=bool))
    above = sum_of.tail(x, np.zeros(x.shape, dtype=bool))
    assert below == pytest.approx(expected, abs=1e-4)
    assert above == pytest.approx(1.0 - np.array(expected), abs=1e-4)


def by_double_exponentials(a: tuple[float, float], b: tuple[float, float], x: float) -> float:
    """P(A₁ + A₂ ≤ 2x) of two shares by the tanh-sinh rule, which takes any power at the ends."""
    low, high = max(0.0, 2.0 * x - 1.0), min(1.0, 2.0 * x)
    t = np.arange(-6.0, 6.0, 0.02)
    s = np.pi * np.sinh(t)
    length = high - low
    from_low, from_high = length * special.expit(s), length * special.expit(-s)
    weight = 0.02 * np.pi * np.cosh(t) * from_low * from_high / length
    below = from_low + low
    above = from_high + (1.0 - high)
    density = below ** (a[0] - 1.0) * above ** (b[0] - 1.0) / special.beta(a[0], b[0])
    rest = np.clip(2.0 * x - below, 0.0, 1.0)
    found = weight * density * special.betainc(a[1], b[1], rest)
    return float(found[np.isfinite(found)].sum() + special.betainc(a[0], b[0], low))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0.5, 0.5), (0.5, 0.5)),
        ((0.556, 0.7), (3.0, 2.0)),
        ((0.556, 0.556), (0.556, 0.556)),
        ((1.3, 2.2), (2.7, 1.1)),
        ((0.6, 0.8), (30.4, 50.1)),
        ((0.51, 0.77), (200.3, 1.2)),
    ],
)
def test_shapes_that_are_neither_whole_nor_halves_are_as_exact(
    a: tuple[float, float], b: tuple[float, float]
) -> None:
    mean = BetaMean(a, b, [0.5, 0.5])
    for x in (*np.linspace(0.05, 0.95, 7), *(float(mean.ppf(q)) for q in (0.01, 0.5, 0.99))):
        assert float(mean.cdf(x)) == pytest.approx(by_double_exponentials(a, b, x), abs=2e-12)
