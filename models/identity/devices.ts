import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/user.ts';

/** As long as browsers keep a cookie. */
export const deviceLifeMs = 400 * 86_400_000;
/** So many browsers of a user are known. */
const maxDevices = 20;

type Users = Pick<Models, 'users'>;

/**
 * The one past the limit goes: of those that are not proven, the one used longest ago. Whoever has the
 * password alone adds as many browsers as they like, and pushes out none that is proven.
 */
const kept = { $sort: { provenAt: 1, lastUsedAt: 1 }, $slice: -maxDevices } as const;

/**
 * Notes that a user signed in with a browser.
 * @param device the value of its cookie, which is kept as its hash
 * @returns whether it is new; the first of all is not, since there is none that it could be told from
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
  const before = await users
    .findOneAndUpdate(
      { _id, 'devices.hash': { $ne: hash } },
      { $push: { devices: { $each: [{ hash, lastUsedAt: now }], ...kept } } },
      { returnDocument: 'before' },
    )
    .lean();
  return { isNew: (before?.devices?.length ?? 0) > 0 };
}

/** Forgets a browser, which is new when it comes again. */
export async function forgetDevice({ users }: Users, _id: string, device: string): Promise<void> {
  await users.updateOne({ _id }, { $pull: { devices: { hash: sha256Hex(device) } } });
}

/** Notes that a right code of the second factor was given in a browser, whether or not it was known. */
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
  // It was noted in between, as a sign-in is behind its answer.
  if (added.matchedCount === 0) await mark();
}

/** @returns the hash of a browser in which this user gave a right code before; null for any other */
export function provenDeviceOf(
  { devices = [] }: Pick<UserDoc, 'devices'>,
  device: string | undefined,
): string | null {
  if (device === undefined) return null;
  const hash = sha256Hex(device);
  return devices.some((one) => one.hash === hash && one.provenAt) ? hash : null;
}
