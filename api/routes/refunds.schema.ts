import Joi from 'joi';
import type { RefundRequest } from '../../domain/refund.ts';
import { atMost, externalId, metadata, occurredAt, wellFormed } from './fields.ts';

export const refundSchema = Joi.object<RefundRequest, true>({
  externalOrderId: externalId.required(),
  externalRefundId: externalId,
  reason: Joi.string().allow('').custom(atMost(500)).custom(wellFormed),
  occurredAt,
  metadata: metadata({ allowCostFields: true }),
})
  .required()
  .label('body');
