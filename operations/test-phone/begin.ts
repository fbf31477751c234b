import { randomInt } from 'node:crypto';
import Joi from 'joi';
import { normalizePhone } from '../../domain/customer.ts';
import { ServiceError } from '../../domain/errors.ts';
import { maskPhone } from '../../domain/mask.ts';
import { isTextable } from '../../domain/text-messages.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { TestPhoneCode } from '../../models/schemas/partner.ts';
import { shortKeyedHash } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

type Deps = Pick<OperationDeps, 'models' | 'now' | 'sendMessage'> & {
  config: Pick<OperationDeps['config'], 'customerHashKey'>;
};

/** How long a code can be entered, and how often. */
const codeMinutes = 10;
const maxTries = 5;

/** What a code is kept as. */
export const codeHashOf = (
  { customerHashKey }: Deps['config'],
  { partnerId, number, code }: { partnerId: string; number: string; code: string },
): string => shortKeyedHash(customerHashKey, `test phone\n${partnerId}\n${number}\n${code}`);

/** Sends a code to a number, which proves that whoever enters it has the phone in hand. */
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

  /** @throws ServiceError VALIDATION_FAILED for a number that cannot be texted */
  async run(
    { models, config, sendMessage, now }: Deps,
    { partnerId: _id, number: given },
    { found },
  ): Promise<void> {
    const number = normalizePhone(given, found.country);
    if (number === null || !isTextable(number)) {
      throw new ServiceError('VALIDATION_FAILED', 'Enter a number that takes text messages.');
    }
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const testPhoneCode: TestPhoneCode = {
      number,
      codeHash: codeHashOf(config, { partnerId: _id, number, code }),
      expiresAt: new Date(now() + codeMinutes * 60_000),
      triesLeft: maxTries,
    };
    await models.partners.updateOne({ _id }, { $set: { testPhoneCode } });
    await sendMessage({
      channel: 'SMS',
      id: `test-phone-${newId('request')}`,
      to: number,
      text: `${code} is your code for the partner portal. It is valid for ${codeMinutes} minutes.`,
    });
  },
});
