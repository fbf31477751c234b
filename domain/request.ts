import type { Mode } from './mode.ts';

export type EventType = 'PURCHASE' | 'REFUND';

/** The types of signed requests. */
export const requestTypes = ['PURCHASE', 'REFUND', 'READ'] as const;

export type RequestType = (typeof requestTypes)[number];

/**
 * Who sent an event, and what distinguishes it from its repeats (docs/contract.md, Idempotency).
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
  /** The IPv4 or IPv6 address of the client; null once it has been deleted. */
  address: string | null;
  /** What the request log records once the request is accepted. */
  request: RequestInfo;
}

/** A request, and the status of its response. */
export interface RequestInfo {
  method: string;
  path: string;
  status: number;
}
