const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Largest first; a unit is used from twice its length, so that 36 hours are not shown as 1 day. */
const units = [
  ['year', 365 * dayMs],
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;
/**
 * The time until something, rounded down: `in 12 days`.
 * @param leftMs positive
 * @param language a BCP 47 tag
 * @param soon shown for less than a minute
 */
export function timeLeft(leftMs: number, language: string, soon: string): string {
  const [unit, unitMs] = units.find(([, one]) => leftMs >= 2 * one) ?? ['minute', minuteMs];
  const left = Math.floor(leftMs / unitMs);
  return left === 0 ? soon : new Intl.RelativeTimeFormat(language).format(left, unit);
}
