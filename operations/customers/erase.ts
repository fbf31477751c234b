import Joi from 'joi';
import { modes } from '../../domain/mode.ts';
import { findCustomer } from '../../models/ledger/index.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, referenceField } from '../fields.ts';
import { always, sensitiveOperation } from '../operation.ts';
import { eraseUpTo } from './erase-up-to.ts';

/** The log message of an erasure, by which `npm run erase-again` finds it. */
export const erasedLine = 'customer erased';

/** Erases a customer, once per reference (docs/privacy.md). */
export const eraseCustomer = sensitiveOperation({
  name: 'customer.erase',
  permission: { operator: 'customer.erase', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ customerId: string; reference: string }>({
    customerId: idField,
    reference: referenceField.required(),
  }),
  find: ({ models }, { customerId }) => findCustomer(models, customerId, modes),
  approval: {
    facts: (_deps, { customerId, reference }, { partnerId }) => ({
      partnerId,
      customerId,
      reference,
    }),
    needed: always,
  },
  audit: ({ customerId, reference }, { partnerId }) => ({
    targetId: customerId,
    partnerId,
    details: { reference },
    once: 'BY_REFERENCE',
  }),

  /** @returns the erasure, and whether this call made it */
  async run(deps: Pick<OperationDeps, 'models' | 'now' | 'log'>, { reference }, { found }) {
    const outcome = await eraseUpTo(deps, { ...found, reference }, new Date(deps.now()));
    // After a restore of an older backup, the erasure is repeated from this line.
    deps.log.info({ ...found, reference, erasedAt: outcome.erasure.erasedAt }, erasedLine);
    return outcome;
  },
});
