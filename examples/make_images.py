"""Draw the pictures of docs/images again: the report, on screen and on a phone, and the page.

./run python examples/make_images.py, where Chromium and the extra `app` are installed.
"""

import importlib.util
import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

import abovechance as ac
from abovechance.app.web import served

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"


def browser_module() -> Any:
    """The browser that the tests drive."""
    path = ROOT / "tests" / "reports" / "browser.py"
    specification = importlib.util.spec_from_file_location("browser", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def keep(browser: Any, name: str) -> None:
    """The window as a small PNG."""
    path = IMAGES / f"{name}.png"
    browser.settle()
    browser.screenshot(path, whole=False)
    image = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
    image.quantize(64).save(path, optimize=True)


def main() -> None:
    """Make the result, then look at it in every way."""
    models = {
        "forest": ac.examples.breast_cancer(),
        "texture": ac.examples.breast_cancer("p_texture"),
    }
    module = browser_module()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        ac.report(ac.compare(models, rng=1), report, predictions=models)
        with module.browsing(module.chromium(), Path(folder) / "profile") as browser:
            for name, scheme, width, height in (
                ("report-light", "light", 1180, 1300),
                ("report-dark", "dark", 1180, 1300),
                ("report-phone", "light", 390, 1000),
            ):
                browser.media(scheme)
                browser.size(width, height, phone=width < 500)
                browser.open(report.as_uri())
                keep(browser, name)
            browser.size(1180, 1300)
            with served() as address:
                browser.open(address)
                browser.click("#example")
                browser.until("!document.getElementById('form').hidden")
                browser.evaluate(
                    "document.getElementById('report')"
                    ".addEventListener('load', () => (window.framed = true));0"
                )
                browser.click("#go")
                browser.until("window.framed")
                browser.evaluate("scrollTo(0, 0);0")
                keep(browser, "app")
    ax = ac.plot(models["forest"])
    ax.figure.savefig(IMAGES / "probabilities.png", dpi=160)
    image = Image.open(IMAGES / "probabilities.png").convert("RGB")
    image.quantize(64).save(IMAGES / "probabilities.png", optimize=True)


if __name__ == "__main__":
    main()
