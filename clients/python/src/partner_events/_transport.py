"""What differs between the two clients: how they wait, and how they send."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TypeVar
from weakref import WeakKeyDictionary

import anyio
import httpx
from anyio.lowlevel import current_token

from ._core import Attempt, Complete
from ._errors import ConnectionError

Item = TypeVar("Item")
Items = Iterator[Item]
AsyncItems = AsyncIterator[Item]
Sleep = Callable[[float], None]
AsyncSleep = Callable[[float], Awaitable[None]]
sleep: Sleep = time.sleep
async_sleep: AsyncSleep = anyio.sleep


class Transport:
    def __init__(self, http: httpx.Client | None) -> None:
        self._http = http or httpx.Client()
        self._owns_http = http is None

    def send(self, attempt: Attempt) -> Complete | ConnectionError:
        patience = _patience(attempt)
        deadline = time.monotonic() + patience
        try:
            # Following a redirect would send the signature to another server.
            with self._http.stream(
                attempt.method,
                attempt.url,
                headers=attempt.headers,
                content=attempt.content or None,
                timeout=patience,
                follow_redirects=False,
            ) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        break
                else:
                    return Complete(response.status_code, response.headers, bytes(content))
        except httpx.TimeoutException:
            pass
        except httpx.HTTPError as error:
            return _no_answer(attempt, _why(error))
        return _no_answer(attempt, f"none was complete within {patience:g} s")

    def close(self) -> None:
        if self._owns_http:
            self._http.close()


class AsyncTransport:
    def __init__(self, http: httpx.AsyncClient | None) -> None:
        self._given = http
        self._own: WeakKeyDictionary[object, httpx.AsyncClient] = WeakKeyDictionary()

    @property
    def _http(self) -> httpx.AsyncClient:
        """Connections belong to the event loop that opened them: each loop has its own."""
        if self._given is not None:
            return self._given
        return self._own.setdefault(current_token(), httpx.AsyncClient())

    async def send(self, attempt: Attempt) -> Complete | ConnectionError:
        patience = _patience(attempt)
        try:
            with anyio.fail_after(patience):
                # Following a redirect would send the signature to another server.
                response = await self._http.request(
                    attempt.method,
                    attempt.url,
                    headers=attempt.headers,
                    content=attempt.content or None,
                    timeout=None,
                    follow_redirects=False,
                )
            return Complete(response.status_code, response.headers, response.content)
        except TimeoutError:
            return _no_answer(attempt, f"none was complete within {patience:g} s")
        except httpx.HTTPError as error:
            return _no_answer(attempt, _why(error))

    async def aclose(self) -> None:
        """Closes the connections of this event loop; those of a loop that has ended are gone with it."""
        own = self._own.pop(current_token(), None)
        if own is not None:
            await own.aclose()


def _patience(attempt: Attempt) -> float:
    """With the time that the service gives a body to arrive: a second for each 32 kB."""
    return attempt.timeout + len(attempt.content) // 32_000


def _no_answer(attempt: Attempt, why: str) -> ConnectionError:
    message = f"{attempt.method} {attempt.url} got no response: {why}"
    return ConnectionError(message, idempotency_key=attempt.headers.get("Idempotency-Key"))


def _why(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
