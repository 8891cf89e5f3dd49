"""Jobs and what they found."""

from __future__ import annotations

import builtins
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import AditTimeoutError
from .frames import boxes_frame, results_frame, summary_frame
from .progress import ProgressLine, until_ended
from .types import Artifact, DetailedResult, Job, SummarizedResult

if TYPE_CHECKING:
    import pandas

    from .client import AditClient

#: A source: an address (``https://…``, ``storage://…``, ``s3://…``), or a file of this machine, which is uploaded.
Source = Union[str, "os.PathLike[str]"]
ENDED = frozenset({"completed", "failed", "stopped"})
#: Seconds that one request waits on the server's side.
WAIT = 30
#: Seconds between two looks, when there is somebody to tell.
POLL = 0.5
#: Status of a clip that is being cut.
BEING_MADE = 202
#: Jobs that one request deletes at the most.
MANY = 1_000


class Jobs:
    def __init__(self, client: AditClient) -> None:
        self._client = client

    def run(
        self,
        sources: Union[Source, Iterable[Source]],
        modules: dict[str, dict[str, Any]],
        *,
        timeout: Optional[float] = None,
        progress: Optional[bool] = None,
        on_progress: Optional[Callable[[Job], None]] = None,
        **order: Any,
    ) -> Job:
        """Uploads what lies on this machine, posts a job and waits for its end; throws and shows what ``wait`` does.

        Without an ``idempotency_key`` it makes one, so that a broken connection posts no second job.
        """
        given = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
        stamp = f"{datetime.now(timezone.utc):%Y-%m-%dT%H-%M-%S}-{secrets.token_hex(3)}"
        order.setdefault("idempotency_key", secrets.token_urlsafe(24))
        addresses = [self._address_of(source, f"/python/{stamp}/{index}") for index, source in enumerate(given)]
        job = self.create(addresses, modules, **order)
        return self.wait(job, timeout=timeout, progress=progress, on_progress=on_progress)

    def create(
        self,
        sources: Iterable[str],
        modules: dict[str, dict[str, Any]],
        *,
        idempotency_key: Optional[str] = None,
        **order: Any,
    ) -> Job:
        """Posts a job of addresses, and waits for nothing. ``order``: ``tag``, ``ttl``, ``webhook``, ``priority``, ``batch``."""
        body = {"sources": list(sources), "modules": modules, **order}
        return Job.model_validate(self._client.request("POST /v1/jobs/", json=body, idempotency_key=idempotency_key))

    def get(self, job: Union[Job, str]) -> Job:
        return self._read(job, 0)[0]

    def parts(self, job: Union[Job, str]) -> Iterator[Job]:
        """The job, and those that have gone on with its live stream since: the last one is the one to stop."""
        part: Optional[str] = _id(job)
        while part is not None:
            found = self.get(part)
            yield found
            part = found.next_part

    def list(self, **query: Any) -> Iterator[Job]:
        """Newest first. ``query``: ``state``, ``tag``, ``search``, ``batch``."""
        return map(Job.model_validate, self._client.items("GET /v1/jobs/", query=query))

    def wait(
        self,
        job: Union[Job, str],
        *,
        timeout: Optional[float] = None,
        progress: Optional[bool] = None,
        on_progress: Optional[Callable[[Job], None]] = None,
    ) -> Job:
        """The job once it has completed, failed or was stopped: one that failed is an answer, see ``state`` and ``errors``.

        ``progress`` shows how far it is on stderr; None: where that is a terminal or a notebook. ``on_progress`` is told the job
        whenever it was looked at. Throws AditTimeoutError after ``timeout`` seconds.
        """
        line = ProgressLine(progress)
        told = on_progress is not None or line.is_shown

        def look(left: float) -> Job:
            now, waited = self._read(job, 0 if told else int(min(WAIT, left)))
            line.say(now.state, now.progress)
            if on_progress is not None:
                on_progress(now)
            # A service that waited leaves nothing to wait for here.
            if now.state not in ENDED and not waited:
                time.sleep(min(POLL, left))
            return now

        try:
            return until_ended(look, lambda now: now.state in ENDED, timeout=timeout, what=f"Job {_id(job)}")
        finally:
            line.end()

    def stop(self, job: Union[Job, str]) -> Job:
        return Job.model_validate(self._client.request("POST /v1/jobs/{jobId}/stop/", path=_path(job)))

    def retry(self, job: Union[Job, str]) -> Job:
        """Runs again what failed."""
        return Job.model_validate(self._client.request("POST /v1/jobs/{jobId}/retry/", path=_path(job)))

    def delete(self, job: Union[Job, str]) -> None:
        self._client.request("DELETE /v1/jobs/{jobId}/", path=_path(job))

    def delete_all(self, **query: Any) -> builtins.list[str]:
        """Deletes those that have ended and that all of the filters find, however many they are. Returns their ids.

        ``query``: what ``list`` takes, ``time_created_from``, ``time_created_to``; or ``ids``, a text with commas.
        """
        gone: builtins.list[str] = []
        while True:
            reply = self._client.request("DELETE /v1/jobs/", query={"limit": MANY, **query})
            gone += reply["ids"]
            if not reply["more"]:
                return gone

    def detailed_results(self, job: Union[Job, str], **query: Any) -> Iterator[DetailedResult]:
        """Segments in the order in which they became final.

        ``query``: ``module``, ``type``, ``label``, ``time_start``, ``time_end``, ``min_confidence`` (0..1).
        """
        found = self._client.items("GET /v1/jobs/{jobId}/detailed-results/", path=_path(job), query=query)
        return map(DetailedResult.model_validate, found)

    def summarized_results(self, job: Union[Job, str], **query: Any) -> Iterator[SummarizedResult]:
        """Sums over a source, such as screen time. ``query``: ``module``, ``type``."""
        found = self._client.items("GET /v1/jobs/{jobId}/summarized-results/", path=_path(job), query=query)
        return map(SummarizedResult.model_validate, found)

    def artifacts(self, job: Union[Job, str]) -> Iterator[Artifact]:
        return map(Artifact.model_validate, self._client.items("GET /v1/jobs/{jobId}/artifacts/", path=_path(job)))

    def clip(
        self,
        job: Union[Job, str],
        segment: int,
        to: Union[str, os.PathLike[str]],
        *,
        exact: bool = False,
        handles: float = 0,
        timeout: Optional[float] = None,
    ) -> None:
        """Writes a segment as an MP4 or M4A to a path of this machine, once it is cut.

        ``segment`` is its number in ``detailed_results`` without filters, from 0. ``exact`` encodes it anew, so that it begins
        and ends at the very frames; else it begins at the keyframe before. ``handles`` are seconds more at both
        ends, whole or half ones.
        """
        operation = "GET /v1/jobs/{jobId}/detailed-results/{segmentId}/clip/"
        path = {**_path(job), "segmentId": segment}
        query = {"exact": "true" if exact else "false", "handles": handles}
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            reply = self._client.raw(operation, path=path, query=query)
            if reply.status_code != BEING_MADE:
                break
            left = float("inf") if end is None else end - time.monotonic()
            if left <= 0:
                raise AditTimeoutError(f"The clip of segment {segment} is not cut after {timeout} s.")
            time.sleep(min(float(reply.headers.get("retry-after", POLL)), left))
        part = f"{os.fspath(to)}.part"
        with open(part, "wb") as file:
            file.write(reply.content)
        os.replace(part, to)

    def frame(self, job: Union[Job, str], **query: Any) -> pandas.DataFrame:
        """Segments as rows: who or what, how sure, where and when, then what else the module says, as ``meta.…``.

        Takes what ``detailed_results`` takes. Files that this client uploaded stand under their own paths. Needs pandas.
        """
        return results_frame(self.detailed_results(job, **query), self._client.storage.uploaded)

    def boxes(self, job: Union[Job, str], **query: Any) -> pandas.DataFrame:
        """Every box of every segment as a row, in fractions of the picture; ``segment`` is the row in ``frame``. Needs pandas."""
        return boxes_frame(self.detailed_results(job, **query), self._client.storage.uploaded)

    def summary(self, job: Union[Job, str], **query: Any) -> pandas.DataFrame:
        """Summarized results as rows of source, module, type, key and value. Needs pandas."""
        return summary_frame(self.summarized_results(job, **query), self._client.storage.uploaded)

    def _read(self, job: Union[Job, str], seconds: int) -> tuple[Job, bool]:
        """The job, and whether the service waited for its end."""
        headers = {"prefer": f"wait={seconds}"} if seconds > 0 else {}
        reply = self._client.raw("GET /v1/jobs/{jobId}/", path=_path(job), headers=headers)
        return Job.model_validate(reply.json()), "preference-applied" in reply.headers

    def _address_of(self, source: Source, folder: str) -> str:
        address = os.fspath(source)
        if isinstance(source, str) and "://" in source:
            return address
        entry = self._client.storage.upload(address, folder=folder)
        if entry.url is None:
            raise ValueError(f"{address} was uploaded and has no address.")
        return entry.url


def _id(job: Union[Job, str]) -> str:
    return job if isinstance(job, str) else job.id


def _path(job: Union[Job, str]) -> dict[str, str]:
    return {"jobId": _id(job)}
