import type { Mode } from './mode.ts';

export type EventType = 'PURCHASE' | 'REFUND';

/** What a signed request asks for. */
export const requestTypes = ['PURCHASE', 'REFUND', 'READ'] as const;

export type RequestType = (typeof requestTypes)[number];

/** Who sent an event, and how it is told from its repeats (docs/contract.md, Idempotency). */
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
  /** Where the request came from: an IPv4 or IPv6 address; null where it is known no longer. */
  address: string | null;
  /** What the API's log of requests says of it, once it is accepted. */
  request: RequestInfo;
}

/** How a request came, and the status it is answered with. */
export interface RequestInfo {
  method: string;
  path: string;
  status: number;
}
