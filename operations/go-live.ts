import Joi from 'joi';
import type { ClientSession } from 'mongoose';
import { ServiceError } from '../domain/errors.ts';
import { type GoLiveMove, goLiveChecklist, goLiveMove } from '../domain/go-live.ts';
import { largestReward } from '../domain/points.ts';
import { findPartner } from '../models/identity/partners.ts';
import { walletBalances } from '../models/ledger/index.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { Models } from '../models/schemas/index.ts';
import type { GoLive, PartnerDoc } from '../models/schemas/partners.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { goLiveAnnounced, goLiveRequested } from '../models/webhooks/announcements.ts';
import { readGoLiveEvidence } from '../views/go-live.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import {
  always,
  operation,
  type Shown,
  type ShownDeps,
  sensitiveOperation,
  takesTwo,
} from './operation.ts';
import { changed, hashOfShown } from './proposals.ts';

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
  session: ClientSession,
): Promise<PartnerDoc> {
  const { from, to } = goLiveMove(move);
  const moved = await models.partners.findOneAndUpdate(
    { _id, 'goLive.state': { $in: from }, ...(to !== 'CHANGES_REQUESTED' && notSuspended) },
    { $set: { goLive: { ...goLive, ...changed, state: to } } },
    { returnDocument: 'after', session },
  );
  if (moved) return moved;
  const { status, goLive: now } = await findPartner(models, _id);
  const found = status === 'SUSPENDED' ? 'suspended' : now.state;
  throw new ServiceError('CONFLICT', `${_id} is ${found}; it must be ${from.join(' or ')}.`);
}

const notSuspended = { status: { $ne: 'SUSPENDED' } } as const;

/** @throws ServiceError CONFLICT naming everything that is missing except the approval */
export async function requireReady(deps: GoLiveDeps, partner: PartnerDoc): Promise<void> {
  const { isReady, items } = goLiveChecklist(await readGoLiveEvidence(deps, partner));
  if (isReady) return;
  const missing = items.flatMap(({ requirement, missing }) =>
    requirement === 'APPROVAL' || missing === null ? [] : [missing],
  );
  throw new ServiceError('CONFLICT', `${partner._id} is not ready. ${missing.join(' ')}`);
}

/**
 * What is shown of a go-live, and its approval bound to: the partner's profile, rules and funds, and its users with
 * their inviters. A change to any of them before the approval ends the proposal.
 */
export async function reviewedNow(
  { models }: Pick<ShownDeps, 'models'>,
  partner: PartnerDoc,
  session?: ClientSession,
): Promise<Shown> {
  const { _id: partnerId, name, legalName, website, contactEmail, supportEmail } = partner;
  const { country, currency, maxPointMicros, maxRewardCents } = partner;
  const { goLiveMinimumFundingCents, billingAddress = null, taxId = null } = partner;
  const of = session ?? null;
  // One after the other, since a transaction reads that way.
  const rules = await findActiveRules(models, partnerId, 'LIVE', of);
  const wallet = { mode: 'LIVE', partnerId } as const;
  const { fundingCents } = await walletBalances(models, wallet, session);
  const users = await models.users
    .find({ partnerId, disabledAt: null })
    .sort({ _id: 1 })
    .session(of);
  const invitations = await models.invitations.find({ partnerId }).sort({ _id: 1 }).session(of);
  return {
    partnerId,
    name,
    legalName,
    website,
    contactEmail,
    supportEmail,
    country,
    currency,
    billingAddress,
    taxId,
    goLiveMinimumFundingCents,
    contract: {
      maxPointMicros,
      maxRewardCents,
      pointsPerUnit: partner.redemptions?.pointsPerUnit ?? null,
    },
    rules: rules.map((rule) => ({
      ruleId: rule.ruleId,
      pointValueMicros: rule.pointValueMicros,
      largestRewardCents: largestReward(rule).liabilityCents,
    })),
    fundingCents,
    users: users.map(
      ({ _id: userId, role, invitedBy = null, approvedBy = null, secondFactor }) => ({
        userId,
        role,
        invitedBy,
        approvedBy,
        hasSecondFactor: secondFactor !== null,
      }),
    ),
    invitations: invitations.map(({ _id: invitationId, role, invitedBy, approvedBy = null }) => ({
      invitationId,
      role,
      invitedBy,
      approvedBy,
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
  atWorst: {
    moves: 'all that the partner funds',
    undo: 'suspending the partner',
    two: takesTwo.always,
  },
  approval: {
    shown: (deps, _input, partner) => reviewedNow(deps, partner),
    needed: always,
  },
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * The proposer is recorded as the reviewer, so that repeats are the same.
   * @throws ServiceError CONFLICT naming what is missing, for a partner that is suspended or not in review, or
   *   if what was reviewed has changed
   */
  async run(deps: GoLiveDeps, _input, { found: partner, actor: { id: reviewerId }, shown }) {
    const { models } = deps;
    const { state, reviewerId: approvedBy } = partner.goLive;
    if (state !== 'LIVE' || approvedBy !== reviewerId) {
      await requireReady(deps, partner);
      const decided = { reviewerId, decidedAt: new Date(deps.now()), reason: null };
      await takeLive(models, partner, decided, shown);
    }
    await endUnreviewed(models, partner._id, shown);
    return await findPartner(models, partner._id);
  },
});

/** One transaction moves the partner and compares what was reviewed, so that nothing changes in between. */
async function takeLive(
  models: Models,
  partner: PartnerDoc,
  decided: Partial<GoLive>,
  shown: Shown | null,
): Promise<void> {
  await announceWith(models, async (session, announce) => {
    const live = await moveGoLive(models, partner, 'APPROVE', decided, session);
    announce(...goLiveAnnounced(live));
    if (shown === null) return;
    const now = await reviewedNow({ models }, live, session);
    if (hashOfShown(now) !== hashOfShown(shown)) throw new ServiceError('CONFLICT', changed);
  });
}

/** Ends what one operator invited at the same moment, alone, and nobody reviewed. */
async function endUnreviewed(
  models: Models,
  partnerId: string,
  shown: Shown | null,
): Promise<void> {
  if (shown === null) return;
  const reviewed = shown.invitations as readonly { invitationId: string }[];
  await models.invitations.deleteMany({
    partnerId,
    _id: { $nin: reviewed.map(({ invitationId }) => invitationId) },
    invitedBy: /^opr_/,
    approvedBy: null,
  });
}

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
    const { models } = deps;
    const requestedAt = new Date(deps.now());
    const request = { requestedAt, reviewerId: null, decidedAt: null, reason: null };
    return await announceWith(models, async (session, announce) => {
      announce(goLiveRequested(partner, requestedAt));
      return await moveGoLive(models, partner, 'REQUEST', request, session);
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
  async run({ models, now }: AuditLogDeps, { reason }, { found, actor: { id: reviewerId } }) {
    const decided = { reviewerId, decidedAt: new Date(now()), reason };
    return await announceWith(models, async (session, announce) => {
      const returned = await moveGoLive(models, found, 'RETURN', decided, session);
      announce(...goLiveAnnounced(returned));
      return returned;
    });
  },
});
