import Joi from 'joi';
import { normalizePhone } from '../../domain/customer.ts';
import { ServiceError } from '../../domain/errors.ts';
import { maskPhone } from '../../domain/mask.ts';
import { isTextable } from '../../domain/text-messages.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { newId } from '../../platform/ids.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { codeMinutes, newProofCode, type ProofDeps } from '../proof-codes.ts';

/** Sends a code to a phone number, to verify that the user has the phone. */
export const beginTestPhone = operation({
  name: 'test-phone.begin',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; number: string }>({
    partnerId: idField,
    number: Joi.string().trim().max(32).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, number }) => ({
    targetId: partnerId,
    partnerId,
    details: { number: maskPhone(number) },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a number that cannot receive text messages */
  async run(
    deps: ProofDeps & Pick<OperationDeps, 'sendMessage'>,
    { partnerId, number: given },
    { found },
  ): Promise<void> {
    const number = normalizePhone(given, found.country);
    if (number === null || !isTextable(number)) {
      throw new ServiceError('VALIDATION_FAILED', 'Enter a number that can receive text messages.');
    }
    const code = await newProofCode(deps, { of: partnerId, kind: 'testPhoneCode', to: number });
    await deps.sendMessage({
      channel: 'SMS',
      id: `test-phone-${newId('request')}`,
      to: number,
      text: `${code} is your code for Partner Events. It is valid for ${codeMinutes} minutes.`,
    });
  },
});
