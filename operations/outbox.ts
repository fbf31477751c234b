import Joi from 'joi';
import { retrySetApart } from '../models/outbox.ts';
import type { AuditDeps } from './deps.ts';
import { operation } from './operation.ts';

/**
 * Has everything tried again that workflows could not be told and that was set apart, once the cause is mended.
 */
export const retryOutbox = operation({
  name: 'outbox.retry',
  permission: { operator: 'outbox.retry', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Record<never, never>>(),
  find: () => null,
  approval: 'NONE',
  audit: () => ({ targetId: null, partnerId: null, details: {} }),

  /** @returns how much */
  async run({ models, now }: AuditDeps): Promise<{ retried: number }> {
    return { retried: await retrySetApart(models, new Date(now())) };
  },
  completion: ({ retried }) => ({ details: { retried } }),
});
