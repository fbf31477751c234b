import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { TestPhone } from '../../models/schemas/partner.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { codeHashOf } from './begin.ts';

type Deps = Pick<OperationDeps, 'models' | 'now'> & {
  config: Pick<OperationDeps['config'], 'customerHashKey'>;
};

/** Takes the code that a number was sent: from now on, text messages about TEST rewards go there. */
export const confirmTestPhone = operation({
  name: 'test-phone.confirm',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; code: string }>({
    partnerId: idField,
    code: Joi.string().trim().max(20).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId, details: {} }),

  /** @throws ServiceError VALIDATION_FAILED for a wrong code, and for any after too many or too long */
  async run({ models, config, now }: Deps, { partnerId, code }): Promise<void> {
    const at = new Date(now());
    // Each try is taken before the code is looked at: guessing many at once allows no more of them.
    const partner = await models.partners
      .findOneAndUpdate(
        {
          _id: partnerId,
          'testPhoneCode.triesLeft': { $gt: 0 },
          'testPhoneCode.expiresAt': { $gt: at },
        },
        { $inc: { 'testPhoneCode.triesLeft': -1 } },
      )
      .lean();
    const pending = partner?.testPhoneCode;
    if (!pending) {
      throw new ServiceError('VALIDATION_FAILED', 'The code is no longer valid. Send a new one.');
    }
    const { number, codeHash } = pending;
    if (codeHashOf(config, { partnerId, number, code }) !== codeHash) {
      throw new ServiceError('VALIDATION_FAILED', 'The code is wrong.');
    }
    const testPhone: TestPhone = { number, verifiedAt: at };
    await models.partners.updateOne(
      { _id: partnerId, 'testPhoneCode.codeHash': codeHash },
      { $set: { testPhone, testPhoneCode: null } },
    );
  },
});
