"""What the theme leaves out for those who read by keyboard or by ear, added to written pages."""

from pathlib import Path
from typing import Any

MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Site">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    # what scrolls on a small screen must be reached by keys
    "<pre><span></span>": '<pre tabindex="0"><span></span>',
    '<table class="docutils align-default">': '<table class="docutils align-default" tabindex="0">',
    '<div class="math">': '<div class="math" tabindex="0">',
    '<div id="search-results"></div>': '<h1>Search</h1><div id="search-results"></div>',
}


def mend_build(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text("utf-8")
        mended = text
        for theirs, ours in MENDED.items():
            mended = mended.replace(theirs, ours)
        if mended != text:
            path.write_text(mended, "utf-8")
