import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type ProvableAddress, provenAs } from '../../domain/partner-contact.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ProofDeps, takeProofCode } from '../proof-codes.ts';
import { addressField } from './address-field.ts';

/** Verifies an address of the profile by the emailed code. From then on, notices, or customers' replies, go there. */
export const confirmContactEmail = operation({
  name: 'contact-email.confirm',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; address: ProvableAddress; code: string }>({
    partnerId: idField,
    address: addressField,
    code: Joi.string().trim().max(20).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a wrong code, after too many attempts, and once it has
   *   expired; CONFLICT if the profile has another address now
   */
  async run(deps: ProofDeps, { partnerId, address, code }): Promise<void> {
    const kept = provenAs[address];
    const proof = { of: partnerId, kind: kept.code, code };
    const { to, codeHash } = await takeProofCode(deps, proof);
    const { matchedCount } = await deps.models.partners.updateOne(
      { _id: partnerId, [address]: to, [`${kept.code}.codeHash`]: codeHash },
      { $set: { [kept.verified]: to, [kept.code]: null } },
    );
    if (matchedCount === 0) {
      throw new ServiceError('CONFLICT', 'The address has changed since. Send a new code.');
    }
  },
});
