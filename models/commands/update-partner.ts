import { ServiceError } from '../../domain/errors.ts';
import { emptiedByChange } from '../../domain/go-live.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { PartnerFields } from './create-partner.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner } from './find.ts';

/**
 * Changes what is named and leaves the rest. The currency stays once a LIVE rule, a ledger entry
 * or a subscription is written in it.
 * @throws ServiceError NOT_FOUND; CONFLICT for a currency that is in use, and where a LIVE partner's
 *   profile would no longer say what go-live asks for
 */
export async function updatePartner(
  { models }: Pick<CommandDeps, 'models'>,
  partnerId: string,
  changes: Partial<PartnerFields>,
): Promise<PartnerDoc> {
  if (changes.currency !== undefined)
    await requireFreeCurrency(models, partnerId, changes.currency);
  const emptied = emptiedByChange('LIVE', changes);
  const { matchedCount } = await models.partners.updateOne(
    { _id: partnerId, ...(emptied.length > 0 && { 'goLive.state': { $ne: 'LIVE' as const } }) },
    { $set: changes },
  );
  const partner = await findPartner(models, partnerId);
  if (matchedCount > 0) return partner;
  throw new ServiceError(
    'CONFLICT',
    `Once a partner is LIVE its profile stays complete: ${emptied.join(', ')} cannot be empty.`,
  );
}

async function requireFreeCurrency(
  models: Models,
  partnerId: string,
  currency: string,
): Promise<void> {
  const before = (await findPartner(models, partnerId)).currency;
  if (currency === before) return;
  const inUse = await Promise.all([
    models.earningRules.exists({ partnerId, mode: 'LIVE' }),
    models.ledger.exists({ partnerId }),
    models.subscriptions.exists({ partnerId }),
  ]);
  if (inUse.every((one) => one === null)) return;
  throw new ServiceError(
    'CONFLICT',
    `A LIVE rule, funds or a subscription are in ${before}; that cannot change.`,
  );
}
