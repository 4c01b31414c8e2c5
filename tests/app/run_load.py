"""The page under load, by a real server on loopback.

    ./run python tests/app/run_load.py --minutes 15

Many requests at once, slow and leaving clients, forged and malformed requests, bombs, two large
uploads side by side; then use of the page for some minutes, with the server's memory looked at.
Prints what was seen as JSON; exit code 1 where anything was not as it must be.
"""

import argparse
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from abovechance import examples

CSV = examples.path("breast_cancer").read_bytes()
CHOICES = {"outcome": "outcome", "predicted": ["p_texture"], "kind": "probability",
           "positive": "malignant"}  # fmt: skip
LONG = 600.0


def parcel(*files: bytes, **choices: Any) -> bytes:
    told = {"files": [{"name": f"{i}.csv", "size": len(f)} for i, f in enumerate(files)]}
    return json.dumps({**told, "choices": choices}).encode() + b"\n" + b"".join(files)


def asked(url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
    request = urllib.request.Request(url, data=body, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=LONG) as found:
            found.read()
            return int(found.status)
    except urllib.error.HTTPError as error:
        error.read()
        return error.code


class Page:
    """The command that serves the page, as a user starts it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "abovechance", "app", "--no-browser"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self.address = re.findall(r"http://\S+/", self.process.stdout.readline())[0]
        self.said: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(self.process.stdout)

    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connected(self) -> socket.socket:
        port = urlsplit(self.address).port
        assert port is not None
        return socket.create_connection(("127.0.0.1", port), timeout=LONG)

    def head(self, what: str, size: int) -> bytes:
        parts = urlsplit(self.address)
        return (
            f"POST {parts.path}{what} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Content-Length: {size}\r\n\r\n"
        ).encode()


def at_once(page: Page) -> dict[str, Any]:
    """200 requests at the same time."""
    jobs = [(page.address, None), (page.address + "columns", parcel(CSV))]
    begun = time.monotonic()
    with ThreadPoolExecutor(200) as pool:
        found = Counter(pool.map(lambda k: asked(*jobs[k % 2]), range(200)))
    return {"200 at once": dict(found), "seconds": round(time.monotonic() - begun, 1)}


def slow(page: Page) -> dict[str, Any]:
    """200 clients that send half a request and wait; the next is answered all the same."""
    held = [page.connected() for _ in range(200)]
    for one in held:
        one.sendall(page.head("columns", 99) + b"{")
    begun = time.monotonic()
    status = asked(page.address)
    took = time.monotonic() - begun
    for one in held:
        one.close()
    return {"behind 200 slow clients": status, "seconds": round(took, 2)}


def forged(page: Page) -> dict[str, Any]:
    """Requests that no page of this server sends."""
    own = urlsplit(page.address).netloc
    hosts = ("evil.example", "127.0.0.1", own + ".evil.example", "localhost:1", "", "[::1]:80")
    origins = ("http://evil.example", "null", "https://" + own, "file://", "http://localhost:1")
    multipart = b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n' + CSV + b"\r\n--x--"
    bodies = (
        multipart, multipart[:-9], b"--x\r\n" * 5000, b"", b"\n", b"[" * 10**5,
        parcel(gzip.compress(bytes(4 * 10**8), 1), **CHOICES),
    )  # fmt: skip
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return {
        "hosts": dict(Counter(asked(page.address, headers={"Host": h}) for h in hosts)),
        "origins": dict(Counter(asked(page.address, headers={"Origin": o}) for o in origins)),
        "bodies": dict(Counter(asked(page.address + "columns", b, kind) for b in bodies)),
    }


def uploads(page: Page) -> dict[str, Any]:
    """Two files of 60 MB at once."""
    rows = b"".join(b"%d,0.%03d\n" % (k % 2, k % 997) for k in range(7_000_000))
    body = parcel(b"y,p\n" + rows)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: asked(page.address + "columns", body), range(2)))
    return {"two uploads": found, "MB each": round(len(body) / 2**20)}


def leaves(page: Page) -> dict[str, Any]:
    """A browser that asks for a report of 300,000 cases and leaves: what it costs from then on."""
    rows = b"".join(b"%d,0.%03d\n" % (k * 7 % 3 > 1, k * 31 % 997) for k in range(300_000))
    body = parcel(b"y,p\n" + rows, outcome="y", predicted=["p"], kind="probability")
    with page.connected() as browser:
        browser.sendall(page.head("report", len(body)) + body)
        before = page.seconds()
        while page.seconds() - before < 6:
            time.sleep(0.2)
    left = page.seconds()
    last, quiet = left, 0
    while quiet < 5:
        time.sleep(1)
        now = page.seconds()
        last, quiet = now, quiet + 1 if now - last < 0.02 else 0
    return {"CPU seconds after it left": round(last - left, 1)}


def used(page: Page, minutes: float) -> dict[str, Any]:
    """Columns and reports, one after the other, and the memory they leave."""
    end, count, seen = time.monotonic() + 60 * minutes, 0, []
    few = b"\n".join(CSV.splitlines()[:120]) + b"\n"
    while time.monotonic() < end:
        for what in ("columns", "columns", "report"):
            status = asked(page.address + what, parcel(few, **CHOICES))
            if status != 200:
                return {"report": status}
        asked(page.address)
        count += 4
        seen.append(round(page.megabytes(), 1))
    tenth = max(1, len(seen) // 10)
    return {
        "minutes": minutes,
        "requests": count,
        "MB after the first tenth": seen[tenth - 1],
        "MB at the half": seen[len(seen) // 2],
        "MB at the end": seen[-1],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0)
    options = parser.parse_args()
    page = Page()
    faults = []
    try:
        for part in (at_once, slow, forged, leaves, uploads):
            seen = {**part(page), "MB": round(page.megabytes())}
            print(json.dumps(seen), flush=True)
            statuses = [s for v in seen.values() if isinstance(v, dict) for s in v]
            faults += [s for s in statuses if s >= 500]
        print(json.dumps(used(page, options.minutes)), flush=True)
    finally:
        page.process.terminate()
        page.process.wait()
    token = urlsplit(page.address).path.strip("/")
    told = sum(token in line for line in page.said)
    print(json.dumps({"lines it printed": len(page.said), "with the token": told}))
    print("".join(page.said)[:2000], file=sys.stderr)
    return int(bool(faults or told or any("Traceback" in line for line in page.said)))


if __name__ == "__main__":
    raise SystemExit(main())
