"""Reports purchases and refunds to Partner Events."""

from . import _webhook_types as webhook_events
from ._answer import Answer
from ._async.client import AsyncClient
from ._core import AttemptReport
from ._errors import (
    AuthenticationError,
    ConflictError,
    ConnectionError,
    InvalidRequestError,
    NotFoundError,
    PartnerApiError,
    PartnerError,
    PermissionDeniedError,
    RateLimitError,
    UnavailableError,
    UnexpectedResponseError,
    UnprocessableError,
)
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
    OrderFields,
    OrderList,
    Plans,
    PlanVersion,
    Purchase,
    Quote,
    Receipt,
    Reconciliation,
    Redemption,
    RedemptionFields,
    RedemptionList,
    RedemptionRead,
    Refund,
    Rehearsal,
    Reward,
    Usage,
)
from ._webhook import WebhookErrorCode, WebhookVerificationError, verify_webhook
from ._webhook_types import WebhookEvent

__all__ = [
    "Answer",
    "AsyncClient",
    "AttemptReport",
    "AuthenticationError",
    "Balance",
    "Billing",
    "Client",
    "ConflictError",
    "ConnectionError",
    "Difference",
    "Differences",
    "InvalidRequestError",
    "NotFoundError",
    "Order",
    "OrderFields",
    "OrderList",
    "PartnerApiError",
    "PartnerError",
    "PermissionDeniedError",
    "PlanVersion",
    "Plans",
    "Purchase",
    "Quote",
    "RateLimit",
    "RateLimitError",
    "Receipt",
    "Reconciliation",
    "Redemption",
    "RedemptionFields",
    "RedemptionList",
    "RedemptionRead",
    "Refund",
    "Rehearsal",
    "Reward",
    "UnavailableError",
    "UnexpectedResponseError",
    "UnprocessableError",
    "Usage",
    "WebhookErrorCode",
    "WebhookEvent",
    "WebhookVerificationError",
    "canonical_string",
    "idempotency_key_of",
    "sign",
    "signed_headers",
    "verify_webhook",
    "webhook_events",
]
