/** The maximum of `order.subtotalCents` (docs/contract.md, Requests). */
const highestSubtotalCents = 100_000_000;

/**
 * Parses an amount such as `49.90`, `49.9` or `49` into whole cents, digit by digit, without floating
 * point.
 * @throws RangeError for a sign, an exponent, a third decimal, or more than 1,000,000.00
 */
export function parseCents(text: string): number {
  const [, units, decimals = ''] = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const cents = units === undefined ? Number.NaN : Number(units + decimals.padEnd(2, '0'));
  if (!(cents <= highestSubtotalCents)) {
    throw new RangeError('an amount must be 0 to 1000000 with at most two decimals, such as 49.90');
  }
  return cents;
}

/** 4990 → `49.90`. */
export function formatCents(cents: number): string {
  return formatScaled(cents, 2);
}

/** 1500 millionths → `0.001500`. */
export function formatMicros(micros: number): string {
  return formatScaled(micros, 6);
}

function formatScaled(amount: number, decimals: number): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
