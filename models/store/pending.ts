import type { mongo } from 'mongoose';
import type { Mode } from '../../domain/mode.ts';
import type { AnyCollection } from '../schemas/index.ts';
import { pendingTurns } from '../schemas/pending-turns.ts';

/** A document with pending work. */
export interface Pending {
  _id: string;
  partnerId: string;
  pendingSince?: Date;
}

/** Pending documents in a collection, or of one type in it, for the sweep. */
export type PendingQueue<Doc extends Pending> = ReturnType<typeof createPendingQueue<Doc>>;

const inOrder = { pendingSince: 1, _id: 1 } as const;

/**
 * Reads pending documents by mode and partner, at a cost that does not grow with the backlog: each
 * query reads one range of an index.
 * @param scope fields that precede the mode in the index
 * @param fields to read in addition to id and partner
 */
export function createPendingQueue<Doc extends Pending>(
  { collection }: { collection: AnyCollection },
  scope: { type?: string },
  fields: readonly (keyof Doc & string)[],
) {
  const hint = pendingTurns.options.name;
  const projection = Object.fromEntries(
    [...fields, 'partnerId', 'pendingSince'].map((name) => [name, 1]),
  );
  const find = (filter: object, options: mongo.FindOptions) =>
    collection.find<Doc>({ ...scope, ...filter }, { hint, ...options });

  const nextPartner = (mode: Mode, before: Date, after: string) =>
    find(
      { mode, partnerId: { $gt: after }, pendingSince: { $lt: before } },
      { projection: { _id: 0, partnerId: 1 }, sort: { partnerId: 1, ...inOrder }, limit: 1 },
    );
  const oldestOf = (mode: Mode, partnerId: string, before: Date, limit: number) =>
    find({ mode, partnerId, pendingSince: { $lt: before } }, { projection, sort: inOrder, limit });

  const any = () => find({ pendingSince: { $exists: true } }, { projection: { _id: 1 }, limit: 1 });

  return {
    /**
     * Whether nothing at all is pending, the usual case: one query instead of one for each mode.
     */
    isEmpty: async (): Promise<boolean> => (await any().next()) === null,

    /**
     * Partners with something pending since before a given time, in order of their ids. Each query
     * starts in the index after everything pending of the previous partner.
     */
    async partners(mode: Mode, before: Date, after: string, atMost: number): Promise<string[]> {
      const found: string[] = [];
      while (found.length < atMost) {
        const next = await nextPartner(mode, before, found.at(-1) ?? after).next();
        if (next === null) break;
        found.push(next.partnerId);
      }
      return found;
    },

    /** The pending documents of one partner, in order of arrival. */
    oldestOf: (mode: Mode, partnerId: string, before: Date, limit: number): Promise<Doc[]> =>
      oldestOf(mode, partnerId, before, limit).toArray(),

    /** The queries themselves, so that a test can explain them. */
    questions: { any, nextPartner, oldestOf },

    /**
     * The ids of those documents that have been pending since the same time. A document that is pending
     * again was carried out in the meantime.
     */
    async stillPending(docs: readonly Pending[]): Promise<Set<string>> {
      if (docs.length === 0) return new Set();
      const partnerIds = [...new Set(docs.map(({ partnerId }) => partnerId))];
      const found = await collection
        .find<Pending>(
          {
            partnerId: { $in: partnerIds },
            _id: { $in: docs.map(({ _id }) => _id) },
            pendingSince: { $exists: true },
          },
          { projection: { pendingSince: 1 } },
        )
        .toArray();
      const since = new Map(found.map(({ _id, pendingSince }) => [_id, pendingSince?.getTime()]));
      const isStill = ({ _id, pendingSince }: Pending) =>
        since.has(_id) && since.get(_id) === pendingSince?.getTime();
      return new Set(docs.filter(isStill).map(({ _id }) => _id));
    },
  };
}
