"""The parts of the site that are made from the source: nothing here is written twice.

A page for every measure and method, the gallery of pictures, the help of every command and the
advice codes are generated from their declarations, and the tutorials from their notebooks, before
Sphinx reads the pages; the files are git-ignored.
"""

from pathlib import Path
from typing import Any

from . import accessible, advice, commands, gallery, links, mathml, measures, methods, tutorials


def write(root: Path) -> None:
    """Every generated page under `root`, the folder of the sources of the site."""
    pages = {
        **measures.pages(),
        **methods.pages(),
        "commands.md": commands.page(),
        "advice.md": advice.page(),
        "gallery.md": gallery.page(),
        **tutorials.pages(),
    }
    figures = tutorials.images()
    for folder in ("measures", "methods", "tutorials"):
        for old in (root / folder).glob("*"):
            if f"{folder}/{old.name}" not in {*pages, *figures}:
                old.unlink()
    for name, text in pages.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_file() or path.read_text("utf-8") != text:  # unchanged pages are not rebuilt
            path.write_text(text, "utf-8")
    for name, image in figures.items():
        (root / name).write_bytes(image)
    gallery.images(root / "images/gallery")


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls when it loads the extension."""
    mathml.setup(app)
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    app.connect("build-finished", accessible.mend_build)
    app.connect("build-finished", links.check_build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
