"""Mutants: drawn by number, changed in one place, compiled."""

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def tool() -> Any:
    specification = importlib.util.spec_from_file_location("run_mutation", HERE / "run_mutation.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["run_mutation"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_the_tests_of_every_module_are_there(tool: Any) -> None:
    wanted = {path for paths in tool.TESTED.values() for path in paths}
    assert [path for path in sorted(wanted) if not (tool.ROOT / path).exists()] == []


def test_a_mutant_is_known_by_seed_and_number_and_differs_in_one_place(tool: Any) -> None:
    some = tool.drawn(12, 5)
    assert some == tool.drawn(12, 5)
    for one in some:
        source = (tool.PACKAGE / one.module).read_text("utf-8")
        changed = tool._Change(one.place).visit(ast.parse(source))
        plain, other = (ast.unparse(tree).splitlines() for tree in (ast.parse(source), changed))
        assert sum(a != b for a, b in zip(plain, other, strict=True)) == 1
        assert tool.mutated(one) is not None


def test_what_is_raised_and_declared_is_left_alone(tool: Any) -> None:
    walk = tool._Change()
    walk.visit(ast.parse("def f(x: int = 1) -> float:\n    raise ValueError(x + 1)\n"))
    assert walk.found == []


def test_the_changed_module_is_the_one_that_tests_import(tool: Any) -> None:
    import abovechance

    assert Path(abovechance.__file__).parent == tool.PACKAGE
