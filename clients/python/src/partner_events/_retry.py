from __future__ import annotations

from ._errors import PartnerApiError, PartnerError

FIRST_BACKOFF = 0.25
LONGEST_BACKOFF = 8.0
#: By default, the client waits at most this long; the error tells the caller of longer waits.
LONGEST_RETRY_AFTER = 60.0

# A request that came too slowly, above the rate limit, an error of the service, the service unavailable,
# or a gateway error: each may be gone at the next attempt, which the idempotency key makes safe.
RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


def retry_delay(
    error: PartnerError, attempt: int, random: float, max_retry_after: float
) -> float | None:
    """How long to wait before the next attempt: exponential backoff with a quarter of jitter, on top
    of what the service asked for. Seven attempts wait for some 15 seconds: a service that restarts is back
    by then.

    :param attempt: the attempt that failed, from 1
    :param random: a number in [0, 1)
    :param max_retry_after: the longest ``Retry-After`` to wait for
    :returns: seconds, or None if another attempt would not help
    """
    backoff = (0.75 + random / 2) * min(LONGEST_BACKOFF, FIRST_BACKOFF * 2.0 ** (attempt - 1))
    if not isinstance(error, PartnerApiError):
        return backoff
    if error.status not in RETRIED_STATUSES:
        return None
    retry_after = error.retry_after or 0.0
    return None if retry_after > max_retry_after else retry_after + backoff
