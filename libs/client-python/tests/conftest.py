"""The tests run against an engine: ADIT_URL, ADIT_API_KEY, and ADIT_TEST_MEDIA, a folder with what is mined."""

import os
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from adit_client import AditClient

REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-type: application/problem+json\r\n"
    b'content-length: 41\r\nconnection: close\r\n\r\n{"code":"UNAVAILABLE","detail":"Not now"}'
)


@pytest.fixture(scope="session")
def media() -> Path:
    return Path(os.environ["ADIT_TEST_MEDIA"])


@pytest.fixture(scope="session")
def adit():
    with AditClient() as client:
        yield client


class Troubled:
    """A way to the engine on which things happen to connections, one after another: then it is a good one."""

    def __init__(self) -> None:
        engine = urlsplit(os.environ["ADIT_URL"])
        self._to = (engine.hostname, engine.port)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        #: For each connection: ``refuse`` answers 503, a number cuts it once so many bytes of it went to the engine,
        #: ``deaf`` lets the request through and cuts before the answer, ``told`` cuts after an event of a stream.
        self.plan: list = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            what = self.plan.pop(0) if self.plan else None
            threading.Thread(target=self._pass, args=(connection, what), daemon=True).start()

    def _pass(self, here: socket.socket, what) -> None:
        if what == "refuse":
            here.recv(65536)
            here.sendall(REFUSAL)
            here.close()
            return
        there = socket.create_connection(self._to)

        def answers() -> None:
            while piece := _piece(there):
                if what == "deaf":
                    break
                here.sendall(piece)
                if what == "told" and b"\nevent: " in piece:
                    break
            _end(here, there)

        threading.Thread(target=answers, daemon=True).start()
        passed = 0
        while piece := _piece(here):
            if isinstance(what, int) and passed + len(piece) > what:
                there.sendall(piece[: what - passed])
                break
            passed += len(piece)
            there.sendall(piece)
        _end(here, there)


def _piece(of: socket.socket) -> bytes:
    try:
        return of.recv(65536)
    except OSError:
        return b""


def _end(*sockets: socket.socket) -> None:
    for each in sockets:
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        each.close()


@pytest.fixture
def troubled():
    way = Troubled()
    yield way
    way.close()
