import { system } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import { approveGoLive, type GoLiveDeps, requestGoLive } from '../operations/go-live.ts';
import type { PartnerFields } from '../operations/partners.ts';

/** A complete profile of a fictitious shop. */
export function profileOf(name: string) {
  const domain = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.example`;
  return {
    name,
    legalName: `${name} Ltd`,
    country: 'US',
    website: `https://${domain}`,
    contactEmail: `owner@${domain}`,
    supportEmail: `help@${domain}`,
    timeZone: 'America/New_York',
  } satisfies Partial<PartnerFields>;
}

/**
 * Takes a partner live like any other, with its TEST events as evidence.
 * @throws ServiceError CONFLICT naming the missing items
 */
export async function goLive(deps: GoLiveDeps, partnerId: string): Promise<void> {
  await execute(deps, requestGoLive, system('seed'), { partnerId });
  await execute(deps, approveGoLive, system('seed'), { partnerId });
}
