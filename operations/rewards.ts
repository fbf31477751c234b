import Joi from 'joi';
import { type CustomerContact, normalizePhone } from '../domain/customer.ts';
import { earningDayOf } from '../domain/customer-days.ts';
import { isEmail, maxEmailChars, normalizeEmail } from '../domain/email.ts';
import { ServiceError } from '../domain/errors.ts';
import {
  cancel as cancelUnclaimed,
  claim,
  correctContact,
  letPass,
  mature,
  reinstate,
} from '../domain/facts.ts';
import type { Language } from '../domain/languages.ts';
import type { Mode } from '../domain/mode.ts';
import type { SealedContact } from '../domain/purchase.ts';
import { maxPassed } from '../domain/queue.ts';
import {
  type Cancellation,
  canMove,
  claimedStates,
  correctionContext,
  isCorrectable,
  isOnHold,
  isReinstatable,
  openStates,
  type RewardStatus,
  statusOf,
  timesReinstated,
} from '../domain/reward.ts';
import { readOrderEvent } from '../models/events/order-events.ts';
import { customerOfContact } from '../models/identity/customer-of-contact.ts';
import { findPartner, requireNotSuspended } from '../models/identity/partners.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { requireReward } from '../models/rewards/find-reward.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { sealForCustomer } from '../models/store/data-keys.ts';
import { newToken, sha256Hex } from '../platform/hashing.ts';
import { cancellationReasonOf } from '../views/rewards.ts';
import type { OperationDeps } from './deps.ts';
import { idField, longText, movementReference } from './fields.ts';
import { operation, type Shown, sensitiveOperation, takesTwo } from './operation.ts';
import { changed } from './proposals.ts';

/**
 * Cancels a reward that nobody has claimed. Nothing takes that back, so in LIVE it takes two operators.
 */
export const cancelReward = sensitiveOperation({
  name: 'reward.cancel',
  permission: { operator: 'reward.cancel', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ rewardId: string; reason: string }>({
    rewardId: idField,
    reason: longText(500).required(),
  }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  atWorst: { moves: 'the reward', undo: null, two: takesTwo.inLive },
  approval: {
    shown: (_deps, { rewardId }, { partnerId, mode, points, currency, ...reward }) => ({
      partnerId,
      rewardId,
      mode,
      points,
      currency,
      cents: reward.liabilityCents,
      status: statusOf(reward.state),
    }),
    // Any other is answered as it is, or refused.
    needed: ({ mode, status }: { mode: Mode; status: RewardStatus }) =>
      mode === 'LIVE' && (status === 'PENDING' || status === 'AWAITING_FUNDING'),
    // The reason may name the customer.
    customerOf: (found) => found,
  },
  // For the same cause it stays out of the audit log, and is sealed with the reward.
  audit: ({ rewardId }, { partnerId, mode }, { id }) => ({
    targetId: rewardId,
    partnerId,
    details: { mode },
    once: `by ${id}`,
  }),

  /**
   * @returns the reward with this cancellation; the same for a repeat by the same operator
   * @throws ServiceError CONFLICT for a reward that was claimed, has expired, or was cancelled by somebody else or for
   *   another reason, and if it is worth something else than an operator was shown
   */
  async run(
    deps: OperationDeps,
    { rewardId, reason },
    { actor, found, shown },
  ): Promise<RewardDoc> {
    const operatorId = actor.id;
    const after = canMove(found.state, 'CANCEL')
      ? await cancel(deps, found, reason, { operatorId, shown })
      : found;
    const { state, cancellation } = after;
    if (cancellation?.operatorId === operatorId) {
      // The reason of an erased customer can no longer be read, so it is not compared.
      const written = await cancellationReasonOf(deps, after);
      if (written === null || written === reason) return after;
    }
    const by = cancellation ? ` by ${cancellation.operatorId} at ${cancellation.cancelledAt}` : '';
    throw new ServiceError(
      'CONFLICT',
      `${rewardId} is ${statusOf(state)}${by}. Only an unclaimed reward can be cancelled, and only once.`,
    );
  },
});

async function cancel(
  deps: OperationDeps,
  found: RewardDoc,
  reason: string,
  { operatorId, shown }: { operatorId: string; shown: Shown | null },
): Promise<RewardDoc> {
  const cancellation: Cancellation = {
    operatorId,
    cancelledAt: new Date(deps.now()).toISOString(),
    sealedReason: await sealForCustomer(deps, found, reason, found._id),
  };
  return await commitReward(deps.commit, found, (draft, reward, terms) => {
    const isAsShown = reward.points === shown?.points && reward.liabilityCents === shown.cents;
    if (shown !== null && canMove(reward.state, 'CANCEL') && !isAsShown) throw hasChanged();
    return cancelUnclaimed(draft, reward, terms, cancellation);
  });
}

/**
 * Takes back the refund of an unclaimed reward, which was a mistake, within the claim window. Its money is
 * reserved anew. In LIVE, it takes two operators.
 */
export const reinstateReward = sensitiveOperation({
  name: 'reward.reinstate',
  permission: { operator: 'reward.reinstate', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ rewardId: string; reference: string }>({
    rewardId: idField,
    reference: movementReference.required(),
  }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  atWorst: { moves: 'the reward', undo: 'reward.cancel', two: takesTwo.inLive },
  approval: {
    shown: (_deps, { rewardId }, { partnerId, mode, points, currency, ...reward }) => ({
      partnerId,
      rewardId,
      mode,
      points,
      currency,
      cents: reward.liabilityCents,
      refundedCents: reward.refundedCents,
      status: statusOf(reward.state),
      version: reward.version,
      claimExpiresAt: reward.claimExpiresAt.toISOString(),
    }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
    async possible({ models, now }, _input, reward) {
      if (isBack(reward)) return;
      if (!isReinstatable(reward, new Date(now()))) throw notReinstatable(reward);
      await requireNotSuspended(models, reward.partnerId);
    },
  },
  // A reward that is refunded again can be reinstated again, by another deed: its reference repeats the first one
  // only as long as that stands.
  audit: ({ rewardId: targetId, reference }, reward) => ({
    targetId,
    partnerId: reward.partnerId,
    details: {
      reference,
      mode: reward.mode,
      time: timesReinstated(reward) + (isBack(reward) ? 0 : 1),
    },
    once: 'BY_REFERENCE',
  }),

  /**
   * @returns the reward; the same for a repeat, as long as it stands
   * @throws ServiceError CONFLICT unless a refund cancelled it, unclaimed and within its claim window, and if
   *   anything happened to it since an operator was shown it
   */
  async run({ commit, models, now }: OperationDeps, _input, { found, shown }): Promise<RewardDoc> {
    if (isBack(found)) return found;
    if (isReinstatable(found, new Date(now()))) {
      await requireNotSuspended(models, found.partnerId);
      const after = await commitReward(commit, found, (draft, reward, terms) => {
        if (isBack(reward)) return reward;
        if (shown !== null && reward.version !== shown.version) throw hasChanged();
        return reinstate(draft, reward, terms);
      });
      if (after.state !== 'CANCELLED') return after;
    }
    throw notReinstatable(found);
  },
});

const notReinstatable = ({ _id, state }: RewardDoc): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `${_id} is ${statusOf(state)}. Only an unclaimed reward that a refund cancelled can be reinstated, within its claim window.`,
  );

/** Whether the reward was reinstated, and stands. */
const isBack = (reward: RewardDoc): boolean =>
  timesReinstated(reward) > 0 && openStates.includes(reward.state);

/** Something that matters happened to the reward since an operator was shown it. */
const hasChanged = () => new ServiceError('CONFLICT', changed);

interface CorrectedContact {
  rewardId: string;
  email?: string | undefined;
  phone?: string | undefined;
}

const contactText = Joi.string().trim().min(1);

/**
 * Corrects the contact of an unclaimed reward, once: the reward is another customer's, who gets a new claim link,
 * unless the partner delivers it; the old link no longer works. The workflow tells both. In LIVE, it takes an
 * owner of the partner or two operators.
 */
export const correctContactOfReward = sensitiveOperation({
  name: 'reward.correct-contact',
  permission: { operator: 'reward.correct-contact', user: 'reward.correct-contact' },
  secondFactor: 'LIVE',
  input: Joi.object<CorrectedContact>({
    rewardId: idField,
    email: contactText
      .max(maxEmailChars)
      .custom((text: string, { error }) => (isEmail(text) ? text : error('string.email')))
      .messages({ 'string.email': '{{#label}} must be a valid email address' }),
    phone: contactText.max(32),
  }).xor('email', 'phone'),
  async find({ models, config }, { rewardId, email, phone }) {
    if (!config) throw new Error('hashing the contact needs a key from the configuration');
    const reward = await requireReward(models, rewardId);
    const { partnerId, mode } = reward;
    const partner = await findPartner(models, partnerId);
    const customerId = customerOfContact(config.customerHashKey, partner, { email, phone });
    return { reward, mode, partnerId, country: partner.country, customerId };
  },
  atWorst: { moves: 'the reward', undo: null, two: takesTwo.inLive },
  approval: {
    shown: (_deps, { rewardId }, { reward, customerId, partnerId, mode }) => ({
      partnerId,
      rewardId,
      mode,
      status: statusOf(reward.state),
      points: reward.points,
      currency: reward.currency,
      cents: reward.liabilityCents,
      fromCustomerId: reward.customerId,
      customerId,
    }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
    async possible({ models, now }, _input, { reward, customerId }) {
      const isSame = reward.customerId === customerId;
      if (isSame && reward.correction) return;
      if (isSame) throw hasContact();
      if (!isCorrectable(reward, new Date(now()))) throw notCorrectable(reward);
      await requireNotSuspended(models, reward.partnerId);
    },
    // The proposal contains the new customer's contact.
    customerOf: ({ partnerId, customerId }) => ({ partnerId, customerId }),
  },
  // Ids are keyed hashes; the contact itself stays out of the audit log.
  audit: ({ rewardId: targetId }, { partnerId, mode, customerId }) => ({
    targetId,
    partnerId,
    details: { mode, customerId },
  }),

  /**
   * @returns the reward; the same for a repeat
   * @throws ServiceError CONFLICT for a reward that was claimed or is no longer open, whose contact was corrected
   *   before, or has been this one from the start; PARTNER_SUSPENDED
   */
  async run(deps: OperationDeps, { email, phone }, { found }): Promise<RewardDoc> {
    const { reward, partnerId, country, customerId } = found;
    const isSame = reward.customerId === customerId;
    if (isSame && reward.correction) return reward;
    if (isSame) throw hasContact();
    if (isCorrectable(reward, new Date(deps.now()))) {
      await requireNotSuspended(deps.models, partnerId);
      const contact = { email: normalizeEmail(email), phone: normalizePhone(phone, country) };
      const corrected = await correct(deps, reward, { customerId, contact });
      if (corrected.customerId === customerId) return corrected;
    }
    throw notCorrectable(reward);
  },
});

const hasContact = () => new ServiceError('CONFLICT', 'The reward already has this contact.');

const notCorrectable = ({ _id, state }: RewardDoc): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `${_id} is ${statusOf(state)}. The contact of a reward can be corrected once, before it is claimed and within its claim window.`,
  );

async function correct(
  deps: OperationDeps,
  found: RewardDoc,
  { customerId, contact }: { customerId: string; contact: CustomerContact },
): Promise<RewardDoc> {
  const { partnerId, purchaseEventId } = found;
  const { purchase } = await readOrderEvent(deps.models, { partnerId, _id: purchaseEventId });
  const claimToken = purchase?.delivery === 'PARTNER' ? null : newToken();
  const sealed: SealedContact = { ...contact, claimToken };
  const sealedContact = await sealForCustomer(
    deps,
    { partnerId, customerId },
    JSON.stringify(sealed),
    correctionContext(found._id),
  );
  const claimTokenHash = claimToken === null ? found.claimTokenHash : sha256Hex(claimToken);
  const to = { customerId, claimTokenHash, sealedContact };
  return await commitReward(
    deps.commit,
    found,
    (draft, reward, terms) => correctContact(draft, reward, terms, to),
    earningDayOf({ ...found, customerId }),
  );
}

/**
 * Rewards behind one that waits for funds no longer wait for it: it lets them pass until it is funded, and keeps its
 * place, in which it is offered what arrives first. No money goes anywhere else than it would without that reward.
 */
export const letOthersPass = operation({
  name: 'reward.let-pass',
  permission: { operator: 'reward.let-pass', user: 'reward.let-pass' },
  secondFactor: 'LIVE',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId: targetId }, { partnerId, mode }) => ({
    targetId,
    partnerId,
    details: { mode },
  }),

  /**
   * A repeat changes nothing.
   * @throws ServiceError CONFLICT for a reward that does not wait for funds, or if `maxPassed` others let them pass
   */
  async run({ commit }: OperationDeps, { rewardId }, { found }): Promise<void> {
    await commitReward(commit, found, (draft, reward, terms) => {
      if (letPass(draft, reward, terms)) return;
      throw new ServiceError(
        'CONFLICT',
        reward.state === 'AWAITING_FUNDING'
          ? `${maxPassed} orders already let the others pass. Top up to fund them first.`
          : `${rewardId} is ${statusOf(reward.state)}. Only a reward that waits for funds can let the others pass.`,
      );
    });
  },
});

/** Ends the hold of a reward early, since nothing of its order will come back: the customer can claim it now. */
export const endHold = operation({
  name: 'reward.end-hold',
  permission: { operator: 'reward.end-hold', user: 'reward.end-hold' },
  secondFactor: 'LIVE',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId: targetId }, { partnerId, mode }) => ({
    targetId,
    partnerId,
    details: { mode },
  }),

  /**
   * A repeat changes nothing.
   * @throws ServiceError CONFLICT for a reward that never had a hold, or is no longer unclaimed; PARTNER_SUSPENDED
   */
  async run({ commit, models }: OperationDeps, { rewardId }, { found }): Promise<RewardDoc> {
    await requireNotSuspended(models, found.partnerId);
    return await commitReward(commit, found, (draft, reward, terms) => {
      const { state, claimableFrom } = reward;
      if (claimableFrom !== undefined && canMove(state, 'MATURE')) {
        return mature(draft, reward, terms, true);
      }
      throw new ServiceError(
        'CONFLICT',
        `${rewardId} is ${statusOf(state)}${claimableFrom === undefined ? ', and was never on hold' : ''}. Only the hold of an unclaimed reward can be ended.`,
      );
    });
  },
});

/**
 * Sends the customer of a reward their link again, to the same contact and within the same quotas: the same claim link
 * of an unclaimed reward, and of a claimed one a link to their points.
 */
export const sendLinkAgain = operation({
  name: 'reward.send-again',
  permission: { operator: null, user: 'reward.send-again' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId: targetId }, { partnerId, mode }) => ({
    targetId,
    partnerId,
    details: { mode },
  }),

  /**
   * @returns which link is sent
   * @throws ServiceError CONFLICT for a reward that expired, was cancelled, is on hold or waits for funds, or whose
   *   claim link the partner delivers
   */
  async run(
    { models, messenger, now }: OperationDeps,
    { rewardId },
    { found },
  ): Promise<'CLAIM' | 'POINTS'> {
    const { partnerId, purchaseEventId, customerId, mode, state } = found;
    if (claimedStates.includes(state)) {
      await messenger.startPointsLink({ partnerId, purchaseEventId, rewardId, customerId, mode });
      return 'POINTS';
    }
    const { claimableFrom } = found;
    if (claimableFrom !== undefined && isOnHold(found, new Date(now()))) {
      throw new ServiceError(
        'CONFLICT',
        `${rewardId} is on hold until ${claimableFrom.toISOString()}. The customer gets the claim link then.`,
      );
    }
    if (state !== 'ACCEPTED' && state !== 'FUNDED') {
      throw new ServiceError(
        'CONFLICT',
        `${rewardId} is ${statusOf(state)}, and cannot be claimed.`,
      );
    }
    const { purchase } = await readOrderEvent(models, { partnerId, _id: purchaseEventId });
    if (purchase?.delivery === 'PARTNER') {
      throw new ServiceError('CONFLICT', 'You deliver the claim links of this integration.');
    }
    await requireNotSuspended(models, partnerId);
    await messenger.startSendAgain({ partnerId, rewardId });
    return 'CLAIM';
  },
});

/**
 * Claims a reward for the holder of its link, by one commit with its money and points, in which a purchase that
 * has not begun begins. It has no audit entry, because the reward's move records it. A repeat returns the same.
 * @param at by the database's clock: that of another process, which may end the window, may differ from this one's
 * @returns the reward afterwards; its state says whether it is claimed
 * @throws ServiceError NOT_FOUND if the link no longer is that of the reward
 */
export async function claimReward(
  { commit }: Pick<OperationDeps, 'commit'>,
  found: RewardDoc,
  { at, language }: { at: Date; language?: Language | undefined },
): Promise<RewardDoc> {
  return await commitReward(commit, found, (draft, reward, terms) => {
    if (reward.claimTokenHash !== found.claimTokenHash) {
      throw new ServiceError('NOT_FOUND', 'This claim link is unknown.');
    }
    return claim(draft, reward, { ...terms, at }, language);
  });
}
