"""The local page: drop a file of predictions, say which column is what, see the report."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.app.web import make_app, serve

_HOMES = {"make_app": "web", "serve": "web"}

__all__ = ["make_app", "serve"]

__getattr__ = lazily(__name__, _HOMES)
