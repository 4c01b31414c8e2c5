"""What pictures show, and what they refuse."""

from typing import Any

import numpy as np
import pytest

from abovechance import compare, detect, examples
from abovechance.errors import NotApplicable
from abovechance.format import number
from abovechance.inference import curves
from abovechance.measures import find
from abovechance.plots import Chart, chart_of, plot
from abovechance.plots.case_pictures import (
    MOST_DOTS,
    confusion_table,
    cumulative,
    probabilities,
    roc_thresholds,
)
from abovechance.plots.chart import Band, Points, Rule, Text
from abovechance.plots.curve_pictures import Path, simple
from abovechance.plots.result_pictures import forest, histogram
from abovechance.predictions import Binary, Multiclass, Numeric, Survival


def two_classes(n: int = 40, **options: object) -> Binary:
    rng = np.random.default_rng(3)
    outcome = np.arange(n) % 2
    return Binary(
        outcome, probability=np.clip(0.3 * outcome + rng.random(n) * 0.7, 0, 1), **options
    )


def test_the_gap_between_the_diamonds_is_tjurs_coefficient() -> None:
    predictions = two_classes()
    chart = probabilities({"": predictions})
    high, low = (
        float(layer.x[0])
        for layer in chart.layers
        if isinstance(layer, Points) and layer.shape == "diamond"
    )
    tjur = find("tjur_r2").of(predictions)
    assert high - low == pytest.approx(tjur, rel=1e-12)
    (text,) = (layer.text for layer in chart.layers if isinstance(layer, Text))
    assert text == f"Tjur’s R² {tjur:.3f}"


def test_weights_move_the_diamonds() -> None:
    weight = np.arange(1, 41) % 5 + 1.0
    predictions = two_classes(sample_weight=weight)
    means = [
        float(layer.x[0])
        for layer in probabilities({"": predictions}).layers
        if isinstance(layer, Points) and layer.shape == "diamond"
    ]
    assert means[0] - means[1] == pytest.approx(find("tjur_r2").of(predictions), rel=1e-12)


def test_every_case_is_a_dot_until_there_are_too_many() -> None:
    few, many = (probabilities({"": two_classes(n)}) for n in (40, 4000))
    assert [len(s) for s in few.series] == [20, 20]
    assert [len(s) for s in many.series] == [MOST_DOTS, MOST_DOTS]
    assert "evenly spaced" in many.caption
    assert [s.note for s in many.series] == ["2000 cases", "2000 cases"]


def test_scores_are_shown_on_their_own_scale() -> None:
    chart = chart_of(Binary([0, 1, 0, 1], score=[-3.0, 5.0, 0.0, 9.0]))
    assert chart.title == "Scores by class"
    assert chart.x.low < -3.0
    assert chart.x.high > 9.0


def test_the_area_under_the_drawn_curve_is_the_auc() -> None:
    predictions = examples.breast_cancer("p_texture")
    curve = curves.roc(predictions, draws=2)
    area = np.trapezoid(curve.y, curve.x)
    assert area == pytest.approx(find("auc").of(predictions), rel=1e-12)
    assert curve.summary["auc"] == pytest.approx(area, rel=1e-12)
    thinned = simple(curve)
    assert np.trapezoid(thinned.y, thinned.x) == pytest.approx(area, abs=0.002)


def test_steps_in_recall_times_precision_are_the_average_precision() -> None:
    predictions = examples.breast_cancer("p_texture")
    curve = curves.precision_recall(predictions, draws=2)
    area = (np.diff(curve.x, prepend=0.0) * curve.y).sum()
    assert area == pytest.approx(find("average_precision").of(predictions), rel=1e-12)


def test_simplifying_moves_a_curve_less_than_can_be_seen() -> None:
    x = np.linspace(0, 50, 5001)
    curve = Path(x=x, y=np.sin(x / 8) * 7, low=np.sin(x / 8) * 7 - 1, high=np.sin(x / 8) * 7 + 2)
    thinned = simple(curve)
    assert len(thinned.x) < 200
    assert np.abs(np.interp(x, thinned.x, thinned.y) - curve.y).max() < 17 * 0.01


def test_the_null_has_a_bar_for_each_of_few_values() -> None:
    chart = histogram(np.repeat([0.4, 0.5, 0.6], [2, 5, 3]), 0.7)
    (counts,) = (s.columns[1] for s in chart.series)
    assert np.asarray(counts).tolist() == [2.0, 5.0, 3.0]
    assert chart.x.high > 0.7


def test_the_null_of_predictions_centres_on_chance_and_shows_the_observed_value() -> None:
    chart = chart_of(examples.breast_cancer("p_texture"), "null")
    (rule,) = (layer for layer in chart.layers if isinstance(layer, Rule))
    assert rule.at == find("log_score").of(examples.breast_cancer("p_texture"))
    assert chart.caption.startswith("999 values")
    with pytest.raises(NotApplicable, match="cross-validation"):
        chart_of(examples.iris(), "null")


def test_the_null_of_few_cases_holds_every_arrangement() -> None:
    chart = chart_of(Binary([0, 1, 0, 1], probability=[0.1, 0.6, 0.4, 0.9]), "null")
    assert chart.caption.startswith("6 values")


def test_the_band_of_a_posterior_holds_its_central_share(gallery: dict[str, Chart]) -> None:
    band = next(layer for layer in gallery["posterior"].layers if isinstance(layer, Band))
    assert np.trapezoid(band.high, band.x) == pytest.approx(0.95, abs=0.002)


def test_a_confusion_table_must_fit_its_labels() -> None:
    with pytest.raises(ValueError, match="must be 3 × 3"):
        confusion_table([[1, 2], [3, 4]], ["a", "b", "c"])


def test_empty_rows_of_a_confusion_table_are_not_divided_by_zero() -> None:
    chart = confusion_table([[0, 0], [3, 1]], ["a", "b"])
    assert chart.layers[0].notes == (("0%", "0%"), ("75%", "25%"))


@pytest.mark.parametrize(
    ("predictions", "title"),
    [
        (examples.breast_cancer(), "Predicted probabilities by class"),
        (examples.iris(), "Probability given to the class that occurred"),
        (examples.diabetes(), "Predicted and observed"),
        (Binary([0, 1], label=[0, 1]), "Confusion matrix"),
        (Multiclass(["a", "b"], label=["a", "b"]), "Confusion matrix"),
        (Survival([3, 5, 8, 9], [1, 0, 1, 1], risk=[4, 3, 2, 1]), "Survival by predicted risk"),
        ({"a": examples.breast_cancer(), "b": examples.breast_cancer()}, "ROC curve"),
    ],
)
def test_predictions_have_a_usual_picture(predictions: object, title: str) -> None:
    assert chart_of(predictions).title == title


@pytest.mark.parametrize(
    ("predictions", "kind", "reason"),
    [
        (examples.iris(), "roc", "two classes; got multiclass"),
        (examples.diabetes(), "confusion", "several classes; got numeric"),
        (examples.iris(), "residuals", "numbers; got multiclass"),
        (examples.iris(), "rocc", "did you mean 'roc'"),
        (Binary([0, 1], label=[0, 1]), "roc", "only labels were predicted"),
        (Binary([1, 1], score=[1, 2], labels=[0, 1]), "roc", "both classes"),
        (Numeric([[1, 2]], [[1, 2]]), "residuals", "one output"),
        ({"a": examples.iris(), "b": examples.iris()}, "confusion", "one model at a time"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(
    predictions: object, kind: str, reason: str
) -> None:
    with pytest.raises(NotApplicable, match=reason):
        chart_of(predictions, kind)


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(ValueError, match="a result of abovechance is needed"):
        plot([1, 2, 3])


def test_power_is_drawn_along_what_varies(gallery: dict[str, Chart]) -> None:
    assert gallery["power"].x.title == "Number of cases"
    cells = [
        {"statistic": "t", "n": 40, "effect": e, "power": p} for e, p in ((0.2, 0.1), (0.5, 0.4))
    ]
    assert chart_of({"cells": cells}).x.title == "Effect"


def test_powers_over_sizes_and_effects_have_a_line_of_text_each() -> None:
    limits = {"low": 0.3, "high": 0.6}
    cells = [
        {"statistic": s, "n": n, "effect": e, "power": 0.5, "interval": limits, "reference": 0.4}
        for s in ("t", "u", "w")
        for n in (20, 40)
        for e in (0.0, 0.25, 0.5)
    ]
    chart = chart_of({"cells": cells})
    assert chart.y.labels == tuple(f"{s}, n = {n}" for s in "tuw" for n in (20, 40))
    assert [series.name for series in chart.series][3:] == ["published or known"]
    points = [layer for layer in chart.layers if isinstance(layer, Points) and layer.shape == "dot"]
    assert {*points[0].left, *points[0].right} == {0.3, 0.6}


def test_chance_is_marked_on_every_line_of_a_forest(gallery: dict[str, Chart]) -> None:
    ticks = [
        layer
        for layer in gallery["forest"].layers
        if isinstance(layer, Points) and layer.shape == "tick"
    ]
    assert [x for layer in ticks for x in layer.x.tolist()] == [0.6, 0.0]


def test_a_difference_whose_interval_holds_zero_speaks_for_no_model(
    gallery: dict[str, Chart],
) -> None:
    chart = gallery["differences"]
    assert {s.name: list(s.columns[0]) for s in chart.series} == {
        "forest better": ["AUC", "Brier"],
        "not told apart": ["F1"],
    }
    assert any(isinstance(layer, Rule) and layer.at == 0.0 for layer in chart.layers)


def test_p_by_the_papers_rule_is_a_share_of_the_draws() -> None:
    y = np.arange(20) % 2
    X = np.random.default_rng(1).normal(size=(20, 2)) + 4.0 * y[:, None]
    chart = chart_of(detect(X, y, tests=["sd"], draws=19, rule="paper", rng=1))
    assert [layer.text for layer in chart.layers if isinstance(layer, Rule)] == [
        f"observed {number(detect(X, y, tests=['sd'], draws=19, rng=1)['sd'].value)}, "
        "p = 0 of 19 draws"
    ]


@pytest.mark.parametrize("kind", ["roc_thresholds", "cumulative", "binomial_null"])
def test_figures_of_the_papers_are_kinds_of_pictures(kind: str) -> None:
    from abovechance.plots import chart_of

    made = chart_of(examples.breast_cancer("p_texture"), kind)
    assert made.series
    assert made.caption


def test_thresholds_lie_on_the_curve_where_their_rates_are() -> None:
    cases = examples.breast_cancer("p_texture")
    x, y, at = roc_thresholds({"": cases}).series[0].columns
    for fpr, tpr, t in zip(x, y, at, strict=True):
        called = cases.probability > t
        assert fpr == pytest.approx(called[~cases.positive].mean())
        assert tpr == pytest.approx(called[cases.positive].mean())


def test_cumulative_curves_are_shares_of_each_class() -> None:
    cases = examples.breast_cancer("p_texture")
    missed, rejected = cumulative({"": cases}).series
    for series, side in ((missed, cases.positive), (rejected, ~cases.positive)):
        at, share = series.columns
        np.testing.assert_allclose(share, [(cases.probability[side] <= t).mean() for t in at])


def test_twenty_guesses_have_twenty_one_p_values() -> None:
    from scipy.stats import binom

    from abovechance.plots import binomial_null

    made = binomial_null(20, observed=14)
    hits, chance, p = made.series[0].columns
    np.testing.assert_allclose(chance, binom.pmf(hits, 20, 0.5), rtol=1e-9)
    np.testing.assert_allclose(p, binom.sf(np.asarray(hits) - 1, 20, 0.5), rtol=1e-9)
    assert "15 right are needed" in made.caption
    assert "Observed: 14 of 20, p = 0.058" in made.caption
    with pytest.raises(NotApplicable, match="0 to 20 of 20"):
        binomial_null(20, observed=21)


def test_models_with_different_chances_have_a_mark_each() -> None:
    def row(measure: str, model: str, chance: float) -> dict[str, Any]:
        return {
            "measure": measure,
            "title": find(measure).title,
            "model": model,
            "value": 0.8,
            "chance": chance,
            "interval": {"low": 0.7, "high": 0.9, "level": 0.95},
        }

    rows = [row("accuracy", "a", 0.62), row("accuracy", "b", 0.38)]
    rows += [row("auc", "a", 0.5), row("auc", "b", 0.5)]
    layers = forest({"estimates": rows}).layers
    ticks = [m for m in layers if isinstance(m, Points) and m.shape == "tick"]
    assert sorted(float(x) for m in ticks for x in m.x) == [0.38, 0.5, 0.62]
    places = {float(x): float(y) for m in ticks for x, y in zip(m.x, m.y, strict=True)}
    assert places[0.5] == round(places[0.5])
    assert places[0.38] != places[0.62]


def test_differences_of_many_models_are_of_the_primary_measure_alone() -> None:
    names = ("p_forest", "p_texture")
    models = {name: examples.breast_cancer(name) for name in names}
    two = chart_of(compare(models, ["brier", "auc"], rng=1), "differences")
    assert two.y.labels == ("Brier score", "Area under the ROC curve")
    three = {**models, "again": models["p_texture"]}
    found = compare(three, ["brier", "auc"], primary="auc", rng=1)
    chart = chart_of(found, "differences")
    assert chart.y.labels[0] == "p_forest − p_texture"
    assert len(chart.y.labels) == 3
    assert chart.x.title == "Difference in area under the ROC curve"


def test_bands_of_many_models_are_left_out_and_stay_in_the_data() -> None:
    one = examples.breast_cancer("p_texture")
    few, many = (chart_of({str(i): one for i in range(n)}, "roc") for n in (3, 4))
    assert sum(isinstance(layer, Band) for layer in few.layers) == 3
    assert not any(isinstance(layer, Band) for layer in many.layers)
    assert few.caption.startswith("Bands are pointwise 95% intervals.")
    assert many.caption.startswith("Bands of more than 3 curves would hide each other")
    assert many.series[0].headings[-2:] == ("Low", "High")


def test_lines_of_many_models_do_not_overlap() -> None:
    models = {str(i): examples.breast_cancer("p_texture") for i in range(5)}
    chart = forest(compare(models, ["auc"], rng=1))
    points = [layer for layer in chart.layers if isinstance(layer, Points) and layer.shape == "dot"]
    places = sorted(float(layer.y[0]) for layer in points)
    height = chart.rows  # in lines of text
    assert height is not None
    assert np.diff(places).min() * height > 0.5


def test_an_undefined_slope_is_not_written_beside_a_name() -> None:
    wrong = Binary([0, 1, 0, 1] * 10, probability=[0.0, 0.9, 1.0, 0.7] * 10)
    chart = chart_of({"wrong": wrong}, "calibration")
    assert chart.series[0].note == ""
