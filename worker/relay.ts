import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import pMap from 'p-map';
import type { DueDocument } from '../domain/due-documents.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { roundRobin } from '../domain/round-robin.ts';
import {
  clearDue,
  type DueAttempt,
  dueAfter,
  nameOf,
  noteAttempts,
  setsApart,
  stillDue,
} from '../models/due.ts';
import type { Models } from '../models/schemas/index.ts';
import { createRelayMembership } from '../models/store/relays.ts';
import { deletePendingDeliveries, findDueEndpoints } from '../models/webhooks/deliveries.ts';
import type { Logger } from '../platform/logger.ts';
import { isTrouble, type Teller } from '../temporal/tell.ts';

/** How often to look for what is due: soon enough for customers who watch what follows an answer. */
const everyMs = 200;
/** While there is nothing, looks become as rare as this, unless a commit of this process wakes the relay. */
const idleMs = 500;
/** How long what has just become due is left to the process that wrote it, which may tell it at once. */
const leftAloneMs = 400;
/** How long what was told has until it is told again. */
const toldAgainMs = 5_000;
/** The most that is told at a time. */
const maxInFlight = 16;
/** The most that one relay, and one partner of it, has told and that is not acted on. */
const maxUnacted = 50;
const maxUnactedOfPartner = 25;
/** What is not acted on within this time is slow or stuck, and no longer counts. */
const countsForMs = 2_000;
/** The most that one look reads of a collection, page by page. */
const maxPages = 10;
const maxRead = 100;
/** The most messages about redemptions on their way to customers, each for at most so long. */
const maxSending = 8;
const sendingMs = 120_000;
const joinEveryMs = 1_000;
const unreachablePauseMs = 1_000;
/** After this long without Temporal, partners are left to the other relays. */
const givesUpAfterMs = 3_000;

/** How often to look for webhooks to deliver, how many endpoints are read together, and how long a woken one has to begin. */
const endpointsEveryMs = 500;
const endpointsRead = 200;
const endpointBeginsMs = 2_000;

/** LIVE before TEST. */
const inOrder = [...modes].sort() as readonly Mode[];

export interface RelayDeps {
  models: Models;
  teller: Pick<Teller, 'tell' | 'wakeEndpoint' | 'isAhead' | 'isReachable'>;
  /** Funds the next rewards in a wallet's queue. */
  fund(wallet: Extract<DueDocument, { of: 'wallets' }>['document']): Promise<void>;
  /** Tells the customer of a redemption. @throws Error if that is to be tried again */
  tellOfRedemption(
    redemption: Extract<DueDocument, { of: 'redemptions' }>['document'],
  ): Promise<unknown>;
  log: Pick<Logger, 'warn' | 'error'>;
}

interface Told {
  key: DueDocument;
  atMs: number;
}

/**
 * Has everything done that is due and that nobody has been told at once: LIVE before TEST, partners in turns, each
 * partner's own oldest first (docs/concepts/how-it-works.md, One fact, one commit). What acts on it clears it, so that what
 * is told twice, or lost, does no harm. The relays of all workers divide the partners among them; one that cannot
 * reach Temporal leaves its partners to the others.
 */
export function startRelay({ models, teller, fund, tellOfRedemption, log }: RelayDeps) {
  const membership = createRelayMembership(models, randomUUID());
  const stopping = new AbortController();
  const { signal } = stopping;
  let resting = new AbortController();
  /** When each document that is due was first seen, by name. */
  let seen = new Map<string, number>();
  /** What was told and may not be acted on yet, by name. */
  const told = new Map<string, Told>();
  const sending = new Map<string, Promise<void>>();
  /** When endpoints were woken, by id. */
  const woken = new Map<string, number>();
  let endpointsAtMs = 0;
  let unreachableSinceMs: number | undefined;
  let share: { isMine: (partnerId: string) => boolean; sinceMs: number } | undefined;
  /** The partner that had the last place, in each mode. */
  const lastTurn = new Map<Mode, string>();

  async function run(): Promise<void> {
    let pauseMs = everyMs;
    while (!signal.aborted) {
      resting = new AbortController();
      try {
        const isIdle = await look();
        pauseMs = isIdle ? Math.min(idleMs, pauseMs * 2) : everyMs;
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'what is due could not be read; retrying');
      }
      await pause(everyMs, signal);
      await pause(pauseMs - everyMs, AbortSignal.any([signal, resting.signal]));
    }
    await Promise.all(sending.values());
    await membership.leave().catch(() => undefined);
  }

  const pause = (ms: number, ends: AbortSignal) =>
    delay(Math.max(0, ms), undefined, { signal: ends }).catch(() => undefined);

  /** @returns whether nothing was due */
  async function look(): Promise<boolean> {
    const isMine = await myShare();
    const still = await stillDue(
      models,
      [...told.values()].map(({ key }) => key),
    );
    for (const name of told.keys()) if (!still.has(name)) told.delete(name);
    const startMs = performance.now();
    const counting = [...told.values()].filter(({ atMs }) => startMs - atMs < countsForMs);
    const seenNow = new Map<string, number>();
    let places = maxUnacted - counting.length;
    for (const mode of inOrder) {
      if (places <= 0) break;
      const next = await nextOf(mode, { isMine, places, counting, seenNow, startMs });
      places -= next.length;
      await tellAll(next);
    }
    seen = seenNow;
    if (performance.now() - endpointsAtMs >= endpointsEveryMs) await wakeEndpoints(isMine);
    return seen.size === 0 && told.size === 0;
  }

  /** Which partners this relay serves: all of them while it is alone or no relay works. */
  async function myShare(): Promise<(partnerId: string) => boolean> {
    const nowMs = performance.now();
    if (unreachableSinceMs !== undefined && nowMs - unreachableSinceMs > givesUpAfterMs) {
      share = undefined;
      await membership.leave();
      return () => true;
    }
    if (share === undefined || nowMs - share.sinceMs >= joinEveryMs) {
      const { place, count } = await membership.join();
      share = { isMine: (partnerId) => numberOf(partnerId) % count === place, sinceMs: nowMs };
    }
    return share.isMine;
  }

  /** What is to be told next in a mode: of partners in turns. */
  async function nextOf(
    mode: Mode,
    {
      isMine,
      places,
      counting,
      seenNow,
      startMs,
    }: {
      isMine: (partnerId: string) => boolean;
      places: number;
      counting: readonly Told[];
      seenNow: Map<string, number>;
      /** Of the look: the same for both modes, so that TEST never ripens before LIVE. */
      startMs: number;
    },
  ): Promise<DueDocument[]> {
    const lists: DueDocument[][] = [];
    for await (const [partnerId, due] of inTurn(mode)) {
      if (isMine(partnerId)) {
        const ripe = due.filter((one) => isRipe(one, seenNow, startMs));
        const unacted = counting.filter(({ key }) => key.document.partnerId === partnerId).length;
        const list = ripe.slice(0, Math.max(0, maxUnactedOfPartner - unacted));
        if (list.length > 0) lists.push(list);
      }
      if (lists.length >= places) {
        lastTurn.set(mode, partnerId);
        break;
      }
    }
    return roundRobin(lists, places);
  }

  /** The partners that something is due for, each once, from the one after whom places were used up. */
  async function* inTurn(mode: Mode): AsyncGenerator<[string, readonly DueDocument[]]> {
    const start = lastTurn.get(mode) ?? '';
    let isPastEnd = start === '';
    let after = start;
    for (let page = 0; page < maxPages; page++) {
      const { byPartner, last } = await dueAfter(models, mode, after, maxRead);
      for (const one of byPartner) {
        if (start !== '' && isPastEnd && one[0] > start) return;
        yield one;
      }
      if (last !== null) {
        after = last;
      } else if (!isPastEnd) {
        isPastEnd = true;
        after = '';
      } else {
        if (byPartner.size === 0) lastTurn.delete(mode);
        return;
      }
    }
    lastTurn.set(mode, after);
  }

  /** Whether what is due has been left alone for long enough. */
  function isRipe(one: DueDocument, seenNow: Map<string, number>, nowMs: number): boolean {
    const name = nameOf(one);
    const firstMs = seen.get(name) ?? nowMs;
    seenNow.set(name, firstMs);
    if (isMessage(one)) return sending.size < maxSending && !sending.has(name);
    const before = told.get(name);
    if (before !== undefined) return nowMs - before.atMs >= toldAgainMs;
    // Nobody funds at once; and what was tried before has waited.
    if (one.of === 'wallets' || one.document.due?.nextAt !== null) return true;
    return nowMs - firstMs >= leftAloneMs;
  }

  async function tellAll(all: readonly DueDocument[]): Promise<void> {
    const [messages, others] = [all.filter(isMessage), all.filter((one) => !isMessage(one))];
    for (const one of messages) if (sending.size < maxSending) send(one);
    const attempts: DueAttempt[] = [];
    let troubled = 0;
    let trouble: unknown;
    await pMap(
      others,
      async (one) => {
        if (signal.aborted) return;
        const wasTold = told.has(nameOf(one)) || (one.document.due?.attempts ?? 0) > 0;
        try {
          await tell(one, wasTold);
          // Told in time before, and not acted on.
          if (wasTold) attempts.push({ ...one, error: null });
        } catch (error) {
          if (isTrouble(error) || error instanceof mongo.MongoError) {
            troubled += 1;
            trouble = error;
          } else {
            attempts.push({ ...one, error: reasonOf(error) });
          }
        }
        told.set(nameOf(one), { key: one, atMs: performance.now() });
      },
      { concurrency: maxInFlight },
    );
    await note(attempts);
    if (troubled === 0) {
      if (others.length > 0) unreachableSinceMs = undefined;
      return;
    }
    log.warn({ troubled, reason: reasonOf(trouble) }, 'cannot tell what is due; retrying');
    if (troubled < others.length || (await teller.isReachable())) return;
    // Not these, but Temporal: they stay due as they are.
    unreachableSinceMs ??= performance.now();
    for (const one of others) told.delete(nameOf(one));
    await delay(unreachablePauseMs, undefined, { signal }).catch(() => undefined);
  }

  async function tell(one: DueDocument, wasTold: boolean): Promise<void> {
    if (one.of === 'wallets') return await fund(one.document);
    if (one.of !== 'orderEvents') return await teller.tell(one);
    const isNew = wasTold && (await isForgotten(one));
    if (isNew) {
      const { workflowId, _id: purchaseEventId } = one.document;
      log.warn({ workflowId, purchaseEventId }, 'ended a workflow that was ahead of the database');
    }
    await teller.tell(one, { mayBeEager: true, isNew });
  }

  /**
   * Whether a purchase that was started before did not begin because its workflow has begun it already, in a
   * database that was replaced by an older one. A workflow that has just begun it has cleared what was due.
   */
  async function isForgotten(event: Extract<DueDocument, { of: 'orderEvents' }>): Promise<boolean> {
    if (!(await teller.isAhead(event.document))) return false;
    return (await stillDue(models, [event])).size > 0;
  }

  /** Has the workflows of endpoints make the deliveries that are due. One that cannot be woken holds up no other. */
  async function wakeEndpoints(isMine: (partnerId: string) => boolean): Promise<void> {
    endpointsAtMs = performance.now();
    for (const [id, atMs] of woken) if (Date.now() - atMs >= endpointBeginsMs) woken.delete(id);
    const now = new Date();
    for (let after = ''; !signal.aborted; ) {
      const ids = await findDueEndpoints(models, now, { after, limit: endpointsRead });
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
      const found = await models.webhookEndpoints.find(
        { _id: { $in: ids } },
        { partnerId: 1, status: 1, deliveringUntil: 1 },
      );
      const there = new Set(found.map(({ _id }) => _id));
      // Endpoints that were deleted with more deliveries than one command deletes, or while one was being added.
      for (const gone of ids.filter((id) => !there.has(id))) {
        await deletePendingDeliveries(models, gone);
      }
      const idle = found.filter(
        ({ _id, partnerId, status, deliveringUntil }) =>
          isMine(partnerId) &&
          status === 'ACTIVE' &&
          !(deliveringUntil && deliveringUntil > now) &&
          (woken.get(_id) ?? 0) <= (deliveringUntil?.getTime() ?? 0),
      );
      const failed = await wakeAll(idle);
      // Not these, but Temporal.
      if (failed > 0 && failed === idle.length) return;
    }
  }

  /** @returns how many could not be woken */
  async function wakeAll(
    endpoints: readonly { _id: string; partnerId: string }[],
  ): Promise<number> {
    let failed = 0;
    let failure: unknown;
    await pMap(
      endpoints,
      async ({ _id: endpointId, partnerId }) => {
        // After so many in a row, Temporal is away.
        if (failed >= maxInFlight) {
          failed += 1;
          return;
        }
        const atMs = Date.now();
        try {
          await teller.wakeEndpoint({ partnerId, endpointId });
          woken.set(endpointId, atMs);
        } catch (error) {
          failed += 1;
          failure = error;
        }
      },
      { concurrency: maxInFlight },
    );
    if (failed > 0) {
      log.warn({ failed, reason: reasonOf(failure) }, 'cannot wake webhook endpoints; retrying');
    }
    return failed;
  }

  /** Tells a customer of a redemption, which may take long and holds up nothing else. */
  function send(one: Extract<DueDocument, { of: 'redemptions' }>): void {
    const name = nameOf(one);
    const work = async (): Promise<void> => {
      // So that no other relay sends it as well.
      const taken = await noteAttempts(models, [{ ...one, error: null, pauseMs: sendingMs }]);
      if (taken === 0) return;
      await tellOfRedemption(one.document);
      await clearDue(models, one);
    };
    const ends = work()
      .catch((error: unknown) => {
        log.warn(
          { redemption: one.document._id, reason: reasonOf(error) },
          'a customer was not told of a redemption',
        );
      })
      .finally(() => sending.delete(name));
    sending.set(name, ends);
  }

  async function note(attempts: readonly DueAttempt[]): Promise<void> {
    await noteAttempts(
      models,
      attempts.filter((one) => !setsApart(one)),
    );
    for (const last of attempts.filter(setsApart)) {
      // What was acted on meanwhile is not.
      if ((await noteAttempts(models, [last])) === 0) continue;
      const { of, document, error: reason } = last;
      log.error({ of, id: document._id, reason }, 'what is due was set apart');
    }
  }

  const running = run();
  return {
    /** Has it look at once, since something has become due. */
    wake(): void {
      resting.abort();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

const isMessage = (one: DueDocument): one is Extract<DueDocument, { of: 'redemptions' }> =>
  one.of === 'redemptions' && one.document.due?.what === 'TELL';

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A number that divides partners evenly. */
const numberOf = (partnerId: string): number =>
  createHash('sha256').update(partnerId).digest().readUInt32BE();
