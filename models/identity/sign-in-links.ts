import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';

/** How long a way in that was sent by mail is open. */
export const signInLinkMs = 15 * 60_000;

interface LinkDeps {
  models: Models;
  now: () => number;
}

/** Makes a way in for a user; those that were sent before stay open. @returns the token in clear, this once */
export async function createSignInLink({ models, now }: LinkDeps, userId: string): Promise<string> {
  const token = newToken();
  await models.signInLinks.create({
    _id: sha256Hex(token),
    userId,
    expiresAt: new Date(now() + signInLinkMs),
  });
  return token;
}

/** Whose way in it is, as long as it is open. */
export async function findSignInLink({ models, now }: LinkDeps, token: string) {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  return await models.signInLinks.findOne(open).lean();
}

/** Takes a way in, of which nobody takes it again. @returns whose it is, or null where it is not open */
export async function takeSignInLink({ models, now }: LinkDeps, token: string) {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  const link = await models.signInLinks.findOneAndDelete(open).lean();
  return link?.userId ?? null;
}
