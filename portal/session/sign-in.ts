import { createHmac } from 'node:crypto';
import { signInMail } from '../../messaging/portal-mails.ts';
import { inheritForm } from '../../models/identity/kept-forms.ts';
import { deviceLifeMs } from '../../models/identity/second-factors.ts';
import { endSession, sessionLifeMs, sessionRememberedMs } from '../../models/identity/sessions.ts';
import {
  createSignInLink,
  findSignInLink,
  signInLinkMs,
  takeSignInLink,
} from '../../models/identity/sign-in-links.ts';
import type { Flash, SignedInBy, UserDoc } from '../../models/schemas/people.ts';
import { sendCounted } from '../../models/store/mail-quotas.ts';
import { beginSession, notifyOfNewDevice } from '../../operations/account.ts';
import { execute } from '../../operations/execute.ts';
import type { Config } from '../../platform/config.ts';
import { newToken } from '../../platform/hashing.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps, PortalDeps } from '../deps.ts';

type CookieContext = Pick<PageContext, 'get' | 'append'>;

const form = /^[\w-]{43}$/;

/** Identifies the session. */
export const sessionCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'session', sessionLifeMs + sessionRememberedMs);

/** Recognizes a browser: it contains no data and grants no access. */
export const deviceCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'device', deviceLifeMs);

/** Belongs to one attempt to sign in at the identity provider. */
export const attemptCookie = (config: Pick<Config, 'portal'>) => cookie(config, 'sso', 10 * 60_000);

/** One of our cookies. Over HTTPS, no other host or path can set or read it. */
function cookie({ portal }: Pick<Config, 'portal'>, plainName: string, lifeMs: number) {
  const isSecure = portal.url.startsWith('https:');
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    /** @returns its value; undefined without a well-formed one */
    read(ctx: CookieContext): string | undefined {
      const pairs = ctx.get('cookie').split(';', 50);
      for (const pair of pairs) {
        const [key, value = ''] = pair.trim().split('=', 2);
        if (key === name) return form.test(value) ? value : undefined;
      }
      return undefined;
    },
    /** @param lasts whether it persists after the browser is closed */
    write(ctx: CookieContext, value: string, { lasts }: { lasts: boolean }): void {
      const age = lasts ? `; Max-Age=${lifeMs / 1000}` : '';
      ctx.append('Set-Cookie', `${name}=${value}; ${attributes}${age}`);
    },
    clear(ctx: CookieContext): void {
      ctx.append('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`);
    },
  };
}

/** The token in forms, derived from the cookie's value, which other sites and scripts cannot read. */
export function csrfTokenOf(cookieValue: string): string {
  return createHmac('sha256', cookieValue).update('csrf').digest('base64url');
}

/**
 * Starts a session for an authenticated user and ends the current one, if any.
 * @param user as they were when they authenticated
 * @returns the value of its cookie, and the name of the form that they sent after an earlier session had ended
 * @throws ServiceError CONFLICT if their password was changed since, which ended all other sessions
 */
export async function signIn(
  deps: PortalDeps,
  ctx: PageContext,
  user: UserDoc,
  signedInBy: SignedInBy,
  flash?: Flash,
): Promise<{ token: string; keptForm: string | null }> {
  const { viewer, address, requestId } = ctx.state;
  const cookieOfSession = sessionCookie(deps.config);
  const before = cookieOfSession.read(ctx);
  if (viewer) await endSession(deps, viewer.user._id, viewer.session._id);
  const { token, session } = await execute(deps, beginSession, actorOfUser(user, requestId), {
    signedInBy,
    address,
    userAgent: ctx.get('user-agent'),
    passwordHash: user.passwordHash,
    ...(flash && { flash }),
  });
  cookieOfSession.write(ctx, token, { lasts: true });
  const keptForm = before === undefined ? null : await inheritForm(deps, before, session);
  const cookie = deviceCookie(deps.config);
  const device = cookie.read(ctx) ?? newToken();
  cookie.write(ctx, device, { lasts: true });
  // Signing in does not wait for the mail server.
  const signedIn = { device, address, userAgent: ctx.get('user-agent') };
  void notifyOfNewDevice(deps, user, signedIn).catch((error: unknown) =>
    deps.log.error({ err: error, requestId }, 'the notice of a new device was not sent'),
  );
  return { token, keptForm };
}

/** The user as an actor. At this point, nothing depends on an operator's role yet. */
function actorOfUser({ _id, operatorId, partnerId, role }: UserDoc, requestId: string) {
  if (partnerId !== null && role !== null) {
    return { kind: 'user', id: _id, role, partnerId, requestId, factor: null } as const;
  }
  return {
    kind: 'operator',
    id: operatorId ?? _id,
    role: 'viewer',
    requestId,
    factor: null,
  } as const;
}

/** The user, if they can still sign in: not removed, and not a revoked operator. */
export async function findActiveUser(
  { models }: Pick<PortalDeps, 'models'>,
  which: { _id: string } | { email: string },
): Promise<UserDoc | null> {
  const user = await models.users.findOne({ ...which, disabledAt: null });
  if (!user?.operatorId) return user;
  return (await models.operators.exists({ _id: user.operatorId, revokedAt: null })) ? user : null;
}

/** Emails a sign-in link. An unknown address, or one that got several recently, gets none. */
export async function sendSignInLink(deps: PageDeps, email: string): Promise<void> {
  if (!deps.throttle.mayMail(email)) return;
  const user = await findActiveUser(deps, { email });
  if (!user) return;
  const token = await createSignInLink(deps, user._id);
  const linkEndsAt = new Date(deps.now() + signInLinkMs);
  const mail = signInMail(deps.config.portal.url, email, { token, linkEndsAt });
  await sendCounted(deps, mail, { kind: 'SIGN_IN', to: email });
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
