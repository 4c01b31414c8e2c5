"""What a command's exit code says: conditions of --fail-if, and verdicts on goals.

0 answered, and goals met; 1 a condition holds, or goals are not met; 4 goals are undecided.
"""

import json
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as xml

import click

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
FORM = re.compile(
    r"(?P<measure>[^\[\]]+?)\s*(\[(?P<by>[^\]]+)\])?\s+(?P<quantity>[A-Za-z_]+)\s*"
    r"(?P<sign><=|>=|<|>)\s*(?P<limit>\S+)"
)
OF_DIFFERENCES = ("difference", "low", "high", "p", "p_adjusted")
OF_ESTIMATES = ("value", "low", "high", "p", "skill", "skill_low", "skill_high", "skill_p")
CALLED = {"p": "p_value"}


@dataclass(frozen=True)
class Gate:
    """One condition: a quantity of a measure beyond a limit; `by` is a subgroup, "*" any."""

    measure: str
    quantity: str
    sign: str
    limit: float
    by: str | None = None

    def fired(self, result: Any) -> Iterator[str]:
        """Which rows fulfil the condition, in words; what is undefined counts as such."""
        for row in self._rows(result):
            value, who = _value(row, self.quantity), _who(row, self.quantity)
            if value is None or value != value:
                yield f"{who} is undefined" + (f": {row.undefined}" if row.undefined else "")
            elif SIGNS[self.sign](value, self.limit):
                yield f"{who} is {value:.6g} {self.sign} {self.limit:g}"

    def _rows(self, result: Any) -> list[Any]:
        from abovechance.errors import NotApplicable, UnknownMeasure, did_you_mean, listed

        rows = [row for row in result if row.model is None and _class(row) is None]
        known = list(dict.fromkeys(row.measure for row in rows))
        name = self.measure
        if name not in known:
            from abovechance.measures import find

            try:
                name = find(name).for_outcome(result.outcome).label
            except UnknownMeasure:
                name = ""
        if name not in known:
            done = "compared" if result.kind == "comparison" else "assessed"
            meant = did_you_mean(self.measure, known) or f"; {done} are {listed(known, 10)}."
            raise UnknownMeasure(f"--fail-if names {self.measure!r}, which is not {done}{meant}")
        of_measure = [row for row in rows if row.measure == name]
        found = [row for row in of_measure if self._is_about(row.by)]
        if not found:
            there = listed(list(dict.fromkeys(row.by for row in of_measure if row.by)), 8)
            raise NotApplicable(
                f"--fail-if names the subgroup {self.by!r}; "
                + (f"there are {there}." if there else "state the subgroups with --by.")
            )
        return found

    def _is_about(self, by: str | None) -> bool:
        if self.by is None or by is None:
            return self.by is by
        return self.by in ("*", by, by.partition("=")[2])


def _class(row: Any) -> Any:
    return getattr(row, "class_", None)


def _who(row: Any, quantity: str) -> str:
    where = f"[{row.by}]" if row.by else ""
    pair = f" of {row.first} and {row.second}" if hasattr(row, "first") else ""
    return f"{row.measure}{where} {quantity}{pair}"


def _value(row: Any, quantity: str) -> float | None:
    if quantity.startswith("skill"):
        row, quantity = row.skill, quantity.removeprefix("skill").strip("_") or "difference"
        if row is None:
            return None
    if quantity in ("low", "high"):
        return None if row.interval is None else float(getattr(row.interval, quantity))
    found = getattr(row, CALLED.get(quantity, quantity))
    return None if found is None else float(found)


def gate(text: str, quantities: Sequence[str] = OF_DIFFERENCES) -> Gate:
    """A condition as it is written on the command line.

    >>> gate("accuracy difference < -0.02")
    Gate(measure='accuracy', quantity='difference', sign='<', limit=-0.02, by=None)
    """
    found = FORM.fullmatch(text.strip())
    if found is None:
        example = "accuracy difference < -0.02" if "difference" in quantities else "auc low < .7"
        raise click.BadParameter(
            f"cannot read {text!r}; write MEASURE QUANTITY SIGN NUMBER, for instance '{example}'."
        )
    if found["quantity"] not in quantities:
        raise click.BadParameter(
            f"cannot read {text!r}; {found['quantity']!r} must be one of {', '.join(quantities)}."
        )
    try:
        limit = float(found["limit"])
    except ValueError:
        limit = float("nan")
    if limit != limit:
        raise click.BadParameter(f"cannot read {text!r}; {found['limit']!r} must be a number.")
    return Gate(found["measure"].strip(), found["quantity"], found["sign"], limit, found["by"])


def fail_if(quantities: Sequence[str], example: str) -> Callable[..., Any]:
    """The option --fail-if of a command, whose conditions are checked before any work is done."""

    def read(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> list[Gate]:
        return [gate(text, quantities) for text in value]

    return click.option(
        "--fail-if",
        multiple=True,
        callback=read,
        metavar="CONDITION",
        help="Exit with code 1 when this holds, or is undefined: MEASURE QUANTITY SIGN NUMBER, "
        f"e.g. '{example}'; QUANTITY is {', '.join(quantities)}. Repeatable.",
    )


undecided = click.option(
    "--undecided",
    type=click.Choice(["apart", "fail", "pass"]),
    default="apart",
    show_default=True,
    help="Exit code when these cases do not tell: 4 (apart), 1 (fail) or 0 (pass).",
)


def exit_code(verdict: str | None, undecided: str = "apart", *, fired: bool = False) -> int:
    """The exit code of a verdict, none where nothing was stated, beside conditions that fired.

    >>> exit_code("met"), exit_code("undecided"), exit_code("undecided", "pass", fired=True)
    (0, 4, 1)
    """
    from abovechance.cli import ANSWERED, GATE, UNDECIDED

    if fired or verdict in ("not met", "worse"):
        return GATE
    if verdict == "undecided":
        return {"apart": UNDECIDED, "fail": GATE, "pass": ANSWERED}[undecided]
    return ANSWERED


def reasons(result: Any, conditions: Sequence[Gate]) -> list[str]:
    """Why conditions fire, one line each; none when all is well."""
    return [reason for condition in conditions for reason in condition.fired(result)]


def tell(fired: Sequence[str]) -> None:
    """Say on stderr why conditions fired."""
    for reason in fired:
        click.echo(f"abovechance: --fail-if: {reason}", err=True)


# ----------------------------------------------------------------------------------------------
# Files that other tools read beside an assessment: test cases and numbers.
# ----------------------------------------------------------------------------------------------


FAILS = ("not met", "undecided")


def write_junit(result: Any, path: str | None, undecided: str) -> None:
    """Write the goals as JUnit test cases: what is not met, or undecided, fails."""
    if path is None:
        return
    from abovechance.io.export import write_text

    text = xml.tostring(junit(result.to_dict()["goals"], undecided), encoding="unicode")
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def junit(goals: dict[str, Any], undecided: str = "apart") -> xml.Element:
    """One test case a goal; under --undecided pass what these cases do not tell is skipped.

    >>> row = {"title": "AUC", "by": None, "sign": ">=", "goal": 0.8, "verdict": "met"}
    >>> xml.tostring(junit({"goals": [row]}), "unicode")
    '<testsuite name="abovechance" tests="1" failures="0" skipped="0"><testcase
    classname="goals" name="AUC ≥ 0.8" /></testsuite>'
    """
    from abovechance.format import shown
    from abovechance.inference.printing import goal_line, goal_words

    suite = xml.Element("testsuite", name="abovechance")
    for row in goals["goals"]:
        name = shown(goal_words(row))
        case = xml.SubElement(suite, "testcase", classname="goals", name=name)
        if row["verdict"] not in FAILS:
            continue
        skipped = row["verdict"] == "undecided" and undecided == "pass"
        kind = {} if skipped else {"type": row["verdict"]}
        xml.SubElement(
            case, "skipped" if skipped else "failure", message=shown(goal_line(row)), **kind
        )
    counts = {"failures": "failure", "skipped": "skipped"}
    suite.set("tests", str(len(suite)))
    for name, tag in counts.items():
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def write_metrics(result: Any, path: str | None) -> None:
    """Write values and limits as nested numbers: {"auc": {"value": …, "low": …, "high": …}}."""
    if path is None:
        return
    from abovechance.io.export import write_text

    nested: dict[str, dict[str, float]] = {}
    for name, value in result.metrics().items():
        measure, _, part = name.partition("/")
        nested.setdefault(measure, {})[part or "value"] = value
    text = json.dumps(nested, indent=2, allow_nan=False)
    write_text(path, f"{text}\n")
