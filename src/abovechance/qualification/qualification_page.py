"""A self-test as tables for a screen and as one page for the file of a study."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from abovechance.format import number
from abovechance.qualification.checks_made import Check, SelfTest
from abovechance.reports.reporting import Report
from abovechance.reports.story import Document, Remark, Tile
from abovechance.tabular import Block, Cell, Note, Table, tabulate

PASS, FAIL = "pass", "FAIL"


def blocks(found: SelfTest) -> list[Block]:
    """The outcome, a line for every group, every check that failed, and the machine."""
    shown: list[Block] = [
        Note(f"{found.verdict}, in {found.seconds:.0f} s, {found.date}."),
        groups_table(found),
    ]
    failed = [check for check in found.checks if not check.passed]
    if failed:
        shown.append(checks_table(failed, "Failed"))
    return [*shown, machine_table(found)]


def page(found: SelfTest, command: str = "") -> Report:
    """The whole self-test as a page, every value in it."""
    failed = [check for check in found.checks if not check.passed]
    of_groups = [checks_table(checks, name) for name, checks in found.groups()]
    return Report(
        Document(
            title="Does this installation give the numbers it should?",
            kicker="Self-test",
            subtitle=f"{found.date} · {found.seconds:.0f} s",
            verdict=found.verdict,
            headline=Markup(
                "Values of other programs and of exact arithmetic, error rates and coverage in "
                "small simulations, and the first draws of a seed were computed again on this "
                "machine and compared, each within the tolerance that stands beside it."
            ),
            tiles=(
                Tile("Checks", f"{len(found.checks):,}"),
                Tile("Failed", f"{len(failed):,}"),
                Tile("abovechance", found.machine["abovechance"]),
            ),
            remarks=tuple(Remark("", f"{one.name}: {one.said}") for one in failed if one.said),
            tables=(groups_table(found), machine_table(found), *of_groups),
            command=command,
            versions=tuple(found.machine.items()),
            json=found.to_json().replace("</", "<\\/"),
        )
    )


def groups_table(found: SelfTest) -> Table:
    """One line for every kind of check."""
    return tabulate(
        found.groups(),
        ("what", "name", lambda group: group[0]),
        ("checks", "number", lambda group: str(len(group[1]))),
        ("passed", "number", lambda group: str(sum(one.passed for one in group[1]))),
        ("largest deviation", "number", lambda group: _largest(group[1])),
        ("", "text", lambda group: PASS if all(one.passed for one in group[1]) else FAIL),
        title="Checks",
        caption="Deviations are in parts of what is allowed: 1 would just pass.",
    )


def checks_table(checks: Sequence[Check], title: str) -> Table:
    """Every check with what was expected, what was found, and who says so."""
    return tabulate(
        checks,
        ("check", "name", lambda one: one.name),
        ("expected", "number", lambda one: _value(one.expected)),
        ("found", "number", lambda one: _value(one.found)),
        ("tolerance", "number", lambda one: f"{one.tolerance:.1e}" if one.tolerance else "none"),
        ("source", "text", lambda one: one.source),
        ("", "text", lambda one: PASS if one.passed else FAIL),
        title=title,
        folded=len(checks) > 10,
    )


def machine_table(found: SelfTest) -> Table:
    """What it ran on."""
    return tabulate(
        found.machine.items(),
        ("", "name", lambda pair: pair[0]),
        ("", "text", lambda pair: pair[1]),
        title="This machine",
    )


def _largest(checks: Sequence[Check]) -> str:
    known = [one.deviation for one in checks if not math.isnan(one.deviation)]
    return f"{max(known):.2g}" if known else ""


def _value(value: float | str) -> Cell | str:
    if isinstance(value, str):
        return value
    return Cell(number(value) if math.isnan(value) else f"{value:.12g}", value)
