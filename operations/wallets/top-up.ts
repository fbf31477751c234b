import Joi from 'joi';
import { findPartner, fixCurrency, requireCurrency } from '../../models/identity/partners.ts';
import { currencyCode, idField } from '../fields.ts';
import { always, sensitiveOperation } from '../operation.ts';
import { type TopUpDeps, type TopUpMoney, topUpFields, topUpWallet } from './top-up-wallet.ts';

interface TopUp extends TopUpMoney {
  partnerId: string;
  /** The currency on the bank's statement, which must be the partner's. */
  currency: string;
}

/** Tops up a partner's LIVE funds, once per reference (docs/domain.md, Accounting). */
export const topUp = sensitiveOperation({
  name: 'partner.top-up',
  permission: { operator: 'partner.top-up', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<TopUp>({
    partnerId: idField,
    ...topUpFields,
    currency: currencyCode.required(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: {
    facts: (_deps, { partnerId, amountCents, externalReference, currency }, partner) => {
      requireCurrency(partner, currency);
      return { partnerId, partner: partner.name, amountCents, currency, externalReference };
    },
    needed: always,
  },
  audit: ({ partnerId, amountCents, currency, externalReference: reference }) => ({
    targetId: partnerId,
    partnerId,
    details: { reference, amountCents, currency },
    once: 'BY_REFERENCE',
  }),

  /**
   * @throws ServiceError CONFLICT if the partner's funds are in another currency, or the reference belongs
   *   to another amount
   */
  async run(deps: TopUpDeps, { partnerId, currency, ...money }) {
    // From now on the currency cannot change, because the amounts depend on it.
    await fixCurrency(deps.models, partnerId, currency);
    return await topUpWallet(deps, { mode: 'LIVE', partnerId }, money);
  },
});
