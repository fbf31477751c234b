/** Cents as a decimal amount: 123456 becomes "1234.56". */
export function formatCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const microDigits = 6;

/**
 * Micros of a currency unit, not negative, as a decimal amount: 10000 becomes "0.01", 12345 becomes
 * "0.012345".
 */
export function formatMicros(micros: number): string {
  const digits = String(micros).padStart(microDigits + 1, '0');
  const fraction = digits.slice(-microDigits);
  const kept = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, '');
  return `${digits.slice(0, -microDigits)}.${kept}`;
}

/** An amount with its currency: "$1,234.56". @param cents an integer */
export function moneyText(cents: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100);
  } catch {
    return `${formatCents(cents)} ${currency}`;
  }
}

/** A price in micros of a currency unit, with up to six decimals: 12345 becomes "$0.012345". */
export function microsText(micros: number, currency: string): string {
  const options = { style: 'currency', currency, maximumFractionDigits: microDigits } as const;
  try {
    return new Intl.NumberFormat('en-US', options).format(micros / 1_000_000);
  } catch {
    return `${formatMicros(micros)} ${currency}`;
  }
}
