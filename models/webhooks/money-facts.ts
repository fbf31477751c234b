import type { WebhookFact } from '../../domain/webhooks.ts';
import { type Metered, readRunway, type Usage } from '../billing/index.ts';
import type { Crossing } from '../ledger/index.ts';

/**
 * Facts about ledger entries that took the LIVE funding below the partner's threshold, or back above it,
 * with how long the remaining funds last.
 */
export async function fundingFacts(
  usage: Usage,
  type: 'funding.low' | 'funding.recovered',
  crossings: readonly Crossing[],
): Promise<WebhookFact[]> {
  return await Promise.all(
    crossings.map(async ({ entry, balanceCents, thresholdCents }) => {
      const { _id: fact, partnerId, at } = entry;
      const runwayDays = await readRunway(usage, partnerId, balanceCents, at.toISOString());
      return {
        type,
        partnerId,
        mode: 'LIVE' as const,
        at,
        fact,
        rewardId: null,
        sequence: null,
        data: { balanceCents, thresholdCents, runwayDays },
      };
    }),
  );
}

/** Percentages of the plan's included points at which the partner is notified. */
const thresholds = [80, 100] as const;

/**
 * Facts about the thresholds that one reward's points took the period's usage across.
 * @param at ISO 8601, when the reward was funded
 */
export function usageFacts(
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
  metered: Metered | null,
  at: string,
): WebhookFact[] {
  if (metered === null) return [];
  const { beforePoints, afterPoints, includedPoints, subscriptionId, periodStart } = metered;
  return thresholds
    .filter((percent) => {
      const limit = includedPoints * percent;
      return includedPoints > 0 && beforePoints * 100 < limit && afterPoints * 100 >= limit;
    })
    .map((percent) => ({
      type: 'usage.threshold',
      partnerId,
      mode: 'LIVE',
      at: new Date(at),
      fact: `${rewardId} ${percent}`,
      rewardId: null,
      sequence: null,
      data: { percent, usedPoints: afterPoints, includedPoints, subscriptionId, periodStart },
    }));
}
