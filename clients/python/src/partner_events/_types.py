"""The fields of responses, as in their JSON. Money is whole cents, and points are integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

Mode = Literal["TEST", "LIVE"]
RewardStatus = Literal[
    "PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"
]
RefundStatus = Literal["CANCELLED", "REDUCED", "ADMIN_REVIEW", "NO_ACTION"]
CustomerStatus = Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]


class PurchaseReward(TypedDict):
    id: str
    points: int
    status: Literal["PENDING"]
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM"]
    claimExpiresAt: str
    claimableFrom: str | None
    """When its hold ends; ``None`` if it can be claimed at once."""
    claimUrl: NotRequired[str]
    """Only for integrations that deliver claim links themselves. Send it only to the customer."""


class Purchase(TypedDict):
    success: Literal[True]
    mode: Mode
    eventId: str
    externalOrderId: str
    reward: PurchaseReward


class RefundOutcome(TypedDict):
    externalRefundId: str
    status: RefundStatus
    amountCents: int


class RefundedReward(TypedDict):
    id: str
    points: int
    status: RewardStatus


class Refund(TypedDict):
    success: Literal[True]
    mode: Mode
    eventId: str
    externalOrderId: str
    refund: RefundOutcome
    reward: RefundedReward


class Quote(TypedDict):
    success: Literal[True]
    mode: Mode
    points: int
    explanation: str
    """How the points are worked out."""
    ruleId: str
    claimWindow: str
    """How long the customer could claim them: an ISO 8601 duration."""
    claimableFrom: str | None
    """When the hold of a purchase of now would end; ``None`` if it could be claimed at once."""


class Balance(TypedDict):
    success: Literal[True]
    mode: Mode
    currency: str
    points: int
    """What can be spent now."""
    amountCents: int
    """What they pay for, in minor units of the currency."""
    heldPoints: int
    """Held for other orders."""
    pendingPoints: int
    """Of rewards that are not claimed yet."""


RedemptionStatus = Literal["HELD", "CAPTURED", "RELEASED", "EXPIRED", "REVERSED"]


class RedemptionFields(TypedDict):
    id: str
    externalRedemptionId: str
    externalOrderId: str | None
    """The order that the points pay for, if it was named."""
    status: RedemptionStatus
    points: int
    amountCents: int
    """What the points pay for."""
    reversedPoints: int
    """How many of the points came back to the customer after they were spent."""
    reversedCents: int
    expiresAt: str | None
    """Until when they were or are held; None if they never were."""
    createdAt: str
    updatedAt: str
    """When it last changed."""


class Spendable(TypedDict):
    points: int
    amountCents: int


class Redemption(TypedDict):
    success: Literal[True]
    mode: Mode
    eventId: str
    redemption: RedemptionFields
    balance: Spendable
    """What the customer can spend afterwards."""


class RedemptionRead(TypedDict):
    success: Literal[True]
    mode: Mode
    redemption: RedemptionFields


class RewardRefund(TypedDict):
    externalRefundId: str
    status: RefundStatus
    amountCents: int
    receivedAt: str


class RewardReview(TypedDict):
    status: Literal["OPEN", "UPHELD", "DISMISSED"]
    decidedAt: str | None


class RewardFields(TypedDict):
    id: str
    externalOrderId: str
    points: int
    status: RewardStatus
    customerStatus: CustomerStatus
    claimExpiresAt: str
    claimableFrom: str | None
    """When its hold ends or ended; ``None`` if it never had one."""
    createdAt: str
    updatedAt: str
    refunds: list[RewardRefund]
    review: RewardReview | None


class Reward(TypedDict):
    success: Literal[True]
    mode: Mode
    reward: RewardFields


class OrderFields(TypedDict):
    externalOrderId: str
    currency: str
    subtotalCents: int
    """As it was reported, in minor units of the currency."""
    refundedCents: int
    """How much of it was refunded, with what is under review and without what was dismissed."""
    remainingCents: int
    """How much of it can still be refunded."""
    reward: RewardFields
    refunds: list[RewardRefund]
    """The same as in the reward."""
    redemptions: list[RedemptionFields]
    """Those that named the order, the newest first, at most 100."""


class Order(OrderFields):
    success: Literal[True]
    mode: Mode


class OrderList(TypedDict):
    success: Literal[True]
    mode: Mode
    orders: list[OrderFields]
    nextCursor: str | None
    """None on the last page."""


class RedemptionList(TypedDict):
    success: Literal[True]
    mode: Mode
    redemptions: list[RedemptionFields]
    nextCursor: str | None
    """None on the last page."""


class Repair(TypedDict):
    method: Literal["POST"]
    path: str
    body: dict[str, Any]
    add: list[str]
    """Fields of the body that the list does not have, such as ``customer``."""


class Difference(TypedDict):
    kind: Literal["MISSING", "NOT_IN_FILE", "DUPLICATE", "MISMATCHED"]
    externalOrderId: str
    externalRefundId: str | None
    row: int | None
    eventId: str | None
    what: str
    repair: Repair | None
    """What to send, with an idempotency key; None if that is for people to decide."""


class ReconciliationCounts(TypedDict):
    rows: int
    matched: int
    missing: int
    notInFile: int
    duplicate: int
    mismatched: int
    unknownStatus: int


class UnknownStatus(TypedDict):
    status: str
    rows: int


class ReconciliationFields(TypedDict):
    id: str
    status: Literal["QUEUED", "RUNNING", "DONE", "FAILED"]
    createdAt: str
    finishedAt: str | None
    expiresAt: str
    counts: ReconciliationCounts | None
    unknownStatuses: list[UnknownStatus]
    checkedFrom: str | None
    checkedTo: str | None
    differences: list[Difference]
    """The first page."""
    pages: int
    isCut: bool
    problem: str | None


class Reconciliation(TypedDict):
    success: Literal[True]
    mode: Mode
    reconciliation: ReconciliationFields


class Differences(TypedDict):
    success: Literal[True]
    mode: Mode
    page: int
    differences: list[Difference]


class ReceiptEntry(TypedDict):
    index: int
    """The place of its leaf in the log, from 0."""
    leaf: str
    """The leaf, to the byte: JSON, of which the hash is in the log."""
    inclusionProof: list[str]


class ReceiptFields(TypedDict):
    format: Literal["partner-events/receipt/1"]
    rewardId: str
    entries: list[ReceiptEntry]
    pendingEntries: int
    """How many entries of the reward are newer than the tree head."""
    treeHead: str
    """The signed tree head, a JWS."""
    previousTreeHead: str | None
    consistencyProof: list[str]
    keys: list[dict[str, Any]]


class Receipt(TypedDict):
    success: Literal[True]
    mode: Mode
    receipt: ReceiptFields


class RehearsedWebhooks(TypedDict):
    sent: int
    accepted: int


class RehearsalProblem(TypedDict):
    problem: str
    count: int
    requestIds: list[str]


class RehearsalReport(TypedDict):
    faults: dict[Literal["LOST", "UNAVAILABLE", "RATE_LIMITED", "SLOW"], int]
    retried: int
    """How many of the faulty requests were sent again with their key."""
    webhooks: dict[Literal["DOUBLED", "REORDERED", "LATE", "ROTATED"], RehearsedWebhooks]
    missingOrders: int | None
    problems: list[RehearsalProblem]
    verdict: Literal["NOTHING_HAPPENED", "PASSED", "PROBLEMS"]


class RehearsalFields(TypedDict):
    id: str
    status: Literal["RUNNING", "ENDED"]
    startedAt: str
    endsAt: str
    report: RehearsalReport


class Rehearsal(TypedDict):
    success: Literal[True]
    mode: Literal["TEST"]
    rehearsal: RehearsalFields


class PlanVersion(TypedDict):
    id: str
    planCode: str
    version: int
    name: str
    currency: str
    monthlyPriceCents: int
    annualPriceCents: int
    includedPoints: int
    overageRateMicrosPerPoint: int
    apiRateLimitPerMinute: int
    supportClass: str
    features: list[str]
    publishedAt: str


class Plans(TypedDict):
    success: Literal[True]
    plans: list[PlanVersion]


class Period(TypedDict):
    start: str
    end: str


class Projection(TypedDict):
    points: int
    lowPoints: int
    highPoints: int
    overagePoints: int
    overageCents: int
    basisDays: int


class Recommendation(TypedDict):
    action: Literal["STAY", "UPGRADE", "DOWNGRADE"]
    planVersionId: str | None
    estimatedSavingsCents: int
    reason: str


class RecentEvent(TypedDict):
    eventId: str
    type: Literal["PURCHASE", "REFUND"]
    externalOrderId: str
    points: int
    occurredAt: str | None
    receivedAt: str


class Usage(TypedDict):
    success: Literal[True]
    mode: Mode
    currency: str
    billingPeriod: Period
    includedPoints: int
    includedPointsConsumed: int
    overagePoints: int
    accruedOverageCents: int
    rewardLiabilityCents: int
    projection: Projection
    recommendation: Recommendation
    recentEvents: list[RecentEvent]


class Subscription(TypedDict):
    id: str
    status: Literal["ACTIVE", "CANCELLED"]
    interval: Literal["MONTH", "YEAR"]
    currentPeriodStart: str
    currentPeriodEnd: str
    pendingPlanVersionId: str | None
    endsAt: str | None


class Wallet(TypedDict):
    currency: str
    balanceCents: int
    reservedCents: int
    availableCents: int
    asOf: str


class RewardFunding(TypedDict):
    balanceCents: int
    lowBalanceThresholdCents: int
    runwayDays: int | None


class InvoiceLine(TypedDict):
    kind: Literal["PLAN", "OVERAGE", "CREDIT", "PRORATION"]
    description: str
    amountCents: int


class InvoiceIssuer(TypedDict):
    name: str
    address: str | None
    taxId: str | None
    paymentDetails: str | None


class InvoiceParty(TypedDict):
    name: str
    address: str | None
    country: str | None
    taxId: str | None


class InvoicePayment(TypedDict):
    reference: str
    amountCents: int
    paidOn: str


class CreditNote(TypedDict):
    number: str
    reason: str
    issuedAt: str


class PaymentReversal(TypedDict):
    reference: str
    amountCents: int
    reason: str
    reversedAt: str


class Invoice(TypedDict):
    id: str
    number: str
    kind: Literal["PERIOD", "PRORATION"]
    status: Literal["ISSUED", "VOID"]
    paymentStatus: Literal["DUE", "PARTIALLY_PAID", "PAID", "OVERDUE", "VOID"]
    currency: str
    lines: list[InvoiceLine]
    issuer: InvoiceIssuer | None
    billedTo: InvoiceParty | None
    totalCents: int
    paymentReference: str
    payments: list[InvoicePayment]
    reversals: list[PaymentReversal]
    paidCents: int
    creditNote: CreditNote | None
    periodStart: str
    periodEnd: str
    issuedAt: str
    dueAt: str


class Billing(TypedDict):
    success: Literal[True]
    mode: Mode
    subscription: Subscription | None
    planVersion: PlanVersion | None
    wallet: Wallet
    rewardFunding: RewardFunding
    invoices: list[Invoice]
