"""Reports: one self-contained HTML file with pictures, tables and paragraphs ready to paste."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abovechance.reports.reporting import Report, report

_HOMES = {"Report": "reporting", "report": "reporting"}

__all__ = ["Report", "report"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'abovechance.reports' has no attribute {name!r}")
    value = getattr(import_module(f"abovechance.reports.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
