import { type KeyObject, randomBytes } from 'node:crypto';
import { plainRecoveryCode, recoveryCodeChars } from '../../domain/second-factor.ts';
import { shortKeyedHash } from '../../platform/hashing.ts';
import { stepOfCode } from '../../platform/one-time-codes.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/people.ts';

const recoveryCodes = 10;
const base32 = 'abcdefghijkmnpqrstuvwxyz23456789';

interface FactorDeps {
  models: Models;
  sealer: Sealer;
  /** From the configuration; keys the hashes of recovery codes. */
  customerHashKey: KeyObject;
  now: () => number;
}

/** The context that a user's secret is sealed with, so that it opens for no other user. */
export const factorContext = (userId: string): string => `second factor of ${userId}`;

/** 80 random bits, in groups that are easy to copy. */
function newRecoveryCode(): string {
  const chars = Array.from(randomBytes(recoveryCodeChars), (byte) => base32[byte % base32.length]);
  return chars.join('').replace(/(.{4})(?!$)/g, '$1-');
}

function recoveryHash(hashKey: KeyObject, userId: string, code: string): string {
  return shortKeyedHash(hashKey, `recovery code\n${userId}\n${plainRecoveryCode(code)}`);
}

/**
 * Sets up a user's second factor, replacing any previous one.
 * @param secret of the authenticator app, proven by the code of time step `step`
 * @returns the recovery codes in clear; only their hashes are stored
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

/** Removes a user's second factor, along with used codes and failed attempts. */
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
 * Verifies a code of the authenticator app or a recovery code; each is accepted once.
 * @returns whether it was correct
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
