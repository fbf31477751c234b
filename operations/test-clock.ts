import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { claim, expire, mature } from '../domain/facts.ts';
import { dueEnd } from '../domain/points-end.ts';
import { walletOf } from '../domain/postings.ts';
import { canMove, statusOf } from '../domain/reward.ts';
import { requireNotSuspended } from '../models/identity/partners.ts';
import { readCustomerBalance, readPointsEnd } from '../models/ledger/index.ts';
import { commitReward } from '../models/rewards/commit-reward.ts';
import { requireReward } from '../models/rewards/find-reward.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { OperationDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

/** The moves of the TEST clock. */
export type TestMove = 'MATURE' | 'CLAIM' | 'EXPIRE';

const requirements: Record<TestMove, string> = {
  MATURE: 'Only a reward on hold can be released from it.',
  CLAIM: 'Only a reward that is funded and unclaimed, and not on hold, can be claimed.',
  EXPIRE: 'Only a reward that nobody has claimed can expire.',
};

/**
 * Claims a TEST reward as its customer would, or ends its hold or its claim window, by one commit, in which a purchase that has not
 * begun begins. A reward that has already made the move is returned unchanged.
 * @param found not necessarily stored, because its purchase may not have begun
 * @throws ServiceError CONFLICT for a LIVE reward, and for one that cannot make the move;
 *   PARTNER_SUSPENDED for a claim
 */
export async function moveTestReward(
  { models, commit }: Pick<OperationDeps, 'models' | 'commit'>,
  found: RewardDoc,
  move: TestMove,
): Promise<RewardDoc> {
  if (found.mode !== 'TEST') {
    throw new ServiceError(
      'CONFLICT',
      `${found._id} is LIVE: only its customer can claim it, and it expires only when its window ends.`,
    );
  }
  if (move === 'CLAIM' && canMove(found.state, move))
    await requireNotSuspended(models, found.partnerId);
  const after = await commitReward(commit, found, (draft, reward, terms) => {
    if (move === 'CLAIM') return claim(draft, reward, terms, undefined);
    return move === 'MATURE'
      ? mature(draft, reward, terms, true)
      : expire(draft, reward, terms, true);
  });
  if (!after.moves.some((made) => made.move === move)) {
    throw new ServiceError(
      'CONFLICT',
      `${after._id} is ${statusOf(after.state)}. ${requirements[move]}`,
    );
  }
  return after;
}

/** Claims a TEST reward as its customer would. */
export const claimTestReward = operation({
  name: 'test-clock.claim',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId }, { partnerId }) => ({ targetId: rewardId, partnerId, once: 'now' }),

  /** @throws ServiceError like `moveTestReward` */
  run: (deps: OperationDeps, _input, { found }) => moveTestReward(deps, found, 'CLAIM'),
});

/** Ends the hold of a TEST reward. */
export const matureTestReward = operation({
  name: 'test-clock.mature',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId }, { partnerId }) => ({ targetId: rewardId, partnerId, once: 'now' }),

  /** @throws ServiceError like `moveTestReward` */
  run: (deps: OperationDeps, _input, { found }) => moveTestReward(deps, found, 'MATURE'),
});

/** Ends the claim window of a TEST reward. */
export const expireTestReward = operation({
  name: 'test-clock.expire',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId }, { partnerId }) => ({ targetId: rewardId, partnerId, once: 'now' }),

  /** @throws ServiceError like `moveTestReward` */
  run: (deps: OperationDeps, _input, { found }) => moveTestReward(deps, found, 'EXPIRE'),
});

/**
 * Moves the points of a TEST reward's customer towards their end: the next notice is given or, after the last one, they
 * end. A workflow does it, which sends the message.
 */
export const endTestPoints = operation({
  name: 'test-clock.end-points',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => requireReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId }, { partnerId }) => ({ targetId: rewardId, partnerId }),

  /** @throws ServiceError CONFLICT for a LIVE reward, and if none of the customer's points end */
  async run(
    { models, messenger, now }: Pick<OperationDeps, 'models' | 'messenger' | 'now'>,
    _input,
    { found },
  ): Promise<RewardDoc> {
    const { _id, mode, partnerId, customerId } = found;
    if (mode !== 'TEST') {
      throw new ServiceError(
        'CONFLICT',
        `${_id} is LIVE: its points end only when their time comes.`,
      );
    }
    const [setting, balance] = await Promise.all([
      readPointsEnd(models, walletOf(found)),
      readCustomerBalance(models, { partnerId, customerId }, mode),
    ]);
    const due = balance ? dueEnd(setting, balance, new Date(now()), true).do : 'NOTHING';
    if (due === 'NOTHING' || due === 'FORGET') {
      throw new ServiceError('CONFLICT', `None of the points of the customer of ${_id} end.`);
    }
    await messenger.startPointsEnd({ partnerId, customerId, told: balance?.ending?.told ?? 0 });
    return found;
  },
});
