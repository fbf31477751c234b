/** The units in which a claim window is entered, as parts of an ISO 8601 duration, shortest first. */
const isoParts = {
  SECONDS: ['PT', 'S'],
  MINUTES: ['PT', 'M'],
  HOURS: ['PT', 'H'],
  DAYS: ['P', 'D'],
  WEEKS: ['P', 'W'],
  MONTHS: ['P', 'M'],
  YEARS: ['P', 'Y'],
} as const;

export type ClaimWindowUnit = keyof typeof isoParts;
export const claimWindowUnits = Object.keys(isoParts) as ClaimWindowUnit[];

/** @returns an ISO 8601 duration, such as `P30D` */
export function claimWindowOf(count: number, unit: ClaimWindowUnit): string {
  const [begin, end] = isoParts[unit];
  return `${begin}${count}${end}`;
}

/**
 * The number and unit of a claim window.
 * @param iso an ISO 8601 duration
 * @returns no number for a duration of several parts, such as `P1DT12H`, which has to be entered again
 */
export function claimWindowFields(iso: string): {
  claimWindow: string;
  claimWindowUnit: ClaimWindowUnit;
} {
  const [, count = ''] = /^PT?([1-9]\d*)[A-Z]$/.exec(iso) ?? [];
  const unit = claimWindowUnits.find((one) => claimWindowOf(Number(count), one) === iso);
  return unit === undefined
    ? { claimWindow: '', claimWindowUnit: 'DAYS' }
    : { claimWindow: count, claimWindowUnit: unit };
}
