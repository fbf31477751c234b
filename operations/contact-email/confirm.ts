import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ProofDeps, takeProofCode } from '../proof-codes.ts';

/** Takes the code that the contact address was mailed: from now on, the partner's mails go there. */
export const confirmContactEmail = operation({
  name: 'contact-email.confirm',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; code: string }>({
    partnerId: idField,
    code: Joi.string().trim().max(20).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a wrong code, and for any after too many or too long;
   *   CONFLICT where the profile names another address since
   */
  async run(deps: ProofDeps, { partnerId, code }): Promise<void> {
    const proof = { of: partnerId, kind: 'contactEmailCode', code } as const;
    const { to, codeHash } = await takeProofCode(deps, proof);
    const { matchedCount } = await deps.models.partners.updateOne(
      { _id: partnerId, contactEmail: to, 'contactEmailCode.codeHash': codeHash },
      { $set: { verifiedContactEmail: to, contactEmailCode: null } },
    );
    if (matchedCount === 0) {
      throw new ServiceError('CONFLICT', 'The contact email was changed since. Send a new code.');
    }
  },
});
