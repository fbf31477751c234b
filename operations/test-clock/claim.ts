import Joi from 'joi';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { moveTestReward } from './move-reward.ts';

/** Claims a TEST reward as its customer would. */
export const claimTestReward = operation({
  name: 'test-clock.claim',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ rewardId: string }>({ rewardId: idField }),
  find: ({ models }, { rewardId }) => findReward(models, rewardId),
  approval: 'NONE',
  audit: ({ rewardId }, { partnerId }) => ({ targetId: rewardId, partnerId, once: 'now' }),

  /** @throws ServiceError like `moveTestReward` */
  run: (deps: OperationDeps, _input, { found }) => moveTestReward(deps, found, 'CLAIM'),
});
