import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  type NoticeRhythm,
  type NoticeSwitch,
  newDevice,
  noticeRhythms,
  noticeSwitches,
} from '../../domain/notices.ts';
import { operatorsId } from '../../domain/webhooks.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { saveNotices } from '../../models/webhooks/notices.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';
import { type NotifyDeps, notifyOfChange } from './notify-of-change.ts';

/** Chooses the notices that one receives by email. */
export const chooseNotices = operation({
  name: 'own-notices.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ notices: NoticeSwitch[]; rhythm: NoticeRhythm }>({
    notices: Joi.array()
      .items(Joi.string().valid(...noticeSwitches.user, ...noticeSwitches.operator))
      .unique()
      .required(),
    rhythm: Joi.string()
      .valid(...noticeRhythms)
      .default('AT_ONCE'),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ notices, rhythm }, { partnerId, _id }) => ({
    partnerId,
    targetId: _id,
    details: { notices, rhythm },
  }),

  /** @throws ServiceError VALIDATION_FAILED for notices that this user cannot receive */
  async run(
    deps: Pick<OperationDeps, 'models'> & NotifyDeps,
    { notices, rhythm },
    { found: user },
  ) {
    const { models, now } = deps;
    const { _id: userId, partnerId, notifiesOfNewDevices } = user;
    const offered: readonly NoticeSwitch[] =
      noticeSwitches[partnerId === null ? 'operator' : 'user'];
    if (!notices.every((notice) => offered.includes(notice))) {
      throw new ServiceError('VALIDATION_FAILED', 'Choose from your own notices.');
    }
    const told = notices.filter((notice) => notice !== newDevice);
    const whose = { partnerId: partnerId ?? operatorsId, userId };
    await saveNotices(models, whose, told, rhythm, new Date(now()));
    const wants = notices.includes(newDevice);
    await models.users.updateOne({ _id: userId }, { $set: { notifiesOfNewDevices: wants } });
    if (wants || notifiesOfNewDevices === false) return;
    await notifyOfChange(deps, user, 'You are no longer notified of sign-ins with a new browser.');
  },
});
