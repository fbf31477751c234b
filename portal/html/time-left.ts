const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** From the largest; each is used from twice its length on, so that `36 hours` is not `1 day`. */
const units = [
  ['year', 365 * dayMs],
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;
/**
 * How long until something, rounded down: `in 12 days`.
 * @param leftMs more than nothing
 * @param language as browsers call it
 * @param soon what is said of less than a minute
 */
export function timeLeft(leftMs: number, language: string, soon: string): string {
  const [unit, unitMs] = units.find(([, one]) => leftMs >= 2 * one) ?? ['minute', minuteMs];
  const left = Math.floor(leftMs / unitMs);
  return left === 0 ? soon : new Intl.RelativeTimeFormat(language).format(left, unit);
}
