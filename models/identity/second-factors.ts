import { type KeyObject, randomBytes } from 'node:crypto';
import { plainRecoveryCode, recoveryCodeChars } from '../../domain/partners.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { sha256Hex, shortKeyedHash, stepOfCode } from '../../platform/hashing.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { PasskeyDoc, UserDoc, WrongCodes } from '../schemas/people.ts';

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

/** New recovery codes in clear, and what is stored of them. */
function newRecoveryCodes(hashKey: KeyObject, userId: string) {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  return { codes, recoveryCodeHashes: codes.map((code) => recoveryHash(hashKey, userId, code)) };
}

/**
 * Sets up a user's authenticator app, replacing any previous one and its recovery codes; passkeys stay.
 * @param secret of the authenticator app, proven by the code of time step `step`
 * @returns the recovery codes in clear; only their hashes are stored
 */
export async function enrollSecondFactor(
  { models, sealer, customerHashKey, now }: FactorDeps,
  userId: string,
  { secret, step }: { secret: string; step: number },
): Promise<string[]> {
  const { codes, recoveryCodeHashes } = newRecoveryCodes(customerHashKey, userId);
  const app = {
    sealedSecret: sealer.seal(secret, factorContext(userId)),
    enrolledAt: new Date(now()),
    lastStep: step,
    recoveryCodeHashes,
  };
  await models.users.updateOne(
    { _id: userId },
    [{ $set: { secondFactor: { $mergeObjects: ['$secondFactor', { $literal: app }] } } }],
    { updatePipeline: true },
  );
  return codes;
}

/** The most passkeys of a user. */
export const maxPasskeys = 10;

/**
 * Adds a passkey to a user's second factor, or sets the factor up with it.
 * @returns the recovery codes in clear if it is the user's first factor; null if the user has this passkey
 *   already, or too many
 */
export async function savePasskey(
  { models, customerHashKey }: Pick<FactorDeps, 'models' | 'customerHashKey'>,
  _id: string,
  passkey: PasskeyDoc,
): Promise<string[] | null> {
  const { users } = models;
  const { codes, recoveryCodeHashes } = newRecoveryCodes(customerHashKey, _id);
  const first = {
    sealedSecret: null,
    enrolledAt: passkey.createdAt,
    lastStep: 0,
    passkeys: [passkey],
    recoveryCodeHashes,
  };
  const begun = await users.updateOne(
    { _id, secondFactor: null },
    { $set: { secondFactor: first } },
  );
  if (begun.modifiedCount > 0) return codes;
  const added = await users.updateOne(
    {
      _id,
      secondFactor: { $ne: null },
      'secondFactor.passkeys.credentialId': { $ne: passkey.credentialId },
      [`secondFactor.passkeys.${maxPasskeys - 1}`]: { $exists: false },
    },
    { $push: { 'secondFactor.passkeys': passkey } },
  );
  return added.modifiedCount > 0 ? [] : null;
}

/**
 * Stores that a passkey was entered.
 * @param counter after this signature
 * @returns false if it was removed, or entered at the same moment
 */
export async function usePasskey(
  { models, now }: Pick<FactorDeps, 'models' | 'now'>,
  userId: string,
  { passkey, counter }: { passkey: PasskeyDoc; counter: number },
): Promise<boolean> {
  const { _id, counter: before } = passkey;
  const used = await models.users.updateOne(
    {
      _id: userId,
      'secondFactor.passkeys': { $elemMatch: { _id, counter: before } },
    },
    {
      $set: {
        'secondFactor.passkeys.$.counter': counter,
        'secondFactor.passkeys.$.lastUsedAt': new Date(now()),
      },
    },
  );
  return used.matchedCount > 0;
}

/**
 * Removes a passkey.
 * @param mayBeLast whether the user may do without a second factor, which ends with the last passkey if there is
 *   no authenticator app
 * @returns false if it was not removed
 */
export async function deletePasskey(
  { users }: Pick<Models, 'users'>,
  userId: string,
  passkeyId: string,
  { mayBeLast }: { mayBeLast: boolean },
): Promise<boolean> {
  const its = { _id: userId, 'secondFactor.passkeys._id': passkeyId };
  const another = [
    { 'secondFactor.sealedSecret': { $ne: null } },
    { 'secondFactor.passkeys.1': { $exists: true } },
  ];
  const removed = await users.updateOne(
    { ...its, $or: another },
    { $pull: { 'secondFactor.passkeys': { _id: passkeyId } } },
  );
  if (removed.modifiedCount > 0 || !mayBeLast) return removed.modifiedCount > 0;
  return await dropSecondFactor({ users }, { ...its, $nor: another });
}

/**
 * Removes a user's second factor, along with used codes and failed attempts.
 * @param whose which user, and what else must hold
 * @returns whether there was such a user
 */
export async function dropSecondFactor(
  { users }: Pick<Models, 'users'>,
  whose: { _id: string } & Record<string, unknown>,
): Promise<boolean> {
  const unproven = { hash: '$$this.hash', lastUsedAt: '$$this.lastUsedAt' };
  const devices = { $map: { input: { $ifNull: ['$devices', []] }, in: unproven } };
  const { matchedCount } = await users.updateOne(
    whose,
    [{ $set: { secondFactor: null, devices } }, { $unset: 'wrongCodes' }],
    { updatePipeline: true },
  );
  return matchedCount > 0;
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
  const { sealedSecret } = secondFactor;
  const secret = sealedSecret === null ? null : sealer.open(sealedSecret, factorContext(_id));
  const step = secret === null ? null : stepOfCode(secret, code, now());
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

/** The longest that browsers keep a cookie. */
export const deviceLifeMs = 400 * dayMs;
/** The most browsers stored for a user. */
const maxDevices = 20;

type Users = Pick<Models, 'users'>;

/**
 * Beyond the limit, the unproven browser that was used longest ago is dropped. Somebody who only
 * has the password can add any number of browsers and displaces no proven one.
 */
const kept = { $sort: { provenAt: 1, lastUsedAt: 1 }, $slice: -maxDevices } as const;

/**
 * Stores that a user signed in with a browser.
 * @param device the value of its cookie, stored as a hash
 * @returns whether the browser is new; false for a user's first one, which there is nothing to
 *   compare with
 */
export async function noteDevice(
  { users }: Users,
  _id: string,
  device: string,
  now: Date,
): Promise<{ isNew: boolean }> {
  const hash = sha256Hex(device);
  const known = await users.updateOne(
    { _id, 'devices.hash': hash },
    { $set: { 'devices.$.lastUsedAt': now } },
  );
  if (known.matchedCount > 0) return { isNew: false };
  const before = await users.findOneAndUpdate(
    { _id, 'devices.hash': { $ne: hash } },
    { $push: { devices: { $each: [{ hash, lastUsedAt: now }], ...kept } } },
    { returnDocument: 'before' },
  );
  return { isNew: (before?.devices?.length ?? 0) > 0 };
}

/** Forgets a browser, which counts as new the next time. */
export async function forgetDevice({ users }: Users, _id: string, device: string): Promise<void> {
  await users.updateOne({ _id }, { $pull: { devices: { hash: sha256Hex(device) } } });
}

/**
 * Stores that a correct second-factor code was entered in a browser, whether or not it was known.
 */
export async function proveDevice(
  { users }: Users,
  _id: string,
  device: string,
  now: Date,
): Promise<void> {
  const hash = sha256Hex(device);
  const mark = async () => {
    const proven = { 'devices.$.provenAt': now, 'devices.$.lastUsedAt': now };
    const { matchedCount } = await users.updateOne({ _id, 'devices.hash': hash }, { $set: proven });
    return matchedCount > 0;
  };
  if (await mark()) return;
  const added = await users.updateOne(
    { _id, 'devices.hash': { $ne: hash } },
    { $push: { devices: { $each: [{ hash, lastUsedAt: now, provenAt: now }], ...kept } } },
  );
  // It was added in between, since a sign-in is stored after its response.
  if (added.matchedCount === 0) await mark();
}

/**
 * @returns the hash of a browser in which this user has entered a correct code before; otherwise
 *   null
 */
export function provenDeviceOf(
  { devices = [] }: Pick<UserDoc, 'devices'>,
  device: string | undefined,
): string | null {
  if (device === undefined) return null;
  const hash = sha256Hex(device);
  return devices.some((one) => one.hash === hash && one.provenAt) ? hash : null;
}

/** The most wrong codes in a day; a correct one in between does not reset the count. */
export const maxWrongCodesADay = 20;

interface WrongCodeDeps {
  models: Models;
  now: () => number;
}

/**
 * Whose attempts are counted. A browser in which the user entered a correct code before has
 * attempts of its own, so that nobody else can use them up; all other browsers share those of the
 * user, so that more browsers allow no more guesses.
 */
export interface CodeGuesser {
  userId: string;
  /** The hash of a proven browser; otherwise null. */
  provenDevice: string | null;
}

/** Whether another attempt is allowed, and when the day ends. */
export interface CodeTry {
  isGranted: boolean;
  /** The wrong codes today, including this one until it is known to be correct. */
  wrongCodes: number;
  resetSeconds: number;
}

/**
 * Uses one of the day's attempts, across all processes. It counts as wrong until `codeWasRight`.
 */
export async function takeCodeTry(
  { models, now }: WrongCodeDeps,
  { userId, provenDevice }: CodeGuesser,
): Promise<CodeTry> {
  const begun: WrongCodes = { endsAt: new Date(now() + dayMs), count: 1 };
  const counted = (wrongCodes: string) => ({
    $cond: [
      { $gt: [`${wrongCodes}.endsAt`, new Date(now())] },
      {
        endsAt: `${wrongCodes}.endsAt`,
        count: { $min: [maxWrongCodesADay + 1, { $add: [`${wrongCodes}.count`, 1] }] },
      },
      begun,
    ],
  });
  const inDevice = {
    $cond: [
      { $eq: ['$$this.hash', provenDevice] },
      { $mergeObjects: ['$$this', { wrongCodes: counted('$$this.wrongCodes') }] },
      '$$this',
    ],
  };
  const user = await models.users
    .findOneAndUpdate(
      { _id: userId },
      [
        {
          $set:
            provenDevice === null
              ? { wrongCodes: counted('$wrongCodes') }
              : { devices: { $map: { input: '$devices', in: inDevice } } },
        },
      ],
      { returnDocument: 'after', updatePipeline: true },
    )
    .orFail();
  const { count, endsAt } =
    (provenDevice === null
      ? user.wrongCodes
      : user.devices?.find(({ hash }) => hash === provenDevice)?.wrongCodes) ?? begun;
  const resetSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now()) / 1_000));
  return { isGranted: count <= maxWrongCodesADay, wrongCodes: count, resetSeconds };
}

/** Records that the last code was correct, so that it does not count. */
export async function codeWasRight(
  { models }: Pick<WrongCodeDeps, 'models'>,
  { userId, provenDevice }: CodeGuesser,
): Promise<void> {
  if (provenDevice === null) {
    await models.users.updateOne(
      { _id: userId, 'wrongCodes.count': { $gt: 0 } },
      { $inc: { 'wrongCodes.count': -1 } },
    );
    return;
  }
  const counted = { hash: provenDevice, 'wrongCodes.count': { $gt: 0 } };
  await models.users.updateOne(
    { _id: userId, devices: { $elemMatch: counted } },
    { $inc: { 'devices.$.wrongCodes.count': -1 } },
  );
}
