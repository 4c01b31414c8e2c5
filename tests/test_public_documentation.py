"""Everything public explains itself, in the sections that numpydoc knows.

Each function and class that is reached from `ac`, and from the collections below it, says in its
first line what it is, and then what every parameter means, what comes back, when it refuses,
where to look next, and an example that runs and can fail.
"""

import builtins
import doctest
import enum
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import pytest

import abovechance as ac
from abovechance.inference.results import Result

ORDER = (  # of numpydoc's style guide
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
COLLECTIONS = (
    "intervals",
    "significance",
    "posterior",
    "curves",
    "measures",
    "examples",
    "studies",
    "testing",
)


@dataclass(frozen=True)
class Offered:
    """Something public: how it is addressed, and where its neighbours are."""

    address: str
    thing: Any
    home: ModuleType

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.thing) or ""

    @property
    def called(self) -> bool:
        """Whether users call it: functions, and classes that they build."""
        return not inspect.isclass(self.thing) or self.address in BUILT

    @property
    def names(self) -> list[str]:
        """The parameters of a call, or the fields of a result."""
        if self.called:
            return _parameters(self.thing)
        if is_dataclass(self.thing):
            return [f.name for f in fields(self.thing) if not f.name.startswith("_")]
        return []


BUILT = {
    f"ac.{name}"
    for name in (
        "Binary",
        "Multiclass",
        "Numeric",
        "Survival",
        "Serial",
        "Processes",
        "Dask",
        "Store",
    )
}


def _parameters(function: Any) -> list[str]:
    stars = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    found = inspect.signature(function).parameters.values()
    return [stars.get(p.kind, "") + p.name for p in found if p.name != "self"]


def offered() -> Iterator[Offered]:
    seen: list[Any] = []
    for home, prefix in [(ac, "ac"), *((getattr(ac, c), f"ac.{c}") for c in COLLECTIONS)]:
        for name in home.__all__:
            thing = getattr(home, name)
            if inspect.ismodule(thing) or any(thing is other for other in seen):
                continue
            seen.append(thing)
            yield Offered(f"{prefix}.{name}", thing, home)


def drawn() -> Iterator[Offered]:
    """What is called of `ac.plots`: its functions, and the ways to make a display."""
    yield from (Offered(f"ac.plots.{n}", getattr(ac.plots, n), ac.plots) for n in PICTURES)
    home = inspect.getmodule(ac.plots.RocDisplay)
    assert home is not None
    for name in ("from_predictions", "from_estimator", "plot"):
        yield Offered(f"ac.plots.Display.{name}", getattr(ac.plots.RocDisplay, name), home)


PICTURES = ("binomial_null", "chart_of")
OFFERED = [*offered(), *drawn()]
PUBLIC = OFFERED
FUNCTIONS = [o for o in PUBLIC if not inspect.isclass(o.thing)]
CALLED = [o for o in PUBLIC if o.called]
SHOWN = [o for o in PUBLIC if inspect.isclass(o.thing) and o.names and not o.called]


def each(which: list[Offered]) -> Any:
    return pytest.mark.parametrize("item", which, ids=[o.address for o in which])


def sections(doc: str) -> dict[str, list[str]]:
    """The lines of each section, in order; the text before the first is under ""."""
    found: dict[str, list[str]] = {"": []}
    current = ""
    lines = doc.splitlines()
    for at, line in enumerate(lines):
        under = lines[at + 1] if at + 1 < len(lines) else ""
        if line and re.fullmatch(r"-{3,}", under):
            assert len(under) == len(line), f"{line}: underlined by {len(under)} signs"
            assert line not in found, f"{line}: twice"
            current = line
            found[current] = []
        elif not (current and re.fullmatch(r"-{3,}", line)):
            found[current].append(line)
    return found


def entries(lines: list[str]) -> dict[str, str]:
    """What a section says of each name; a paragraph that belongs to none is refused."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.split(" : ")[0].split(",")]
            found |= dict.fromkeys(names, "")
        elif line:
            assert names, f"text before any name: {line}"
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found


@each(PUBLIC)
def test_the_first_line_is_a_sentence(item: Offered) -> None:
    first, _, rest = item.doc.partition("\n")
    assert re.fullmatch(r"[A-Z0-9].*[.)]", first), first
    assert len(first) <= 96
    assert not rest or rest.startswith("\n"), "the first sentence takes more than a line"


@each(PUBLIC)
def test_sections_are_those_of_numpydoc_in_its_order(item: Offered) -> None:
    found = [name for name in sections(item.doc) if name]
    assert found == [name for name in ORDER if name in found]


@each(CALLED)
def test_every_parameter_is_explained(item: Offered) -> None:
    said = entries(sections(item.doc).get("Parameters", []))
    assert sorted(said) == sorted(item.names)
    assert [name for name, text in said.items() if len(text) < 10] == []


@each(SHOWN)
def test_every_field_of_a_result_is_explained(item: Offered) -> None:
    said = entries(sections(item.doc).get("Attributes", []))
    assert sorted(said) == sorted(item.names)
    assert [name for name, text in said.items() if len(text) < 6] == []


@each(FUNCTIONS)
def test_what_comes_back_is_said(item: Offered) -> None:
    said = entries(sections(item.doc)["Returns"])
    assert said
    assert all(len(text) >= 6 for text in said.values())


@each([o for o in CALLED if o.names])
def test_refusals_are_errors_that_exist(item: Offered) -> None:
    lines = sections(item.doc).get("Raises")
    if item.thing is ac.measure:  # a declaration is checked by the catalogue's tests
        assert lines is None
        return
    assert lines
    for name, when in entries(lines).items():
        error = getattr(ac.errors, name, None) or getattr(builtins, name)
        assert issubclass(error, Exception)
        assert len(when) > 20


@each([o for o in PUBLIC if o.called or issubclass(o.thing, Result)])
def test_an_example_runs_and_can_fail(item: Offered) -> None:
    if item.address == "ac.posterior.Hierarchical":
        return  # made by `hierarchical`, where the example stands
    code = "\n".join(sections(item.doc)["Examples"])
    examples = doctest.DocTestParser().get_examples(code)
    assert [e for e in examples if e.want], "no expected output"
    assert any(item.address.rpartition(".")[2] in e.source for e in examples) or (
        inspect.isclass(item.thing)
    )


@each([o for o in PUBLIC if o.called or o.names])
def test_what_to_see_also_is_there(item: Offered) -> None:
    lines = [line for line in sections(item.doc)["See Also"] if line]
    assert lines
    for line in lines:
        names, _, why = line.partition(" : ")
        assert why, line
        for name in names.split(", "):
            found(name, item.home)


def found(name: str, home: ModuleType) -> Any:
    """What a name means beside an entry: a neighbour, or an address from the package on."""
    path = name.removeprefix("abovechance.").split(".")
    start: Any = ac if name.startswith("abovechance.") or not hasattr(home, path[0]) else home
    for part in path:
        start = getattr(start, part)
    return start


@each([o for o in PUBLIC if inspect.isclass(o.thing)])
def test_every_public_method_says_what_it_does(item: Offered) -> None:
    kinds = property | classmethod | cached_property | FunctionType
    methods: dict[str, bool] = {}
    for cls in item.thing.__mro__:
        own = vars(cls).items() if cls.__module__.startswith("abovechance") else ()
        for name, method in own:
            if isinstance(method, kinds) and not name.startswith("_"):
                methods[name] = methods.get(name, False) or bool(method.__doc__)
    assert [name for name, explained in methods.items() if not explained] == []


@each([o for o in PUBLIC if inspect.isclass(o.thing) and issubclass(o.thing, enum.Enum)])
def test_enumerations_are_words(item: Offered) -> None:
    assert all(str(member) == member.value for member in item.thing)


@pytest.mark.parametrize(
    ("doc", "error"),
    [
        ("One.\n\nParameters\n------\nx\n    Long enough text.", "underlined"),
        ("One.\n\nNotes\n-----\na\n\nNotes\n-----\nb", "twice"),
        ("One.\n\nParameters\n----------\n    Text of nobody.", "before any name"),
    ],
)
def test_a_docstring_that_numpydoc_would_misread_is_seen(doc: str, error: str) -> None:
    with pytest.raises(AssertionError, match=error):
        entries(sections(doc)["Parameters" if "Parameters" in doc else "Notes"])


def test_a_paragraph_after_the_parameters_is_seen() -> None:
    doc = "One.\n\nParameters\n----------\nx\n    What it is.\n\nLost to numpydoc.\n"
    assert list(entries(sections(doc)["Parameters"])) == ["x", "Lost to numpydoc."]
