import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { always, sensitiveOperation } from '../operation.ts';
import { type Deposit, type DepositDeps, depositAndFund, depositFields } from './deposit.ts';

/** Puts money into a partner's LIVE funds, once per reference (docs/domain.md, Accounting). */
export const topUp = sensitiveOperation({
  name: 'partner.top-up',
  permission: { operator: 'partner.top-up', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Deposit & { partnerId: string }>({ partnerId: idField, ...depositFields }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: {
    facts: (_deps, { partnerId, amountCents, externalReference }, { currency }) => ({
      ...{ partnerId, amountCents, externalReference, currency },
    }),
    needed: always,
  },
  audit: ({ partnerId, amountCents, externalReference: reference }) => ({
    ...{ targetId: partnerId, partnerId },
    details: { reference, amountCents },
    once: 'BY_REFERENCE',
  }),

  /** @throws ServiceError CONFLICT when the reference stands for another amount */
  run: (deps: DepositDeps, { partnerId, ...money }) =>
    depositAndFund(deps, { mode: 'LIVE', partnerId }, money),
});
