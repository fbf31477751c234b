/** What goes over the wire (docs/contract.md, Requests). */

export type Mode = 'TEST' | 'LIVE';

export type RewardStatus =
  | 'PENDING'
  | 'AWAITING_FUNDING'
  | 'AVAILABLE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'ADMIN_REVIEW';

export type RefundStatus = 'CANCELLED' | 'ADMIN_REVIEW' | 'NO_ACTION';

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
  /** 1 to 160 characters; `refund:<externalOrderId>` when absent. */
  externalRefundId?: string | undefined;
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
    /** Only for an integration that delivers its claim links itself: for the customer, and nobody else. */
    claimUrl?: string;
  };
}

export interface RefundResponse {
  success: true;
  mode: Mode;
  eventId: string;
  externalOrderId: string;
  refund: { externalRefundId: string; status: RefundStatus };
  reward: { id: string; points: number; status: RewardStatus };
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
    createdAt: string;
    /** When it last changed. */
    updatedAt: string;
    /** The refunds of its order, the first one first, each with what it was answered. */
    refunds: { externalRefundId: string; status: RefundStatus; receivedAt: string }[];
    /** The newest review that a refund of the claimed reward opened. */
    review: { status: 'OPEN' | 'UPHELD' | 'DISMISSED'; decidedAt: string | null } | null;
  };
}

/** What a webhook says; it is thin: read the reward for the rest. */
export interface WebhookEvent {
  /** The same at every try: what was seen before needs nothing done. */
  id: string;
  type: string;
  mode: Mode;
  /** ISO 8601. */
  createdAt: string;
  /** Counts the events of one reward from 1, since they may arrive in another order. */
  sequence: number;
  data: Record<string, unknown>;
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
  billingPeriod: { start: string; end: string };
  includedPoints: number;
  includedPointsConsumed: number;
  overagePoints: number;
  accruedOverageCents: number;
  rewardLiabilityCents: number;
  /** How the period is expected to end. */
  projection: {
    points: number;
    /** The period is expected to end between these two in four cases of five. */
    lowPoints: number;
    highPoints: number;
    overagePoints: number;
    overageCents: number;
    /** From how many days of use it is reckoned; 0 without any use. */
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
    /** Null when the partner did not say. */
    occurredAt: string | null;
    receivedAt: string;
  }[];
}

export interface BillingResponse {
  success: true;
  mode: Mode;
  /** Null for a partner that is on no plan. */
  subscription: {
    id: string;
    status: 'ACTIVE' | 'CANCELLED';
    interval: 'MONTH' | 'YEAR';
    currentPeriodStart: string;
    currentPeriodEnd: string;
    /** The plan version that takes over with the next period, where one does. */
    pendingPlanVersionId: string | null;
    /** When it ends, once it is cancelled. */
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
    /** How long the balance lasts at the present rate; null where nothing is used. */
    runwayDays: number | null;
  };
  /** The 12 newest. */
  invoices: {
    id: string;
    number: string;
    kind: 'PERIOD' | 'PRORATION';
    status: 'ISSUED';
    paymentStatus: 'DUE';
    currency: string;
    /** They sum to the total; a credit is negative. */
    lines: {
      kind: 'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION';
      description: string;
      amountCents: number;
    }[];
    /** As it was at the issue; null where none was configured. */
    issuer: {
      name: string;
      /** In lines. */
      address: string | null;
      taxId: string | null;
      paymentDetails: string | null;
    } | null;
    /** The partner as it was at the issue; null for an invoice from before this was kept. */
    billedTo: {
      name: string;
      /** In lines, without the country. */
      address: string | null;
      /** ISO 3166-1 alpha-2. */
      country: string;
      taxId: string | null;
    } | null;
    totalCents: number;
    periodStart: string;
    periodEnd: string;
    issuedAt: string;
    dueAt: string;
  }[];
}
