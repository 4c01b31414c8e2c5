"""Every link within the site leads somewhere: the file is there and so is the place in it."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page links to and which places it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def broken(site: Path) -> list[str]:
    """Links of the pages of a folder that lead nowhere, and those that need a network."""
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            there = (
                pages.get(site.resolve() / target.relative_to(site.resolve()))
                if (target.is_relative_to(site.resolve()))
                else None
            )
            if not target.is_file() or (there and unquote(parts.fragment) not in there.places):
                found.append(f"{path.relative_to(site)} links to {link}")
    return found


def check_build(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    from sphinx.errors import ExtensionError

    wrong = broken(Path(app.outdir).resolve())
    if wrong:
        raise ExtensionError("links that lead nowhere:\n  " + "\n  ".join(wrong))
