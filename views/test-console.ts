import { findActiveRules } from '../models/rewards/rules.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** How many of the newest TEST events are searched for an order to refund. */
const newest = 50;

/**
 * Default values for the forms of the test console.
 * @param currency the partner's
 * @returns `currency`: the partner's, unless no active TEST rule has it but another one;
 *   `lastOrder`: the newest TEST purchase without a refund, or else the newest; null without any
 */
export async function readConsoleStart(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  currency: string,
): Promise<{ currency: string; lastOrder: string | null }> {
  const [rules, events] = await Promise.all([
    findActiveRules(models, partnerId, 'TEST'),
    models.orderEvents
      .find({ partnerId, mode: 'TEST' }, { type: 1, externalOrderId: 1 })
      .sort({ _id: -1 })
      .limit(newest),
  ]);
  const currencies = rules.map((rule) => rule.currency);
  const orders = (type: 'PURCHASE' | 'REFUND') =>
    events.filter((one) => one.type === type).map(({ externalOrderId }) => externalOrderId);
  const [refunded, purchased] = [orders('REFUND'), orders('PURCHASE')];
  return {
    currency: currencies.includes(currency) ? currency : (currencies[0] ?? currency),
    lastOrder: purchased.find((order) => !refunded.includes(order)) ?? purchased[0] ?? null,
  };
}
