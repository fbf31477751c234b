import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { emptiedByChange } from '../../domain/go-live.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type PartnerFields, partnerFields } from './fields.ts';

/** What a partner's own owner changes. */
const ownFields = new Set<string>([
  'name',
  'legalName',
  'website',
  'country',
  'currency',
  'contactEmail',
  'supportEmail',
  'lowBalanceThresholdCents',
] satisfies (keyof PartnerFields)[]);

/**
 * Changes what is named and leaves the rest. The currency stays once a LIVE rule, a ledger entry
 * or a subscription is written in it.
 */
export const updatePartner = operation({
  name: 'partner.update',
  permission: { operator: 'partner.update', user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string } & Partial<PartnerFields>>({
    partnerId: idField,
    ...partnerFields,
  }).min(2),
  approval: 'NONE',
  async find({ models }, { partnerId, ...changes }, actor) {
    if (actor.kind === 'user' && Object.keys(changes).some((name) => !ownFields.has(name))) {
      throw new ServiceError('FORBIDDEN', 'A partner changes its own profile alone.');
    }
    return await findPartner(models, partnerId);
  },
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  /**
   * @throws ServiceError CONFLICT for a currency that is in use, and where a LIVE partner's profile would
   *   no longer say what go-live asks for
   */
  async run(
    { models }: Pick<OperationDeps, 'models'>,
    { partnerId, ...changes },
    { found: before },
  ): Promise<PartnerDoc> {
    if (changes.currency !== undefined) await requireFreeCurrency(models, before, changes.currency);
    const emptied = emptiedByChange('LIVE', changes);
    const { matchedCount } = await models.partners.updateOne(
      { _id: partnerId, ...(emptied.length > 0 && { 'goLive.state': { $ne: 'LIVE' as const } }) },
      { $set: changes },
    );
    const partner = await findPartner(models, partnerId);
    if (matchedCount > 0) return partner;
    throw new ServiceError(
      'CONFLICT',
      `The profile of a LIVE partner must stay complete: ${emptied.join(', ')} cannot be empty.`,
    );
  },
});

async function requireFreeCurrency(
  models: Models,
  { _id: partnerId, currency: before }: PartnerDoc,
  currency: string,
): Promise<void> {
  if (currency === before) return;
  const inUse = await Promise.all([
    models.earningRules.exists({ partnerId, mode: 'LIVE' }),
    models.ledger.exists({ partnerId }),
    models.subscriptions.exists({ partnerId }),
  ]);
  if (inUse.every((one) => one === null)) return;
  throw new ServiceError(
    'CONFLICT',
    `A LIVE rule, funds or a subscription use ${before}, so the currency cannot change.`,
  );
}
