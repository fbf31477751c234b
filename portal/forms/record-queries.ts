import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type AuditStatus, auditStatuses } from '../../domain/operators.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward.ts';
import { searchText, utcDay } from '../../http/query.ts';
import type { AuditLogFilter } from '../../models/views/audit-log.ts';
import type { LedgerFilter } from '../../models/views/funding.ts';
import { type ReviewState, reviewStates } from '../../models/views/reviews.ts';
import type { RewardFilter } from '../../models/views/rewards.ts';
import { pastedText } from '../../platform/csv.ts';
import { idFilter } from '../routing/params.ts';

/** The query that all lists of operators' records share. */
interface RecordQuery {
  /** As entered: a name or an id. */
  partner?: string;
  /** UTC days, inclusive. */
  from?: string;
  to?: string;
}

export interface ReviewQuery extends RecordQuery {
  state: ReviewState;
  mode?: Mode;
}

export interface AnyRewardQuery extends RecordQuery {
  status?: RewardStatus;
  mode?: Mode;
  order?: string;
  customer?: string;
}

export interface LedgerQuery extends RecordQuery {
  book: Mode;
  account?: string;
  reward?: string;
}

export interface AuditLogQuery extends RecordQuery {
  actor?: string;
  target?: string;
  status?: AuditStatus;
  alone?: 'YES';
}

const ofRecords = { partner: searchText, from: utcDay, to: utcDay };

export const reviewFilters = {
  state: Joi.string()
    .valid(...reviewStates)
    .default('OPEN'),
  mode: Joi.string().valid(...modes),
  ...ofRecords,
};

export const anyRewardFilters = {
  status: Joi.string().valid(...rewardStatuses),
  mode: Joi.string().valid(...modes),
  order: searchText,
  customer: idFilter('customer'),
  ...ofRecords,
};

export const ledgerFilters = {
  book: Joi.string()
    .valid(...modes)
    .default('LIVE'),
  account: idFilter('account'),
  reward: idFilter('reward'),
  ...ofRecords,
};

export const auditLogFilters = {
  actor: idFilter('actor'),
  target: idFilter('target'),
  status: Joi.string().valid(...auditStatuses),
  alone: Joi.string().valid('YES'),
  ...ofRecords,
};

/** @param partnerId whom `partner` names */
export function anyRewardFilterOf(
  { status, mode, order, customer, from, to }: AnyRewardQuery,
  partnerId: string | undefined,
): RewardFilter {
  return {
    status,
    mode,
    partnerId,
    externalOrderId: order === undefined ? undefined : pastedText(order),
    customerId: customer,
    fromDay: from,
    toDay: to,
  };
}

/** @param partnerId whom `partner` names */
export function ledgerFilterOf(
  { book, account, reward, from, to }: LedgerQuery,
  partnerId: string | undefined,
): LedgerFilter {
  return { book, partnerId, account, rewardId: reward, fromDay: from, toDay: to };
}

/** @param partnerId whom `partner` names */
export function auditLogFilterOf(
  { actor, target, status, alone, from, to }: AuditLogQuery,
  partnerId: string | undefined,
): AuditLogFilter {
  const isAlone = alone === undefined ? undefined : (true as const);
  return {
    partnerId,
    actorId: actor,
    targetId: target,
    status,
    isAlone,
    fromDay: from,
    toDay: to,
  };
}
