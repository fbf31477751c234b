import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { deliveryRetentionMs, operatorsId, type WebhookFact } from '../domain/webhooks.ts';
import type { Models } from '../models/schemas/index.ts';
import type { WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import type { Lease } from '../models/store/leases.ts';
import { raiseWatermark, readWatermark } from '../models/store/watermarks.ts';
import { announce, idOfWebhookFact } from '../models/webhooks/announce.ts';
import { deletePendingDeliveries, findDueEndpoints } from '../models/webhooks/deliveries.ts';
import { partnersWithEndpoints } from '../models/webhooks/endpoints.ts';
import { findAccountFacts } from '../models/webhooks/facts.ts';
import { findOperatorFacts } from '../models/webhooks/operators.ts';
import type { Logger } from '../platform/logger.ts';
import type { WakeWebhookEndpoint } from '../temporal/webhook-waker.ts';

/** How often to look for due deliveries; a slow look is followed by a longer pause. */
const lookMs = 500;
const announceMs = 1_000;
/** How long a woken workflow has to begin. */
const patienceMs = 2_000;
/** How many endpoints are read together, and how many are woken at a time. */
const pageSize = 200;
const wakesInFlight = 8;
/** The watermark up to which documents written by operations and billing have been searched for facts. */
const watermark = 'webhooks of the office';
/** It lags behind by what a slow write and two clocks may differ, and is saved this often. */
const lookBackMs = 60_000;
const noteMs = 10_000;
/**
 * A fact is announced again after this time, until it lies behind the watermark, for endpoints that
 * were just being created.
 */
const againMs = 10_000;

/**
 * Wakes the workflows of endpoints with due deliveries, and puts into the outbox what operators,
 * users and billing did, and what waits for operators. One of several worker processes does it at a
 * time; doing it twice is harmless. While Temporal is unavailable, deliveries stay due and are
 * found again.
 */
export function startWebhookSweep(
  deps: { models: Models; reviewDueMs: number },
  wake: WakeWebhookEndpoint,
  lease: Lease,
  log: Pick<Logger, 'warn'>,
) {
  const { models } = deps;
  let isStopped = false;
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  /** When each endpoint was woken; forgotten once its workflow should have begun. */
  const woken = new LRUCache<string, number>({ max: 10_000, ttl: patienceMs });
  const announced = new LRUCache<string, true>({ max: 10_000, ttl: againMs });

  async function keep(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      const startMs = performance.now();
      try {
        if (await lease.hold()) await work();
      } catch (error) {
        warn(error, `${what}; retrying`);
        await pause(announceMs);
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
      const found = await models.webhookEndpoints.find(
        { _id: { $in: ids } },
        { partnerId: 1, status: 1, deliveringUntil: 1 },
      );
      const there = new Set(found.map(({ _id }) => _id));
      // Endpoints that were deleted with more deliveries than one command deletes, or while one was
      // being added.
      for (const gone of ids.filter((id) => !there.has(id)))
        await deletePendingDeliveries(models, gone);
      const idle = found.filter(
        ({ _id, status, deliveringUntil }) =>
          status === 'ACTIVE' &&
          !(deliveringUntil && deliveringUntil > now) &&
          (woken.get(_id) ?? 0) <= (deliveringUntil?.getTime() ?? 0),
      );
      await wakeAll(idle);
    }
  }

  /**
   * An endpoint that cannot be woken does not hold up the others; if none can be, Temporal is
   * unavailable.
   */
  async function wakeAll(
    endpoints: readonly Pick<WebhookEndpointDoc, '_id' | 'partnerId'>[],
  ): Promise<void> {
    let failedInRow = 0;
    let failure: unknown;
    await pMap(
      endpoints,
      async ({ _id: endpointId, partnerId }) => {
        if (failedInRow >= wakesInFlight) return;
        const wokenAtMs = Date.now();
        try {
          await wake({ partnerId, endpointId });
          woken.set(endpointId, wokenAtMs);
          failedInRow = 0;
        } catch (error) {
          failedInRow += 1;
          failure = error;
        }
      },
      { concurrency: wakesInFlight },
    );
    if (failedInRow >= wakesInFlight) throw failure;
    if (failure !== undefined) warn(failure, 'a webhook endpoint could not be woken; retrying');
  }

  function warn(error: unknown, text: string): void {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, text);
  }

  async function announceFacts(): Promise<void> {
    const startMs = Date.now();
    const [partnerIds, looked] = await Promise.all([
      partnersWithEndpoints(models),
      readWatermark(models, watermark),
    ]);
    // Anything older would be deleted immediately.
    const since = new Date(Math.max(looked?.getTime() ?? 0, startMs - deliveryRetentionMs));
    for await (const facts of findAccountFacts(models, partnerIds, since, new Date(startMs))) {
      await announceOnce(facts);
    }
    if (partnerIds.includes(operatorsId)) {
      const { reviewDueMs } = deps;
      const query = { since, now: new Date(startMs), reviewDueMs };
      await announceOnce(await findOperatorFacts(models, query));
    }
    const reachedMs = startMs - lookBackMs;
    if (reachedMs > since.getTime() + noteMs) {
      await raiseWatermark(models, watermark, new Date(reachedMs));
    }
  }

  async function announceOnce(facts: readonly WebhookFact[]): Promise<void> {
    const fresh = facts.filter((fact) => !announced.has(idOfWebhookFact(fact)));
    await announce(models, fresh);
    for (const fact of fresh) announced.set(idOfWebhookFact(fact), true);
  }

  const running = [
    keep('due webhooks could not be read', lookMs, wakeDue),
    keep('events for webhooks could not be read', announceMs, announceFacts),
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
