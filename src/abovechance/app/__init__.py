"""The local page: drop a file of predictions, say which column is what, see the report."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abovechance.app.serving import serve
    from abovechance.app.web import make_app

_HOMES = {"make_app": "web", "serve": "serving"}

__all__ = ["make_app", "serve"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'abovechance.app' has no attribute {name!r}")
    value = getattr(import_module(f"abovechance.app.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
