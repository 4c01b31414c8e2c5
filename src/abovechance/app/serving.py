"""Start the local server and show its page."""

import contextlib
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator

import uvicorn

from abovechance.app.web import make_app
from abovechance.errors import Unfinished


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
