import type { mongo } from 'mongoose';
import type { Due } from '../domain/due.ts';
import type { DueDocument, DueEvent } from '../domain/due-documents.ts';
import type { Mode } from '../domain/mode.ts';
import { isDue, whatIsDueIndex } from './schemas/due.ts';
import type { AnyCollection, Models } from './schemas/index.ts';

/**
 * What still has to be done stands on the document that it is about (docs/concepts/how-it-works.md, One fact, one
 * commit). The commit of a fact sets it; what acts on it clears it.
 */

/** The collections of documents that something can be due about. */
export const dueCollections = ['orderEvents', 'rewards', 'redemptions', 'wallets'] as const;
export type DueCollection = (typeof dueCollections)[number];

/** Names a document that something is, or was, due about. */
export interface DueKey {
  of: DueCollection;
  document: { _id: string; partnerId: string };
}

export const nameOf = ({ of, document }: DueKey): string => `${of}/${document._id}`;

/**
 * How long a purchase may wait for its workflow before the status is a failure: with a worker, it waits
 * for less than a second.
 */
export const workflowWaitLimitMs = 60_000;

const collectionOf = (models: Models, of: DueCollection) =>
  models[of].collection as unknown as AnyCollection &
    Pick<mongo.Collection<mongo.Document & { _id: string }>, 'findOne' | 'aggregate' | 'bulkWrite'>;

/** By the database's clock, so that no other clock makes anything wait. */
const isTime = { $expr: { $lte: ['$due.nextAt', '$$NOW'] } };
const isToBeTold = (mode: Mode) => ({ ...isDue, mode, 'due.setApartAt': null, ...isTime });

/** Of an event, as little as its workflow is started with. */
const eventFields = {
  partnerId: 1,
  mode: 1,
  externalOrderId: 1,
  rewardId: 1,
  workflowId: 1,
  traceparent: 1,
  due: 1,
} as const satisfies Partial<Record<keyof DueEvent, 1>>;

/** What is due for some partners, in the order of their ids, each one's longest due first. */
export interface DuePage {
  byPartner: ReadonlyMap<string, readonly DueDocument[]>;
  /** The last partner of the page, of which there may be more; null if no other partner follows. */
  last: string | null;
}

/**
 * What is due for the partners that follow one, by id.
 * @param limit the most that is read of each collection, however much is due
 */
export async function dueAfter(
  models: Models,
  mode: Mode,
  after: string,
  limit: number,
): Promise<DuePage> {
  const found = await Promise.all(
    dueCollections.map(async (of) => {
      const documents = await collectionOf(models, of)
        .find(
          { ...isToBeTold(mode), partnerId: { $gt: after } },
          {
            ...(of === 'orderEvents' && { projection: eventFields }),
            sort: { partnerId: 1, 'due.nextAt': 1, 'due.since': 1 },
            hint: whatIsDueIndex,
            limit,
          },
        )
        .toArray();
      return documents.map((document) => ({ of, document }) as unknown as DueDocument);
    }),
  );
  // Where a collection has more, what follows its last partner is not known.
  const ends = found.flatMap((some) => (some.length < limit ? [] : [partnerOf(some.at(-1))]));
  const last = ends.toSorted()[0] ?? null;
  const sinceMs = ({ document }: DueDocument) => document.due?.since.getTime() ?? 0;
  const known = found
    .flat()
    .filter((one) => last === null || partnerOf(one) <= last)
    .toSorted((one, other) => sinceMs(one) - sinceMs(other));
  const grouped = Map.groupBy(known, partnerOf);
  return { byPartner: new Map([...grouped].toSorted(byId)), last };
}

const partnerOf = (one: DueDocument | undefined): string => one?.document.partnerId ?? '';
const byId = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  one < other ? -1 : 1;

/** Which of these documents, by name, something is still due about. */
export async function stillDue(
  models: Models,
  keys: readonly DueKey[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    [...Map.groupBy(keys, ({ of }) => of)].map(async ([of, some]) => {
      const documents = await collectionOf(models, of)
        .find(
          {
            partnerId: { $in: [...new Set(some.map(({ document }) => document.partnerId))] },
            _id: { $in: some.map(({ document }) => document._id) },
            ...isDue,
          },
          { projection: { partnerId: 1 } },
        )
        .toArray();
      return documents.map(({ _id, partnerId }) => nameOf({ of, document: { _id, partnerId } }));
    }),
  );
  return new Set(found.flat());
}

/** Clears what is due, unless the document has changed since it was read: then it is due anew. */
export async function clearDue(models: Models, { of, document }: DueDocument): Promise<void> {
  const { _id, partnerId, due } = document;
  if (due === null) return;
  const read = 'version' in document ? { version: document.version } : {};
  await collectionOf(models, of).updateOne(
    { partnerId, _id, ...read, 'due.since': due.since },
    { $set: { due: null } },
  );
}

/** Refusals in a row after which what is due is set apart, until the next fact or an operator. */
const maxRefusals = 20;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** An attempt to have something done that is due. */
export interface DueAttempt {
  of: DueCollection;
  document: { _id: string; partnerId: string; due: Due | null };
  /** Why this very thing was refused; null if it was told, and not acted on. */
  error: string | null;
  /** How long nobody else tries it, at least. */
  pauseMs?: number;
}

/** Whether an attempt is the last refusal before what is due is set apart. What is not acted on is told for as long. */
export const setsApart = (attempt: DueAttempt): boolean =>
  attempt.error !== null && attemptsAfter(attempt) >= maxRefusals;

/** How many attempts in a row ended like this one. */
function attemptsAfter({ document: { due }, error }: DueAttempt): number {
  if (due === null) return 1;
  return (due.error === null) === (error === null) ? due.attempts + 1 : 1;
}

/**
 * Records attempts, and when the next are made unless somebody acts before, by the database's clock.
 * @returns how many were still as they were read
 */
export async function noteAttempts(
  models: Models,
  attempts: readonly DueAttempt[],
): Promise<number> {
  const noted = await Promise.all(
    [...Map.groupBy(attempts, ({ of }) => of)].map(async ([of, some]) => {
      const writes = some.map((attempt) => ({ updateOne: noteOf(attempt) }));
      const { matchedCount } = await collectionOf(models, of).bulkWrite(writes as never[], {
        ordered: false,
      });
      return matchedCount;
    }),
  );
  return noted.reduce((sum, matched) => sum + matched, 0);
}

function noteOf(attempt: DueAttempt) {
  const { document, error, pauseMs = 0 } = attempt;
  const { _id, partnerId, due } = document;
  const attempts = attemptsAfter(attempt);
  const backOffMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  const changes = {
    attempts,
    nextAt: { $add: ['$$NOW', Math.max(pauseMs, backOffMs)] },
    error: { $literal: error },
    ...(setsApart(attempt) && { setApartAt: '$$NOW' }),
  };
  return {
    filter: { partnerId, _id, 'due.since': due?.since, 'due.attempts': due?.attempts ?? 0 },
    update: [{ $set: { due: { $mergeObjects: ['$due', changes] } } }],
  };
}

/** How much is due, for operators. */
export interface DueFigures {
  of: DueCollection;
  /** Counted up to a limit. */
  count: number;
  /** Since when the oldest is due; null without any. */
  oldestSince: Date | null;
}

const countLimit = 100_000;
const isSetApart = { ...isDue, 'due.setApartAt': { $type: 'date' } };

/** @param maxTimeMS after which a read is cancelled */
export async function readDue(
  models: Models,
  maxTimeMS: number,
): Promise<{ waiting: DueFigures[]; setApart: number }> {
  const waiting = await Promise.all(
    dueCollections.map(async (of): Promise<DueFigures> => {
      const [found] = await collectionOf(models, of)
        .aggregate<{ count: number; oldest: Date }>(
          [
            { $match: isDue },
            { $limit: countLimit },
            { $project: { _id: 0, 'due.since': 1 } },
            { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$due.since' } } },
          ],
          { maxTimeMS, hint: whatIsDueIndex },
        )
        .toArray();
      return { of, count: found?.count ?? 0, oldestSince: found?.oldest ?? null };
    }),
  );
  return { waiting, setApart: await countWhere(models, isSetApart, countLimit, maxTimeMS) };
}

/** @returns how many documents something is due about for longer, and how many are set apart */
export async function countDue(
  models: Models,
  since: Date,
  limit: number,
): Promise<{ waiting: number; setApart: number }> {
  const [waiting, setApart] = await Promise.all([
    countWhere(models, { 'due.since': { ...isDue['due.since'], $lt: since } }, limit),
    countWhere(models, isSetApart, limit),
  ]);
  return { waiting, setApart };
}

async function countWhere(
  models: Models,
  filter: object,
  limit: number,
  maxTimeMS?: number,
): Promise<number> {
  const options = { limit, hint: whatIsDueIndex, ...(maxTimeMS !== undefined && { maxTimeMS }) };
  const counts = await Promise.all(
    dueCollections.map((of) => collectionOf(models, of).countDocuments(filter, options)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Has what was set apart tried again. @returns how much */
export async function retrySetApart(models: Models): Promise<number> {
  const change = { 'due.setApartAt': null, 'due.attempts': 0, 'due.nextAt': null };
  const tried = await Promise.all(
    dueCollections.map((of) =>
      collectionOf(models, of).updateMany(isSetApart, { $set: change }, { hint: whatIsDueIndex }),
    ),
  );
  return tried.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0);
}

/** Whether anything has been due since before a given time. */
export async function isDueSince(models: Models, before: Date): Promise<boolean> {
  const filter = { 'due.since': { ...isDue['due.since'], $lt: before } };
  return (await countWhere(models, filter, 1)) > 0;
}
