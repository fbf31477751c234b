import Joi from 'joi';
import { externalId, metadata, occurredAt, wellFormed } from './fields.ts';

/** A refund event request, checked (specification, Refund event request). */
export interface RefundRequest {
  externalOrderId: string;
  externalRefundId?: string;
  reason?: string;
  occurredAt?: string;
  metadata?: Record<string, unknown>;
}

export const refundSchema = Joi.object<RefundRequest, true>({
  externalOrderId: externalId.required(),
  externalRefundId: externalId,
  reason: Joi.string().allow('').max(500).custom(wellFormed),
  occurredAt,
  metadata: metadata({ allowCostFields: true }),
})
  .required()
  .label('body');
