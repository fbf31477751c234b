import { digitsOf } from '../../../domain/currencies.ts';
import { formatCents, parseCents } from '../../../domain/money.ts';

/** The maximum of `order.subtotalCents` (docs/integrate/requests.md, Requests). */
const highestSubtotalCents = 100_000_000;

/**
 * Reads an amount such as `49.90` or `49,90` into whole minor units of its currency: 4990 for USD.
 * @throws RangeError for what is no amount of the currency, or is more than 100,000,000 minor units
 */
export function amountOf(text: string, currency = 'USD'): number {
  const code = currency.toUpperCase();
  const cents = parseCents(text, code);
  if (cents !== undefined && cents <= highestSubtotalCents) return cents;
  const most = highestSubtotalCents / 10 ** digitsOf(code);
  throw new RangeError(
    `an amount in ${code} must be 0 to ${most}, such as ${formatCents(4_990, code)}`,
  );
}

/** An amount whose currency the response does not name: 4990 → `4,990 minor units`. */
export const minorUnitsText = (cents: number): string =>
  `${new Intl.NumberFormat('en-US').format(cents)} minor units`;
