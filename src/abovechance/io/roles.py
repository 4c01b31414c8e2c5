"""Which column is what: as stated, else found by name; and which predictions the columns make."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import ColumnError, DataError
from abovechance.io.table import Kind, Table, counted, kind_of, listed_names, where_missing
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.predictions.checks import SUM_TOLERANCE, same_label, sums_to_one

# ----------------------------------------------------------------------------------------------
# The names columns go by.
# ----------------------------------------------------------------------------------------------


# Names are compared in lower case, with blanks, dots and dashes as underscores. Some are what a
# tool writes: caret obs, pred, Resample, rowIndex; tidymodels .pred, .pred_class, .row; mlr3
# row_ids; H2O predict, p0, p1; PyCaret prediction_label; SAS _FROM_, _INTO_, IP_class; MLflow
# targets, outputs; Hugging Face references, predictions. mlr3 calls its predictions response, as
# others do the outcome, and PyCaret's prediction_score is of whichever class was predicted: both
# are left for the user to name.
NAMES: dict[str, tuple[str, ...]] = {
    "outcome": (
        *("y", "y_true", "ytrue", "outcome", "truth", "target", "actual", "observed"),
        *("true_class", "true_label", "ground_truth", "obs", "targets", "references", "y_test"),
        "_from_",
    ),
    "probability": (
        *("p", "prob", "proba", "probability", "y_proba", "y_prob", "pred_prob", "pred_proba"),
        *("p_hat", "phat", "predicted_probability", "predicted_prob"),
    ),
    "score": ("score", "y_score", "decision", "decision_function", "decision_value"),
    "label": (
        *("label", "predicted_class", "predicted_label", "pred_class", "pred_label"),
        *("_pred_class", "prediction_label", "_into_"),
    ),
    "value": ("value", "predicted_value", "fitted"),
    "time": ("time", "futime", "survtime", "survival_time", "follow_up", "followup", "duration"),
    "event": ("event", "status", "fustat", "event_observed"),
    "risk": ("risk", "risk_score", "linear_predictor", "lp"),
    "predicted_time": ("predicted_time", "pred_time", "predicted_survival_time"),
    "id": ("id", "row_ids", "rowindex", "_row"),
    "fold": ("fold", "cv_fold", "fold_id", "resample"),
    "repeat": ("repeat", "cv_repeat", "repetition"),
    "groups": ("group", "groups", "cluster"),
    "sample_weight": ("sample_weight", "sample_weights", "case_weight", "case_weights"),
    "counts": ("count", "counts", "freq"),
    "order": (),  # never guessed: a column of dates may be anything
}
# Names that count only where no column has one of the names above.
SECOND_NAMES: dict[str, tuple[str, ...]] = {
    "outcome": ("class", "diagnosis"),
    "id": ("case", "case_id", "subject_id", "patient_id", "patientid", "sample_id"),
}
PREDICTION = (
    *("y_pred", "ypred", "yhat", "y_hat", "predicted", "prediction", "pred"),
    *("predictions", "predict", "_pred", "outputs"),
)
PER_CLASS = (
    *("p_", "prob_", "proba_", "probability_", "y_proba_", "y_prob_", "predict_proba_"),
    *("_pred_", "ip_"),
)
# Before the name of a class these say too little: every class must have a column, and the
# probabilities of a case must sum to 1.
HARDLY_PREFIXED = ("", "p")
PER_TIME = re.compile(r"(?:s|surv|survival)_(\d+(?:_\d+)?)")
# Sampling weights, or the weight of a patient: never taken unasked.
WEIGHT_LIKE = ("weight", "weights", "w")


def normal(name: str) -> str:
    """A name for comparing: lower case, with blanks, dots and dashes as underscores.

    >>> normal(" Y.True ")
    'y_true'
    """
    return re.sub(r"[\s.\-]+", "_", name.strip().casefold())


def fitting(role: str, names: Iterable[str]) -> list[str]:
    """The names that fit a role; a second-best name only when there is no better one.

    >>> fitting("outcome", ["Class", "p"]), fitting("outcome", ["Class", "y", "p"])
    (['Class'], ['y'])
    """
    free = list(names)
    known = PREDICTION if role == "prediction" else NAMES[role]
    best = [name for name in free if normal(name) in known]
    return best or [name for name in free if normal(name) in SECOND_NAMES.get(role, ())]


def time_of(name: str) -> float | None:
    """The time in the name of a column of survival probabilities.

    >>> time_of("S_12"), time_of("surv_0.5"), time_of("score")
    (12.0, 0.5, None)
    """
    match = PER_TIME.fullmatch(normal(name))
    return float(match[1].replace("_", ".")) if match else None


# ----------------------------------------------------------------------------------------------
# Columns of probabilities matched to classes by name, never by order.
# ----------------------------------------------------------------------------------------------


def distinct(labels: Array) -> list[Any]:
    """The values that occur, sorted, without missing ones."""
    known = labels[~where_missing(labels)]
    if known.dtype.kind == "O":
        known = known.astype(np.str_)
    return list(np.unique(known).tolist())


def class_family(table: Table, classes: Sequence[Any], taken: Collection[str]) -> tuple[str, ...]:
    """Columns p_<class>: one prefix, then the name of a class.

    A column of that prefix whose class never occurs belongs to them when the probabilities of a
    case sum to 1 only with it.
    """
    free = [name for name in table.names if name not in taken]
    families = {}
    for prefix in PER_CLASS:
        rest = {name: normal(name).removeprefix(prefix) for name in free}
        ours = [name for name in free if normal(name).startswith(prefix) and rest[name]]
        known = [name for name in ours if rest[name] in {normal(str(c)) for c in classes}]
        if known:
            families[prefix] = tuple(
                known if _sum_to_one(table, known) else _all_or_known(table, known, ours)
            )
    if not families:
        return _hardly_prefixed(table, classes, free)
    if len(families) > 1:
        shown = listed_names([name for names in families.values() for name in names])
        raise ColumnError(
            f"the probabilities of the classes stand there twice: {shown}; "
            "say which with probabilities=."
        )
    return next(iter(families.values()), ())


def _hardly_prefixed(table: Table, classes: Sequence[Any], free: Sequence[str]) -> tuple[str, ...]:
    for prefix in HARDLY_PREFIXED:
        wanted = [f"{prefix}{normal(str(c))}" for c in classes if not prefix or str(c).isdigit()]
        found = tuple(name for name in free if normal(name) in wanted)
        try:
            if len(found) == len(classes) > 1 and _sum_to_one(table, found):
                return found
        except DataError:  # one of them holds no numbers
            continue
    return ()


def class_columns(
    columns: Sequence[str] | Mapping[Any, str], classes: Sequence[Any]
) -> dict[Any, str]:
    """Which column holds the probabilities of which class.

    A column belongs to the class it is called after, alone or behind a prefix; one with the same
    prefix and another ending belongs to a class that does not occur.

    >>> class_columns(["p_well", "p_sick", "p_dead"], ["sick", "well"])
    {'well': 'p_well', 'sick': 'p_sick', 'dead': 'p_dead'}
    """
    if isinstance(columns, Mapping):
        return dict(columns)
    fits = {column: _class_of(column, classes) for column in columns}
    prefixes = {c[: len(c) - len(str(fit[0]))] for c, fit in fits.items() if fit}
    matched: dict[Any, str] = {}
    for column, fit in fits.items():
        if not fit and len(prefixes) == 1 and column.startswith(prefix := next(iter(prefixes))):
            fit = (column.removeprefix(prefix),)
        if not fit:
            raise ColumnError(
                f"column {column!r} must be called after its class, as p_{classes[0]}; "
                f"the classes are {listed_names(classes, 5)}."
            )
        if fit[0] in matched:
            raise ColumnError(
                f"every class must have one column of probabilities; {fit[0]!r} has "
                f"{matched[fit[0]]!r} and {column!r}."
            )
        matched[fit[0]] = column
    return matched


def _class_of(column: str, classes: Sequence[Any]) -> tuple[Any] | tuple[()]:
    """The class a column is called after, the longest name winning; exact spelling first."""
    for spelled in (str, normal):
        name = spelled(column)
        fits = [
            c
            for c in classes
            if name == spelled(str(c))
            or name.endswith(("_" + spelled(str(c)), "." + str(c)))
            or (str(c).isdigit() and name == f"p{c}")
        ]
        if fits:
            return (max(fits, key=lambda c: len(str(c))),)
    return ()


def _all_or_known(table: Table, known: list[str], ours: list[str]) -> list[str]:
    """All columns of the prefix if only together they sum to 1, else the known ones."""
    try:
        return ours if len(ours) > len(known) and _sum_to_one(table, ours) else known
    except DataError:  # one of them holds no numbers
        return known


def _sum_to_one(table: Table, names: Sequence[str]) -> bool:
    total = sum((table.number(name) for name in names), start=np.zeros(table.rows))
    return not bool((np.abs(total - 1.0) > SUM_TOLERANCE).any())


# ----------------------------------------------------------------------------------------------
# Which column is what: as stated, else found by name; what cannot be told is refused.
# ----------------------------------------------------------------------------------------------


CLASS_PREDICTIONS = ("probability", "probabilities", "score", "label")
SURVIVAL_ROLES = ("time", "event", "risk", "predicted_time", "survival")
ABOUT_CASES = ("id", "fold", "repeat", "groups", "sample_weight", "counts", "order")

Stated = str | bool | None


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The column (or columns) in each role; `found` are the roles found by name.

    A role stated as False is empty on purpose and not looked for.
    """

    outcome: tuple[str, ...] = ()
    probability: Stated = None
    probabilities: tuple[str, ...] = ()
    score: Stated = None
    label: Stated = None
    value: tuple[str, ...] = ()
    time: Stated = None
    event: Stated = None
    risk: Stated = None
    predicted_time: Stated = None
    survival: tuple[str, ...] = ()
    id: Stated = None
    fold: Stated = None
    repeat: Stated = None
    groups: Stated = None
    sample_weight: Stated = None
    counts: Stated = None
    order: Stated = None
    found: tuple[str, ...] = ()

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns in one role."""
        taken = getattr(self, role)
        if isinstance(taken, tuple):
            return taken
        return (taken,) if isinstance(taken, str) else ()

    def used(self) -> dict[str, tuple[str, ...]]:
        """Every role that has columns."""
        names = (f.name for f in fields(self) if f.name != "found")
        columns = {role: self.columns(role) for role in names}
        return {role: taken for role, taken in columns.items() if taken}

    def sentence(self, rows: int, source: str = "") -> str:
        """What was taken for what, in one line, and from which file.

        >>> Roles(outcome=("y",), probability="p", found=("outcome", "probability")).sentence(569)
        'outcome = y, probability = p (found by name); 569 rows'
        """
        used = self.used()
        told = [_pair(role, used[role]) for role in used if role not in self.found]
        found = [_pair(role, used[role]) for role in used if role in self.found]
        parts = [", ".join(told)] * bool(told) + [f"{', '.join(found)} (found by name)"] * bool(
            found
        )
        return "; ".join([*parts, f"{counted(rows)} of {source}" if source else counted(rows)])


def find_roles(
    table: Table,
    stated: Roles | None = None,
    *,
    classes: Sequence[Any] | None = None,
    categorical: bool = False,
) -> Roles:
    """Complete the stated roles by the names of the columns.

    Predictions are looked for only when none is stated, so that one model's columns never join
    another's. Two columns whose names fit one role are refused, as is a name whose role depends
    on what the values mean.

    Parameters
    ----------
    classes
        The declared classes; those that occur when not given.
    categorical
        Whether the outcome is known to be one of classes, although they may be coded as numbers.
    """
    roles = stated or Roles()
    for role, columns in roles.used().items():
        table.require(columns)
        twice = [name for i, name in enumerate(columns) if name in columns[:i]]
        if twice:
            raise ColumnError(f"{role} must name every column once; {twice[0]!r} stands twice.")
    roles = (
        _survival(table, roles)
        if _is_survival(table, roles)
        else _outcome(table, roles, classes, categorical)
    )
    for role in ABOUT_CASES:
        roles = _named(table, roles, role)
    return roles


def weight_like(table: Table, roles: Roles) -> str | None:
    """A column that may be meant as weights, or as the weight of a patient; never taken unasked."""
    if roles.columns("sample_weight") or roles.sample_weight is False:
        return None
    names = [name for name in table.names if normal(name) in WEIGHT_LIKE]
    return next((name for name in names if name not in _taken(roles)), None)


def _is_survival(table: Table, roles: Roles) -> bool:
    """Whether the outcome is a time with an event: by what is stated, else by names."""
    others = ("outcome", *CLASS_PREDICTIONS, "value")
    if any(roles.columns(role) for role in SURVIVAL_ROLES):
        clash = [role for role in others if roles.columns(role)]
        if clash:
            raise ColumnError(
                f"{clash[0]} does not go with time and event; a survival outcome takes risk=, "
                "predicted_time= or survival=."
            )
        return True
    if any(roles.columns(role) for role in others):
        return False
    both = _matches(table, roles, "time") and _matches(table, roles, "event")
    outcome = _matches(table, roles, "outcome")
    if both and outcome:
        raise ColumnError(
            f"the outcome of {table.source} could be {outcome[0]!r}, or {both[0]!r} with its time. "
            "Say outcome= (--outcome), or time= and event= (--time, --event)."
        )
    return bool(both)


def _survival(table: Table, roles: Roles) -> Roles:
    for role in ("time", "event"):
        roles = _named(table, roles, role)
        if not roles.columns(role):
            raise ColumnError(_not_found(table, f"{role} column", role))
    kinds = ("risk", "predicted_time", "survival")
    if any(roles.columns(role) for role in kinds):
        return roles
    for role in ("risk", "predicted_time"):
        roles = _named(table, roles, role)
    timed = [name for name in table.names if time_of(name) is not None]
    if timed:
        ordered = sorted(timed, key=lambda name: time_of(name) or 0.0)
        roles = _with(roles, "survival", tuple(ordered))
    if not any(roles.columns(role) for role in kinds):
        raise ColumnError(_not_found(table, "prediction column", *kinds))
    return roles


def _outcome(table: Table, roles: Roles, classes: Sequence[Any] | None, categorical: bool) -> Roles:
    for first, second in (("value", CLASS_PREDICTIONS), ("probability", ("probabilities",))):
        clash = [role for role in second if roles.columns(role)]
        if roles.columns(first) and clash:
            raise ColumnError(f"give {first}= or {clash[0]}=, not both: they predict differently.")
    roles = _named(table, roles, "outcome")
    if not roles.outcome:
        hint = [name for name in table.names if normal(name) in ("label", "labels")]
        more = f" If {hint[0]!r} holds what was observed, say outcome={hint[0]!r}." if hint else ""
        raise ColumnError(_not_found(table, "outcome column", "outcome") + more)
    dates = [name for name in roles.outcome if table.holds_dates(name)]
    if dates:
        raise DataError(
            f"the outcome must hold classes or numbers; column {dates[0]!r} holds dates. For a "
            "time to an event give time= and event= (--time, --event), the time in days."
        )
    if any(roles.columns(role) for role in (*CLASS_PREDICTIONS, "value")):
        return roles
    if len(roles.outcome) > 1:
        raise ColumnError("several outcomes need as many predictions; say which with value=.")
    return _predictions(table, roles, table.labels(roles.outcome[0]), classes, categorical)


def _predictions(
    table: Table, roles: Roles, outcome: Array, classes: Sequence[Any] | None, categorical: bool
) -> Roles:
    """The columns of predictions by name, given what the outcome looks like."""
    measured = _is_measured(outcome) and not categorical
    if measured:
        roles = _named(table, roles, "value")
    else:
        for role in ("probability", "score", "label"):
            roles = _named(table, roles, role)
        declared = classes if classes is not None else distinct(outcome)
        per_class = class_family(table, declared, _taken(roles))
        if per_class and roles.columns("probability"):
            _refuse_many(
                [*roles.columns("probability"), *per_class], "the probability", "probability"
            )
        roles = _with(roles, "probabilities", per_class)
    if not roles.columns("value") and not roles.columns("label"):
        roles = _prediction(table, roles, outcome, measured, categorical)
    if not any(roles.columns(role) for role in (*CLASS_PREDICTIONS, "value")):
        if not measured and _is_number(outcome):
            roles = _named(table, roles, "value")
        if not roles.value:
            wanted = ("value",) if measured else (*CLASS_PREDICTIONS, "value")
            raise ColumnError(_not_found(table, "prediction column", *wanted))
    return roles


def _prediction(
    table: Table, roles: Roles, outcome: Array, measured: bool, declared: bool
) -> Roles:
    """A column called prediction, or alike: a value, a label, or refused when it could be both."""
    names = _matches(table, roles, "prediction")
    if not names:
        return roles
    _refuse_many(names, "the prediction", "label", "value")
    if measured:
        return _with(roles, "value", (names[0],))
    predicted = table.labels(names[0])
    same = set(distinct(predicted)) <= set(distinct(outcome))
    words = declared or not _is_number(outcome)
    two = words or set(distinct(outcome)) <= {0, 1}
    others = any(roles.columns(role) for role in CLASS_PREDICTIONS)
    if (same and (two or others)) or (words and not others and not _is_measured(predicted)):
        return _with(roles, "label", names[0])
    if others:
        return roles  # a plainer name was found, and this column cannot be its labels
    if not two and _is_measured(predicted):
        return _with(roles, "value", (names[0],))
    raise ColumnError(
        f"column {names[0]!r} could hold predicted classes, values or probabilities; "
        f"say label=, value= or probability={names[0]!r}."
    )


def _matches(table: Table, roles: Roles, role: str) -> list[str]:
    """The free columns whose names fit a role."""
    taken = _taken(roles)
    return fitting(role, (name for name in table.names if name not in taken))


def _is_number(labels: Array) -> bool:
    return kind_of(labels) is Kind.NUMBER


def _is_measured(labels: Array) -> bool:
    """Whether values are clearly numbers rather than codes of classes: some are not whole."""
    if labels.dtype.kind != "f":
        return False
    known = labels[~np.isnan(labels)]
    return bool((known != np.rint(known)).any())


def _named(table: Table, roles: Roles, role: str) -> Roles:
    """The role filled by name, if it is not stated and a name fits."""
    if getattr(roles, role) not in (None, ()):
        return roles
    names = _matches(table, roles, role)
    if not names:
        return roles
    _refuse_many(names, f"the {role}", role)
    several = isinstance(getattr(Roles(), role), tuple)
    return _with(roles, role, (names[0],) if several else names[0])


def _taken(roles: Roles) -> set[str]:
    return {name for columns in roles.used().values() for name in columns}


def _with(roles: Roles, role: str, columns: str | tuple[str, ...]) -> Roles:
    if not columns:
        return roles
    return replace(roles, **{role: columns, "found": (*roles.found, role)})  # type: ignore[arg-type]


def _refuse_many(names: Sequence[str], what: str, *wanted: str) -> None:
    if len(names) > 1:
        raise ColumnError(
            f"{what} could be any of the columns {listed_names(names)}; "
            f"say which with {_options(wanted)}."
        )


def _not_found(table: Table, what: str, *wanted: str) -> str:
    return (
        f"no {what} was found by name in {table.source}; name it with {_options(wanted)}. "
        f"Its columns: {listed_names(table.names)}."
    )


def _options(roles: Sequence[str]) -> str:
    """How to state roles, in Python and on the command line.

    >>> _options(["label", "value"])
    'label= or value= (--label, --value)'
    """
    words = [f"{role}=" for role in roles]
    flags = [f"--{role.removeprefix('sample_').replace('_', '-')}" for role in roles]
    python = " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
    return f"{python} ({', '.join(flags)})"


def _pair(role: str, columns: tuple[str, ...]) -> str:
    return f"{role} = {listed_names(columns, most=6)}"


# ----------------------------------------------------------------------------------------------
# Which kind of predictions a table's roles make, and from what arrays.
# ----------------------------------------------------------------------------------------------


Columns = str | Sequence[str] | None


class Plan(NamedTuple):
    """A kind of predictions, and what to build it from."""

    kind: Callable[..., Predictions]
    arrays: dict[str, Array]
    options: dict[str, Any]
    notes: tuple[Advice, ...] = ()


def survival_plan(
    table: Table, roles: Roles, survival: Columns | Mapping[float, str], pos_label: Any
) -> Plan:
    """Times to an event with what was predicted of them."""
    arrays = _read(table.number, roles, "risk", "predicted_time")
    time, event = roles.columns("time")[0], roles.columns("event")[0]
    arrays |= {"time": table.number(time), "event": _event(event, table.labels(event), pos_label)}
    if not roles.survival:
        return Plan(Survival, arrays, {})
    if isinstance(survival, Mapping):
        timed = sorted((float(moment), name) for moment, name in survival.items())
    else:
        timed = sorted((_moment(name), name) for name in roles.survival)
    twins = [(a[1], b[1]) for a, b in pairwise(timed) if a[0] == b[0]]
    if twins:
        raise ColumnError(
            f"survival must have one column per time; {twins[0][0]!r} and {twins[0][1]!r} "
            "have the same. Say which with survival=."
        )
    arrays["survival"] = np.column_stack([table.number(name) for _, name in timed])
    return Plan(Survival, arrays, {"times": [moment for moment, _ in timed]})


def _event(name: str, labels: Array, pos_label: Any) -> Array:
    """1 where the event happened, 0 where not, nan where it is missing."""
    known = distinct(labels)
    if pos_label is None:
        if any(isinstance(value, str) or value not in (0, 1) for value in known):
            raise DataError(
                "event must be 1 where the event happened and 0 where not; column "
                f"{name!r} holds {listed_names(known, 5)}. Say which of them is the event with "
                "pos_label= (--positive)."
            )
        return labels
    happened = [label for label in known if same_label(label, _meant(pos_label, known))]
    if not happened:
        raise DataError(
            f"pos_label must be one of the values of event column {name!r}; got {pos_label!r} "
            f"among {listed_names(known, 5)}."
        )
    event = np.isin(labels.astype(np.array(known).dtype), happened).astype(np.float64)
    event[where_missing(labels)] = np.nan
    return event


def _moment(name: str) -> float:
    moment = time_of(name)
    if moment is not None:
        return moment
    last = re.search(r"(\d+(?:\.\d+)?)\D*$", name)
    if last is None:
        raise ColumnError(
            f"a column of survival must have its time in its name, as S_12; got {name!r}. "
            "In Python a mapping from time to column works too."
        )
    return float(last[1])


def numeric_plan(table: Table, roles: Roles) -> Plan:
    """Numbers, of one outcome or several."""
    y = np.column_stack([table.number(name) for name in roles.outcome])
    value = np.column_stack([table.number(name) for name in roles.value])
    return Plan(Numeric, {"y_true": y, "value": value}, {"outputs": roles.outcome})


def class_plan(
    table: Table,
    roles: Roles,
    probabilities: Columns | Mapping[Any, str],
    pos_label: Any,
    labels: Sequence[Any] | None,
    threshold: float | None,
) -> Plan:
    """Two classes or more, with labels, a score, or probabilities matched to classes by name."""
    if len(roles.outcome) > 1:
        raise ColumnError("outcome must be one column for classes; several go with value=.")
    arrays = {"y_true": table.labels(roles.outcome[0])}
    arrays |= _read(table.labels, roles, "label")
    classes = list(labels) if labels is not None else _seen(arrays)
    named = probabilities if isinstance(probabilities, Mapping) else roles.probabilities
    columns = class_columns(named, classes)
    unseen = [c for c in columns if not any(same_label(c, known) for known in classes)]
    classes += unseen
    if len(classes) > 2:
        said = (
            f"the outcome never takes the class{'es' * (len(unseen) > 1)} {listed_names(unseen, 5)}"
        )
        plan = _multiclass(table, roles, arrays, classes, columns)
        return plan._replace(notes=(Advice("AC704", said),) if unseen else ())
    positive = None if pos_label is None else _meant(pos_label, classes)
    arrays |= _read(table.number, roles, "probability", "score")
    if columns:
        arrays["probability"] = _of_positive(table, columns, classes, positive)
    declared = classes if labels is not None or unseen else None
    options = {"pos_label": positive, "labels": declared, "threshold": threshold}
    return Plan(Binary, arrays, options)


def _multiclass(
    table: Table,
    roles: Roles,
    arrays: dict[str, Array],
    classes: list[Any],
    columns: dict[Any, str],
) -> Plan:
    for role in ("probability", "score"):
        if roles.columns(role):
            raise DataError(
                f"one column of {role} needs two classes; {roles.outcome[0]!r} has "
                f"{len(classes)}: {listed_names(classes, 5)}. Give one column per class, as "
                f"p_{classes[0]}, with probabilities=."
            )
    if not columns:
        return Plan(Multiclass, arrays, {"labels": classes})
    ordered = []
    for label in classes:
        fits = [name for c, name in columns.items() if same_label(c, label)]
        if not fits:
            raise ColumnError(
                f"every class must have a column of probabilities; there is none for {label!r} "
                f"among {listed_names(columns.values())}."
            )
        ordered.append(table.number(fits[0]))
    return Plan(
        Multiclass, {**arrays, "probability": np.column_stack(ordered)}, {"labels": classes}
    )


def _of_positive(table: Table, columns: dict[Any, str], classes: list[Any], positive: Any) -> Array:
    """The probability of the positive class, from columns called after the classes."""
    if positive is None:
        if any(isinstance(c, str) or c not in (0, 1) for c in classes):
            raise DataError(
                "pos_label must say which class is positive; the classes are "
                f"{listed_names(classes, 5)}. Pass pos_label={classes[-1]!r}, for instance "
                f"(--positive {classes[-1]})."
            )
        positive = 1
    ours = [name for c, name in columns.items() if same_label(c, positive)]
    rest = [name for c, name in columns.items() if not same_label(c, positive)]
    if not ours:
        raise ColumnError(
            f"the positive class {positive!r} must have a column of probabilities; there is only "
            f"{listed_names(rest, 5)}."
        )
    probability = table.number(ours[0])
    if rest:
        sums_to_one(probability + table.number(rest[0]))
    return probability


def _meant(pos_label: Any, classes: Sequence[Any]) -> Any:
    """The class a label stands for: TRUE, true and True are one among true/false."""
    if isinstance(pos_label, str) and not any(isinstance(c, str) for c in classes):
        return {"true": True, "false": False}.get(pos_label.casefold(), pos_label)
    return pos_label


def _seen(arrays: Mapping[str, Array]) -> list[Any]:
    """The classes that occur, as outcome or as label; of 0/1 always both."""
    classes = distinct(arrays["y_true"])
    more = distinct(arrays["label"]) if "label" in arrays else []
    classes += [c for c in more if not any(same_label(c, known) for known in classes)]
    if classes and all(not isinstance(c, str) and c in (0, 1) for c in classes):
        return [False, True] if isinstance(classes[0], bool) else [0, 1]
    return sorted(classes, key=lambda c: (isinstance(c, str), c))


def _read(convert: Callable[[str], Array], roles: Roles, *wanted: str) -> dict[str, Array]:
    """The columns in some roles, for those that have one."""
    return {role: convert(name) for role in wanted for name in roles.columns(role)}
