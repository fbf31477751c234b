/** The maximum of `order.subtotalCents` (docs/contract.md, Requests). */
const highestSubtotalCents = 100_000_000;

const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(
  ' ',
);
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');

/** How many decimals an amount has: USD 2, JPY 0, KWD 3. */
function digitsOf(currency: string): number {
  if (withoutDecimals.includes(currency)) return 0;
  return withThreeDecimals.includes(currency) ? 3 : 2;
}

/**
 * Parses an amount such as `49.90` into whole minor units of its currency, digit by digit, without floating point:
 * 4990 for USD. `4990` is 4990 for JPY, `4.990` for KWD.
 * @throws RangeError for a sign, an exponent, more decimals than the currency has, or more than 100,000,000 minor units
 */
export function parseCents(text: string, currency = 'USD'): number {
  const digits = digitsOf(currency.toUpperCase());
  const [, units, decimals = ''] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  const isWritten = units !== undefined && decimals.length <= digits;
  const cents = isWritten ? Number(units + decimals.padEnd(digits, '0')) : Number.NaN;
  if (!(cents <= highestSubtotalCents)) {
    const most = highestSubtotalCents / 10 ** digits;
    const decimalsSaid =
      digits === 0
        ? 'without decimals'
        : `with at most ${['', '', 'two', 'three'][digits]} decimals`;
    throw new RangeError(
      `an amount must be 0 to ${most} ${decimalsSaid}, such as ${decimal(4_990, digits)}`,
    );
  }
  return cents;
}

function decimal(amount: number, digits: number): string {
  const text = String(amount).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** 123456 minor units → `$1,234.56`, `¥123,456`, as the portal shows it. */
export function moneyText(cents: number, currency: string): string {
  const digits = digitsOf(currency);
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat('en-US', options).format(cents / 10 ** digits);
}

/** 1500 millionths → `$0.0015`. */
export const microsText = (micros: number, currency: string): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digitsOf(currency),
    maximumFractionDigits: 6,
  }).format(micros / 1_000_000);

/** An amount whose currency the response does not name: 4990 → `4,990 minor units`. */
export const minorUnitsText = (cents: number): string =>
  `${new Intl.NumberFormat('en-US').format(cents)} minor units`;
