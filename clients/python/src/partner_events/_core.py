from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._answer import Answer, read_answer
from ._errors import PartnerApiError, PartnerError, PartnerNetworkError
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


@dataclass(frozen=True)
class Complete:
    status: int
    headers: Mapping[str, str]
    content: bytes


# The steps of a call: sleep for some seconds, or send a request, whose outcome is sent back.
Steps = Generator[float | Attempt, Complete | PartnerNetworkError | None, Answer[Any]]


class Core:
    """Shared by the two clients: everything but waiting."""

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        secret: str,
        brand: str,
        max_attempts: int,
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
        self._max_attempts = max_attempts
        self._waits_for_rate_limit = wait_for_rate_limit
        self._now = now
        self._random = random
        #: When the rate limit allows the next request; in the past if it allows one now.
        self._open_at = 0.0

    def steps(self, call: Call) -> Steps:
        attempts = 0
        while True:
            attempts += 1
            if self._waits_for_rate_limit and self._open_at > self._now():
                yield self._open_at - self._now()
            outcome = yield self._attempt(call)
            try:
                if isinstance(outcome, Complete):
                    return self._read(outcome, call)
                if outcome is not None:
                    raise outcome
            except PartnerError as error:
                delay = retry_delay(error, attempts, self._random())
                if delay is None or attempts >= self._max_attempts:
                    raise
                yield delay

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
        return Attempt(call.method, self._origin + pathname, headers, call.content)

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
            self._open_at = self._now() + wait
