"""The page under load, by a real server on loopback.

    ./run python tests/app/run_load.py --minutes 60 --record

Many requests at once, slow and leaving clients, forged and malformed requests, bombs, two large
uploads side by side; then use of the page for some minutes, with what the server holds looked at
(memory, threads, open files), which must not grow. Prints what was seen as JSON; exit code 1 where
anything was not as it must be.
"""

import argparse
import gzip
import json
import os
import re
import socket
import statistics
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
PAUSE = 1.5  # seconds between rounds of use
TABLE = Path(__file__).with_name("hour.md")


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

    def held(self) -> tuple[int, int]:
        """Threads, and files and sockets that are open."""
        place = Path(f"/proc/{self.process.pid}")
        return len(list((place / "task").iterdir())), len(list((place / "fd").iterdir()))

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


def left_behind(page: Page, body: bytes, seconds: float) -> None:
    """A browser that asks for a report and leaves before it has all of it."""
    with page.connected() as browser:
        browser.sendall(page.head("report", len(body)) + body)
        time.sleep(seconds)


def used(page: Page, minutes: float) -> dict[str, Any]:
    """Use as in an office, round after round; what the server holds is looked at after each.

    A round opens the page, drops a table twice and asks for its report. Every third, a browser
    leaves while its report is made, or in the midst of sending; every tenth drops 5 MB; every
    seventh sends what is refused.
    """
    few = b"\n".join(CSV.splitlines()[:120]) + b"\n"
    wanted, large = parcel(few, **CHOICES), parcel(b"y,p\n" + b"1,0.25\n0,0.75\n" * 350_000)
    begun, seen, counts = time.monotonic(), list[tuple[float, ...]](), Counter[str]()
    while (number := len(seen)) < 20 or time.monotonic() < begun + 60 * minutes:
        steps = [("page", "", None), ("columns", "columns", wanted)]
        steps += [("columns", "columns", wanted), ("report", "report", wanted)]
        if number % 10 == 9:
            steps.append(("upload of 5 MB", "columns", large))
        if number % 7 == 6:
            steps.append(("refused", "report", wanted[:-40]))
        for what, where, body in steps:
            status = asked(page.address + where, body)
            counts[what if (status == 200) != (what == "refused") else f"{what}: {status}"] += 1
        if number % 3 == 2:
            left_behind(page, wanted if number % 2 else wanted[: len(wanted) // 2], 0.1)
            counts["browser that left"] += 1
        seen.append((time.monotonic() - begun, page.megabytes(), *page.held()))
        if number % 25 == 0:
            print(number, *(round(one, 1) for one in seen[-1]), file=sys.stderr, flush=True)
        time.sleep(PAUSE)
    return {"minutes": minutes, **counts, "held": held_over(seen)}


def held_over(seen: list[tuple[float, ...]]) -> dict[str, list[float]]:
    """Medians over each tenth of the time: MB, threads, files and sockets that are open."""
    parts = [seen[len(seen) * k // 10 : len(seen) * (k + 1) // 10] for k in range(10)]
    names = ("MB", "threads", "open files")
    return {
        name: [round(statistics.median(one[place + 1] for one in part), 1) for part in parts]
        for place, name in enumerate(names)
    }


def grew(held: dict[str, list[float]]) -> bool:
    """Whether the last tenth holds more than the middle of the time did: by 3 % of memory, or by
    two threads or files."""
    mb, threads, files = (of[-1] - max(of[4:6]) for of in held.values())
    return mb > 0.03 * max(held["MB"][4:6]) or threads > 2 or files > 2


def page_of(found: dict[str, Any]) -> str:
    """The table that the documentation shows."""
    kinds = {k: v for k, v in found.items() if k not in ("minutes", "held")}
    lines = [f"| in {found['minutes']:.0f} minutes of use | times |", "|---|---:|"]
    lines += [f"| {name} | {count:,} |" for name, count in kinds.items()]
    numbers = " | ".join(f"{k}." for k in range(1, 11))
    lines += ["", f"| held by the server, medians of tenths of the time | {numbers} |"]
    lines += ["|---|" + "---:|" * 10]
    lines += [
        f"| {n} | " + " | ".join(f"{v:g}" for v in of) + " |" for n, of in found["held"].items()
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0, help="of use, after the rest")
    parser.add_argument("--use", action="store_true", help="the use alone")
    parser.add_argument("--record", action="store_true", help="write the table of the use")
    options = parser.parse_args()
    page = Page()
    faults = []
    try:
        for part in () if options.use else (at_once, slow, forged, leaves, uploads):
            seen = {**part(page), "MB": round(page.megabytes())}
            print(json.dumps(seen), flush=True)
            statuses = [s for v in seen.values() if isinstance(v, dict) for s in v]
            faults += [s for s in statuses if s >= 500]
        use = used(page, options.minutes)
        print(json.dumps(use), flush=True)
        if options.record:
            TABLE.write_text(page_of(use), "utf-8")
    finally:
        page.process.terminate()
        page.process.wait()
    token = urlsplit(page.address).path.strip("/")
    told = sum(token in line for line in page.said)
    print(json.dumps({"lines it printed": len(page.said), "with the token": told}))
    print("".join(page.said)[:2000], file=sys.stderr)
    fell = any("Traceback" in line for line in page.said) or any(":" in name for name in use)
    return int(bool(faults or told or fell or grew(use["held"])))


if __name__ == "__main__":
    raise SystemExit(main())
