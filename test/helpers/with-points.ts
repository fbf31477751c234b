import { scopes } from '../../domain/partners.ts';
import type { PartnerBackend } from './partner-backend.ts';
import { claimedReward } from './refunded.ts';
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
  await claimedReward(service, partner, { order: { subtotalCents: 10_000 } });
  return partner;
}
