"""A page for every notebook of `docs/notebooks`: its text, its code and the output kept with it.

Nothing is run here; `tests/docs/test_notebooks.py` holds the output to what the code gives today.
"""

import base64
import json
import re
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"

INTRODUCTION = """# Tutorials

Whole analyses from data to the sentence to publish, each a notebook that you can download and run.
Data are simulated in the notebook or come with scikit-learn, so nothing else is needed. The output
on these pages is that of the code, run again by the tests.

"""


def pages() -> dict[str, str]:
    """File name → text, with an index."""
    found = {
        path: json.loads(path.read_text("utf-8")) for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    }
    several = {f"tutorials/{_name(path)}.md": _page(path, nb) for path, nb in found.items()}
    listed = [f"- **[{_title(nb)}]({_name(path)}.md)**: {_first(nb)}" for path, nb in found.items()]
    toctree = ["```{toctree}", ":hidden:", *(_name(path) for path in found), "```"]
    several["tutorials/index.md"] = INTRODUCTION + "\n".join([*listed, "", *toctree]) + "\n"
    return several


def images() -> dict[str, bytes]:
    """File name → the figures that notebooks hold."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        figures = (
            output["data"]["image/png"]
            for cell in json.loads(path.read_text("utf-8"))["cells"]
            for output in cell.get("outputs", ())
            if "image/png" in output.get("data", {})
        )
        for number, encoded in enumerate(figures, 1):
            found[f"tutorials/{_name(path)}-{number}.png"] = base64.b64decode(encoded)
    return found


def _page(path: Path, notebook: dict[str, Any]) -> str:
    parts: list[str] = []
    figures = 0
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            if len(parts) == 1:
                parts.append(
                    f"{{download}}`Download this notebook <../notebooks/{path.name}>` and open it "
                    'in Jupyter; it needs `pip install "abovechance[plot]" jupyter`.'
                )
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            elif "image/png" in output["data"]:
                figures += 1
                alt = cell["metadata"]["alt"]
                image = f"{_name(path)}-{figures}.png"
                parts.append(f"```{{image}} {image}\n:alt: {alt}\n:class: figure\n```")
            else:
                parts.append(f"```text\n{''.join(output['data']['text/plain'])}\n```")
    return "\n\n".join(parts) + "\n"


def _name(path: Path) -> str:
    """The name of the page: that of the notebook without its number."""
    return re.sub(r"^\d+-", "", path.stem)


def _title(notebook: dict[str, Any]) -> str:
    return "".join(notebook["cells"][0]["source"]).splitlines()[0].removeprefix("# ")


def _first(notebook: dict[str, Any]) -> str:
    """The first paragraph."""
    paragraph = "".join(notebook["cells"][0]["source"]).split("\n\n")[1]
    return paragraph.replace("\n", " ")
