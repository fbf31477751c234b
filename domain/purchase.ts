import { DateTime } from 'luxon';
import type { Mode } from './mode.ts';
import { dayMs } from './utc-days.ts';

/** A purchase that passed all checks of the API, ready to be recorded. */
export interface PurchaseReport extends Origin {
  eventId: string;
  rewardId: string;
  /** The id of the workflow that will drive the reward (domain/workflow-names.ts). */
  workflowId: string;
  externalOrderId: string;
  subtotalCents: number;
  currency: string;
  occurredAt: string | null;
  customerId: string;
  /** The id of whoever gives only this phone, if the customer gave an email as well. */
  phoneId?: string;
  /** Who delivers the claim link to the customer. */
  delivery: Delivery;
  claimTokenHash: string;
  /** `SealedPurchase` as JSON, sealed under a key of its own and bound to the event's id. */
  sealed: string;
}

/** The personal and secret parts of a purchase. They exist in clear only while they are used. */
export interface SealedPurchase {
  email: string | null;
  phone: string | null;
  claimToken: string;
  /** The link that the response contained, if the partner delivers it; otherwise null. */
  claimUrl: string | null;
  metadata: Record<string, unknown> | null;
}

/** Whom a reward is for since its contact was corrected. */
export interface SealedContact extends Pick<SealedPurchase, 'email' | 'phone'> {
  /** Null if the partner delivers the claim link, which stays the same. */
  claimToken: string | null;
}

/** Identifies a purchase to its workflow, which reads everything else from the database. */
export interface PurchaseRef {
  partnerId: string;
  purchaseEventId: string;
}

/** A validated purchase request (docs/integrate/requests.md, Requests). */
export interface PurchaseRequest {
  externalOrderId: string;
  customer: { email?: string; phone?: string };
  order: { subtotalCents: number; currency?: string };
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}

/** The free text of a refund, which may name a customer and is therefore sealed. */
export interface SealedRefund {
  reason: string | null;
  metadata: Record<string, unknown> | null;
}

/** A validated refund request (docs/integrate/requests.md, Requests). */
export interface RefundRequest {
  externalOrderId: string;
  externalRefundId?: string;
  /** A part of the order, in minor units; absent for all that is left. */
  amountCents?: number;
  reason?: string;
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}

/** The rules for metadata (docs/integrate/requests.md, Requests). */

const partnerCostFields: ReadonlySet<string> = new Set(
  [
    'cost',
    'costCents',
    'unitCost',
    'partnerCost',
    'partnerCostCents',
    'rewardCost',
    'rewardCostCents',
    'costPerPoint',
    'pointCost',
    'fundingCost',
    'merchantCost',
    'margin',
    'commission',
    'payout',
  ].map(comparable),
);

const metadataLimits = { bytes: 16 * 1024, levels: 8 } as const;

export type MetadataProblem = {
  code: 'FORBIDDEN_METADATA_FIELD' | 'VALIDATION_FAILED';
  message: string;
};

/** Names are compared ignoring case, `_` and `-`. */
function comparable(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/**
 * The first problem of a request's metadata, if any: too large, too deep, or a partner cost field
 * at any depth.
 * @param allowCostFields true for refunds
 */
export function metadataProblem(
  metadata: Record<string, unknown>,
  { allowCostFields }: { allowCostFields: boolean },
): MetadataProblem | undefined {
  // Depth first: deeper metadata could not even be serialized safely.
  const problem = walk(metadata, 'metadata', 1, allowCostFields);
  if (problem) return problem;
  if (new TextEncoder().encode(JSON.stringify(metadata)).byteLength > metadataLimits.bytes) {
    return {
      code: 'VALIDATION_FAILED',
      message: `metadata must be at most ${metadataLimits.bytes} bytes of JSON`,
    };
  }
  return undefined;
}

function walk(
  value: unknown,
  path: string,
  level: number,
  allowCostFields: boolean,
): MetadataProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > metadataLimits.levels) {
    return {
      code: 'VALIDATION_FAILED',
      message: `metadata must be at most ${metadataLimits.levels} levels deep`,
    };
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!allowCostFields && !Array.isArray(value) && partnerCostFields.has(comparable(name))) {
      return {
        code: 'FORBIDDEN_METADATA_FIELD',
        message: `${path}.${name} is a partner cost field; remove it from the metadata`,
      };
    }
    const problem = walk(inner, `${path}.${name}`, level + 1, allowCostFields);
    if (problem) return problem;
  }
  return undefined;
}

export type EventType = 'PURCHASE' | 'REFUND';

/** The types of signed requests. */
export const requestTypes = ['PURCHASE', 'REFUND', 'RELEASE', 'REDEMPTION', 'READ'] as const;

export type RequestType = (typeof requestTypes)[number];

/**
 * Who sent an event, and what distinguishes it from its repeats (docs/integrate/idempotency.md, Idempotency).
 */
export interface Origin {
  partnerId: string;
  /** Shown to partners as `source`. */
  integrationId: string;
  credentialId: string;
  mode: Mode;
  requestId: string;
  idempotencyKeyHash: string;
  payloadHash: string;
  /** ISO 8601, UTC. */
  receivedAt: string;
  /** What the request log records once the request is accepted. */
  request: RequestInfo;
}

/** A request, and the status of its response. */
export interface RequestInfo {
  method: string;
  path: string;
  status: number;
}

/** Fields that partners report, in requests and in files of orders (docs/integrate/requests.md, Requests). */

/** The longest id that a partner gives to an order or refund, in characters. */
export const maxExternalIdChars = 160;

/** Whether a text has at most this many characters. Code points beyond U+FFFF count once. */
export function hasAtMost(maxChars: number, text: string): boolean {
  return text.length <= maxChars || [...text].length <= maxChars;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const unprintable = /[\u0000-\u001f\u007f]/;

/**
 * Whether an id has neither control characters nor lone surrogates, since others store and search
 * it.
 */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text) && text.isWellFormed();
}

/** Whether an id can stand in a path: `.` and `..` are steps in it, which every program on the way resolves. */
export const isNameable = (text: string): boolean => isPrintable(text) && !/^\.{1,2}$/.test(text);

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Whether a text is an ISO 8601 date-time with an offset, whose year in UTC has four digits, as in every answer. */
export function isInstant(text: string): boolean {
  // Luxon rejects days that do not exist, Date.parse offsets that do not exist.
  if (!withOffset.test(text) || !DateTime.fromISO(text).isValid) return false;
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && /^\d{4}-/.test(new Date(atMs).toISOString());
}

/** Whether an event can have happened then: from 1970 to a day from now, since clocks differ. */
export function canHaveHappened(instant: string, nowMs: number): boolean {
  const atMs = Date.parse(instant);
  return atMs >= 0 && atMs <= nowMs + dayMs;
}

/** The id of a refund without one of its own. It can be longer than other ids. */
export const defaultRefundId = (externalOrderId: string): string => `refund:${externalOrderId}`;

/**
 * Who delivers claim links to customers: the service, or the partner, which gets the link in the
 * response to the purchase. The integration decides, and a purchase keeps what applied when it was
 * reported.
 */
export const deliveries = ['SERVICE', 'PARTNER'] as const;

export type Delivery = (typeof deliveries)[number];

/** The link that claims a reward. @param portalUrl where customers reach the portal, without a slash at the end */
export function claimUrlOf(portalUrl: string, claimToken: string): string {
  return `${portalUrl}/claim/${claimToken}`;
}
