"""Options of commands that fit a learner: which one, to which columns of a file."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import DataError, NotApplicable, did_you_mean

FOR_CLASSES = ("logistic", "lda", "svm", "forest", "boosting", "bayes")
FOR_NUMBERS = ("ridge", "linear", "forest", "boosting")
FOR_SURVIVAL = ("cox",)
LEARNERS = tuple(dict.fromkeys((*FOR_CLASSES, *FOR_NUMBERS, *FOR_SURVIVAL)))

_FILE = (click.argument("file", type=click.Path()), options.sheet)
_FEATURES = click.option(
    "--features",
    "columns",
    metavar="COLS",
    callback=options.names,
    help="Features; when not given, all other columns of numbers that do not count the rows.",
)
_POSITIVE = click.option("--positive", metavar="LABEL", help="The positive class.")
_ID = click.option("--id", "id_", metavar="COL", help="Names the cases; not a feature.")
_MISSING = click.option(
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="What to do with cases that miss a value.",
)
group = click.option("--group", metavar="COL", help="Clusters: subject, site, …; kept whole.")
features = options.stack(
    *_FILE,
    click.option("--outcome", metavar="COL", required=True, help="The classes, or numbers."),
    _FEATURES,
    _ID,
    _POSITIVE,
    _MISSING,
)
columns = options.stack(
    *_FILE,
    click.option("--outcome", metavar="COL", help="The classes, or numbers, to be predicted."),
    _FEATURES,
    _POSITIVE,
    click.option("--time", metavar="COL", help="Time of the event or of censoring."),
    click.option("--event", metavar="COL", help="1 where the event happened, 0 where censored."),
    _ID,
    group,
    _MISSING,
)
learner = options.stack(
    click.option(
        "--estimator",
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}; or module:name of an estimator, or of a function that makes "
        "one. logistic, or ridge of numbers, when not given.",
    ),
    click.option(
        "--times",
        metavar="T,…",
        callback=lambda ctx, param, value: None if value is None else numbers(value),
        help="Of survival: when to predict being event-free.",
    ),
)


def numbers(text: str) -> list[float]:
    """Numbers from the command line."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"must be numbers, as 1,2,5; got {text!r}.") from None


def read(given: dict[str, Any], *, group_apart: bool = False) -> Any:
    """The features and the outcome that the options name.

    `group_apart` refuses a group that is a feature too.
    """
    from abovechance.io.reading import features_in

    outcome, time, event = (given.get(name) for name in ("outcome", "time", "event"))
    if (time is None) != (event is None):
        raise click.UsageError("--time and --event go together.")
    if (outcome is None) == (time is None):
        raise click.UsageError("give --outcome COL, or of survival --time COL and --event COL.")
    target: Any = outcome if time is None else time
    roles = {"the outcome": target, "the event": event, "the id": given["id_"]}
    if group_apart:
        roles["the group"] = given.get("group")
    for role, column in roles.items():
        if column is not None and column in (given["columns"] or ()):
            raise click.UsageError(f"{column!r} is {role}; it cannot be a feature as well.")
    return features_in(
        given["file"],
        target,
        given["columns"],
        blocks=given.get("group"),
        id=given["id_"],
        event=event,
        missing=given["missing"],
        sheet=given["sheet"],
    )


def share_or_folds(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | int | None:
    """A share to hold out, as 0.3 or 1/3, or a number of folds."""
    if value is None:
        return None
    above, line, below = value.partition("/")
    try:
        return (
            float(above) / float(below) if line else int(value) if value.isdigit() else float(value)
        )
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(
            f"must be a share to hold out, as 1/3, or a number of folds, as 5; got {value!r}."
        ) from None


def facts_of(found: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What the columns say of the cases, under the keywords of the verbs."""
    facts: dict[str, Any] = {"feature_names": found.names, "groups": found.blocks}
    if found.event is not None:
        facts |= {"event": found.event, "times": given.get("times")}
    elif given.get("times") is not None:
        raise click.UsageError("--times goes with --time and --event, of survival.")
    if given["positive"] is not None:
        facts["pos_label"] = given["positive"]
    return facts


def estimator_of(name: str | None, found: Any) -> Any:
    """The estimator of a name, or of a path such as package.module:name."""
    from abovechance.signal import holds_numbers

    kind = "survival" if found.event is not None else "numbers"
    if found.event is None and not holds_numbers(found.y):
        kind = "classes"
    if name is None:
        name = {"classes": "logistic", "numbers": "ridge", "survival": "cox"}[kind]
    if ":" in name:
        return imported(name)
    if name not in LEARNERS:
        near = did_you_mean(name, LEARNERS)
        raise NotApplicable(
            f"no learner is called {name!r}{near or '.'} Known are {', '.join(LEARNERS)}; any "
            "other is named as module:name."
        )
    fitting = {"classes": FOR_CLASSES, "numbers": FOR_NUMBERS, "survival": FOR_SURVIVAL}[kind]
    if name not in fitting:
        raise NotApplicable(
            f"{name} is not for an outcome of {kind}; choose among {', '.join(fitting)}."
        )
    return _made(name, kind == "numbers")


def _made(name: str, of_numbers: bool) -> Any:
    """A named learner, with scikit-learn's settings; scaled where units matter."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    makers: dict[str, Callable[[], Any]] = {
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "lda": LinearDiscriminantAnalysis,
        "svm": lambda: make_pipeline(StandardScaler(), SVC()),
        "forest": RandomForestRegressor if of_numbers else RandomForestClassifier,
        "boosting": HistGradientBoostingRegressor if of_numbers else HistGradientBoostingClassifier,
        "bayes": GaussianNB,
        "ridge": lambda: make_pipeline(StandardScaler(), Ridge()),
        "linear": LinearRegression,
        "cox": _cox,
    }
    return makers[name]()


def _cox() -> Any:
    try:
        module = import_module("sksurv.linear_model")
    except ModuleNotFoundError:
        raise NotApplicable(
            "cox needs scikit-survival; pip install scikit-survival, or name an estimator that "
            "predicts a risk as module:name."
        ) from None
    return module.CoxPHSurvivalAnalysis()


def imported(path: str, option: str = "--estimator", does: str = "predict") -> Any:
    """An estimator at a path such as models:best; a class or a function is called.

    `does` is what it must be able to do beside being fitted.

    >>> type(imported("sklearn.naive_bayes:GaussianNB")).__name__
    'GaussianNB'
    """
    module, _, name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:  # a module beside the data, as python itself would find it
        sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), name)
    except ModuleNotFoundError as why:
        raise NotApplicable(f"{option} {path!r}: there is no module {why.name!r}.") from None
    except AttributeError:
        raise NotApplicable(f"{option} {path!r}: {module!r} has no {name!r}.") from None
    made = found
    if isinstance(found, type) or (callable(found) and not hasattr(found, "fit")):
        made = found()
    if not (hasattr(made, "fit") and hasattr(made, does)):
        raise DataError(
            f"{option} {path!r} must be something with fit and {does}, or make one; it is not."
        )
    return made
