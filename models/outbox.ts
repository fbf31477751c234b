import type { Wake, Wallet } from '../domain/draft.ts';
import type { Mode } from '../domain/mode.ts';
import { outboxKinds } from '../domain/outbox.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import type { Models } from './schemas/index.ts';
import type { OutboxDoc } from './schemas/outbox.ts';

/**
 * How long a purchase may wait for its workflow before the status is a failure: with a worker, it waits
 * for less than a second.
 */
export const workflowWaitLimitMs = 60_000;
/** How long a row is left to the process that wrote it, which may deliver it at once. */
const leftAloneMs = 500;

/** The row of the outbox for something that has to be told to a workflow. */
export function rowOf(wake: Wake, wallet: Wallet | null, at: Date): OutboxDoc {
  const written = {
    at,
    nextAt: new Date(at.getTime() + leftAloneMs),
    attempts: 0,
    error: null,
    setApartAt: null,
  };
  if (wake.kind === 'FUND') {
    if (wallet === null) throw new Error('no wallet can be woken');
    const { _id: walletId, partnerId, mode } = wallet;
    return {
      _id: `fund/${walletId}`,
      partnerId,
      mode,
      kind: 'FUND',
      about: walletId,
      rewardId: null,
      workflow: null,
      signal: null,
      reviewId: null,
      ...written,
    };
  }
  if ('redemption' in wake) {
    const { _id: redemptionId, partnerId, mode } = wake.redemption;
    return {
      _id: redemptionRowId(wake.kind, redemptionId),
      partnerId,
      mode,
      kind: wake.kind,
      about: redemptionId,
      rewardId: null,
      workflow: null,
      signal: null,
      reviewId: null,
      ...written,
    };
  }
  const { _id: rewardId, partnerId, mode, purchaseEventId, version, state } = wake.reward;
  const { workflowId, externalOrderId, moves } = wake.reward;
  const traceparent = wake.kind === 'START' ? wake.traceparent : moves.at(-1)?.traceparent;
  return {
    _id: wake.kind === 'START' ? purchaseEventId : `${rewardId}/${version}`,
    partnerId,
    mode,
    kind: wake.kind,
    about: purchaseEventId,
    rewardId,
    workflow: {
      workflowId,
      purchaseEventId,
      externalOrderId,
      state,
      ...(traceparent !== undefined && { traceparent }),
    },
    signal: wake.kind === 'SIGNAL' ? wake.signal : null,
    reviewId: moves.at(-1)?.reviewId ?? null,
    ...written,
  };
}

/** The id of the row about a redemption. */
export const redemptionRowId = (kind: 'HOLD' | 'TELL', redemptionId: string): string =>
  `${kind.toLowerCase()}/${redemptionId}`;

/** The ids of the rows about a purchase. */
export async function rowsAbout(
  { outbox }: Models,
  { partnerId, purchaseEventId }: PurchaseRef,
): Promise<string[]> {
  const rows = await outbox.find({ partnerId, about: purchaseEventId }, { _id: 1 }).lean();
  return rows.map(({ _id }) => _id);
}

/** Deletes rows that were acted on. */
export async function deleteRows(
  { outbox }: Models,
  partnerId: string,
  rowIds: readonly string[],
): Promise<void> {
  if (rowIds.length > 0) await outbox.deleteMany({ partnerId, _id: { $in: rowIds } });
}

/** How rows are given to a relay. */
export interface RowQuery {
  mode: Mode;
  now: Date;
  /** Only partners after this one, by id. */
  after: string;
}

/** The next partner, by id, with rows to deliver. Reads one index key. */
export async function nextPartner(
  { outbox }: Models,
  { mode, now, after }: RowQuery,
): Promise<string | undefined> {
  const next = await outbox
    .findOne({ mode, setApartAt: null, partnerId: { $gt: after }, nextAt: { $lte: now } })
    .sort({ partnerId: 1 });
  return next?.partnerId;
}

/** A partner's rows to deliver, the oldest first. */
export async function rowsOf(
  { outbox }: Models,
  partnerId: string,
  { mode, now }: RowQuery,
  limit: number,
): Promise<OutboxDoc[]> {
  return await outbox
    .find({ mode, setApartAt: null, partnerId, nextAt: { $lte: now } })
    .sort({ nextAt: 1 })
    .limit(limit);
}

/** Which of these rows, by id, are still to be acted on. */
export async function stillThere(
  { outbox }: Models,
  rows: ReadonlyMap<string, { partnerId: string }>,
): Promise<ReadonlySet<string>> {
  if (rows.size === 0) return new Set();
  const partnerIds = new Set([...rows.values()].map(({ partnerId }) => partnerId));
  const found = await outbox.find(
    { partnerId: { $in: [...partnerIds] }, _id: { $in: [...rows.keys()] } },
    { _id: 1 },
  );
  return new Set(found.map(({ _id }) => _id));
}

/** Attempts after which a row is set apart, until an operator has it tried again. */
const maxAttempts = 20;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** An attempt to deliver a row. */
export interface Attempt {
  row: Pick<OutboxDoc, '_id' | 'partnerId' | 'attempts'>;
  /** Why it failed; null if it did not. */
  error: string | null;
}

/** Whether an attempt is the last one before its row is set apart. */
export const setsApart = ({ row }: Attempt): boolean => row.attempts + 1 >= maxAttempts;

/** Records attempts, and when the next ones are made unless the rows are acted on before. */
export async function noteAttempts(
  { outbox }: Models,
  attempts: readonly Attempt[],
  now: Date,
): Promise<void> {
  const writes = attempts.map((attempt) => {
    const { _id, partnerId, attempts: before } = attempt.row;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** before);
    const $set = {
      attempts: before + 1,
      nextAt: new Date(now.getTime() + pauseMs),
      error: attempt.error,
      ...(setsApart(attempt) && { setApartAt: now }),
    };
    return { updateOne: { filter: { partnerId, _id }, update: { $set } } };
  });
  if (writes.length > 0) await outbox.collection.bulkWrite(writes as never[], { ordered: false });
}

/** How much the outbox holds, for operators. */
export interface OutboxFigures {
  kind: OutboxDoc['kind'];
  /** Counted up to a limit. */
  count: number;
  /** When the oldest was written; null without any. */
  oldestAt: Date | null;
}

const countLimit = 100_000;

/** As the index has it, which it would not serve otherwise. */
export const isSetApart = { setApartAt: { $type: 'date' } } as const;

/** @param maxTimeMS after which a read is cancelled */
export async function readOutbox(
  { outbox }: Models,
  maxTimeMS: number,
): Promise<{ waiting: OutboxFigures[]; setApart: number }> {
  const waiting = await Promise.all(
    outboxKinds.map(async (kind) => {
      const oldest = await outbox.findOne({ kind }, { at: 1 }, { maxTimeMS }).sort({ at: 1 });
      const count = await outbox.countDocuments({ kind }, { limit: countLimit, maxTimeMS });
      return { kind, count, oldestAt: oldest?.at ?? null };
    }),
  );
  const setApart = await outbox.countDocuments(isSetApart, { limit: countLimit, maxTimeMS });
  return { waiting, setApart };
}

/** Has rows that were set apart tried again. @returns how many */
export async function retrySetApart({ outbox }: Models, now: Date): Promise<number> {
  const { modifiedCount } = await outbox.updateMany(isSetApart, {
    $set: { setApartAt: null, attempts: 0, nextAt: now },
  });
  return modifiedCount;
}

/** Whether anything has been waiting to be told and acted on since before a given time. */
export async function waitsSince({ outbox }: Models, since: Date): Promise<boolean> {
  return (await outbox.exists({ at: { $lt: since } })) !== null;
}
