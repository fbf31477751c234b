import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Removes the phone number; from then on, text messages about TEST rewards stay in the outbox. */
export const removeTestPhone = operation({
  name: 'test-phone.remove',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId, details: {} }),

  async run({ models }: AuditDeps, { partnerId: _id }): Promise<void> {
    await models.partners.updateOne({ _id }, { $set: { testPhone: null, testPhoneCode: null } });
  },
});
