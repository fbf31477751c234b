import type { PartnerDoc } from '../partner.ts';
import type { PartnerFields } from './create-partner.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner } from './find.ts';

/**
 * Changes what is named and leaves the rest.
 * @throws ServiceError NOT_FOUND
 */
export async function updatePartner(
  { models }: Pick<CommandDeps, 'models'>,
  partnerId: string,
  changes: Partial<PartnerFields>,
): Promise<PartnerDoc> {
  await models.partners.updateOne({ _id: partnerId }, { $set: changes });
  return await findPartner(models, partnerId);
}
