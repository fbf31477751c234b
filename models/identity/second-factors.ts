import { type KeyObject, randomBytes } from 'node:crypto';
import { plainRecoveryCode, recoveryCodeChars } from '../../domain/second-factor.ts';
import { shortKeyedHash } from '../../platform/hashing.ts';
import { stepOfCode } from '../../platform/one-time-codes.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/user.ts';

const recoveryCodes = 10;
const base32 = 'abcdefghijkmnpqrstuvwxyz23456789';

interface FactorDeps {
  models: Models;
  sealer: Sealer;
  /** Of the configuration; the recovery codes' hashes are made with it. */
  customerHashKey: KeyObject;
  now: () => number;
}

/** What a user's secret is sealed for, so that it opens for nobody else. */
export const factorContext = (userId: string): string => `second factor of ${userId}`;

/** 80 random bits in groups that a person can copy. */
function newRecoveryCode(): string {
  const chars = Array.from(randomBytes(recoveryCodeChars), (byte) => base32[byte % base32.length]);
  return chars.join('').replace(/(.{4})(?!$)/g, '$1-');
}

function recoveryHash(hashKey: KeyObject, userId: string, code: string): string {
  return shortKeyedHash(hashKey, `recovery code\n${userId}\n${plainRecoveryCode(code)}`);
}

/**
 * Gives a user a second factor, in place of any before.
 * @param secret of the authenticator app, proved by the code whose half minute is `step`
 * @returns the recovery codes in clear, this once
 */
export async function enrollSecondFactor(
  { models, sealer, customerHashKey, now }: FactorDeps,
  userId: string,
  { secret, step }: { secret: string; step: number },
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  const secondFactor = {
    sealedSecret: sealer.seal(secret, factorContext(userId)),
    enrolledAt: new Date(now()),
    lastStep: step,
    recoveryCodeHashes: codes.map((code) => recoveryHash(customerHashKey, userId, code)),
  };
  await models.users.updateOne({ _id: userId }, { $set: { secondFactor } });
  return codes;
}

/** Takes a user's second factor away, with what is known of codes that were given or tried. */
export async function dropSecondFactor(
  { users }: Pick<Models, 'users'>,
  _id: string,
): Promise<void> {
  const unproven = { hash: '$$this.hash', lastUsedAt: '$$this.lastUsedAt' };
  const devices = { $map: { input: { $ifNull: ['$devices', []] }, in: unproven } };
  await users.updateOne(
    { _id },
    [{ $set: { secondFactor: null, devices } }, { $unset: 'wrongCodes' }],
    { updatePipeline: true },
  );
}

/**
 * Takes a code of the authenticator app, or a recovery code; each once.
 * @returns whether it was right
 */
export async function takeCode(
  { models, sealer, customerHashKey, now }: FactorDeps,
  { _id, secondFactor }: UserDoc,
  code: string,
): Promise<boolean> {
  if (!secondFactor) return false;
  const secret = sealer.open(secondFactor.sealedSecret, factorContext(_id));
  const step = stepOfCode(secret, code.replace(/\s/g, ''), now());
  const taken =
    step === null
      ? await takeRecoveryCode(models, _id, recoveryHash(customerHashKey, _id, code))
      : await models.users.updateOne(
          { _id, 'secondFactor.lastStep': { $lt: step } },
          { $set: { 'secondFactor.lastStep': step } },
        );
  return taken.modifiedCount > 0;
}

async function takeRecoveryCode(models: Models, _id: string, hash: string) {
  return await models.users.updateOne(
    { _id, 'secondFactor.recoveryCodeHashes': hash },
    { $pull: { 'secondFactor.recoveryCodeHashes': hash } },
  );
}
