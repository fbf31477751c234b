import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type NoticeType, noticeTypes } from '../../domain/notices.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { saveNotices } from '../../models/webhooks/notices.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';

/** Chooses what one is told by email. */
export const chooseNotices = operation({
  name: 'own-notices.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ notices: NoticeType[] }>({
    notices: Joi.array()
      .items(Joi.string().valid(...noticeTypes))
      .unique()
      .required(),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ notices }, { partnerId, _id }) => ({ partnerId, targetId: _id, details: { notices } }),

  /** @throws ServiceError NOT_FOUND for an operator, who is told by other ways */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { notices },
    { found: { _id: userId, partnerId } },
  ) {
    if (partnerId === null) throw new ServiceError('NOT_FOUND', 'Notices are for partners’ users.');
    await saveNotices(models, { partnerId, userId }, notices, new Date(now()));
  },
});
