"""Sends requests with their key; again after 429, 503 and broken connections, where nothing can happen twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Optional, Union

import httpx

from .errors import AditApiError, AditConnectionError

#: Seconds; longer pauses are the caller's to make.
MAX_PAUSE = 60.0
FIRST_PAUSE = 0.25
TIMEOUT = httpx.Timeout(90.0, connect=10.0)

Headers = dict[str, str]
#: What httpx takes as ``json``, ``data``, ``files`` or ``content``, made anew for every attempt.
Body = Callable[[], dict[str, Any]]


class Transport:
    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        token: Optional[str] = None,
        retries: int = 2,
        http: Optional[httpx.Client] = None,
    ) -> None:
        self._base = f"{url.rstrip('/')}/api"
        self._retries = retries
        self._authorization = f"Key {api_key}" if api_key else f"Bearer {token}" if token else None
        self._http = http or httpx.Client(timeout=TIMEOUT)

    def close(self) -> None:
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Optional[dict[str, Any]] = None,
        headers: Optional[Headers] = None,
        body: Body = dict,
        repeatable: bool,
        once: bool = False,
        timeout: Union[float, httpx.Timeout] = TIMEOUT,
    ) -> httpx.Response:
        """The answer with its body. ``repeatable``: twice does what once does; ``once``: it is never sent again.

        Throws AditApiError for every answer but success, AditConnectionError when there was none.
        """
        attempt = 0
        while True:
            try:
                return self._once(method, path, params, headers, body, timeout)
            except (AditApiError, AditConnectionError) as error:
                pause = None if once or attempt >= self._retries else _pause_after(error, repeatable, attempt)
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1

    @contextmanager
    def stream(self, path: str, *, headers: Optional[Headers] = None) -> Iterator[httpx.Response]:
        """The answer to a GET, to be read piece by piece."""
        with self._connected():
            with self._http.stream("GET", self._base + path, headers=self._headers(headers), timeout=TIMEOUT) as reply:
                if not reply.is_success:
                    reply.read()
                    raise AditApiError.of(reply)
                yield reply

    def _once(
        self,
        method: str,
        path: str,
        params: Optional[dict[str, Any]],
        headers: Optional[Headers],
        body: Body,
        timeout: Union[float, httpx.Timeout],
    ) -> httpx.Response:
        given = {name: value for name, value in (params or {}).items() if value is not None}
        with self._connected():
            reply = self._http.request(
                method, self._base + path, params=given, headers=self._headers(headers), timeout=timeout, **body()
            )
        if not reply.is_success:
            raise AditApiError.of(reply)
        return reply

    def _headers(self, headers: Optional[Headers]) -> Headers:
        authorization = {} if self._authorization is None else {"authorization": self._authorization}
        return {**authorization, **(headers or {})}

    @contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except httpx.TransportError as error:
            raise AditConnectionError(f"{self._base} did not answer ({error or type(error).__name__}).") from error


def _pause_after(error: Union[AditApiError, AditConnectionError], repeatable: bool, attempt: int) -> Optional[float]:
    """Seconds; None for what is not to be sent again.

    429 says that nothing was done; ``is_in_progress``, that the first request of the same key is still being answered.
    """
    backoff: float = FIRST_PAUSE * 2**attempt
    if isinstance(error, AditConnectionError):
        return backoff if repeatable else None
    if error.status != 429 and not (repeatable and (error.status == 503 or error.is_in_progress)):
        return None
    seconds = error.retry_after_seconds
    if seconds is None:
        return backoff
    return seconds if seconds <= MAX_PAUSE else None
