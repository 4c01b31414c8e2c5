"""Mutants are real changes of formulas, and those recorded were noticed or looked at."""

import ast
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "src" / "abovechance"


def loaded(name: str) -> Any:
    specification = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


changes = loaded("changes")
SOURCE = b'''
"""Words: 1 + 1."""
LIMIT: "int | None" = 3

def share(x: "float | int", n: float, *, level: float = 0.95) -> float:
    """The share x / n."""
    if x > n:
        raise ValueError(f"x must be at most {n + 1}")
    return (x  # of n - 1
            + 0.5) / n if n else -x
'''


def test_each_kind_of_place_is_changed_and_words_are_not() -> None:
    found = {(m.inside, m.before, m.after) for m in changes.mutants_of("a.py", SOURCE)}
    assert found == {
        ("", "3", "4"), ("", "0.95", "1.9"),
        ("share", ">", ">="), ("share", ">", "<="),
        ("share", "+", "-"), ("share", "x  # of n - 1\n            + 0.5", "x  # of n - 1"),
        ("share", "0.5", "1.0"), ("share", "/", "*"),
        ("share", "n", "not (n)"), ("share", "-x", "x"),
    }  # fmt: skip


def test_mutants_of_a_module_parse_and_are_other_programs() -> None:
    source = (PACKAGE / "numerics" / "ranks.py").read_bytes()
    same = ast.dump(ast.parse(source))
    mutants = changes.mutants_of("numerics/ranks.py", source)
    assert len(mutants) > 100
    for mutant in mutants[::8]:
        assert ast.dump(ast.parse(mutant.applied(source))) != same, mutant.key
    assert len({mutant.key for mutant in mutants}) == len(mutants)


def test_the_order_of_chance_does_not_hang_on_other_modules(tmp_path: Path) -> None:
    for folder in changes.FOLDERS:
        (tmp_path / folder).mkdir()
    (tmp_path / "measures" / "one.py").write_bytes(SOURCE)
    alone = [m.key for m in changes.drawn(tmp_path, 1)]
    (tmp_path / "numerics" / "two.py").write_bytes(SOURCE)
    both = [m.key for m in changes.drawn(tmp_path, 1)]
    assert [key for key in both if key in alone] == alone
    assert len(both) == 2 * len(alone)


def test_only_functions_are_changed_in_place() -> None:
    """A change of a function's body, and none of a class, a default or the module itself."""
    run = loaded("run_mutation")
    source = (
        b"A = 1\nclass B:\n    C = 2\n    def f(self, x=3):\n        return [x + 4 for x in A]\n"
    )
    found = {}
    for mutant in changes.mutants_of("a.py", source):
        old, new = (compile(s, "a.py", "exec") for s in (source, mutant.applied(source)))
        pairs = run.pairs_of(old, new) if mutant.inside else None
        found[mutant.before, mutant.after] = pairs and [one.co_qualname for one, _ in pairs]
    inner = ["B.f", "B.f.<locals>.<listcomp>"]
    assert found == {
        ("1", "2"): None, ("2", "3"): None, ("3", "4"): None,
        ("+", "-"): inner, ("4", "5"): inner, ("x + 4", "x"): inner,
    }  # fmt: skip


def test_lines_are_counted_from_their_function() -> None:
    run = loaded("run_mutation")
    watch = run.Watch()
    watch.home = ""

    def shown(x: int) -> int:
        if x:
            return 1
        return 2

    sys.settrace(watch.called)
    shown(0)
    sys.settrace(None)
    name = f"{__file__}:{shown.__qualname__.replace('.<locals>', '')}"
    assert {f"{name}+{line}" for line in (0, 1, 3)} == {
        one for one in watch.found() if one.startswith(name)
    }


@pytest.fixture(scope="module")
def recorded() -> Any:
    return json.loads((HERE / "counts.json").read_text("utf-8"))


def test_the_faults_that_are_planted_have_a_place() -> None:
    for module, (before, _) in loaded("run_mutation").PLANTED.items():
        assert before in (PACKAGE / module).read_text("utf-8")


def test_the_table_is_that_of_the_recorded_mutants(recorded: Any) -> None:
    assert (HERE / "counts.md").read_text("utf-8") == loaded("run_mutation").page(recorded)


def test_most_recorded_mutants_are_noticed_and_the_others_were_looked_at(recorded: Any) -> None:
    counts = recorded["counts"].values()
    killed, survived = (sum(c.get(what, 0) for c in counts) for what in ("killed", "survived"))
    assert killed >= 0.85 * (killed + survived)
    assert [one["mutant"] for one in recorded["survivors"] if not one["judged"]] == []
