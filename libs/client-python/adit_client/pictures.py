"""Pictures of requests: by a path, by their bytes, or by their address."""

from __future__ import annotations

import os
from typing import Optional, Union

PathLike = Union[str, "os.PathLike[str]"]
#: A picture: a file of this machine, its bytes, or an address (``https://…``, ``storage://…``).
Picture = Union[str, "os.PathLike[str]", bytes]


def picture_part(picture: Picture, *, address: str, file: str) -> dict[str, tuple[Optional[str], Union[str, bytes]]]:
    """The part of a form that has it: the field ``address`` its address, or ``file`` its bytes."""
    if isinstance(picture, str) and "://" in picture:
        return {address: (None, picture)}
    return {file: ("picture", picture if isinstance(picture, bytes) else content_of(picture))}


def content_of(path: PathLike) -> bytes:
    with open(path, "rb") as file:
        return file.read()
