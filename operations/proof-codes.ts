import { randomInt } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { ProofCode } from '../models/schemas/people.ts';
import { plainCode, shortKeyedHash } from '../platform/hashing.ts';
import type { OperationDeps } from './deps.ts';

/** Dependencies for sending and checking codes. */
export type ProofDeps = Pick<OperationDeps, 'models' | 'now'> & {
  config: Pick<OperationDeps['config'], 'customerHashKey'>;
};

/** By field: the collection that stores the code, and the purpose that its hash includes. */
const kinds = {
  contactEmailCode: { collection: 'partners', purpose: 'contact email' },
  supportEmailCode: { collection: 'partners', purpose: 'support email' },
  emailCode: { collection: 'sessions', purpose: 'own email' },
} as const;
type Kind = keyof typeof kinds;
type CodeHolder = { _id: string } & Partial<Record<Kind, ProofCode | null>>;

/** What a code proves, and the id of the partner or session that it belongs to. */
interface CodePurpose {
  kind: Kind;
  of: string;
}

/** How long a code can be entered, and how often. */
export const codeMinutes = 10;
const maxTries = 5;

const codeHashOf = (
  { customerHashKey }: ProofDeps['config'],
  { kind, of, to, code }: CodePurpose & { to: string; code: string },
): string => shortKeyedHash(customerHashKey, `${kinds[kind].purpose}\n${of}\n${to}\n${code}`);

const holdersOf = ({ models }: ProofDeps, kind: Kind) =>
  models.connection.collection<CodeHolder>(kinds[kind].collection);

/**
 * Creates the code to send to an address or phone number. Entering it proves access to messages sent there.
 * It replaces any earlier code.
 */
export async function newProofCode(
  deps: ProofDeps,
  { kind, of, to }: CodePurpose & { to: string },
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const storedCode: ProofCode = {
    to,
    codeHash: codeHashOf(deps.config, { kind, of, to, code }),
    expiresAt: new Date(deps.now() + codeMinutes * 60_000),
    triesLeft: maxTries,
  };
  await holdersOf(deps, kind).updateOne({ _id: of }, { $set: { [kind]: storedCode } });
  return code;
}

/**
 * Checks a code that somebody entered.
 * @returns what the code was sent to, and its hash, by which the caller updates the record only if the code
 *   is still the same
 * @throws ServiceError VALIDATION_FAILED for a wrong code, after too many attempts, and once it has expired
 */
export async function takeProofCode(
  deps: ProofDeps,
  { kind, of, code }: CodePurpose & { code: string },
): Promise<Pick<ProofCode, 'to' | 'codeHash'>> {
  // The attempt is counted before the code is compared, so that concurrent guesses gain nothing.
  const holder = await holdersOf(deps, kind).findOneAndUpdate(
    {
      _id: of,
      [`${kind}.triesLeft`]: { $gt: 0 },
      [`${kind}.expiresAt`]: { $gt: new Date(deps.now()) },
    },
    { $inc: { [`${kind}.triesLeft`]: -1 } },
  );
  const storedCode = holder?.[kind];
  if (!storedCode) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is no longer valid. Request a new one.');
  }
  const { to, codeHash } = storedCode;
  if (codeHashOf(deps.config, { kind, of, to, code: plainCode(code) }) !== codeHash) {
    throw new ServiceError('VALIDATION_FAILED', 'The code is wrong.');
  }
  return { to, codeHash };
}
