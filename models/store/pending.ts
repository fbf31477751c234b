import type { Model, mongo } from 'mongoose';
import type { Mode } from '../../domain/mode.ts';
import { pendingTurns } from '../schemas/pending-turns.ts';

/** A document that carries the mark of unfinished work. */
export interface Pending {
  _id: string;
  partnerId: string;
}

/** What is pending in one collection, or of one type there, as the sweep takes it. */
export type PendingQueue<Doc extends Pending> = ReturnType<typeof createPendingQueue<Doc>>;

const inOrder = { pendingSince: 1, _id: 1 } as const;

/**
 * Reads what is pending, by mode and by partner, at a cost that does not grow with the backlog: each
 * question is one place in an index and what stands next to it.
 * @param scope what comes before the mode in the index
 * @param fields what is read of a document, besides its id and its partner
 */
export function createPendingQueue<Doc extends Pending>(
  { collection }: Pick<Model<Doc>, 'collection'>,
  scope: { type?: string },
  fields: readonly (keyof Doc & string)[],
) {
  const hint = pendingTurns.options.name;
  const projection = Object.fromEntries([...fields, 'partnerId'].map((name) => [name, 1]));
  const find = (filter: object, options: mongo.FindOptions) =>
    collection.find<Doc>({ ...scope, ...filter } as never, { hint, ...options });

  const nextPartner = (mode: Mode, before: Date, after: string) =>
    find(
      { mode, partnerId: { $gt: after }, pendingSince: { $lt: before } },
      { projection: { _id: 0, partnerId: 1 }, sort: { partnerId: 1, ...inOrder }, limit: 1 },
    );
  const oldestOf = (mode: Mode, partnerId: string, before: Date, limit: number) =>
    find({ mode, partnerId, pendingSince: { $lt: before } }, { projection, sort: inOrder, limit });

  const any = () => find({ pendingSince: { $exists: true } }, { projection: { _id: 1 }, limit: 1 });

  return {
    /** Whether nothing at all is pending, which is mostly so: one question where the turns take several. */
    isEmpty: async (): Promise<boolean> => (await any().next()) === null,

    /**
     * Partners of whom something is pending since before a time, in the order of their ids: for each,
     * the index is entered behind all that the one before has waiting.
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

    /** What is pending of one partner, in the order of arrival. */
    oldestOf: (mode: Mode, partnerId: string, before: Date, limit: number): Promise<Doc[]> =>
      oldestOf(mode, partnerId, before, limit).toArray(),

    /** The questions themselves, so that a test sees how they are answered. */
    questions: { any, nextPartner, oldestOf },

    /** Which of some documents are pending still. */
    async stillPending(docs: readonly Pending[]): Promise<Set<string>> {
      if (docs.length === 0) return new Set();
      const partnerIds = [...new Set(docs.map(({ partnerId }) => partnerId))];
      const found = await collection
        .find<Pending>(
          {
            partnerId: { $in: partnerIds },
            _id: { $in: docs.map(({ _id }) => _id) },
            pendingSince: { $exists: true },
          } as never,
          { projection: { _id: 1 } },
        )
        .toArray();
      return new Set(found.map(({ _id }) => _id));
    },
  };
}
