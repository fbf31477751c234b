from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar

from ._errors import ConnectionError, kind_of
from ._rate_limit import RateLimit

Body = TypeVar("Body", covariant=True)


@dataclass(frozen=True)
class Answer(Generic[Body]):
    """A successful response: its fields as in the API reference, and metadata from its headers."""

    body: Body
    #: Whether this is the stored response to an earlier, identical request.
    replayed: bool
    #: The service's id of this request; give it to the operators when you ask about it.
    request_id: str | None
    rate_limit: RateLimit | None


def read_answer(
    status: int,
    headers: Mapping[str, str],
    content: bytes,
    *,
    now: float,
    idempotency_key: str | None,
) -> Answer[Any]:
    """
    :raises PartnerApiError: the service refused the request, or the response is not the service's
    :raises ConnectionError: the response breaks off
    """
    body, is_whole = _parse_object(content)
    request_id = headers.get("x-request-id")
    rate_limit = parse_rate_limit(headers)
    if 200 <= status < 300 and body.get("success") is True:
        replayed = headers.get("idempotent-replayed") == "true"
        return Answer(body, replayed, request_id, rate_limit)
    if 200 <= status < 300 and not is_whole and _is_json(headers):
        broken = f"HTTP {status} broke off in the middle of its JSON"
        raise ConnectionError(broken, idempotency_key=idempotency_key)
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    if not isinstance(code, str) or not isinstance(message, str):
        code = "UNEXPECTED_RESPONSE"
        message = (
            f"HTTP {status} without the service's JSON; check the base URL and what is in between"
        )
    if code == "TIMESTAMP_OUT_OF_RANGE":
        clock = datetime.fromtimestamp(now, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        message += f" (this machine's clock says {clock})"
    raise kind_of(status, code)(
        message,
        status=status,
        code=code,
        request_id=request_id,
        retry_after=parse_retry_after(headers.get("retry-after"), now),
        rate_limit=rate_limit,
        idempotency_key=idempotency_key,
    )


def parse_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Reads ``RateLimit: "default";r=599;t=60`` and ``RateLimit-Policy: "default";q=600;w=60``."""
    remaining = _parameter(headers.get("ratelimit"), "r")
    reset_seconds = _parameter(headers.get("ratelimit"), "t")
    if remaining is None or reset_seconds is None:
        return None
    policy = headers.get("ratelimit-policy")
    return RateLimit(_parameter(policy, "q"), _parameter(policy, "w"), remaining, reset_seconds)


def parse_retry_after(header: str | None, now: float) -> float | None:
    """Reads a number of seconds or an HTTP date.

    :returns: seconds from ``now``, or None if it is absent or invalid
    """
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return None


def _parameter(header: str | None, name: str) -> int | None:
    found = re.search(rf";\s*{name}=([0-9]{{1,9}})(?![^;,\s])", header or "")
    return int(found[1]) if found else None


def _is_json(headers: Mapping[str, str]) -> bool:
    media_type = headers.get("content-type", "").split(";")[0]
    return media_type.strip().lower() == "application/json"


def _parse_object(content: bytes) -> tuple[dict[str, Any], bool]:
    """:returns: the object, empty for anything else, and whether it is JSON at all"""
    try:
        value = json.loads(content)
    except ValueError:
        return {}, False
    return (value if isinstance(value, dict) else {}), True
