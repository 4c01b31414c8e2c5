"""The local server: loopback only, a secret address, its own host name, files in memory only."""

import asyncio
import contextlib
import json
import secrets
import socket
import threading
import traceback
import webbrowser
from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import Any

import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from abovechance.app.requests import LARGEST, Sent, answer, described, on_the_page, opened
from abovechance.errors import AboveChanceError, Unfinished
from abovechance.examples import path as example_path
from abovechance.measures import every
from abovechance.reports.html import digest, report_script, style_sheet

# ----------------------------------------------------------------------------------------------
# The local server: loopback only, a secret address, its own host name, files in memory only.
# ----------------------------------------------------------------------------------------------


Handler = Callable[[Request], Awaitable[Response]]
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


LOOKED_AFTER = 0.5  # seconds between two looks whether whoever asked is still there


class TooLarge(AboveChanceError):
    """More bytes than the page takes."""


def make_app(token: str, port: int, *, largest: int = LARGEST) -> Starlette:
    """The application behind `abovechance app`.

    Parameters
    ----------
    token
        The secret first part of every address.
    port
        The port it is served on: only requests addressed to it by a loopback name are answered.
    largest
        Bytes that a request may hold.
    """
    own = {f"127.0.0.1:{port}", f"localhost:{port}"}

    def guarded(handler: Handler) -> Handler:
        async def answered(request: Request) -> Response:
            refused = _refused(request, token, own)
            response = refused or await _explained(handler, request)
            response.headers.update(HEADERS)
            return response

        return answered

    async def columns(request: Request) -> Response:
        sent = await run_in_threadpool(opened, await _body(request, largest))
        found = await run_in_threadpool(lambda: [described(table) for table in sent.tables])
        return _json({"files": found})

    async def report(request: Request) -> Response:
        sent = await run_in_threadpool(opened, await _body(request, largest))
        return PlainTextResponse(await _while_awaited(request, sent))

    return Starlette(
        routes=[
            Route("/{token}/", guarded(_index), methods=["GET"]),
            Route("/{token}/example.csv", guarded(_example), methods=["GET"]),
            Route("/{token}/columns", guarded(columns), methods=["POST"]),
            Route("/{token}/report", guarded(report), methods=["POST"]),
        ],
        exception_handlers={404: _not_found, 405: _not_found},
    )


def _refused(request: Request, token: str, own: set[str]) -> Response | None:
    """Why a request is not answered: another host name, another page, or without the secret."""
    if request.headers.get("host", "") not in own:
        return PlainTextResponse("wrong host", 421)
    origin = request.headers.get("origin")
    if origin is not None and origin.removeprefix("http://") not in own:
        return PlainTextResponse("wrong origin", 403)
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return PlainTextResponse("wrong origin", 403)
    if not secrets.compare_digest(request.path_params["token"].encode(), token.encode()):
        return PlainTextResponse("not found", 404)
    return None


async def _explained(handler: Handler, request: Request) -> Response:
    try:
        return await handler(request)
    except ClientDisconnect:  # whoever asked has left; nobody reads this
        return PlainTextResponse("gone", 400)
    except TooLarge as error:
        return _json({"problem": on_the_page(str(error))}, 413)
    except AboveChanceError as error:
        return _json({"problem": on_the_page(str(error))}, 422)
    except Exception as error:
        traceback.print_exc()
        said = f"this could not be computed ({type(error).__name__}: {error}); see the terminal."
        return _json({"problem": said}, 500)


async def _body(request: Request, largest: int) -> bytes:
    """The body, no further than is allowed."""
    said = request.headers.get("content-length", "0")
    too_large = TooLarge(
        f"files must be at most {largest >> 20} MB together; use the command line."
    )
    if said.isdigit() and int(said) > largest:
        raise too_large
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > largest:
            raise too_large
        parts.append(part)
    return b"".join(parts)


async def _while_awaited(request: Request, sent: Sent) -> str:
    """The report on what was sent; given up between two blocks of draws if whoever asked leaves."""
    left = threading.Event()

    def go_on(done: int, total: int) -> None:
        if left.is_set():
            raise ClientDisconnect

    work = asyncio.ensure_future(
        run_in_threadpool(lambda: answer(sent.tables, sent.choices, progress=go_on).html)
    )
    while not work.done():
        await asyncio.wait({work}, timeout=LOOKED_AFTER)
        if not work.done() and await request.is_disconnected():
            left.set()
    return work.result()


async def _index(request: Request) -> Response:
    html, policy = page()
    return HTMLResponse(html, headers={"Content-Security-Policy": policy})


async def _example(request: Request) -> Response:
    return Response(example_path("breast_cancer").read_bytes(), media_type="text/csv")


async def _not_found(request: Request, error: Exception) -> Response:
    return PlainTextResponse("not found", 404)


def _json(value: Any, status: int = 200) -> Response:
    # JSONResponse refuses NaN, which no value here can be
    return JSONResponse(json.loads(json.dumps(value, default=list)), status)


@cache
def page() -> tuple[str, str]:
    """The HTML of the page, and the policy that lets only its own script run."""
    from importlib.resources import files

    from jinja2 import Environment, PackageLoader

    folder = files("abovechance.app") / "templates"
    script = (folder / "app.js").read_text("utf-8")
    style = style_sheet() + (folder / "app.css").read_text("utf-8")
    # a report shown within the page is held to the page's policy as well as to its own
    own, framed = digest(script), digest(report_script())
    policy = (
        f"default-src 'none'; script-src 'sha256-{own}' 'sha256-{framed}'; "
        "style-src 'unsafe-inline'; "
        "connect-src 'self'; frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    template = Environment(loader=PackageLoader("abovechance.app"), autoescape=True).get_template(
        "app.html"
    )
    offered = [(measure.name, measure.title) for measure in every().values()]
    made = template.render(style=Markup(style), script=Markup(script), measures=offered)
    return made, policy


# ----------------------------------------------------------------------------------------------
# Start the local server and show its page.
# ----------------------------------------------------------------------------------------------


def serve(port: int = 0, *, browse: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the page on this machine until interrupted; `port` 0 takes any that is free."""
    with served(port) as address:
        say(f"{address}  (this machine only; Ctrl-C ends it)")
        if browse:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


@contextlib.contextmanager
def served(port: int = 0) -> Iterator[str]:
    """A running server; its address holds the secret."""
    token = secrets.token_urlsafe(24)
    listener = _listener(port)
    number = listener.getsockname()[1]
    settings = uvicorn.Config(
        make_app(token, number), log_level="warning", access_log=False, server_header=False
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{number}/{token}/"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise Unfinished(
            f"port {port} is taken ({error.strerror}); leave --port out for a free one."
        ) from None
    listener.listen(64)
    return listener
