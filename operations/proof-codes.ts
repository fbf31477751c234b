import { randomInt } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { ProofCode } from '../models/schemas/proof-code.ts';
import { shortKeyedHash } from '../platform/hashing.ts';
import type { OperationDeps } from './deps.ts';

/** What proving needs. */
export type ProofDeps = Pick<OperationDeps, 'models' | 'now'> & {
  config: Pick<OperationDeps['config'], 'customerHashKey'>;
};

/** Where each code is kept, by its field, and what its hash says that it is of. */
const kinds = {
  testPhoneCode: { collection: 'partners', purpose: 'test phone' },
  contactEmailCode: { collection: 'partners', purpose: 'contact email' },
  supportEmailCode: { collection: 'partners', purpose: 'support email' },
  emailCode: { collection: 'sessions', purpose: 'own email' },
} as const;
type Kind = keyof typeof kinds;
type Keeper = { _id: string } & Partial<Record<Kind, ProofCode | null>>;

/** What is proven, of which partner or in which session. */
interface Proof {
  kind: Kind;
  of: string;
}

/** How long a code can be entered, and how often. */
export const codeMinutes = 10;
const maxTries = 5;

const codeHashOf = (
  { customerHashKey }: ProofDeps['config'],
  { kind, of, to, code }: Proof & { to: string; code: string },
): string => shortKeyedHash(customerHashKey, `${kinds[kind].purpose}\n${of}\n${to}\n${code}`);

const keepersOf = ({ models }: ProofDeps, kind: Kind) =>
  models.connection.collection<Keeper>(kinds[kind].collection);

/**
 * Makes the code that is sent to an address or a number: whoever enters it reads what goes there. One that
 * was sent before is over.
 */
export async function newProofCode(
  deps: ProofDeps,
  { kind, of, to }: Proof & { to: string },
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const kept: ProofCode = {
    to,
    codeHash: codeHashOf(deps.config, { kind, of, to, code }),
    expiresAt: new Date(deps.now() + codeMinutes * 60_000),
    triesLeft: maxTries,
  };
  await keepersOf(deps, kind).updateOne({ _id: of }, { $set: { [kind]: kept } });
  return code;
}

/**
 * Takes a code that somebody entered.
 * @returns what it proves, and the code as it is kept: whoever notes the one names the other
 * @throws ServiceError VALIDATION_FAILED for a wrong code, and for any after too many or too long
 */
export async function takeProofCode(
  deps: ProofDeps,
  { kind, of, code }: Proof & { code: string },
): Promise<Pick<ProofCode, 'to' | 'codeHash'>> {
  // Each try is taken before the code is looked at: guessing many at once allows no more of them.
  const keeper = await keepersOf(deps, kind).findOneAndUpdate(
    {
      _id: of,
      [`${kind}.triesLeft`]: { $gt: 0 },
      [`${kind}.expiresAt`]: { $gt: new Date(deps.now()) },
    },
    { $inc: { [`${kind}.triesLeft`]: -1 } },
  );
  const kept = keeper?.[kind];
  if (!kept) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is no longer valid. Request a new one.');
  }
  const { to, codeHash } = kept;
  if (codeHashOf(deps.config, { kind, of, to, code }) !== codeHash) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is wrong.');
  }
  return { to, codeHash };
}
