/**
 * A rehearsal makes TEST hard for some minutes, so that an integration shows how it behaves when answers are lost
 * (docs/integrate/testing.md, Rehearsals). What happens follows from a seed, so that it can be repeated.
 */

export const rehearsalLimits = { usualMinutes: 10, maxMinutes: 60, maxFaults: 200 } as const;

/** What a request with an idempotency key meets, once for each key. */
export const requestFaults = ['LOST', 'UNAVAILABLE', 'RATE_LIMITED', 'SLOW'] as const;
export type RequestFault = (typeof requestFaults)[number];

/** How a webhook arrives. */
export const webhookFaults = ['DOUBLED', 'REORDERED', 'LATE', 'ROTATED'] as const;
export type WebhookFault = (typeof webhookFaults)[number];

/** What a credential or a webhook endpoint knows of the rehearsal it takes part in. */
export interface OngoingRehearsal {
  rehearsalId: string;
  seed: string;
  endsAt: Date;
}

/** A request that met a fault. */
export interface FaultyRequest {
  fault: RequestFault;
  requestId: string;
  /** Its type and the keyed hash of its idempotency key. */
  key: string;
  payloadHash: string;
  /** Null without a Retry-After. */
  retryAfterSeconds: number | null;
  at: Date;
  /** The first request with the same key after it; null before. */
  retry: { at: Date; payloadHash: string; isRefused: boolean } | null;
}

export type WebhookCounts = Partial<Record<WebhookFault, { sent: number; accepted: number }>>;

export const retryAfterSecondsOf: Readonly<Record<RequestFault, number | null>> = {
  LOST: null,
  UNAVAILABLE: 2,
  RATE_LIMITED: 3,
  SLOW: null,
};

/** How long a webhook is held back; others overtake it meanwhile. */
export const heldMs: Readonly<Record<WebhookFault, number>> = {
  DOUBLED: 0,
  REORDERED: 5_000,
  LATE: 60_000,
  ROTATED: 0,
};

/** Of each kind one in six; a third meets nothing. @param digest of the seed and what identifies the request */
export const requestFaultOf = (digest: Uint8Array): RequestFault | null =>
  requestFaults[(digest[0] ?? 0) % 6] ?? null;

/** @param digest of the seed and the event's id */
export const webhookFaultOf = (digest: Uint8Array): WebhookFault | null =>
  webhookFaults[(digest[0] ?? 0) % 6] ?? null;

/** An integration that did not retry within this time does not. */
export const retryWithinMs = 60_000;
/** Two processes' clocks may differ by this much. */
const clocksMs = 500;

export type RehearsalProblem =
  /** A request without an answer, or refused for now, was not sent again with its key. */
  | 'NOT_RETRIED'
  /** It was sent again with its key, but with other bytes. */
  | 'OTHER_BYTES'
  /** It was sent again before Retry-After was over. */
  | 'TOO_EARLY'
  /** What it reported is not recorded: it is lost. */
  | 'LOST_FOR_GOOD'
  /** A webhook that arrived twice, late or in another order was not answered with 2xx. */
  | 'WEBHOOK_REFUSED'
  /** The newest comparison of orders since then found something missing. */
  | 'MISSING_ORDERS';

export interface RehearsalReport {
  /** How many requests met each fault. */
  faults: Record<RequestFault, number>;
  retried: number;
  webhooks: Record<WebhookFault, { sent: number; accepted: number }>;
  /** Orders and refunds that the newest comparison found missing; null without one. */
  missingOrders: number | null;
  problems: { problem: RehearsalProblem; count: number; requestIds: string[] }[];
  verdict: 'NOTHING_HAPPENED' | 'PASSED' | 'PROBLEMS';
}

/** The requests that a problem names. */
const maxNamed = 20;

/**
 * How an integration did.
 * @param recordedKeys of the requests whose event is recorded
 */
export function rehearsalReportOf(
  { faults, webhooks }: { faults: readonly FaultyRequest[]; webhooks: WebhookCounts },
  recordedKeys: ReadonlySet<string>,
  missingOrders: number | null,
  nowMs: number,
): RehearsalReport {
  const due = faults.filter(
    ({ fault, at, retry }) =>
      fault !== 'SLOW' && (retry !== null || nowMs - at.getTime() > retryWithinMs),
  );
  const isEarly = ({ at, retryAfterSeconds, retry }: FaultyRequest) =>
    retry !== null &&
    retry.at.getTime() - at.getTime() < (retryAfterSeconds ?? 0) * 1_000 - clocksMs;
  const named = (problem: RehearsalProblem, requests: readonly FaultyRequest[]) => ({
    problem,
    count: requests.length,
    requestIds: requests.slice(0, maxNamed).map(({ requestId }) => requestId),
  });
  const counted = webhookFaults.map(
    (fault) => [fault, webhooks[fault] ?? { sent: 0, accepted: 0 }] as const,
  );
  const refused = counted.reduce((sum, [, { sent, accepted }]) => sum + sent - accepted, 0);
  const problems = [
    named(
      'NOT_RETRIED',
      due.filter(({ retry }) => retry === null),
    ),
    named(
      'OTHER_BYTES',
      due.filter(({ retry, payloadHash }) => retry !== null && retry.payloadHash !== payloadHash),
    ),
    named('TOO_EARLY', due.filter(isEarly)),
    named(
      'LOST_FOR_GOOD',
      // One that was then refused, such as for a wrong field, has nothing to record.
      due.filter(({ key, retry }) => !recordedKeys.has(key) && retry?.isRefused !== true),
    ),
    { problem: 'WEBHOOK_REFUSED' as const, count: refused, requestIds: [] },
    { problem: 'MISSING_ORDERS' as const, count: missingOrders ?? 0, requestIds: [] },
  ].filter(({ count }) => count > 0);
  const hasHappened = faults.length > 0 || counted.some(([, { sent }]) => sent > 0);
  const byFault = requestFaults.map(
    (fault) => [fault, faults.filter((one) => one.fault === fault).length] as const,
  );
  return {
    faults: Object.fromEntries(byFault) as RehearsalReport['faults'],
    retried: faults.filter(({ retry }) => retry !== null).length,
    webhooks: Object.fromEntries(counted) as RehearsalReport['webhooks'],
    missingOrders,
    problems,
    verdict: problems.length > 0 ? 'PROBLEMS' : hasHappened ? 'PASSED' : 'NOTHING_HAPPENED',
  };
}
