"""Reports purchases and refunds to Partner Events."""

from ._answer import Answer
from ._async.client import AsyncClient
from ._errors import PartnerApiError, PartnerError, PartnerNetworkError
from ._idempotency import idempotency_key_of
from ._rate_limit import RateLimit
from ._signing import canonical_string, sign, signed_headers
from ._sync.client import Client
from ._types import (
    Balance,
    Billing,
    Difference,
    Differences,
    Order,
    Plans,
    PlanVersion,
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
    WebhookEvent,
)
from ._webhook import WebhookErrorCode, WebhookVerificationError, verify_webhook

__all__ = [
    "Answer",
    "AsyncClient",
    "Balance",
    "Billing",
    "Client",
    "Difference",
    "Differences",
    "Order",
    "PartnerApiError",
    "PartnerError",
    "PartnerNetworkError",
    "PlanVersion",
    "Plans",
    "Purchase",
    "Quote",
    "RateLimit",
    "Receipt",
    "Reconciliation",
    "Rehearsal",
    "Redemption",
    "RedemptionRead",
    "Refund",
    "Reward",
    "Usage",
    "WebhookErrorCode",
    "WebhookEvent",
    "WebhookVerificationError",
    "canonical_string",
    "idempotency_key_of",
    "sign",
    "signed_headers",
    "verify_webhook",
]
