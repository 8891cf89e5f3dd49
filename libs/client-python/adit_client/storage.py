"""Files of the service."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Optional, Union

from .resumable_upload import Upload, abandon, upload_resumably
from .transport import Transport
from .types import StorageEntry, StorageUse

if TYPE_CHECKING:
    from .client import AditClient

PathLike = Union[str, "os.PathLike[str]"]


class Storage:
    def __init__(self, client: AditClient, transport: Transport) -> None:
        self._client = client
        self._transport = transport
        #: What this client uploaded: the file's path by its address.
        self.uploaded: dict[str, str] = {}

    def upload(
        self,
        file: PathLike,
        *,
        folder: str = "/",
        name: Optional[str] = None,
        if_exists: Optional[str] = None,
        on_progress: Optional[Callable[[int, int], None]] = None,
        resume: Optional[int] = None,
        on_begun: Optional[Callable[[int], None]] = None,
        patience_seconds: float = 60,
    ) -> StorageEntry:
        """Uploads a file of this machine; the ``url`` of what comes back is a source of jobs.

        When the connection breaks it goes on where the service stands, until nothing has moved for ``patience_seconds``.
        ``resume`` is the id of an upload of the same file that was begun before, as ``on_begun`` told it. ``if_exists``:
        ``refuse``, ``replace`` or ``rename``. ``on_progress`` is told bytes that were sent, of how many.
        """
        path = os.fspath(file)
        entry_id = upload_resumably(
            self._transport,
            Upload(
                path=path,
                folder=folder,
                name=name or os.path.basename(path),
                if_exists=if_exists,
                resume=resume,
                on_progress=on_progress,
                on_begun=on_begun,
                patience_seconds=patience_seconds,
            ),
        )
        entry = self.get(entry_id)
        if entry.url is not None:
            self.uploaded[entry.url] = path
        return entry

    def abandon(self, storage_id: int) -> None:
        """Removes what has come of an upload that nobody will go on with."""
        abandon(self._transport, storage_id)

    def list(self, folder: str = "/") -> list[StorageEntry]:
        """What a folder holds."""
        return [
            StorageEntry.model_validate(each)
            for each in self._client.request("GET /v1/storage/", query={"folder": folder})
        ]

    def usage(self) -> StorageUse:
        """Bytes that the workspace stores, and may store."""
        return StorageUse.model_validate(self._client.request("GET /v1/storage/usage/"))

    def get(self, storage_id: int) -> StorageEntry:
        return StorageEntry.model_validate(
            self._client.request("GET /v1/storage/{storageId}/", path={"storageId": storage_id})
        )

    def download(self, storage_id: int, to: PathLike) -> None:
        """Writes a file of the service to a path of this machine, where it appears whole or not at all."""
        part = f"{os.fspath(to)}.part"
        try:
            with self._transport.stream(f"/v1/storage/{storage_id}/file/") as reply, open(part, "wb") as file:
                for piece in reply.iter_bytes():
                    file.write(piece)
            os.replace(part, to)
        except BaseException:
            with suppress(FileNotFoundError):
                os.remove(part)
            raise

    def delete(self, storage_id: int) -> None:
        self._client.request("DELETE /v1/storage/{storageId}/", path={"storageId": storage_id})
