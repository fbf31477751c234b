import { provenAs } from '../../domain/customer.ts';
import { ServiceError } from '../../domain/errors.ts';
import { modeOfPartner } from '../../domain/go-live.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findPartner(models: Models, partnerId: string): Promise<PartnerDoc> {
  return requireFound(await models.partners.findById(partnerId), 'partner', partnerId);
}

/** A partner with the mode that it can be hurt in. @throws ServiceError NOT_FOUND */
export async function findPartnerInMode(
  models: Models,
  partnerId: string,
): Promise<PartnerDoc & { mode?: Mode }> {
  const partner = await findPartner(models, partnerId);
  return { ...partner, mode: modeOfPartner(partner) };
}

/** @throws ServiceError CONFLICT for a currency other than that of the partner's funds */
export function requireCurrency(
  partner: Pick<PartnerDoc, '_id' | 'currency'>,
  currency: string,
): void {
  if (partner.currency === currency) return;
  throw new ServiceError(
    'CONFLICT',
    `The LIVE funds of ${partner._id} are in ${partner.currency}, not in ${currency}.`,
  );
}

/**
 * Fixes a partner's currency permanently, before the first amount in it is stored. Of this and a
 * concurrent change of currency, only one succeeds.
 * @throws ServiceError CONFLICT for a currency other than the partner's
 */
export async function fixCurrency(
  models: Models,
  partnerId: string,
  currency: string,
): Promise<void> {
  const { matchedCount } = await models.partners.updateOne(
    { _id: partnerId, currency },
    { $set: { isCurrencyFixed: true } },
  );
  if (matchedCount === 0) requireCurrency(await findPartner(models, partnerId), currency);
}

/**
 * Customers of a suspended partner can neither claim nor spend.
 * @throws ServiceError PARTNER_SUSPENDED
 */
export async function requireNotSuspended(models: Models, partnerId: string): Promise<void> {
  if (!(await models.partners.exists({ _id: partnerId, status: 'SUSPENDED' }))) return;
  throw new ServiceError(
    'PARTNER_SUSPENDED',
    'The partner is suspended: its rewards can be neither claimed nor redeemed until it is active again.',
  );
}

/**
 * Verifies the addresses of a profile that belong to somebody in the team, who joined by a link that was sent there.
 */
export async function verifyTeamAddresses(models: Models, partnerId: string): Promise<void> {
  const partner = await findPartner(models, partnerId);
  for (const address of ['contactEmail', 'supportEmail'] as const) {
    const { verified } = provenAs[address];
    const email = partner[address];
    if (email === null || partner[verified] === email) continue;
    const whose = { partnerId, email: email.toLowerCase(), disabledAt: null };
    if ((await models.users.exists(whose)) === null) continue;
    const shown = { _id: partnerId, [address]: email };
    await models.partners.updateOne(shown, { $set: { [verified]: email } });
  }
}
