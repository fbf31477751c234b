import { sha256Hex } from '../signature.ts';

const longestKey = 255;

/**
 * The key of an operation on what the partner calls it: the same words give the same key, so that
 * repeating a command replays. Visible ASCII of at most 255 characters.
 */
export function deriveIdempotencyKey(...words: string[]): string {
  // Encoded one by one, so that the colon between two words is never part of one.
  const key = words.map((word) => encodeURIComponent(word)).join(':');
  return key.length <= longestKey ? key : `sha256:${sha256Hex(key)}`;
}
