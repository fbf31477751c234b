import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';

/** How long an emailed sign-in link is valid. */
export const signInLinkMs = 15 * 60_000;

interface LinkDeps {
  models: Models;
  now: () => number;
}

/**
 * Creates a sign-in link for a user. Links sent before stay valid.
 * @returns the token in clear; only the hash is stored
 */
export async function createSignInLink({ models, now }: LinkDeps, userId: string): Promise<string> {
  const token = newToken();
  await models.signInLinks.create({
    _id: sha256Hex(token),
    userId,
    expiresAt: new Date(now() + signInLinkMs),
  });
  return token;
}

/** The user of a valid sign-in link. */
export async function findSignInLink({ models, now }: LinkDeps, token: string) {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  return await models.signInLinks.findOne(open);
}

/** Uses up a sign-in link. @returns its user, or null if it is not valid */
export async function takeSignInLink({ models, now }: LinkDeps, token: string) {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  const link = await models.signInLinks.findOneAndDelete(open);
  return link?.userId ?? null;
}
