import { sha256Hex } from '../signature.ts';

const longestKey = 255;

/**
 * Derives an idempotency key from an operation and the partner's ids. The same words give the same key, so that
 * repeating a command replays its response. At most 255 characters of visible ASCII.
 */
export function deriveIdempotencyKey(...words: string[]): string {
  // Encoded separately, so that no word can contain the colon between the words.
  const key = words.map((word) => encodeURIComponent(word)).join(':');
  return key.length <= longestKey ? key : `sha256:${sha256Hex(key)}`;
}
