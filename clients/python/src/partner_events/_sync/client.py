from __future__ import annotations

import copy
import random as chance
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import httpx

from .. import _requests as requests
from .._answer import Answer
from .._core import Attempt, AttemptReport, Complete, Core
from .._errors import ConnectionError
from .._retry import LONGEST_RETRY_AFTER
from .._transport import Items, Sleep, Transport, sleep
from .._types import (
    Balance,
    Billing,
    Differences,
    Order,
    OrderFields,
    OrderList,
    Plans,
    Purchase,
    Quote,
    Receipt,
    Reconciliation,
    Redemption,
    RedemptionFields,
    RedemptionList,
    RedemptionRead,
    RedemptionStatus,
    Refund,
    Rehearsal,
    Reward,
    RewardStatus,
    Usage,
)


class Client:
    """A partner's client of the service.

    Every method signs and sends a request, and retries it if that can help: after network errors, timeouts,
    408, 429, 500, 502, 503 and 504. It raises a :class:`PartnerError`: a :class:`PartnerApiError` of its kind
    for a refusal, and :class:`ConnectionError` without a response.

    :param base_url: the service's URL, such as ``https://rewards.example.com``
    :param key: the API key; its mode, TEST or LIVE, is the client's mode
    :param secret: the signing secret, exactly as shown
    :param brand: the brand word in the header names
    :param timeout: seconds for one attempt, including the response's body; a list has a second more for
        each 32 kB
    :param max_retry_after: the longest ``Retry-After`` to wait for, in seconds; the error tells of a
        longer one
    :param on_attempt: is told of each attempt, for logs and traces; what it raises is ignored
    :param wait_for_rate_limit: waits before a request that would exceed the rate limit according to the
        last response, rather than sending it and being refused
    :param http: the HTTP client to use; closing the client leaves it open
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
        max_retry_after: float = LONGEST_RETRY_AFTER,
        on_attempt: Callable[[AttemptReport], None] | None = None,
        wait_for_rate_limit: bool = False,
        http: httpx.Client | None = None,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = chance.random,
        sleep: Sleep = sleep,
    ) -> None:
        self._core = Core(
            base_url=base_url,
            key=key,
            secret=secret,
            brand=brand,
            timeout=timeout,
            max_attempts=max_attempts,
            max_retry_after=max_retry_after,
            on_attempt=on_attempt,
            wait_for_rate_limit=wait_for_rate_limit,
            now=now,
            random=random,
        )
        self._transport = Transport(http)
        self._sleep = sleep

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_attempts: int | None = None,
        max_retry_after: float | None = None,
    ) -> Client:
        """The same client with other limits, for a call: ``client.with_options(timeout=2).quote(…)``.

        It shares the connections of this one, and does not need to be closed.
        """
        changed = copy.copy(self)
        changed._core = self._core.with_options(
            timeout=timeout, max_attempts=max_attempts, max_retry_after=max_retry_after
        )
        return changed

    def purchase(
        self,
        external_order_id: str | int,
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
            requests.purchase(
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
        external_order_id: str | int,
        *,
        external_refund_id: str | int | None = None,
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
            requests.refund(
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
        return self._run(requests.quote(subtotal_cents, email, phone, currency))

    def balance(self, *, email: str | None = None, phone: str | None = None) -> Answer[Balance]:
        """What a customer can spend now; zeros for one who was never seen."""
        return self._run(requests.balance(email, phone))

    def redeem(
        self,
        external_redemption_id: str | int,
        *,
        email: str | None = None,
        phone: str | None = None,
        points: int | None = None,
        amount_cents: int | None = None,
        external_order_id: str | int | None = None,
        hold: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[Redemption]:
        """Pays with a customer's points, or holds them for 15 minutes: ``points``, or ``amount_cents``."""
        return self._run(
            requests.redeem(
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
        return self._run(requests.end(redemption_id, "capture", idempotency_key))

    def release(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives points that are held back to the customer: their order was not placed."""
        return self._run(requests.end(redemption_id, "release", idempotency_key))

    def reverse(
        self, redemption_id: str, *, idempotency_key: str | None = None
    ) -> Answer[Redemption]:
        """Gives spent points back to the customer, all that are left: their order is refunded."""
        return self._run(requests.end(redemption_id, "reverse", idempotency_key))

    def reverse_part(
        self,
        redemption_id: str,
        *,
        points: int | None = None,
        amount_cents: int | None = None,
        idempotency_key: str,
    ) -> Answer[Redemption]:
        """Gives a part of them back: a part of the order is refunded. Give ``points`` or ``amount_cents``.

        :param idempotency_key: of this part, such as your id of the refund: two equal parts are two
        """
        return self._run(
            requests.reverse_part(redemption_id, points, amount_cents, idempotency_key)
        )

    def reward(self, reward_id: str) -> Answer[Reward]:
        """The current state of a purchase's reward."""
        return self._run(requests.reward(reward_id))

    def order(self, external_order_id: str | int) -> Answer[Order]:
        """An order as it is now, by your own id: what is left of it, its reward, refunds and redemptions."""
        return self._run(requests.order(external_order_id))

    def release_order(
        self, external_order_id: str | int, *, idempotency_key: str | None = None
    ) -> Answer[Order]:
        """Ends the hold of an order, since nothing of it will come back.

        A repeat returns the order as it is.
        """
        return self._run(requests.release_order(external_order_id, idempotency_key))

    def orders(
        self,
        *,
        email: str | None = None,
        phone: str | None = None,
        changed_since: datetime | str | None = None,
        received_from: datetime | str | None = None,
        received_to: datetime | str | None = None,
        status: RewardStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer[OrderList]:
        """A page of the orders that your integration reported, the newest change first.

        Of one customer with ``email`` or ``phone``, the newest order first; the key then also needs the
        scope ``customers:read``.

        :param received_to: the first time that is too late
        :param limit: 1 to 100; 25 by default
        :param cursor: the ``nextCursor`` of the previous page
        """
        return self._run(
            requests.listed(
                "orders",
                email,
                phone,
                changed_since,
                received_from,
                received_to,
                status,
                limit,
                cursor,
            )
        )

    def all_orders(
        self,
        *,
        email: str | None = None,
        phone: str | None = None,
        changed_since: datetime | str | None = None,
        received_from: datetime | str | None = None,
        received_to: datetime | str | None = None,
        status: RewardStatus | None = None,
        limit: int | None = None,
    ) -> Items[OrderFields]:
        """The same orders one by one; the next page is read when it is needed."""
        cursor: str | None = None
        while True:
            page = self.orders(
                email=email,
                phone=phone,
                changed_since=changed_since,
                received_from=received_from,
                received_to=received_to,
                status=status,
                limit=limit,
                cursor=cursor,
            )
            for order in page.body["orders"]:
                yield order
            cursor = page.body["nextCursor"]
            if cursor is None:
                return

    def redemptions(
        self,
        *,
        email: str | None = None,
        phone: str | None = None,
        changed_since: datetime | str | None = None,
        received_from: datetime | str | None = None,
        received_to: datetime | str | None = None,
        status: RedemptionStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer[RedemptionList]:
        """A page of the redemptions of your integration, the newest change first.

        Of one customer with ``email`` or ``phone``, the newest first; the key then also needs the scope
        ``customers:read``.

        :param received_to: the first time that is too late
        :param limit: 1 to 100; 25 by default
        :param cursor: the ``nextCursor`` of the previous page
        """
        return self._run(
            requests.listed(
                "redemptions",
                email,
                phone,
                changed_since,
                received_from,
                received_to,
                status,
                limit,
                cursor,
            )
        )

    def all_redemptions(
        self,
        *,
        email: str | None = None,
        phone: str | None = None,
        changed_since: datetime | str | None = None,
        received_from: datetime | str | None = None,
        received_to: datetime | str | None = None,
        status: RedemptionStatus | None = None,
        limit: int | None = None,
    ) -> Items[RedemptionFields]:
        """The same redemptions one by one; the next page is read when it is needed."""
        cursor: str | None = None
        while True:
            page = self.redemptions(
                email=email,
                phone=phone,
                changed_since=changed_since,
                received_from=received_from,
                received_to=received_to,
                status=status,
                limit=limit,
                cursor=cursor,
            )
            for redemption in page.body["redemptions"]:
                yield redemption
            cursor = page.body["nextCursor"]
            if cursor is None:
                return

    def reconcile(
        self, orders: str | bytes, *, content_type: str = "text/csv"
    ) -> Answer[Reconciliation]:
        """Compares your own list of orders and refunds with what was reported, in the background.

        :param orders: CSV, or JSON lines as ``application/x-ndjson``; up to 5 MiB
        """
        return self._run(requests.reconcile(orders, content_type))

    def reconciliation(self, reconciliation_id: str) -> Answer[Reconciliation]:
        """A reconciliation: its counts once it is done, and the first of its differences."""
        return self._run(requests.reconciliation(reconciliation_id))

    def differences(self, reconciliation_id: str, page: int) -> Answer[Differences]:
        """A page of the differences of a reconciliation, from 1."""
        return self._run(requests.differences(reconciliation_id, page))

    def redemption(self, redemption_id: str) -> Answer[RedemptionRead]:
        """A redemption as it is now; a repeated capture returns it as it was then."""
        return self._run(requests.redemption(redemption_id))

    def receipt(self, reward_id: str) -> Answer[Receipt]:
        """What proves the ledger entries of a LIVE reward to anyone with the service's public keys."""
        return self._run(requests.receipt(reward_id))

    def start_rehearsal(self, *, minutes: int | None = None) -> Answer[Rehearsal]:
        """Makes TEST fail on purpose for this TEST key: what fails is worth sending again.

        :param minutes: 1 to 60; 10 by default
        """
        return self._run(requests.start_rehearsal(minutes))

    def rehearsal(self, rehearsal_id: str) -> Answer[Rehearsal]:
        """A rehearsal of this key, and how the integration did."""
        return self._run(requests.rehearsal(rehearsal_id))

    def plans(self) -> Answer[Plans]:
        """The published plan versions."""
        return self._run(requests.Call("GET", "plans"))

    def usage(self) -> Answer[Usage]:
        """The current billing period's points, with a projection and the newest events."""
        return self._run(requests.Call("GET", "usage"))

    def billing(self) -> Answer[Billing]:
        """The subscription, the wallet and the newest invoices."""
        return self._run(requests.Call("GET", "billing"))

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, call: requests.Call) -> Answer[Any]:
        steps = self._core.steps(call)
        outcome: Complete | ConnectionError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                return cast("Answer[Any]", done.value)
            outcome = None
            if isinstance(step, Attempt):
                outcome = self._transport.send(step)
            else:
                self._sleep(step)
