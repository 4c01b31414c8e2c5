"""The matrix of settings: what it is made of, and how its runs are counted."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def matrix() -> Any:
    specification = importlib.util.spec_from_file_location("run_matrix", HERE / "run_matrix.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    import sys

    sys.modules["run_matrix"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_the_tests_that_are_chosen_are_there(matrix: Any) -> None:
    missing = [path for path in (*matrix.QUICK, *matrix.NOT_OF_IT)
               if not (matrix.ROOT / path).exists()]  # fmt: skip
    assert missing == []


def test_settings_that_differ_in_variables_share_an_environment(matrix: Any) -> None:
    named = {one.name: one for one in matrix.settings()}
    assert named["one-thread"].environment == named["two-threads"].environment
    apart = {named[name].environment for name in ("lowest", "newest", "no-numba", "one-thread")}
    assert len(apart) == 4


def test_errors_and_failures_are_counted_alike(matrix: Any, tmp_path: Path) -> None:
    file = tmp_path / "counted.xml"
    file.write_text(
        '<testsuites><testsuite tests="6" errors="1" failures="2" skipped="1">'
        '<testcase classname="a" name="b"><failure/></testcase></testsuite></testsuites>'
    )
    assert matrix.counts(file) == {"passed": 2, "failed": 3, "skipped": 1}
    assert list(matrix.failures(file)) == ["a::b"]


def test_the_table_is_that_of_the_recorded_runs_and_none_failed(matrix: Any) -> None:
    runs = json.loads((HERE / "runs.json").read_text("utf-8"))
    assert (HERE / "table.md").read_text("utf-8") == matrix.page(runs)
    assert [run["setting"] for run in runs if run["failed"]] == []
