import { digitsOf } from './currencies.ts';

/**
 * Amounts as shops write them, exact: decimals as text, such as 49.90, 4990 yen and 4.990 dinars. They are added with
 * ten decimals, and rounded once, to minor units of their currency.
 */
export type Amount = bigint;

const scaleDigits = 10;
const decimalPattern = /^(?<sign>-?)(?<units>\d{1,15})(?:\.(?<fraction>\d{1,10})(?:0*))?$/;

/** @returns undefined for anything but a decimal with a point and at most ten decimals, such as -49.90 */
export function parseAmount(text: string): Amount | undefined {
  const { sign, units, fraction = '' } = decimalPattern.exec(text)?.groups ?? {};
  if (units === undefined) return undefined;
  const value = BigInt(units + fraction.padEnd(scaleDigits, '0'));
  return sign === '-' ? -value : value;
}

/** An amount in units of its last decimal. @param digits how many decimals it has */
export const amountOfUnits = (units: bigint, digits: number): Amount =>
  units * 10n ** BigInt(scaleDigits - digits);

/** Minor units of the currency, rounded half away from zero. @returns undefined beyond the safe integers */
export function minorOf(amount: Amount, currency: string): number | undefined {
  const step = 10n ** BigInt(scaleDigits - digitsOf(currency));
  const size = amount < 0n ? -amount : amount;
  const rounded = Number((size + step / 2n) / step);
  if (!Number.isSafeInteger(rounded)) return undefined;
  return amount < 0n && rounded > 0 ? -rounded : rounded;
}

/** A decimal as shops write it, with at least the decimals of its currency: "49.90", "4990", "16.5289". */
export function amountText(amount: Amount, currency: string): string {
  const size = amount < 0n ? -amount : amount;
  const digits = String(size).padStart(scaleDigits + 1, '0');
  const [units, fraction] = [digits.slice(0, -scaleDigits), digits.slice(-scaleDigits)];
  const own = digitsOf(currency);
  const shown = fraction.slice(0, own) + fraction.slice(own).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${units}${shown === '' ? '' : `.${shown}`}`;
}

/**
 * The minor units of a subtotal that fall on a part of what was paid: between two points of it, so that the parts
 * between all of them add up to the subtotal, whatever is rounded.
 * @param part from and to, of the total; a total of zero has no parts
 */
export function subtotalShareOf(
  subtotalCents: number,
  { from, to, total }: { from: Amount; to: Amount; total: Amount },
): number {
  if (total <= 0n) return 0;
  const upTo = (point: Amount): bigint => {
    const within = point < 0n ? 0n : point > total ? total : point;
    return (BigInt(subtotalCents) * within) / total;
  };
  return Number(upTo(to) - upTo(from));
}
