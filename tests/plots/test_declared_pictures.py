"""What holds of every picture: it is declared, and drawn of all that it says it shows."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance import examples
from abovechance.inference import curves, posterior, significance
from abovechance.plots import Chart, chart_of, pictures, plotting
from abovechance.plots.matplotlib_renderer import draw
from abovechance.plots.plotting import seen
from abovechance.plots.svg_render import render


def texture() -> Any:
    return examples.breast_cancer("p_texture")


def followed(**predicted: Any) -> Any:
    rng = np.random.default_rng(2)
    predicted = predicted or {"risk": rng.normal(size=60)}
    return ac.Survival(rng.exponential(size=60), rng.random(60) < 0.7, **predicted)


def survival_predicted() -> Any:
    kept = np.linspace(0.2, 0.9, 60)
    return followed(survival=np.stack([kept, kept**2], axis=1), times=[0.5, 1.0])


def features() -> tuple[Any, Any]:
    y = np.arange(24) % 2
    return np.random.default_rng(1).normal(size=(24, 3)) + y[:, None], y


def compared() -> Any:
    two = {name: examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    halves = np.arange(texture().n) % 2
    return ac.compare(two, ["auc", "brier"], by=halves, draws=99, rng=1)


def assessed() -> Any:
    halves = np.arange(texture().n) % 2
    return ac.assess(texture(), ["auc", "mcc"], by=halves, draws=99, rng=1)


def refitted() -> Any:
    from sklearn.dummy import DummyClassifier

    return ac.permutation_test(DummyClassifier(strategy="uniform"), *features(), draws=9, rng=1)


def mapped(*shape: int) -> Any:
    from statistical.map_subjects import ball, group, volume

    where = volume(*shape)
    people = group(np.random.default_rng(1), where, 8, 20, signal=2.5 * ball(where, 1), chance=0.0)
    return ac.group_maps(people, draws=199, rng=1)


def subject() -> Any:
    rng = np.random.default_rng(1)
    y = np.arange(24) % 2
    return ac.decode_over_time(rng.normal(size=(24, 4, 9)) + y[:, None, None], y, draws=19, rng=1)


def validated() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.validate(GaussianNB(), *features(), draws=5, rng=1)


def grown() -> Any:
    from sklearn.naive_bayes import GaussianNB

    sizes = [8, 12, 18]
    return ac.learning_curve(
        GaussianNB(), *features(), sizes=sizes, measures="auc", goals="auc>=.6", draws=2, rng=1
    )


def selected() -> Any:
    return ac.select(*features(), features=2, cv=2, rng=1)


def stable() -> Any:
    return ac.stability(*features(), measure=["auc", "brier"], copies=True, draws=3, rng=1)


def relied_on() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return ac.reliability(GaussianNB(), *features(), n=[12, 16], cv=2, draws=5, rng=1)


# One thing of every kind that a picture can show; of survival both kinds of predictions.
SHOWN: dict[str, tuple[Callable[[], Any], ...]] = {
    "binary": (texture,),
    "multiclass": (
        lambda: ac.Multiclass(
            [0, 1, 2, 0, 1, 2] * 3, probability=np.tile(np.eye(3) * 0.4 + 0.2, (6, 1))
        ),
    ),
    "numeric": (lambda: ac.Numeric(np.arange(30.0), np.arange(30.0) + np.sin(np.arange(30))),),
    "survival": (followed, survival_predicted),
    "assessment": (assessed,),
    "thresholds": (lambda: ac.thresholds(texture(), draws=99, rng=1),),
    "comparison": (compared,),
    "detection": (lambda: ac.detect(*features(), tests=["hotelling"], draws=99, rng=1),),
    "permutation_test": (refitted,),
    "validation": (validated,),
    "learning_curve": (grown,),
    "selection": (selected,),
    "stability": (stable,),
    "reliability": (relied_on,),
    "null_distribution": (lambda: significance.null_distribution(texture(), "auc", rng=1),),
    "power": (lambda: ac.power("auc", n=[20, 40], effects=0.8, replications=20, rng=1),),
    "sample_size": (lambda: ac.sample_size("auc", effect=0.9, replications=20, rng=1),),
    "posterior": (lambda: posterior.accuracy(40, 10),),
    "curve": (lambda: curves.cost(texture(), draws=99, rng=1),),
    "group_maps": (lambda: mapped(6, 5, 4), lambda: mapped(20), lambda: mapped(6, 6)),
    "subject_map": (subject,),
    "curve:roc": (lambda: curves.roc(texture(), draws=99, rng=1),),
    "curve:precision_recall": (lambda: curves.precision_recall(texture(), draws=99, rng=1),),
    "curve:calibration": (lambda: curves.calibration(texture()),),
    "curve:decision": (lambda: curves.decision(texture(), draws=99, rng=1),),
    "curve:cumulative": (lambda: curves.cumulative(texture()),),
    "curve:survival": (lambda: curves.survival(followed()),),
    "curve:auc_over_time": (lambda: curves.auc_over_time(followed()),),
}
PAIRS = [(name, what) for name, one in pictures().items() for what in one.of]


@cache
def made(what: str, which: int = 0) -> Any:
    return SHOWN[what][which]()


def charts(name: str, what: str) -> list[Chart]:
    """The picture of each thing of a kind; where there are two, one may be refused."""
    found, why = [], []
    for which in range(len(SHOWN[what])):
        try:
            found.append(chart_of(made(what, which), name))
        except ac.errors.NotApplicable as refused:
            why.append(refused)
    assert found, why
    return found


@pytest.mark.part(3)
@pytest.mark.parametrize(("name", "what"), PAIRS)
def test_a_picture_is_drawn_by_both_renderers_of_all_that_it_shows(name: str, what: str) -> None:
    from matplotlib import pyplot

    for chart in charts(name, what):
        assert chart.title
        assert chart.caption or name == "curve"
        assert chart.series
        assert "<svg" in str(render(chart))
        ax = draw(chart)
        ax.figure.canvas.draw()
        pyplot.close(ax.figure)


@pytest.mark.parametrize("what", list(SHOWN))
def test_everything_that_is_shown_is_recognised(what: str) -> None:
    kind, _ = seen(made(what))
    assert kind == ("curve:cost" if what == "curve" else what)


@pytest.mark.parametrize("what", sorted({what for _, what in PAIRS}))
def test_everything_has_a_usual_picture(what: str) -> None:
    assert isinstance(chart_of(made(what)), Chart)


@pytest.mark.parametrize("name", list(pictures()))
def test_a_picture_says_in_one_line_what_is_to_be_seen(name: str) -> None:
    one = pictures()[name]
    assert one.name == name
    assert len(one.about) > 15
    assert set(one.usual) <= set(one.of)
    assert set(one.reported) <= set(one.of)


def test_every_display_is_of_a_picture() -> None:
    kinds = {cls.kind for cls in vars(plotting).values() if hasattr(cls, "from_estimator")}
    assert kinds - {""} <= pictures().keys()


@pytest.mark.parametrize(
    "what",
    ["assessment", "comparison", "power", "sample_size", "curve:roc", "group_maps", "subject_map"],
)
def test_a_saved_result_has_the_same_picture(what: str) -> None:
    import json

    result = made(what)
    saved = chart_of(json.loads(result.to_json()))
    assert render(saved) == render(chart_of(result))


@pytest.mark.parametrize("name", sorted(pictures()))
def test_pictures_that_show_single_cases_say_so(name: str) -> None:
    """What a report without cases may show holds few of the predictions, whatever their number."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    p = 1 / (1 + np.exp(-(2.0 * y - 1.0) - rng.normal(size=200)))
    value = 3.0 * rng.normal(size=200)
    shown = {
        "binary": (ac.Binary(y, probability=p), p),
        "numeric": (ac.Numeric(value + rng.normal(size=200), value), value),
    }
    one = pictures()[name]
    for kind, (cases, predicted) in shown.items():
        if kind not in one.of:
            continue
        chart = one.draw({"": cases})
        held = [np.ravel(c) for s in chart.series for c in s.columns]
        held += [np.ravel(layer.x) for layer in chart.layers if hasattr(layer, "x")]
        numbers = [np.asarray(c, float) for c in held if np.asarray(c).dtype.kind in "fi"]
        told = np.isin(np.round(predicted, 9), np.round(np.concatenate(numbers), 9)).mean()
        assert one.cases or told < 0.3, (name, kind, told)


OF_CASES = [
    (picture.name, kind, number)
    for picture in pictures().values()
    for kind in ("binary", "multiclass", "numeric", "survival")
    if kind in picture.of and not picture.cases
    for number in range(len(SHOWN[kind]))
]


@pytest.mark.parametrize(("name", "kind", "number"), OF_CASES)
def test_a_picture_of_more_than_single_cases_counts_their_weights(
    name: str, kind: str, number: int
) -> None:
    cases = SHOWN[kind][number]()
    heavy = cases.with_cases(sample_weight=np.where(np.arange(cases.n) % 3 == 0, 9.0, 1.0))
    try:
        drawn = render(chart_of(heavy, name))
    except ac.AboveChanceError:
        return  # what does not count weights refuses them
    assert drawn != render(chart_of(cases, name))
