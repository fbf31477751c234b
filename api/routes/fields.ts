import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { metadataProblem } from '../../domain/metadata.ts';
import {
  hasAtMost,
  isInstant,
  isPrintable,
  maxExternalIdChars,
} from '../../domain/reported-fields.ts';

/** The fields that purchases and refunds share (docs/contract.md, Requests). */

/** Counts characters as the API reference does; Joi's own `max` counts UTF-16 code units. */
export const atMost =
  (maxChars: number) =>
  (value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport =>
    hasAtMost(maxChars, value) ? value : helpers.error('string.max', { limit: maxChars });

export const externalId = Joi.string()
  .min(1)
  .custom(atMost(maxExternalIdChars))
  .custom((value: string, helpers) => (isPrintable(value) ? value : helpers.error('id.characters')))
  .messages({ 'id.characters': '{{#label}} must not contain control characters' });

/** ISO 8601 with a timezone offset. */
export const occurredAt = Joi.string()
  .custom((value: string, helpers) => (isInstant(value) ? value : helpers.error('date.offset')))
  .messages({
    'date.offset':
      '{{#label}} must be an ISO 8601 date-time with a timezone offset, such as 2026-01-31T09:30:00+01:00',
  });

/** @param allowCostFields false for purchases, whose metadata must not contain the partner's costs */
export const metadata = ({ allowCostFields }: { allowCostFields: boolean }) =>
  Joi.object()
    .unknown(true)
    .custom((value: Record<string, unknown>) => {
      const problem = metadataProblem(value, { allowCostFields });
      if (problem) throw new ServiceError(problem.code, problem.message);
      return value;
    });

export const wellFormed = (value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport =>
  value.isWellFormed() ? value : helpers.error('string.base');
