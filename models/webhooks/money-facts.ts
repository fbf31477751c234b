import type { WebhookFact } from '../../domain/webhooks.ts';
import type { Metered } from '../billing/index.ts';
import type { Crossing } from '../ledger/index.ts';

/** Reservations that took the LIVE funding below the partner's threshold. */
export function lowFundingFacts(crossings: readonly Crossing[]): WebhookFact[] {
  return crossings.map(({ entry, lowBalanceCents, thresholdCents }) => ({
    ...{ type: 'funding.low', partnerId: entry.partnerId, mode: 'LIVE', at: entry.at },
    ...{ fact: entry._id, rewardId: null, sequence: null },
    data: { balanceCents: lowBalanceCents, thresholdCents },
  }));
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
