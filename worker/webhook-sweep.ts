import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { operatorsId, type WebhookFact } from '../domain/webhooks.ts';
import type { Lease } from '../models/store/leases.ts';
import { announce, idOfWebhookFact } from '../models/webhooks/announce.ts';
import { dropWaiting, findDueEndpoints } from '../models/webhooks/deliveries.ts';
import { partnersWithEndpoints } from '../models/webhooks/endpoints.ts';
import { findOfficeFacts, type OfficeDeps } from '../models/webhooks/office-facts.ts';
import { findOperatorFacts } from '../models/webhooks/operator-facts.ts';
import { inFlight } from '../platform/in-flight.ts';
import type { Logger } from '../platform/logger.ts';
import type { WakeWebhookEndpoint } from '../temporal/webhook-waker.ts';

/** How often is looked for what is due; a look that takes long is followed by a longer pause. */
const lookMs = 500;
const officeMs = 1_000;
/** A workflow that was woken has this long to begin. */
const patienceMs = 2_000;
/** Endpoints that are looked at together, and woken at a time. */
const pageSize = 200;
const wakesInFlight = 8;
/** A process that was away looks back so far; one that is there, far enough for a slow write. */
const firstLookBackMs = 2 * 86_400_000;
const lookBackMs = 60_000;
/** Within that time it is announced again now and then, for an endpoint that was just being made. */
const againMs = 10_000;

/**
 * Has endpoints' workflows deliver what is due, and puts into the outbox what operators, users and the
 * billing did, and what waits for operators. Of several worker processes one does it at a time; twice would do no harm. While
 * Temporal is away all that is due stays due, and is found here again.
 */
export function startWebhookSweep(
  deps: OfficeDeps & { reviewDueMs: number },
  wake: WakeWebhookEndpoint,
  lease: Lease,
  log: Pick<Logger, 'warn'>,
) {
  const { models } = deps;
  let isStopped = false;
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  /** When an endpoint was woken, until its workflow has begun and ended, or should have. */
  const woken = new LRUCache<string, number>({ max: 10_000, ttl: patienceMs });
  const announced = new LRUCache<string, true>({ max: 10_000, ttl: againMs });
  let officeSince = new Date(Date.now() - firstLookBackMs);

  async function keep(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      const startMs = performance.now();
      try {
        if (await lease.hold()) await work();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, `${what}; retrying`);
        await pause(officeMs);
      }
      await pause(Math.max(everyMs, performance.now() - startMs));
    }
  }

  async function wakeDue(): Promise<void> {
    const now = new Date();
    for (let after = ''; !isStopped; ) {
      const ids = await findDueEndpoints(models, now, { after, limit: pageSize });
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
      const found = await models.webhookEndpoints
        .find({ _id: { $in: ids } }, { partnerId: 1, status: 1, deliveringUntil: 1 })
        .lean();
      const there = new Set(found.map(({ _id }) => _id));
      // They were removed with more behind them than one command deletes, or while it was on its way.
      for (const gone of ids.filter((id) => !there.has(id))) await dropWaiting(models, gone);
      const idle = found.filter(
        ({ _id, status, deliveringUntil }) =>
          status === 'ACTIVE' &&
          !(deliveringUntil && deliveringUntil > now) &&
          (woken.get(_id) ?? 0) <= (deliveringUntil?.getTime() ?? 0),
      );
      await inFlight(wakesInFlight, idle, async ({ _id: endpointId, partnerId }) => {
        const wokenAtMs = Date.now();
        await wake({ partnerId, endpointId });
        woken.set(endpointId, wokenAtMs);
      });
    }
  }

  async function tellOffice(): Promise<void> {
    const startMs = Date.now();
    const partnerIds = await partnersWithEndpoints(models);
    for await (const facts of findOfficeFacts(deps, partnerIds, officeSince)) {
      await tell(facts);
    }
    if (partnerIds.includes(operatorsId)) {
      const { reviewDueMs } = deps;
      const told = { since: officeSince, now: new Date(startMs), reviewDueMs };
      await tell(await findOperatorFacts(models, told));
    }
    officeSince = new Date(startMs - lookBackMs);
  }

  async function tell(facts: readonly WebhookFact[]): Promise<void> {
    const fresh = facts.filter((fact) => !announced.has(idOfWebhookFact(fact)));
    await announce(models, fresh);
    for (const fact of fresh) announced.set(idOfWebhookFact(fact), true);
  }

  const running = [
    keep('webhooks that are due could not be looked for', lookMs, wakeDue),
    keep('what webhooks are to tell could not be looked for', officeMs, tellOffice),
  ];
  return {
    async stop(): Promise<void> {
      isStopped = true;
      stopping.abort();
      await Promise.all(running);
      await lease.release().catch(() => undefined);
    },
  };
}
