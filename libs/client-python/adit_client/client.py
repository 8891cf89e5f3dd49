"""The client of one service."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Optional
from urllib.parse import parse_qsl, quote, urlsplit

import httpx

from .events import WorkspaceEvent, follow_workspace
from .galleries import Galleries
from .jobs import Jobs
from .models import Models
from .pictures import Picture, picture_part
from .storage import Storage
from .transport import TIMEOUT, Headers, Transport

PAGE = 200
SEARCH_PAGE = 100


class AditClient:
    """The API of one Adit service: jobs, models, galleries and files; every other operation by ``request``.

    Without arguments it is the service at ``ADIT_URL`` with the key in ``ADIT_API_KEY``. ``retries`` says how often a request
    is sent again that may be; ``http`` replaces the client of httpx, for proxies and certificates of your own.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        token: Optional[str] = None,
        retries: int = 2,
        http: Optional[httpx.Client] = None,
    ) -> None:
        at = url or os.environ.get("ADIT_URL")
        if not at:
            raise ValueError("Say where the service is: AditClient(url) or ADIT_URL.")
        key = api_key if api_key or token else os.environ.get("ADIT_API_KEY")
        self._transport = Transport(at, api_key=key, token=token, retries=retries, http=http)
        self.storage = Storage(self, self._transport)
        self.jobs = Jobs(self)
        self.models = Models(self, self._transport)
        self.galleries = Galleries(self)

    def __enter__(self) -> AditClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._transport.close()

    def request(self, operation: str, **given: Any) -> Any:
        """The JSON that any operation answers; None where it answers nothing. Takes what ``raw`` takes."""
        reply = self.raw(operation, **given)
        return reply.json() if reply.content else None

    def raw(
        self,
        operation: str,
        *,
        path: Optional[dict[str, Any]] = None,
        query: Optional[dict[str, Any]] = None,
        json: Any = None,
        headers: Optional[Headers] = None,
        idempotency_key: Optional[str] = None,
        timeout: Any = TIMEOUT,
    ) -> httpx.Response:
        """The answer to ``METHOD /path`` as the OpenAPI document has it below /api, such as ``GET /v1/jobs/{jobId}/``.

        ``path`` has the values of its variables. An ``idempotency_key`` makes a POST one that may be sent twice: the second
        gets the reply of the first.
        """
        method, template = operation.split(" ", 1)
        values = {name: quote(str(value), safe="") for name, value in (path or {}).items()}
        key = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        return self._transport.send(
            method,
            re.sub(r"\{(\w+)\}", lambda match: values[match[1]], template),
            params=query,
            headers={**key, **(headers or {})},
            body=dict if json is None else lambda: {"json": json},
            repeatable=method != "POST" or idempotency_key is not None,
            timeout=timeout,
        )

    def items(
        self, operation: str, *, query: Optional[dict[str, Any]] = None, **given: Any
    ) -> Iterator[dict[str, Any]]:
        """Every item of a list once, a page at a time, that was there from beginning to end.

        Each page begins where the one before ended, whatever is made or deleted meanwhile.
        """
        asked: dict[str, Any] = {"limit": PAGE, "cursor": "", **(query or {})}
        while True:
            page = self.request(operation, query=asked, **given)
            yield from page["data"]
            if page["next"] is None:
                return
            asked = dict(parse_qsl(urlsplit(page["next"]).query, keep_blank_values=True))

    def search(self, q: Optional[str] = None, **query: Any) -> Iterator[dict[str, Any]]:
        """Moments of all jobs: exact ones first, then the shortest, then the newest.

        ``q`` takes words, "phrases", AND, OR, NOT, parentheses and ``who:``, ``what:``, ``said:``, ``written:``, ``where:``
        before them; the other parameters are those of ``GET /v1/search/``, such as ``tag`` or ``together``.
        """
        asked = {"limit": SEARCH_PAGE, **({} if q is None else {"q": q}), **query}
        return self.items("GET /v1/search/", query=asked)

    def search_by_photo(self, photo: Picture, **asked: Any) -> Iterator[dict[str, Any]]:
        """Moments that show the person of a photo, the nearest faces first: a path, its bytes, or an address (``storage://…``).

        ``asked`` are fields of ``POST /v1/search/`` beside it, such as ``said``, ``together`` or ``max_distance``. It takes a
        workspace that keeps faces: ``faces`` of ``PUT /v1/retention/``.
        """
        files = picture_part(photo, address="photo", file="photo")
        query: dict[str, Any] = {"limit": SEARCH_PAGE, "cursor": ""}
        while True:
            # It only looks, so it may be sent twice.
            page = self._transport.send(
                "POST", "/v1/search/", params=query, body=lambda: {"data": asked, "files": files}, repeatable=True
            ).json()
            yield from page["data"]
            if page["next"] is None:
                return
            query = dict(parse_qsl(urlsplit(page["next"]).query, keep_blank_values=True))

    def events(
        self, *, after: Optional[str] = None, on_place: Optional[Callable[[str], None]] = None
    ) -> Iterator[WorkspaceEvent]:
        """What happens in the workspace, as it does, each event once and in order, for as long as it is read.

        It goes on after the event of the id ``after``, else from now on; connections that end or break are made anew.
        ``on_place`` is told the place in the stream, to be kept for ``after``. Throws AditApiError for what asking again does
        not help (412: what came after ``after`` is kept no more), AditConnectionError when there is no first connection.
        """
        return follow_workspace(self._transport, after, on_place)
