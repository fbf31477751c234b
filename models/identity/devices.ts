import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { UserDoc } from '../schemas/people.ts';

/** The longest that browsers keep a cookie. */
export const deviceLifeMs = 400 * 86_400_000;
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
