import type { ModelOf } from '../schemas/index.ts';

export const defaultLimit = 25;

export interface PageQuery {
  limit?: number;
  /** The id of the last item of the previous page. */
  cursor?: string;
}

export interface ListPage<Row> {
  items: Row[];
  /** Opaque; null on the last page. */
  nextCursor: string | null;
}

/**
 * One page of a collection, newest first: ids are ULIDs, so that they sort by time.
 * @param conditions must all be met
 */
export async function readPage<Doc extends { _id: string }, Row>(
  model: ModelOf<Doc>,
  conditions: Record<string, unknown>[],
  { limit = defaultLimit, cursor }: PageQuery,
  present: (document: Doc) => Row,
): Promise<ListPage<Row>> {
  const all = cursor === undefined ? conditions : [...conditions, { _id: { $lt: cursor } }];
  // One more, to find out whether there is a next page.
  const documents = await model
    .find()
    .where(all.length === 0 ? {} : { $and: all })
    .sort({ _id: -1 })
    .limit(limit + 1);
  const items = documents.slice(0, limit);
  const last = documents.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map(present),
    nextCursor: cursorOf(last?._id ?? null),
  };
}

/** All matching documents, newest first, page by page as they are consumed. */
export async function* everyPage<Doc extends { _id: string }>(
  model: ModelOf<Doc>,
  conditions: Record<string, unknown>[],
  limit = 1_000,
): AsyncGenerator<Doc[]> {
  let cursor: string | undefined;
  do {
    const { items }: ListPage<Doc> = await readPage(
      model,
      conditions,
      { limit, ...(cursor !== undefined && { cursor }) },
      (one: Doc) => one,
    );
    if (items.length > 0) yield items;
    cursor = items.length < limit ? undefined : items.at(-1)?._id;
  } while (cursor !== undefined);
}

/** @param lastId the last id of a page; null on the last page */
export function cursorOf(lastId: string | null): string | null {
  return lastId === null ? null : Buffer.from(lastId).toString('base64url');
}

/** Equality conditions for the fields that are not undefined. */
export function given(fields: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [{ [name]: value }],
  );
}
