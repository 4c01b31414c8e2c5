"""Every measure of the package, collected from the modules that declare them."""

import ast
import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable, UnknownMeasure, did_you_mean, listed, shown
from abovechance.gate import gated
from abovechance.measures.measure import AVERAGES, Form, Measure, defaults, separate
from abovechance.plugins import declared, names_of
from abovechance.predictions import Numeric, Predictions, Survival
from abovechance.predictions.base import must_be_predictions

MODULES = (
    "categorical",
    "rank",
    "probability",
    "calibration",
    "utility",
    "regression",
    "survival",
)
# what takes more than outcomes and predictions, and so is no measure of predictions
FUNCTIONS = {"covariate_balanced_accuracy": "y_true, y_pred, covariate"}
AT_BETA = {"f2": 2.0, "f2_score": 2.0, "f05": 0.5, "f05_score": 0.5}


@cache
def every() -> dict[str, Measure]:
    """All declared measures by canonical name, those of plug-ins last.

    Returns
    -------
    dict
        From name to `Measure`, in the order of their declaration.

    See Also
    --------
    find : by alias, average or parameter too.

    Examples
    --------
    >>> every()["brier"].title
    'Brier score'
    """
    found: dict[str, Measure] = {}
    for module in MODULES:
        for value in vars(importlib.import_module(f"abovechance.measures.{module}")).values():
            if isinstance(value, Measure) and value.origin[0].endswith(f".{module}"):
                found[value.name] = value
    taken = {*AT_BETA, *(tag for own in found.values() for tag in _tags(own))}
    return found | {m.name: m for m in declared("measures", Measure, taken)}


def _tags(measure: Measure) -> Iterator[str]:
    """Every name that `find` knows a measure and its versions by."""
    suffixes = ["", *(f"_{average}" for average in AVERAGES if measure.averages)]
    if measure.outcomes == {"numeric"}:
        suffixes += ["_trim", "_winsor"]
    yield from (name + suffix for name in names_of(measure) for suffix in suffixes)


@cache
def _index() -> dict[str, Measure]:
    """Names and aliases; a clash is a mistake in a declaration."""
    index: dict[str, Measure] = {}
    for measure in every().values():
        for name in names_of(measure):
            if name in index:
                raise UnknownMeasure(f"{name!r} names both {index[name].name} and {measure.name}.")
            index[name] = measure
    return index


def along_the_same_curve(measure: Measure) -> list[Measure]:
    """A measure, and others that are made of the distances of the same curve.

    >>> [m.name for m in along_the_same_curve(find("e50"))]
    ['e50', 'ici', 'e90']
    """
    if measure.resampled_distances is None:
        return [measure]
    own = measure.resampled_distances, measure.parameters
    return [
        measure,
        *(
            m
            for m in every().values()
            if (m.resampled_distances, m.parameters) == own
            and m.of_distances is not measure.of_distances
            and not m.extreme
        ),
    ]


def find(tag: str | Measure, *, dialect: str | None = None, **parameters: Any) -> Measure:
    """The measure that goes by a name: canonical, familiar's tag or a scikit-learn scorer name.

    Parameters
    ----------
    tag
        Name or alias in any case, with a suffix `_micro`, `_macro` or `_weighted` for averages over
        classes, `_trim` or `_winsor` for regression; `f_beta(2)` sets a parameter.
    dialect
        "familiar": exactly as the R package familiar 1.5.0 computes it; as here when not given.
    **parameters
        Parameters of the measure: `find("f_beta", beta=2)`.

    Returns
    -------
    Measure
        The measure, which can be called with arrays.

    Raises
    ------
    UnknownMeasure
        If no measure goes by that name; the message names the nearest.
    NotApplicable
        If it has no such parameter.

    See Also
    --------
    every : all of them.
    applicable : those that suit some predictions.

    Examples
    --------
    >>> find("recall_micro")
    <measure sensitivity_micro>
    >>> find("f2_score")
    <measure f_beta(2)>
    >>> find("ROC AUC")([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    0.75
    """
    if dialect is not None and not isinstance(dialect, str):
        raise UnknownMeasure(f"dialect must be 'familiar'; got {shown(dialect)}.")
    if isinstance(tag, Measure):
        found = tag if dialect is None else _named(tag.label, dialect)
    elif isinstance(tag, str):
        found = _named(tag, dialect)
    else:
        raise UnknownMeasure(
            f"a measure must be given by its name, as 'auc', or as one; got {_kind_of(tag)}."
        )
    return found.with_parameters(**parameters) if parameters else found


def named(
    measures: str | Measure | Iterable[str | Measure], *, dialect: str | None = None
) -> list[Measure]:
    """Measures from what names them: one or several, by name or as measures.

    >>> named("AUC"), named(["auc", "brier", "auroc"]), named("auc, f_beta(2)")
    ([<measure auc>], [<measure auc>, <measure brier>], [<measure auc>, <measure f_beta(2)>])
    """
    several: list[Any]
    if isinstance(measures, str):
        several = separate(measures)
    elif isinstance(measures, Measure):
        several = [measures]
    elif isinstance(measures, Iterable) and getattr(measures, "ndim", 1) == 1:
        several = list(measures)
    else:
        raise UnknownMeasure(
            f"measures must be names, as ['auc', 'brier'], or measures; got {_kind_of(measures)}."
        )
    if not several:
        raise NotApplicable("no measure was named; leave measures= out for all that apply.")
    known = [m if isinstance(m, Measure) else find(m, dialect=dialect) for m in several]
    # a measure and its alias are one, a measure of one's own under a known name is another
    return list({(m.label, m.formula): m for m in known}.values())


def _kind_of(thing: Any) -> str:
    return "None" if thing is None else f"{type(thing).__name__} {str(thing)[:20]!r}"


@gated
def applicable(predictions: Predictions) -> list[Measure]:
    """Every listed measure that can be computed from these predictions, in catalogue order.

    Parameters
    ----------
    predictions
        Predictions of any kind.

    Returns
    -------
    list of Measure
        The measures, each in its version for this kind of outcome.

    Raises
    ------
    DataError
        If these are no predictions.

    See Also
    --------
    every : all measures.
    abovechance.assess : computes them.

    Examples
    --------
    >>> from abovechance import Binary
    >>> labels = Binary([0, 1, 1], label=[0, 1, 0])
    >>> [measure.name for measure in applicable(labels)][:3]
    ['accuracy', 'error_rate', 'balanced_accuracy']
    """
    must_be_predictions(predictions)
    versions = (m.for_outcome(predictions.kind) for m in every().values() if m.listed)
    return [m for m in versions if m.applies(predictions) and _in_place(m, predictions)]


def _in_place(measure: Measure, predictions: Predictions) -> bool:
    """Averages over outputs need several, measures at a time need one to be known."""
    if isinstance(predictions, Survival) and "t" in measure.parameters:
        return measure.parameters["t"] is not None or predictions.times is not None
    several = isinstance(predictions, Numeric) and len(predictions.outputs) > 1
    return several or not measure.many_outputs


@cache
def _named(tag: str, dialect: str | None) -> Measure:
    base, values, named = _parsed(tag)
    found = _plain(base) if dialect is None else _in_dialect(base, dialect)
    if found is None:
        plain = "_".join(base.lower().replace("-", " ").split())  # AUC, F1, Brier score
        if plain != base and _plain(plain) is not None:
            return _named(tag.replace(base, plain, 1), dialect)
        raise UnknownMeasure(f"unknown measure {tag!r}{_remedy(plain)}")
    names = list(found.parameters)
    if len(values) > len(names):
        takes = f"{len(names)} ({listed(names)})" if names else "none"
        raise NotApplicable(f"parameters of {found.name}: {takes}; got {len(values)} in {tag!r}.")
    given = {**dict(zip(names, values, strict=False)), **named}
    return found.with_parameters(**given) if given else found


def _remedy(name: str) -> str:
    """The end of a message about an unknown measure."""
    if name in FUNCTIONS:
        return f": it is a function of its own, ac.measures.{name}({FUNCTIONS[name]})."
    base, _, suffix = name.rpartition("_")
    whole = _plain(base) if suffix in AVERAGES else None
    if whole is not None and whole.average is None:
        alike = [f"{m.name}_{suffix}" for m in every().values() if _same_of_two(m, whole)]
        instead = f" The class by class version is {alike[0]!r}." if alike else ""
        return f"; {base} is not averaged over classes: use {base!r}.{instead}"
    known = [*_index(), *_suffixed(name), *FUNCTIONS]
    return did_you_mean(name, known) or "; 'abovechance measures' lists them all."


def _same_of_two(candidate: Measure, measure: Measure) -> bool:
    """Whether a measure of one class at a time is, for two classes, the same number."""
    if not candidate.averages or candidate is measure or measure.form is not Form.COUNTS:
        return False
    tables = np.array([[[7, 2], [1, 5]], [[3, 4], [6, 20]]], dtype=np.float64)
    return bool(np.allclose(candidate.on_counts(tables), measure.on_counts(tables)))


def _plain(name: str) -> Measure | None:
    if name in _index():
        return _index()[name]
    if name in AT_BETA:
        return every()["f_beta"].with_parameters(beta=AT_BETA[name])
    base, _, suffix = name.rpartition("_")
    if suffix in AVERAGES:
        found = _plain(base)
        return found.averaged(suffix) if found is not None and found.averages else None
    if suffix in ("trim", "winsor"):
        from abovechance.measures.regression import trimmed, winsorised

        found = _plain(base)
        if found is None or found.outcomes != {"numeric"} or found.many_outputs:
            return None
        return trimmed(found) if suffix == "trim" else winsorised(found)
    return None


def _in_dialect(name: str, dialect: str) -> Measure | None:
    if dialect != "familiar":
        raise UnknownMeasure(f"dialect must be 'familiar'; got {dialect!r}.")
    from abovechance.measures.familiar import as_familiar

    if name.startswith("relative_absolutive_error"):  # familiar's own spelling
        name = name.replace("absolutive", "absolute")
    found = _plain(name)
    return None if found is None else as_familiar(found)


def _parsed(tag: str) -> tuple[str, list[Any], dict[str, Any]]:
    """`f_beta(2)` and `f_beta(beta=2)` as name and parameters; a bare word is text."""
    base, bracket, rest = tag.strip().partition("(")
    if not bracket:
        return base, [], {}
    try:
        call = ast.parse(f"_({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or any(word.arg is None for word in call.keywords):
            raise ValueError
        named = {str(word.arg): _literal(word.value) for word in call.keywords}
        return base.strip(), [_literal(node) for node in call.args], named
    except (SyntaxError, ValueError):
        raise UnknownMeasure(f"cannot read the parameters of {tag!r}; write f_beta(2).") from None


def _literal(node: ast.expr) -> Any:
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _suffixed(name: str) -> Iterator[str]:
    suffix = name.rpartition("_")[2]
    for measure in every().values():
        if measure.averages and suffix in AVERAGES:
            yield from (f"{n}_{suffix}" for n in (measure.name, *measure.aliases))


def same_question(measure: Measure, predictions: Any) -> Measure | None:
    """The mean loss whose comparison answers the question about a measure, if there is one."""
    several = len(getattr(predictions, "outputs", ())) > 1
    usual = defaults(measure.formula).get("reference")
    moved = measure.parameters.get("reference") != usual
    if not measure.monotone_in or measure.dialect or several or moved:
        return None
    return find(measure.monotone_in).for_outcome(predictions.kind)
