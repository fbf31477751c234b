from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RateLimit:
    """The rest of the plan's rate limit, from the headers of a response."""

    #: Requests per window, for all of the partner's keys in this mode.
    limit: int | None
    window_seconds: int | None
    #: Requests left in the window.
    remaining: int
    #: Seconds until the window ends.
    reset_seconds: int
