"""Request signing, version 1. Callers pass in the time."""

from __future__ import annotations

import hashlib
import hmac


def canonical_string(method: str, pathname: str, timestamp: str, body: bytes) -> str:
    """The five lines that are signed, without a trailing newline."""
    body_sha256 = hashlib.sha256(body).hexdigest()
    return "\n".join(["v1", method.upper(), pathname, timestamp, body_sha256])


def sign(secret: str, method: str, pathname: str, timestamp: str, body: bytes) -> str:
    """The signature header's value. The secret is used exactly as shown; it is not decoded."""
    canonical = canonical_string(method, pathname, timestamp, body)
    digest = hmac.new(secret.encode(), canonical.encode(), hashlib.sha256)
    return "sha256=" + digest.hexdigest()


def signed_headers(
    *,
    key: str,
    secret: str,
    method: str,
    pathname: str,
    body: bytes,
    now: float,
    brand: str = "Partner",
    content_type: str = "application/json",
    idempotency_key: str | None = None,
) -> dict[str, str]:
    """All headers of a signed request. Sign each attempt separately, because the timestamp is signed.

    :param pathname: as sent, with its percent-encoding and without the query
    :param body: the exact bytes on the wire; empty for a GET
    :param now: seconds since the Unix epoch; fractions are truncated
    :raises ValueError: the pathname contains a query, which is never signed
    """
    if "?" in pathname:
        raise ValueError("the pathname must not hold a query")
    timestamp = str(int(now))
    headers = {
        f"X-{brand}-Key": key,
        f"X-{brand}-Timestamp": timestamp,
        f"X-{brand}-Signature": sign(secret, method, pathname, timestamp, body),
    }
    if body:
        headers["Content-Type"] = content_type
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    return headers
