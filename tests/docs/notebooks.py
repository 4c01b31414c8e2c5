"""The tutorials: notebooks that are kept with their output.

They need no Jupyter to be run here: a cell is Python, and what it shows is what it prints, its last
expression, and the figures it drew. `python tests/docs/notebooks.py [NOTEBOOK …]` runs them and
writes the output anew; read the difference before you commit it.
"""

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.blocks import DOCS, a_folder_of_examples

FOLDER = DOCS / "notebooks"
COLOURS = 64  # of an image: lines and letters need no more
COARSER = 4  # pixels a side that are seen as one

Output = dict[str, Any]


def notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook: dict[str, Any]) -> list[list[Output]]:
    """What every cell of code shows, in order, in a folder of its own."""
    import matplotlib

    matplotlib.use("Agg")
    usual = {k: v for k, v in matplotlib.rcParamsDefault.items() if not k.startswith("backend")}
    names: dict[str, Any] = {"__name__": "__main__"}
    found = []
    with a_folder_of_examples(), matplotlib.rc_context(usual):
        for number, cell in enumerate(code_cells(notebook), 1):
            found.append(_shown("".join(cell["source"]), names, number))
    return found


def _shown(source: str, names: dict[str, Any], number: int) -> list[Output]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    asked = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        first = tree.body[:-1] if asked else tree.body
        exec(compile(ast.Module(first, []), f"<cell {number}>", "exec"), names)
        if asked and isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    found: list[Output] = []
    if printed.getvalue():
        found.append(
            {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
        )
    if value is not None:
        found.append(
            {
                "data": {"text/plain": _lines(repr(value))},
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found + _figures()


def _figures() -> list[Output]:
    """The figures that are open, as the inline backend shows them at the end of a cell."""
    from matplotlib import pyplot

    found: list[Output] = []
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        file, small = io.BytesIO(), io.BytesIO()
        figure.savefig(file, dpi=figure.dpi)
        Image.open(file).convert("RGB").quantize(COLOURS).save(small, "PNG", optimize=True)
        wide, tall = (round(x * figure.dpi) for x in figure.get_size_inches())
        axes = f"{len(figure.axes)} Axes"
        found.append(
            {
                "data": {
                    "image/png": base64.b64encode(small.getvalue()).decode("ascii"),
                    "text/plain": [f"<Figure size {wide}x{tall} with {axes}>"],
                },
                "metadata": {},
                "output_type": "display_data",
            }
        )
        pyplot.close(figure)
    return found


def text_of(output: Output) -> str:
    """The words of an output; those of a figure are its size and are not compared."""
    if output["output_type"] == "stream":
        return "".join(output["text"])
    return "" if "image/png" in output["data"] else "".join(output["data"]["text/plain"])


def image_of(output: Output) -> Image.Image | None:
    encoded = output.get("data", {}).get("image/png")
    if encoded is None:
        return None
    return Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGB")


def distance(one: Image.Image, other: Image.Image) -> float:
    """Root mean square over pixels, of 255, of what is seen from afar: fonts differ a little."""
    other = other.resize(one.size)
    a, b = (np.asarray(image.reduce(COARSER), dtype=np.float64) for image in (one, other))
    return float(np.sqrt(((a - b) ** 2).mean()))


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def refresh(path: Path) -> None:
    """Run a notebook and write its output."""
    notebook = load(path)
    for number, (cell, shown) in enumerate(
        zip(code_cells(notebook), outputs(notebook), strict=True), 1
    ):
        cell["outputs"], cell["execution_count"] = shown, number
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    for one in [Path(name).resolve() for name in sys.argv[1:]] or notebooks():
        print(one.stem, file=sys.stderr)
        refresh(one)
