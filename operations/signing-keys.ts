import Joi from 'joi';
import { retireSigner } from '../models/receipts/retire-key.ts';
import type { AuditLogDeps } from './deps.ts';
import { operation } from './operation.ts';

/**
 * Retires the key that tree heads are signed with. Its public part is served for good; the worker makes the next
 * one when it signs the next head, and writes it outside the database first.
 */
export const retireSigningKey = operation({
  name: 'signing-key.retire',
  permission: { operator: 'signing-key.retire', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Record<never, never>>(),
  find: () => null,
  approval: 'NONE',
  audit: () => ({ targetId: null, partnerId: null, details: {} }),

  /** @returns null if no key has signed since the last was retired */
  async run({ models, now }: AuditLogDeps): Promise<{ retiredKeyId: string | null }> {
    return { retiredKeyId: await retireSigner(models, new Date(now())) };
  },
  completion: ({ retiredKeyId }) => ({ details: { retiredKeyId } }),
});
