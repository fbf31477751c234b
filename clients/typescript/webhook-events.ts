import type { Mode } from './types.ts';

/** What all events have. */
interface EventOf<Type extends string> {
  /** The same on every attempt: ignore events that you have already processed. */
  id: string;
  type: Type;
  apiVersion: 'v1';
  mode: Mode;
  /** ISO 8601, as are the other times. */
  createdAt: string;
  /**
   * Orders the changes of one reward, which can arrive in another order; numbers can be skipped. Null for an event
   * that is not a change of a reward.
   */
  sequence: number | null;
}

/** An example that a developer sent, in TEST only. */
interface Example {
  isExample?: true;
}

// Made by `npm run make -- docs`.

/** The reward is funded, and the customer can claim it until `claimExpiresAt`; on hold, from `claimableFrom` on. */
export interface RewardFundedEvent extends EventOf<'reward.funded'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The end of the claim window, ISO 8601 in UTC. */
    claimExpiresAt: string;
    /** When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold. */
    claimableFrom: string | null;
  } & Example;
}

/** The available funding does not cover the reward, or a reward of an earlier purchase waits for it. It is funded in its turn once money arrives. */
export interface RewardAwaitingFundingEvent extends EventOf<'reward.awaiting_funding'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
  } & Example;
}

/** The hold of the funded reward is over, or was ended early, and the customer can claim it until `claimExpiresAt`. */
export interface RewardClaimableEvent extends EventOf<'reward.claimable'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The end of the claim window, ISO 8601 in UTC. */
    claimExpiresAt: string;
    /** When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold. */
    claimableFrom: string | null;
  } & Example;
}

/** The customer claimed the reward. */
export interface RewardClaimedEvent extends EventOf<'reward.claimed'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
  } & Example;
}

/** The claim window ended before the customer claimed. */
export interface RewardExpiredEvent extends EventOf<'reward.expired'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
  } & Example;
}

/** Part of the order was refunded, and the reward has the points of what remains. */
export interface RewardReducedEvent extends EventOf<'reward.reduced'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** What reduced it. */
    reducedBy: 'REFUND' | 'REVIEW';
    /** How many points it lost by this. */
    lostPoints: number;
    /** How much of the order was refunded in all, in minor units of `currency`. */
    refundedCents: number;
  } & Example;
}

/** The reward was cancelled by a refund, an operator or the decision of a review. */
export interface RewardCancelledEvent extends EventOf<'reward.cancelled'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** What cancelled it. */
    cancelledBy: 'REFUND' | 'OPERATOR' | 'REVIEW';
  } & Example;
}

/** The order of a claimed reward was refunded, and an operator decides. */
export interface ReviewOpenedEvent extends EventOf<'review.opened'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** Identifies the review, `rev_…`. */
    reviewId: string;
    /** How much of the order is under review, in minor units of `currency`. */
    amountCents: number;
  } & Example;
}

/** An operator has a question about a refund under review. Read and answer it in the portal. */
export interface ReviewAskedEvent extends EventOf<'review.asked'> {
  data: {
    /** Identifies the review, `rev_…`. */
    reviewId: string;
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of the order. */
    externalOrderId: string;
  } & Example;
}

/** A review was decided. If it was upheld, `reward.cancelled` or `reward.reduced` follows with the same sequence. */
export interface ReviewDecidedEvent extends EventOf<'review.decided'> {
  data: {
    /** Identifies the reward, `PNR_…`. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** The event of its purchase, `evt_…`. */
    purchaseEventId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** The state of the reward. */
    status: 'PENDING' | 'AWAITING_FUNDING' | 'AVAILABLE' | 'EXPIRED' | 'CANCELLED' | 'ADMIN_REVIEW';
    /** The reward as its customer sees it. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';
    /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
    points: number;
    /** What the points cost you, in minor units of `currency`. */
    liabilityCents: number;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** Identifies the review, `rev_…`. */
    reviewId: string;
    /** The decision. */
    verdict: 'UPHOLD' | 'DISMISS';
  } & Example;
}

/** The available funding fell below your low-balance threshold. LIVE only. */
export interface FundingLowEvent extends EventOf<'funding.low'> {
  data: {
    /** The available funding afterwards, in minor units of its currency. */
    balanceCents: number;
    /** Your low-balance threshold, in minor units of the currency of your funding. */
    thresholdCents: number;
    /** Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them. */
    runwayDays: number | null;
  } & Example;
}

/** A top-up arrived, or in TEST test funding was added. */
export interface FundingToppedUpEvent extends EventOf<'funding.topped_up'> {
  data: {
    /** Identifies the entry in the ledger, `txn_…`. */
    transactionId: string;
    /** What was added, in minor units of the currency of your funding. */
    amountCents: number;
    /** The available funding afterwards, in minor units of its currency. */
    balanceCents: number;
  } & Example;
}

/** Unused funding was paid back to the partner. LIVE only. */
export interface FundingWithdrawnEvent extends EventOf<'funding.withdrawn'> {
  data: {
    /** Identifies the entry in the ledger, `txn_…`. */
    transactionId: string;
    /** What was paid back to you, in minor units of the currency of your funding. */
    amountCents: number;
    /** The available funding afterwards, in minor units of its currency. */
    balanceCents: number;
  } & Example;
}

/** A top-up was recorded by mistake, and all of it or a part was taken back. LIVE only. */
export interface FundingCorrectedEvent extends EventOf<'funding.corrected'> {
  data: {
    /** Identifies the entry in the ledger, `txn_…`. */
    transactionId: string;
    /** The entry of the mistaken top-up, `txn_…`. */
    correctedTransactionId: string;
    /** What was taken back, in minor units of the currency of your funding. */
    amountCents: number;
    /** The available funding afterwards, in minor units of its currency. */
    balanceCents: number;
  } & Example;
}

/** The available funding is at or above your low-balance threshold again. LIVE only. */
export interface FundingRecoveredEvent extends EventOf<'funding.recovered'> {
  data: {
    /** The available funding afterwards, in minor units of its currency. */
    balanceCents: number;
    /** Your low-balance threshold, in minor units of the currency of your funding. */
    thresholdCents: number;
    /** Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them. */
    runwayDays: number | null;
  } & Example;
}

/** 80 or 100 % of the points that your plan includes in the billing period are used. LIVE only. */
export interface UsageThresholdEvent extends EventOf<'usage.threshold'> {
  data: {
    /** The share of the included points that is used, in percent: `80` or `100`. */
    percent: 80 | 100;
    /** The points used in the period. */
    usedPoints: number;
    /** The points that your plan includes in the period. */
    includedPoints: number;
    /** Identifies the subscription, `sub_…`. */
    subscriptionId: string;
    /** The first moment of the period, ISO 8601 in UTC. */
    periodStart: string;
  } & Example;
}

/** 80 or 100 % of the points of a rule's budget are used, in all or in a month. */
export interface BudgetThresholdEvent extends EventOf<'budget.threshold'> {
  data: {
    /** The name of the budget, which rules can share. */
    budget: string;
    /** `TOTAL` for the points in all; `MONTH` for those of a calendar month. */
    of: 'TOTAL' | 'MONTH';
    /** The month, `yyyy-mm`, in your time zone. Null for the points in all. */
    month: string | null;
    /** The share of the points that is used, in percent: `80` or `100`. */
    percent: 80 | 100;
    /** The points used. */
    usedPoints: number;
    /** The points that the budget has. */
    limitPoints: number;
    /** The version of the rule, `rul_…`. */
    ruleId: string;
  } & Example;
}

/** Points of a customer end in 30 days, or in 7, unless the customer claims or spends points before then. The service tells the customer, too, unless you deliver the claim links. */
export interface PointsEndingEvent extends EventOf<'points.ending'> {
  data: {
    /** The customer's newest reward, by which you know the customer. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** Identifies the customer without revealing the contact, `cus_…`. */
    customerId: string;
    /** The points that end. */
    points: number;
    /** What they cost, which goes back to your funding, in minor units. */
    liabilityCents: number;
    /** When they end, ISO 8601 in UTC. */
    endsAt: string;
    /** The notice: how many days before the end at the latest, `30` or `7`. */
    days: 30 | 7;
  } & Example;
}

/** Points of a customer ended after a time without activity, and their money went back to your funding. */
export interface PointsEndedEvent extends EventOf<'points.ended'> {
  data: {
    /** The customer's newest reward, by which you know the customer. */
    rewardId: string;
    /** Your id of its order. */
    externalOrderId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** Identifies the customer without revealing the contact, `cus_…`. */
    customerId: string;
    /** The points that end. */
    points: number;
    /** What they cost, which goes back to your funding, in minor units. */
    liabilityCents: number;
    /** When they ended, ISO 8601 in UTC. */
    endedAt: string;
    /** The points that the customer has left. */
    leftPoints: number;
  } & Example;
}

/** An invoice was issued. LIVE only. */
export interface InvoiceIssuedEvent extends EventOf<'invoice.issued'> {
  data: {
    /** Identifies the invoice, `inv_…`. */
    invoiceId: string;
    /** The number on the invoice, without gaps for each partner. */
    number: string;
    /** What the invoice is for. */
    kind: 'PERIOD' | 'PRORATION';
    /** The total, in minor units of `currency`. */
    totalCents: number;
    /** The currency's code of ISO 4217. */
    currency: string;
    /** The first moment of the time that it is for, ISO 8601 in UTC. */
    periodStart: string;
    /** The first moment after it, ISO 8601 in UTC. */
    periodEnd: string;
    /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
    dueAt: string;
    /** What the bank transfer has to name. */
    paymentReference: string;
  } & Example;
}

/** A payment of an invoice, or of a part of it, arrived. LIVE only. */
export interface InvoicePaymentRecordedEvent extends EventOf<'invoice.payment_recorded'> {
  data: {
    /** Identifies the invoice, `inv_…`. */
    invoiceId: string;
    /** The number on the invoice, without gaps for each partner. */
    number: string;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The total, in minor units of `currency`. */
    totalCents: number;
    /** The sum of its payments without those reversed, in minor units of `currency`. */
    paidCents: number;
    /** What is left to pay, in minor units of `currency`. */
    leftCents: number;
    /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
    dueAt: string;
    /** This payment, in minor units of `currency`. */
    amountCents: number;
    /** How much is paid. */
    paymentStatus: 'DUE' | 'PARTIALLY_PAID' | 'PAID' | 'OVERDUE' | 'VOID';
  } & Example;
}

/** A recorded payment did not arrive, and is due again. LIVE only. */
export interface InvoicePaymentReversedEvent extends EventOf<'invoice.payment_reversed'> {
  data: {
    /** Identifies the invoice, `inv_…`. */
    invoiceId: string;
    /** The number on the invoice, without gaps for each partner. */
    number: string;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The total, in minor units of `currency`. */
    totalCents: number;
    /** The sum of its payments without those reversed, in minor units of `currency`. */
    paidCents: number;
    /** What is left to pay, in minor units of `currency`. */
    leftCents: number;
    /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
    dueAt: string;
    /** The payment that did not arrive, in minor units of `currency`. */
    amountCents: number;
    /** How much is paid. */
    paymentStatus: 'DUE' | 'PARTIALLY_PAID' | 'PAID' | 'OVERDUE' | 'VOID';
  } & Example;
}

/** A reminder: something is left to pay after the due date. Sent on the day after it, 7 and 21 days later. LIVE only. */
export interface InvoiceOverdueEvent extends EventOf<'invoice.overdue'> {
  data: {
    /** Identifies the invoice, `inv_…`. */
    invoiceId: string;
    /** The number on the invoice, without gaps for each partner. */
    number: string;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The total, in minor units of `currency`. */
    totalCents: number;
    /** The sum of its payments without those reversed, in minor units of `currency`. */
    paidCents: number;
    /** What is left to pay, in minor units of `currency`. */
    leftCents: number;
    /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
    dueAt: string;
    /** What the bank transfer has to name. */
    paymentReference: string;
    /** The number of this reminder of the invoice, from 1. */
    reminder: number;
    /** Whether no other follows. */
    isLastReminder: boolean;
  } & Example;
}

/** An invoice was taken back by a credit note. LIVE only. */
export interface InvoiceVoidedEvent extends EventOf<'invoice.voided'> {
  data: {
    /** Identifies the invoice, `inv_…`. */
    invoiceId: string;
    /** The number on the invoice, without gaps for each partner. */
    number: string;
    /** The currency of the amounts, ISO 4217. */
    currency: string;
    /** The total, in minor units of `currency`. */
    totalCents: number;
    /** The sum of its payments without those reversed, in minor units of `currency`. */
    paidCents: number;
    /** What is left to pay, in minor units of `currency`. */
    leftCents: number;
    /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
    dueAt: string;
    /** The number of the credit note. */
    creditNoteNumber: string;
  } & Example;
}

/** Your go-live request was approved. Sent to endpoints of both modes. */
export interface GoLiveApprovedEvent extends EventOf<'go_live.approved'> {
  data: Example;
}

/** Your go-live request was returned with changes requested. Sent to endpoints of both modes. */
export interface GoLiveReturnedEvent extends EventOf<'go_live.returned'> {
  data: {
    /** The changes that the operator requests. */
    reason: string | null;
  } & Example;
}

/** An API key was created. */
export interface CredentialCreatedEvent extends EventOf<'credential.created'> {
  data: {
    /** Identifies the API key, `key_…`. */
    credentialId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** What the API key allows. */
    scopes: ('events:write' | 'events:read' | 'customers:read' | 'redemptions:write')[];
  } & Example;
}

/** An API key was revoked. */
export interface CredentialRevokedEvent extends EventOf<'credential.revoked'> {
  data: {
    /** Identifies the API key, `key_…`. */
    credentialId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** What the API key allows. */
    scopes: ('events:write' | 'events:read' | 'customers:read' | 'redemptions:write')[];
  } & Example;
}

/** A signing secret of a LIVE API key expires in four weeks, or in one. Rotate it: requests that it signs are refused once it has expired. */
export interface CredentialExpiringEvent extends EventOf<'credential.expiring'> {
  data: {
    /** Identifies the API key, `key_…`. */
    credentialId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** What the API key allows. */
    scopes: ('events:write' | 'events:read' | 'customers:read' | 'redemptions:write')[];
    /** Identifies the signing secret, `sec_…`. */
    secretId: string;
    /** When requests that it signs start to be refused, ISO 8601 in UTC. */
    expiresAt: string;
  } & Example;
}

/** A service account was created or revoked, or its token was rotated. */
export interface ServiceAccountChangedEvent extends EventOf<'service_account.changed'> {
  data: {
    /** Identifies the service account, `sva_…`. */
    serviceAccountId: string;
    /** What changed. */
    change: 'CREATED' | 'ROTATED' | 'REVOKED';
    /** What the service account can read. */
    scopes: ('log:read' | 'rewards:read')[];
  } & Example;
}

/** An order comparison is done or failed. Read it for the differences. */
export interface ReconciliationCompletedEvent extends EventOf<'reconciliation.completed'> {
  data: {
    /** Identifies the order comparison, `job_…`. */
    reconciliationId: string;
    /** Identifies the integration, `int_…`. */
    integrationId: string;
    /** How it ended. */
    status: 'DONE' | 'FAILED';
    /** Rows of the list. */
    rows: number;
    /** Rows without a difference. */
    matched: number | null;
    /** Rows that were never reported. */
    missing: number | null;
    /** Orders and refunds that were reported and are not in the list. */
    notInFile: number | null;
    /** Rows whose order or refund is in an earlier row. */
    duplicate: number | null;
    /** Rows that were reported with other values. */
    mismatched: number | null;
  } & Example;
}

/** You tested the endpoint in the portal or by the API. */
export interface TestPingEvent extends EventOf<'test.ping'> {
  data: {
    /** Identifies the endpoint, `whe_…`. */
    endpointId: string;
  } & Example;
}

/** The content of a webhook. Types can be added: ignore those that you do not know. */
export type WebhookEvent =
  | RewardFundedEvent
  | RewardAwaitingFundingEvent
  | RewardClaimableEvent
  | RewardClaimedEvent
  | RewardExpiredEvent
  | RewardReducedEvent
  | RewardCancelledEvent
  | ReviewOpenedEvent
  | ReviewAskedEvent
  | ReviewDecidedEvent
  | FundingLowEvent
  | FundingToppedUpEvent
  | FundingWithdrawnEvent
  | FundingCorrectedEvent
  | FundingRecoveredEvent
  | UsageThresholdEvent
  | BudgetThresholdEvent
  | PointsEndingEvent
  | PointsEndedEvent
  | InvoiceIssuedEvent
  | InvoicePaymentRecordedEvent
  | InvoicePaymentReversedEvent
  | InvoiceOverdueEvent
  | InvoiceVoidedEvent
  | GoLiveApprovedEvent
  | GoLiveReturnedEvent
  | CredentialCreatedEvent
  | CredentialRevokedEvent
  | CredentialExpiringEvent
  | ServiceAccountChangedEvent
  | ReconciliationCompletedEvent
  | TestPingEvent;

// End.
