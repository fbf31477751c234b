import { ServiceError } from '../domain/errors.ts';
import { reasonProblem } from '../domain/review-reasons.ts';
import { approveGoLive } from '../models/commands/approve-go-live.ts';
import { changeRole } from '../models/commands/change-role.ts';
import { createCredential } from '../models/commands/create-credential.ts';
import { createOperator } from '../models/commands/create-operator.ts';
import { depositDeed } from '../models/commands/deposit.ts';
import { eraseCustomer, erasedLine, erasureDeed } from '../models/commands/erase-customer.ts';
import { findOperator } from '../models/commands/find-operator.ts';
import { emailKey } from '../models/commands/find-user.ts';
import { isFirstOwner } from '../models/commands/first-owner.ts';
import { inviteUser } from '../models/commands/invite-user.ts';
import { redeem, redemptionDeed } from '../models/commands/redeem.ts';
import { resetSecondFactor } from '../models/commands/reset-second-factor.ts';
import { rotateOperatorToken } from '../models/commands/rotate-operator-token.ts';
import { rotateSecret } from '../models/commands/rotate-secret.ts';
import { keyedHasher } from '../platform/hashing.ts';
import { decideReview, findReview } from './decide-review.ts';
import type { DeedsDeps } from './deps.ts';
import { fundWallet } from './fund-wallet.ts';
import type { Undertakings } from './undertaking.ts';

/** Everything that may need two operators: how each is done, whichever face it is asked through. */
export function createUndertakings(deps: DeedsDeps): Undertakings {
  const { models } = deps;
  const { tokenDays } = deps.config.admin;
  const portalUrl = deps.config.portal.url;
  const hashOfAddress = keyedHasher(deps.config.customerHashKey, 'address of a user');
  return {
    'partner.top-up': {
      matterOf: () => ({ action: 'partner.top-up' }),
      deedOf: ({ wallet, money }) => depositDeed(wallet, money),
      command: ({ wallet, money }) => fundWallet(deps, wallet, money),
    },

    'customer.redeem': {
      matterOf: ({ redemption: { points } }) => ({ action: 'customer.redeem', points }),
      deedOf: ({ customer, redemption }) => redemptionDeed(customer, redemption),
      command: ({ customer, redemption }) => redeem(deps, customer, redemption),
    },

    'review.decide': {
      problemOf: ({ verdict: { decision, reasonCode, reason } }) =>
        reasonProblem(decision, reasonCode, reason),
      async matterOf({ review }) {
        const { partnerId, mode, rewardId } = await findReview(deps, review.reviewId);
        const reward = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
        return { action: 'review.decide', mode, liabilityCents: reward.liabilityCents };
      },
      // The trail has who and what; the words may name a customer and stay sealed.
      deedOf: ({ review, verdict: { decision, reasonCode } }, { actorId }) => ({
        ...{ action: 'review.decide', targetId: review.reviewId, partnerId: review.partnerId },
        details: { decision, reasonCode },
        once: `${decision} by ${actorId}`,
      }),
      customerOf: ({ review }) => review,
      command: ({ review, verdict }, { doer }) => decideReview(deps, review, verdict, doer.actorId),
    },

    'customer.erase': {
      matterOf: () => ({ action: 'customer.erase' }),
      deedOf: ({ customer, reference }) => erasureDeed(customer, reference),
      async command({ customer, reference }) {
        const outcome = await eraseCustomer(deps, customer, reference);
        // A backup knows nothing of what came after it: from this line it is done again.
        deps.log.info({ ...customer, reference, erasedAt: outcome.erasure.erasedAt }, erasedLine);
        return outcome;
      },
    },

    'partner.approve-go-live': {
      matterOf: () => ({ action: 'partner.approve-go-live' }),
      deedOf: ({ partnerId }) => ({
        ...{ action: 'partner.approve-go-live', targetId: partnerId, partnerId },
      }),
      // As of a review's decision, who proposed it counts as its reviewer: the same in every repeat.
      command: ({ partnerId }, { doer }) =>
        approveGoLive(deps, partnerId, { reviewerId: doer.actorId }),
    },

    'partner.invite': {
      async matterOf({ partnerId, role }) {
        const isFirst = await isFirstOwner(models, partnerId);
        return { action: 'partner.invite', role, isFirstOwner: isFirst };
      },
      // The trail never has the address; its hash tells one proposal from another.
      deedOf: ({ partnerId, role, email }) => ({
        ...{ action: 'partner.invite', targetId: null, partnerId },
        details: { role, addressHash: hashOfAddress(emailKey(email)).slice(0, 16) },
      }),
      command: (invited, { doer: { actorId: invitedBy }, idOf }) =>
        inviteUser({ ...deps, portalUrl }, invited, {
          ...{ invitedBy, invitationId: idOf('invitation') },
        }),
      completionOf: ({ _id: targetId }) => ({ targetId }),
    },

    'credential.create': {
      matterOf: ({ mode }) => ({ action: 'credential.create', mode }),
      deedOf: ({ partnerId, ...details }) => ({
        ...{ action: 'credential.create', targetId: null, partnerId, details },
      }),
      command: (fields, { idOf }) => createCredential(deps, fields, idOf('credential')),
      completionOf: ({ credential: { _id: targetId }, secretId }) => ({
        targetId,
        details: { secretId },
      }),
    },

    'credential.rotate': {
      matterOf: ({ mode }) => ({ action: 'credential.rotate', mode }),
      deedOf: ({ partnerId, credentialId }) => ({
        ...{ action: 'credential.rotate', targetId: credentialId, partnerId },
      }),
      command: ({ credentialId }, { idOf }) => rotateSecret(deps, credentialId, idOf('secret')),
      completionOf: ({ secretId }) => ({ details: { secretId } }),
    },

    'operator.create': {
      matterOf: ({ role }) => ({ action: 'operator.create', role }),
      deedOf: ({ name, role }) => ({
        ...{ action: 'operator.create', partnerId: null, targetId: null, details: { name, role } },
      }),
      command: (fields, { idOf }) =>
        createOperator(deps, fields, { tokenDays, operatorId: idOf('admin') }),
      completionOf: ({ admin: { _id: targetId }, tokenId }) => ({ targetId, details: { tokenId } }),
    },

    'operator.change-role': {
      matterOf: ({ from, to }) => ({ action: 'operator.change-role', from, to }),
      deedOf: ({ operatorId, from, to }) => ({
        ...{ action: 'operator.change-role', partnerId: null, targetId: operatorId },
        details: { from, to },
      }),
      command: ({ operatorId, ...roles }) => changeRole(deps, operatorId, roles),
    },

    'operator.rotate-token': {
      matterOf: () => ({ action: 'operator.rotate-token' }),
      deedOf: ({ operatorId }) => ({
        ...{ action: 'operator.rotate-token', partnerId: null, targetId: operatorId },
      }),
      command: ({ operatorId }, { idOf }) =>
        rotateOperatorToken(deps, operatorId, { tokenDays, tokenId: idOf('operatorToken') }),
      completionOf: ({ tokenId }) => ({ details: { tokenId } }),
    },

    'operator.reset-second-factor': {
      async matterOf({ operatorId }) {
        const { role } = await findOperator(models, operatorId);
        return { action: 'operator.reset-second-factor', role };
      },
      deedOf: ({ operatorId }) => ({
        ...{ action: 'operator.reset-second-factor', partnerId: null, targetId: operatorId },
      }),
      async command({ operatorId }, { doer: { actorId, approvedBy } }) {
        const user = await models.users.findOne({ adminId: operatorId, disabledAt: null }).lean();
        if (!user) throw new ServiceError('CONFLICT', 'This operator signs in nowhere.');
        const actorIds = approvedBy === null ? [actorId] : [actorId, approvedBy];
        await resetSecondFactor({ ...deps, portalUrl }, user, { actorIds, kind: 'operator' });
        return await findOperator(models, operatorId);
      },
    },
  };
}
