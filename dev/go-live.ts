import { system } from '../operations/actor.ts';
import { execute } from '../operations/execute.ts';
import { approveGoLive } from '../operations/go-live/approve.ts';
import type { GoLiveDeps } from '../operations/go-live/move.ts';
import { requestGoLive } from '../operations/go-live/request.ts';
import type { PartnerFields } from '../operations/partners/fields.ts';

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
 * @throws ServiceError CONFLICT naming what is missing
 */
export async function goLive(deps: GoLiveDeps, partnerId: string): Promise<void> {
  await execute(deps, requestGoLive, system('seed'), { partnerId });
  await execute(deps, approveGoLive, system('seed'), { partnerId });
}
