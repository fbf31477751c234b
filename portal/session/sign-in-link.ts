import { signInMail } from '../../messaging/portal-mails.ts';
import {
  createSignInLink,
  findSignInLink,
  signInLinkMs,
  takeSignInLink,
} from '../../models/identity/sign-in-links.ts';
import type { UserDoc } from '../../models/schemas/user.ts';
import type { PageDeps } from '../deps.ts';
import { findActiveUser } from './sign-in.ts';

/** Mails a link that signs in; an address that nobody has, or that had several of late, gets none. */
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

/** Uses a link up. @returns who signs in with it; null for one that was used, expired, or is nobody's any more */
export async function useSignInLink(deps: PageDeps, token: string): Promise<UserDoc | null> {
  const userId = await takeSignInLink(deps, token);
  return userId === null ? null : await findActiveUser(deps, { _id: userId });
}
