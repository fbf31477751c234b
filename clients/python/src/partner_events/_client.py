from __future__ import annotations

import json
import random as chance
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, cast
from urllib.parse import quote, urlsplit

import anyio
import httpx

from ._answer import Answer, RateLimit, read_answer
from ._errors import PartnerApiError, PartnerError, PartnerNetworkError
from ._idempotency import idempotency_key_of, require_sendable
from ._retry import retry_delay
from ._signing import signed_headers
from ._types import (
    Balance,
    Billing,
    Differences,
    Order,
    Plans,
    Purchase,
    Quote,
    Receipt,
    Reconciliation,
    Redemption,
    RedemptionRead,
    Refund,
    Rehearsal,
    Reward,
    Usage,
)


@dataclass(frozen=True)
class _Call:
    """A call, which stays the same for all its attempts."""

    method: str
    resource: str
    content: bytes = b""
    idempotency_key: str | None = None
    content_type: str = "application/json"


@dataclass(frozen=True)
class _Attempt:
    """The request of one attempt."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes


@dataclass(frozen=True)
class _Complete:
    status: int
    headers: Mapping[str, str]
    content: bytes


# The steps of a call: sleep for some seconds, or send a request, whose outcome is sent back.
_Steps = Generator[float | _Attempt, _Complete | PartnerNetworkError | None, Answer[Any]]


class _Core:
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

    def steps(self, call: _Call) -> _Steps:
        attempts = 0
        while True:
            attempts += 1
            if self._waits_for_rate_limit and self._open_at > self._now():
                yield self._open_at - self._now()
            outcome = yield self._attempt(call)
            try:
                if isinstance(outcome, _Complete):
                    return self._read(outcome, call)
                if outcome is not None:
                    raise outcome
            except PartnerError as error:
                delay = retry_delay(error, attempts, self._random())
                if delay is None or attempts >= self._max_attempts:
                    raise
                yield delay

    def _attempt(self, call: _Call) -> _Attempt:
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
        return _Attempt(call.method, self._origin + pathname, headers, call.content)

    def _read(self, complete: _Complete, call: _Call) -> Answer[Any]:
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


def _post(
    resource: str, fields: dict[str, Any], ids: tuple[str, ...], idempotency_key: str | None
) -> _Call:
    key = (
        idempotency_key_of(*ids) if idempotency_key is None else require_sendable(idempotency_key)
    )
    return replace(_ask(resource, fields), idempotency_key=key)


def _ask(resource: str, fields: dict[str, Any]) -> _Call:
    """A question that stores nothing, and has no idempotency key."""
    # Serialized once: with other bytes, a retry would be an idempotency conflict.
    text = json.dumps(_known(fields), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        body = text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a surrogate pair, which cannot be sent") from error
    return _Call("POST", resource, body)


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _require_whole(**amounts: int | None) -> None:
    for name, amount in amounts.items():
        if amount is not None and type(amount) is not int:
            raise TypeError(f"{name} must be a whole number, an int, not {amount!r}")


def _purchase(
    external_order_id: str,
    subtotal_cents: int,
    email: str | None,
    phone: str | None,
    currency: str | None,
    occurred_at: datetime | str | None,
    metadata: Mapping[str, Any] | None,
    idempotency_key: str | None,
) -> _Call:
    _require_whole(subtotal_cents=subtotal_cents)
    fields = {
        "externalOrderId": external_order_id,
        "customer": _known({"email": email, "phone": phone}),
        "order": _known({"subtotalCents": subtotal_cents, "currency": currency}),
        "occurredAt": _iso(occurred_at),
        "metadata": None if metadata is None else dict(metadata),
    }
    return _post("purchases", fields, ("purchase", external_order_id), idempotency_key)


def _refund(
    external_order_id: str,
    external_refund_id: str | None,
    amount_cents: int | None,
    reason: str | None,
    occurred_at: datetime | str | None,
    metadata: Mapping[str, Any] | None,
    idempotency_key: str | None,
) -> _Call:
    _require_whole(amount_cents=amount_cents)
    fields = {
        "externalOrderId": external_order_id,
        "externalRefundId": external_refund_id,
        "amountCents": amount_cents,
        "reason": reason,
        "occurredAt": _iso(occurred_at),
        "metadata": None if metadata is None else dict(metadata),
    }
    ids = ("refund", external_order_id, *([external_refund_id] if external_refund_id else []))
    return _post("refunds", fields, ids, idempotency_key)


def _quote(
    subtotal_cents: int, email: str | None, phone: str | None, currency: str | None
) -> _Call:
    _require_whole(subtotal_cents=subtotal_cents)
    customer = _known({"email": email, "phone": phone})
    order = _known({"subtotalCents": subtotal_cents, "currency": currency})
    return _ask("quotes", {"order": order, "customer": customer or None})


def _balance(email: str | None, phone: str | None) -> _Call:
    return _ask("balances", {"customer": _known({"email": email, "phone": phone})})


def _redeem(
    external_redemption_id: str,
    email: str | None,
    phone: str | None,
    points: int | None,
    amount_cents: int | None,
    external_order_id: str | None,
    hold: bool | None,
    idempotency_key: str | None,
) -> _Call:
    _require_whole(points=points, amount_cents=amount_cents)
    fields = {
        "externalRedemptionId": external_redemption_id,
        "customer": _known({"email": email, "phone": phone}),
        "points": points,
        "amountCents": amount_cents,
        "externalOrderId": external_order_id,
        "hold": hold,
    }
    ids = ("redemption", external_redemption_id)
    return _post("redemptions", fields, ids, idempotency_key)


def _end(redemption_id: str, action: str, idempotency_key: str | None) -> _Call:
    resource = f"redemptions/{quote(redemption_id, safe='')}/{action}"
    return _post(resource, {}, (action, redemption_id), idempotency_key)


def _reward(reward_id: str) -> _Call:
    return _Call("GET", "rewards/" + quote(reward_id, safe=""))


def _order(external_order_id: str) -> _Call:
    return _Call("GET", "orders/" + quote(external_order_id, safe=""))


def _reconcile(orders: str | bytes, content_type: str) -> _Call:
    content = orders.encode() if isinstance(orders, str) else bytes(orders)
    return _Call("POST", "reconciliations", content, content_type=content_type)


def _reconciliation(reconciliation_id: str) -> _Call:
    return _Call("GET", "reconciliations/" + quote(reconciliation_id, safe=""))


def _differences(reconciliation_id: str, page: int) -> _Call:
    return _Call("GET", f"reconciliations/{quote(reconciliation_id, safe='')}/pages/{page}")


def _redemption(redemption_id: str) -> _Call:
    return _Call("GET", "redemptions/" + quote(redemption_id, safe=""))


def _receipt(reward_id: str) -> _Call:
    return _Call("GET", f"rewards/{quote(reward_id, safe='')}/receipt")


def _start_rehearsal(minutes: int | None) -> _Call:
    return _ask("test/rehearsals", {"minutes": minutes})


def _rehearsal(rehearsal_id: str) -> _Call:
    return _Call("GET", "test/rehearsals/" + quote(rehearsal_id, safe=""))


def _iso(at: datetime | str | None) -> str | None:
    if not isinstance(at, datetime):
        return at
    if at.tzinfo is None:
        raise ValueError("occurred_at needs a timezone")
    return at.isoformat(timespec="milliseconds")


def _patience(timeout: float, attempt: _Attempt) -> float:
    """With the time that the service gives a body to arrive: a second for each 32 kB."""
    return timeout + len(attempt.content) // 32_000


def _no_answer(attempt: _Attempt, why: str) -> PartnerNetworkError:
    message = f"{attempt.method} {attempt.url} got no response: {why}"
    return PartnerNetworkError(message, idempotency_key=attempt.headers.get("Idempotency-Key"))


def _why(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__


class Client:
    """A partner's client of the service.

    Every method signs and sends a request, and retries it if that can help: after network errors, timeouts,
    408, 429, 500, 502, 503 and 504. It raises :class:`PartnerApiError` for a refusal, and
    :class:`PartnerNetworkError` without a response.

    :param base_url: the service's URL, such as ``https://rewards.example.com``
    :param key: the API key; its mode, TEST or LIVE, is the client's mode
    :param secret: the signing secret, exactly as shown
    :param brand: the brand word in the header names
    :param timeout: seconds for one attempt, including the response's body; a list has a second more for
        each 32 kB
    :param wait_for_rate_limit: waits before a request that would exceed the rate limit according to the
        last response, rather than sending it and being refused
    :param http: the HTTP client to use; ``close`` leaves it open
    """

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        secret: str,
        brand: str = "Partner",
        timeout: float = 10.0,
        max_attempts: int = 7,
        wait_for_rate_limit: bool = False,
        http: httpx.Client | None = None,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = chance.random,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._core = _Core(
            base_url=base_url,
            key=key,
            secret=secret,
            brand=brand,
            max_attempts=max_attempts,
            wait_for_rate_limit=wait_for_rate_limit,
            now=now,
            random=random,
        )
        self._timeout = timeout
        self._http = http or httpx.Client()
        self._owns_http = http is None
        self._sleep = sleep

    def purchase(
        self,
        external_order_id: str,
        *,
        subtotal_cents: int,
        email: str | None = None,
        phone: str | None = None,
        currency: str | None = None,
        occurred_at: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Purchase]:
        """Reports a purchase, and returns the reward that it earned. Give ``email``, ``phone`` or both.

        :param idempotency_key: 1 to 255 visible ASCII characters; without it, it is derived from the order
            id, so that a retry after a crash of your process is a replay, too
        """
        return self._run(
            _purchase(
                external_order_id,
                subtotal_cents,
                email,
                phone,
                currency,
                occurred_at,
                metadata,
                idempotency_key,
            )
        )

    def refund(
        self,
        external_order_id: str,
        *,
        external_refund_id: str | None = None,
        amount_cents: int | None = None,
        reason: str | None = None,
        occurred_at: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Refund]:
        """Reports the refund of an earlier purchase: of a part if `amount_cents` is given.

        ``ORIGINAL_PURCHASE_NOT_FOUND`` means that the purchase was not reported yet: report it, and then
        send the same refund with the same key again.
        """
        return self._run(
            _refund(
                external_order_id,
                external_refund_id,
                amount_cents,
                reason,
                occurred_at,
                metadata,
                idempotency_key,
            )
        )

    def quote(
        self,
        *,
        subtotal_cents: int,
        email: str | None = None,
        phone: str | None = None,
        currency: str | None = None,
    ) -> Answer[Quote]:
        """What a purchase would give now. Stores nothing."""
        return self._run(_quote(subtotal_cents, email, phone, currency))

    def balance(self, *, email: str | None = None, phone: str | None = None) -> Answer[Balance]:
        """What a customer can spend now; zeros for one who was never seen."""
        return self._run(_balance(email, phone))

    def redeem(
        self,
        external_redemption_id: str,
        *,
        email: str | None = None,
        phone: str | None = None,
        points: int | None = None,
        amount_cents: int | None = None,
        external_order_id: str | None = None,
        hold: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Redemption]:
        """Pays with a customer's points, or holds them for 15 minutes: ``points``, or ``amount_cents``."""
        return self._run(
            _redeem(
                external_redemption_id,
                email,
                phone,
                points,
                amount_cents,
                external_order_id,
                hold,
                idempotency_key,
            )
        )

    def capture(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Spends points that are held: their order is paid."""
        return self._run(_end(redemption_id, "capture", idempotency_key))

    def release(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives points that are held back to the customer: their order was not placed."""
        return self._run(_end(redemption_id, "release", idempotency_key))

    def reverse(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives spent points back to the customer: the order that they paid for is refunded."""
        return self._run(_end(redemption_id, "reverse", idempotency_key))

    def reward(self, reward_id: str) -> Answer[Reward]:
        """The current state of a purchase's reward."""
        return self._run(_reward(reward_id))

    def order(self, external_order_id: str) -> Answer[Order]:
        """The reward and the refunds of an order, by your own id."""
        return self._run(_order(external_order_id))

    def reconcile(
        self, orders: str | bytes, *, content_type: str = "text/csv"
    ) -> Answer[Reconciliation]:
        """Compares your own list of orders and refunds with what was reported, in the background.

        :param orders: CSV, or JSON lines as ``application/x-ndjson``; up to 5 MiB
        """
        return self._run(_reconcile(orders, content_type))

    def reconciliation(self, reconciliation_id: str) -> Answer[Reconciliation]:
        """A reconciliation: its counts once it is done, and the first of its differences."""
        return self._run(_reconciliation(reconciliation_id))

    def differences(self, reconciliation_id: str, page: int) -> Answer[Differences]:
        """A page of the differences of a reconciliation, from 1."""
        return self._run(_differences(reconciliation_id, page))

    def redemption(self, redemption_id: str) -> Answer[RedemptionRead]:
        """A redemption as it is now; a repeated capture returns it as it was then."""
        return self._run(_redemption(redemption_id))

    def receipt(self, reward_id: str) -> Answer[Receipt]:
        """What proves the ledger entries of a LIVE reward to anyone with the service's public keys."""
        return self._run(_receipt(reward_id))

    def start_rehearsal(self, *, minutes: int | None = None) -> Answer[Rehearsal]:
        """Makes TEST fail on purpose for this TEST key: what fails is worth sending again.

        :param minutes: 1 to 60; 10 by default
        """
        return self._run(_start_rehearsal(minutes))

    def rehearsal(self, rehearsal_id: str) -> Answer[Rehearsal]:
        """A rehearsal of this key, and how the integration did."""
        return self._run(_rehearsal(rehearsal_id))

    def plans(self) -> Answer[Plans]:
        """The published plan versions."""
        return self._run(_Call("GET", "plans"))

    def usage(self) -> Answer[Usage]:
        """The current billing period's points, with a projection and the newest events."""
        return self._run(_Call("GET", "usage"))

    def billing(self) -> Answer[Billing]:
        """The subscription, the wallet and the newest invoices."""
        return self._run(_Call("GET", "billing"))

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, call: _Call) -> Answer[Any]:
        steps = self._core.steps(call)
        outcome: _Complete | PartnerNetworkError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                return cast("Answer[Any]", done.value)
            outcome = None
            if isinstance(step, _Attempt):
                outcome = self._send(step)
            else:
                self._sleep(step)

    def _send(self, attempt: _Attempt) -> _Complete | PartnerNetworkError:
        patience = _patience(self._timeout, attempt)
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
                    return _Complete(response.status_code, response.headers, bytes(content))
        except httpx.TimeoutException:
            pass
        except httpx.HTTPError as error:
            return _no_answer(attempt, _why(error))
        return _no_answer(attempt, f"none was complete within {patience:g} s")


class AsyncClient:
    """The same as :class:`Client` for asyncio and trio."""

    def __init__(
        self,
        *,
        base_url: str,
        key: str,
        secret: str,
        brand: str = "Partner",
        timeout: float = 10.0,
        max_attempts: int = 7,
        wait_for_rate_limit: bool = False,
        http: httpx.AsyncClient | None = None,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = chance.random,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._core = _Core(
            base_url=base_url,
            key=key,
            secret=secret,
            brand=brand,
            max_attempts=max_attempts,
            wait_for_rate_limit=wait_for_rate_limit,
            now=now,
            random=random,
        )
        self._timeout = timeout
        self._http = http or httpx.AsyncClient()
        self._owns_http = http is None
        self._sleep = sleep

    async def purchase(
        self,
        external_order_id: str,
        *,
        subtotal_cents: int,
        email: str | None = None,
        phone: str | None = None,
        currency: str | None = None,
        occurred_at: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Purchase]:
        """Reports a purchase, and returns the reward that it earned. Give ``email``, ``phone`` or both."""
        return await self._run(
            _purchase(
                external_order_id,
                subtotal_cents,
                email,
                phone,
                currency,
                occurred_at,
                metadata,
                idempotency_key,
            )
        )

    async def refund(
        self,
        external_order_id: str,
        *,
        external_refund_id: str | None = None,
        amount_cents: int | None = None,
        reason: str | None = None,
        occurred_at: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Refund]:
        """Reports the refund of an earlier purchase: of a part if `amount_cents` is given."""
        return await self._run(
            _refund(
                external_order_id,
                external_refund_id,
                amount_cents,
                reason,
                occurred_at,
                metadata,
                idempotency_key,
            )
        )

    async def quote(
        self,
        *,
        subtotal_cents: int,
        email: str | None = None,
        phone: str | None = None,
        currency: str | None = None,
    ) -> Answer[Quote]:
        """What a purchase would give now. Stores nothing."""
        return await self._run(_quote(subtotal_cents, email, phone, currency))

    async def balance(self, *, email: str | None = None, phone: str | None = None) -> Answer[Balance]:
        """What a customer can spend now; zeros for one who was never seen."""
        return await self._run(_balance(email, phone))

    async def redeem(
        self,
        external_redemption_id: str,
        *,
        email: str | None = None,
        phone: str | None = None,
        points: int | None = None,
        amount_cents: int | None = None,
        external_order_id: str | None = None,
        hold: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Redemption]:
        """Pays with a customer's points, or holds them for 15 minutes: ``points``, or ``amount_cents``."""
        return await self._run(
            _redeem(
                external_redemption_id,
                email,
                phone,
                points,
                amount_cents,
                external_order_id,
                hold,
                idempotency_key,
            )
        )

    async def capture(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Spends points that are held: their order is paid."""
        return await self._run(_end(redemption_id, "capture", idempotency_key))

    async def release(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives points that are held back to the customer: their order was not placed."""
        return await self._run(_end(redemption_id, "release", idempotency_key))

    async def reverse(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives spent points back to the customer: the order that they paid for is refunded."""
        return await self._run(_end(redemption_id, "reverse", idempotency_key))

    async def reward(self, reward_id: str) -> Answer[Reward]:
        """The current state of a purchase's reward."""
        return await self._run(_reward(reward_id))

    async def order(self, external_order_id: str) -> Answer[Order]:
        """The reward and the refunds of an order, by your own id."""
        return await self._run(_order(external_order_id))

    async def reconcile(
        self, orders: str | bytes, *, content_type: str = "text/csv"
    ) -> Answer[Reconciliation]:
        """Compares your own list of orders and refunds with what was reported, in the background."""
        return await self._run(_reconcile(orders, content_type))

    async def reconciliation(self, reconciliation_id: str) -> Answer[Reconciliation]:
        """A reconciliation: its counts once it is done, and the first of its differences."""
        return await self._run(_reconciliation(reconciliation_id))

    async def differences(self, reconciliation_id: str, page: int) -> Answer[Differences]:
        """A page of the differences of a reconciliation, from 1."""
        return await self._run(_differences(reconciliation_id, page))

    async def redemption(self, redemption_id: str) -> Answer[RedemptionRead]:
        """A redemption as it is now; a repeated capture returns it as it was then."""
        return await self._run(_redemption(redemption_id))

    async def receipt(self, reward_id: str) -> Answer[Receipt]:
        """What proves the ledger entries of a LIVE reward to anyone with the service's public keys."""
        return await self._run(_receipt(reward_id))

    async def start_rehearsal(self, *, minutes: int | None = None) -> Answer[Rehearsal]:
        """Makes TEST fail on purpose for this TEST key: what fails is worth sending again.

        :param minutes: 1 to 60; 10 by default
        """
        return await self._run(_start_rehearsal(minutes))

    async def rehearsal(self, rehearsal_id: str) -> Answer[Rehearsal]:
        """A rehearsal of this key, and how the integration did."""
        return await self._run(_rehearsal(rehearsal_id))

    async def plans(self) -> Answer[Plans]:
        """The published plan versions."""
        return await self._run(_Call("GET", "plans"))

    async def usage(self) -> Answer[Usage]:
        """The current billing period's points, with a projection and the newest events."""
        return await self._run(_Call("GET", "usage"))

    async def billing(self) -> Answer[Billing]:
        """The subscription, the wallet and the newest invoices."""
        return await self._run(_Call("GET", "billing"))

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _run(self, call: _Call) -> Answer[Any]:
        steps = self._core.steps(call)
        outcome: _Complete | PartnerNetworkError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                return cast("Answer[Any]", done.value)
            outcome = None
            if isinstance(step, _Attempt):
                outcome = await self._send(step)
            else:
                await self._sleep(step)

    async def _send(self, attempt: _Attempt) -> _Complete | PartnerNetworkError:
        patience = _patience(self._timeout, attempt)
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
            return _Complete(response.status_code, response.headers, response.content)
        except TimeoutError:
            return _no_answer(attempt, f"none was complete within {patience:g} s")
        except httpx.HTTPError as error:
            return _no_answer(attempt, _why(error))
