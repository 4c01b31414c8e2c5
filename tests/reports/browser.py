"""A headless Chromium, driven through its debugging pipe: no port, no driver, no library."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)


def chromium() -> str | None:
    """The program, where there is one."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One page. What it asked for and complained of is kept in `requests` and `complaints`."""

    def __init__(self, send: int, receive: int, patience: float = 240.0) -> None:
        self._send, self._receive, self._patience = send, receive, patience
        self._numbers, self._buffer = itertools.count(1), b""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._session = ""
        self._seen: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser for something and wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        for found in self._messages():
            if found.get("id") == number:
                assert "error" not in found, f"{method}: {found['error']['message']}"
                answer: dict[str, Any] = found["result"]
                return answer
        raise TimeoutError(f"no answer to {method}")

    def close(self) -> None:
        """Ask the browser to end."""
        os.write(self._send, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, waiting for a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, address: str) -> None:
        """Load a page and wait until it is there."""
        self.requests.clear()
        self.complaints.clear()
        self._seen.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def wait_for(self, event: str) -> dict[str, Any]:
        """Wait until an event has happened."""
        for found in self._seen:
            if found["method"] == event:
                return found
        for found in self._messages():
            if found.get("method") == event:
                return found
        raise TimeoutError(f"no {event}")

    def until(self, expression: str) -> Any:
        """Wait until an expression in the page is true, and return its value."""
        end = time.monotonic() + self._patience
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError(f"never true: {expression}")

    def settle(self) -> None:
        """Wait for two frames: what a page does by itself is done, and complaints are here."""
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
            "() => setTimeout(done))))"
        )

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Make the window so wide and so high."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def media(self, scheme: str) -> None:
        """Prefer light or dark, and no motion."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.call("Emulation.setEmulatedMedia", features=features)

    def violations(self, axe: str, *, colours: bool = False) -> list[Any]:
        """What axe-core finds fault with, of everything or of colours alone."""
        self.evaluate(f"window.axe || (() => {{ {axe} }})();0")
        which = "{runOnly: ['color-contrast']}" if colours else "{}"
        found: list[Any] = self.evaluate(
            f"axe.run({{exclude: ['iframe']}}, {which})"
            ".then(r => r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html]))"
        )
        return found

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """A picture of the page, whole or what the window shows."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self) -> bytes:
        """The page as it would be printed, on the paper that it asks for."""
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(answer["data"])

    def key(self, name: str) -> None:
        """Press a key."""
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "Tab": 9, "Enter": 13, "End": 35, " ": 32}
        for kind in ("rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                code="Space" if name == " " else name,
                windowsVirtualKeyCode=codes[name],
                **({"text": "\r"} if name == "Enter" and kind == "rawKeyDown" else {}),
            )

    def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        place = self.evaluate(
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
            f" return [b.x + b.width / 2, b.y + b.height / 2]; }})"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def _messages(self) -> Iterator[dict[str, Any]]:
        end = time.monotonic() + self._patience
        while time.monotonic() < end:
            while b"\0" in self._buffer:
                line, _, self._buffer = self._buffer.partition(b"\0")
                message = json.loads(line)
                self._note(message)
                yield message
            ready, _, _ = select.select([self._receive], [], [], 0.5)
            if ready:
                more = os.read(self._receive, 1 << 20)
                assert more, "the browser is gone"
                self._buffer += more

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method:
            self._seen.append(message)
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(parameters["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {parameters['message']}")


@contextmanager
def browsing(program: str, folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it."""
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    process = subprocess.Popen(
        [program, *SWITCHES, f"--user-data-dir={folder}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_as_three_and_four(to_browser, from_browser),
        close_fds=False,
    )
    os.close(to_browser)
    os.close(from_browser)
    browser = None
    try:
        browser = Browser(from_us, to_us)
        yield browser
    finally:
        if browser is None:
            process.terminate()
        else:
            browser.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(from_us)
        os.close(to_us)


def _as_three_and_four(read: int, write: int) -> Callable[[], None]:
    """The pipe's ends where Chromium looks for them."""

    def arrange() -> None:
        low, high = os.dup(read), os.dup(write)
        os.dup2(low, 3)
        os.dup2(high, 4)
        os.set_inheritable(3, True)
        os.set_inheritable(4, True)

    return arrange
