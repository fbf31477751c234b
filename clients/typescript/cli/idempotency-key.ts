import { encodedKey } from '../idempotency-key.ts';
import { sha256Hex } from '../signature.ts';

/** The key that the client derives (`idempotencyKeyOf`), at once. */
export function deriveIdempotencyKey(...words: string[]): string {
  const key = encodedKey(words);
  return key.length <= 255 ? key : `sha256:${sha256Hex(key)}`;
}
