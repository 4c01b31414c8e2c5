"""The self-test of an installation: passes here, and can fail."""

import json
from pathlib import Path
from typing import Any

import pytest

from abovechance.cli import main
from abovechance.qualification import Check, self_testing, selftest
from abovechance.qualification.self_testing import blocks, page
from abovechance.tabular import text
from qualification.make_references import FILE, made
from qualification.make_references import text as written


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few simulated samples, and no second process."""
    monkeypatch.setattr(self_testing, "REPLICATIONS", 20)
    monkeypatch.setattr(
        "abovechance.qualification.self_testing.worker_check",
        lambda: Check(
            group="Determinism",
            name="workers",
            expected="a",
            found="a",
            tolerance=0.0,
            source="",
            passed=True,
        ),
    )


def test_the_shipped_values_are_those_of_the_references() -> None:
    assert FILE.read_text("utf-8") == written(made())


def test_every_shipped_value_is_found_again_and_says_who_gave_it() -> None:
    checks = list(self_testing.reference_checks())
    assert [check for check in checks if not check.passed] == []
    assert len(checks) > 300
    assert all(check.source and "abovechance" not in check.source for check in checks)
    assert {check.group for check in checks} >= {"Intervals", "Tests", "Posteriors"}


def test_a_value_that_is_off_in_the_ninth_digit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    called = self_testing._called
    monkeypatch.setattr(self_testing, "_called", lambda *a: called(*a) * (1.0 + 1e-9))
    failed = [check for check in self_testing.reference_checks() if not check.passed]
    assert len(failed) > 200


def test_a_call_that_breaks_is_a_check_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(row: Any, samples: Any) -> float:
        raise ImportError("a library is gone")

    monkeypatch.setattr(self_testing, "_called", broken)
    checks = list(self_testing.reference_checks())
    assert not any(check.passed for check in checks)
    assert checks[0].said == "ImportError: a library is gone"


def test_a_test_that_rejects_too_often_fails() -> None:
    for count, passed in ((10, True), (20, True), (60, False)):
        found = self_testing.rate("Type I error", "p", count, 0.05, above=True)
        assert found.passed is passed
    for count, passed in ((400, True), (380, True), (340, False)):
        assert self_testing.rate("Coverage", "i", count, 0.95, above=False).passed is passed


def test_rates_are_those_of_the_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_testing, "REPLICATIONS", 120)
    checks = {check.name: check for check in self_testing.rate_checks()}
    assert len(checks) == 4
    assert all(check.passed for check in checks.values())


def test_the_first_draws_are_those_of_every_machine() -> None:
    assert all(check.passed for check in self_testing.draw_checks())


def test_two_workers_give_what_one_gives() -> None:
    assert self_testing.worker_check().passed


def test_the_result_is_dated_and_says_on_what_it_was_found(short: None) -> None:
    found = selftest()
    assert found.passed
    assert found.date.endswith("+00:00")
    assert {"Python", "numpy", "linear algebra", "vector instructions"} <= found.machine.keys()
    shown = text(blocks(found))
    assert shown.startswith("Passed: all ")
    assert max(map(len, shown.splitlines())) <= 80
    html = page(found, "abovechance selftest").html
    assert "Does this installation give the numbers it should?" in html
    assert html.count("McNemar p_value") >= 10


def test_the_command_writes_a_page_and_json_and_exits_by_the_outcome(
    short: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [str(tmp_path / name) for name in ("q.html", "q.json")]
    assert main(["selftest", "--report", files[0], "--json", files[1]]) == 0
    assert capsys.readouterr().out.startswith("Passed: all ")
    held = json.loads(Path(files[1]).read_text("utf-8"))
    assert held["passed"] is True
    assert held["kind"] == "selftest"
    assert {"expected", "found", "tolerance", "source", "passed"} <= held["checks"][0].keys()
    assert "<script" in Path(files[0]).read_text("utf-8")
    monkeypatch.setitem(self_testing.BITS, "sign flips", "0" * 16)
    assert main(["selftest"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Failed: 1 of ")
    assert "first sign" in out
    assert "0" * 16 in out
