/** Response bodies, as the reference has them. */

// Made by `npm run make -- docs`.

/** Which of two separate environments it belongs to. The key or token decides. */
export type Mode = 'TEST' | 'LIVE';

export interface PurchaseResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Identifies the recorded event, `evt_…`. */
  eventId: string;
  /** Your id of the order. */
  externalOrderId: string;
  /** The reward as it was created. Whether your funding covers it is decided after the response: read the reward, or receive `reward.funded` or `reward.awaiting_funding`. */
  reward: {
    /** Identifies the reward, `PNR_…`. */
    id: string;
    /** The points that the purchase earns by your active earning rule. They can be 0. */
    points: number;
    /** The state of every new reward. */
    status: 'PENDING';
    /** A new reward is not claimed yet. */
    customerStatus: 'AWAITING_CUSTOMER_CLAIM';
    /** The end of the claim window, ISO 8601 in UTC. If the reward has to wait for funding, the window starts again when it is funded. */
    claimExpiresAt: string;
    /** When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold. */
    claimableFrom: string | null;
    /** The link with which the customer claims the reward. Only for integrations that deliver claim links themselves: show it to the customer and nobody else. A retry contains it until the customer is erased. */
    claimUrl?: string;
  };
}

/** What the refund did. */
export type RefundStatus = 'CANCELLED' | 'REDUCED' | 'ADMIN_REVIEW' | 'NO_ACTION';

/** The state of the reward. */
export type RewardStatus =
  | 'PENDING'
  | 'AWAITING_FUNDING'
  | 'AVAILABLE'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'ADMIN_REVIEW';

export interface RefundResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Identifies the recorded event, `evt_…`. */
  eventId: string;
  /** Your id of the order. */
  externalOrderId: string;
  /** The refund and its effect. */
  refund: {
    /** Your id of the refund, or its default. */
    externalRefundId: string;
    /** What the refund did. */
    status: RefundStatus;
    /** How much of the order's subtotal this refund is of, in minor units of its currency. */
    amountCents: number;
  };
  /** The reward as the refund left it. */
  reward: {
    /** Identifies the reward, `PNR_…`. */
    id: string;
    /** The reward's points after the refund. A cancelled reward still shows what it had. */
    points: number;
    /** The state of the reward. */
    status: RewardStatus;
  };
}

/** The reward as its customer sees it. */
export type CustomerStatus = 'AWAITING_CUSTOMER_CLAIM' | 'CLAIMED' | 'CLAIM_EXPIRED' | 'CANCELLED';

export interface RewardRefund {
  /** Your id of the refund, or its default. */
  externalRefundId: string;
  /** What the refund did. */
  status: RefundStatus;
  /** How much of the order's subtotal it was of, in minor units of its currency. */
  amountCents: number;
  /** When it was recorded, ISO 8601 in UTC. */
  receivedAt: string;
}

export interface RewardReview {
  /** The state of the review. */
  status: 'OPEN' | 'UPHELD' | 'DISMISSED';
  /** When it was decided, ISO 8601 in UTC; null while it is open. */
  decidedAt: string | null;
}

/** The reward as it is now. */
export interface Reward {
  /** Identifies the reward, `PNR_…`. */
  id: string;
  /** Your id of its order. */
  externalOrderId: string;
  /** Its points, after partial refunds. A cancelled or expired reward still shows what it had. */
  points: number;
  /** The state of the reward. */
  status: RewardStatus;
  /** The reward as its customer sees it. */
  customerStatus: CustomerStatus;
  /** The end of the claim window, ISO 8601 in UTC. */
  claimExpiresAt: string;
  /** When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold. */
  claimableFrom: string | null;
  /** When its purchase was recorded, ISO 8601 in UTC. */
  createdAt: string;
  /** When it last changed, ISO 8601 in UTC. */
  updatedAt: string;
  /** The refunds of its order, oldest first. */
  refunds: RewardRefund[];
  /** The newest review that a refund of the claimed reward opened; null without one. */
  review: RewardReview | null;
}

/** The state of the redemption. */
export type RedemptionStatus = 'HELD' | 'CAPTURED' | 'RELEASED' | 'EXPIRED' | 'REVERSED';

/** Points that a customer pays with. */
export interface Redemption {
  /** Identifies the redemption, `red_…`: with it, you capture, release or reverse it. */
  id: string;
  /** Your id of the redemption. */
  externalRedemptionId: string;
  /** Your id of the order that the points pay for; null if you named none. */
  externalOrderId: string | null;
  /** The state of the redemption. */
  status: RedemptionStatus;
  /** The points that are held or redeemed. */
  points: number;
  /** What the points pay for, in minor units of the currency of your funding. */
  amountCents: number;
  /** How many of the points came back to the customer after they were redeemed. */
  reversedPoints: number;
  /** How much of what the points paid for came back, in minor units. */
  reversedCents: number;
  /** The end of the hold, ISO 8601 in UTC; null if the points were redeemed without one. */
  expiresAt: string | null;
  /** When the points were redeemed or held, ISO 8601 in UTC. */
  createdAt: string;
  /** When it last changed, ISO 8601 in UTC. */
  updatedAt: string;
}

export interface OrderResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Your id of the order. */
  externalOrderId: string;
  /** The currency of the order. */
  currency: string;
  /** The subtotal that was reported, in minor units of the order's currency. */
  subtotalCents: number;
  /** How much of it was refunded, in minor units: with what is under review, and without what was dismissed. */
  refundedCents: number;
  /** How much of it can still be refunded, in minor units. */
  remainingCents: number;
  /** The reward as it is now. */
  reward: Reward;
  /** The same as in the reward. */
  refunds: RewardRefund[];
  /** The redemptions of your integration that named the order, the newest first, at most 100. */
  redemptions: Redemption[];
}

export interface QuoteResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The points that the purchase would earn now. */
  points: number;
  /** How the points are computed: one sentence in English. */
  explanation: string;
  /** The version of the earning rule that applies, `rul_…`. */
  ruleId: string;
  /** How long the customer could claim the reward: an ISO 8601 duration. */
  claimWindow: string;
  /** When the hold of a reward of now would end, ISO 8601 in UTC; null if it could be claimed at once. */
  claimableFrom: string | null;
}

export interface BalanceResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The currency of `amountCents`, ISO 4217. */
  currency: string;
  /** The points that the customer can redeem now, within your daily limit if there is one. */
  points: number;
  /** What `points` pay for, in minor units of `currency`. */
  amountCents: number;
  /** Points held for other orders; they are not in `points`. */
  heldPoints: number;
  /** Points of rewards that are not claimed yet; they are not in `points`. */
  pendingPoints: number;
  /** Points that end at `endsAt` unless the customer claims or spends points before then; 0 if none do. */
  endingPoints: number;
  /** When `endingPoints` end, ISO 8601 in UTC; null if none do. */
  endsAt: string | null;
}

export interface RedemptionResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Identifies the recorded event, `evt_…`. */
  eventId: string;
  /** Points that a customer pays with. */
  redemption: Redemption;
  /** What the customer can redeem afterwards. */
  balance: {
    /** The points that the customer can still redeem. */
    points: number;
    /** What they pay for, in minor units of the currency of your funding. */
    amountCents: number;
  };
}

export interface RedemptionListResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The redemptions of this page. */
  redemptions: Redemption[];
  /** Pass it as `cursor` to get the next page. Null on the last one. */
  nextCursor: string | null;
}

export interface RedemptionReadResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Points that a customer pays with. */
  redemption: Redemption;
}

export interface RehearsedWebhooks {
  /** How many were sent. */
  sent: number;
  /** How many of them got a 2xx. */
  accepted: number;
}

/** Some minutes in which requests and webhooks of a TEST key fail on purpose, and how the integration did. */
export interface Rehearsal {
  /** Identifies the rehearsal, `rhs_…`. */
  id: string;
  /** Whether it is still running. */
  status: 'RUNNING' | 'ENDED';
  /** When it started, ISO 8601 in UTC. */
  startedAt: string;
  /** When it ends or ended, ISO 8601 in UTC. */
  endsAt: string;
  /** How the integration did so far. */
  report: {
    /** How many requests met each fault, at most 200 in all. */
    faults: {
      /** Requests whose connection was cut after the event was recorded. */
      LOST: number;
      /** Requests that were refused with 503 before the event was recorded. */
      UNAVAILABLE: number;
      /** Requests that were refused with 429 before the event was recorded. */
      RATE_LIMITED: number;
      /** Requests whose response came some 3 seconds late. */
      SLOW: number;
    };
    /** How many of them were sent again with the same key. */
    retried: number;
    /** How many webhooks met each fault, and how many of those got a 2xx. */
    webhooks: {
      /** Webhooks that arrived twice. */
      DOUBLED: RehearsedWebhooks;
      /** Webhooks that arrived 5 seconds late, so that others overtook them. */
      REORDERED: RehearsedWebhooks;
      /** Webhooks that arrived a minute late. */
      LATE: RehearsedWebhooks;
      /** Webhooks with a second signature, by another secret, as during a rotation. */
      ROTATED: RehearsedWebhooks;
    };
    /** How many orders and refunds the newest order comparison since the start found missing; null without one. */
    missingOrders: number | null;
    /** What the integration did wrong; empty if nothing. */
    problems: {
      /** What went wrong. */
      problem:
        | 'NOT_RETRIED'
        | 'OTHER_BYTES'
        | 'TOO_EARLY'
        | 'LOST_FOR_GOOD'
        | 'WEBHOOK_REFUSED'
        | 'MISSING_ORDERS';
      /** How many requests, webhooks or orders have it. */
      count: number;
      /** The `X-Request-Id` of the first requests with the problem. */
      requestIds: string[];
    }[];
    /** The result so far. */
    verdict: 'NOTHING_HAPPENED' | 'PASSED' | 'PROBLEMS';
  };
}

export interface RehearsalResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Rehearsals exist in TEST only. */
  mode: 'TEST';
  /** Some minutes in which requests and webhooks of a TEST key fail on purpose, and how the integration did. */
  rehearsal: Rehearsal;
}

/** A published version of a plan, which never changes. */
export interface PlanVersion {
  /** Identifies the plan version, `pln_…`. */
  id: string;
  /** The same for all versions of the plan. */
  planCode: string;
  /** Counts the versions of the plan, from 1. */
  version: number;
  /** The plan's name for people. */
  name: string;
  /** The currency of its prices, ISO 4217. */
  currency: string;
  /** The price of a month, in minor units of `currency`. */
  monthlyPriceCents: number;
  /** The price of a year, in minor units of `currency`. */
  annualPriceCents: number;
  /** Points included in a month. A year includes twelve times as many. */
  includedPoints: number;
  /** The price of a point beyond the included ones, in millionths of the currency unit: 400 is 0.0004 USD. */
  overageRateMicrosPerPoint: number;
  /** Signed requests that all your keys of a mode can send in a minute. */
  apiRateLimitPerMinute: number;
  /** The support that the plan includes. */
  supportClass: string;
  /** What else the plan includes, each in a few words. */
  features: string[];
  /** When it was published, ISO 8601 in UTC; null only before. */
  publishedAt: string | null;
}

export interface PlansResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** The published plan versions. */
  plans: PlanVersion[];
}

/** The billing period. */
export interface Period {
  /** Its first moment, ISO 8601 in UTC. */
  start: string;
  /** The first moment after it, ISO 8601 in UTC. */
  end: string;
}

/** How the period is expected to end, by a line fitted to at most the last 28 complete days, in which recent days weigh more. */
export interface Projection {
  /** Points expected to be used by the end of the period. */
  points: number;
  /** The lower end of the range in which the period ends with a probability of 80 %. */
  lowPoints: number;
  /** The upper end of that range. */
  highPoints: number;
  /** How many of `points` are beyond the included ones. */
  overagePoints: number;
  /** What those cost, in minor units of the currency of the response. */
  overageCents: number;
  /** How many days the projection is based on; 0 without usage. */
  basisDays: number;
}

/** Whether another published plan would cost less. */
export interface Recommendation {
  /** What to do. */
  action: 'STAY' | 'UPGRADE' | 'DOWNGRADE';
  /** The plan version to change to, `pln_…`; null to keep the current one. */
  planVersionId: string | null;
  /** What a whole billing period would cost less, in minor units of the currency of the response. */
  estimatedSavingsCents: number;
  /** The reason in one sentence. */
  reason: string;
}

/** What was reported. */
export type EventType = 'PURCHASE' | 'REFUND';

export interface RecentEvent {
  /** Identifies the recorded event, `evt_…`. */
  eventId: string;
  /** What was reported. */
  type: EventType;
  /** Your id of the order. */
  externalOrderId: string;
  /** The points of its reward, as the event left it. */
  points: number;
  /** When it happened as you reported it, ISO 8601 in UTC; null if you did not. */
  occurredAt: string | null;
  /** When it was recorded, ISO 8601 in UTC. */
  receivedAt: string;
}

export interface UsageResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The currency of all amounts in this response, ISO 4217. */
  currency: string;
  /** The billing period. */
  billingPeriod: Period;
  /** Points that your plan includes in this period. */
  includedPoints: number;
  /** How many of them are used. Always 0 in TEST. */
  includedPointsConsumed: number;
  /** Points used beyond the included ones. Always 0 in TEST. */
  overagePoints: number;
  /** What `overagePoints` cost so far, in minor units of `currency`. */
  accruedOverageCents: number;
  /** What is reserved for unclaimed rewards or owed to customers, in minor units of `currency`. */
  rewardLiabilityCents: number;
  /** How the period is expected to end, by a line fitted to at most the last 28 complete days, in which recent days weigh more. */
  projection: Projection;
  /** Whether another published plan would cost less. */
  recommendation: Recommendation;
  /** The 20 newest purchases and refunds of the mode, newest first. */
  recentEvents: RecentEvent[];
}

/** The state of the subscription. */
export type SubscriptionStatus = 'ACTIVE' | 'CANCELLED';

/** The length of a billing period. */
export type Interval = 'MONTH' | 'YEAR';

export interface SubscriptionSummary {
  /** Identifies the subscription, `sub_…`. */
  id: string;
  /** The state of the subscription. */
  status: SubscriptionStatus;
  /** The length of a billing period. */
  interval: Interval;
  /** The first moment of the current billing period, ISO 8601 in UTC. */
  currentPeriodStart: string;
  /** The first moment after it, ISO 8601 in UTC. */
  currentPeriodEnd: string;
  /** The plan version from the next period on, `pln_…`; null without a scheduled change. */
  pendingPlanVersionId: string | null;
  /** When the cancelled subscription ends, ISO 8601 in UTC; null otherwise. */
  endsAt: string | null;
}

/** The money for rewards in this mode; in TEST, the test funding. */
export interface WalletSnapshot {
  /** The currency of its amounts, ISO 4217. */
  currency: string;
  /** The sum of the next two, in minor units of `currency`. */
  balanceCents: number;
  /** What is reserved for rewards that are not claimed yet, in minor units of `currency`. */
  reservedCents: number;
  /** The available funding, for new rewards, in minor units of `currency`. */
  availableCents: number;
  /** When this was read, ISO 8601 in UTC. */
  asOf: string;
}

/** How long the available funding lasts. */
export interface RewardFunding {
  /** The available funding, in minor units of the wallet's currency. */
  balanceCents: number;
  /** Your low-balance threshold, in minor units of the wallet's currency. In LIVE, `funding.low` is sent when the available funding falls below it. */
  lowBalanceThresholdCents: number;
  /** Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them, and in TEST. */
  runwayDays: number | null;
}

/** What the invoice is for. */
export type InvoiceKind = 'PERIOD' | 'PRORATION';

/** How much is paid. */
export type PaymentStatus = 'DUE' | 'PARTIALLY_PAID' | 'PAID' | 'OVERDUE' | 'VOID';

export interface InvoiceLine {
  /** What the line is for. */
  kind: 'PLAN' | 'OVERAGE' | 'CREDIT' | 'PRORATION';
  /** The line in words. */
  description: string;
  /** The amount, in minor units of the invoice's currency. Negative for a credit. */
  amountCents: number;
}

export interface InvoiceIssuer {
  /** The issuer's legal name. */
  name: string;
  /** The address, with line breaks. */
  address: string | null;
  /** The tax number. */
  taxId: string | null;
  /** How to pay, with line breaks. */
  paymentDetails: string | null;
}

export interface InvoiceParty {
  /** The partner's legal name. */
  name: string;
  /** The address, with line breaks and without the country. */
  address: string | null;
  /** ISO 3166-1 alpha-2, `null` if none was chosen. */
  country: string | null;
  /** The tax number. */
  taxId: string | null;
}

export interface InvoicePayment {
  /** The bank's reference. */
  reference: string;
  /** The amount that arrived, in minor units of the invoice's currency. */
  amountCents: number;
  /** The day at the bank, yyyy-mm-dd. */
  paidOn: string;
}

export interface PaymentReversal {
  /** The reference of the payment. */
  reference: string;
  /** All of the payment, in minor units of the invoice's currency. */
  amountCents: number;
  /** Why it was reversed. */
  reason: string;
  /** When that was recorded, ISO 8601 in UTC. */
  reversedAt: string;
}

export interface CreditNote {
  /** The number of the invoice, with a suffix. */
  number: string;
  /** Why the invoice was taken back. */
  reason: string;
  /** When it was issued, ISO 8601 in UTC. */
  issuedAt: string;
}

export interface Invoice {
  /** Identifies the invoice, `inv_…`. */
  id: string;
  /** The number on the invoice, without gaps for each partner. */
  number: string;
  /** What the invoice is for. */
  kind: InvoiceKind;
  /** Whether it stands. */
  status: 'ISSUED' | 'VOID';
  /** How much is paid. */
  paymentStatus: PaymentStatus;
  /** The currency of its amounts, ISO 4217. */
  currency: string;
  /** What is invoiced. The amounts add up to the total. */
  lines: InvoiceLine[];
  /** The issuer as configured when the invoice was issued. Null if none was configured. */
  issuer: InvoiceIssuer | null;
  /** The partner as it was when the invoice was issued. Null if that was not recorded. */
  billedTo: InvoiceParty | null;
  /** The total of its lines, in minor units of `currency`. */
  totalCents: number;
  /** What the bank transfer has to name. */
  paymentReference: string;
  /** The payments that arrived, in the order in which they were recorded. */
  payments: InvoicePayment[];
  /** Recorded payments that did not arrive after all. */
  reversals: PaymentReversal[];
  /** The sum of the payments without those reversed, in minor units of `currency`. */
  paidCents: number;
  /** Takes the whole invoice back. Null unless its status is `VOID`. */
  creditNote: CreditNote | null;
  /** The first moment of the time that it is for, ISO 8601 in UTC. */
  periodStart: string;
  /** The first moment after it, ISO 8601 in UTC. */
  periodEnd: string;
  /** When it was issued, ISO 8601 in UTC. */
  issuedAt: string;
  /** When it is due, ISO 8601 in UTC. It is overdue after that UTC day. */
  dueAt: string;
}

export interface BillingResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** Your subscription, the same in both modes; null without one. */
  subscription: SubscriptionSummary | null;
  /** The plan version of the subscription; null without one. */
  planVersion: PlanVersion | null;
  /** The money for rewards in this mode; in TEST, the test funding. */
  wallet: WalletSnapshot;
  /** How long the available funding lasts. */
  rewardFunding: RewardFunding;
  /** The 12 newest invoices, newest first; the same in both modes. */
  invoices: Invoice[];
}

export interface RewardResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The reward as it is now. */
  reward: Reward;
}

export interface ReceiptEntry {
  /** The place of the entry in the log, from 0. */
  index: number;
  /** The entry as the log has it, to the byte, in UTF-8: JSON with `id`, `partnerId`, `at`, `kind`, `reference`, `rewardId`, `postings` (`account`, `unit`, `amount`; they sum to zero in each unit) and `hash`, the entry's keyed hash, which binds it to the one before it in the ledger. Customers are blinded, differently for each reward; balances are left out. */
  leaf: string;
  /** Proves that the entry is in the log: the audit path of RFC 6962, 2.1.1, hashes in base64. */
  inclusionProof: string[];
}

export interface SigningKey {
  /** The type of key (RFC 8037). */
  kty: 'OKP';
  /** The curve (RFC 8037). */
  crv: 'Ed25519';
  /** The public key, in base64url. */
  x: string;
  /** The key's thumbprint (RFC 7638), which a tree head names. */
  kid: string;
  /** The key is for signatures. */
  use: 'sig';
  /** The algorithm of the signature. */
  alg: 'EdDSA';
  /** When the key started to sign, ISO 8601 in UTC. */
  createdAt: string;
  /** When the key stopped signing, ISO 8601 in UTC; null for the current one. What it signed before stays valid. */
  retiredAt: string | null;
}

/** The reward's entries in the ledger, with the proofs that the signed log contains them. */
export interface Receipt {
  /** The format of the receipt and its version. */
  format: 'partner-events/receipt/1';
  /** Identifies the reward, `PNR_…`. */
  rewardId: string;
  /** The reward's entries that the tree head covers, in the order of the ledger. */
  entries: ReceiptEntry[];
  /** How many entries of the reward are newer than the tree head. */
  pendingEntries: number;
  /** The signed tree head, a JWS in compact form with `alg` `EdDSA` and the key's `kid`. Its payload is JSON: `log` (whose log it is), `size` (how many entries it covers), `rootHash` (base64 of the Merkle tree hash of RFC 6962, 2.1, with SHA-256) and `signedAt`. */
  treeHead: string;
  /** The signed tree head of the day before, in the same form; null for the first. */
  previousTreeHead: string | null;
  /** Proves that entries were only added since the previous head: the consistency proof of RFC 6962, 2.1.2, hashes in base64. Empty for the first head. */
  consistencyProof: string[];
  /** What the service states about the reward, a JWS as the heads are. Its payload is JSON: `log` and `size` of the newest head, `rewardId`, `indexes` of all its entries under that head, and `pendingEntries`. So no entry can be left out of a receipt. */
  statement: string;
  /** The public keys of the heads. They help to find the right one; verify with those of getSigningKeys. */
  keys: SigningKey[];
}

export interface ReceiptResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The reward's entries in the ledger, with the proofs that the signed log contains them. */
  receipt: Receipt;
}

/** An order as it is now. */
export interface Order {
  /** Your id of the order. */
  externalOrderId: string;
  /** The currency of the order. */
  currency: string;
  /** The subtotal that was reported, in minor units of the order's currency. */
  subtotalCents: number;
  /** How much of it was refunded, in minor units: with what is under review, and without what was dismissed. */
  refundedCents: number;
  /** How much of it can still be refunded, in minor units. */
  remainingCents: number;
  /** The reward as it is now. */
  reward: Reward;
  /** The same as in the reward. */
  refunds: RewardRefund[];
  /** The redemptions of your integration that named the order, the newest first, at most 100. */
  redemptions: Redemption[];
}

export interface OrderListResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The orders of this page. */
  orders: Order[];
  /** Pass it as `cursor` to get the next page. Null on the last one. */
  nextCursor: string | null;
}

export interface ReconciliationCounts {
  /** Rows of the list. */
  rows: number;
  /** Rows without a difference. */
  matched: number;
  /** Rows that were never reported. */
  missing: number;
  /** Orders and refunds that were reported and are not in the list. */
  notInFile: number;
  /** Rows whose order or refund is in an earlier row. */
  duplicate: number;
  /** Rows that were reported with other values. */
  mismatched: number;
  /** Rows with one of `unknownStatuses`. */
  unknownStatus: number;
}

export interface Repair {
  /** The method of the request. */
  method: 'POST';
  /** The path of the request. */
  path: '/api/v1/partner/purchases' | '/api/v1/partner/refunds';
  /** The body of the request, without the fields that `add` names. */
  body: Record<string, unknown>;
  /** Fields that you have to add to the body, because the list does not have them. */
  add: string[];
}

export interface Difference {
  /** What differs. */
  kind: 'MISSING' | 'NOT_IN_FILE' | 'DUPLICATE' | 'MISMATCHED';
  /** Your id of the order. */
  externalOrderId: string;
  /** Your id of the refund; null if the difference is about the order itself. */
  externalRefundId: string | null;
  /** The row in the list; the header of a CSV file is row 1. Null if it is not in the list. */
  row: number | null;
  /** The event that reported the order or refund, `evt_…`; null if nothing did. */
  eventId: string | null;
  /** The difference in English. */
  what: string;
  /** The request that repairs the difference, to be sent with an `Idempotency-Key`; null if a person has to decide, as about another subtotal. */
  repair: Repair | null;
}

/** An order comparison and its result. */
export interface Reconciliation {
  /** Identifies the order comparison, `job_…`. */
  id: string;
  /** How far the comparison is. */
  status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';
  /** When the list arrived, ISO 8601 in UTC. */
  createdAt: string;
  /** When it was done or failed, ISO 8601 in UTC; null before. */
  finishedAt: string | null;
  /** When it is deleted, ISO 8601 in UTC. */
  expiresAt: string;
  /** What was found; null until it is done. */
  counts: ReconciliationCounts | null;
  /** Values of the column `refunded` that are not known, at most 20. Whether those orders were refunded is not compared. */
  unknownStatuses: {
    /** The value, at most 40 characters of it. */
    status: string;
    /** How many rows have it. */
    rows: number;
  }[];
  /** The start of the time for which reported orders were looked for in the list, ISO 8601 in UTC. Null if a row has no `occurredAt` or the list covers more than 366 days: then they were not looked for. */
  checkedFrom: string | null;
  /** The end of that time, ISO 8601 in UTC; null as above. */
  checkedTo: string | null;
  /** The first page of differences. */
  differences: Difference[];
  /** The number of pages of differences, each of up to 500. */
  pages: number;
  /** Whether there were more than 200,000 differences, of which the first are kept. */
  isCut: boolean;
  /** Why it failed; null otherwise. */
  problem: string | null;
}

export interface ReconciliationResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** An order comparison and its result. */
  reconciliation: Reconciliation;
}

export interface DifferencesResponse {
  /** Always true. A refused request has `error` instead. */
  success: true;
  /** Which of two separate environments it belongs to. The key or token decides. */
  mode: Mode;
  /** The number of the page, from 1. */
  page: number;
  /** The differences of this page. */
  differences: Difference[];
}

// End.
