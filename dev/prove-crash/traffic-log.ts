import type { Mode } from '../../domain/mode.ts';
import type { ReceivedWebhooks } from './webhook-receiver.ts';

/** A partner's back end in one mode. */
export interface SimulatedShop {
  name: string;
  partnerId: string;
  mode: Mode;
  key: string;
  secret: string;
  /** Its funds run short while it sells, so that rewards wait until an operator tops up. */
  isTight: boolean;
}

export interface LoggedResponse {
  status: number;
  text: string;
}

/** A signed event, sent with the same bytes each time, and its first response. */
export interface SentEvent {
  shop: SimulatedShop;
  kind: 'purchases' | 'refunds';
  orderId: string;
  idempotencyKey: string;
  body: string;
  /** The first response other than 429 and 5xx; undefined without one. */
  response: LoggedResponse | undefined;
}

/** An operator's request that changes something. Repeating it finishes what it began. */
export interface SentOperation {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** All requests to the service, and its responses. */
export interface TrafficLog {
  sent: SentEvent[];
  /** Operators' requests without a response. */
  interrupted: SentOperation[];
  /** Rewards with a successful claim. */
  claimed: Set<string>;
  /** Successful decisions, by review. */
  decided: Map<string, 'UPHOLD' | 'DISMISS'>;
  /** When purchases and refunds got their responses, with the status; 0 without one. */
  responses: { atMs: number; status: number }[];
  /** The webhooks that partners received. */
  webhooks: ReceivedWebhooks;
  /** Responses that nobody should ever get. */
  breakdowns: LoggedResponse[];
}

/** What never happened, so that the run proves nothing about it. */
export function missingTraffic({ sent, claimed, decided, webhooks }: TrafficLog): string[] {
  const refunds = sent.filter(({ kind }) => kind === 'refunds').length;
  return Object.entries({
    refunds,
    claims: claimed.size,
    decisions: decided.size,
    ...(webhooks.endpoints.length > 0 && { webhooks: webhooks.arrived.size }),
  })
    .filter(([, count]) => count === 0)
    .map(([what]) => `there were no ${what}`);
}

export const newTrafficLog = (): TrafficLog => ({
  sent: [],
  interrupted: [],
  claimed: new Set(),
  decided: new Map(),
  responses: [],
  webhooks: { endpoints: [], arrived: new Map() },
  breakdowns: [],
});
