/** The number of days, including today, over which spending is averaged. */
export const runwayWindowDays = 14;

/**
 * How many whole days the funding lasts at the average spending of the last days.
 * @param fundingCents not reserved
 * @param dailyCents what the rewards of each day cost, today last
 * @returns null if nothing was spent
 */
export function runwayDays(fundingCents: number, dailyCents: readonly number[]): number | null {
  const spentCents = dailyCents.reduce((total, amount) => total + amount, 0);
  if (spentCents <= 0) return null;
  return Number((BigInt(fundingCents) * BigInt(dailyCents.length)) / BigInt(spentCents));
}
