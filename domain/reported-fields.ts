import { DateTime } from 'luxon';

/** What partners report, in a request or in a file of orders (docs/contract.md, Requests). */

/** Of the ids that partners give to their orders and refunds. */
export const maxExternalIdChars = 160;

/** Whether a text has at most so many characters: one beyond the first 65,536 of Unicode counts once. */
export function hasAtMost(maxChars: number, text: string): boolean {
  return text.length <= maxChars || [...text].length <= maxChars;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const unprintable = /[\u0000-\u001f\u007f]/;

/** Whether an id has no control characters and no broken surrogates: others store it, and search for it. */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text) && text.isWellFormed();
}

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Whether a text is an ISO 8601 date-time with a timezone offset. */
export function isInstant(text: string): boolean {
  // Luxon refuses days that no calendar has, Date.parse offsets that no clock has.
  return withOffset.test(text) && DateTime.fromISO(text).isValid && !Number.isNaN(Date.parse(text));
}
