"""The server answers only this machine's page, only so much, and keeps nothing."""

import gzip
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from abovechance import examples
from abovechance.app import requests
from abovechance.app.requests import Choices, answer, described, on_the_page, opened
from abovechance.errors import AboveChanceError, DataError
from abovechance.io import read_table


def asked(
    url: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes, Any]:
    request = urllib.request.Request(url, data=body, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=240) as found:
            return found.status, found.read(), found.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def parcel(*files: tuple[str, bytes], **choices: Any) -> bytes:
    told = {"files": [{"name": n, "size": len(b)} for n, b in files], "choices": choices}
    return json.dumps(told).encode() + b"\n" + b"".join(body for _, body in files)


CSV = examples.path("breast_cancer").read_bytes()


def test_the_page_is_served_with_a_policy(address: str) -> None:
    status, body, headers = asked(address)
    assert status == 200
    assert b"Drop a file here" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", ["", "x/", "x/columns", "../", "x/example.csv"])
def test_without_the_secret_nothing_is_found(address: str, path: str) -> None:
    parts = urlsplit(address)
    status, body, _ = asked(f"{parts.scheme}://{parts.netloc}/{path}")
    assert status == 404
    assert body == b"not found"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"])
def test_another_host_name_is_refused(address: str, host: str) -> None:
    assert asked(address, headers={"Host": host})[0] == 421


def test_the_name_localhost_is_answered(address: str) -> None:
    port = urlsplit(address).port
    assert asked(address, headers={"Host": f"localhost:{port}"})[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_cannot_ask(address: str, headers: dict[str, str]) -> None:
    body = parcel(("a.csv", CSV))
    assert asked(f"{address}columns", body, headers)[0] == 403


def test_only_loopback_is_listened_on(address: str) -> None:
    assert urlsplit(address).hostname == "127.0.0.1"
    port = urlsplit(address).port
    rows = Path("/proc/net/tcp")
    if not rows.exists():
        pytest.skip("this system does not list its sockets in /proc.")
    listening = [
        line.split()[1] for line in rows.read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]
    assert [place for place in listening if place.endswith(f":{port:04X}")] == [
        f"0100007F:{port:04X}"
    ]


def test_columns_are_described(address: str) -> None:
    status, body, _ = asked(f"{address}columns", parcel(("a.csv", CSV)))
    assert status == 200
    (file,) = json.loads(body)["files"]
    assert file["rows"] == 285
    assert file["guess"]["outcome"] == "outcome"
    assert file["guess"]["predicted"] == ["p_texture", "p_forest"]
    assert file["guess"]["positive"] == "malignant"


def test_a_problem_is_told_in_one_line(address: str) -> None:
    status, body, _ = asked(f"{address}columns", parcel(("empty.csv", b"")))
    assert status == 422
    assert json.loads(body) == {"problem": "empty.csv must hold a table; it is empty."}


def test_too_much_is_refused_before_it_is_read(address: str) -> None:
    headers = {"Content-Length": str(requests.LARGEST + 1)}
    status, body, _ = asked(f"{address}columns", b"x", headers)
    assert status == 413
    assert "at most 200 MB" in json.loads(body)["problem"]


def test_a_small_file_that_unpacks_to_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "LARGEST", 1000)
    with pytest.raises(AboveChanceError, match="must unpack to at most"):
        opened(parcel(("bomb.csv.gz", gzip.compress(b"y,p\n" + b"1,.5\n" * 10_000))))


def test_a_workbook_that_unpacks_to_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "LARGEST", 1000)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", " " * 10_000)
    with pytest.raises(AboveChanceError, match="must unpack to at most"):
        opened(parcel(("bomb.xlsx", held.getvalue())))


def test_a_page_of_notes_before_the_table_is_passed_over() -> None:
    import openpyxl

    made, held = openpyxl.Workbook(), io.BytesIO()
    made.active.append(["Made by", None, "Ada"])
    made.active.append([None, "in", "May"])
    sheet = made.create_sheet("Data")
    for row in (["y", "p"], [1, 0.5], [0, 0.25]):
        sheet.append(row)
    made.save(held)
    (table,) = opened(parcel(("a.xlsx", held.getvalue()))).tables
    assert (table.sheet, table.sheets) == ("Data", ("Sheet", "Data"))


def test_a_compressed_file_is_read() -> None:
    assert opened(parcel(("a.csv.gz", gzip.compress(CSV)))).tables[0].rows == 285


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"{\n",
        b'{"files":[]}\n',
        b'{"files":[{"name":"a","size":99}]}\nxx',
        b'{"files":[{"name":"a","size":-2}]}\n',
        b'{"files":"a"}\n',
        json.dumps({"files": [{"name": "a", "size": 7}], "choices": {"kind": "x"}}).encode()
        + b"\ny,p\n1,2",
        json.dumps({"files": [{"name": "a", "size": 7}], "choices": {"predicted": "p"}}).encode()
        + b"\ny,p\n1,2",
    ],
)
def test_a_garbled_request_is_refused(body: bytes) -> None:
    with pytest.raises(AboveChanceError):
        opened(body)


def test_nothing_is_kept_on_disk(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    choices = {"outcome": "outcome", "predicted": ["p_forest"], "positive": "malignant"}
    status, body, headers = asked(f"{address}report", parcel(("a.csv", CSV), **choices))
    assert status == 200
    assert body.startswith(b"<!doctype html>")
    assert headers["Content-Type"].startswith("text/plain")  # never shown outside its frame
    assert os.listdir(tmp_path) == []


TIMED = Choices(kind="risk", predicted=("risk",), time="time", event="event")
THREE = Choices(kind="probabilities", outcome="truth", predicted=("p_a", "p_b", "p_c"))
MANY = Choices(outcome="outcome", predicted=("m1", "m2"), positive="z")


@pytest.mark.parametrize(
    ("table", "guess"),
    [
        (
            b"id,y,p\n1,0,.3\n2,1,.6\n",
            Choices(outcome="y", predicted=("p",), positive="1", id="id"),
        ),
        (b"time,event,risk\n3,1,.3\n4,0,.6\n", TIMED),
        (b"y,value\n3.5,3.1\n4.25,4\n", Choices(kind="value", outcome="y", predicted=("value",))),
        (b"truth,p_a,p_b,p_c\na,.5,.3,.2\nb,.1,.8,.1\nc,.2,.2,.6\n", THREE),
        (b"outcome,m1,m2\nx,.2,.3\nz,.9,.8\n", MANY),
    ],
)
def test_roles_are_guessed(table: bytes, guess: Choices) -> None:
    from dataclasses import asdict

    assert described(read_table(table))["guess"] == asdict(guess)


def test_a_survival_file_is_answered() -> None:
    rows = [f"{1 + i % 9},{int(i % 3 > 0)},{(i * 7) % 10}" for i in range(60)]
    table = read_table("\n".join(["time,event,risk", *rows]).encode(), name="s.csv")
    choices = Choices(kind="risk", predicted=("risk",), time="time", event="event")
    made = answer([table], choices)
    assert made.document.title == "s.csv"
    assert made.document.command == (
        "abovechance assess s.csv --time time --event event --risk risk --seed 1"
    )


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.csv", "a.xlsx", "a.dta"])
def test_every_kind_of_file_is_answered_alike(name: str) -> None:
    import pandas as pd

    frame, held = pd.read_csv(io.BytesIO(CSV)), io.BytesIO()
    if name.endswith("parquet"):
        frame.to_parquet(held)
    elif name.endswith("jsonl"):
        frame.to_json(held, orient="records", lines=True)
    elif name.endswith("xlsx"):
        frame.to_excel(held, index=False)
    elif name.endswith("dta"):
        frame.to_stata(held, write_index=False)
    else:
        held.write(CSV)
    asked_for = opened(parcel((name, held.getvalue())))
    guess = Choices(**described(asked_for.tables[0])["guess"])
    assert guess.predicted == ("p_texture", "p_forest")
    assert answer(asked_for.tables, guess).document.verdict == "p_forest is better"


def test_too_many_models_are_refused() -> None:
    names = [f"p{i}" for i in range(9)]
    rows = [",".join([str(i % 2), *(".5" for _ in names)]) for i in range(6)]
    table = read_table("\n".join([",".join(["y", *names]), *rows]).encode())
    with pytest.raises(AboveChanceError, match="at most 6 models"):
        answer([table], Choices(outcome="y", predicted=tuple(names)))


def test_the_command_serves_until_it_is_interrupted() -> None:
    command = [sys.executable, "-u", "-m", "abovechance", "app", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None
        address, _, about = one.stdout.readline().partition("  ")
        status, body, _ = asked(address)
        one.send_signal(signal.SIGINT)
        _, err = one.communicate(timeout=240)
    assert about == "(this machine only; Ctrl-C ends it)\n"
    assert (status, one.returncode, err) == (200, 0, "")
    assert b"Drop a file here" in body


ROWS = [(k % 2, f"0.{2 + k * 7 % 5 + 2 * (k % 2)}", "ab"[k % 4 // 2]) for k in range(80)]
ROWS[5] = (1, "", "a")
GROUPED = "\n".join(["y,p,site", *(f"{y},{p},{site}" for y, p, site in ROWS)]).encode()


def test_what_the_page_tells_people_to_do_it_can_do() -> None:
    table = read_table(GROUPED, name="cases.csv")
    asked = Choices(outcome="y", predicted=("p",), positive="1")
    with pytest.raises(DataError) as refused:
        answer([table], asked)
    said = on_the_page(str(refused.value))
    assert "“Cases that miss a value: leave out”" in said
    assert "--missing" not in said
    more = replace(asked, missing="drop", by="site", threshold="0,4", primary="auc", hidden=True)
    made = answer([table], more)
    assert "79 cases" in made.document.subtitle
    assert "threshold 0.4" in made.document.subtitle
    assert "By subgroup" in [table.title for table in made.document.tables]
    assert "Area under the ROC curve by subgroup" in [chart.title for chart in made.document.charts]
    words = made.document.command
    for part in ("--missing drop", "--by site", "--threshold 0.4", "--primary auc", "--no-cases"):
        assert part in words
    titles = [chart.title for chart in made.document.charts]
    assert "Predicted probabilities by class" not in titles
    assert "ROC curve" in titles


def test_survival_is_judged_at_the_times_that_were_asked_for() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    time = rng.exponential(np.exp(-x))
    rows = [
        f"{t:.4f},{int(k % 3 > 0)},{np.exp(-0.3 * np.exp(v)):.4f},{np.exp(-0.6 * np.exp(v)):.4f}"
        for k, (t, v) in enumerate(zip(time, x, strict=True))
    ]
    table = read_table("\n".join(["time,event,S_0.3,S_0.6", *rows]).encode())
    asked = Choices(kind="survival", predicted=("S_0.3", "S_0.6"), time="time", event="event")
    made = answer([table], replace(asked, times="0.3"))
    names = [row[0].text for table in made.document.tables for row in table.rows]
    assert "Brier score at time 0.3" in names
    assert "Brier score at time 0.6" not in names
    with pytest.raises(DataError, match="a time must be a number; got 'soon'"):
        answer([table], replace(asked, times="soon"))


def test_several_files_with_subgroups_are_refused_in_one_line() -> None:
    table = read_table(GROUPED)
    with pytest.raises(DataError, match="subgroups need all models in one file"):
        answer([table, table], Choices(outcome="y", predicted=("p",), by="site", missing="drop"))


def test_clients_that_dawdle_or_leave_hold_nobody_up(
    address: str, capfd: pytest.CaptureFixture[str]
) -> None:
    parts = urlsplit(address)
    assert parts.port is not None
    begun = (
        f"POST {parts.path}columns HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 99\r\n\r\n{{"
    )
    slow = [socket.create_connection(("127.0.0.1", parts.port)) for _ in range(20)]
    for at, one in enumerate(slow):
        one.sendall(begun.encode() if at % 2 else b"GET / HT")
    status, _, _ = asked(f"{address}columns", parcel(("a.csv", CSV)))
    assert status == 200
    for one in slow:
        one.close()
    assert asked(address)[0] == 200
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"files": [{"name": "a.csv", "size": Infinity}]}',
        b'{"files": [{"name": "\\ud800", "size": 12}]}',
    ],
)
def test_a_line_of_any_depth_number_or_letter_is_answered(address: str, line: bytes) -> None:
    status, body, _ = asked(f"{address}columns", line + b"\ny,p\n1,.5\n0,1")
    assert status in (200, 422)
    assert json.loads(body)


def test_the_work_for_a_browser_that_left_is_given_up(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from abovechance.app import web

    begun, given_up = threading.Event(), threading.Event()

    def answer(tables: object, choices: object, progress: Callable[[int, int], None]) -> object:
        begun.set()
        try:
            for done in range(6000):
                time.sleep(0.05)
                progress(done, 6000)
        except BaseException:
            given_up.set()
            raise
        return None

    monkeypatch.setattr(web, "answer", answer)
    body, parts = parcel(("a.csv", CSV)), urlsplit(address)
    assert parts.port is not None
    head = f"POST {parts.path}report HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    with socket.create_connection(("127.0.0.1", parts.port)) as browser:
        browser.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert begun.wait(60)
        assert not given_up.is_set()
    assert given_up.wait(60)


def test_the_draws_of_a_report_can_be_stopped() -> None:
    def left(done: int, total: int) -> None:
        raise LookupError("whoever asked has left")

    table = read_table(CSV)
    choices = Choices(outcome="outcome", predicted=("p_texture",), positive="malignant")
    with pytest.raises(LookupError, match="has left"):
        answer([table], choices, progress=left)
