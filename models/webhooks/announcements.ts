import { modes } from '../../domain/mode.ts';
import { moneyText } from '../../domain/money.ts';
import {
  type Announcement,
  type OperatorEventType,
  operatorsId,
  withoutReward,
} from '../../domain/webhooks.ts';
import type { AuditRunDoc, ProposalDoc } from '../schemas/audit.ts';
import type { CredentialDoc, ServiceAccountDoc } from '../schemas/integrations.ts';
import type { ComparisonJob } from '../schemas/jobs.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { ReviewDoc, ReviewNoteDoc } from '../schemas/reviews.ts';

/** What operations and jobs announce; a reward's moves, funding and invoices are announced by the domain. */

export function credentialAnnounced(
  type: 'credential.created' | 'credential.revoked',
  { _id: credentialId, partnerId, mode, integrationId, scopes }: CredentialDoc,
  at: Date,
): Announcement {
  const data = { credentialId, integrationId, scopes };
  return { ...withoutReward, type, partnerId, mode, at, cause: credentialId, data };
}

export function serviceAccountAnnounced(
  change: 'CREATED' | 'ROTATED' | 'REVOKED',
  { _id: serviceAccountId, partnerId, mode, scopes }: ServiceAccountDoc,
  at: Date,
): Announcement {
  return {
    ...withoutReward,
    type: 'service_account.changed',
    partnerId,
    mode,
    at,
    cause: `${serviceAccountId} ${change}`,
    data: { serviceAccountId, change, scopes },
  };
}

/** What operators decided about a request for LIVE, in both modes. */
export function goLiveAnnounced({ _id: partnerId, goLive }: PartnerDoc): Announcement[] {
  const { state, decidedAt: at, reason } = goLive;
  if (at === null) throw new Error(`${partnerId} has not been decided on`);
  const decided =
    state === 'LIVE'
      ? ({ type: 'go_live.approved', data: {} } as const)
      : ({ type: 'go_live.returned', data: { reason } } as const);
  return modes.map((mode) => ({
    ...withoutReward,
    ...decided,
    partnerId,
    mode,
    at,
    cause: partnerId,
  }));
}

/** An operators' question about a refund, without its text, which stays in the portal. */
export function questionAnnounced(
  { _id: cause, partnerId, mode, reviewId, at }: ReviewNoteDoc,
  { rewardId, externalOrderId }: Pick<ReviewDoc, 'rewardId' | 'externalOrderId'>,
): Announcement {
  const data = { reviewId, rewardId, externalOrderId };
  return { ...withoutReward, type: 'review.asked', partnerId, mode, at, cause, data };
}

/** A comparison of orders that is over, requested in the portal or by a program. */
export function comparisonAnnounced(
  { _id: cause, partnerId, mode, input }: ComparisonJob,
  { status, result }: Pick<ComparisonJob, 'status' | 'result'>,
  at: Date,
): Announcement {
  const data = {
    reconciliationId: cause,
    integrationId: input.integrationId,
    status,
    rows: input.rows,
    matched: result?.matched ?? null,
    missing: result?.faults.MISSING ?? null,
    notInFile: result?.faults.NOT_IN_FILE ?? null,
    duplicate: result?.faults.DUPLICATE ?? null,
    mismatched: result?.faults.MISMATCHED ?? null,
  };
  return { ...withoutReward, type: 'reconciliation.completed', partnerId, mode, at, cause, data };
}

const toOperators = (
  type: OperatorEventType,
  cause: string,
  at: Date,
  what: Pick<Announcement, 'data' | 'text'>,
): Announcement => ({
  ...withoutReward,
  partnerId: operatorsId,
  mode: 'LIVE',
  type,
  cause,
  at,
  ...what,
});

/** A LIVE review that waits for operators, or has waited too long. */
export function reviewAnnounced(
  type: 'review.waiting' | 'review.due',
  { _id, partnerId, externalOrderId, openedAt, dueAt }: ReviewDoc,
): Announcement {
  const order = `order ${oneLine(externalOrderId)} of ${partnerId}`;
  const isDue = type === 'review.due';
  return toOperators(type, _id, isDue ? dueAt : openedAt, {
    data: { reviewId: _id, partnerId, openedAt, dueAt },
    text: isDue
      ? `The review of ${order} has been overdue since ${dueAt.toUTCString()}.`
      : `The review of ${order} must be decided by ${dueAt.toUTCString()}.`,
  });
}

export const answerAnnounced = (
  { _id, partnerId, reviewId, at }: ReviewNoteDoc,
  { externalOrderId }: Pick<ReviewDoc, 'externalOrderId'>,
): Announcement =>
  toOperators('review.answered', _id, at, {
    data: { reviewId, partnerId },
    text: `${partnerId} answered the question about the refund of order ${oneLine(externalOrderId)}.`,
  });

/** @param partnerName of the proposal's partner; null if it is about none */
export const proposalAnnounced = (
  { _id, action, partnerId, proposedBy, proposedAt, expiresAt, shown }: ProposalDoc,
  partnerName: string | null,
): Announcement =>
  toOperators('approval.waiting', _id, proposedAt, {
    data: { proposalId: _id, action, partnerId, proposedBy, expiresAt },
    text: `${nameOfAction(action)}${amountIn(shown)}${partnerName === null ? '' : ` for ${oneLine(partnerName)}`} must be approved by a second operator by ${expiresAt.toUTCString()}.`,
  });

/** `partner.top-up` as `Partner top-up`. */
const nameOfAction = (action: string): string =>
  `${action.charAt(0).toUpperCase()}${action.slice(1).replace('.', ' ')}`;

/** What is shown of how much is at stake: at most one of them is of one proposal. */
const amounts = ['amountCents', 'cents', 'priceCents', 'totalCents', 'largestRewardCents'] as const;

function amountIn(shown: ProposalDoc['shown']): string {
  const { currency, ...others } = shown as Record<string, unknown>;
  const cents = amounts.map((name) => others[name]).find((one) => typeof one === 'number');
  return cents === undefined || typeof currency !== 'string'
    ? ''
    : ` of ${moneyText(cents, currency)}`;
}

export const goLiveRequested = (
  { _id: partnerId, name }: Pick<PartnerDoc, '_id' | 'name'>,
  at: Date,
): Announcement =>
  toOperators('go_live.requested', partnerId, at, {
    data: { partnerId },
    text: `${oneLine(name)} requested go-live.`,
  });

export const auditAnnounced = ({ _id, faults, summary, endedAt }: AuditRunDoc): Announcement =>
  toOperators('audit.faults', _id, endedAt, {
    data: { auditRunId: _id, faults },
    text: `The audit found ${faults} ${faults === 1 ? 'fault' : 'faults'}: ${summary}`,
  });

/** Partners choose names and order ids freely, but a subject is one line. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
