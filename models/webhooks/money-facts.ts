import type { WebhookFact } from '../../domain/webhooks.ts';
import { type Metered, readRunway, type Usage } from '../billing/index.ts';
import type { Crossing } from '../ledger/index.ts';

/**
 * Entries that took the LIVE funding below the partner's threshold, or back above it, with how long what
 * they left lasts.
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
        ...{ type, partnerId, mode: 'LIVE' as const, at, fact, rewardId: null, sequence: null },
        data: { balanceCents, thresholdCents, runwayDays },
      };
    }),
  );
}

/** Shares of the plan's allowance that are told, in percent. */
const thresholds = [80, 100] as const;

/**
 * The thresholds that one reward's points took a period's usage to.
 * @param at ISO 8601, when it was funded
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
      const mark = includedPoints * percent;
      return includedPoints > 0 && beforePoints * 100 < mark && afterPoints * 100 >= mark;
    })
    .map((percent) => ({
      ...{ type: 'usage.threshold', partnerId, mode: 'LIVE', at: new Date(at) },
      ...{ fact: `${rewardId} ${percent}`, rewardId: null, sequence: null },
      data: { percent, usedPoints: afterPoints, includedPoints, subscriptionId, periodStart },
    }));
}
