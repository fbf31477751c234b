import Joi from 'joi';
import { requestTypes } from '../../domain/purchase.ts';
import { anyRefusal, type LogPlace } from '../../views/log.ts';
import { logCodes, meaningOf } from '../words/log-words.ts';
import { choiceFilter, days, ofOrder } from './filters.ts';

/** The filters of a partner's request log. */
export const logFilters = {
  type: choiceFilter('Type', requestTypes),
  code: choiceFilter('Outcome', [anyRefusal, ...logCodes], (code) =>
    code === anyRefusal ? 'Every refusal' : meaningOf(code),
  ),
  externalOrderId: ofOrder(),
  ...days,
};

/** The page of the log after or before a row. */
export interface PlaceQuery {
  older?: string;
  newer?: string;
}

const place = Joi.string().pattern(/^iev_[0-9A-Z]{26}$/);

export const placeParameters = { older: place, newer: place };
export const placeSchema = Joi.object<PlaceQuery>(placeParameters).oxor('older', 'newer');

export function placeOf({ older, newer }: PlaceQuery): LogPlace | undefined {
  if (older !== undefined) return { olderThan: older };
  return newer === undefined ? undefined : { newerThan: newer };
}
