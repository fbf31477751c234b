import type { RequestHashes } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import { findById } from './find-by-id.ts';
import { findByName } from './find-by-name.ts';
import type { Whose } from './partner-scope.ts';
import type { SearchResult } from './search-results.ts';

/** As long as an order, a key or a workflow's id may be. */
const maxLookUpChars = 255;

/**
 * Finds whatever a text names: any id, an order, a refund, an Idempotency-Key, a request, a workflow.
 * Each way to look is a few keys of an index, however much is stored.
 * @param typed as somebody typed it
 * @returns at most some dozens, the newest of each kind first; nothing for what is another's
 */
export async function lookUp(
  { models, hashes }: { models: Models; hashes: Pick<RequestHashes, 'ofIdempotencyKey'> },
  whose: Whose,
  typed: string,
): Promise<SearchResult[]> {
  const text = typed.trim();
  if (text === '' || text.length > maxLookUpChars) return [];
  const all = await Promise.all([
    findById(models, whose, idIn(text)),
    findByName(models, hashes, whose, text),
  ]);
  const unique = new Map(all.flat().map((one) => [`${one.kind} ${one.id}`, one]));
  return [...unique.values()];
}

/** The id that a text is; of a wallet's workflow, that of whose wallet it is. Empty for any other text. */
function idIn(text: string): string {
  const [, id] = /^(?:wallet\/(?:TEST|LIVE)\/)?([A-Za-z]{3}_[\w-]{26,32})$/.exec(text) ?? [];
  return id ?? '';
}
