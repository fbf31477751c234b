import { factorContext } from '../../models/identity/second-factors.ts';
import { setFlash, strengthenSession } from '../../models/identity/sessions.ts';
import { type CodeTry, codeWasRight, takeCodeTry } from '../../models/identity/wrong-codes.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { sessionCookie } from './session-cookie.ts';
import { requirePassage } from './throttle.ts';

/** Counts a code that is tried: in this process for a quarter of an hour, in all for a day. @throws ServiceError RATE_LIMITED */
export async function tryCode(deps: PageDeps, userId: string): Promise<CodeTry> {
  deps.throttle.tryCode(userId);
  const tried = await takeCodeTry(deps, userId);
  requirePassage(tried, 'tooMany.code');
  return tried;
}

/** A code was right: those before it count no more. */
export async function clearCodeTries(deps: PageDeps, userId: string): Promise<void> {
  deps.throttle.codeWasRight(userId);
  await codeWasRight(deps, userId);
}

/** Seals the secret of an authenticator app that is being set up, for the form that carries it. */
export const sealCodeSecret = ({ sealer }: PageDeps, userId: string, secret: string): string =>
  sealer.seal(secret, factorContext(userId));

/** @returns the secret; null for what was not sealed for this user */
export function openCodeSecret(
  { sealer }: PageDeps,
  userId: string,
  sealedSecret: string,
): string | null {
  try {
    return sealer.open(sealedSecret, factorContext(userId));
  } catch {
    return null;
  }
}

/** The session in which a second factor was set up gets a new cookie, and counts as proved by it. */
export async function strengthen(deps: PageDeps, ctx: PageContext<'user'>): Promise<void> {
  const { session } = ctx.state.viewer;
  const token = await strengthenSession(deps, session);
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  await setFlash(deps, session, null);
}
