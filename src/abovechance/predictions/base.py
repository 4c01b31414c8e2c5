"""What every kind of predictions carries beside outcome and prediction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats
from abovechance.docstrings import completed
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.format import thousands
from abovechance.predictions import checks

ORIGINS = ("test", "cv", "repeated_cv")
DROP = 'Complete the file, or drop such cases with missing="drop" (--missing drop).'


MOST_COUNTED = 2**53  # that rows may stand for together: floats skip numbers beyond


class View(StrEnum):
    """What a measure reads of the predictions."""

    LABEL = "label"
    SCORE = "score"
    PROBABILITY = "probability"
    VALUE = "value"
    RISK = "risk"
    SURVIVAL = "survival"


@dataclass(frozen=True, eq=False)
class Cases:
    """Facts about the cases that no measure's formula reads."""

    id: Array | None = None
    fold: Array | None = None
    repeat: Array | None = None
    groups: Array | None = None
    sample_weight: Floats | None = None
    counts: Floats | None = None
    order: Array | None = None  # when a case was observed: numbers
    index: Array | None = field(default=None, compare=False)  # row labels of a dataframe

    ARRAYS: ClassVar[tuple[str, ...]] = (
        "id",
        "fold",
        "repeat",
        "groups",
        "sample_weight",
        "counts",
        "order",
    )

    @classmethod
    def of(cls, index: Array | None, columns: Mapping[str, Any]) -> Self:
        """Those of raw columns that say something about the cases, as arrays, unchecked."""
        named = {k: columns[k] for k in cls.ARRAYS if columns[k] is not None}
        return cls(**{k: checks.vector(k, v) for k, v in named.items()}, index=index)

    def arrays(self) -> dict[str, Array | None]:
        """The facts that are known."""
        own = self.__dict__
        return {name: own[name] for name in self.ARRAYS if own[name] is not None}

    def take(self, rows: Any) -> Self:
        columns = {**self.arrays(), "index": self.index}
        return replace(self, **{k: v[rows] for k, v in columns.items() if v is not None})

    def checked(self) -> Self:
        """The same facts, weights made floats; refused where they cannot be what they say."""
        known = self.arrays()
        if not known:
            return self
        settle_missing(known, "refuse", "Complete it, or leave the column out.")
        if self.sample_weight is not None and self.counts is not None:
            raise DataError(
                "give sample_weight= (sampling weights) or counts= (a row stands for k cases), "
                "not both; multiply them yourself if that is what you mean."
            )
        weight = _weights("sample_weight", self.sample_weight)
        counts = _weights("counts", self.counts)
        if counts is not None and counts.sum() > MOST_COUNTED:
            raise DataError(
                f"counts must sum to at most {thousands(MOST_COUNTED)}; got {counts.sum():.3g}."
            )
        if counts is not None and (counts != np.round(counts)).any():
            raise DataError(
                "counts must be whole numbers; "
                f"got {counts[counts != np.round(counts)][0]:g} at "
                f"{checks.rows_of(counts != np.round(counts))}. For weights use sample_weight=."
            )
        self._ids_once()
        return replace(self, sample_weight=weight, counts=counts, order=self._times())

    def _times(self) -> Floats | None:
        """The order as numbers; refused beside what it does not go with."""
        if self.order is None:
            return None
        if self.groups is not None:
            raise DataError(
                "give order= or groups=, not both: independent series are groups, and what all "
                "cases of a time share is in the order."
            )
        if self.sample_weight is not None:
            raise DataError("order= does not go with sample_weight=; leave one of them out.")
        return checks.moments("order", self.order)

    def _ids_once(self) -> None:
        if self.id is None or len(self.id) < 2:
            return
        keys = (
            self.id
            if self.repeat is None
            else [f"{i}\0{r}" for i, r in zip(self.id.tolist(), self.repeat.tolist(), strict=True)]
        )
        seen, counts = np.unique(np.asarray(keys), return_counts=True)
        if (counts > 1).any():
            twice = [str(v).split("\0")[0] for v in seen[counts > 1]]
            raise DataError(
                f"id must name every case once; {listed(twice, 3)} occur{'s' * (len(twice) == 1)} "
                "more than once. For several rows per subject pass groups=, for repeats repeat=."
            )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Predictions:
    """The common part of the four kinds of predictions; build one of those."""

    kind: ClassVar[str] = ""
    case_arrays: ClassVar[tuple[str, ...]] = ()

    cases: Cases
    origin: str
    kept: Bools | None
    notes: tuple[Advice, ...]
    described: str
    origin_stated: bool  # else taken for an independent test set, for want of a word

    def __init_subclass__(cls) -> None:
        code = getattr(cls.__init__, "__code__", None)
        if code is not None:
            cls.__doc__ = completed(cls.__doc__, code.co_varnames)

    @property
    def n(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    @property
    def dropped(self) -> int:
        """How many cases were left out because they missed a value."""
        return 0 if self.kept is None else int((~self.kept).sum())

    @property
    def total(self) -> float:
        """Number of cases the rows stand for."""
        return float(self.cases.counts.sum()) if self.cases.counts is not None else self.n

    @cached_property
    def weight(self) -> Floats | None:
        """What a row counts: frequencies or sampling weights, or None for one each."""
        return self.cases.counts if self.cases.counts is not None else self.cases.sample_weight

    @property
    def views(self) -> frozenset[View]:
        """What a measure can read here."""
        raise NotImplementedError

    @property
    def prevalences(self) -> Floats | None:
        """Share of each class among the cases; None where outcomes are no classes."""
        return None

    @property
    def one_class(self) -> bool:
        """Whether one class alone was observed, so that there is no other to tell it from."""
        return self.prevalences is not None and int((self.prevalences > 0).sum()) < 2

    @property
    def codes(self) -> Array | None:
        """The observed class of each case, by position; None where outcomes are no classes."""
        return None

    @property
    def happened(self) -> Bools | None:
        """Whether each case had the event; None where outcomes are no events."""
        return None

    @property
    def ranking(self) -> Floats | None:
        """The one number that orders the cases by what was predicted; None where none does."""
        return None

    @property
    def each_output(self) -> dict[str, Self]:
        """The predictions of each output alone by its name, where there are several."""
        return {}

    @property
    def each_class(self) -> tuple[Any, ...]:
        """The classes that are judged one by one against the rest, where there are several."""
        return ()

    @property
    def all_columns(self) -> list[Array]:
        """What was observed, then what was predicted; nothing where only labels were."""
        raise NotImplementedError

    def uninformed(self) -> Self:
        """The same cases, each predicted by the same: what knows nothing but their outcomes."""
        raise NotApplicable("there is no uninformative forecast for these outcomes.")

    def in_classes_of(self, models: Sequence[Any]) -> Self:
        """The same predictions with the classes that all of these models have together."""
        return self

    def at_prevalence(self, share: float | None) -> Self:
        """The same cases, weighted as if the event were so frequent; as they are of None."""
        raise NotApplicable("case-control sampling is for binary outcomes.")

    def take(self, rows: Any) -> Self:
        """The predictions of some rows, by mask or by position (which may repeat)."""
        other = object.__new__(type(self))
        kept = {k: v for k, v in self.__dict__.items() if k in self.__dataclass_fields__}
        for name in self.case_arrays:
            if kept[name] is not None:
                kept[name] = kept[name][..., rows]
                kept[name].flags.writeable = False
        kept["cases"] = self.cases.take(rows)
        other.__dict__.update(kept)
        return other

    def replace(self, **columns: Any) -> Self:
        """The same predictions with other columns or facts, which are not checked again.

        >>> from abovechance.predictions import Binary
        >>> cases = Binary([0, 1], probability=[0.2, 0.9])
        >>> cases.replace(probability=np.array([0.5, 0.5])).probability
        array([0.5, 0.5])
        """
        unknown = sorted(set(columns) - set(self.__dataclass_fields__))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {listed(unknown)}.")
        other = object.__new__(type(self))
        kept = {k: v for k, v in self.__dict__.items() if k in self.__dataclass_fields__}
        other.__dict__.update(kept)
        other._settle(**columns)
        return other

    def with_cases(self, **facts: Any) -> Self:
        """The same predictions of cases about which something else is known."""
        return self.replace(cases=replace(self.cases, **facts))

    def with_notes(self, *notes: Advice, described: str = "") -> Self:
        """The same predictions, with remarks on how they were read."""
        return self.replace(notes=self.notes + notes, described=described or self.described)

    def called(self, factors: Floats) -> Self | None:
        """The same cases called by a model to which each class seems so much more frequent.

        None where nothing tells how the calls would change: labels without probabilities.
        """
        return None

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """Work that is shared, kept as long as the predictions are; `once` fills it."""
        return {}

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under this key before, or is made now."""
        known = self.derived
        if key not in known:
            known[key] = make()
        return known[key]

    def __getstate__(self) -> dict[str, Any]:
        # other processes derive what they need, and some of it cannot be sent
        return {name: value for name, value in self.__dict__.items() if name != "derived"}

    def __repr__(self) -> str:
        views = ", ".join(sorted(self.views))
        cases = f"{self.n} case{'s' * (self.n != 1)}"
        return f"{type(self).__name__}({cases}; {views}; origin {self.origin})"

    def _settle(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                values[name] = value = value.view()
                value.flags.writeable = False
        self.__dict__.update(values)


def must_be_predictions(given: Any) -> None:
    """Refuse what is no predictions."""
    if not isinstance(given, Predictions) and not hasattr(given, "views"):  # a summary has views
        raise DataError(
            f"predictions must be made first, as Binary(y_true, probability=…); got {shown(given)}."
        )


def settle_origin(origin: str | None, cases: Cases) -> str:
    """Where predictions came from: as stated, else seen from the fold and repeat columns."""
    if origin is None:
        if cases.repeat is not None and len(np.unique(cases.repeat)) > 1:
            return "repeated_cv"
        return "test" if cases.fold is None else "cv"
    return checks.one_of("origin", origin, ORIGINS)


def settled_facts(
    cases: Cases, origin: str | None, kept: Bools | None, notes: tuple[Advice, ...]
) -> dict[str, Any]:
    """The fields that all kinds of predictions have, when these are made."""
    return {
        "cases": cases,
        "origin": settle_origin(origin, cases),
        "origin_stated": any(v is not None for v in (origin, cases.fold, cases.repeat)),
        "kept": kept,
        "notes": notes,
        "described": "",
    }


def gathered(
    arrays: dict[str, Array | None], cases: Cases, missing: str
) -> tuple[dict[str, Array | None], Cases, Bools | None]:
    """All columns of equal length, without missing values; which cases were kept, if not all."""
    n = checks.same_length({**arrays, **cases.arrays()})
    if n == 0:
        raise DataError("there must be at least one case; got 0 rows.")
    arrays, kept = settle_missing(arrays, missing)
    if kept is None:
        return arrays, cases.checked(), None
    if not kept.any():
        raise DataError(f"there must be at least one complete case; all {n} were dropped.")
    return arrays, cases.take(kept).checked(), kept


def settle_missing(
    arrays: dict[str, Array | None], missing: str, remedy: str = DROP
) -> tuple[dict[str, Array | None], Bools | None]:
    """Refuse or drop the cases with a missing value; the mask of kept rows when any fell out."""
    if not isinstance(missing, str) or missing not in ("refuse", "drop"):
        raise DataError(f"missing must be 'refuse' or 'drop'; got {shown(missing)}.")
    gone: Bools | None = None
    for name, array in arrays.items():
        mask = checks.missing_mask(array)
        if mask is None:
            continue
        if missing == "refuse":
            raise DataError(
                f"{name} must not be missing; it is at {checks.rows_of(mask)}. {remedy}"
            )
        gone = mask if gone is None else gone | mask
    if gone is None:
        return arrays, None
    kept = ~gone
    return {k: None if a is None else a[..., kept] for k, a in arrays.items()}, kept


def _weights(name: str, values: Array | None) -> Floats | None:
    if values is None:
        return None
    weight = checks.numbers(name, values)
    checks.finite(name, weight)
    if (weight < 0).any():
        raise DataError(
            f"{name} must not be negative; got {weight[weight < 0][0]:g} at "
            f"{checks.rows_of(weight < 0)}."
        )
    if (few := (weight > 0) & (weight < checks.SMALLEST)).any():
        raise DataError(
            f"{name} must be 0 or at least {checks.SMALLEST:g}; got less at {checks.rows_of(few)}."
        )
    if weight.size and not weight.sum() > 0:
        raise DataError(f"{name} must not be zero everywhere.")
    return weight
