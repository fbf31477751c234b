import { profileOf } from '../../../dev/go-live.ts';
import { requestGoLive } from '../../../operations/go-live.ts';
import { topUpAsOperator } from '../../helpers/ledger-operations.ts';
import { operate } from '../../helpers/operate.ts';
import { aPurchase } from '../../helpers/partner-backend.ts';
import { activateRule, type Service } from '../../helpers/service.ts';

export const sandbox = {
  state: 'SANDBOX',
  requestedAt: null,
  reviewerId: null,
  decidedAt: null,
  reason: null,
} as const;

/** A partner that has requested go-live and meets every requirement, with the ids of the evidence. */
export async function partnerInReview(service: Service, name: string) {
  const { models } = service;
  const shop = await service.partner({ partner: { ...profileOf(name), goLive: sandbox } });
  const { partnerId } = shop;
  const ruleId = await activateRule(models, { partnerId, mode: 'LIVE' });
  await topUpAsOperator(service, { mode: 'LIVE', partnerId }, 12_345);
  const purchase = aPurchase();
  const bought = await shop.purchase(purchase);
  const refund = await shop.refund({ externalOrderId: purchase.externalOrderId });
  await operate({ ...service, now: Date.now }, requestGoLive, { partnerId });
  const evidence: string[] = [
    ...[ruleId, shop.integrationId, bought.body.eventId, refund.body.eventId],
  ];
  return { partnerId, path: `/admin/partners/${partnerId}/go-live`, evidence };
}
