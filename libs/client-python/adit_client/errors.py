"""What is thrown."""

from __future__ import annotations

from typing import Any, Optional

import httpx

from .types import ProblemError


class AditError(Exception):
    """All that this package throws of itself."""


class AditConnectionError(AditError):
    """Nobody answered: no service at the address, or the connection broke."""


class AditTimeoutError(AditError):
    """What was waited for had not ended when the time was over. It goes on, unless it says otherwise."""


class AditApiError(AditError):
    """The service refused, or failed. Printed, it says everything that is wrong, field by field."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after_seconds: Optional[float] = None) -> None:
        #: HTTP status.
        self.status = status
        #: Of the closed list of codes, such as ``VALIDATION``; ``UNKNOWN`` for an answer that was not the service's own.
        self.code: str = problem.get("code", "UNKNOWN")
        self.detail: str = problem.get("detail", f"The service answered {status}.")
        #: Every field that is wrong, with a JSON pointer to it.
        self.errors = [ProblemError.model_validate(each) for each in problem.get("errors", [])]
        #: To find it in the service's log.
        self.request_id: Optional[str] = problem.get("request_id")
        #: From ``Retry-After``; None without one.
        self.retry_after_seconds = retry_after_seconds
        # The detail begins with what is wrong as a whole, and may go on with the fields, which follow here.
        whole = self.detail.split("\n", 1)[0]
        fields = [f"  {each.pointer}: {each.message}" for each in self.errors if each.pointer]
        super().__init__("\n".join([f"{whole} ({self.code}, {status})", *fields]))

    @property
    def is_in_progress(self) -> bool:
        """The first request with the same ``idempotency_key`` is still at it: nothing is refused yet."""
        return self.status == 409 and any(each.code == "in_progress" for each in self.errors)

    @classmethod
    def of(cls, reply: httpx.Response) -> AditApiError:
        """Of an answer whose body was read."""
        try:
            problem = reply.json()
        except ValueError:
            problem = None
        after = reply.headers.get("retry-after", "")
        seconds = float(after) if after.isdigit() else None
        return cls(reply.status_code, problem if isinstance(problem, dict) else {}, seconds)
