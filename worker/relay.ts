import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { type Mode, modes } from '../domain/mode.ts';
import { roundRobin } from '../domain/round-robin.ts';
import {
  type Attempt,
  nextPartner,
  noteAttempts,
  rowsOf,
  setsApart,
  stillThere,
} from '../models/outbox.ts';
import type { Models } from '../models/schemas/index.ts';
import type { OutboxDoc } from '../models/schemas/outbox.ts';
import { createRelayMembership } from '../models/store/relays.ts';
import type { Logger } from '../platform/logger.ts';
import type { Teller } from '../temporal/teller.ts';

/** How often the outbox is read: soon enough for customers who watch what follows an answer. */
const everyMs = 100;
/** The most deliveries at a time. */
const maxInFlight = 16;
/** The most that one relay, and one partner of it, has delivered and that is not acted on. */
const maxUnacted = 50;
const maxUnactedOfPartner = 25;
/** What is not acted on within this time is slow or stuck, and no longer counts. */
const countsForMs = 2_000;
/** The most partners that one round looks at. */
const maxPartners = 200;
const unreachablePauseMs = 1_000;
/** After this long without Temporal, partners are left to the other relays. */
const givesUpAfterMs = 3_000;

/** LIVE before TEST. */
const inOrder = [...modes].sort() as readonly Mode[];

interface Delivered {
  partnerId: string;
  atMs: number;
}

export interface RelayDeps {
  models: Models;
  teller: Pick<Teller, 'deliver' | 'isAhead' | 'isReachable'>;
  /** Funds the next rewards in a wallet's queue. */
  fund(row: OutboxDoc): Promise<void>;
  log: Pick<Logger, 'warn' | 'error'>;
  now: () => number;
}

/**
 * Tells workflows what the outbox holds and nobody has told them: LIVE before TEST, partners in turns,
 * each partner's own oldest first (docs/concepts/how-it-works.md, One fact, one commit). A row is deleted by what acts on
 * it, so that one that is delivered twice, or lost, does no harm. The relays of all workers divide the
 * partners among them; one that cannot reach Temporal leaves its partners to the others.
 */
export function startRelay({ models, teller, fund, log, now }: RelayDeps) {
  const membership = createRelayMembership(models, randomUUID());
  const stopping = new AbortController();
  const { signal } = stopping;
  /** What was delivered and may not be acted on yet, by row. */
  const delivered = new Map<string, Delivered>();
  let unreachableSinceMs: number | undefined;
  /** The partner that had the last turn, in each mode. */
  const lastTurn = new Map<Mode, string>();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await round();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'the outbox could not be read; retrying');
      }
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
    await membership.leave().catch(() => undefined);
  }

  async function round(): Promise<void> {
    const share = await myShare();
    const monotonicMs = performance.now();
    const there = await stillThere(models, delivered);
    for (const id of delivered.keys()) if (!there.has(id)) delivered.delete(id);
    const counting = [...delivered.values()].filter(({ atMs }) => monotonicMs - atMs < countsForMs);
    let places = maxUnacted - counting.length;
    for (const mode of inOrder) {
      if (places <= 0) return;
      const rows = await nextRows(mode, share, places, counting);
      places -= rows.length;
      await deliverAll(rows);
    }
  }

  /** Which partners this relay serves: all of them while it is alone or no relay works. */
  async function myShare(): Promise<(partnerId: string) => boolean> {
    const isGivingUp =
      unreachableSinceMs !== undefined && performance.now() - unreachableSinceMs > givesUpAfterMs;
    if (isGivingUp) {
      await membership.leave();
      return () => true;
    }
    const { place, count } = await membership.join();
    return (partnerId) => numberOf(partnerId) % count === place;
  }

  async function nextRows(
    mode: Mode,
    isMine: (partnerId: string) => boolean,
    places: number,
    counting: readonly Delivered[],
  ): Promise<OutboxDoc[]> {
    const query = { mode, now: new Date(now()), after: lastTurn.get(mode) ?? '' };
    const seen = new Set<string>();
    const lists: OutboxDoc[][] = [];
    while (seen.size < maxPartners && lists.length < places) {
      const partnerId =
        (await nextPartner(models, query)) ?? (await nextPartner(models, { ...query, after: '' }));
      if (partnerId === undefined || seen.has(partnerId)) break;
      seen.add(partnerId);
      query.after = partnerId;
      if (!isMine(partnerId)) continue;
      const ofPartner = counting.filter((one) => one.partnerId === partnerId).length;
      const limit = Math.min(places, maxUnactedOfPartner - ofPartner);
      if (limit > 0) lists.push(await rowsOf(models, partnerId, query, limit));
    }
    lastTurn.set(mode, query.after);
    return roundRobin(lists, places);
  }

  async function deliverAll(rows: readonly OutboxDoc[]): Promise<void> {
    const attempts: Attempt[] = [];
    await pMap(
      rows,
      async (row) => {
        if (signal.aborted) return;
        const error = await deliver(row).then(
          () => null,
          (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
        );
        attempts.push({ row, error });
        if (error === null) {
          delivered.set(row._id, { partnerId: row.partnerId, atMs: performance.now() });
        }
      },
      { concurrency: maxInFlight },
    );
    const failed = attempts.filter(({ error }) => error !== null);
    if (attempts.length === 0) return;
    if (failed.length === attempts.length && !(await teller.isReachable())) {
      // Not these rows, but Temporal: they stay due.
      unreachableSinceMs ??= performance.now();
      log.warn(
        { failed: failed.length, reason: failed[0]?.error },
        'cannot tell Temporal; retrying',
      );
      await delay(unreachablePauseMs, undefined, { signal }).catch(() => undefined);
      return;
    }
    unreachableSinceMs = undefined;
    await noteAttempts(models, attempts, new Date(now()));
    for (const { row, error } of attempts.filter(setsApart)) {
      const { _id, kind } = row as OutboxDoc;
      const reason = error ?? 'delivered, and not acted on';
      log.error({ row: _id, kind, reason }, 'a row of the outbox was set apart');
    }
  }

  async function deliver(row: OutboxDoc): Promise<void> {
    if (row.kind === 'FUND') return await fund(row);
    const isNew = row.kind === 'START' && row.attempts > 0 && (await isForgotten(row));
    if (isNew) {
      const { workflowId, purchaseEventId } = row.workflow ?? {};
      log.warn({ workflowId, purchaseEventId }, 'ended a workflow that was ahead of the database');
    }
    await teller.deliver(row, { mayBeEager: row.kind === 'START', isNew });
  }

  /**
   * Whether a purchase that was started before did not begin because its workflow has begun it already, in a
   * database that was replaced by an older one. A workflow that has just begun it has deleted the row.
   */
  async function isForgotten(row: OutboxDoc): Promise<boolean> {
    if (!(await teller.isAhead(row))) return false;
    return (await stillThere(models, new Map([[row._id, row]]))).size > 0;
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** A number that divides partners evenly. */
const numberOf = (partnerId: string): number =>
  createHash('sha256').update(partnerId).digest().readUInt32BE();
