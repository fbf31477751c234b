import Joi from 'joi';
import type { AuditDeps } from '../deps.ts';
import { idField, referenceField } from '../fields.ts';
import { operation } from '../operation.ts';
import { eraseUpTo } from './erase-up-to.ts';

/** Repeats an erasure that a restored backup does not contain; only for the command. */
export const eraseAgain = operation({
  name: 'customer.erase',
  permission: { operator: null, user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Record<'partnerId' | 'customerId' | 'reference', string> & { erasedAt: Date }>({
    partnerId: idField,
    customerId: idField,
    reference: referenceField.required(),
    erasedAt: Joi.date().required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, customerId: targetId, reference }) => ({
    targetId,
    partnerId,
    details: { reference },
    once: 'BY_REFERENCE',
  }),

  run: (deps: AuditDeps, { erasedAt, ...erasure }) => eraseUpTo(deps, erasure, erasedAt),
});
