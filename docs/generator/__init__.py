"""The parts of the site that are made from the source: nothing here is written twice.

A page for every measure and method, the help of every command and the advice codes are generated
from their declarations before Sphinx reads the pages; the files are git-ignored.
"""

from pathlib import Path
from typing import Any

from . import accessible, advice, commands, links, mathml, measures, methods


def write(root: Path) -> None:
    """Every generated page under `root`, the folder of the sources of the site."""
    pages = {
        **measures.pages(),
        **methods.pages(),
        "commands.md": commands.page(),
        "advice.md": advice.page(),
    }
    for folder in ("measures", "methods"):
        for old in (root / folder).glob("*"):
            if f"{folder}/{old.name}" not in pages:
                old.unlink()
    for name, text in pages.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_file() or path.read_text("utf-8") != text:  # unchanged pages are not rebuilt
            path.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls when it loads the extension."""
    mathml.setup(app)
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    app.connect("build-finished", accessible.mend_build)
    app.connect("build-finished", links.check_build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
