"""Webhooks according to Standard Webhooks 1.0. Callers pass in the time."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol, cast

from ._webhook_types import WebhookEvent

WebhookErrorCode = Literal[
    "INVALID_SECRET", "MISSING_HEADER", "TIMESTAMP_OUT_OF_RANGE", "INVALID_SIGNATURE", "INVALID_BODY"
]

_PREFIX = "whsec_"


class WebhookHeaders(Protocol):
    """A ``dict``, or the headers of Flask, Django, Starlette or ``http.server``."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class WebhookVerificationError(Exception):
    """A webhook that is not verifiably the service's: respond with 400, and ignore its content."""

    def __init__(self, code: WebhookErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def verify_webhook(
    raw_body: bytes | str,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    tolerance: int = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Verifies that the service sent a webhook, and returns its event.

    :param raw_body: the exact bytes received, not re-serialized from parsed JSON
    :param headers: the request's, with names in any case
    :param secret: the endpoint's, ``whsec_…``; several while one is being replaced, of which any is accepted
    :param tolerance: maximum difference between the webhook's time and this machine's, in seconds
    :raises WebhookVerificationError:
    """
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise WebhookVerificationError("MISSING_HEADER", f"The request has no {name} header.")
    timestamp = given["webhook-timestamp"]
    _check_timestamp(timestamp, tolerance, int(now()))
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + body
    is_signed = False
    for key in keys:
        expected = _signature(key, signed)
        for signature in given["webhook-signature"].split(" "):
            is_signed |= hmac.compare_digest(signature.encode("utf-8", "replace"), expected)
    if not is_signed:
        raise WebhookVerificationError(
            "INVALID_SIGNATURE",
            "webhook-signature does not match. Check the secret of this endpoint, and that the body is "
            "the raw bytes that arrived.",
        )
    return _parse(body)


def sign_webhook(raw_body: bytes | str, *, id: str, secret: str, at: float) -> dict[str, str]:
    """The headers of a webhook as the service signs it, for tests of a receiver.

    :param at: seconds since the Unix epoch
    :raises WebhookVerificationError: ``INVALID_SECRET``
    """
    timestamp = str(int(at))
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    signed = f"{id}.{timestamp}.".encode() + body
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": _signature(_key(secret), signed).decode(),
    }


def _signature(key: bytes, signed: bytes) -> bytes:
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or not key:
        message = f"A webhook secret is {_PREFIX} and base64, as the endpoint's page showed it."
        raise WebhookVerificationError("INVALID_SECRET", message)
    return key


def _check_timestamp(timestamp: str, tolerance: int, now: int) -> None:
    if re.fullmatch(r"[0-9]{1,12}", timestamp) and abs(now - int(timestamp)) <= tolerance:
        return
    raise WebhookVerificationError(
        "TIMESTAMP_OUT_OF_RANGE",
        f"webhook-timestamp must be within {tolerance} s of this machine's clock, which reads {now}.",
    )


def _parse(body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body.decode())
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("INVALID_BODY", "The body is not a JSON object.")
    return cast(WebhookEvent, event)
