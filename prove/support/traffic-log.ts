import { randomUUID } from 'node:crypto';
import { signedHeaders } from '../../clients/typescript/signature.ts';
import type { Mode } from '../../domain/mode.ts';

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

/** An event that was not sent yet, with an idempotency key of its own. */
export function anEvent(
  kind: SentEvent['kind'],
  shop: SimulatedShop,
  orderId: string,
  body: object,
): SentEvent {
  const idempotencyKey = randomUUID();
  return { shop, kind, orderId, idempotencyKey, body: JSON.stringify(body), response: undefined };
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
  webhooks: {
    /** The endpoints' partners and modes. */
    endpoints: { partnerId: string; mode: Mode }[];
    /** How often each event arrived, by its `webhook-id`. */
    arrived: Map<string, number>;
  };
  /** The pages that were read: shown, or 503 and no response. */
  pages: { shown: number; away: number };
  /** Responses that nobody should ever get. */
  breakdowns: string[];
}

export const newTrafficLog = (): TrafficLog => ({
  sent: [],
  interrupted: [],
  claimed: new Set(),
  decided: new Map(),
  responses: [],
  webhooks: { endpoints: [], arrived: new Map() },
  pages: { shown: 0, away: 0 },
  breakdowns: [],
});

/** What never happened, so that the run proves nothing about it. */
export function missingTraffic({ sent, claimed, decided, webhooks }: TrafficLog): string[] {
  const happened = {
    refunds: sent.filter(({ kind }) => kind === 'refunds').length,
    claims: claimed.size,
    decisions: decided.size,
    webhooks: webhooks.endpoints.length === 0 ? 1 : webhooks.arrived.size,
  };
  return Object.entries(happened).flatMap(([what, count]) =>
    count === 0 ? [`there were no ${what}`] : [],
  );
}

/** The responses within a time span. */
export interface AvailabilityGap {
  /** The longest time without a successful purchase or refund. */
  longestMs: number;
  succeeded: number;
  unavailable: number;
  /** Responses that are neither a success nor a 503. */
  refused: number;
  /** Their statuses. */
  refusals: number[];
  /** Requests without a response. */
  silent: number;
}

/** @param span in milliseconds since the epoch */
export function gapIn(
  { responses }: Pick<TrafficLog, 'responses'>,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): AvailabilityGap {
  const within = responses.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const countOf = (status: number) => within.filter((one) => one.status === status).length;
  const [succeeded, unavailable, silent] = [countOf(201), countOf(503), countOf(0)];
  const refused = within.filter(({ status }) => ![201, 503, 0].includes(status));
  const successes = within.filter(({ status }) => status === 201).map(({ atMs }) => atMs);
  const times = [fromMs, ...successes.toSorted((one, other) => one - other), toMs];
  return {
    longestMs: Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs))),
    succeeded,
    unavailable,
    refused: refused.length,
    refusals: [...new Set(refused.map(({ status }) => status))],
    silent,
  };
}

const patienceMs = 10_000;

/** One attempt. @returns undefined without a response */
export async function ask(url: string, init: RequestInit): Promise<LoggedResponse | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** @returns undefined without a response */
export async function send(baseUrl: string, sent: SentEvent): Promise<LoggedResponse | undefined> {
  const { shop, kind, idempotencyKey, body } = sent;
  const pathname = `/api/v1/partner/${kind}`;
  const headers = signedHeaders({
    key: shop.key,
    secret: shop.secret,
    method: 'POST',
    pathname,
    body,
    nowSeconds: Date.now() / 1000,
    idempotencyKey,
  });
  return await ask(baseUrl + pathname, { method: 'POST', headers, body });
}

/** @returns undefined without a response */
export const operate = ({ url, headers, body }: SentOperation) =>
  ask(url, { method: 'POST', headers, body });

/** Whether a retry would get the same response: not rate limited (429), and no error or outage (5xx). */
export const isFinal = ({ status }: LoggedResponse): boolean => status !== 429 && status < 500;

/** A fault of the service. 503 is not one: it announces a short outage. */
export const isBreakdown = ({ status }: LoggedResponse): boolean => status >= 500 && status !== 503;
