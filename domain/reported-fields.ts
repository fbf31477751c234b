import { DateTime } from 'luxon';

/** Fields that partners report, in requests and in files of orders (docs/contract.md, Requests). */

/** The longest id that a partner gives to an order or refund, in characters. */
export const maxExternalIdChars = 160;

/** Whether a text has at most this many characters. Code points beyond U+FFFF count once. */
export function hasAtMost(maxChars: number, text: string): boolean {
  return text.length <= maxChars || [...text].length <= maxChars;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const unprintable = /[\u0000-\u001f\u007f]/;

/**
 * Whether an id has neither control characters nor lone surrogates, since others store and search
 * it.
 */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text) && text.isWellFormed();
}

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

export function isInstant(text: string): boolean {
  // Luxon rejects days that do not exist, Date.parse offsets that do not exist.
  return withOffset.test(text) && DateTime.fromISO(text).isValid && !Number.isNaN(Date.parse(text));
}
