"""What a picture is: a function that makes a chart, declared with its facts above it.

Pictures are collected, not registered by hand: `ac.plot`, the displays, the report and the tests
read the declarations.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable, did_you_mean, listed
from abovechance.format import as_float
from abovechance.inference.contract import contract, kind_of
from abovechance.inference.curves import Curve
from abovechance.plots.chart import Chart
from abovechance.predictions import Predictions

SEED = 1  # of bands, where the caller states none: the same picture every time
IN_WORDS = {
    "binary": "outcomes with two classes",
    "multiclass": "outcomes with several classes",
    "numeric": "outcomes that are numbers",
    "survival": "times to an event",
    "curve": "curves",
    "sample_size": "sample sizes",
    "permutation_test": "a permutation test",
    "null_distribution": "a null distribution",
}
MODULES = (
    "class_pictures",
    "curve_pictures",
    "number_pictures",
    "survival_pictures",
    "null_pictures",
    "result_pictures",
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


def picture(
    *,
    of: Iterable[str],
    name: str | None = None,
    usual: Iterable[str] = (),
    several: bool = False,
    seeded: bool = False,
    report: int = 0,
    reported: Iterable[str] = (),
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


def plot(result: Any, *, kind: str | None = None, ax: Any = None) -> Any:
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

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    NotApplicable
        Where there is no such picture, or it cannot be of this.

    See Also
    --------
    report : the pictures of a result with its tables and paragraphs.

    Examples
    --------
    >>> from abovechance import examples
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot(examples.breast_cancer()).get_xlabel()
    'Predicted probability of malignant'
    """
    from abovechance.plots.matplotlib_renderer import draw

    chart = result if isinstance(result, Chart) else chart_of(result, kind)
    return draw(chart, ax)


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
