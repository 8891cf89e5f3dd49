"""Uploads by tus 1.0.0 that outlive broken connections."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Optional

from .errors import AditApiError, AditConnectionError, AditError
from .transport import MAX_PAUSE, Transport

TUS = {"tus-resumable": "1.0.0"}
#: Large enough to keep a connection busy, small enough for a bar that moves.
PIECE = 256 * 1024
FIRST_PAUSE = 0.25
MAX_PAUSE = 5.0
#: What another try may mend: away, overloaded, or another request of ours is still taken for the one that writes.
PASSING = frozenset({409, 423, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Upload:
    path: str
    folder: str
    name: str
    if_exists: Optional[str]
    resume: Optional[int]
    on_progress: Optional[Callable[[int, int], None]]
    on_begun: Optional[Callable[[int], None]]
    patience_seconds: float


def upload_resumably(transport: Transport, upload: Upload) -> int:
    """The id of the entry.

    When the connection breaks, asks how far the service has come and goes on from there, until nothing has moved for
    ``patience_seconds``. Throws what broke it then, AditApiError for a refusal, ValueError when ``resume`` names the upload of
    another file, OSError for a file that cannot be read.
    """
    size = os.stat(upload.path).st_size
    entry_id = _begin(transport, upload, size) if upload.resume is None else upload.resume
    if upload.on_begun is not None:
        upload.on_begun(entry_id)
    patience = _Patience(upload.patience_seconds)
    offset = 0 if upload.resume is None else None
    while offset is None or offset < size:
        try:
            stands = _offset_of(transport, entry_id, size) if offset is None else offset
            patience.progressed(stands)
            # Nobody knows after a failure.
            offset = None
            if stands == size:
                break
            reached = _append(transport, upload, entry_id, stands, size)
            if reached < size:
                raise AditConnectionError(f"The service has {reached} of {size} bytes.")
            offset = reached
        except AditError as error:
            if not _is_passing(error):
                raise
            patience.pause(error)
    return entry_id


def abandon(transport: Transport, entry_id: int) -> None:
    """Gives an upload up: its bytes are removed."""
    transport.send("DELETE", _path(entry_id), headers=TUS, repeatable=True)


def _begin(transport: Transport, upload: Upload, size: int) -> int:
    """The id of the new entry; the same one however often the request had to be sent."""
    query = {"folder": upload.folder, "name": upload.name, "if_exists": upload.if_exists}
    headers = {**TUS, "upload-length": str(size), "idempotency-key": str(uuid.uuid4())}
    patience = _Patience(upload.patience_seconds)
    while True:
        try:
            reply = transport.send("POST", "/v1/storage/uploads/", params=query, headers=headers, repeatable=True)
            return int(reply.json()["id"])
        except AditError as error:
            # A name that is taken does not become free by waiting.
            if not _is_passing(error) or (isinstance(error, AditApiError) and error.status == 409):
                raise
            patience.pause(error)


def _offset_of(transport: Transport, entry_id: int, size: int) -> int:
    headers = transport.send("HEAD", _path(entry_id), headers=TUS, repeatable=True).headers
    length = int(headers["upload-length"])
    if length != size:
        raise ValueError(f"Upload {entry_id} is of a file of {length} bytes; this one has {size}.")
    return int(headers["upload-offset"])


def _append(transport: Transport, upload: Upload, entry_id: int, offset: int, size: int) -> int:
    """Answers how far the service is then."""
    headers = {
        **TUS,
        "content-type": "application/offset+octet-stream",
        "content-length": str(size - offset),
        "upload-offset": str(offset),
    }
    # A connection that breaks leaves the pieces half read.
    with open(upload.path, "rb") as file:
        reply = transport.send(
            "PATCH",
            _path(entry_id),
            headers=headers,
            body=lambda: {"content": _pieces(file, upload, offset, size)},
            repeatable=False,
            # The current offset is read first.
            once=True,
        )
    return int(reply.headers["upload-offset"])


def _pieces(file: BinaryIO, upload: Upload, offset: int, size: int) -> Iterator[bytes]:
    at = offset
    file.seek(at)
    while at < size:
        piece = file.read(min(PIECE, size - at))
        if not piece:
            raise OSError(f"{upload.path} has become shorter while it was uploaded.")
        at += len(piece)
        yield piece
        if upload.on_progress is not None:
            upload.on_progress(at, size)


def _path(entry_id: int) -> str:
    return f"/v1/storage/uploads/{entry_id}/"


def _is_passing(error: AditError) -> bool:
    return isinstance(error, AditConnectionError) or (isinstance(error, AditApiError) and error.status in PASSING)


class _Patience:
    """Pauses that grow, and an end when nothing has moved for long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since = time.monotonic()
        self._pauses = 0
        self._stands = -1

    def progressed(self, offset: int) -> None:
        """Where the upload stands."""
        if offset > self._stands:
            self._stands, self._since, self._pauses = offset, time.monotonic(), 0

    def pause(self, error: AditError) -> None:
        """Throws the error when patience is at its end."""
        if time.monotonic() - self._since >= self._seconds:
            raise error
        asked = error.retry_after_seconds or 0.0 if isinstance(error, AditApiError) else 0.0
        backoff = min(MAX_PAUSE, FIRST_PAUSE * 2**self._pauses)
        self._pauses += 1
        time.sleep(max(backoff, min(asked, MAX_PAUSE)))
