import Joi from 'joi';
import { liveAccounts } from '../../domain/accounts.ts';
import { ServiceError } from '../../domain/errors.ts';
import { redeem as redemptionPostings } from '../../domain/postings.ts';
import { requireNotSuspended } from '../../models/identity/partners.ts';
import { findCustomer, references } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entry.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, referenceField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';

export interface Redemption {
  customerId: string;
  /** At least 1. */
  points: number;
  /** Names the redemption, once per partner. */
  reference: string;
}

/**
 * A customer spends points: their share of what is owed to the customer is redeemed (docs/domain.md,
 * Accounting). Once per reference.
 */
export const redeem = sensitiveOperation({
  name: 'customer.redeem',
  permission: { operator: 'customer.redeem', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Redemption>({
    customerId: idField,
    points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
    reference: referenceField.required(),
  }),
  find: ({ models }, { customerId }) => findCustomer(models, customerId),
  approval: {
    facts: (_deps, { customerId, points, reference }, { partnerId }) => ({
      ...{ partnerId, customerId, points, reference },
    }),
    needed: ({ points }: { points: number }, { redemptionPoints }) => points > redemptionPoints,
  },
  audit: ({ customerId, points, reference }, { partnerId }) => ({
    ...{ targetId: customerId, partnerId },
    details: { points, reference },
    once: 'BY_REFERENCE',
  }),

  /**
   * @returns the transaction, and whether this call made it
   * @throws ServiceError PARTNER_SUSPENDED; CONFLICT when the customer holds fewer points, or the reference
   *   stands for another redemption
   */
  async run(
    { models, ledger, now }: Pick<OperationDeps, 'models' | 'ledger' | 'now'>,
    { customerId, points, reference },
    { found: { partnerId } },
  ): Promise<{ entry: EntryDoc; isNew: boolean }> {
    await requireNotSuspended(models, partnerId);
    const { payable, redeemed, points: pointsAccounts } = liveAccounts;
    const customer = pointsAccounts.customer(customerId);
    const outcome = await ledger.live.append<{ heldPoints: number }>({
      partnerId,
      reference: references.redemption(reference),
      rewardId: null,
      at: new Date(now()),
      accounts: [customer, payable(customerId), redeemed, pointsAccounts.redeemed],
      decide(balanceOf) {
        const heldPoints = balanceOf(customer);
        if (heldPoints < points) return { refused: { heldPoints } };
        return { kind: 'REDEEM', postings: redemptionPostings(customerId, points, balanceOf) };
      },
    });
    if ('refused' in outcome) {
      const { heldPoints } = outcome.refused;
      throw new ServiceError('CONFLICT', `The customer holds ${heldPoints} points, not ${points}.`);
    }
    const { entry, isNew } = outcome;
    if (entry === null) throw new Error('a redemption moves points');
    const spent = entry.postings.find(({ account }) => account === customer)?.amount;
    if (spent === -points) return { entry, isNew };
    throw new ServiceError(
      'CONFLICT',
      `${JSON.stringify(reference)} already stands for another redemption (${entry._id}).`,
    );
  },
});
