import { digitsOf } from '../../../domain/currencies.ts';
import { formatCents, parseCents } from '../../../domain/money.ts';
import { isReadTwoWays } from '../../../domain/numbers.ts';
import { maxSubtotalCents } from '../../../domain/points.ts';

/**
 * Reads an amount such as `49.90` or `49,90` into whole minor units of its currency: 4990 for USD.
 * @throws RangeError for what is no amount of the currency, can be read two ways, or is more than 100,000,000 minor
 *   units
 */
export function amountOf(text: string, currency = 'USD'): number {
  const code = currency.toUpperCase();
  const cents = parseCents(text, code);
  if (cents !== undefined && cents <= maxSubtotalCents) return cents;
  const example = formatCents(4_990, code);
  if (cents === undefined && isReadTwoWays(text)) {
    throw new RangeError(
      `an amount such as ${text} can be read two ways: write it without thousands separators, such as ${example}`,
    );
  }
  const most = maxSubtotalCents / 10 ** digitsOf(code);
  throw new RangeError(
    `an amount in ${code} must be 0 to ${most} (100,000,000 minor units), such as ${example}`,
  );
}

/** An amount whose currency the response does not name: 4990 → `4,990 minor units`. */
export const minorUnitsText = (cents: number): string =>
  `${new Intl.NumberFormat('en-US').format(cents)} minor units`;
