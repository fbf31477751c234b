import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { rehearsalLimits } from '../domain/rehearsal.ts';
import { findCredential } from '../models/identity/credentials.ts';
import { endRehearsal, findRehearsal, startRehearsal } from '../models/rehearsals.ts';
import { requireFound } from '../models/store/require-found.ts';
import { newToken } from '../platform/hashing.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

const common = {
  permission: { operator: null, user: 'test-event.send' },
  secondFactor: 'NEVER',
  approval: 'NONE',
} as const;

/** Makes TEST hard for a key, for some minutes. @throws ServiceError CONFLICT for a LIVE key */
export const beginRehearsal = operation({
  name: 'rehearsal.start',
  ...common,
  input: Joi.object<{ credentialId: string; minutes: number }>({
    credentialId: idField,
    minutes: Joi.number().integer().min(1).max(rehearsalLimits.maxMinutes).required(),
  }),
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId, minutes }, { partnerId }) => ({
    partnerId,
    targetId: credentialId,
    details: { minutes },
  }),

  async run({ models, now }: AuditLogDeps, { minutes }, { found }) {
    const { _id: credentialId, partnerId, integrationId, mode } = found;
    if (mode !== 'TEST') {
      throw new ServiceError('CONFLICT', 'Only TEST can be rehearsed. Choose a TEST key.');
    }
    const key = { partnerId, integrationId, credentialId };
    const options = { minutes, seed: newToken(), now: new Date(now()) };
    return await startRehearsal(models, key, options);
  },
});

/** Ends a rehearsal before its time. */
export const stopRehearsal = operation({
  name: 'rehearsal.end',
  ...common,
  input: Joi.object<{ partnerId: string; rehearsalId: string }>({
    partnerId: idField,
    rehearsalId: idField,
  }),
  find: async ({ models }, { partnerId, rehearsalId }) =>
    requireFound(await findRehearsal(models, partnerId, rehearsalId), 'rehearsal', rehearsalId),
  audit: ({ rehearsalId, partnerId }) => ({ partnerId, targetId: rehearsalId, details: {} }),

  run: ({ models, now }: AuditLogDeps, _input, { found }) =>
    endRehearsal(models, found, new Date(now())),
});
