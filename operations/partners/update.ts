import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { clearedFields } from '../../domain/go-live.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { type PartnerFields, partnerFields, requireNoLink } from './fields.ts';

/** The fields that a partner's owner can change. */
const ownFields = new Set<string>([
  'name',
  'legalName',
  'billingAddress',
  'taxId',
  'website',
  'country',
  'currency',
  'contactEmail',
  'supportEmail',
  'lowBalanceThresholdCents',
] satisfies (keyof PartnerFields)[]);

/**
 * Changes the given fields. The currency can no longer change once a LIVE rule, a ledger entry or a
 * subscription uses it.
 */
export const updatePartner = sensitiveOperation({
  name: 'partner.update',
  permission: { operator: 'partner.update', user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string } & Partial<PartnerFields>>({
    partnerId: idField,
    ...partnerFields,
  }).min(2),
  async find({ models }, { partnerId, ...changes }, actor) {
    if (actor.kind === 'user' && Object.keys(changes).some((name) => !ownFields.has(name))) {
      throw new ServiceError('FORBIDDEN', 'A partner can change only its own profile.');
    }
    const partner = await findPartner(models, partnerId);
    // Older names are checked only when they are changed.
    if (changes.name !== undefined && changes.name !== partner.name) requireNoLink(changes.name);
    const reviewed = actor.kind === 'user' ? reviewedAmong(partner, changes) : [];
    if (partner.goLive.state === 'LIVE' && reviewed.length > 0) throw wasReviewed(reviewed);
    return partner;
  },
  approval: {
    // The changes, and the previous values.
    facts: (_deps, { partnerId, ...changes }, before) => ({
      partnerId,
      partner: before.name,
      changes,
      before: Object.fromEntries(
        Object.keys(changes).map((name) => [name, before[name as keyof PartnerFields] ?? null]),
      ),
    }),
    // The limits of the cost of points are part of the contract.
    needed: ({ changes, before }: Record<'changes' | 'before', Partial<PartnerFields>>) =>
      (['maxPointMicros', 'maxRewardCents'] as const).some(
        (name) => changes[name] !== undefined && changes[name] !== before[name],
      ),
  },
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  /**
   * @throws ServiceError CONFLICT for a currency in use, and if a LIVE partner's profile would no longer
   *   meet the conditions of go-live; FORBIDDEN for a LIVE partner's own users for reviewed fields
   */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { partnerId, ...changes },
    { found: before, actor },
  ): Promise<PartnerDoc> {
    if (changes.currency !== undefined) {
      await requireFreeCurrency({ models, nowMs: now() }, before, changes.currency);
    }
    const emptied = clearedFields('LIVE', changes);
    const reviewed = actor.kind === 'user' ? reviewedAmong(before, changes) : [];
    const isOtherCurrency = changes.currency !== undefined && changes.currency !== before.currency;
    const { matchedCount } = await models.partners.updateOne(
      {
        _id: partnerId,
        // It may go live between the read and the write.
        ...((emptied.length > 0 || reviewed.length > 0) && {
          'goLive.state': { $ne: 'LIVE' as const },
        }),
        ...(isOtherCurrency && { isCurrencyFixed: { $ne: true } }),
      },
      { $set: changes },
    );
    const partner = await findPartner(models, partnerId);
    if (matchedCount > 0) return partner;
    if (isOtherCurrency && partner.isCurrencyFixed) throw currencyIsUsed(before);
    if (emptied.length === 0) throw wasReviewed(reviewed);
    throw new ServiceError(
      'CONFLICT',
      `The profile of a LIVE partner must stay complete: ${emptied.join(', ')} cannot be empty.`,
    );
  },
});

/** Fields that were reviewed for go-live and that customers see: once LIVE, only operators change them. */
export const reviewedFields = ['name', 'legalName', 'website', 'supportEmail'] as const;

const reviewedAmong = (partner: PartnerDoc, changes: Partial<PartnerFields>) =>
  reviewedFields.filter((name) => changes[name] !== undefined && changes[name] !== partner[name]);

const wasReviewed = (changed: readonly string[]): ServiceError =>
  new ServiceError(
    'FORBIDDEN',
    `You are LIVE: ${changed.join(', ')} was reviewed, and only an operator can change it. Contact us.`,
  );

async function requireFreeCurrency(
  { models, nowMs }: { models: Models; nowMs: number },
  partner: PartnerDoc,
  currency: string,
): Promise<void> {
  const { _id: partnerId } = partner;
  if (currency === partner.currency) return;
  const inUse = await Promise.all([
    models.earningRules.exists({ partnerId, mode: 'LIVE' }),
    models.ledger.exists({ partnerId }),
    models.subscriptions.exists({ partnerId }),
  ]);
  if (inUse.some((one) => one !== null)) throw currencyIsUsed(partner);
  const open = { partnerId, status: 'PROPOSED' as const, expiresAt: { $gt: new Date(nowMs) } };
  if (!(await models.proposals.exists(open))) return;
  throw new ServiceError(
    'CONFLICT',
    'The currency cannot change while a proposal is open. Try again once it is decided.',
  );
}

const currencyIsUsed = ({ currency }: PartnerDoc): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `A LIVE rule, funds or a subscription use ${currency}, so the currency cannot change.`,
  );
