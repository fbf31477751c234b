import type { RequestHashes } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import { findById } from './find-by-id.ts';
import { findByName } from './find-by-name.ts';
import type { ReadScope } from './partner-scope.ts';
import type { SearchResult } from './search-results.ts';

/** The maximum length of an order id, a key or a workflow's id. */
const maxLookUpChars = 255;

/**
 * Finds everything that a text identifies: by any id, order, refund, Idempotency-Key, request or
 * workflow. Each search costs a few index entries, however much data there is.
 * @param typed the text as entered
 * @returns a few dozen results at most, the newest of each kind first, all within the scope
 */
export async function lookUp(
  { models, hashes }: { models: Models; hashes: Pick<RequestHashes, 'ofIdempotencyKey'> },
  scope: ReadScope,
  typed: string,
): Promise<SearchResult[]> {
  const text = typed.trim();
  if (text === '' || text.length > maxLookUpChars) return [];
  const all = await Promise.all([
    findById(models, scope, idIn(text)),
    findByName(models, hashes, scope, text),
  ]);
  const unique = new Map(all.flat().map((one) => [`${one.kind} ${one.id}`, one]));
  return [...unique.values()];
}

/** The text if it is an id; the owner's id if it is the id of a wallet's workflow; otherwise empty. */
function idIn(text: string): string {
  const [, id] = /^(?:wallet\/(?:TEST|LIVE)\/)?([A-Za-z]{3}_[\w-]{26,32})$/.exec(text) ?? [];
  return id ?? '';
}
