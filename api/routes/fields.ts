import Joi from 'joi';
import { DateTime } from 'luxon';
import { ServiceError } from '../../domain/errors.ts';
import { metadataProblem } from '../../domain/metadata.ts';

/** The fields that purchases and refunds share (specification, Resources and their fields). */

/** Control characters and broken surrogates have no place in an id that others store and search. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const unprintable = /[\u0000-\u001f\u007f]/;

export const externalId = Joi.string()
  .min(1)
  .max(160)
  .custom((value: string, helpers) =>
    unprintable.test(value) || !value.isWellFormed() ? helpers.error('id.characters') : value,
  )
  .messages({ 'id.characters': '{{#label}} must not contain control characters' });

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** ISO 8601 with a timezone offset. */
export const occurredAt = Joi.string()
  .custom((value: string, helpers) =>
    // Luxon refuses days that no calendar has, Date.parse offsets that no clock has.
    withOffset.test(value) && DateTime.fromISO(value).isValid && !Number.isNaN(Date.parse(value))
      ? value
      : helpers.error('date.offset'),
  )
  .messages({
    'date.offset':
      '{{#label}} must be an ISO 8601 date-time with a timezone offset, such as 2026-01-31T09:30:00+01:00',
  });

/** @param allowCostFields the specification forbids partner cost fields in a purchase's metadata alone */
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
