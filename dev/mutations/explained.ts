import type { Mutant } from './instrument.ts';

/** A mutant that no test can or need notice, and why. Lines are as `docs/proofs/mutations.md` shows them. */
export interface Explained {
  file: string;
  was: string;
  becomes: string;
  why: string;
}

const luxonCounts =
  'Luxon counts whole periods in the same way, by adding them to the anchor: the loop corrects it should it ever not.';
const nextLoop = 'The next loop takes the step back.';
const sameCase = 'Both sides of the comparison are brought into the same case.';
const nothingSoLarge =
  'Nothing comes near 2^53: whether the last safe integer is refused makes no difference.';
const aroundTheMean =
  'The differences from a mean sum to nothing, so that it makes none what the other is counted from.';

export const explained: readonly Explained[] = [
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index) > instant) index -= 1;',
    becomes: 'while (false) index -= 1;',
    why: luxonCounts,
  },
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index) > instant) index -= 1;',
    becomes: 'while (startOf(index) > instant) index += 1;',
    why: luxonCounts,
  },
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index) > instant) index -= 1;',
    becomes: 'while (startOf(index) >= instant) index -= 1;',
    why: nextLoop,
  },
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index + 1) <= instant) index += 1;',
    becomes: 'while (false) index += 1;',
    why: luxonCounts,
  },
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index + 1) <= instant) index += 1;',
    becomes: 'while (startOf(index + 1) < instant) index += 1;',
    why: luxonCounts,
  },
  {
    file: 'domain/billing-periods.ts',
    was: 'while (startOf(index + 1) <= instant) index += 1;',
    becomes: 'while (startOf(index + 1) <= instant) index -= 1;',
    why: luxonCounts,
  },
  {
    file: 'domain/order-file.ts',
    was: "const plain = (name: string) => name.toLowerCase().replace(/[\\s_-]/g, '');",
    becomes: "const plain = (name: string) => name.toUpperCase().replace(/[\\s_-]/g, '');",
    why: sameCase,
  },
  {
    file: 'domain/metadata.ts',
    was: "return name.toLowerCase().replace(/[_-]/g, '');",
    becomes: "return name.toUpperCase().replace(/[_-]/g, '');",
    why: sameCase,
  },
  {
    file: 'domain/order-file.ts',
    was: 'if (units === undefined) return undefined;',
    becomes: 'if (false) return undefined;',
    why: 'What is no number is within no limit.',
  },
  {
    file: 'domain/projection.ts',
    was: 'for (let done = 0; done < use.daysLeft; done++) {',
    becomes: 'for (let done = 0; done <= use.daysLeft; done++) {',
    why: 'The round more is for the share of a day that is nothing.',
  },
  {
    file: 'domain/projection.ts',
    was: 'if (freedom < 1) {',
    becomes: 'if (freedom <= 1) {',
    why: 'No number of days comes to exactly one.',
  },
  {
    file: 'domain/projection.ts',
    was: 'const rawSlope = spread > 0 ? sum(({ x, points }) => (x - meanX) * (points - mean)) / spread : 0;',
    becomes:
      'const rawSlope = spread > 0 ? sum(({ x, points }) => (x + meanX) * (points - mean)) / spread : 0;',
    why: aroundTheMean,
  },
  {
    file: 'domain/projection.ts',
    was: 'const rawSlope = spread > 0 ? sum(({ x, points }) => (x - meanX) * (points - mean)) / spread : 0;',
    becomes:
      'const rawSlope = spread > 0 ? sum(({ x, points }) => (x - meanX) * (points + mean)) / spread : 0;',
    why: aroundTheMean,
  },
  {
    file: 'domain/reported-fields.ts',
    was: 'const withOffset = /^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})$/;',
    becomes:
      'const withOffset = /^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})/;',
    why: 'Luxon refuses whatever follows.',
  },
  {
    file: 'domain/turns.ts',
    was: 'for (let nth = 0; nth < longest; nth++) {',
    becomes: 'for (let nth = 0; nth <= longest; nth++) {',
    why: 'No list has anything in that place.',
  },
  {
    file: 'domain/order-file.ts',
    was: "const [, units, fraction = ''] = /^(\\d{1,7})(?:[.,](\\d{1,2}))?$/.exec(text) ?? [];",
    becomes:
      'const [, units, fraction = \'\'] = /^(\\d{1,7})(?:[.,](\\d{1,2}))?$/.exec(text) ?? ["Stryker was here"];',
    why: 'What is put in stands where nobody looks.',
  },
  {
    file: 'domain/plan-arithmetic.ts',
    was: 'return value < 0n ? 0 : Number(value);',
    becomes: 'return value <= 0n ? 0 : Number(value);',
    why: 'Zero is zero either way.',
  },
  {
    file: 'domain/plan-arithmetic.ts',
    was: "if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');",
    becomes:
      "if (value >= BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');",
    why: nothingSoLarge,
  },
  {
    file: 'domain/back-test.ts',
    was: "if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');",
    becomes:
      "if (value >= BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');",
    why: nothingSoLarge,
  },
  {
    file: 'domain/points.ts',
    was: 'if (value > BigInt(Number.MAX_SAFE_INTEGER))',
    becomes: 'if (value >= BigInt(Number.MAX_SAFE_INTEGER))',
    why: nothingSoLarge,
  },
  {
    file: 'domain/postings.ts',
    was: 'sums[unit] += BigInt(amount);',
    becomes: 'sums[unit] -= BigInt(amount);',
    why: 'What sums to zero does so with every sign turned.',
  },
  {
    file: 'domain/postings.ts',
    was: '...(accounts.points && customer !== undefined',
    becomes: '...(accounts.points || customer !== undefined',
    why: 'Either both are there or neither is; the type checker asks for both.',
  },
  {
    file: 'domain/postings.ts',
    was: '...(accounts.points && customer !== undefined',
    becomes: '...(accounts.points && true',
    why: 'Either both are there or neither is; the type checker asks for both.',
  },
  {
    file: 'domain/postings.ts',
    was: 'customer === undefined ? [payable] : [payable, customer],',
    becomes: 'false ? [payable] : [payable, customer],',
    why: 'An account that is undefined is passed over; the type checker refuses it.',
  },
  {
    file: 'clients/typescript/signature.ts',
    was: 'for (let index = 0; index < Math.max(secrets.length, leastDigests); index += 1) {',
    becomes: 'for (let index = 0; index <= Math.max(secrets.length, leastDigests); index += 1) {',
    why: 'One digest more, with the secret that nobody has.',
  },
  {
    file: 'clients/typescript/signature.ts',
    was: 'if (equal && wellFormed && secret !== undefined && found === -1) found = index;',
    becomes: 'if (equal && wellFormed && true && found === -1) found = index;',
    why: 'Nobody has the secret, made anew in each process, that stands in for one that is not there.',
  },
  {
    file: 'models/ledger/chain.ts',
    was: 'if (race > 0) await delay(Math.random() * 5 * race);',
    becomes: 'if (race >= 0) await delay(Math.random() * 5 * race);',
    why: 'The first round waits for no time at all.',
  },
];

/** @returns why a mutant may survive; undefined where nothing excuses it */
export function explanationOf({ file, was, becomes }: Mutant): string | undefined {
  return explained.find((one) => one.file === file && one.was === was && one.becomes === becomes)
    ?.why;
}
