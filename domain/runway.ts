/** How many days the current rate is read from, today among them. */
export const runwayWindowDays = 14;

/**
 * How many whole days the funding lasts at the rate of the last days.
 * @param fundingCents free to be reserved
 * @param dailyCents what the rewards of each of the last days cost, today last
 * @returns null where nothing is being spent
 */
export function runwayDays(fundingCents: number, dailyCents: readonly number[]): number | null {
  const spentCents = dailyCents.reduce((total, amount) => total + amount, 0);
  if (spentCents <= 0) return null;
  return Number((BigInt(fundingCents) * BigInt(dailyCents.length)) / BigInt(spentCents));
}
