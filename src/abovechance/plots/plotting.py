"""What a picture is, the displays that show one, and pictures as files."""

import io
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import DataError, NotApplicable, did_you_mean, listed
from abovechance.format import as_float
from abovechance.gate import Features, Fitted, Outcome, errors_of, gated
from abovechance.inference.contract import contract, kind_of
from abovechance.inference.curves import Curve
from abovechance.io.export import write_bytes
from abovechance.paths import place
from abovechance.plots.chart import Chart
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions
from abovechance.predictions.checks import same_label

# ----------------------------------------------------------------------------------------------
# What a picture is: a function that makes a chart, declared with its facts above it.
#
# Pictures are collected, not registered by hand: `ac.plot`, the displays, the report and the
# tests read the declarations.
# ----------------------------------------------------------------------------------------------


SEED = 1  # of bands, where the caller states none: the same picture every time
IN_WORDS = {
    "binary": "outcomes with two classes",
    "multiclass": "outcomes with several classes",
    "numeric": "outcomes that are numbers",
    "survival": "times to an event",
    "curve": "curves",
    "thresholds": "thresholds",
    "sample_size": "sample sizes",
    "selection": "selected features",
    "stability": "the stability of selections",
    "reliability": "the reliability of cross-validation",
    "permutation_test": "a permutation test",
    "validation": "a validated model",
    "learning_curve": "a learning curve",
    "null_distribution": "a null distribution",
    "group_maps": "maps of a group",
    "subject_map": "a map of a subject",
}
MODULES = (
    "case_pictures",
    "curve_pictures",
    "result_pictures",
    "learner_pictures",
    "map_pictures",
)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A kind of picture.

    Attributes
    ----------
    name
        What `ac.plot(kind=…)` calls it.
    of
        What it shows: kinds of predictions ("binary"), of results ("comparison"), of curves
        ("curve:roc", "curve" for any).
    about
        One line on what is to be seen.
    make
        The function: predictions, curves or posteriors by name in, or the facts of a result; a
        chart out.
    usual
        Of what it is shown when no picture is named.
    several
        Whether it shows several models at once.
    seeded
        Whether it draws at random, and so takes a seed.
    report
        Its place among the pictures of a report; 0 keeps it out.
    reported
        Of what the report shows it, where that is not all it can be of.
    cases
        Whether it shows what was predicted for single cases, so that a report which leaves cases
        out leaves it out too.
    """

    name: str
    of: tuple[str, ...]
    about: str
    make: Callable[..., Chart]
    usual: tuple[str, ...] = ()
    several: bool = False
    seeded: bool = False
    report: int = 0
    reported: tuple[str, ...] = ()
    cases: bool = False

    def __post_init__(self) -> None:
        # help() and doctest see the function
        object.__setattr__(self, "__doc__", self.make.__doc__)
        object.__setattr__(self, "__module__", self.make.__module__)
        object.__setattr__(self, "__wrapped__", self.make)

    def __call__(self, *shown: Any, **options: Any) -> Chart:
        """The chart, as the function makes it."""
        return self.make(*shown, **options)

    def shows(self, what: str) -> bool:
        """Whether it can be of such a thing."""
        return what in self.of or what.partition(":")[0] in self.of

    def draw(self, shown: Any, *, seed: int = SEED) -> Chart:
        """The chart of things that it shows."""
        return self.make(shown, seed=seed) if self.seeded else self.make(shown)


_COLLECTED: dict[str, Picture] = {}


@gated
def picture(
    *,
    of: Iterable[str],
    name: str | None = None,
    usual: Iterable[str] = (),
    several: bool = False,
    seeded: bool = False,
    report: int = 0,
    reported: Iterable[str] = (),
    cases: bool = False,
) -> Callable[[Callable[..., Chart]], Picture]:
    """Declare a picture: what it shows, and where; its name and its one line are the function's.

    Examples
    --------
    >>> @picture(of=("numeric",))
    ... def errors(models):
    ...     '''A histogram of errors.'''
    >>> errors.name, errors.about
    ('errors', 'A histogram of errors')
    >>> _ = _COLLECTED.pop("errors", None)
    """

    def collected(function: Callable[..., Chart]) -> Picture:
        called = name or function.__name__
        declaration = Picture(
            name=called,
            of=tuple(of),
            about=str(function.__doc__).strip().splitlines()[0].rstrip("."),
            make=function,
            usual=tuple(usual),
            several=several,
            seeded=seeded,
            report=report,
            reported=tuple(reported) or tuple(of),
            cases=cases,
        )
        if function.__module__.startswith("abovechance."):
            _COLLECTED[called] = declaration  # those of other packages come by entry points
        return declaration

    return collected


def pictures() -> dict[str, Picture]:
    """Every picture by its name.

    >>> pictures()["roc"].of
    ('binary', 'curve:roc')
    """
    for module in MODULES:
        import_module(f"abovechance.plots.{module}")
    return {**_COLLECTED, **_of_plugins()}


@cache
def _of_plugins() -> dict[str, Picture]:
    """Pictures that other packages declare (entry points `abovechance.pictures`)."""
    from abovechance.plugins import declared

    return {one.name: one for one in declared("pictures", Picture, _COLLECTED.keys())}


@gated
def chart_of(result: Any, kind: str | None = None) -> Chart:
    """The chart of a result, of predictions, or of several predictions by model.

    Parameters
    ----------
    result
        What `assess`, `compare`, `power` and the like return, its dictionary, posteriors, curves,
        or predictions (by name for several of them).
    kind
        The picture; by default the one that says most. `abovechance.plots.pictures()` lists them
        with what they show; of permuted statistics also the name of one.

    Returns
    -------
    Chart
        What to draw, as data.

    Raises
    ------
    NotApplicable
        Where there is no such picture, or it cannot be of this.

    See Also
    --------
    abovechance.plot : draws it.

    Examples
    --------
    >>> from abovechance import examples
    >>> chart_of(examples.breast_cancer(), "roc").title
    'ROC curve'
    """
    what, shown = seen(result)
    every = pictures()
    if kind is not None and kind not in every and hasattr(result, "null"):
        return every["null"].make(result, test=kind)
    if kind is None:
        return _usual(what, shown)
    if kind not in every:
        fitting = [name for name, one in every.items() if one.shows(what)]
        known = did_you_mean(kind, every) or f"; of this there are {listed(fitting, 20)}."
        raise NotApplicable(f"no picture {kind!r}{known}")
    chosen = every[kind]
    if not chosen.shows(what):
        wanted = " or ".join(IN_WORDS.get(one, one) for one in chosen.of if ":" not in one)
        raise NotApplicable(f"{kind} is for {wanted}; got {what or 'another result'}.")
    if _models(shown) > 1 and not chosen.several and not what.startswith("curve"):
        raise NotApplicable(f"{kind} shows one model at a time; plot each alone.")
    return chosen.draw(shown)


class Axes(Protocol):
    """What matplotlib draws on."""

    fill_between: Any
    set_xlabel: Any


@gated
def plot(
    result: Any,
    *,
    kind: str | None = None,
    ax: Axes | None = None,
    style: Literal["screen", "dark", "paper"] = "screen",
) -> Any:
    """Plot a result or predictions with matplotlib and return the axes.

    Parameters
    ----------
    result
        What `assess`, `compare`, `power` and the like return, a posterior, curves, predictions,
        or predictions by name for several models.
    kind
        The picture, when not the usual one of such a result: see `abovechance.plots.pictures`.
    ax
        Axes to draw on; new ones, one journal column wide, when not given.
    style
        "screen"; "dark" for a dark page; "paper" for a figure as journals want it: 85 mm wide, no
        title (it belongs in the caption) and no grid, letters of 7 points and more, and series that
        differ in their lines and marks, so that they are told apart without colour.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    NotApplicable
        Where there is no such picture or style, or it cannot be of this.

    See Also
    --------
    report : the pictures of a result with its tables and paragraphs.

    Examples
    --------
    >>> from abovechance import examples
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot(examples.breast_cancer()).get_xlabel()
    'Predicted probability of malignant'

    For a paper, as a file that keeps its lines at any size:

    >>> ax = plot(examples.breast_cancer(), kind="roc", style="paper")
    >>> ax.figure.savefig("roc.pdf")  # doctest: +SKIP
    """
    from abovechance.plots.matplotlib_renderer import draw, style_of

    look = style_of(style)
    chart = result if isinstance(result, Chart) else chart_of(result, kind)
    return draw(chart, ax, look)


# Densities, and what was found under permutation, are not saved.
DRAWN_WHOLE = ("posterior", "posteriors", "null_distribution", "detection", "permutation_test")


def seen(result: Any) -> tuple[str, Any]:
    """What a picture would be of, and that in the form which pictures take."""
    things = dict(result) if isinstance(result, Mapping) else {"": result}
    values = list(things.values())
    if values and all(isinstance(one, Predictions) for one in values):
        return values[0].kind, things
    if values and all(hasattr(one, "pdf") and hasattr(one, "ppf") for one in values):
        return "posterior", things
    if values and all(isinstance(one, Curve) for one in values):
        if len({one.curve for one in values}) > 1:
            raise NotApplicable("curves drawn together must be of one kind.")
        return f"curve:{values[0].curve}", things
    if hasattr(result, "null") or getattr(result, "kind", "") == "null_distribution":
        return str(result.kind), result
    facts = contract(result)
    kind = kind_of(facts)
    if kind in DRAWN_WHOLE:
        raise NotApplicable("what this picture shows is not saved; draw the result itself.")
    if kind == "curve":
        one = _saved_curve(facts)
        return f"curve:{one.curve}", {"": one}
    return kind, facts


def _models(shown: Any) -> int:
    named = isinstance(shown, Mapping) and all(
        isinstance(one, Predictions) for one in shown.values()
    )
    return len(shown) if named else 1


def _usual(what: str, shown: Any) -> Chart:
    """The first of the usual pictures that can be drawn."""
    usual = [one for one in pictures().values() if what in one.usual]
    usual = usual or [one for one in pictures().values() if what.partition(":")[0] in one.usual]
    several = _models(shown) > 1
    refused = NotApplicable("there is no picture of this result; print it instead.")
    for one in sorted(usual, key=lambda one: one.report):
        if several and not one.several:
            continue
        try:
            return one.draw(shown)
        except NotApplicable as why:
            refused = why
    raise refused


def _saved_curve(facts: Mapping[str, Any]) -> Curve:
    """A curve from its JSON, where null stands for what is undefined."""

    def column(values: Any) -> Any:
        return None if values is None else np.array([as_float(v) for v in values])

    columns = {name: column(values) for name, values in (facts.get("columns") or {}).items()}
    names = ("title", "x_name", "y_name", "level", "method", "n")
    ends = {name: column(facts.get(name)) for name in ("x", "y", "low", "high")}
    summary = {name: as_float(value) for name, value in (facts.get("summary") or {}).items()}
    called = facts.get("curve") or facts["kind"]  # results of older versions say it as their kind
    known = {name: facts[name] for name in names}
    return Curve(curve=str(called), **known, **ends, columns=columns, summary=summary)


def ends(rows: Iterable[Mapping[str, Any]], value: str) -> tuple[Floats, Floats]:
    """The limits of rows of a result, at the value where there are none.

    >>> low, high = ends([{"x": 0.5, "interval": {"low": 0.2, "high": 0.7}}, {"x": 1.5}], "x")
    >>> low.tolist(), high.tolist()
    ([0.2, 1.5], [0.7, 1.5])
    """
    pairs = [(row.get("interval") or {}, row[value]) for row in rows]
    low, high = (
        np.array([as_float(inside.get(end, known)) for inside, known in pairs])
        for end in ("low", "high")
    )
    return low, high


# ----------------------------------------------------------------------------------------------
# Displays in the manner of scikit-learn: from arrays or from a fitted estimator to a plot.
#
# A display holds its chart, so that it can be drawn again on other axes.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Display:
    """A chart and the axes it was last drawn on."""

    chart: Chart
    ax: Any = None
    kind: ClassVar[str] = ""

    @classmethod
    @gated
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        pos_label: Any = None,
        labels: Any = None,
        name: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Draw from observed outcomes and what was predicted for them.

        Parameters
        ----------
        y_true
            Observed classes or numbers.
        y_pred
            What was predicted: probabilities, scores, labels or numbers, as the picture needs them.
        pos_label
            The positive class; needed unless classes are coded 0/1.
        labels
            The declared classes; those that occur when not given.
        name
            What to call the model in the legend; nothing when not given.
        ax
            Axes to draw on; new ones when not given.

        Returns
        -------
        Display
            With the `chart` as data and the axes `ax` that it was drawn on.

        Raises
        ------
        DataError
            If the values are not what they must be; the message names the row and the remedy.

        See Also
        --------
        Display.from_estimator : from a fitted estimator.
        abovechance.plot : from predictions and results.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> from abovechance.plots import RocDisplay
        >>> RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9]).ax.get_xlabel()
        'False positive rate'
        """
        return cls._drawn(cls._gathered(y_true, y_pred, pos_label, labels), name, ax)

    @classmethod
    @gated
    def from_estimator(
        cls,
        estimator: Fitted,
        X: Features,
        y: Outcome,
        *,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw from a fitted scikit-learn estimator and the cases to predict.

        Parameters
        ----------
        estimator
            A fitted scikit-learn classifier or regressor.
        X
            Features of cases that it was not fitted to.
        y
            Their observed classes or numbers.
        pos_label
            The positive class; needed unless classes are coded 0/1.
        name
            What to call the model in the legend; the class of the estimator when not given.
        ax
            Axes to draw on; new ones when not given.

        Returns
        -------
        Display
            With the `chart` as data and the axes `ax` that it was drawn on.

        Raises
        ------
        NotApplicable
            If the estimator does not predict what the picture needs.

        See Also
        --------
        Display.from_predictions : from arrays.
        abovechance.from_estimator : the predictions, for all other questions.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from abovechance.plots import CalibrationDisplay
        >>> X, y = np.arange(40.0)[:, None], (np.arange(40) * 7) % 40 > 18
        >>> model = LogisticRegression().fit(X[::2], y[::2])
        >>> CalibrationDisplay.from_estimator(model, X[1::2], y[1::2]).ax.get_ylabel()
        'Observed frequency'
        """
        with errors_of(estimator, "could not predict these rows"):
            predicted, labels = _answers(estimator, X, cls.kind, pos_label)
        called = type(estimator).__name__ if name is None else name
        return cls._drawn(cls._gathered(y, predicted, pos_label, labels), called, ax)

    @gated
    def plot(self, ax: Axes | None = None, *, style: str = "screen") -> Self:
        """Draw again, on these axes or new ones.

        Parameters
        ----------
        ax
            Axes to draw on; new ones when not given.
        style
            "screen", "dark" or "paper", as in `abovechance.plot`.

        Returns
        -------
        Display
            The same chart with the axes that it was drawn on.

        Raises
        ------
        NotApplicable
            If matplotlib is not installed, or there is no such style.

        See Also
        --------
        Display.from_predictions : makes a display and draws it.

        Examples
        --------
        >>> import matplotlib; matplotlib.use("Agg")
        >>> from abovechance.plots import RocDisplay
        >>> display = RocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
        >>> display.plot().chart is display.chart
        True
        """
        from abovechance.plots.matplotlib_renderer import draw, style_of

        return type(self)(self.chart, draw(self.chart, ax, style_of(style)))

    @classmethod
    def _drawn(cls, predictions: Predictions, name: str, ax: Any) -> Self:
        return cls(chart_of({name: predictions}, cls.kind)).plot(ax)

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Binary(y_true, probability=y_pred, pos_label=pos_label)


class ProbabilityDisplay(Display):
    """Predicted probabilities of each class, with Tjur's gap."""

    kind = "probabilities"


class RocDisplay(Display):
    """The ROC curve, from probabilities or scores."""

    kind = "roc"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Binary(y_true, score=y_pred, pos_label=pos_label)


class PrecisionRecallDisplay(RocDisplay):
    """Precision against recall, from probabilities or scores."""

    kind = "precision_recall"


class CalibrationDisplay(Display):
    """Observed frequencies against predicted probabilities."""

    kind = "calibration"


class DecisionDisplay(Display):
    """Net benefit over the thresholds at which one would act."""

    kind = "decision"


class ConfusionDisplay(Display):
    """The confusion table, from predicted labels."""

    kind = "confusion"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Multiclass(y_true, label=y_pred, labels=labels)


class ResidualsDisplay(Display):
    """Observed minus predicted numbers, against the predicted ones."""

    kind = "residuals"

    @classmethod
    def _gathered(cls, y_true: Any, y_pred: Any, pos_label: Any, labels: Any) -> Predictions:
        return Numeric(y_true, y_pred)


class PredictedObservedDisplay(ResidualsDisplay):
    """Observed numbers against the predicted ones."""

    kind = "predicted_observed"


def _answers(estimator: Any, X: Any, kind: str, pos_label: Any) -> tuple[Any, Any]:
    """What the picture needs of an estimator: labels, numbers, scores or probabilities."""
    if kind in ("confusion", "residuals", "predicted_observed"):
        return estimator.predict(X), getattr(estimator, "classes_", None)
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) != 2:
        raise NotApplicable(f"this picture is for two classes; the estimator has {len(classes)}.")
    column = next((i for i, c in enumerate(classes) if same_label(c, pos_label)), 1)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, column], None
    if kind in ("roc", "precision_recall"):
        score = estimator.decision_function(X)
        return (score if column == 1 else -score), None
    raise NotApplicable("this picture needs probabilities; the estimator has no predict_proba.")


# ----------------------------------------------------------------------------------------------
# Pictures as files: SVG, PNG or PDF by the ending of their name.
# ----------------------------------------------------------------------------------------------


ENDINGS = (".svg", ".png", ".pdf")


@gated
def save(result: Any, path: str | os.PathLike[str], *, kind: str | None = None) -> None:
    """Draw a picture and write it to a file.

    The file is the same whenever it is drawn from the same numbers.

    Parameters
    ----------
    result
        What `abovechance.plot` takes: a result, predictions, or several of them by name.
    path
        Where to; the ending says how: .svg, .png or .pdf.
    kind
        The picture, when not the usual one of such a result: see `abovechance.plots.pictures`.

    Raises
    ------
    DataError
        If the file would end otherwise.
    NotApplicable
        Where there is no such picture, it cannot be of this, or matplotlib is not installed.

    See Also
    --------
    abovechance.plot : the same on axes of matplotlib.

    Examples
    --------
    >>> from abovechance import examples
    >>> save(examples.breast_cancer(), "roc.bmp")
    Traceback (most recent call last):
        ...
    abovechance.errors.DataError: a picture must end in .svg, .png or .pdf; got 'roc.bmp'.
    """
    file = drawable(path)
    try:
        from matplotlib import pyplot, rc_context
    except ModuleNotFoundError:
        raise NotApplicable(
            "matplotlib is needed to plot; pip install 'abovechance[plot]'."
        ) from None
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "abovechance", "backend": "agg"}):
        figure = plot(result, kind=kind).figure
        drawn, ending = io.BytesIO(), file.suffix[1:].lower()
        try:
            dateless = {"Date": None} if ending == "svg" else None
            figure.savefig(drawn, format=ending, metadata=dateless)
        finally:
            pyplot.close(figure)
    write_bytes(file, drawn.getvalue())


def drawable(path: str | os.PathLike[str]) -> Path:
    """A file that a picture can be written to."""
    file = place(path)
    if file.suffix.lower() not in ENDINGS:
        raise DataError(f"a picture must end in .svg, .png or .pdf; got {file.name!r}.")
    return file
