"""The requests of a partner's client, as they are signed and sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote as quoted
from urllib.parse import urlencode

from ._idempotency import idempotency_key_of, require_sendable


@dataclass(frozen=True)
class Call:
    """A call, which stays the same for all its attempts."""

    method: str
    resource: str
    content: bytes = b""
    idempotency_key: str | None = None
    content_type: str = "application/json"
    #: Not signed, and so only of lists.
    query: str = ""


def _post(
    resource: str, fields: dict[str, Any], ids: tuple[str, ...], idempotency_key: str | None
) -> Call:
    key = (
        idempotency_key_of(*ids) if idempotency_key is None else require_sendable(idempotency_key)
    )
    return replace(_ask(resource, fields), idempotency_key=key)


def _ask(resource: str, fields: dict[str, Any]) -> Call:
    """A question that stores nothing, and has no idempotency key."""
    # Serialized once: with other bytes, a retry would be an idempotency conflict.
    text = json.dumps(_known(fields), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        body = text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a surrogate pair, which cannot be sent") from error
    return Call("POST", resource, body)


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _id(given: str | int | None) -> str | None:
    return None if given is None else str(given)


def _require_whole(**amounts: int | None) -> None:
    for name, amount in amounts.items():
        if amount is not None and type(amount) is not int:
            raise TypeError(f"{name} must be a whole number, an int, not {amount!r}")


def purchase(
    external_order_id: str | int,
    subtotal_cents: int,
    email: str | None,
    phone: str | None,
    currency: str | None,
    occurred_at: datetime | str | None,
    metadata: Mapping[str, Any] | None,
    idempotency_key: str | None,
) -> Call:
    _require_whole(subtotal_cents=subtotal_cents)
    fields = {
        "externalOrderId": _id(external_order_id),
        "customer": _known({"email": email, "phone": phone}),
        "order": _known({"subtotalCents": subtotal_cents, "currency": currency}),
        "occurredAt": _iso("occurred_at", occurred_at),
        "metadata": None if metadata is None else dict(metadata),
    }
    return _post("purchases", fields, ("purchase", str(external_order_id)), idempotency_key)


def refund(
    external_order_id: str | int,
    external_refund_id: str | int | None,
    amount_cents: int | None,
    reason: str | None,
    occurred_at: datetime | str | None,
    metadata: Mapping[str, Any] | None,
    idempotency_key: str | None,
) -> Call:
    _require_whole(amount_cents=amount_cents)
    fields = {
        "externalOrderId": _id(external_order_id),
        "externalRefundId": _id(external_refund_id),
        "amountCents": amount_cents,
        "reason": reason,
        "occurredAt": _iso("occurred_at", occurred_at),
        "metadata": None if metadata is None else dict(metadata),
    }
    refund_id = _id(external_refund_id)
    ids = ("refund", str(external_order_id), *([refund_id] if refund_id else []))
    return _post("refunds", fields, ids, idempotency_key)


def quote(
    subtotal_cents: int, email: str | None, phone: str | None, currency: str | None
) -> Call:
    _require_whole(subtotal_cents=subtotal_cents)
    customer = _known({"email": email, "phone": phone})
    order = _known({"subtotalCents": subtotal_cents, "currency": currency})
    return _ask("quotes", {"order": order, "customer": customer or None})


def balance(email: str | None, phone: str | None) -> Call:
    return _ask("balances", {"customer": _known({"email": email, "phone": phone})})


def redeem(
    external_redemption_id: str | int,
    email: str | None,
    phone: str | None,
    points: int | None,
    amount_cents: int | None,
    external_order_id: str | int | None,
    hold: bool | None,
    idempotency_key: str | None,
) -> Call:
    _require_whole(points=points, amount_cents=amount_cents)
    fields = {
        "externalRedemptionId": _id(external_redemption_id),
        "customer": _known({"email": email, "phone": phone}),
        "points": points,
        "amountCents": amount_cents,
        "externalOrderId": _id(external_order_id),
        "hold": hold,
    }
    ids = ("redemption", str(external_redemption_id))
    return _post("redemptions", fields, ids, idempotency_key)


def end(redemption_id: str, action: str, idempotency_key: str | None) -> Call:
    resource = f"redemptions/{quoted(redemption_id, safe='')}/{action}"
    return _post(resource, {}, (action, redemption_id), idempotency_key)


def reverse_part(
    redemption_id: str, points: int | None, amount_cents: int | None, idempotency_key: str
) -> Call:
    _require_whole(points=points, amount_cents=amount_cents)
    if (points is None) == (amount_cents is None):
        raise ValueError("give points or amount_cents")
    resource = f"redemptions/{quoted(redemption_id, safe='')}/reverse"
    return _post(resource, {"points": points, "amountCents": amount_cents}, (), idempotency_key)


def reward(reward_id: str) -> Call:
    return Call("GET", "rewards/" + quoted(reward_id, safe=""))


def order(external_order_id: str | int) -> Call:
    return Call("GET", "orders/" + quoted(str(external_order_id), safe=""))


def listed(
    resource: str,
    email: str | None,
    phone: str | None,
    changed_since: datetime | str | None,
    received_from: datetime | str | None,
    received_to: datetime | str | None,
    status: str | None,
    limit: int | None,
    cursor: str | None,
) -> Call:
    """A page of a list. A contact is never in a URL: the list of a customer is a POST."""
    query = {
        "changedSince": _iso("changed_since", changed_since),
        "receivedFrom": _iso("received_from", received_from),
        "receivedTo": _iso("received_to", received_to),
        "status": status,
        "limit": limit,
        "cursor": cursor,
    }
    customer = _known({"email": email, "phone": phone})
    if customer:
        return _ask(f"{resource}/search", {"customer": customer, **query})
    return Call("GET", resource, query=urlencode(_known(query)))


def release_order(external_order_id: str | int, idempotency_key: str | None) -> Call:
    resource = f"orders/{quoted(str(external_order_id), safe='')}/release"
    return _post(resource, {}, ("releaseOrder", str(external_order_id)), idempotency_key)


def reconcile(orders: str | bytes, content_type: str) -> Call:
    content = orders.encode() if isinstance(orders, str) else bytes(orders)
    return Call("POST", "reconciliations", content, content_type=content_type)


def reconciliation(reconciliation_id: str) -> Call:
    return Call("GET", "reconciliations/" + quoted(reconciliation_id, safe=""))


def differences(reconciliation_id: str, page: int) -> Call:
    return Call("GET", f"reconciliations/{quoted(reconciliation_id, safe='')}/pages/{page}")


def redemption(redemption_id: str) -> Call:
    return Call("GET", "redemptions/" + quoted(redemption_id, safe=""))


def receipt(reward_id: str) -> Call:
    return Call("GET", f"rewards/{quoted(reward_id, safe='')}/receipt")


def start_rehearsal(minutes: int | None) -> Call:
    return _ask("test/rehearsals", {"minutes": minutes})


def rehearsal(rehearsal_id: str) -> Call:
    return Call("GET", "test/rehearsals/" + quoted(rehearsal_id, safe=""))


def _iso(name: str, at: datetime | str | None) -> str | None:
    if not isinstance(at, datetime):
        return at
    if at.tzinfo is None:
        raise ValueError(f"{name} needs a timezone")
    return at.isoformat(timespec="milliseconds")
