import { scopes } from '../../domain/partners.ts';
import { claimTokenOf } from './claim-token.ts';
import { eventually } from './eventually.ts';
import { aPurchase, type PartnerBackend } from './partner-backend.ts';
import type { PartnerOverrides, Service } from './service.ts';

/** A partner whose customer, the one of `aPurchase`, has claimed 1,000 points worth 10.00. */
export async function withPoints(
  service: Service,
  overrides: PartnerOverrides = {},
): Promise<PartnerBackend> {
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 5_000,
    scopes: [...scopes],
    ...overrides,
  });
  const { body } = await partner.purchase(aPurchase({ order: { subtotalCents: 10_000 } }));
  const token = await claimTokenOf(service, body.eventId);
  const isFunded = async () =>
    (await service.models.rewards.findById(body.reward.id))?.state === 'FUNDED';
  await eventually(isFunded, 'the reward is funded');
  const { status, text } = await service.claim(token);
  if (status !== 200) throw new Error(text);
  return partner;
}
