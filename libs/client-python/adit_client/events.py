"""What happens in a workspace, as it does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .errors import AditApiError, AditConnectionError
from .transport import Transport

FIRST_PAUSE = 2.0
MAX_PAUSE = 30.0


@dataclass(frozen=True)
class WorkspaceEvent:
    """``event`` and ``data`` are what a webhook would be sent; ``timestamp`` is when it happened, in Unix seconds."""

    id: str
    event: str
    timestamp: float
    data: dict[str, Any]


def follow_workspace(
    transport: Transport, after: Optional[str], on_place: Optional[Callable[[str], None]]
) -> Iterator[WorkspaceEvent]:
    last, pause, began = after, FIRST_PAUSE, False
    while True:
        try:
            headers = {} if last is None else {"last-event-id": last}
            with transport.stream("/v1/events/", headers=headers) as reply:
                began, pause = True, FIRST_PAUSE
                for block in event_blocks(reply.iter_text()):
                    if "id" in block:
                        last = block["id"]
                        if on_place is not None:
                            on_place(last)
                    if "data" in block:
                        yield WorkspaceEvent(id=last or "", **json.loads(block["data"]))
        except (AditApiError, AditConnectionError) as error:
            if not began or not _may_pass(error):
                raise
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE)


def event_blocks(text: Iterable[str]) -> Iterator[dict[str, str]]:
    """The blocks of server-sent events that are whole."""
    block: dict[str, str] = {}
    for line in _lines(text):
        if line == "":
            if block:
                yield block
            block = {}
            continue
        name, _, value = line.partition(":")
        if name in ("id", "event", "data"):
            value = value[1:] if value.startswith(" ") else value
            block[name] = f"{block[name]}\n{value}" if name == "data" and name in block else value


def _lines(text: Iterable[str]) -> Iterator[str]:
    """Whole lines. Those of httpx end at U+2028 and others, too, which may stand in the data."""
    rest = ""
    for piece in text:
        *lines, rest = (rest + piece).split("\n")
        for line in lines:
            yield line[:-1] if line.endswith("\r") else line


def _may_pass(error: Exception) -> bool:
    return isinstance(error, AditConnectionError) or (
        isinstance(error, AditApiError) and (error.status == 429 or error.status >= 500)
    )
