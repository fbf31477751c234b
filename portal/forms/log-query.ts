import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/purchase.ts';
import { utcDay } from '../../http/query.ts';
import type { LogFilter, LogPlace } from '../../models/views/log.ts';
import type { ReadScope } from '../../models/views/partner-scope.ts';
import { pastedText } from '../../platform/csv.ts';
import { logCodes } from '../words/log-words.ts';

/** The query of the log, as in its address. */
export interface LogQuery {
  mode?: Mode;
  type?: RequestType;
  code?: string;
  order?: string;
  /** UTC days, inclusive. */
  from?: string;
  to?: string;
  /** The page after or before this integration event. */
  older?: string;
  newer?: string;
}

const place = Joi.string().pattern(/^iev_[0-9A-Z]{26}$/);

export const logSchema = Joi.object<LogQuery>({
  mode: Joi.string().valid(...modes),
  type: Joi.string().valid(...requestTypes),
  code: Joi.string().valid(...logCodes),
  order: Joi.string().max(255),
  from: utcDay,
  to: utcDay,
  older: place,
  newer: place,
}).oxor('older', 'newer');

/** @param mode which requests, whatever the query says; undefined for those of both */
export function filterOf(
  partnerId: ReadScope,
  mode: Mode | undefined,
  { type, code, order, from, to }: LogQuery,
): LogFilter {
  const externalOrderId = order === undefined ? undefined : pastedText(order);
  return { partnerId, mode, type, code, externalOrderId, fromDay: from, toDay: to };
}

export function placeOf({ older, newer }: LogQuery): LogPlace | undefined {
  if (older !== undefined) return { olderThan: older };
  return newer === undefined ? undefined : { newerThan: newer };
}

export function logPath(path: '/events' | '/events.csv', query: LogQuery): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
