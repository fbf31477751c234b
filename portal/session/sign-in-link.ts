import { signInMail } from '../../messaging/portal-mails.ts';
import {
  createSignInLink,
  findSignInLink,
  signInLinkMs,
  takeSignInLink,
} from '../../models/identity/sign-in-links.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import type { PageDeps } from '../deps.ts';
import { findActiveUser } from './sign-in.ts';

/** Emails a sign-in link. An unknown address, or one that got several recently, gets none. */
export async function sendSignInLink(deps: PageDeps, email: string): Promise<void> {
  if (!deps.throttle.mayMail(email)) return;
  const user = await findActiveUser(deps, { email });
  if (!user) return;
  const token = await createSignInLink(deps, user._id);
  const linkEndsAt = new Date(deps.now() + signInLinkMs);
  await deps.sendMessage(signInMail(deps.config.portal.url, email, { token, linkEndsAt }));
}

export const isOpenSignInLink = async (deps: PageDeps, token: string): Promise<boolean> =>
  (await findSignInLink(deps, token)) !== null;

/**
 * Consumes a link.
 * @returns the user who signs in with it; null if it was used, has expired, or its user is gone
 */
export async function useSignInLink(deps: PageDeps, token: string): Promise<UserDoc | null> {
  const userId = await takeSignInLink(deps, token);
  return userId === null ? null : await findActiveUser(deps, { _id: userId });
}
