import Joi from 'joi';
import type { RefundRequest } from '../../domain/refund.ts';
import { externalId, metadata, occurredAt, wellFormed } from './fields.ts';

export const refundSchema = Joi.object<RefundRequest, true>({
  externalOrderId: externalId.required(),
  externalRefundId: externalId,
  reason: Joi.string().allow('').max(500).custom(wellFormed),
  occurredAt,
  metadata: metadata({ allowCostFields: true }),
})
  .required()
  .label('body');
