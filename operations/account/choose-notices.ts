import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  type NoticeSwitch,
  type NoticeType,
  newDevice,
  noticeSwitches,
} from '../../domain/notices.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { saveNotices } from '../../models/webhooks/notices.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';
import { type TellDeps, tellChange } from './tell-change.ts';

/** Chooses what one is told by email. */
export const chooseNotices = operation({
  name: 'own-notices.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ notices: NoticeSwitch[] }>({
    notices: Joi.array()
      .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
      .unique()
      .required(),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ notices }, { partnerId, _id }) => ({ partnerId, targetId: _id, details: { notices } }),

  /** @throws ServiceError VALIDATION_FAILED for what this person is not told */
  async run(deps: Pick<OperationDeps, 'models'> & TellDeps, { notices }, { found: user }) {
    const { models, now } = deps;
    const { _id: userId, partnerId, toldOfNewDevices } = user;
    const offered: readonly NoticeSwitch[] =
      noticeSwitches[partnerId === null ? 'operator' : 'user'];
    if (!notices.every((notice) => offered.includes(notice))) {
      throw new ServiceError('VALIDATION_FAILED', 'Choose from your own notices.');
    }
    const told = notices.filter((notice): notice is NoticeType => notice !== newDevice);
    if (partnerId !== null) await saveNotices(models, { partnerId, userId }, told, new Date(now()));
    const wants = notices.includes(newDevice);
    await models.users.updateOne({ _id: userId }, { $set: { toldOfNewDevices: wants } });
    if (wants || toldOfNewDevices === false) return;
    await tellChange(deps, user, 'You are not told any more of sign-ins with a new browser.');
  },
});
