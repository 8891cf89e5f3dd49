"""A line that says how far something is, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Optional, TypeVar

from .errors import AditTimeoutError

T = TypeVar("T")
WIDTH = 30


class ProgressLine:
    """Writes over itself on stderr; says nothing where nobody looks."""

    def __init__(self, shown: Optional[bool]) -> None:
        """``shown``: None where somebody looks, which is on a terminal and in a notebook."""
        self.is_shown = sys.stderr.isatty() or "ipykernel" in sys.modules if shown is None else shown
        self._said = ""

    def say(self, what: str, share: float) -> None:
        """``share``: 0 to 1."""
        done = round(WIDTH * share)
        line = f"{what} [{'█' * done}{'·' * (WIDTH - done)}] {share:4.0%}"
        if self.is_shown and line != self._said:
            sys.stderr.write(f"\r{line.ljust(len(self._said))}")
            sys.stderr.flush()
            self._said = line

    def end(self) -> None:
        if self._said:
            sys.stderr.write("\n")


def until_ended(
    look: Callable[[float], T],
    is_over: Callable[[T], bool],
    *,
    timeout: Optional[float],
    what: str,
) -> T:
    """Looks until it is over; ``look`` is given the seconds that are left, and takes its time.

    Throws AditTimeoutError after ``timeout`` seconds; without end when that is None.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        seen = look(float("inf") if end is None else max(0.0, end - time.monotonic()))
        if is_over(seen):
            return seen
        if end is not None and time.monotonic() >= end:
            raise AditTimeoutError(f"{what} has not ended after {timeout} s. It goes on.")
