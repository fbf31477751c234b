import type { Mutant } from './instrument.ts';

/**
 * A mutant that no test can or needs to notice, and the reason. Lines are as shown in
 * `docs/proofs/mutations.md`.
 */
export interface Explained {
  file: string;
  was: string;
  becomes: string;
  why: string;
}

const luxonCounts =
  'Luxon already counts whole periods from the anchor; the loop only corrects it should that ever change.';
const nextLoop = 'The next loop undoes the step.';
const sameCase = 'Both sides of the comparison are normalized to the same case.';
const nothingSoLarge =
  'No value comes near 2^53, so refusing the last safe integer makes no difference.';
const nothingCounted =
  'Points that were not counted are not given back; the condition only saves a read.';
const hasOneEach =
  'Every reward of the batch has a reservation; the type checker requires the condition.';
const isReservedAnyway =
  'What is claimed or taken back in LIVE was reserved; the condition only saves a read.';
const aroundTheMean =
  'Differences from a mean sum to zero, so the origin of the other factor does not matter.';

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
    file: 'domain/claim-offer.ts',
    was: "if (status !== 'PENDING' || fundedAt === null || claimExpiresAt === offeredUntil) return false;",
    becomes: "if (status !== 'PENDING' || false || claimExpiresAt === offeredUntil) return false;",
    why: 'Without a time of funding there is no age, which no comparison finds young enough; the type checker requires the condition.',
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
    why: 'A value that is not a number is within no limit.',
  },
  {
    file: 'domain/projection.ts',
    was: 'for (let done = 0; done < use.daysLeft; done++) {',
    becomes: 'for (let done = 0; done <= use.daysLeft; done++) {',
    why: 'The additional round is for a share of a day that is zero.',
  },
  {
    file: 'domain/projection.ts',
    was: 'if (freedom < 1) {',
    becomes: 'if (freedom <= 1) {',
    why: 'No number of days yields exactly one.',
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
    why: 'Luxon refuses trailing text.',
  },
  {
    file: 'domain/round-robin.ts',
    was: 'for (let nth = 0; nth < longest; nth++) {',
    becomes: 'for (let nth = 0; nth <= longest; nth++) {',
    why: 'No list has an element at that index.',
  },
  {
    file: 'domain/order-file.ts',
    was: "const [, units, fraction = ''] = /^(\\d{1,7})(?:[.,](\\d{1,2}))?$/.exec(text) ?? [];",
    becomes:
      'const [, units, fraction = \'\'] = /^(\\d{1,7})(?:[.,](\\d{1,2}))?$/.exec(text) ?? ["Stryker was here"];',
    why: 'The inserted value is never read.',
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
    why: 'A sum of zero stays zero with every sign inverted.',
  },
  {
    file: 'domain/postings.ts',
    was: '...(accounts.points && customer !== undefined',
    becomes: '...(accounts.points || customer !== undefined',
    why: 'Either both exist or neither does; the type checker requires both.',
  },
  {
    file: 'domain/postings.ts',
    was: '...(accounts.points && customer !== undefined',
    becomes: '...(accounts.points && true',
    why: 'Either both exist or neither does; the type checker requires both.',
  },
  {
    file: 'domain/postings.ts',
    was: 'customer === undefined ? [payable] : [payable, customer],',
    becomes: 'false ? [payable] : [payable, customer],',
    why: 'An undefined account is skipped; the type checker refuses it.',
  },
  {
    file: 'clients/typescript/signature.ts',
    was: 'for (let index = 0; index < Math.max(secrets.length, leastDigests); index += 1) {',
    becomes: 'for (let index = 0; index <= Math.max(secrets.length, leastDigests); index += 1) {',
    why: 'One more digest, with a secret that nobody has.',
  },
  {
    file: 'clients/typescript/signature.ts',
    was: 'if (equal && wellFormed && secret !== undefined && found === -1) found = index;',
    becomes: 'if (equal && wellFormed && true && found === -1) found = index;',
    why: 'The placeholder for a missing secret is random in each process, so nobody can sign with it.',
  },
  {
    file: 'models/ledger/chain.ts',
    was: 'if (race > 0) await delay(Math.random() * 5 * race);',
    becomes: 'if (race >= 0) await delay(Math.random() * 5 * race);',
    why: 'The first round does not wait.',
  },
  {
    file: 'activities/webhooks.ts',
    was: 'let health: EndpointHealth = { failingSince: null, isDisabled: false };',
    becomes: 'let health: EndpointHealth = {};',
    why: 'The first round reads the endpoint and replaces it.',
  },
  {
    file: 'activities/wallet.ts',
    was: 'const found = await models.rewards .find({ partnerId, _id: { $in: rewardIds } }) .sort({ _id: 1 })',
    becomes: 'const found = await models.rewards.find({ partnerId, _id: { $in: rewardIds } })',
    why: 'The index that finds them has the same order.',
  },
  {
    file: 'activities/carry-out.ts',
    was: "if (reward.mode === 'LIVE' && wasFunded) await usage.giveBack(reward, at);",
    becomes: 'if (true) await usage.giveBack(reward, at);',
    why: nothingCounted,
  },
  {
    file: 'activities/carry-out.ts',
    was: "if (reward.mode === 'LIVE' && wasFunded) await usage.giveBack(reward, at);",
    becomes: "if (reward.mode === 'LIVE' || wasFunded) await usage.giveBack(reward, at);",
    why: nothingCounted,
  },
  {
    file: 'activities/carry-out.ts',
    was: "if (reward.mode === 'LIVE' && wasFunded) await usage.giveBack(reward, at);",
    becomes: 'if (true && wasFunded) await usage.giveBack(reward, at);',
    why: nothingCounted,
  },
  {
    file: 'activities/carry-out.ts',
    was: ": reward.mode === 'LIVE' || (await reservationOf(ledger, reward)) !== null;",
    becomes: ': false || (await reservationOf(ledger, reward)) !== null;',
    why: isReservedAnyway,
  },
  {
    file: 'activities/carry-out.ts',
    was: "if (move === 'RUN_SHORT') return;",
    becomes: 'if (false) return;',
    why: 'Running short has no effect, which ends it a few lines later; the type checker requires the condition.',
  },
  {
    file: 'activities/carry-out.ts',
    was: 'if (at !== undefined) reward = await expireReward(models, reward, new Date(at));',
    becomes: 'if (true) reward = await expireReward(models, reward, new Date(at));',
    why: 'Without a time, no claim window is over; the type checker refuses it.',
  },
  {
    file: 'activities/account-in-order.ts',
    was: "move: reservations[place]?.isFunded ? 'FUND' : 'RUN_SHORT',",
    becomes: "move: reservations[place].isFunded ? 'FUND' : 'RUN_SHORT',",
    why: hasOneEach,
  },
  {
    file: 'activities/account-in-order.ts',
    was: 'const entry = reservations[place]?.entry ?? null;',
    becomes: 'const entry = reservations[place].entry ?? null;',
    why: hasOneEach,
  },
  {
    file: 'activities/wallet.ts',
    was: 'const funded = waiting.filter((_, place) => reservations[place]?.isFunded);',
    becomes: 'const funded = waiting.filter((_, place) => reservations[place].isFunded);',
    why: hasOneEach,
  },
  {
    file: 'activities/wallet.ts',
    was: 'const notFunded = waiting.filter((_, place) => !reservations[place]?.isFunded);',
    becomes: 'const notFunded = waiting.filter((_, place) => !reservations[place].isFunded);',
    why: hasOneEach,
  },
  {
    file: 'activities/reviews.ts',
    was: 'if (attempt > 1) {',
    becomes: 'if (true) {',
    why: 'The first attempt is the first round either way.',
  },
  {
    file: 'activities/reviews.ts',
    was: 'if (attempt > 1) {',
    becomes: 'if (attempt >= 1) {',
    why: 'The first attempt is the first round either way.',
  },
];

/** @returns the reason that a mutant may survive; undefined without one */
export function explanationOf({ file, was, becomes }: Mutant): string | undefined {
  return explained.find((one) => one.file === file && one.was === was && one.becomes === becomes)
    ?.why;
}
