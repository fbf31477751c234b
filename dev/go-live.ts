import { approveGoLive } from '../models/commands/approve-go-live.ts';
import type { PartnerFields } from '../models/commands/create-partner.ts';
import type { GoLiveDeps } from '../models/commands/move-go-live.ts';
import { requestGoLive } from '../models/commands/request-go-live.ts';

/** A complete profile, of a shop that does not exist. */
export function profileOf(name: string) {
  const domain = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.example`;
  return {
    name,
    legalName: `${name} Ltd`,
    website: `https://${domain}`,
    contactEmail: `owner@${domain}`,
    supportEmail: `help@${domain}`,
  } satisfies Partial<PartnerFields>;
}

/**
 * Makes a partner live as every other becomes it: what it has sent in TEST is the evidence.
 * @param reviewerId who approves
 * @throws ServiceError CONFLICT naming what is missing
 */
export async function goLive(
  deps: GoLiveDeps,
  partnerId: string,
  reviewerId: string,
): Promise<void> {
  await requestGoLive(deps, partnerId);
  await approveGoLive(deps, partnerId, { reviewerId });
}
