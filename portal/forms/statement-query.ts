import Joi from 'joi';
import type { StatementDays } from '../../models/ledger/index.ts';
import { utcDay } from '../../platform/validation.ts';
import { countField } from './fields.ts';

/** The days of a statement, as in its address, and after which movement its page begins. */
export interface StatementQuery {
  from?: string;
  to?: string;
  after?: number;
}

export const statementSchema = Joi.object<StatementQuery>({
  from: utcDay,
  to: utcDay,
  after: countField(0),
});

/** The days in their order; without one, from the partner's first day to today. */
export function statementDaysOf(
  { from, to }: StatementQuery,
  { createdAt }: { createdAt: Date },
  nowMs: number,
): StatementDays {
  const first = from ?? createdAt.toISOString().slice(0, 10);
  const last = to ?? new Date(nowMs).toISOString().slice(0, 10);
  return first <= last ? { fromDay: first, toDay: last } : { fromDay: last, toDay: first };
}

/** The address of a statement of some days. */
export const statementPath = (path: string, { fromDay, toDay }: StatementDays): string =>
  `${path}?${new URLSearchParams({ from: fromDay, to: toDay })}`;
