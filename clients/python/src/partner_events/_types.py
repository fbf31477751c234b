"""The fields of responses, as in their JSON. Money is whole cents, and points are integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

# Made by `npm run make -- docs`.

Mode: TypeAlias = Literal["TEST", "LIVE"]


class PurchaseReward(TypedDict):
    id: str
    """Identifies the reward, `PNR_…`."""
    points: int
    """The points that the purchase earns by your active earning rule. They can be 0."""
    status: Literal["PENDING"]
    """The state of every new reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM"]
    """A new reward is not claimed yet."""
    claimExpiresAt: str
    """The end of the claim window, ISO 8601 in UTC. If the reward has to wait for funding, the window starts again when it is funded."""  # noqa: E501
    claimableFrom: str | None
    """When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold."""  # noqa: E501
    claimUrl: NotRequired[str]
    """The link with which the customer claims the reward. Only for integrations that deliver claim links themselves: show it to the customer and nobody else. A retry contains it until the customer is erased."""  # noqa: E501


class Purchase(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    eventId: str
    """Identifies the recorded event, `evt_…`."""
    externalOrderId: str
    """Your id of the order."""
    reward: PurchaseReward
    """The reward as it was created. Whether your funding covers it is decided after the response: read the reward, or receive `reward.funded` or `reward.awaiting_funding`."""  # noqa: E501


RefundStatus: TypeAlias = Literal["CANCELLED", "REDUCED", "ADMIN_REVIEW", "NO_ACTION"]


RewardStatus: TypeAlias = Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]  # noqa: E501


class RefundRefund(TypedDict):
    externalRefundId: str
    """Your id of the refund, or its default."""
    status: RefundStatus
    """What the refund did."""
    amountCents: int
    """How much of the order's subtotal this refund is of, in minor units of its currency."""


class RefundReward(TypedDict):
    id: str
    """Identifies the reward, `PNR_…`."""
    points: int
    """The reward's points after the refund. A cancelled reward still shows what it had."""
    status: RewardStatus
    """The state of the reward."""


class Refund(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    eventId: str
    """Identifies the recorded event, `evt_…`."""
    externalOrderId: str
    """Your id of the order."""
    refund: RefundRefund
    """The refund and its effect."""
    reward: RefundReward
    """The reward as the refund left it."""


CustomerStatus: TypeAlias = Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]


class RewardRefund(TypedDict):
    externalRefundId: str
    """Your id of the refund, or its default."""
    status: RefundStatus
    """What the refund did."""
    amountCents: int
    """How much of the order's subtotal it was of, in minor units of its currency."""
    receivedAt: str
    """When it was recorded, ISO 8601 in UTC."""


class RewardReview(TypedDict):
    status: Literal["OPEN", "UPHELD", "DISMISSED"]
    """The state of the review."""
    decidedAt: str | None
    """When it was decided, ISO 8601 in UTC; null while it is open."""


class RewardFields(TypedDict):
    """The reward as it is now."""

    id: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    status: RewardStatus
    """The state of the reward."""
    customerStatus: CustomerStatus
    """The reward as its customer sees it."""
    claimExpiresAt: str
    """The end of the claim window, ISO 8601 in UTC."""
    claimableFrom: str | None
    """When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold."""  # noqa: E501
    createdAt: str
    """When its purchase was recorded, ISO 8601 in UTC."""
    updatedAt: str
    """When it last changed, ISO 8601 in UTC."""
    refunds: list[RewardRefund]
    """The refunds of its order, oldest first."""
    review: RewardReview | None
    """The newest review that a refund of the claimed reward opened; null without one."""


RedemptionStatus: TypeAlias = Literal["HELD", "CAPTURED", "RELEASED", "EXPIRED", "REVERSED"]


class RedemptionFields(TypedDict):
    """Points that a customer pays with."""

    id: str
    """Identifies the redemption, `red_…`: with it, you capture, release or reverse it."""
    externalRedemptionId: str
    """Your id of the redemption."""
    externalOrderId: str | None
    """Your id of the order that the points pay for; null if you named none."""
    status: RedemptionStatus
    """The state of the redemption."""
    points: int
    """The points that are held or redeemed."""
    amountCents: int
    """What the points pay for, in minor units of the currency of your funding."""
    reversedPoints: int
    """How many of the points came back to the customer after they were redeemed."""
    reversedCents: int
    """How much of what the points paid for came back, in minor units."""
    expiresAt: str | None
    """The end of the hold, ISO 8601 in UTC; null if the points were redeemed without one."""
    createdAt: str
    """When the points were redeemed or held, ISO 8601 in UTC."""
    updatedAt: str
    """When it last changed, ISO 8601 in UTC."""


class Order(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    externalOrderId: str
    """Your id of the order."""
    currency: str
    """The currency of the order."""
    subtotalCents: int
    """The subtotal that was reported, in minor units of the order's currency."""
    refundedCents: int
    """How much of it was refunded, in minor units: with what is under review, and without what was dismissed."""  # noqa: E501
    remainingCents: int
    """How much of it can still be refunded, in minor units."""
    reward: RewardFields
    """The reward as it is now."""
    refunds: list[RewardRefund]
    """The same as in the reward."""
    redemptions: list[RedemptionFields]
    """The redemptions of your integration that named the order, the newest first, at most 100."""


class Quote(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    points: int
    """The points that the purchase would earn now."""
    explanation: str
    """How the points are computed: one sentence in English."""
    ruleId: str
    """The version of the earning rule that applies, `rul_…`."""
    claimWindow: str
    """How long the customer could claim the reward: an ISO 8601 duration."""
    claimableFrom: str | None
    """When the hold of a reward of now would end, ISO 8601 in UTC; null if it could be claimed at once."""


class Balance(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    currency: str
    """The currency of `amountCents`, ISO 4217."""
    points: int
    """The points that the customer can redeem now, within your daily limit if there is one."""
    amountCents: int
    """What `points` pay for, in minor units of `currency`."""
    heldPoints: int
    """Points held for other orders; they are not in `points`."""
    pendingPoints: int
    """Points of rewards that are not claimed yet; they are not in `points`."""
    endingPoints: int
    """Points that end at `endsAt` unless the customer claims or spends points before then; 0 if none do."""
    endsAt: str | None
    """When `endingPoints` end, ISO 8601 in UTC; null if none do."""


class RedemptionBalance(TypedDict):
    points: int
    """The points that the customer can still redeem."""
    amountCents: int
    """What they pay for, in minor units of the currency of your funding."""


class Redemption(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    eventId: str
    """Identifies the recorded event, `evt_…`."""
    redemption: RedemptionFields
    """Points that a customer pays with."""
    balance: RedemptionBalance
    """What the customer can redeem afterwards."""


class RedemptionList(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    redemptions: list[RedemptionFields]
    """The redemptions of this page."""
    nextCursor: str | None
    """Pass it as `cursor` to get the next page. Null on the last one."""


class RedemptionRead(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    redemption: RedemptionFields
    """Points that a customer pays with."""


class RehearsedWebhooks(TypedDict):
    sent: int
    """How many were sent."""
    accepted: int
    """How many of them got a 2xx."""


class RehearsalReportFaults(TypedDict):
    LOST: int
    """Requests whose connection was cut after the event was recorded."""
    UNAVAILABLE: int
    """Requests that were refused with 503 before the event was recorded."""
    RATE_LIMITED: int
    """Requests that were refused with 429 before the event was recorded."""
    SLOW: int
    """Requests whose response came some 3 seconds late."""


class RehearsalReportWebhooks(TypedDict):
    DOUBLED: RehearsedWebhooks
    """Webhooks that arrived twice."""
    REORDERED: RehearsedWebhooks
    """Webhooks that arrived 5 seconds late, so that others overtook them."""
    LATE: RehearsedWebhooks
    """Webhooks that arrived a minute late."""
    ROTATED: RehearsedWebhooks
    """Webhooks with a second signature, by another secret, as during a rotation."""


class RehearsalReportProblems(TypedDict):
    problem: Literal["NOT_RETRIED", "OTHER_BYTES", "TOO_EARLY", "LOST_FOR_GOOD", "WEBHOOK_REFUSED", "MISSING_ORDERS"]  # noqa: E501
    """What went wrong."""
    count: int
    """How many requests, webhooks or orders have it."""
    requestIds: list[str]
    """The `X-Request-Id` of the first requests with the problem."""


class RehearsalReport(TypedDict):
    faults: RehearsalReportFaults
    """How many requests met each fault, at most 200 in all."""
    retried: int
    """How many of them were sent again with the same key."""
    webhooks: RehearsalReportWebhooks
    """How many webhooks met each fault, and how many of those got a 2xx."""
    missingOrders: int | None
    """How many orders and refunds the newest order comparison since the start found missing; null without one."""  # noqa: E501
    problems: list[RehearsalReportProblems]
    """What the integration did wrong; empty if nothing."""
    verdict: Literal["NOTHING_HAPPENED", "PASSED", "PROBLEMS"]
    """The result so far."""


class RehearsalFields(TypedDict):
    """Some minutes in which requests and webhooks of a TEST key fail on purpose, and how the integration did."""  # noqa: E501

    id: str
    """Identifies the rehearsal, `rhs_…`."""
    status: Literal["RUNNING", "ENDED"]
    """Whether it is still running."""
    startedAt: str
    """When it started, ISO 8601 in UTC."""
    endsAt: str
    """When it ends or ended, ISO 8601 in UTC."""
    report: RehearsalReport
    """How the integration did so far."""


class Rehearsal(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Literal["TEST"]
    """Rehearsals exist in TEST only."""
    rehearsal: RehearsalFields
    """Some minutes in which requests and webhooks of a TEST key fail on purpose, and how the integration did."""  # noqa: E501


class PlanVersion(TypedDict):
    """A published version of a plan, which never changes."""

    id: str
    """Identifies the plan version, `pln_…`."""
    planCode: str
    """The same for all versions of the plan."""
    version: int
    """Counts the versions of the plan, from 1."""
    name: str
    """The plan's name for people."""
    currency: str
    """The currency of its prices, ISO 4217."""
    monthlyPriceCents: int
    """The price of a month, in minor units of `currency`."""
    annualPriceCents: int
    """The price of a year, in minor units of `currency`."""
    includedPoints: int
    """Points included in a month. A year includes twelve times as many."""
    overageRateMicrosPerPoint: int
    """The price of a point beyond the included ones, in millionths of the currency unit: 400 is 0.0004 USD."""  # noqa: E501
    apiRateLimitPerMinute: int
    """Signed requests that all your keys of a mode can send in a minute."""
    supportClass: str
    """The support that the plan includes."""
    features: list[str]
    """What else the plan includes, each in a few words."""
    publishedAt: str | None
    """When it was published, ISO 8601 in UTC; null only before."""


class Plans(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    plans: list[PlanVersion]
    """The published plan versions."""


class Period(TypedDict):
    """The billing period."""

    start: str
    """Its first moment, ISO 8601 in UTC."""
    end: str
    """The first moment after it, ISO 8601 in UTC."""


class Projection(TypedDict):
    """How the period is expected to end, by a line fitted to at most the last 28 complete days, in which recent days weigh more."""  # noqa: E501

    points: int
    """Points expected to be used by the end of the period."""
    lowPoints: int
    """The lower end of the range in which the period ends with a probability of 80 %."""
    highPoints: int
    """The upper end of that range."""
    overagePoints: int
    """How many of `points` are beyond the included ones."""
    overageCents: int
    """What those cost, in minor units of the currency of the response."""
    basisDays: int
    """How many days the projection is based on; 0 without usage."""


class Recommendation(TypedDict):
    """Whether another published plan would cost less."""

    action: Literal["STAY", "UPGRADE", "DOWNGRADE"]
    """What to do."""
    planVersionId: str | None
    """The plan version to change to, `pln_…`; null to keep the current one."""
    estimatedSavingsCents: int
    """What a whole billing period would cost less, in minor units of the currency of the response."""
    reason: str
    """The reason in one sentence."""


EventType: TypeAlias = Literal["PURCHASE", "REFUND"]


class RecentEvent(TypedDict):
    eventId: str
    """Identifies the recorded event, `evt_…`."""
    type: EventType
    """What was reported."""
    externalOrderId: str
    """Your id of the order."""
    points: int
    """The points of its reward, as the event left it."""
    occurredAt: str | None
    """When it happened as you reported it, ISO 8601 in UTC; null if you did not."""
    receivedAt: str
    """When it was recorded, ISO 8601 in UTC."""


class Usage(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    currency: str
    """The currency of all amounts in this response, ISO 4217."""
    billingPeriod: Period
    """The billing period."""
    includedPoints: int
    """Points that your plan includes in this period."""
    includedPointsConsumed: int
    """How many of them are used. Always 0 in TEST."""
    overagePoints: int
    """Points used beyond the included ones. Always 0 in TEST."""
    accruedOverageCents: int
    """What `overagePoints` cost so far, in minor units of `currency`."""
    rewardLiabilityCents: int
    """What is reserved for unclaimed rewards or owed to customers, in minor units of `currency`."""
    projection: Projection
    """How the period is expected to end, by a line fitted to at most the last 28 complete days, in which recent days weigh more."""  # noqa: E501
    recommendation: Recommendation
    """Whether another published plan would cost less."""
    recentEvents: list[RecentEvent]
    """The 20 newest purchases and refunds of the mode, newest first."""


SubscriptionStatus: TypeAlias = Literal["ACTIVE", "CANCELLED"]


Interval: TypeAlias = Literal["MONTH", "YEAR"]


class SubscriptionSummary(TypedDict):
    id: str
    """Identifies the subscription, `sub_…`."""
    status: SubscriptionStatus
    """The state of the subscription."""
    interval: Interval
    """The length of a billing period."""
    currentPeriodStart: str
    """The first moment of the current billing period, ISO 8601 in UTC."""
    currentPeriodEnd: str
    """The first moment after it, ISO 8601 in UTC."""
    pendingPlanVersionId: str | None
    """The plan version from the next period on, `pln_…`; null without a scheduled change."""
    endsAt: str | None
    """When the cancelled subscription ends, ISO 8601 in UTC; null otherwise."""


class WalletSnapshot(TypedDict):
    """The money for rewards in this mode; in TEST, the test funding."""

    currency: str
    """The currency of its amounts, ISO 4217."""
    balanceCents: int
    """The sum of the next two, in minor units of `currency`."""
    reservedCents: int
    """What is reserved for rewards that are not claimed yet, in minor units of `currency`."""
    availableCents: int
    """The available funding, for new rewards, in minor units of `currency`."""
    asOf: str
    """When this was read, ISO 8601 in UTC."""


class RewardFunding(TypedDict):
    """How long the available funding lasts."""

    balanceCents: int
    """The available funding, in minor units of the wallet's currency."""
    lowBalanceThresholdCents: int
    """Your low-balance threshold, in minor units of the wallet's currency. In LIVE, `funding.low` is sent when the available funding falls below it."""  # noqa: E501
    runwayDays: int | None
    """Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them, and in TEST."""  # noqa: E501


InvoiceKind: TypeAlias = Literal["PERIOD", "PRORATION"]


PaymentStatus: TypeAlias = Literal["DUE", "PARTIALLY_PAID", "PAID", "OVERDUE", "VOID"]


class InvoiceLine(TypedDict):
    kind: Literal["PLAN", "OVERAGE", "CREDIT", "PRORATION"]
    """What the line is for."""
    description: str
    """The line in words."""
    amountCents: int
    """The amount, in minor units of the invoice's currency. Negative for a credit."""


class InvoiceIssuer(TypedDict):
    name: str
    """The issuer's legal name."""
    address: str | None
    """The address, with line breaks."""
    taxId: str | None
    """The tax number."""
    paymentDetails: str | None
    """How to pay, with line breaks."""


class InvoiceParty(TypedDict):
    name: str
    """The partner's legal name."""
    address: str | None
    """The address, with line breaks and without the country."""
    country: str | None
    """ISO 3166-1 alpha-2, `null` if none was chosen."""
    taxId: str | None
    """The tax number."""


class InvoicePayment(TypedDict):
    reference: str
    """The bank's reference."""
    amountCents: int
    """The amount that arrived, in minor units of the invoice's currency."""
    paidOn: str
    """The day at the bank, yyyy-mm-dd."""


class PaymentReversal(TypedDict):
    reference: str
    """The reference of the payment."""
    amountCents: int
    """All of the payment, in minor units of the invoice's currency."""
    reason: str
    """Why it was reversed."""
    reversedAt: str
    """When that was recorded, ISO 8601 in UTC."""


class CreditNote(TypedDict):
    number: str
    """The number of the invoice, with a suffix."""
    reason: str
    """Why the invoice was taken back."""
    issuedAt: str
    """When it was issued, ISO 8601 in UTC."""


class Invoice(TypedDict):
    id: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    kind: InvoiceKind
    """What the invoice is for."""
    status: Literal["ISSUED", "VOID"]
    """Whether it stands."""
    paymentStatus: PaymentStatus
    """How much is paid."""
    currency: str
    """The currency of its amounts, ISO 4217."""
    lines: list[InvoiceLine]
    """What is invoiced. The amounts add up to the total."""
    issuer: InvoiceIssuer | None
    """The issuer as configured when the invoice was issued. Null if none was configured."""
    billedTo: InvoiceParty | None
    """The partner as it was when the invoice was issued. Null if that was not recorded."""
    totalCents: int
    """The total of its lines, in minor units of `currency`."""
    paymentReference: str
    """What the bank transfer has to name."""
    payments: list[InvoicePayment]
    """The payments that arrived, in the order in which they were recorded."""
    reversals: list[PaymentReversal]
    """Recorded payments that did not arrive after all."""
    paidCents: int
    """The sum of the payments without those reversed, in minor units of `currency`."""
    creditNote: CreditNote | None
    """Takes the whole invoice back. Null unless its status is `VOID`."""
    periodStart: str
    """The first moment of the time that it is for, ISO 8601 in UTC."""
    periodEnd: str
    """The first moment after it, ISO 8601 in UTC."""
    issuedAt: str
    """When it was issued, ISO 8601 in UTC."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""


class Billing(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    subscription: SubscriptionSummary | None
    """Your subscription, the same in both modes; null without one."""
    planVersion: PlanVersion | None
    """The plan version of the subscription; null without one."""
    wallet: WalletSnapshot
    """The money for rewards in this mode; in TEST, the test funding."""
    rewardFunding: RewardFunding
    """How long the available funding lasts."""
    invoices: list[Invoice]
    """The 12 newest invoices, newest first; the same in both modes."""


class Reward(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    reward: RewardFields
    """The reward as it is now."""


class ReceiptEntry(TypedDict):
    index: int
    """The place of the entry in the log, from 0."""
    leaf: str
    """The entry as the log has it, to the byte, in UTF-8: JSON with `id`, `partnerId`, `at`, `kind`, `reference`, `rewardId`, `postings` (`account`, `unit`, `amount`; they sum to zero in each unit) and `hash`, the entry's keyed hash, which binds it to the one before it in the ledger. Customers are blinded, differently for each reward; balances are left out."""  # noqa: E501
    inclusionProof: list[str]
    """Proves that the entry is in the log: the audit path of RFC 6962, 2.1.1, hashes in base64."""


class SigningKey(TypedDict):
    kty: Literal["OKP"]
    """The type of key (RFC 8037)."""
    crv: Literal["Ed25519"]
    """The curve (RFC 8037)."""
    x: str
    """The public key, in base64url."""
    kid: str
    """The key's thumbprint (RFC 7638), which a tree head names."""
    use: Literal["sig"]
    """The key is for signatures."""
    alg: Literal["EdDSA"]
    """The algorithm of the signature."""
    createdAt: str
    """When the key started to sign, ISO 8601 in UTC."""
    retiredAt: str | None
    """When the key stopped signing, ISO 8601 in UTC; null for the current one. What it signed before stays valid."""  # noqa: E501


class ReceiptFields(TypedDict):
    """The reward's entries in the ledger, with the proofs that the signed log contains them."""

    format: Literal["partner-events/receipt/1"]
    """The format of the receipt and its version."""
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    entries: list[ReceiptEntry]
    """The reward's entries that the tree head covers, in the order of the ledger."""
    pendingEntries: int
    """How many entries of the reward are newer than the tree head."""
    treeHead: str
    """The signed tree head, a JWS in compact form with `alg` `EdDSA` and the key's `kid`. Its payload is JSON: `log` (whose log it is), `size` (how many entries it covers), `rootHash` (base64 of the Merkle tree hash of RFC 6962, 2.1, with SHA-256) and `signedAt`."""  # noqa: E501
    previousTreeHead: str | None
    """The signed tree head of the day before, in the same form; null for the first."""
    consistencyProof: list[str]
    """Proves that entries were only added since the previous head: the consistency proof of RFC 6962, 2.1.2, hashes in base64. Empty for the first head."""  # noqa: E501
    statement: str
    """What the service states about the reward, a JWS as the heads are. Its payload is JSON: `log` and `size` of the newest head, `rewardId`, `indexes` of all its entries under that head, and `pendingEntries`. So no entry can be left out of a receipt."""  # noqa: E501
    keys: list[SigningKey]
    """The public keys of the heads. They help to find the right one; verify with those of getSigningKeys."""


class Receipt(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    receipt: ReceiptFields
    """The reward's entries in the ledger, with the proofs that the signed log contains them."""


class OrderFields(TypedDict):
    """An order as it is now."""

    externalOrderId: str
    """Your id of the order."""
    currency: str
    """The currency of the order."""
    subtotalCents: int
    """The subtotal that was reported, in minor units of the order's currency."""
    refundedCents: int
    """How much of it was refunded, in minor units: with what is under review, and without what was dismissed."""  # noqa: E501
    remainingCents: int
    """How much of it can still be refunded, in minor units."""
    reward: RewardFields
    """The reward as it is now."""
    refunds: list[RewardRefund]
    """The same as in the reward."""
    redemptions: list[RedemptionFields]
    """The redemptions of your integration that named the order, the newest first, at most 100."""


class OrderList(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    orders: list[OrderFields]
    """The orders of this page."""
    nextCursor: str | None
    """Pass it as `cursor` to get the next page. Null on the last one."""


class ReconciliationCounts(TypedDict):
    rows: int
    """Rows of the list."""
    matched: int
    """Rows without a difference."""
    missing: int
    """Rows that were never reported."""
    notInFile: int
    """Orders and refunds that were reported and are not in the list."""
    duplicate: int
    """Rows whose order or refund is in an earlier row."""
    mismatched: int
    """Rows that were reported with other values."""
    unknownStatus: int
    """Rows with one of `unknownStatuses`."""


class Repair(TypedDict):
    method: Literal["POST"]
    """The method of the request."""
    path: Literal["/api/v1/partner/purchases", "/api/v1/partner/refunds"]
    """The path of the request."""
    body: dict[str, Any]
    """The body of the request, without the fields that `add` names."""
    add: list[str]
    """Fields that you have to add to the body, because the list does not have them."""


class Difference(TypedDict):
    kind: Literal["MISSING", "NOT_IN_FILE", "DUPLICATE", "MISMATCHED"]
    """What differs."""
    externalOrderId: str
    """Your id of the order."""
    externalRefundId: str | None
    """Your id of the refund; null if the difference is about the order itself."""
    row: int | None
    """The row in the list; the header of a CSV file is row 1. Null if it is not in the list."""
    eventId: str | None
    """The event that reported the order or refund, `evt_…`; null if nothing did."""
    what: str
    """The difference in English."""
    repair: Repair | None
    """The request that repairs the difference, to be sent with an `Idempotency-Key`; null if a person has to decide, as about another subtotal."""  # noqa: E501


class ReconciliationUnknownStatuses(TypedDict):
    status: str
    """The value, at most 40 characters of it."""
    rows: int
    """How many rows have it."""


class ReconciliationFields(TypedDict):
    """An order comparison and its result."""

    id: str
    """Identifies the order comparison, `job_…`."""
    status: Literal["QUEUED", "RUNNING", "DONE", "FAILED"]
    """How far the comparison is."""
    createdAt: str
    """When the list arrived, ISO 8601 in UTC."""
    finishedAt: str | None
    """When it was done or failed, ISO 8601 in UTC; null before."""
    expiresAt: str
    """When it is deleted, ISO 8601 in UTC."""
    counts: ReconciliationCounts | None
    """What was found; null until it is done."""
    unknownStatuses: list[ReconciliationUnknownStatuses]
    """Values of the column `refunded` that are not known, at most 20. Whether those orders were refunded is not compared."""  # noqa: E501
    checkedFrom: str | None
    """The start of the time for which reported orders were looked for in the list, ISO 8601 in UTC. Null if a row has no `occurredAt` or the list covers more than 366 days: then they were not looked for."""  # noqa: E501
    checkedTo: str | None
    """The end of that time, ISO 8601 in UTC; null as above."""
    differences: list[Difference]
    """The first page of differences."""
    pages: int
    """The number of pages of differences, each of up to 500."""
    isCut: bool
    """Whether there were more than 200,000 differences, of which the first are kept."""
    problem: str | None
    """Why it failed; null otherwise."""


class Reconciliation(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    reconciliation: ReconciliationFields
    """An order comparison and its result."""


class Differences(TypedDict):
    success: Literal[True]
    """Always true. A refused request has `error` instead."""
    mode: Mode
    """Which of two separate environments it belongs to. The key or token decides."""
    page: int
    """The number of the page, from 1."""
    differences: list[Difference]
    """The differences of this page."""

# End.
