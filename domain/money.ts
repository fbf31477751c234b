import { digitsOf } from './currencies.ts';
import { type DecimalMark, parseDecimal } from './numbers.ts';

/**
 * Amounts are whole minor units of their currency, though their names say cents: 4990 is 49.90 USD, 4,990 JPY and
 * 4.990 KWD (docs/integrate/requests.md, Requests). They are written here alone and
 * read as numbers.ts reads, digit by digit, without floating point.
 */

/** An amount as people enter it: 4990 becomes "49.90" in USD, "4990" in JPY, "4.990" in KWD. */
export function formatCents(cents: number, currency: string): string {
  return `${cents < 0 ? '-' : ''}${decimal(Math.abs(cents), digitsOf(currency))}`;
}

function decimal(amount: number, digits: number): string {
  const text = String(amount).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Reads an amount as people write it: 1000.50, 1000,50, 1,000.50, 1.000,50 and 1 000,50 are the same.
 * @param mark the decimal mark of whoever wrote it, if it is known; without, what can be read two ways is refused
 * @returns minor units; undefined if it is no such amount, has more decimals than its currency, can be read two ways
 *   (`isReadTwoWays`), or is beyond the safe integers
 */
export const parseCents = (
  text: string,
  currency: string,
  mark?: DecimalMark,
): number | undefined => parseDecimal(text, digitsOf(currency), mark);

/** Reads an amount in micros of the currency unit in the same way, with up to six decimals. */
export const parseMicros = (text: string, mark?: DecimalMark): number | undefined =>
  parseDecimal(text, microDigits, mark);

const microDigits = 6;

/**
 * Micros of a currency unit, not negative, as a decimal amount: 10000 becomes "0.01", 12345 becomes
 * "0.012345".
 */
export function formatMicros(micros: number): string {
  const text = decimal(micros, microDigits);
  return text.slice(0, -4) + text.slice(-4).replace(/0+$/, '');
}

/** An amount with its currency: "$1,234.56", "¥1,235". @param cents an integer */
export function moneyText(cents: number, currency: string): string {
  return written(formatCents(cents, currency), currency, digitsOf(currency));
}

/** A price in micros of a currency unit, with up to six decimals: 12345 becomes "$0.012345". */
export function microsText(micros: number, currency: string): string {
  return written(formatMicros(micros), currency, digitsOf(currency), microDigits);
}

/** @param amount decimal, which Intl takes as text so that nothing is rounded */
function written(amount: string, currency: string, digits: number, most = digits): string {
  try {
    return formatOf(currency, digits, most).format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** Cached, since creating a format takes longer than using it. */
const formats = new Map<string, Intl.NumberFormat>();

/** @throws RangeError if it is no currency */
function formatOf(currency: string, digits: number, most: number): Intl.NumberFormat {
  const key = `${currency} ${digits} ${most}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: most,
    });
  formats.set(key, format);
  return format;
}
