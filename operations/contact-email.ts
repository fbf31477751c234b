import Joi from 'joi';
import { type ProvableAddress, provenAs } from '../domain/customer.ts';
import { ServiceError } from '../domain/errors.ts';
import { contactCodeMail } from '../messaging/portal-mails.ts';
import { findPartnerInMode } from '../models/identity/partners.ts';
import { sendCounted } from '../models/store/mail-quotas.ts';
import type { OperationDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';
import { codeMinutes, newProofCode, type ProofDeps, takeProofCode } from './proof-codes.ts';

/** The address of the profile to verify. */
export const addressField = Joi.string<ProvableAddress>()
  .valid(...Object.keys(provenAs))
  .required();

/** Emails a code to an address of the partner's profile, to verify that the partner can read it. */
export const beginContactEmail = operation({
  name: 'contact-email.begin',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string; address: ProvableAddress }>({
    partnerId: idField,
    address: addressField,
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartnerInMode(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * @throws ServiceError CONFLICT if the profile has no address; RATE_LIMITED if too many codes were sent
   *   today to this address, or by this partner
   */
  async run(
    deps: ProofDeps & Pick<OperationDeps, 'sendMessage'>,
    { partnerId, address },
    { found },
  ): Promise<void> {
    const to = found[address];
    if (to === null) {
      throw new ServiceError('CONFLICT', 'Enter the address in the profile first.');
    }
    const proof = { of: partnerId, kind: provenAs[address].code, to };
    const write = async () =>
      contactCodeMail(to, { code: await newProofCode(deps, proof), codeMinutes });
    if (await sendCounted(deps, write, { kind: 'CODE', partnerId, to })) return;
    throw new ServiceError('RATE_LIMITED', 'Too many codes were sent today. Try again tomorrow.');
  },
});

/** Verifies an address of the profile by the emailed code. From then on, notices, or customers' replies, go there. */
export const confirmContactEmail = operation({
  name: 'contact-email.confirm',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string; address: ProvableAddress; code: string }>({
    partnerId: idField,
    address: addressField,
    code: Joi.string().trim().max(20).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartnerInMode(models, partnerId),
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
