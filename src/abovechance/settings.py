"""What users can set, declared once: `Settings`.

A setting is one field: its type, its default, what must hold of it, which verbs take it, and what
it means. From the field follow the keyword in the signature and the docstring of each of these
verbs (`settled`), the check when the verb is called (`Settings.of`), and the option of the command
(`cli/options.py`). Whatever a verb calls is handed the settings as a whole, so a new one reaches
every method without being passed on by name.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache, cached_property
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Self, TypeVar, Union, get_args, get_origin

from abovechance import docstrings
from abovechance.errors import AboveChanceError, DataError, NotApplicable, did_you_mean, shown
from abovechance.format import thousands
from abovechance.progress import Bar, unasked_bar

Alternative = Literal["greater", "less", "two-sided"]
Adjust = Literal["holm", "bh", "none"]
Rule = Literal["standard", "paper"]
Sampling = Literal["random", "case-control"]
Progress = Callable[[int, int], None]
"""Called with the number of draws done and the number wanted."""

# ----------------------------------------------------------------------------------------------
# What must hold of a value. A check takes the word that users know and the value, and returns the
# value to use.
# ----------------------------------------------------------------------------------------------

Check = Callable[[str, Any], Any]
QUICK = "left out by quick: needs draws"


class NoStream:
    """In place of random numbers where nothing may be drawn: whoever asks for one is refused."""

    def __getattr__(self, name: str) -> Any:
        raise NotApplicable(QUICK)


LARGEST = 10**9  # of what is counted, draws and replications: more would fill any memory


def number_of(value: Any) -> float:
    """A real number as a float; NaN for what is none, or too large for one.

    >>> number_of(3), number_of("3"), number_of(10**400)
    (3.0, nan, nan)
    """
    try:
        return float(value) if isinstance(value, Real) else float("nan")
    except (OverflowError, TypeError):  # numpy counts spans of time as whole numbers
        return float("nan")


def share(name: str, value: Any) -> float:
    """A number between 0 and 1, both excluded.

    >>> share("rate", 95)
    Traceback (most recent call last):
    abovechance.errors.DataError: rate must lie between 0 and 1; got 95. Pass 0.95 for 95 %.
    """
    number = number_of(value)
    if not 0.0 < number < 1.0:
        remedy = f" Pass {number / 100:g} for {number:g} %." if 1.0 < number < 100.0 else ""
        raise DataError(f"{name} must lie between 0 and 1; got {shown(value)}.{remedy}")
    return number


def positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    number = number_of(value)
    if not 0.0 < number < float("inf"):
        raise DataError(f"{name} must be a positive number; got {shown(value)}.")
    return number


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """A whole number, not below the least."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise AboveChanceError(f"{name} must be a whole number; got {shown(value)}.")
    if int(value) < least:
        raise AboveChanceError(f"{name} must be at least {least}; got {shown(value)}.")
    if int(value) > LARGEST:
        raise AboveChanceError(f"{name} must be at most {thousands(LARGEST)}; got {shown(value)}.")
    return int(value)


def whole_draws(draws: Any) -> None:
    """Refuse a number of draws that is none; None asks for the default."""
    if draws is not None:
        whole_number("draws", draws)


def flag(name: str, value: Any) -> bool:
    """True or False, of Python or of numpy."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise DataError(f"{name} must be True or False; got {shown(value)}.")
    return bool(value)


def one_of(name: str, value: Any, known: tuple[str, ...], *, none: bool = False) -> str:
    """One of the words that are known; `none` says that None would do as well."""
    if not isinstance(value, str) or value not in known:
        *others, last = (repr(word) for word in ((*known, None) if none else known))
        words = f"{', '.join(others)} or {last}" if others else last
        near = did_you_mean(value.lower(), known) if isinstance(value, str) else ""
        raise DataError(f"{name} must be {words}; got {shown(value)}{near or '.'}")
    return value


def seed_of(rng: Any) -> int:
    """The one seed that `rng=` stands for: an integer to report and to give again.

    None asks the system for a fresh one; a numpy Generator gives its next number.

    >>> import numpy as np
    >>> seed_of(20), seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    (20, True)
    """
    if not isinstance(rng, bool) and isinstance(rng, Integral) and int(rng) >= 0:
        return int(rng)
    import numpy as np

    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(11))
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))
    if isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0] >> np.uint64(11))
    raise AboveChanceError(
        "rng must be None, a whole number from 0 on, a numpy Generator or a SeedSequence; "
        f"got {shown(rng)}"
    )


def workers_of(name: str, value: Any) -> Any:
    """A number of processes, "auto", or an executor: anything that maps a task over blocks."""
    if isinstance(value, str) and value == "auto":
        return value
    if callable(getattr(value, "map", None)) and not hasattr(value, "dtype"):
        return value
    if not isinstance(value, bool) and number_of(value).is_integer():
        value = int(value)
    return whole_number(name, value)


def progress_of(name: str, value: Any) -> Any:
    """Something to call; True shows a bar on the error stream, False nothing."""
    if isinstance(value, bool):
        return Bar() if value else None
    if not callable(value):
        raise DataError(f"{name} must be True, or a function of two numbers; got {shown(value)}.")
    return value


# ----------------------------------------------------------------------------------------------
# What users type for a setting on the command line, where it is more than a word or a number.
# ----------------------------------------------------------------------------------------------


def margins(text: str) -> float | dict[str, float]:
    """A margin for all measures, or one for each that is named.

    >>> margins("0.02"), margins("brier=0.01, auc=0.02")
    (0.02, {'brier': 0.01, 'auc': 0.02})
    """
    parts = [part.partition("=") for part in text.split(",")]
    try:
        if len(parts) == 1 and not parts[0][1]:
            return float(text)
        if all(sign for _, sign, _ in parts):
            return {name.strip(): float(value) for name, _, value in parts}
    except ValueError:
        pass
    raise DataError(f"--margin must be a number or measure=number, …; got {text!r}.")


def methods_named(texts: Iterable[str]) -> dict[str, list[str]] | None:
    """Methods, each as measure=name; None where there are none.

    >>> methods_named(["auc=bootstrap", "auc=permutation"])
    {'auc': ['bootstrap', 'permutation']}
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        measure, given, name = text.partition("=")
        if not given or not measure.strip() or not name.strip():
            raise DataError(f"must be MEASURE=NAME, as auc=bootstrap; got {text!r}.")
        found.setdefault(measure.strip(), []).append(name.strip())
    return found or None


# ----------------------------------------------------------------------------------------------
# A setting, and all of them.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What is declared of one setting.

    Parameters
    ----------
    name, type, initial
        As the field's; `initial` is its default.
    text
        What it means, in the docstrings of verbs and in the help of commands.
    verbs
        The verbs that take it.
    default, defaults
        What it is when not given; for some verbs something else.
    said
        Verbs of which another text is true.
    keyword
        What it is called in the signatures of verbs.
    also
        Other packages' words for it, which a message understands.
    check
        What must hold; by the type when not given.
    option
        The option of commands; none when empty. "--a/--b" for both values of a flag.
    brief
        What the help of commands says where that differs from `text`.
    least, leasts
        The smallest whole number it may be; for some verbs another.
    metavar, read, several
        Of an option: what stands for its value, how its text is read, and whether it may be given
        several times.
    """

    name: str
    type: Any
    initial: Any
    text: str
    verbs: tuple[str, ...]
    default: Any
    defaults: Mapping[str, Any]
    said: Mapping[str, str]
    keyword: str
    also: tuple[str, ...]
    check: Check | None
    option: str
    brief: str
    least: int | None
    leasts: Mapping[str, int]
    metavar: str | None
    read: Callable[[Any], Any] | None
    several: bool

    def default_of(self, verb: str) -> Any:
        """What it is when a verb is not told."""
        return self.defaults.get(verb, self.default)

    def taken(self, verb: str, given: dict[str, Any]) -> Any:
        """Its value among the keywords of a verb, from which it is removed."""
        usual = self.default_of(verb)
        if usual is not None and self.keyword not in given:
            if verb not in self._usual:
                self._usual[verb] = self._fitting(verb, usual)
            return self._usual[verb]
        value = given.pop(self.keyword, usual)
        if value is None and usual is not None:  # None is no answer where there is one
            raise DataError(f"{self.keyword} must not be None; leave it out for {usual!r}.")
        return self._fitting(verb, value)

    @cached_property
    def _usual(self) -> dict[str, Any]:
        """What it is to verbs that were not told, as it is used."""
        return {}

    def _fitting(self, verb: str, value: Any) -> Any:
        found = self.checked(value)
        if found is not None and verb in self.leasts:
            whole_number(self.keyword, found, self.leasts[verb])
        return found

    def text_of(self, verb: str) -> str:
        """What it means to a verb."""
        return self.said.get(verb, self.text)

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """The types it may have, without None."""
        several = get_origin(self.type) in (Union, UnionType)
        kinds = get_args(self.type) if several else (self.type,)
        return tuple(kind for kind in kinds if kind is not NoneType)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words it may be, where it is a word."""
        known = (kind for kind in self.kinds if get_origin(kind) is Literal)
        return tuple(word for kind in known for word in get_args(kind))

    @cached_property
    def may_be_none(self) -> bool:
        """Whether None is a value of it."""
        return NoneType in get_args(self.type) or (self.type is Any and self.initial is None)

    def help_of(self, verb: str) -> str:
        """What the command says of it, beside which its default stands."""
        return self.brief or self.text_of(verb).replace(
            f"; {self.default_of(verb)} unless stated", ""
        )

    def checked(self, value: Any, name: str = "") -> Any:
        """The value to use; refused where it is none, under the name that users gave it by."""
        name = name or self.keyword
        if value is None and self.may_be_none:
            return None
        if self.check is not None:
            return self.check(name, value)
        if self.words:
            return one_of(name, value, self.words, none=self.may_be_none)
        if bool in self.kinds:
            return flag(name, value)
        if int in self.kinds:
            return whole_number(name, value, self.least or 1)
        return value


def setting(
    default: Any,
    text: str,
    *,
    verbs: tuple[str, ...],
    unless_given: Any = MISSING,
    defaults: Mapping[str, Any] | None = None,
    said: Mapping[str, str] | None = None,
    keyword: str = "",
    also: tuple[str, ...] = (),
    check: Check | None = None,
    option: str | None = None,
    brief: str = "",
    least: int | None = None,
    leasts: Mapping[str, int] | None = None,
    metavar: str | None = None,
    read: Callable[[Any], Any] | None = None,
    several: bool = False,
) -> Any:
    """A field of `Settings` with what is declared of it; see `Declared`.

    `unless_given` is the default of keywords where it is not the value itself: the seed's is None.
    """
    facts = {
        "text": text,
        "verbs": verbs,
        "default": default if unless_given is MISSING else unless_given,
        "defaults": defaults or {},
        "said": said or {},
        "keyword": keyword,
        "also": also,
        "check": check,
        "option": option,
        "brief": brief,
        "least": least,
        "leasts": leasts or {},
        "metavar": metavar,
        "read": read,
        "several": several,
    }
    return field(default=default, metadata={"setting": facts})


STREAM = "assess_stream"
CURVES = ("roc", "precision_recall", "decision", "decision_difference", "cost")
BANDS = (*CURVES, "calibration", "survival")
GROUP = "group_maps"
REFITTED = ("validate", "learning_curve")  # verbs that fit a learner to parts of the cases
REPEATED = ("stability", "reliability")  # verbs that draw parts of the cases
DRAWN = (
    "assess",
    "compare",
    "detect",
    "permutation_test",
    "power",
    "sample_size",
    *REFITTED,
    *REPEATED,
    GROUP,
)
"""Verbs whose draws can be shared between processes, kept in a file and watched."""

MAPPED = ("searchlight", "decode_over_time")  # verbs that make null maps of a subject
STUDIES = ("power", "sample_size")
STOPPING = ("detect", "permutation_test")
FLIPS = 9999  # permutations, sign flips and exchanges, unless stated
BOOTSTRAPS = 1999  # bootstrap samples, unless stated
ONE_MODEL, TWO_MODELS = 1000, 2000
"""First numbers of the purposes of streams (`Settings.rng`): of one model's values, of two's."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a question is answered: the level of intervals and of tests, draws, seed, workers, …

    Made once, at the boundary of a verb, from the keywords that the verb takes; what it calls is
    handed the whole. `replace` makes another with some values changed, checked again.

    >>> Settings(level=0.9, draws=99).bootstraps, Settings().bootstraps
    (99, 1999)
    >>> Settings(alpha=5)
    Traceback (most recent call last):
    abovechance.errors.DataError: alpha must lie between 0 and 1; got 5. Pass 0.05 for 5 %.
    """

    level: float = setting(
        0.95,
        "In what share of samples such an interval covers the true value; 0.95 unless stated.",
        verbs=(
            *("assess", STREAM, "compare", "sample_size", "thresholds", *BANDS),
            *(*REFITTED, *REPEATED),
        ),
        said={"sample_size": "Level of the interval whose width is meant."},
        keyword="confidence_level",
        also=("level", "conf_level", "alpha"),
        check=share,
        option="--level",
        brief="Of the intervals.",
    )
    alpha: float = setting(
        0.05,
        "The level that p is compared with when stopping; 0.05 unless stated.",
        verbs=(*STUDIES, *STOPPING, GROUP),
        said={
            **dict.fromkeys(STUDIES, "Level of the tests."),
            GROUP: "The level at which false findings are bounded; 0.05 unless stated.",
        },
        also=("level", "significance_level"),
        check=share,
        option="--alpha",
    )
    alternative: Alternative = setting(
        "two-sided",
        '"two-sided" (default); "greater" when the question is whether the first model is better; '
        '"less".',
        verbs=("compare",),
        brief="'greater': is the first better?",
    )
    adjust: Adjust = setting(
        "holm",
        '"holm", "bh" or "none": how the p-values of all pairs of one measure are adjusted, and '
        "with `by` those of all pairs in all subgroups.",
        verbs=("compare", "detect"),
        said={
            "detect": '"holm", "bh" or "none": how the p-values of several tests are adjusted; a '
            "test whose p is undefined counts as one."
        },
        brief="Of the p-values of all pairs of a measure, or of all tests.",
    )
    rule: Rule = setting(
        "standard",
        '"standard": p = (1 + b)/(draws + 1). "paper": b/draws, without the observed labelling, as '
        "the studies of the papers were run; its size exceeds the level.",
        verbs=("detect", "power"),
        brief="How p counts: (b + 1) / (m + 1), or b / m as the papers did.",
    )
    replications: int = setting(
        1000,
        "Samples drawn in every setting; the standard error of a power is at most "
        "0.5/√replications.",
        verbs=STUDIES,
        said={
            "sample_size": "Samples spent on the search, and as many again on the check of its "
            "answer."
        },
        brief="Samples.",
        least=1,
    )
    draws: int | None = setting(
        None,
        "Number of permutations, flips and bootstrap samples; 9999 and 1999 when not given.",
        verbs=(*DRAWN, *MAPPED, STREAM, "thresholds", *CURVES),
        defaults={
            **dict.fromkeys(MAPPED, 100),
            **dict.fromkeys((*STOPPING, *STUDIES), 999),
            **dict.fromkeys(("thresholds", *CURVES), 1000),
            "stability": 50,
            "reliability": 100,
            GROUP: 9999,
        },
        said={
            "stability": "Number of pairs of halves of the cases; 50 unless stated.",
            "reliability": "Number of repetitions for each number of cases; 100 unless stated.",
            **dict.fromkeys(MAPPED, "Number of null maps of each subject; 100 unless stated."),
            GROUP: "Number of combinations of the subjects' maps, or of patterns of signs; 9999 "
            "unless stated.",
            "compare": "Number of sign flips, exchanges and bootstrap samples; 9999 and 1999 when "
            "not given.",
            STREAM: "Number of draws of the posteriors of measures of a table.",
            **dict.fromkeys(STOPPING, "Number of permutations; 999 unless stated."),
            "validate": "Number of bootstrap samples, 200 when not given (50 of bootstrap_cv), or "
            "of repeats of repeated_cv, 10.",
            "learning_curve": "Number of repeats of the cross-validation at every size; 10 when "
            "not given.",
            "power": "Permutations or sign flips of the tests that need them.",
            "sample_size": "Permutations or sign flips of tests, and bootstrap samples of "
            "intervals, that need them.",
            **dict.fromkeys(("thresholds", *CURVES), "Number of bootstrap samples."),
        },
        also=("n_draws", "n_permutations", "n_resamples", "permutations"),
        least=1,
        leasts={
            **dict.fromkeys(("thresholds", *CURVES), 2),  # quantiles are taken of them
            "stability": 2,
            "reliability": 5,
        },
    )
    exact: bool = setting(
        False,
        "Count all arrangements of the outcomes where there are at most 2 000 000; says which "
        "p-values are not exact.",
        verbs=("assess", STREAM),
        said={
            STREAM: "Whether to sort all scores out by further readings: exact ranks, whatever the "
            "memory."
        },
        brief="Exact p: counts all arrangements of the outcomes, up to 2 000 000. Of a file read "
        "in pieces: exact ranks; reads it again.",
    )
    sampling: Sampling = setting(
        "random",
        '"random", or "case-control" when the classes were sampled separately: measures that '
        "depend on prevalence then need `prevalence`.",
        verbs=("assess",),
        brief="Whether the classes were sampled separately.",
    )
    prevalence: float | None = setting(
        None,
        "Share of the positive class in the population, where the sample does not show it.",
        verbs=("assess",),
        check=share,
        brief="Share of positives, for case-control samples.",
    )
    inference: bool = setting(
        True,
        "Whether to give intervals and tests at all.",
        verbs=("assess", STREAM),
        option="--no-inference",
        brief="Values only, no intervals and tests.",
    )
    quick: bool = setting(
        False,
        "Whether to give only what resamples and permutes nothing: values, intervals in closed "
        "form, from leaving out cases or from the posterior of a small table, exact tests and "
        "those whose law is known. Rows without one say so.",
        verbs=("assess",),
        brief="Only intervals and tests that resample and permute nothing.",
    )
    methods: Mapping[Any, Any] | None = setting(
        None,
        "Other methods than those of a measure's law, by name or as declared: "
        '{"accuracy": "clopper_pearson", "auc": [my_interval, my_test]}. `ac.methods` lists and '
        "declares them. One that does not allow for these data is refused.",
        verbs=("assess", "compare"),
        said={
            "compare": "Other methods than those of a measure's law, by name or as declared: "
            '{"auc": "exchange"}; comparisons, and intervals of the models\' values. `ac.methods` '
            "lists and declares them."
        },
        option="--method",
        brief="Another interval, test or comparison than that of the measure's law; repeatable.",
        metavar="MEASURE=NAME",
        read=methods_named,
        several=True,
    )
    margin: float | Mapping[str, float] | None = setting(
        None,
        "How much worse is still acceptable, in the units of the measure (or a mapping from "
        "measures to such numbers): adds statements of non-inferiority and equivalence.",
        verbs=("compare",),
        check=lambda name, value: value,  # with the measures, whose units it is in
        brief="How much worse is acceptable: a number, or brier=0.01,auc=0.02.",
        metavar="NUMBER",
        read=margins,
    )
    rope: float | None = setting(
        None,
        "Half the width of the region of practical equivalence, for the posteriors.",
        verbs=("compare",),
        check=positive,
        brief="Half width of practical equivalence, for posteriors.",
    )
    studentised: bool | None = setting(
        None,
        "Whether mean losses are tested without assuming that differences are symmetric; when not "
        "given, from 30 cases (or clusters) on.",
        verbs=("compare",),
        option="--studentised/--flips",
        brief="Mean losses: test the means, or flip signs; by default means from 30 cases on.",
    )
    naive: bool = setting(
        False,
        "Over folds, use the t-test that ignores the overlap of training sets.",
        verbs=("compare",),
        brief="Over folds: the t-test that ignores their overlap.",
    )
    stop: Literal["gandy"] | None = setting(
        None,
        '"gandy" stops each test as soon as its p is known to lie on one side of `alpha`, divided '
        "by the number of tests where p-values are adjusted; the permutations are the same for "
        "all. All draws are made when not given.",
        verbs=STOPPING,
        said={
            "permutation_test": '"gandy" stops as soon as p is known to lie on one side of `alpha` '
            "(for the first measure). All draws are made when not given."
        },
        brief="Stop every test when it is decided.",
    )
    risk: float = setting(
        1e-3,
        "Probability of stopping with a wrong decision, at most; 0.001 unless stated.",
        verbs=STOPPING,
        check=share,
    )
    seed: int = setting(
        0,
        "Seed of all draws; a fresh one when not given. It is in the result.",
        verbs=(*DRAWN, *MAPPED, STREAM, "thresholds", *CURVES, "calibration", "select"),
        unless_given=None,
        said={
            "permutation_test": "Seed of the permutations, and of whatever else is random: folds "
            "that are shuffled, those inside the estimator too, and every `random_state` of it, "
            "nested ones too, that is None. Those that are set stay as they are. All refits use "
            "the same.",
            "power": "Seed of all samples and draws. A known seed gives the same bits from one "
            "process or many.",
            "sample_size": "Seed of all samples and draws.",
            "calibration": "Taken as by the other curves; no band here needs draws.",
            **dict.fromkeys(
                REFITTED,
                "Seed of the parts, and of every `random_state` of the estimator that is None. A "
                "fresh one when not given; it is in the result.",
            ),
        },
        keyword="rng",
        also=("seed", "random_state"),
        check=lambda name, value: seed_of(value),
        option="--seed",
        brief="Seed of all draws.",
        least=0,
    )
    workers: Any = setting(
        1,
        'Number of processes to share the draws between, or an executor such as `Dask`; "auto" '
        "shares them between all processors where more than a few seconds of work are left. The "
        "results are the same.",
        verbs=(*DRAWN, *MAPPED),
        unless_given="auto",
        also=("n_jobs",),
        check=workers_of,
        brief="Processes that share the work; as many as there are processors, where it pays, "
        "when not given.",
        least=1,
    )
    executor: Any = setting(
        None,
        "What runs the work instead of processes, as a cluster; the same as `workers`.",
        verbs=STUDIES,
        option="",
    )
    store: Any = setting(
        None,
        "File that keeps finished draws, so that a run that was stopped goes on; none when not "
        "given.",
        verbs=(*DRAWN, *MAPPED),
        said=dict.fromkeys(
            STUDIES,
            "A file that keeps finished work: a run that was stopped goes on, and one with more "
            "replications adds to it.",
        ),
        brief="Keep finished work here and resume from it.",
        metavar="FILE",
    )
    progress: Progress | None = setting(
        None,
        "A function that is called with the numbers done and to do; True shows how far it is on "
        "the error stream, False nothing. When not given, shown where somebody watches: on a "
        "screen or in a notebook, after a second.",
        verbs=(*DRAWN, *MAPPED, STREAM),
        check=progress_of,
        option="",
    )
    # what no keyword sets
    block: int | None = None  # draws that share a stream; a computation chooses its own
    p_alone: bool = False  # whether nothing need stand beside a p: no level, no saddlepoint

    def __post_init__(self) -> None:
        for one in every_setting():
            value = getattr(self, one.name)
            if value is not one.initial:
                object.__setattr__(self, one.name, one.checked(value))
        if self.block is not None:
            whole_number("block", self.block)

    @classmethod
    def of(cls, verb: str, given: dict[str, Any], *, facts: bool = False) -> "Settings":
        """Settings from the keywords of a verb, which are taken out of `given`.

        What is left is refused, unless the verb also takes `facts` of the data.
        """
        watched = "progress" not in given
        values = {one.name: one.taken(verb, given) for one in settings_of(verb)}
        if watched and "progress" in values:
            values["progress"] = unasked_bar()
        if given and not facts:
            name = next(iter(given))
            raise TypeError(
                f"{verb}() got an unexpected keyword argument {name!r}{meant(name, keywords(verb))}"
            )
        made = object.__new__(cls)  # past __post_init__, which would check them again
        vars(made).update(_initial() | values)
        return made

    @property
    def flips(self) -> int:
        """How many permutations, sign flips or exchanges: 9999 unless stated."""
        return FLIPS if self.draws is None else self.draws

    @property
    def bootstraps(self) -> int:
        """How many bootstrap samples: 1999 unless stated."""
        return BOOTSTRAPS if self.draws is None else self.draws

    @property
    def case_control(self) -> bool:
        """Whether the classes were sampled separately."""
        return self.sampling == "case-control"

    @property
    def key(self) -> tuple[Any, ...]:
        """Every number, word and flag: under it is kept what is computed with these settings."""
        values = (getattr(self, one.name) for one in every_setting())
        return tuple(value if isinstance(value, int | float | str) else None for value in values)

    def alone(self) -> Self:
        """The same, computed in this process and kept nowhere: for what takes no time."""
        return replace(self, workers=1, executor=None, store=None, progress=None)

    def rng(self, *purpose: int, cheap: bool = False) -> Any:
        """A stream of random numbers for one purpose, unlike that of any other.

        None if quick, unless it is `cheap`: for numbers that are drawn in milliseconds.
        """
        if self.quick and not cheap:
            return NoStream()
        import numpy as np

        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=purpose))

    def chosen(self, kind: str) -> Mapping[str, Any]:
        """Methods of a kind that were asked for, by measure; once they are known to fit."""
        found: Mapping[str, Any] = (self.methods or {}).get(kind, {})
        return found


@cache
def every_setting() -> tuple[Declared, ...]:
    """Every setting, in the order in which they are declared."""
    return tuple(_declared(one) for one in fields(Settings) if "setting" in one.metadata)


def _declared(one: "Field[Any]") -> Declared:
    facts = dict(one.metadata["setting"])
    facts["keyword"] = facts["keyword"] or one.name
    if facts["option"] is None:
        facts["option"] = f"--{one.name.replace('_', '-')}"
    return Declared(name=one.name, type=one.type, initial=one.default, **facts)


@cache
def _initial() -> dict[str, Any]:
    """Every setting as it is when nothing was said."""
    return dict(vars(Settings()))


@cache
def settings_of(*verbs: str) -> tuple[Declared, ...]:
    """The settings that a verb takes, or one of several."""
    return tuple(one for one in every_setting() if not set(verbs).isdisjoint(one.verbs))


def keywords(verb: str) -> list[str]:
    """What a verb calls its settings."""
    return [one.keyword for one in settings_of(verb)]


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown argument: what it is called here, or is most like.

    >>> meant("level", ["confidence_level"]), meant("level", ["alpha"]), meant("draw", ["draws"])
    ("; did you mean 'confidence_level'?", "; did you mean 'alpha'?", "; did you mean 'draws'?")
    """
    there = list(known)
    if name in ("metric", "metrics", "scoring") and "measures" in there:
        return "; did you mean 'measures'?"
    for one in every_setting():
        if name in one.also and one.keyword in there:
            return f"; did you mean {one.keyword!r}?"
    return did_you_mean(name, there)


# ----------------------------------------------------------------------------------------------
# The verbs that take settings: their signature and docstring say which.
# ----------------------------------------------------------------------------------------------


Verb = TypeVar("Verb", bound=Callable[..., Any])


def settled(function: Verb) -> Verb:
    """A verb whose signature and docstring name the settings it takes, as they are declared.

    The function takes them as `**given` (where it has facts of the data, with these) and turns
    them into `Settings.of(verb, given)`. Their entries stand last among the parameters.
    """
    verb, signature = function.__name__, inspect.signature(function)
    own = list(signature.parameters.values())
    rest = [p for p in own if p.kind is p.VAR_KEYWORD and p.name == "facts"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(
            one.keyword, keyword, default=one.default_of(verb), annotation=_annotation(one)
        )
        for one in settings_of(verb)
    ]
    kept = [p for p in own if p.kind is not p.VAR_KEYWORD]
    vars(function)["__signature__"] = signature.replace(parameters=[*kept, *added, *rest])
    if function.__doc__:
        function.__doc__ = _documented(inspect.cleandoc(function.__doc__), verb)
    return function


def _annotation(one: Declared) -> Any:
    return Any if one.keyword != one.name and one.name == "seed" else one.type


def _documented(doc: str, verb: str) -> str:
    """A docstring with an entry for each setting, before those that begin with stars."""
    before, sections = docstrings.parted(doc)
    known = docstrings.blocks(sections.get("Parameters", ""))
    stars = [block for block in known if block.startswith("*")]
    added = [docstrings.entry(one.keyword, one.text_of(verb)) for one in settings_of(verb)]
    own = [block for block in known if block not in stars]
    sections["Parameters"] = "\n".join([*own, *added, *stars])
    return docstrings.joined(before, sections)
