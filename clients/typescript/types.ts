/** Request and response bodies (docs/integrate/requests.md, Requests). */

export type Mode = 'TEST' | 'LIVE';

export type RewardStatus =
  | 'PENDING'
  | 'AWAITING_FUNDING'
  | 'AVAILABLE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'ADMIN_REVIEW';

export type RefundStatus = 'CANCELLED' | 'REDUCED' | 'ADMIN_REVIEW' | 'NO_ACTION';

export type CustomerStatus = 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';

export interface PurchaseRequest {
  /** 1 to 160 characters, unique among the integration's purchases. */
  externalOrderId: string;
  /** At least one of the two; a blank string counts as absent. */
  customer: { email?: string | undefined; phone?: string | undefined };
  order: {
    /** Whole cents, 0 to 100,000,000. */
    subtotalCents: number;
    /** Three letters; USD when absent. */
    currency?: string | undefined;
  };
  /** ISO 8601 with a timezone offset. */
  occurredAt?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface RefundRequest {
  /** The purchase that is refunded. */
  externalOrderId: string;
  /** 1 to 160 characters; `refund:<externalOrderId>` when absent. Required with `amountCents`. */
  externalRefundId?: string | undefined;
  /** How much of the order's subtotal is refunded, in minor units; all that is left when absent. */
  amountCents?: number | undefined;
  /** Up to 500 characters. */
  reason?: string | undefined;
  /** ISO 8601 with a timezone offset. */
  occurredAt?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

export interface PurchaseResponse {
  success: true;
  mode: Mode;
  eventId: string;
  externalOrderId: string;
  reward: {
    id: string;
    points: number;
    status: 'PENDING';
    customerStatus: 'AWAITING_CUSTOMER_CLAIM';
    /** ISO 8601. */
    claimExpiresAt: string;
    /** When its hold ends, ISO 8601; null if it can be claimed at once. */
    claimableFrom: string | null;
    /** Only for integrations that deliver claim links themselves. Send it only to the customer. */
    claimUrl?: string;
  };
}

export interface RefundResponse {
  success: true;
  mode: Mode;
  eventId: string;
  externalOrderId: string;
  refund: { externalRefundId: string; status: RefundStatus; amountCents: number };
  reward: { id: string; points: number; status: RewardStatus };
}

export type QuoteRequest = Pick<PurchaseRequest, 'order'> &
  Partial<Pick<PurchaseRequest, 'customer'>>;

export interface QuoteResponse {
  success: true;
  mode: Mode;
  points: number;
  /** How the points are worked out. */
  explanation: string;
  ruleId: string;
  /** How long the customer could claim them: an ISO 8601 duration. */
  claimWindow: string;
  /** When the hold of a purchase of now would end, ISO 8601; null if it could be claimed at once. */
  claimableFrom: string | null;
}

export type BalanceRequest = Pick<PurchaseRequest, 'customer'>;

export interface BalanceResponse {
  success: true;
  mode: Mode;
  currency: string;
  /** What can be spent now. */
  points: number;
  /** What they pay for, in minor units of the currency. */
  amountCents: number;
  /** Held for other orders. */
  heldPoints: number;
  /** Of rewards that are not claimed yet. */
  pendingPoints: number;
}

export type RedemptionStatus = 'HELD' | 'CAPTURED' | 'RELEASED' | 'EXPIRED' | 'REVERSED';

export interface RedemptionRequest {
  /** 1 to 160 characters, unique among the integration's redemptions: one for each attempt at a checkout. */
  externalRedemptionId: string;
  /** At least one of the two. */
  customer: PurchaseRequest['customer'];
  /** Either `points`, or `amountCents` in minor units of the currency. */
  points?: number | undefined;
  amountCents?: number | undefined;
  /** The order that the points pay for. */
  externalOrderId?: string | undefined;
  /** Holds the points for 15 minutes. */
  hold?: boolean | undefined;
}

/** A part of a redemption that comes back: one of the two. */
export type ReversedPart =
  | { points: number; amountCents?: undefined }
  | { amountCents: number; points?: undefined };

export interface Redemption {
  id: string;
  externalRedemptionId: string;
  /** The order that the points pay for, if it was named. */
  externalOrderId: string | null;
  status: RedemptionStatus;
  points: number;
  /** What the points pay for. */
  amountCents: number;
  /** What of them came back to the customer after they were spent. */
  reversedPoints: number;
  reversedCents: number;
  /** Until when they were or are held, ISO 8601, as are the other times; null if they never were. */
  expiresAt: string | null;
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
}

/** A time in a query: ISO 8601 with a timezone offset, or a date. */
type Instant = string | Date;

/** Which orders or redemptions of a list; all that is given must apply. */
export interface ListQuery {
  /** Only those of this customer, the newest first. It takes a key that also has the scope `customers:read`. */
  customer?: PurchaseRequest['customer'] | undefined;
  changedSince?: Instant | undefined;
  /** The earliest time at which it was recorded. */
  receivedFrom?: Instant | undefined;
  /** The first time that is too late. */
  receivedTo?: Instant | undefined;
  /** Of a page: 1 to 100; 25 by default. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

export interface OrderQuery extends ListQuery {
  /** Of the order's reward. */
  status?: RewardStatus | undefined;
}

export interface RedemptionQuery extends ListQuery {
  status?: RedemptionStatus | undefined;
}

export interface RedemptionListResponse {
  success: true;
  mode: Mode;
  redemptions: Redemption[];
  /** Null on the last page. */
  nextCursor: string | null;
}

export interface RedemptionReadResponse {
  success: true;
  mode: Mode;
  redemption: Redemption;
}

export interface RedemptionResponse {
  success: true;
  mode: Mode;
  eventId: string;
  redemption: Redemption;
  /** What the customer can spend afterwards. */
  balance: { points: number; amountCents: number };
}

export interface RewardResponse {
  success: true;
  mode: Mode;
  reward: {
    id: string;
    externalOrderId: string;
    points: number;
    status: RewardStatus;
    customerStatus: CustomerStatus;
    /** ISO 8601, as are the other times. */
    claimExpiresAt: string;
    /** When its hold ends or ended; null if it never had one. */
    claimableFrom: string | null;
    createdAt: string;
    /** When it last changed. */
    updatedAt: string;
    /** The refunds of its order, oldest first, each with the status of its response. */
    refunds: {
      externalRefundId: string;
      status: RefundStatus;
      amountCents: number;
      receivedAt: string;
    }[];
    /** The newest review that a refund of the claimed reward opened. */
    review: { status: 'OPEN' | 'UPHELD' | 'DISMISSED'; decidedAt: string | null } | null;
  };
}

export interface Order {
  externalOrderId: string;
  currency: string;
  /** As it was reported, in minor units of the currency. */
  subtotalCents: number;
  /** How much of it was refunded, with what is under review and without what was dismissed. */
  refundedCents: number;
  /** How much of it can still be refunded. */
  remainingCents: number;
  reward: RewardResponse['reward'];
  /** The same as in the reward. */
  refunds: RewardResponse['reward']['refunds'];
  /** Those that named the order, the newest first, at most 100. */
  redemptions: Redemption[];
}

export interface OrderResponse extends Order {
  success: true;
  mode: Mode;
}

export interface OrderListResponse {
  success: true;
  mode: Mode;
  orders: Order[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** The media types of a list of orders. */
export type ListType = 'text/csv' | 'application/x-ndjson' | 'application/jsonl';

/** What is different between a list and what was reported. */
export interface Difference {
  kind: 'MISSING' | 'NOT_IN_FILE' | 'DUPLICATE' | 'MISMATCHED';
  externalOrderId: string;
  /** Null if it is about the order, and not about one of its refunds. */
  externalRefundId: string | null;
  /** The header of a CSV file is row 1; null if it is not in the list. */
  row: number | null;
  eventId: string | null;
  /** A description for people. */
  what: string;
  /** What to send, with an idempotency key; null if that is for people to decide. */
  repair: {
    method: 'POST';
    path: string;
    body: Record<string, unknown>;
    /** Fields of the body that the list does not have, such as `customer`. */
    add: string[];
  } | null;
}

export interface ReconciliationResponse {
  success: true;
  mode: Mode;
  reconciliation: {
    id: string;
    status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';
    /** ISO 8601, as are the other times. */
    createdAt: string;
    finishedAt: string | null;
    /** Until when it is kept. */
    expiresAt: string;
    /** Null until it is done. */
    counts: {
      rows: number;
      matched: number;
      missing: number;
      notInFile: number;
      duplicate: number;
      mismatched: number;
      /** Rows with a status that does not say whether the order was refunded. */
      unknownStatus: number;
    } | null;
    unknownStatuses: { status: string; rows: number }[];
    /** The time in which reported orders were looked for in the list; null for none. */
    checkedFrom: string | null;
    checkedTo: string | null;
    /** The first page. */
    differences: Difference[];
    pages: number;
    /** Whether there were more than 200,000. */
    isCut: boolean;
    /** Why it failed. */
    problem: string | null;
  };
}

export interface DifferencesResponse {
  success: true;
  mode: Mode;
  page: number;
  differences: Difference[];
}

export interface PlanVersion {
  id: string;
  planCode: string;
  version: number;
  name: string;
  currency: string;
  monthlyPriceCents: number;
  annualPriceCents: number;
  includedPoints: number;
  /** Millionths of the currency unit. */
  overageRateMicrosPerPoint: number;
  apiRateLimitPerMinute: number;
  supportClass: string;
  features: string[];
  publishedAt: string;
}

export interface PlansResponse {
  success: true;
  plans: PlanVersion[];
}

export interface UsageResponse {
  success: true;
  mode: Mode;
  /** Of its amounts, in minor units. */
  currency: string;
  billingPeriod: { start: string; end: string };
  includedPoints: number;
  includedPointsConsumed: number;
  overagePoints: number;
  accruedOverageCents: number;
  rewardLiabilityCents: number;
  /** The projected figures at the end of the period. */
  projection: {
    points: number;
    /** The bounds of the 80 % prediction interval. */
    lowPoints: number;
    highPoints: number;
    overagePoints: number;
    overageCents: number;
    /** The number of days of usage that the projection is based on; 0 without usage. */
    basisDays: number;
  };
  recommendation: {
    action: 'STAY' | 'UPGRADE' | 'DOWNGRADE';
    /** The plan version to move to; null with STAY. */
    planVersionId: string | null;
    estimatedSavingsCents: number;
    reason: string;
  };
  /** The 20 newest. */
  recentEvents: {
    eventId: string;
    type: 'PURCHASE' | 'REFUND';
    externalOrderId: string;
    points: number;
    /** Null if the partner did not send it. */
    occurredAt: string | null;
    receivedAt: string;
  }[];
}

export interface BillingResponse {
  success: true;
  mode: Mode;
  /** Null for a partner without a plan. */
  subscription: {
    id: string;
    status: 'ACTIVE' | 'CANCELLED';
    interval: 'MONTH' | 'YEAR';
    currentPeriodStart: string;
    currentPeriodEnd: string;
    /** The plan version that applies from the next period on, if another one does. */
    pendingPlanVersionId: string | null;
    /** When a cancelled subscription ends. */
    endsAt: string | null;
  } | null;
  planVersion: PlanVersion | null;
  wallet: {
    currency: string;
    balanceCents: number;
    reservedCents: number;
    availableCents: number;
    asOf: string;
  };
  rewardFunding: {
    balanceCents: number;
    lowBalanceThresholdCents: number;
    /** How long the balance lasts at the current rate; null without usage. */
    runwayDays: number | null;
  };
  /** The 12 newest. */
  invoices: {
    id: string;
    number: string;
    kind: 'PERIOD' | 'PRORATION';
    /** VOID if a credit note takes it back. */
    status: 'ISSUED' | 'VOID';
    /** OVERDUE: something is left to pay after the due date, whether a part was paid or not. */
    paymentStatus: 'DUE' | 'PARTIALLY_PAID' | 'PAID' | 'OVERDUE' | 'VOID';
    currency: string;
    /** Their amounts add up to the total; credits are negative. */
    lines: {
      kind: 'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION';
      description: string;
      amountCents: number;
    }[];
    /** At the time of issue; null if none was configured. */
    issuer: {
      name: string;
      /** With line breaks. */
      address: string | null;
      taxId: string | null;
      paymentDetails: string | null;
    } | null;
    /** The partner at the time of issue; null for older invoices. */
    billedTo: {
      name: string;
      /** With line breaks, without the country. */
      address: string | null;
      /** ISO 3166-1 alpha-2; null if none was chosen. */
      country: string | null;
      taxId: string | null;
    } | null;
    totalCents: number;
    /** What the bank transfer has to name. */
    paymentReference: string;
    /** `paidOn` is a day, `yyyy-mm-dd`. */
    payments: { reference: string; amountCents: number; paidOn: string }[];
    /** Payments that did not arrive, each named by its reference. */
    reversals: { reference: string; amountCents: number; reason: string; reversedAt: string }[];
    /** The sum of the payments without those reversed. */
    paidCents: number;
    /** Takes the whole invoice back; null unless it is VOID. */
    creditNote: { number: string; reason: string; issuedAt: string } | null;
    periodStart: string;
    periodEnd: string;
    issuedAt: string;
    dueAt: string;
  }[];
}

/** How TEST was hard for an integration, and how it did. */
export interface Rehearsal {
  /** `rhs_…` */
  id: string;
  status: 'RUNNING' | 'ENDED';
  startedAt: string;
  endsAt: string;
  report: {
    faults: Record<'LOST' | 'UNAVAILABLE' | 'RATE_LIMITED' | 'SLOW', number>;
    /** How many of the faulty requests were sent again with their key. */
    retried: number;
    webhooks: Record<
      'DOUBLED' | 'REORDERED' | 'LATE' | 'ROTATED',
      { sent: number; accepted: number }
    >;
    /** How many orders and refunds the newest order comparison since its start found missing; null without one. */
    missingOrders: number | null;
    problems: { problem: string; count: number; requestIds: string[] }[];
    verdict: 'NOTHING_HAPPENED' | 'PASSED' | 'PROBLEMS';
  };
}

export interface RehearsalResponse {
  success: true;
  mode: 'TEST';
  rehearsal: Rehearsal;
}

/** A public key that tree heads are signed with, as a JWK (RFC 8037). */
export interface SigningKey {
  kty: 'OKP';
  crv: 'Ed25519';
  /** Base64url. */
  x: string;
  /** Its thumbprint (RFC 7638). */
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
  /** ISO 8601. */
  createdAt: string;
  /** Since when it signs no more; null for the current one. */
  retiredAt: string | null;
}

/** An entry of the ledger with the proof that it is in the log. */
export interface ReceiptEntry {
  /** The place of its leaf in the log, from 0. */
  index: number;
  /** The leaf, to the byte: JSON, of which the hash is in the log. */
  leaf: string;
  /** Base64: the audit path of RFC 6962, 2.1.1. */
  inclusionProof: string[];
}

/** What proves the entries of a reward to whoever has the service's public key. */
export interface Receipt {
  format: 'partner-events/receipt/1';
  rewardId: string;
  entries: ReceiptEntry[];
  /** How many entries of the reward are newer than the tree head. */
  pendingEntries: number;
  /** The signed tree head: a JWS whose payload has `log`, `size`, `rootHash` (base64) and `signedAt`. */
  treeHead: string;
  /** The head before it; null for the first. */
  previousTreeHead: string | null;
  /** Base64: the consistency proof of RFC 6962, 2.1.2, between the two; empty for the first. */
  consistencyProof: string[];
  /**
   * Signed by the service: a JWS whose payload has `log`, `size`, `rewardId`, `indexes` (of all entries under the head)
   * and `pendingEntries`.
   */
  statement: string;
  /** The public keys of these, as the service has them. */
  keys: SigningKey[];
}

export interface ReceiptResponse {
  success: true;
  mode: Mode;
  receipt: Receipt;
}
