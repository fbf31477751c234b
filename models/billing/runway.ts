import type { ClientSession } from 'mongoose';
import { runwayDays, runwayWindowDays } from '../../domain/usage.ts';
import type { Models } from '../schemas/index.ts';
import { usageOfLastDays } from './usage.ts';

/**
 * How many whole days a partner's LIVE funding lasts (docs/concepts/billing.md, The runway).
 * @param fundingCents not reserved
 * @param at ISO 8601
 * @param session of a commit whose own use counts
 * @returns null if nothing was spent
 */
export async function readRunway(
  models: Models,
  partnerId: string,
  fundingCents: number,
  at: string,
  session?: ClientSession,
): Promise<number | null> {
  const days = await usageOfLastDays(models, partnerId, at, runwayWindowDays, session);
  return runwayDays(
    fundingCents,
    days.map(({ cents }) => cents),
  );
}
