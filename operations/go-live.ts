import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { type GoLiveMove, goLiveChecklist, goLiveMove } from '../domain/go-live.ts';
import { largestReward } from '../domain/points.ts';
import { findPartner } from '../models/identity/partners.ts';
import { walletBalances } from '../models/ledger/index.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { Models } from '../models/schemas/index.ts';
import type { GoLive, PartnerDoc } from '../models/schemas/partners.ts';
import { readGoLiveFacts } from '../models/views/go-live.ts';
import type { AuditDeps, OperationDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import { always, type FactDeps, type Facts, operation, sensitiveOperation } from './operation.ts';

export type GoLiveDeps = Pick<OperationDeps, 'models' | 'now'>;

/**
 * Writes one move towards LIVE, from a state that allows it.
 * @param changed further fields to write
 * @throws ServiceError CONFLICT in any other state, also if another operator was faster
 */
export async function moveGoLive(
  models: Models,
  { _id, goLive }: PartnerDoc,
  move: GoLiveMove,
  changed: Partial<GoLive>,
): Promise<PartnerDoc> {
  const { from, to } = goLiveMove(move);
  const moved = await models.partners.findOneAndUpdate(
    { _id, 'goLive.state': { $in: from }, ...(to !== 'CHANGES_REQUESTED' && notSuspended) },
    { $set: { goLive: { ...goLive, ...changed, state: to } } },
    { returnDocument: 'after' },
  );
  if (moved) return moved;
  const { status, goLive: now } = await findPartner(models, _id);
  const found = status === 'SUSPENDED' ? 'suspended' : now.state;
  throw new ServiceError('CONFLICT', `${_id} is ${found}; it must be ${from.join(' or ')}.`);
}

const notSuspended = { status: { $ne: 'SUSPENDED' } } as const;

/** @throws ServiceError CONFLICT naming everything that is missing except the approval */
export async function requireReady(deps: GoLiveDeps, partner: PartnerDoc): Promise<void> {
  const { isReady, items } = goLiveChecklist(await readGoLiveFacts(deps, partner));
  if (isReady) return;
  const missing = items.flatMap(({ requirement, missing }) =>
    requirement === 'APPROVAL' || missing === null ? [] : [missing],
  );
  throw new ServiceError('CONFLICT', `${partner._id} is not ready. ${missing.join(' ')}`);
}

/**
 * The facts that a go-live approval is bound to: the partner's profile, rules and funds, and its users with
 * their inviters. A change to any of them before the approval ends the proposal.
 */
export async function reviewedFacts(
  { models }: Pick<FactDeps, 'models'>,
  partner: PartnerDoc,
): Promise<Facts> {
  const { _id: partnerId, name, legalName, website, contactEmail, supportEmail } = partner;
  const { country, currency, maxPointMicros, maxRewardCents } = partner;
  const [rules, fundingCents, users, invitations] = await Promise.all([
    findActiveRules(models, partnerId, 'LIVE'),
    walletBalances(models, { mode: 'LIVE', partnerId }).then(({ fundingCents }) => fundingCents),
    models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }),
    models.invitations.find({ partnerId }).sort({ _id: 1 }),
  ]);
  return {
    partnerId,
    name,
    legalName,
    website,
    contactEmail,
    supportEmail,
    country,
    currency,
    contract: { maxPointMicros, maxRewardCents },
    rules: rules.map((rule) => ({
      ruleId: rule.ruleId,
      pointValueMicros: rule.pointValueMicros,
      largestRewardCents: largestReward(rule).liabilityCents,
    })),
    fundingCents,
    users: users.map(({ _id: userId, role, invitedBy = null, secondFactor }) => ({
      userId,
      role,
      invitedBy,
      hasSecondFactor: secondFactor !== null,
    })),
    invitations: invitations.map(({ _id: invitationId, role, invitedBy }) => ({
      invitationId,
      role,
      invitedBy,
    })),
  };
}

/**
 * Takes a partner live, which no other operation does. The conditions of the request must still be met. A
 * repeat by the same reviewer changes nothing.
 */
export const approveGoLive = sensitiveOperation({
  name: 'partner.approve-go-live',
  permission: { operator: 'partner.approve-go-live', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: {
    facts: (deps, _input, partner) => reviewedFacts(deps, partner),
    needed: always,
  },
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * The proposer is recorded as the reviewer, so that repeats are the same.
   * @throws ServiceError CONFLICT naming what is missing, or for a partner that is suspended or not in review
   */
  async run(deps: GoLiveDeps, _input, { found: partner, actor: { id: reviewerId } }) {
    const { state, reviewerId: approvedBy } = partner.goLive;
    if (state === 'LIVE' && approvedBy === reviewerId) return partner;
    await requireReady(deps, partner);
    return await moveGoLive(deps.models, partner, 'APPROVE', {
      reviewerId,
      decidedAt: new Date(deps.now()),
      reason: null,
    });
  },
});

/** Submits a partner for review, once it meets all conditions that it can meet itself. */
export const requestGoLive = operation({
  name: 'partner.request-go-live',
  permission: { operator: 'partner.request-go-live', user: 'partner.request-go-live' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /** @throws ServiceError CONFLICT naming what is missing, or for a partner that is suspended, in review or live */
  async run(deps: GoLiveDeps, _input, { found: partner }) {
    await requireReady(deps, partner);
    return await moveGoLive(deps.models, partner, 'REQUEST', {
      requestedAt: new Date(deps.now()),
      reviewerId: null,
      decidedAt: null,
      reason: null,
    });
  },
});

/** Returns a request to the partner, with a reason. */
export const returnGoLive = operation({
  name: 'partner.return-go-live',
  permission: { operator: 'partner.return-go-live', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; reason: string }>({
    partnerId: idField,
    reason: longText(500).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, reason }) => ({ targetId: partnerId, partnerId, details: { reason } }),

  /** @throws ServiceError CONFLICT for a partner that is not in review */
  run: ({ models, now }: AuditDeps, { reason }, { found, actor: { id: reviewerId } }) =>
    moveGoLive(models, found, 'RETURN', { reviewerId, decidedAt: new Date(now()), reason }),
});
