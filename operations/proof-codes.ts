import { randomInt } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { ProofCode } from '../models/schemas/partner.ts';
import { shortKeyedHash } from '../platform/hashing.ts';
import type { OperationDeps } from './deps.ts';

/** What proving needs. */
export type ProofDeps = Pick<OperationDeps, 'models' | 'now'> & {
  config: Pick<OperationDeps['config'], 'customerHashKey'>;
};

/** What is proven, by the field that keeps its code. */
type Proven = 'testPhoneCode' | 'contactEmailCode';

/** What each hash says that it is of. */
const purposes: Record<Proven, string> = {
  testPhoneCode: 'test phone',
  contactEmailCode: 'contact email',
};

/** How long a code can be entered, and how often. */
export const codeMinutes = 10;
const maxTries = 5;

interface Of {
  partnerId: string;
  proven: Proven;
}

const codeHashOf = (
  { customerHashKey }: ProofDeps['config'],
  { partnerId, proven, to, code }: Of & { to: string; code: string },
): string => shortKeyedHash(customerHashKey, `${purposes[proven]}\n${partnerId}\n${to}\n${code}`);

/**
 * Makes the code that is sent to an address or a number: whoever enters it reads what goes there. One that
 * was sent before is over.
 */
export async function newProofCode(
  { models, config, now }: ProofDeps,
  { to, ...of }: Of & { to: string },
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const kept: ProofCode = {
    to,
    codeHash: codeHashOf(config, { ...of, to, code }),
    expiresAt: new Date(now() + codeMinutes * 60_000),
    triesLeft: maxTries,
  };
  await models.partners.updateOne({ _id: of.partnerId }, { $set: { [of.proven]: kept } });
  return code;
}

/**
 * Takes a code that somebody entered.
 * @returns what it proves, and the code as it is kept: whoever notes the one names the other
 * @throws ServiceError VALIDATION_FAILED for a wrong code, and for any after too many or too long
 */
export async function takeProofCode(
  { models, config, now }: ProofDeps,
  { partnerId, proven, code }: Of & { code: string },
): Promise<Pick<ProofCode, 'to' | 'codeHash'>> {
  // Each try is taken before the code is looked at: guessing many at once allows no more of them.
  const partner = await models.partners
    .findOneAndUpdate(
      {
        _id: partnerId,
        [`${proven}.triesLeft`]: { $gt: 0 },
        [`${proven}.expiresAt`]: { $gt: new Date(now()) },
      },
      { $inc: { [`${proven}.triesLeft`]: -1 } },
    )
    .lean();
  const kept = partner?.[proven];
  if (!kept) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is no longer valid. Send a new one.');
  }
  const { to, codeHash } = kept;
  if (codeHashOf(config, { partnerId, proven, to, code }) !== codeHash) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is wrong.');
  }
  return { to, codeHash };
}
