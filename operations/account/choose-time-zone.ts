import Joi from 'joi';
import { timeZones } from '../../domain/time-zones.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';

/** Chooses the time zone in which one sees times. */
export const chooseTimeZone = operation({
  name: 'own-time-zone.choose',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ timeZone: string }>({
    timeZone: Joi.string()
      .valid(...timeZones)
      .required(),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ timeZone }, { partnerId, _id }) => ({
    partnerId,
    targetId: _id,
    details: { timeZone },
  }),

  async run({ models }: Pick<OperationDeps, 'models'>, { timeZone }, { found: { _id } }) {
    await models.users.updateOne({ _id }, { $set: { timeZone } });
  },
});
