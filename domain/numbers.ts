/**
 * Numbers as people write them, in any country, read digit by digit. A separator before exactly three last digits, as
 * in `1,000`, is of thousands for some and decimal for others: a count has no decimals, so there it is of thousands;
 * elsewhere the writer's own decimal mark says which, and without one the number is refused.
 */

export const decimalMarks = ['.', ','] as const;
export type DecimalMark = (typeof decimalMarks)[number];

const plain = /^(?<units>\d+)(?:(?<mark>[.,])(?<fraction>\d+))?$/;
const grouped =
  /^(?<units>[1-9]\d{0,2}(?<by>[.,'’ \u00a0\u2009\u202f])\d{3}(?:\k<by>\d{3})*)(?:(?!\k<by>)(?<mark>[.,])(?<fraction>\d+))?$/;

/**
 * Reads a count: 1000, 1,000, 1.000, 1 000 and 1'000 are the same.
 * @returns undefined for anything else, for decimals too, and beyond the safe integers
 */
export function parseCount(text: string): number | undefined {
  const { units, mark } = (grouped.exec(text) ?? plain.exec(text))?.groups ?? {};
  return units === undefined || mark !== undefined ? undefined : integerOf(units);
}

/**
 * Reads a number with decimals.
 * @param digits how many decimals it may have
 * @param mark the writer's decimal mark; without, what can be read two ways is refused
 * @returns in units of its last decimal, so that 1.5 with two digits is 150; undefined for anything else
 */
export function parseDecimal(text: string, digits: number, mark?: DecimalMark): number | undefined {
  const asPlain = plain.exec(text)?.groups;
  const isTwoWays = isReadTwoWays(text);
  const asGrouped = asPlain && !isTwoWays ? undefined : grouped.exec(text)?.groups;
  let found = asPlain ?? asGrouped;
  if (isTwoWays && asPlain && asGrouped) {
    // Machines write a point, and as many decimals as there are.
    const own = mark ?? (digits >= 3 ? '.' : undefined);
    if (mark === undefined && asPlain.mark !== own) return undefined;
    found = asPlain.mark === own ? asPlain : asGrouped;
  }
  const { units, fraction = '' } = found ?? {};
  if (units === undefined) return undefined;
  // Exports often write more decimals than there are, as zeros; three of them would be thousands.
  const isLonger = fraction.length > digits;
  if (isLonger && (fraction.length === 3 || !/^0+$/.test(fraction.slice(digits)))) return undefined;
  return integerOf(units + fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Whether a number is one thing to those who write a decimal point, and another to those who write a comma. */
export const isReadTwoWays = (text: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(text);

/** The decimal mark that whoever wrote this uses, if it shows; undefined for `1000`, `1,000` and what is no number. */
export function decimalMarkOf(text: string): DecimalMark | undefined {
  if (isReadTwoWays(text)) return undefined;
  const { mark, by } = (plain.exec(text) ?? grouped.exec(text))?.groups ?? {};
  return decimalMarks.find((one) => one === mark || (mark === undefined && isOther(by, one)));
}

/** Whether thousands are separated by the mark that the other one is not. */
const isOther = (by: string | undefined, mark: DecimalMark): boolean =>
  decimalMarks.some((one) => one === by && one !== mark);

function integerOf(digits: string): number | undefined {
  const value = Number(digits.replace(/\D/g, ''));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A whole number with thousands separators: `1,234`. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

/** A count with its noun: `1 order`, `1,234 orders`. */
export const plural = (count: number, one: string, other: string): string =>
  `${numberText(count)} ${count === 1 ? one : other}`;

/** `1 point`, `1,234 points`. @param which such as `extra `: `1,234 extra points` */
export const pointsWords = (points: number, which = ''): string =>
  plural(points, `${which}point`, `${which}points`);
