import Joi from 'joi';
import type { PageQuery } from '../models/store/paging.ts';

export {
  cursorOf,
  defaultLimit,
  given,
  type ListPage,
  type PageQuery,
  readPage,
} from '../models/store/paging.ts';

/** How many rows a page has. */
export const limitField = (max: number): Joi.StringSchema =>
  Joi.string()
    .custom((text: string) => {
      const limit = Number(text);
      if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > max) throw new Error('range');
      return limit;
    })
    .messages({ 'any.custom': `limit must be an integer from 1 to ${max}` });

/** The parameters of every list. */
export const pageParameters = {
  limit: limitField(100),
  cursor: Joi.string()
    .max(256)
    .custom((text: string) => {
      const id = Buffer.from(text, 'base64url').toString('utf8');
      if (!/^[A-Za-z]{3}_\w+$/.test(id)) throw new Error('form');
      return id;
    })
    .messages({ 'any.custom': 'cursor must be the nextCursor of a previous page' }),
};

/** An id or other text to search for. */
export const searchText = Joi.string().max(255);

export const pageSchema = Joi.object<PageQuery>(pageParameters);
