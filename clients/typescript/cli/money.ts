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

/** 123456 cents → `$1,234.56`, as the portal shows it. */
export const moneyText = (cents: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100);

/** 1500 millionths → `$0.0015`. */
export const microsText = (micros: number, currency: string): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    maximumFractionDigits: 6,
  }).format(micros / 1_000_000);

/** An amount in the partner's currency, which the response does not name: 123456 cents → `1,234.56`. */
export const amountText = (cents: number): string =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(cents / 100);
