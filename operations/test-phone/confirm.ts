import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import type { TestPhone } from '../../models/schemas/partners.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ProofDeps, takeProofCode } from '../proof-codes.ts';

/** Verifies a phone number by its code. From then on, text messages about TEST rewards go there. */
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

  /** @throws ServiceError VALIDATION_FAILED for a wrong code, after too many attempts, and once it has expired */
  async run(deps: ProofDeps, { partnerId, code }): Promise<void> {
    const proof = { of: partnerId, kind: 'testPhoneCode', code } as const;
    const { to: number, codeHash } = await takeProofCode(deps, proof);
    const testPhone: TestPhone = { number, verifiedAt: new Date(deps.now()) };
    await deps.models.partners.updateOne(
      { _id: partnerId, 'testPhoneCode.codeHash': codeHash },
      { $set: { testPhone, testPhoneCode: null } },
    );
  },
});
