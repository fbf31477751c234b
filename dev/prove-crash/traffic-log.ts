import type { Mode } from '../../domain/mode.ts';
import type { ReceivedWebhooks } from './webhook-receiver.ts';

/** A partner's back end, in one mode. */
export interface SimulatedShop {
  name: string;
  partnerId: string;
  mode: Mode;
  key: string;
  secret: string;
  /** Its funds run short while it sells, so that rewards wait until an operator tops it up. */
  isTight: boolean;
}

export interface LoggedResponse {
  status: number;
  text: string;
}

/** A signed event as it goes out, the same bytes each time, and what was answered first. */
export interface SentEvent {
  shop: SimulatedShop;
  kind: 'purchases' | 'refunds';
  orderId: string;
  idempotencyKey: string;
  body: string;
  /** The first one that was neither 429 nor 5xx; undefined until there is one. */
  response: LoggedResponse | undefined;
}

/** Everything that was asked of the service, and what it said. */
export interface TrafficLog {
  sent: SentEvent[];
  /** Rewards whose claim was answered with success. */
  claimed: Set<string>;
  /** Verdicts that were answered with success, by review. */
  decided: Map<string, 'UPHOLD' | 'DISMISS'>;
  /** When purchases and refunds were answered, and how; 0 where no answer came. */
  responses: { atMs: number; status: number }[];
  /** What the partners' endpoints were told. */
  webhooks: ReceivedWebhooks;
  /** Answers that nobody should ever get. */
  breakdowns: LoggedResponse[];
}

/** What never happened, so that nothing is proved of it. */
export function missingTraffic({ sent, claimed, decided, webhooks }: TrafficLog): string[] {
  const refunds = sent.filter(({ kind }) => kind === 'refunds').length;
  return Object.entries({
    ...{ refunds, claims: claimed.size, decisions: decided.size },
    ...(webhooks.endpoints.length > 0 && { webhooks: webhooks.arrived.size }),
  })
    .filter(([, count]) => count === 0)
    .map(([what]) => `there were no ${what}`);
}

export const newTrafficLog = (): TrafficLog => ({
  sent: [],
  claimed: new Set(),
  decided: new Map(),
  responses: [],
  webhooks: { endpoints: [], arrived: new Map() },
  breakdowns: [],
});
