"""A setting is declared once: verbs, commands, checks and docstrings follow from its field."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import field, fields, make_dataclass, replace
from typing import Any, Literal

import click
import numpy as np
import pytest

import abovechance as ac
from abovechance import settings as declarations
from abovechance.cli import command as root
from abovechance.cli import options
from abovechance.errors import AboveChanceError, DataError
from abovechance.settings import Declared, Settings, every_setting, keywords, settings_of, settled

VERBS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(ac, name)
        for name in (
            "assess",
            "assess_stream",
            "compare",
            "decode_over_time",
            "detect",
            "learning_curve",
            "group_maps",
            "permutation_test",
            "power",
            "reliability",
            "sample_size",
            "select",
            "stability",
            "searchlight",
            "thresholds",
            "validate",
        )
    },
    **{name: getattr(ac.curves, name) for name in declarations.BANDS},
}
COMMANDS = {  # the verbs that a command asks
    "assess": ("assess",),
    "compare": ("compare",),
    "detect": ("detect",),
    "group-maps": ("group_maps",),
    "power": ("power", "sample_size"),
    "reliability": ("reliability",),
    "select": ("select",),
    "stability": ("stability",),
    "searchlight": ("searchlight",),
    "thresholds": ("thresholds",),
    "curves": ("roc",),
    "validate": ("validate",),
    "learning-curve": ("learning_curve",),
}
# What users may give as `rng=` is made the seed; everything else is its own value.
WRONG = {
    "confidence_level": (95, 0.0, "high", None),
    "alpha": (5, 1.0, "low", None),
    "replications": (0, 2.5, None),
    "draws": (0, 2.5, "many", True),
    "prevalence": (0.0, 30, "rare"),
    "rope": (0.0, -1, "small"),
    "risk": (0.0, 2, None),
    "rng": (-1, 1.5, "seven", True),
    "workers": (0, "four", 1.5),
    "progress": (3, "loud"),
}
READ_LATER = {"methods", "margin", "executor", "store"}  # checked with the measures, or opened


def test_every_verb_that_is_declared_to_take_settings_is_there() -> None:
    named = {verb for one in every_setting() for verb in one.verbs}
    assert named == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_signature_has_the_settings_that_the_verb_takes(verb: str) -> None:
    found = inspect.signature(VERBS[verb]).parameters
    for one in settings_of(verb):
        assert found[one.keyword].default == one.default_of(verb)
        assert found[one.keyword].kind is inspect.Parameter.KEYWORD_ONLY
    known = {one.keyword for one in every_setting()}
    if verb in declarations.STUDIES:
        known.remove("prevalence")  # there a number of the design
    assert {name for name in found if name in known} == set(keywords(verb))
    assert [p.name for p in found.values() if p.kind is p.VAR_KEYWORD] in ([], ["facts"])


@pytest.mark.parametrize("verb", VERBS)
def test_a_docstring_explains_each_of_them_once(verb: str) -> None:
    doc = inspect.getdoc(VERBS[verb]) or ""
    for one in settings_of(verb):
        assert len(re.findall(rf"^{one.keyword}$", doc, re.M)) == 1
        assert " ".join(one.text_of(verb).split()) in " ".join(doc.split())
    assert max(len(line) for line in doc.splitlines()) <= 100


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_an_option_for_each_setting_of_its_verbs(name: str) -> None:
    found = options_of(name)
    for one in settings_of(*COMMANDS[name]):
        if one.option:
            assert found[one.keyword].opts[0] == one.option.split("/")[0]
        else:
            assert one.keyword not in found


def options_of(name: str) -> dict[str, click.Parameter]:
    command = root.get_command(click.Context(root), name)
    assert command is not None
    return {str(p.name): p for p in command.params}


def of_no_type(one: Declared) -> tuple[Any, ...]:
    """What is refused of a word or of a flag, whatever it means; other types need a line."""
    if not one.words and bool not in one.kinds:
        raise KeyError(f"WRONG needs a line of wrong values for {one.keyword}")
    return ("no such word", 7, *([] if one.may_be_none else [None]))


def wrong() -> Iterator[tuple[Declared, Any]]:
    for one in every_setting():
        if one.name not in READ_LATER:
            yield from ((one, value) for value in WRONG.get(one.keyword) or of_no_type(one))


@pytest.mark.parametrize(("one", "value"), list(wrong()), ids=lambda x: getattr(x, "name", repr(x)))
def test_a_wrong_value_is_refused_in_one_line_that_names_the_keyword(
    one: Declared, value: Any
) -> None:
    for verb in one.verbs:
        with pytest.raises(AboveChanceError) as refused:
            Settings.of(verb, {one.keyword: value})
        assert str(refused.value).startswith(f"{one.keyword} must ")
        assert "\n" not in str(refused.value)


def test_keywords_become_settings_and_are_taken_out() -> None:
    given = {"confidence_level": 0.9, "rng": 7, "groups": [1, 2]}
    made = Settings.of("assess", given, facts=True)
    assert (made.level, made.seed, made.draws, made.workers) == (0.9, 7, None, "auto")
    assert given == {"groups": [1, 2]}
    assert Settings.of("detect", {}).draws == 999
    assert Settings.of("roc", {}).draws == 1000


def test_the_fresh_seed_of_a_verb_differs_from_call_to_call_and_can_be_given_again() -> None:
    first, second = (Settings.of("assess", {}) for _ in range(2))
    assert first.seed != second.seed
    assert replace(Settings(), seed=first.seed).seed == first.seed
    drawn = Settings.of("assess", {"rng": np.random.default_rng(3)})
    assert drawn.seed == Settings.of("assess", {"rng": np.random.default_rng(3)}).seed


@pytest.mark.parametrize(
    ("verb", "word", "meant"),
    [
        ("detect", "level", "alpha"),
        ("thresholds", "level", "confidence_level"),
        ("thresholds", "alpha", "confidence_level"),
        ("power", "n_jobs", "workers"),
        ("detect", "random_state", "rng"),
        ("detect", "n_permutations", "draws"),
        ("compare", "scoring", "measures"),
    ],
)
def test_words_of_other_packages_are_understood(verb: str, word: str, meant: str) -> None:
    arguments: Any = {"compare": ([ac.examples.iris()] * 2,), "detect": ([[1]], [0])}
    with pytest.raises(TypeError, match=f"argument '{word}'; did you mean '{meant}'"):
        VERBS[verb](*arguments.get(verb, (ac.examples.breast_cancer("p_forest"),)), **{word: 3})


def test_replaced_settings_are_checked_again() -> None:
    with pytest.raises(DataError, match=r"alpha must lie between 0 and 1; got 5\. Pass 0\.05"):
        replace(Settings(), alpha=5)


def test_a_stream_of_random_numbers_is_its_purposes_alone() -> None:
    made = Settings(seed=5)
    assert made.rng(1, 2).random() == made.rng(1, 2).random()
    assert len({made.rng(*key).random() for key in ((), (1,), (2,), (1, 2), (2, 1))}) == 5
    assert made.rng().random() == np.random.default_rng(5).random()


# A setting that is not there: one field makes it a keyword, an option, a check and a line of help.


@pytest.fixture
def _one_more(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    shape = declarations.setting(
        "bca",
        "Which limits a bootstrap gives.",
        verbs=("assess", "thresholds"),
    )
    facts = [(f, field(default=f.default, metadata=f.metadata)) for f in fields(Settings)]
    more = make_dataclass(
        "Settings",
        [
            *((f.name, f.type, one) for f, one in facts),
            ("bootstrap", Literal["bca", "percentile"], shape),
        ],
        bases=(Settings,),
        frozen=True,
        kw_only=True,
    )
    monkeypatch.setattr(declarations, "Settings", more)
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    for known in (every_setting, settings_of):
        known.cache_clear()


@pytest.mark.usefixtures("_one_more")
def test_one_field_is_a_keyword_an_option_a_check_and_a_line_of_help() -> None:
    @settled
    def assess(predictions: Any, **given: Any) -> Any:
        """Assess.

        Parameters
        ----------
        predictions
            Of any kind.

        Returns
        -------
        Settings
            What was set.
        """
        return declarations.Settings.of("assess", given)

    assert inspect.signature(assess).parameters["bootstrap"].default == "bca"
    assert "bootstrap\n    Which limits a bootstrap gives.\n" in (assess.__doc__ or "")
    assert assess(None).bootstrap == "bca"
    assert assess(None, bootstrap="percentile").bootstrap == "percentile"
    with pytest.raises(DataError, match="bootstrap must be 'bca' or 'percentile'; got 'student'"):
        assess(None, bootstrap="student")

    @click.command()
    @options.settings("assess")
    def show(**given: Any) -> None: ...

    option = next(p for p in show.params if p.name == "bootstrap")
    assert isinstance(option, click.Option)
    assert (option.opts, option.default) == (["--bootstrap"], "bca")
    assert option.help == "Which limits a bootstrap gives."
