"""The contents of webhooks, as in their JSON. Money is whole cents, and points are integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ._types import Mode

class _Example(TypedDict, total=False):
    isExample: Literal[True]
    """Of an example that a developer sent, in TEST only."""


class _Event(TypedDict):
    id: str
    """The same on every attempt: ignore events that you have already processed."""
    apiVersion: Literal["v1"]
    mode: Mode
    createdAt: str
    sequence: int | None
    """Orders the changes of one reward, which can arrive in another order; numbers can be skipped."""


# Made by `npm run make -- docs`.

class RewardFundedData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    claimExpiresAt: str
    """The end of the claim window, ISO 8601 in UTC."""
    claimableFrom: str | None
    """When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold."""  # noqa: E501


class RewardFunded(_Event):
    """The reward is funded, and the customer can claim it until `claimExpiresAt`; on hold, from `claimableFrom` on."""  # noqa: E501

    type: Literal["reward.funded"]
    data: RewardFundedData


class RewardAwaitingFundingData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""


class RewardAwaitingFunding(_Event):
    """The available funding does not cover the reward, or a reward of an earlier purchase waits for it. It is funded in its turn once money arrives."""  # noqa: E501

    type: Literal["reward.awaiting_funding"]
    data: RewardAwaitingFundingData


class RewardClaimableData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    claimExpiresAt: str
    """The end of the claim window, ISO 8601 in UTC."""
    claimableFrom: str | None
    """When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold."""  # noqa: E501


class RewardClaimable(_Event):
    """The hold of the funded reward is over, or was ended early, and the customer can claim it until `claimExpiresAt`."""  # noqa: E501

    type: Literal["reward.claimable"]
    data: RewardClaimableData


class RewardClaimedData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""


class RewardClaimed(_Event):
    """The customer claimed the reward."""

    type: Literal["reward.claimed"]
    data: RewardClaimedData


class RewardExpiredData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""


class RewardExpired(_Event):
    """The claim window ended before the customer claimed."""

    type: Literal["reward.expired"]
    data: RewardExpiredData


class RewardReducedData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    reducedBy: Literal["REFUND", "REVIEW"]
    """What reduced it."""
    lostPoints: int
    """How many points it lost by this."""
    refundedCents: int
    """How much of the order was refunded in all, in minor units of `currency`."""


class RewardReduced(_Event):
    """Part of the order was refunded, and the reward has the points of what remains."""

    type: Literal["reward.reduced"]
    data: RewardReducedData


class RewardCancelledData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    cancelledBy: Literal["REFUND", "OPERATOR", "REVIEW"]
    """What cancelled it."""


class RewardCancelled(_Event):
    """The reward was cancelled by a refund, an operator or the decision of a review."""

    type: Literal["reward.cancelled"]
    data: RewardCancelledData


class ReviewOpenedData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    reviewId: str
    """Identifies the review, `rev_…`."""
    amountCents: int
    """How much of the order is under review, in minor units of `currency`."""


class ReviewOpened(_Event):
    """The order of a claimed reward was refunded, and an operator decides."""

    type: Literal["review.opened"]
    data: ReviewOpenedData


class ReviewAskedData(_Example):
    reviewId: str
    """Identifies the review, `rev_…`."""
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of the order."""


class ReviewAsked(_Event):
    """An operator has a question about a refund under review. Read and answer it in the portal."""

    type: Literal["review.asked"]
    data: ReviewAskedData


class ReviewDecidedData(_Example):
    rewardId: str
    """Identifies the reward, `PNR_…`."""
    externalOrderId: str
    """Your id of its order."""
    purchaseEventId: str
    """The event of its purchase, `evt_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["PENDING", "AWAITING_FUNDING", "AVAILABLE", "EXPIRED", "CANCELLED", "ADMIN_REVIEW"]
    """The state of the reward."""
    customerStatus: Literal["AWAITING_CUSTOMER_CLAIM", "CLAIMED", "CLAIM_EXPIRED", "CANCELLED"]
    """The reward as its customer sees it."""
    points: int
    """Its points, after partial refunds. A cancelled or expired reward still shows what it had."""
    liabilityCents: int
    """What the points cost you, in minor units of `currency`."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    reviewId: str
    """Identifies the review, `rev_…`."""
    verdict: Literal["UPHOLD", "DISMISS"]
    """The decision."""


class ReviewDecided(_Event):
    """A review was decided. If it was upheld, `reward.cancelled` or `reward.reduced` follows with the same sequence."""  # noqa: E501

    type: Literal["review.decided"]
    data: ReviewDecidedData


class FundingLowData(_Example):
    balanceCents: int
    """The available funding afterwards, in minor units of its currency."""
    thresholdCents: int
    """Your low-balance threshold, in minor units of the currency of your funding."""
    runwayDays: int | None
    """Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them."""  # noqa: E501


class FundingLow(_Event):
    """The available funding fell below your low-balance threshold. LIVE only."""

    type: Literal["funding.low"]
    data: FundingLowData


class FundingToppedUpData(_Example):
    transactionId: str
    """Identifies the entry in the ledger, `txn_…`."""
    amountCents: int
    """What was added, in minor units of the currency of your funding."""
    balanceCents: int
    """The available funding afterwards, in minor units of its currency."""


class FundingToppedUp(_Event):
    """A top-up arrived, or in TEST test funding was added."""

    type: Literal["funding.topped_up"]
    data: FundingToppedUpData


class FundingWithdrawnData(_Example):
    transactionId: str
    """Identifies the entry in the ledger, `txn_…`."""
    amountCents: int
    """What was paid back to you, in minor units of the currency of your funding."""
    balanceCents: int
    """The available funding afterwards, in minor units of its currency."""


class FundingWithdrawn(_Event):
    """Unused funding was paid back to the partner. LIVE only."""

    type: Literal["funding.withdrawn"]
    data: FundingWithdrawnData


class FundingCorrectedData(_Example):
    transactionId: str
    """Identifies the entry in the ledger, `txn_…`."""
    correctedTransactionId: str
    """The entry of the mistaken top-up, `txn_…`."""
    amountCents: int
    """What was taken back, in minor units of the currency of your funding."""
    balanceCents: int
    """The available funding afterwards, in minor units of its currency."""


class FundingCorrected(_Event):
    """A top-up was recorded by mistake, and all of it or a part was taken back. LIVE only."""

    type: Literal["funding.corrected"]
    data: FundingCorrectedData


class FundingRecoveredData(_Example):
    balanceCents: int
    """The available funding afterwards, in minor units of its currency."""
    thresholdCents: int
    """Your low-balance threshold, in minor units of the currency of your funding."""
    runwayDays: int | None
    """Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them."""  # noqa: E501


class FundingRecovered(_Event):
    """The available funding is at or above your low-balance threshold again. LIVE only."""

    type: Literal["funding.recovered"]
    data: FundingRecoveredData


class UsageThresholdData(_Example):
    percent: Literal[80, 100]
    """The share of the included points that is used, in percent: `80` or `100`."""
    usedPoints: int
    """The points used in the period."""
    includedPoints: int
    """The points that your plan includes in the period."""
    subscriptionId: str
    """Identifies the subscription, `sub_…`."""
    periodStart: str
    """The first moment of the period, ISO 8601 in UTC."""


class UsageThreshold(_Event):
    """80 or 100 % of the points that your plan includes in the billing period are used. LIVE only."""

    type: Literal["usage.threshold"]
    data: UsageThresholdData


class BudgetThresholdData(_Example):
    budget: str
    """The name of the budget, which rules can share."""
    of: Literal["TOTAL", "MONTH"]
    """`TOTAL` for the points in all; `MONTH` for those of a calendar month."""
    month: str | None
    """The month, `yyyy-mm`, in your time zone. Null for the points in all."""
    percent: Literal[80, 100]
    """The share of the points that is used, in percent: `80` or `100`."""
    usedPoints: int
    """The points used."""
    limitPoints: int
    """The points that the budget has."""
    ruleId: str
    """The version of the rule, `rul_…`."""


class BudgetThreshold(_Event):
    """80 or 100 % of the points of a rule's budget are used, in all or in a month."""

    type: Literal["budget.threshold"]
    data: BudgetThresholdData


class PointsEndingData(_Example):
    rewardId: str
    """The customer's newest reward, by which you know the customer."""
    externalOrderId: str
    """Your id of its order."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    customerId: str
    """Identifies the customer without revealing the contact, `cus_…`."""
    points: int
    """The points that end."""
    liabilityCents: int
    """What they cost, which goes back to your funding, in minor units."""
    endsAt: str
    """When they end, ISO 8601 in UTC."""
    days: Literal[30, 7]
    """The notice: how many days before the end at the latest, `30` or `7`."""


class PointsEnding(_Event):
    """Points of a customer end in 30 days, or in 7, unless the customer claims or spends points before then. The service tells the customer, too, unless you deliver the claim links."""  # noqa: E501

    type: Literal["points.ending"]
    data: PointsEndingData


class PointsEndedData(_Example):
    rewardId: str
    """The customer's newest reward, by which you know the customer."""
    externalOrderId: str
    """Your id of its order."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    customerId: str
    """Identifies the customer without revealing the contact, `cus_…`."""
    points: int
    """The points that end."""
    liabilityCents: int
    """What they cost, which goes back to your funding, in minor units."""
    endedAt: str
    """When they ended, ISO 8601 in UTC."""
    leftPoints: int
    """The points that the customer has left."""


class PointsEnded(_Event):
    """Points of a customer ended after a time without activity, and their money went back to your funding."""

    type: Literal["points.ended"]
    data: PointsEndedData


class InvoiceIssuedData(_Example):
    invoiceId: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    kind: Literal["PERIOD", "PRORATION"]
    """What the invoice is for."""
    totalCents: int
    """The total, in minor units of `currency`."""
    currency: str
    """The currency's code of ISO 4217."""
    periodStart: str
    """The first moment of the time that it is for, ISO 8601 in UTC."""
    periodEnd: str
    """The first moment after it, ISO 8601 in UTC."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""
    paymentReference: str
    """What the bank transfer has to name."""


class InvoiceIssued(_Event):
    """An invoice was issued. LIVE only."""

    type: Literal["invoice.issued"]
    data: InvoiceIssuedData


class InvoicePaymentRecordedData(_Example):
    invoiceId: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    totalCents: int
    """The total, in minor units of `currency`."""
    paidCents: int
    """The sum of its payments without those reversed, in minor units of `currency`."""
    leftCents: int
    """What is left to pay, in minor units of `currency`."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""
    amountCents: int
    """This payment, in minor units of `currency`."""
    paymentStatus: Literal["DUE", "PARTIALLY_PAID", "PAID", "OVERDUE", "VOID"]
    """How much is paid."""


class InvoicePaymentRecorded(_Event):
    """A payment of an invoice, or of a part of it, arrived. LIVE only."""

    type: Literal["invoice.payment_recorded"]
    data: InvoicePaymentRecordedData


class InvoicePaymentReversedData(_Example):
    invoiceId: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    totalCents: int
    """The total, in minor units of `currency`."""
    paidCents: int
    """The sum of its payments without those reversed, in minor units of `currency`."""
    leftCents: int
    """What is left to pay, in minor units of `currency`."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""
    amountCents: int
    """The payment that did not arrive, in minor units of `currency`."""
    paymentStatus: Literal["DUE", "PARTIALLY_PAID", "PAID", "OVERDUE", "VOID"]
    """How much is paid."""


class InvoicePaymentReversed(_Event):
    """A recorded payment did not arrive, and is due again. LIVE only."""

    type: Literal["invoice.payment_reversed"]
    data: InvoicePaymentReversedData


class InvoiceOverdueData(_Example):
    invoiceId: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    totalCents: int
    """The total, in minor units of `currency`."""
    paidCents: int
    """The sum of its payments without those reversed, in minor units of `currency`."""
    leftCents: int
    """What is left to pay, in minor units of `currency`."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""
    paymentReference: str
    """What the bank transfer has to name."""
    reminder: int
    """The number of this reminder of the invoice, from 1."""
    isLastReminder: bool
    """Whether no other follows."""


class InvoiceOverdue(_Event):
    """A reminder: something is left to pay after the due date. Sent on the day after it, 7 and 21 days later. LIVE only."""  # noqa: E501

    type: Literal["invoice.overdue"]
    data: InvoiceOverdueData


class InvoiceVoidedData(_Example):
    invoiceId: str
    """Identifies the invoice, `inv_…`."""
    number: str
    """The number on the invoice, without gaps for each partner."""
    currency: str
    """The currency of the amounts, ISO 4217."""
    totalCents: int
    """The total, in minor units of `currency`."""
    paidCents: int
    """The sum of its payments without those reversed, in minor units of `currency`."""
    leftCents: int
    """What is left to pay, in minor units of `currency`."""
    dueAt: str
    """When it is due, ISO 8601 in UTC. It is overdue after that UTC day."""
    creditNoteNumber: str
    """The number of the credit note."""


class InvoiceVoided(_Event):
    """An invoice was taken back by a credit note. LIVE only."""

    type: Literal["invoice.voided"]
    data: InvoiceVoidedData


class GoLiveApprovedData(_Example):
    pass


class GoLiveApproved(_Event):
    """Your go-live request was approved. Sent to endpoints of both modes."""

    type: Literal["go_live.approved"]
    data: GoLiveApprovedData


class GoLiveReturnedData(_Example):
    reason: str | None
    """The changes that the operator requests."""


class GoLiveReturned(_Event):
    """Your go-live request was returned with changes requested. Sent to endpoints of both modes."""

    type: Literal["go_live.returned"]
    data: GoLiveReturnedData


class CredentialCreatedData(_Example):
    credentialId: str
    """Identifies the API key, `key_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    scopes: list[Literal["events:write", "events:read", "customers:read", "redemptions:write"]]
    """What the API key allows."""


class CredentialCreated(_Event):
    """An API key was created."""

    type: Literal["credential.created"]
    data: CredentialCreatedData


class CredentialRevokedData(_Example):
    credentialId: str
    """Identifies the API key, `key_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    scopes: list[Literal["events:write", "events:read", "customers:read", "redemptions:write"]]
    """What the API key allows."""


class CredentialRevoked(_Event):
    """An API key was revoked."""

    type: Literal["credential.revoked"]
    data: CredentialRevokedData


class CredentialExpiringData(_Example):
    credentialId: str
    """Identifies the API key, `key_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    scopes: list[Literal["events:write", "events:read", "customers:read", "redemptions:write"]]
    """What the API key allows."""
    secretId: str
    """Identifies the signing secret, `sec_…`."""
    expiresAt: str
    """When requests that it signs start to be refused, ISO 8601 in UTC."""


class CredentialExpiring(_Event):
    """A signing secret of a LIVE API key expires in four weeks, or in one. Rotate it: requests that it signs are refused once it has expired."""  # noqa: E501

    type: Literal["credential.expiring"]
    data: CredentialExpiringData


class ServiceAccountChangedData(_Example):
    serviceAccountId: str
    """Identifies the service account, `sva_…`."""
    change: Literal["CREATED", "ROTATED", "REVOKED"]
    """What changed."""
    scopes: list[Literal["log:read", "rewards:read"]]
    """What the service account can read."""


class ServiceAccountChanged(_Event):
    """A service account was created or revoked, or its token was rotated."""

    type: Literal["service_account.changed"]
    data: ServiceAccountChangedData


class ReconciliationCompletedData(_Example):
    reconciliationId: str
    """Identifies the order comparison, `job_…`."""
    integrationId: str
    """Identifies the integration, `int_…`."""
    status: Literal["DONE", "FAILED"]
    """How it ended."""
    rows: int
    """Rows of the list."""
    matched: int | None
    """Rows without a difference."""
    missing: int | None
    """Rows that were never reported."""
    notInFile: int | None
    """Orders and refunds that were reported and are not in the list."""
    duplicate: int | None
    """Rows whose order or refund is in an earlier row."""
    mismatched: int | None
    """Rows that were reported with other values."""


class ReconciliationCompleted(_Event):
    """An order comparison is done or failed. Read it for the differences."""

    type: Literal["reconciliation.completed"]
    data: ReconciliationCompletedData


class TestPingData(_Example):
    endpointId: str
    """Identifies the endpoint, `whe_…`."""


class TestPing(_Event):
    """You tested the endpoint in the portal or by the API."""

    type: Literal["test.ping"]
    data: TestPingData


#: The content of a webhook. Types can be added: ignore those that you do not know.
WebhookEvent: TypeAlias = (
    RewardFunded
    | RewardAwaitingFunding
    | RewardClaimable
    | RewardClaimed
    | RewardExpired
    | RewardReduced
    | RewardCancelled
    | ReviewOpened
    | ReviewAsked
    | ReviewDecided
    | FundingLow
    | FundingToppedUp
    | FundingWithdrawn
    | FundingCorrected
    | FundingRecovered
    | UsageThreshold
    | BudgetThreshold
    | PointsEnding
    | PointsEnded
    | InvoiceIssued
    | InvoicePaymentRecorded
    | InvoicePaymentReversed
    | InvoiceOverdue
    | InvoiceVoided
    | GoLiveApproved
    | GoLiveReturned
    | CredentialCreated
    | CredentialRevoked
    | CredentialExpiring
    | ServiceAccountChanged
    | ReconciliationCompleted
    | TestPing
)

# End.
