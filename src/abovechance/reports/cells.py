"""Numbers in tables: what is shown, and the exact value behind it."""

from typing import Any

from abovechance.plots.words import as_float, number, p_value, signed, thousands
from abovechance.reports.document import Cell


def numeric(value: Any, undefined: Any = None, *, plus: bool = False, beside: Any = None) -> Cell:
    """A number with its exact value, or a dash with the reason.

    Beside an interval that is far wider, what is as good as 0 reads 0.
    """
    exact = as_float(value)
    text = signed(value) if plus else number(value)
    width = as_float(beside.get("high")) - as_float(beside.get("low")) if beside else 0.0
    if width >= 0.01 and abs(exact) < max(1e-5, width / 1000):
        text = number(0.0)
    known = None if exact != exact else exact
    return Cell(text, value=known, note=str(undefined or ""))


def count(value: Any) -> Cell:
    """A whole number, when there is one."""
    return Cell() if value is None else Cell(thousands(value), value=float(value))


def p_cell(value: Any) -> Cell:
    """A p-value, when there is one."""
    return Cell() if value is None else Cell(p_value(value), value=as_float(value))
