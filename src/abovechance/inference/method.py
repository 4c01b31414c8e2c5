"""What a method is: an interval, a test or a comparison, declared with its facts above it.

A measure states its law; a method states which laws it answers and what of the data it allows for.
Which method a measure gets by default, what is refused and what to use instead, how a report speaks
of a method and what it cites are looked up in these declarations and written nowhere else.

A title and the words for a sentence are templates. What stands in brackets is shown where the
result knows the parts it names: "DeLong[, t({df:.1f})]" is "DeLong", or "DeLong, t(41.3)".
"""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from string import Formatter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from abovechance import plugins
from abovechance.errors import NotApplicable, UnknownMethod, did_you_mean, shown
from abovechance.inference.results import Interval, Test
from abovechance.measures import Law, Measure

MODULES = (
    "area_differences",
    "areas",
    "assessment",
    "bootstrap",
    "concordance",
    "confusion_tables",
    "contrasts",
    "exchange",
    "folds",
    "gains",
    "interval_choice",
    "law_contrasts",
    "means",
    "miscalibration",
    "net_benefit",
    "omnibus",
    "permutation",
    "posterior.distribution",
    "proportions",
    "shares",
    "streaming",
    "time_order",
)


class Kind(StrEnum):
    """What a method answers."""

    INTERVAL = "interval"  # of a value, or of a difference
    TEST = "test"
    COMPARISON = "comparison"  # of two models: a test with an interval of the difference
    OMNIBUS = "omnibus"  # one test of several models at once
    GAIN = "gain"  # of a value over its reference, the same prediction for every case


class Fact(StrEnum):
    """What data may be other than independent cases of one sample that count one each.

    Rows that stand for several cases (counts=) are spelled out before any method sees them.
    """

    CLUSTERS = "clusters"
    WEIGHTS = "sampling weights"
    CASE_CONTROL = "classes sampled separately"
    FOLDS = "folds"
    ORDER = "time order"
    UNPAIRED = "different cases"
    SUMMARY = "a summary of the cases"  # counts, sums and binned ranks: of a file read in pieces


class Takes(StrEnum):
    """What the function of a method takes, and so who can call it."""

    CASES = "cases"  # (measure, predictions, settings), or two predictions: what the verbs call
    SHARE = "share"  # (x, n, confidence_level=): an interval of x of n cases, for any share
    MEASURES = "measures"  # (predictions, measures, settings): many at once, to share their draws
    FAMILY = "family"  # (models with one measure, two of them by number): what all pairs share
    PARTS = "parts"  # something of its own: it is called by its name, and by other methods


Function = TypeVar("Function", bound=Callable[..., Any])


class Circumstance(NamedTuple):
    """What any interval may have been subjected to: a part of title, words and sources."""

    title: str
    words: str
    source: tuple[str, ...]


HELD = Circumstance(  # inference/unseen_errors.py
    "[, wider by errors not seen{unseen}][, no wider than errors allow{most}]",
    "[, widened by as many errors not seen as the interval of accuracy allows{unseen}]"
    "[, no wider than as many errors as the interval of accuracy allows would make it{most}]",
    ("[{unseen:?}wilson1927]", "[{most:?}wilson1927]"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """An interval, a test or a comparison: a function and the facts about it.

    `source`: keys of `reports/methods.bib`, or BibTeX entries where a source is not there.
    `default`: the laws that have it first. `otherwise` names the method that stands in where the
    data are not allowed for, where there are fewer cases than `smallest`, where the measure does
    not fit, or where the function returns None.
    """

    name: str
    kind: Kind
    title: str
    words: str
    source: tuple[str, ...]
    hypothesis: str = ""
    laws: frozenset[Law] = frozenset()
    default: frozenset[Law] = frozenset()
    allows: frozenset[Fact] = frozenset()
    needs: frozenset[Fact] = frozenset()
    outcomes: frozenset[str] = frozenset()  # the kinds of outcome it is for; any when empty
    smallest: int = 1
    heading: str = ""  # in a table of methods, where the title alone says too little
    drawn: bool = False  # whether a p-value rests on permutations, flips or resamples
    undrawn: bool = False  # whether it answers what it can without them, where they are left out
    steps: bool = False  # whether limits are order statistics of draws, one p per draw
    posterior: bool = False  # whether limits are those of a posterior, which no p agrees with
    models: int = 1  # whose values it is about: one, or the difference of two
    takes: Takes = Takes.CASES
    fits: Callable[[Measure, Any, frozenset[Fact]], bool] | None = None
    otherwise: str = ""
    function: Callable[..., Any] | None = None
    origin: str = ""

    def titled(self, **known: Any) -> str:
        """The title with what is known of this use of the method."""
        return filled(self.title + HELD.title, known)

    def worded(self, **known: Any) -> str:
        """The method as a sentence speaks of it, after "by"."""
        return filled(self.words + HELD.words, known)

    @property
    def listed(self) -> str:
        """The title where nothing is known of its use."""
        return self.heading or self.titled()

    def allowed(self, facts: frozenset[Fact]) -> bool:
        """Whether data like these are allowed for."""
        return self.needs <= facts <= (self.allows | self.needs)

    def suits(self, measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
        """Whether it answers this measure on these data."""
        if not self.allowed(facts) or (self.otherwise and predictions.n < self.smallest):
            return False
        if self.outcomes and predictions.kind not in self.outcomes:
            return False
        return self.fits is None or self.fits(measure, predictions, facts)

    def sources(self, **known: Any) -> tuple[str, ...]:
        """Keys of the bibliography that this use of the method rests on."""
        keys = (
            part[part.index("{") + 1 : part.index(",")] if part[:1] == "@" else filled(part, known)
            for part in (*self.source, *HELD.source)
        )
        return tuple(dict.fromkeys(key for key in keys if key))

    def limits(self, low: Any, high: Any, level: float, **known: Any) -> Interval:
        """An interval of this method, with what is known of its use."""
        if low > high:
            raise NotApplicable(f"{self.worded()} gave limits {low:g} to {high:g}, low above high.")
        return Interval(
            float(low), float(high), level, self.titled(**known), {"name": self.name, **known}
        )

    def answer(self, **facts: Any) -> Test:
        """The answer of this test: its facts by name, the rest is what is known of its use."""
        own = {name: facts.pop(name) for name in ANSWER if name in facts}
        p = own.get("p_value")
        if p is not None and not (np.isnan(p) or 0.0 <= p <= 1.0 + ROUNDING):
            raise NotApplicable(f"{self.worded()} gave p = {p:g}, which is no probability.")
        own.setdefault("hypothesis", self.hypothesis)
        return Test(**own, method=self.titled(**facts), by={"name": self.name, **facts})

    def refuse(self, predictions: Any, measure: Measure | None = None) -> None:
        """Refused with the remedy where these cases are not what the method takes them for.

        Where a measure is given, also if it is none that the method answers.
        """
        facts = facts_of(predictions)
        for fact in facts:
            if fact not in self.allows | self.needs:
                raise NotApplicable(f"{self.worded()} {REASONS[fact]} {self.remedy(fact)}")
        if self.outcomes and predictions.kind not in self.outcomes:
            theirs = " and ".join(sorted(self.outcomes))
            raise NotApplicable(
                f"{self.worded()} is for {theirs} outcomes, not {predictions.kind}; name another "
                "method, or leave methods= out."
            )
        for fact in sorted(self.needs & TOLD_BY_CASES.keys() - facts):
            raise NotApplicable(
                f"{self.worded()} needs {fact}, and these data have none; name another method, or "
                "leave methods= out."
            )
        if predictions.n < self.smallest:
            raise NotApplicable(
                f"{self.worded()} needs at least {self.smallest} cases; there are {predictions.n}."
            )
        fits = measure is None or self.fits is None or self.fits(measure, predictions, facts)
        if measure is not None and not fits:
            raise NotApplicable(f"{self.worded()} is not for {measure.title}.")

    def checked(self, predictions: Any) -> Any:
        """The predictions, a row for every case; refused where they do not fit."""
        self.refuse(predictions)
        from abovechance.inference.interval_choice import expanded  # made of methods that ask here

        return expanded(predictions)

    def remedy(self, fact: Fact) -> str:
        """What to use instead for data of this kind: methods by name that allow for it."""
        if fact in VERBS:
            return VERBS[fact]
        for kind in dict.fromkeys((self.kind, Kind.INTERVAL)):
            there = [m for m in every(kind) if m.laws & self.laws and not m.needs]
            there = [m for m in there if fact in m.allows]
            named = sorted(m.address for m in there if m.address and m.models == self.models)
            if named:
                return f"{' and '.join(named)} allow{'s' * (len(named) == 1)} for {fact}."
        verb = "assess" if self.models == 1 else "compare"
        return f"{verb} gives an interval that allows for {fact}, or says why there is none."

    @property
    def address(self) -> str:
        """Where users find it by name; nothing where only the verbs call it."""
        home = {Kind.INTERVAL: "intervals", Kind.TEST: "significance"}.get(self.kind)
        if home is None:
            return ""
        public = importlib.import_module(f"abovechance.inference.{home}")
        return f"{home}.{self.name}" if self.name in public.__all__ else ""


ROUNDING = 1e-9  # of a p-value that is 1
ANSWER = ("statistic", "p_value", "alternative", "hypothesis", "draws", "expected", "stopped")
REASONS = {
    Fact.FOLDS: "needs independent cases, and predictions pooled over the folds of a "
    "cross-validation depend on each other: their training sets overlap.",
    Fact.ORDER: "needs independent cases, and those in time order may depend on their neighbours.",
    Fact.CLUSTERS: "needs independent cases, and those of a cluster (groups) may depend on each "
    "other.",
    Fact.WEIGHTS: "needs cases that count one each, and these have sampling weights.",
    Fact.SUMMARY: "needs the cases, and only counts and sums of them are at hand.",
}
VERBS = {
    Fact.FOLDS: "Refit under permuted labels (permutation_test), compare models fold by fold "
    "(compare), or take the interval over folds (intervals.nadeau_bengio).",
    Fact.ORDER: "compare allows for the order, and so do the intervals of assess.",
    Fact.SUMMARY: "Take a random part of the cases.",
}


def facts_of(predictions: Any) -> frozenset[Fact]:
    """What these predictions are other than independent cases that count one each.

    >>> from abovechance.predictions import Binary
    >>> sorted(facts_of(Binary([0, 1], label=[0, 1], groups=[1, 1], sample_weight=[1, 2])))
    [<Fact.CLUSTERS: 'clusters'>, <Fact.WEIGHTS: 'sampling weights'>]
    """
    known: frozenset[Fact] | None = predictions.derived.get("facts")  # asked for by every method
    if known is None:
        known = frozenset(fact for fact, there in TOLD_BY_CASES.items() if there(predictions))
        predictions.derived["facts"] = known
    return known


def pooled(predictions: Any) -> bool:
    """Whether predictions of several models of a cross-validation stand together.

    The cases of one fold were predicted by one model that had not seen them: a test set.

    >>> from abovechance.predictions import Binary
    >>> cases = Binary([0, 1, 0, 1], score=[1, 2, 3, 4], fold=[1, 1, 2, 2])
    >>> pooled(cases), pooled(cases.take([0, 1]))
    (True, False)
    """
    if predictions.origin == "test":
        return False
    known = [c for c in (predictions.cases.fold, predictions.cases.repeat) if c is not None]
    return predictions.cases.fold is None or any(len(np.unique(column)) > 1 for column in known)


TOLD_BY_CASES: dict[Fact, Callable[[Any], bool]] = {
    Fact.FOLDS: pooled,
    Fact.ORDER: lambda predictions: predictions.cases.order is not None,
    Fact.CLUSTERS: lambda predictions: predictions.cases.groups is not None,
    Fact.WEIGHTS: lambda predictions: predictions.cases.sample_weight is not None,
    Fact.SUMMARY: lambda predictions: hasattr(predictions, "summary"),
}
"""The facts that predictions show by themselves; others are of two models, or are stated."""


class _Writer(Formatter):
    """Numbers by their format, words as they are; nothing for what is true, and for "{x:?}"."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if value is True or format_spec == "?":
            return ""
        return value if isinstance(value, str) else super().format_field(value, format_spec)


_WRITER = _Writer()


def filled(template: str, known: Mapping[str, Any]) -> str:
    """A template with its parts, those in brackets only where all that they name is known.

    >>> filled("sign flip[ of {clusters} clusters][, exact{exact}]", {"exact": True})
    'sign flip, exact'
    """
    said = (
        _WRITER.vformat(t, (), known) for t, names in _pieces(template) if names <= known.keys()
    )
    return "".join(said)


@lru_cache(maxsize=1024)
def _pieces(template: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What a template is made of: each piece with the names it is left out without."""
    first, *rest = template.split("[")
    pieces = [(first, frozenset[str]())]
    for part in rest:
        inside, _, after = part.partition("]")
        names = frozenset(name for _, name, _, _ in _WRITER.parse(inside) if name)
        pieces += [(inside, names), (after, frozenset[str]())]
    return tuple(piece for piece in pieces if piece[0])


_DECLARED: dict[tuple[Kind, str], Method] = {}
_PLUGGING: ContextVar[bool] = ContextVar("plugging", default=False)
"""While plug-ins are loaded: theirs are taken when it is known that their names are free."""


def declared(kind: Kind, **facts: Any) -> Method:
    """A method with its facts, found by its name from now on; the same name is another no more."""
    for name in ("laws", "default", "allows", "needs", "outcomes"):
        facts[name] = frozenset(facts.get(name, ()))
    facts["laws"] |= facts["default"]
    source = facts.get("source", ())
    facts["source"] = (source,) if isinstance(source, str) else tuple(source)
    method = Method(kind=kind, **facts)
    if not method.origin.startswith("abovechance."):
        if _PLUGGING.get():
            return method
        _import_own()  # so that a name is refused here, and not where it is first looked for
    known = _DECLARED.get((kind, method.name))
    if known is not None and known.origin != method.origin:
        raise NotApplicable(
            f"{method.name!r} is the name of another {kind}, of {known.origin}; take another name."
        )
    _DECLARED[kind, method.name] = method
    _defaults.cache_clear()
    return method


def declared_difference(*kinds: Kind, **facts: Any) -> None:
    """What contrasts of two models name: a test and an interval (or `kinds`), alike in facts."""
    for kind in kinds or (Kind.TEST, Kind.INTERVAL):
        declared(kind, models=2, takes=Takes.PARTS, **facts)


def _declaring(kind: Kind, facts: dict[str, Any]) -> Callable[[Function], Function]:
    def declare(function: Function) -> Function:
        named = {"name": function.__name__, "origin": function.__module__} | facts
        vars(function)["method"] = declared(kind, **named, function=function)
        return function

    return declare


def interval(**facts: Any) -> Callable[[Function], Function]:
    """Declare an interval; see `Method` for its facts.

    The function takes (measure, predictions, settings) and returns two limits, or None where it
    has none for this measure. `assess(..., methods={"auc": "my_interval"})` asks for it.

    Examples
    --------
    >>> from abovechance import methods
    >>> from abovechance.measures import Law
    >>> @methods.interval(title="normal", words="the normal approximation", source="wald1943",
    ...                   laws=[Law.PAIRS], allows=[])
    ... def normal_area(measure, predictions, settings):
    ...     value, error = measure.of(predictions), 0.5 / predictions.n ** 0.5
    ...     return value - 1.96 * error, value + 1.96 * error
    >>> methods.find("normal_area", "interval").title
    'normal'
    """
    return _declaring(Kind.INTERVAL, facts)


def test(**facts: Any) -> Callable[[Function], Function]:
    """Declare a test; the function takes (measure, predictions, settings) and returns p."""
    return _declaring(Kind.TEST, facts)


vars(test)["__test__"] = False  # not for pytest to collect


def comparison(**facts: Any) -> Callable[[Function], Function]:
    """Declare a comparison of two models.

    The function takes (measure, first, second, settings) and returns the difference, its standard
    error and, unless it is normal, the degrees of freedom; or a contrast of its own.
    """
    return _declaring(Kind.COMPARISON, facts)


def gain(**facts: Any) -> Callable[[Function], Function]:
    """Declare how a value is held against its reference; (measure, predictions, settings)."""
    return _declaring(Kind.GAIN, facts)


def omnibus(**facts: Any) -> Callable[[Function], Function]:
    """Declare one test of several models at once; the function takes the family of models."""
    return _declaring(Kind.OMNIBUS, facts)


def every(kind: Kind | None = None) -> list[Method]:
    """All methods declared, in the order of their declaration, or those of one kind."""
    _import_all()
    return [m for m in _DECLARED.values() if kind is None or m.kind is kind]


@cache
def _import_own() -> None:
    """Import the modules of this package that declare methods."""
    for module in MODULES:
        importlib.import_module(f"abovechance.inference.{module}")


@cache
def _import_all() -> None:
    """Import all that declares methods: this package, and packages that say so."""
    _import_own()
    if _PLUGGING.get():  # a plug-in looks for a method while it is loaded
        return
    own = {_called(m)[0] for m in _DECLARED.values() if m.origin.startswith("abovechance.")}
    token = _PLUGGING.set(True)
    try:
        found = plugins.declared("methods", Method, own, _called)
    finally:
        _PLUGGING.reset(token)
    for m in found:
        _DECLARED.setdefault((m.kind, m.name), m)
    _defaults.cache_clear()


def _kind(kind: Kind | str) -> Kind:
    if not isinstance(kind, str) or kind not in list(Kind):
        raise UnknownMethod(
            f"kind must be {' or '.join(map(repr, map(str, Kind)))}; got {shown(kind)}."
        )
    return Kind(kind)


def _called(method: Method) -> tuple[str]:
    return (f"{method.kind} {method.name}",)


def find(name: str | Method | Callable[..., Any], kind: Kind | str) -> Method:
    """The method of a kind that goes by a name.

    >>> find("wilson", "interval").source
    ('wilson1927',)
    """
    if isinstance(name, str) and isinstance(kind, str) and (kind, name) in _DECLARED:
        return _DECLARED[kind, name]  # type: ignore[index]
    kind = _kind(kind)
    if not isinstance(name, str):
        found = name if isinstance(name, Method) else getattr(name, "method", None)
        if isinstance(found, Method) and found.kind is kind:
            return found
        raise UnknownMethod(
            f"a method must be given by its name or as declared; got {shown(name)}."
        )
    known = [m.name for m in every(kind)]
    if (kind, name) in _DECLARED:
        return _DECLARED[kind, name]
    raise UnknownMethod(f"no {kind} is called {name!r}{did_you_mean(name, known) or '.'}")


def limits(name: str, low: Any, high: Any, level: float, **known: Any) -> Interval:
    """An interval of the method of that name.

    >>> limits("wilson", 0.4, 0.6, 0.95, effective=True, clusters=12).method
    'Wilson at the effective n over 12 clusters'
    """
    return find(name, Kind.INTERVAL).limits(low, high, level, **known)


def answer(name: str, **facts: Any) -> Test:
    """The answer of the test of that name."""
    return find(name, Kind.TEST).answer(**facts)


def checked(name: str, predictions: Any, kind: Kind = Kind.INTERVAL) -> Any:
    """Predictions, a row for every case; refused where the method of that name does not fit."""
    return find(name, kind).checked(predictions)


def first_of(kind: Kind, law: Law, facts: frozenset[Fact] = frozenset()) -> Method:
    """The method that a law has first for data of this kind."""
    there = _defaults(kind, law)
    special = [m for m in there if m.needs and m.needs <= facts]
    if len(special) > 1:  # folds of cases in time order: which of the two allows for both
        own = [m for m in special if m.allowed(facts)]
        special = own or [m for m in special if any(x.allowed(facts) for x in chain(m))]
    plain = [m for m in there if not m.needs]
    if not special and not plain:
        raise NotApplicable(f"a measure of law {law} has no {kind}.")
    return (special or plain)[0]


@lru_cache
def _defaults(kind: Kind, law: Law) -> tuple[Method, ...]:
    """The methods that a law has by default, asked for at every measure and sample."""
    return tuple(m for m in every(kind) if law in m.default)


def chain(method: Method | None) -> Iterator[Method]:
    """A method and what stands in for it, in this order."""
    while method is not None:
        yield method
        method = find(method.otherwise, method.kind) if method.otherwise else None


def suited(
    first: Method, measure: Measure, predictions: Any, facts: frozenset[Fact]
) -> Iterator[Method]:
    """A method and those that stand in for it, as far as they suit measure and data."""
    return (m for m in chain(first) if m.suits(measure, predictions, facts))


@dataclass(frozen=True)
class Use:
    """A method as a result names it: its text, the declaration behind it, what is known."""

    text: str
    method: Method | None
    known: Mapping[str, Any]

    @classmethod
    def of(cls, kind: Kind, text: object, by: Mapping[str, Any] | None) -> "Use":
        """From what a result holds; of a result saved before names were, from its text alone."""
        known = {key: value for key, value in (by or {}).items() if key != "name"}
        own = Kind(known.pop("of", kind))
        there = {m.name: m for m in every(own)}
        method = there.get((by or {}).get("name", ""))
        if method is None:
            method = next((m for m in there.values() if m.titled() == text), None)
        return cls(str(text), method, known)

    @classmethod
    def of_interval(cls, interval: Any) -> "Use":
        """Of an interval, or of its facts."""
        if isinstance(interval, Mapping):
            return cls.of(Kind.INTERVAL, interval.get("method"), interval.get("by"))
        return cls.of(Kind.INTERVAL, interval.method, interval.by)

    @property
    def title(self) -> str:
        """The method of several values: without what belongs to one of them."""
        if self.method is None or not self.known:
            return self.text
        return self.method.titled(**{k: v for k, v in self.known.items() if k not in OF_ONE})

    @property
    def words(self) -> str:
        """The method as a sentence speaks of it."""
        return self.text if self.method is None else self.method.worded(**self.known)

    @property
    def sources(self) -> tuple[str, ...]:
        """Keys of the bibliography."""
        return () if self.method is None else self.method.sources(**self.known)


OF_ONE = ("mean",)  # what is known of one value and is no circumstance of the method


def freedom_as_range(uses: Sequence[Use]) -> list[Use]:
    """Uses that differ in degrees of freedom only, as one with the range of these.

    >>> delong = find("delong", "test")
    >>> both = [Use("DeLong", delong, {"df": df}) for df in (102.2, 117.6)]
    >>> [use.title for use in freedom_as_range(both)]
    ['DeLong, t(102 to 118)', 'DeLong, t(102 to 118)']
    """
    alike: dict[Any, list[Use]] = {}
    for use in uses:
        alike.setdefault(_apart_from_freedom(use), []).append(use)
    found = []
    for use in uses:
        freedoms = {u.known["df"] for u in alike[_apart_from_freedom(use)] if "df" in u.known}
        if len(freedoms) > 1:
            low, high = (round(df) for df in (min(freedoms), max(freedoms)))
            said = f"{low}" if low == high else f"{low} to {high}"
            found.append(Use(use.text, use.method, {**use.known, "df": said}))
        else:
            found.append(use)
    return found


def _apart_from_freedom(use: Use) -> Any:
    if use.method is None:
        return use.text
    kept = {k: v for k, v in use.known.items() if k not in ("df", *OF_ONE)}
    return use.method, tuple(sorted(kept.items(), key=str)), "df" in use.known


def requested_methods(
    methods: Any, measures: Sequence[Measure], outcome: str, kinds: Sequence[Kind]
) -> dict[Kind, dict[str, Method]]:
    """Methods that were asked for, by kind and label of the measure; refused what does not fit.

    `methods` maps names of measures to a method, by name or as declared, or to several.
    """
    if methods is None:
        return {}
    if not isinstance(methods, Mapping):
        raise UnknownMethod(
            "methods must map measures to methods, as {'accuracy': 'clopper_pearson'}; "
            f"got {shown(methods)}."
        )
    from abovechance.measures import find as find_measure

    by_label = {m.label: m for m in measures}
    found: dict[Kind, dict[str, Method]] = {kind: {} for kind in kinds}
    for name, wanted in methods.items():
        measure = by_label.get(find_measure(name).for_outcome(outcome).label)
        if measure is None:
            raise NotApplicable(f"a method is asked for {name!r}, which is not among the measures.")
        several = wanted if isinstance(wanted, list | tuple) else [wanted]
        for one in several:
            for method in _of_kinds(one, measure, kinds):
                found[method.kind][measure.label] = method
    return found


def _of_kinds(wanted: Any, measure: Measure, kinds: Sequence[Kind]) -> list[Method]:
    """The methods of these kinds that go by a name and answer the law of a measure."""
    there = [m for kind in kinds for m in every(kind) if m.takes is not Takes.PARTS]
    given = wanted if isinstance(wanted, Method) else getattr(wanted, "method", None)
    found = [given] if isinstance(given, Method) else [one for one in there if one.name == wanted]
    fitting = [one for one in found if one.kind in kinds and measure.law in one.laws]
    if not fitting:
        usable = sorted({m.name for m in there if measure.law in m.laws and not m.needs})
        raise UnknownMethod(
            f"no {' or '.join(kinds)} of {measure.label} is called {wanted!r}"
            f"{did_you_mean(str(wanted), usable) or '.'} There are: {', '.join(usable)}."
        )
    return fitting


COLUMNS = {
    "interval": (Kind.INTERVAL, frozenset()),
    "against chance": (Kind.TEST, frozenset()),
    "comparison": (Kind.COMPARISON, frozenset()),
    "different cases": (Kind.COMPARISON, frozenset({Fact.UNPAIRED})),
    "all models": (Kind.OMNIBUS, frozenset()),
}


def law_table() -> str:
    """Which methods every law has, the first and what stands in for it, as a table in Markdown.

    >>> print(law_table().splitlines()[0])
    | law | interval | against chance | comparison | different cases | all models |
    """
    lines = [f"| law | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for law in Law:
        cells = []
        for kind, facts in COLUMNS.values():
            try:
                methods = chain(first_of(kind, law, frozenset(facts)))
            except NotApplicable:
                cells.append("none")
            else:
                cells.append(" → ".join(m.listed for m in methods if m.needs <= facts))
        lines.append(f"| {law} | {' | '.join(cells)} |")
    return "\n".join(lines)


def describe(kind: Kind | str | None = None) -> str:
    """Every method with its laws and what it allows for, a line each, or those of one kind.

    >>> print(next(line for line in describe("gain").splitlines() if "net_gain" in line))
    gain net_gain: the gain over the better of acting on all and on none; utility; clusters
    """
    lines = []
    for m in every(None if kind is None else _kind(kind)):
        laws = "all laws" if m.laws == frozenset(Law) else ", ".join(sorted(m.laws))
        allows = ", ".join(sorted(m.allows | m.needs)) or "independent cases"
        lines.append(f"{m.kind} {m.name}: {m.worded()}; {laws}; {allows}")
    return "\n".join(sorted(lines))
