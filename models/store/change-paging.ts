import { type IdKind, idBound } from '../../platform/ids.ts';
import { defaultLimit } from './paging.ts';

/** A place in a list of changes: a document as it was on the previous page. */
export interface ChangePosition {
  updatedAt: Date;
  _id: string;
}

/** Which documents of a list, and how many; all conditions must be met. */
export interface ChangeQuery {
  limit?: number | undefined;
  /** The last of the previous page. */
  after?: ChangePosition | undefined;
  /** The earliest change. */
  changedSince?: Date | undefined;
  /** The earliest time at which it was created. */
  receivedFrom?: Date | undefined;
  /** The first time that is too late. */
  receivedTo?: Date | undefined;
}

export interface Changes<Doc> {
  items: Doc[];
  /** Where the next page begins; null on the last one. */
  next: ChangePosition | null;
}

/** The clocks of what creates and what changes a document, and of its id, differ by less. */
const clocksDifferMs = 3_600_000;

/**
 * The conditions on the documents of a page. Each bounds what an index with `updatedAt` and `_id` is read for: no
 * document was changed before it was created.
 * @param order by the newest change, or by the newest document
 */
export function conditionsOf(
  kind: IdKind,
  { after, changedSince, receivedFrom, receivedTo }: ChangeQuery,
  order: 'CHANGE' | 'AGE',
): Record<string, unknown>[] {
  const before = (date: Date) => new Date(date.getTime() - clocksDifferMs);
  const changed = [changedSince, receivedFrom && before(receivedFrom)].filter(
    (date) => date !== undefined,
  );
  return [
    ...changed.map((from) => ({ updatedAt: { $gte: from } })),
    ...(receivedFrom === undefined
      ? []
      : [
          { createdAt: { $gte: receivedFrom } },
          { _id: { $gt: idBound(kind, before(receivedFrom).getTime()) } },
        ]),
    ...(receivedTo === undefined
      ? []
      : [
          { createdAt: { $lt: receivedTo } },
          { _id: { $lt: idBound(kind, receivedTo.getTime() + clocksDifferMs) } },
        ]),
    ...(after === undefined ? [] : placedAfter(after, order)),
  ];
}

const placedAfter = ({ updatedAt, _id }: ChangePosition, order: 'CHANGE' | 'AGE') =>
  order === 'AGE'
    ? [{ _id: { $lt: _id } }]
    : [{ updatedAt: { $lte: updatedAt } }, { $nor: [{ updatedAt, _id: { $gte: _id } }] }];

/** How a list of changes is sorted, as its index is. */
export const sortOf = { CHANGE: { updatedAt: -1, _id: -1 }, AGE: { _id: -1 } } as const;

/** One more than a page has shows whether there is a next one. */
export const readLimit = ({ limit = defaultLimit }: ChangeQuery): number => limit + 1;

/** A page of what was read with `readLimit`. */
export function pageOfChanges<Doc extends ChangePosition>(
  found: readonly Doc[],
  { limit = defaultLimit }: ChangeQuery,
): Changes<Doc> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : { updatedAt: last.updatedAt, _id: last._id } };
}
