"""Reports: one self-contained HTML file with pictures, tables and paragraphs ready to paste."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.reports.reporting import Report, report

_HOMES = {"Report": "reporting", "report": "reporting"}

__all__ = ["Report", "report"]

__getattr__ = lazily(__name__, _HOMES)
