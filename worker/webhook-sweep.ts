import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { deliveryRetentionMs, operatorsId, type WebhookFact } from '../domain/webhooks.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Lease } from '../models/store/leases.ts';
import { raiseWatermark, readWatermark } from '../models/store/watermarks.ts';
import { announce, idOfWebhookFact } from '../models/webhooks/announce.ts';
import { partnersWithEndpoints } from '../models/webhooks/endpoints.ts';
import { findAccountFacts } from '../models/webhooks/facts.ts';
import { findOperatorFacts } from '../models/webhooks/operators.ts';
import type { Logger } from '../platform/logger.ts';

const announceMs = 1_000;
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
 * Announces to webhook endpoints what operators, users and billing did, and what waits for operators. One of
 * several worker processes does it at a time; doing it twice is harmless.
 */
export function startWebhookSweep(
  deps: { models: Models; reviewDueMs: number },
  lease: Lease,
  log: Pick<Logger, 'warn'>,
) {
  const { models } = deps;
  let isStopped = false;
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
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

  const running = [keep('events for webhooks could not be read', announceMs, announceFacts)];
  return {
    async stop(): Promise<void> {
      isStopped = true;
      stopping.abort();
      await Promise.all(running);
      await lease.release().catch(() => undefined);
    },
  };
}
