import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import type { WaitingRefundDoc } from '../models/schemas/connections.ts';
import { requireFound } from '../models/store/require-found.ts';
import type { AuditLogDeps } from './deps.ts';
import { operation } from './operation.ts';

/** Connection, order and refund. */
const waitingIdField = Joi.string().max(400).required();

/**
 * Settles a refund that failed at a shop's platform after it was counted, once an operator has decided about its reward
 * (docs/integrate/stripe.md, What counts). It changes nothing but the list of what waits.
 */
export const settleFailedRefund = operation({
  name: 'failed-refund.settle',
  permission: { operator: 'review.decide', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ waitingId: string }>({ waitingId: waitingIdField }),
  find: async ({ models }, { waitingId: _id }) =>
    requireFound(
      await models.waitingRefunds.findOne({ _id, kind: 'FAILED' }),
      'failed refund',
      _id,
    ),
  approval: 'NONE',
  audit: (_input, { partnerId, connectionId, externalOrderId }) => ({
    targetId: connectionId,
    partnerId,
    details: { externalOrderId },
  }),

  /** @throws ServiceError CONFLICT if it is settled already */
  async run(
    { models, now }: AuditLogDeps,
    _input,
    { found: { partnerId, _id } },
  ): Promise<WaitingRefundDoc> {
    const settled = await models.waitingRefunds.findOneAndUpdate(
      { partnerId, _id, settledAt: null },
      { $set: { settledAt: new Date(now()) } },
      { returnDocument: 'after' },
    );
    if (settled) return settled;
    throw new ServiceError('CONFLICT', 'It is already settled.');
  },
});
