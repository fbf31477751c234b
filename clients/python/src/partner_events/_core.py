from __future__ import annotations

import copy
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._answer import Answer, read_answer
from ._errors import ConnectionError, PartnerApiError, PartnerError
from ._rate_limit import RateLimit
from ._requests import Call
from ._retry import retry_delay
from ._signing import signed_headers


@dataclass(frozen=True)
class Attempt:
    """The request of one attempt."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes
    #: Seconds for it, including the response's body.
    timeout: float


@dataclass(frozen=True)
class Complete:
    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class AttemptReport:
    """What happened to one attempt: no secret, no header and no body."""

    method: str
    path: str
    """With the query of a list."""
    attempt: int
    """From 1."""
    duration: float
    """Seconds."""
    status: int | None
    """None without a response."""
    request_id: str | None
    idempotency_key: str | None
    error: PartnerError | None
    """Why it failed; None if it did not."""
    retry_in: float | None
    """Seconds until the next attempt; None if there is none."""


# The steps of a call: sleep for some seconds, or send a request, whose outcome is sent back.
Steps = Generator[float | Attempt, Complete | ConnectionError | None, Answer[Any]]


class _Limit:
    """Shared by a client and those with other options, since the rate limit is."""

    #: When the rate limit allows the next request; in the past if it allows one now.
    open_at = 0.0


class Core:
    """Shared by the two clients: everything but waiting."""

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        secret: str,
        brand: str,
        timeout: float,
        max_attempts: int,
        max_retry_after: float,
        on_attempt: Callable[[AttemptReport], None] | None,
        wait_for_rate_limit: bool,
        now: Callable[[], float],
        random: Callable[[], float],
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f'"{base_url}" is not an http:// or https:// URL')
        if not key or not secret:
            raise ValueError("key and secret must not be empty")
        if not key.isascii() or not key.isprintable():
            raise ValueError("the key must be visible ASCII characters")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        # The path of the base URL is kept and signed.
        self._path = parts.path.rstrip("/") + "/api/v1/partner/"
        self._key = key
        self._secret = secret
        self._brand = brand
        self._timeout = timeout
        self._max_attempts = max_attempts
        self._max_retry_after = max_retry_after
        self._on_attempt = on_attempt
        self._waits_for_rate_limit = wait_for_rate_limit
        self._now = now
        self._random = random
        self._limit = _Limit()

    def with_options(
        self,
        *,
        timeout: float | None,
        max_attempts: int | None,
        max_retry_after: float | None,
    ) -> Core:
        """The same with other limits; what is None stays."""
        changed = copy.copy(self)
        changed._timeout = self._timeout if timeout is None else timeout
        changed._max_attempts = self._max_attempts if max_attempts is None else max_attempts
        if max_retry_after is not None:
            changed._max_retry_after = max_retry_after
        return changed

    def steps(self, call: Call) -> Steps:
        attempts = 0
        while True:
            attempts += 1
            if self._waits_for_rate_limit and self._limit.open_at > self._now():
                yield self._limit.open_at - self._now()
            started = time.monotonic()
            outcome = yield self._attempt(call)
            try:
                if isinstance(outcome, Complete):
                    answer = self._read(outcome, call)
                    self._report(call, attempts, started, outcome, None, None)
                    return answer
                if outcome is not None:
                    raise outcome
            except PartnerError as error:
                delay = retry_delay(error, attempts, self._random(), self._max_retry_after)
                if attempts >= self._max_attempts:
                    delay = None
                self._report(call, attempts, started, outcome, error, delay)
                if delay is None:
                    raise
                yield delay

    def _report(
        self,
        call: Call,
        attempts: int,
        started: float,
        outcome: Complete | ConnectionError | None,
        error: PartnerError | None,
        retry_in: float | None,
    ) -> None:
        if self._on_attempt is None:
            return
        complete = outcome if isinstance(outcome, Complete) else None
        report = AttemptReport(
            method=call.method,
            path=self._path + call.resource + (f"?{call.query}" if call.query else ""),
            attempt=attempts,
            duration=time.monotonic() - started,
            status=None if complete is None else complete.status,
            request_id=None if complete is None else complete.headers.get("x-request-id"),
            idempotency_key=call.idempotency_key,
            error=error,
            retry_in=retry_in,
        )
        try:
            self._on_attempt(report)
        except Exception:  # noqa: BLE001 - a logger that fails must not fail a purchase
            pass

    def _attempt(self, call: Call) -> Attempt:
        pathname = self._path + call.resource
        headers = signed_headers(
            key=self._key,
            secret=self._secret,
            method=call.method,
            pathname=pathname,
            body=call.content,
            now=self._now(),
            brand=self._brand,
            content_type=call.content_type,
            idempotency_key=call.idempotency_key,
        )
        query = f"?{call.query}" if call.query else ""
        url = self._origin + pathname + query
        return Attempt(call.method, url, headers, call.content, self._timeout)

    def _read(self, complete: Complete, call: Call) -> Answer[Any]:
        try:
            answer = read_answer(
                complete.status,
                complete.headers,
                complete.content,
                now=self._now(),
                idempotency_key=call.idempotency_key,
            )
        except PartnerApiError as error:
            self._note(error.rate_limit)
            raise
        self._note(answer.rate_limit)
        return answer

    def _note(self, rate_limit: RateLimit | None) -> None:
        if rate_limit is not None:
            wait = 0 if rate_limit.remaining > 0 else rate_limit.reset_seconds
            self._limit.open_at = self._now() + wait
