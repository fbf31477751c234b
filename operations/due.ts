import Joi from 'joi';
import { retrySetApart } from '../models/due.ts';
import type { AuditLogDeps } from './deps.ts';
import { operation } from './operation.ts';

/**
 * Has everything tried again that is due and was set apart after many attempts, once the cause is mended.
 */
export const retryDue = operation({
  name: 'due.retry',
  permission: { operator: 'due.retry', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Record<never, never>>(),
  find: () => null,
  approval: 'NONE',
  audit: () => ({ targetId: null, partnerId: null, details: {} }),

  /** @returns how much */
  async run({ models }: AuditLogDeps): Promise<{ retried: number }> {
    return { retried: await retrySetApart(models) };
  },
  completion: ({ retried }) => ({ details: { retried } }),
});
