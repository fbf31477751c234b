import Joi from 'joi';
import type { Model } from 'mongoose';

const maxLimit = 100;
export const defaultLimit = 25;

export interface PageQuery {
  limit?: number;
  /** The id after which the page begins. */
  cursor?: string;
}

export interface Page<Row> {
  items: Row[];
  /** Opaque; null on the last page. */
  nextCursor: string | null;
}

/** The two parameters that every list takes. */
export const pageParameters = {
  limit: Joi.string()
    .custom((text: string) => {
      const limit = Number(text);
      if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > maxLimit) throw new Error('range');
      return limit;
    })
    .messages({ 'any.custom': `limit must be an integer from 1 to ${maxLimit}` }),
  cursor: Joi.string()
    .max(256)
    .custom((text: string) => {
      const id = Buffer.from(text, 'base64url').toString('utf8');
      if (!/^[A-Za-z]{3}_\w+$/.test(id)) throw new Error('form');
      return id;
    })
    .messages({ 'any.custom': 'cursor must be the nextCursor of an earlier page' }),
};

/** An id or another text to look for. */
export const searchText = Joi.string().max(255);

export const pageSchema = Joi.object<PageQuery>(pageParameters);

/**
 * One page of a collection, newest first: ids are ULIDs, so that their order is that of time.
 * @param conditions all of which must hold
 */
export async function page<Doc extends { _id: string }, Row>(
  model: Model<Doc>,
  conditions: Record<string, unknown>[],
  { limit = defaultLimit, cursor }: PageQuery,
  present: (document: Doc) => Row,
): Promise<Page<Row>> {
  const all = cursor === undefined ? conditions : [...conditions, { _id: { $lt: cursor } }];
  // One more than asked for tells whether there is a next page.
  const documents = await model
    .find()
    .where(all.length === 0 ? {} : { $and: all })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<Doc[]>();
  const items = documents.slice(0, limit);
  const last = documents.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map(present),
    nextCursor: cursorOf(last?._id ?? null),
  };
}

/** @param lastId of a page that is not the last one */
export function cursorOf(lastId: string | null): string | null {
  return lastId === null ? null : Buffer.from(lastId).toString('base64url');
}

/** Conditions from parameters of which any may be absent. */
export function given(fields: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [{ [name]: value }],
  );
}
