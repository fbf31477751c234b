import { ServiceError } from '../../domain/errors.ts';
import {
  type CodeGuesser,
  type CodeTry,
  codeWasRight,
  factorContext,
  proveDevice,
  provenDeviceOf,
  takeCodeTry,
} from '../../models/identity/second-factors.ts';
import { keepChallenge, setFlash, strengthenSession } from '../../models/identity/sessions.ts';
import { newToken } from '../../platform/hashing.ts';
import { creationOptions, relyingPartyOf, requestOptions } from '../../platform/passkeys.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { deviceCookie, sessionCookie } from './sign-in.ts';
import { requireGranted, waitOr } from './throttle.ts';

type UserContext = PageContext<'user'>;

const tooManyMailed = () =>
  'Too many wrong codes were entered for your account. Sign out, then sign in with a link sent by email.';

/** Messages after too many attempts, by source of the code: an authenticator app, or an email. */
const messages = {
  APP: {
    now: waitOr(', or use a recovery code'),
    today: () =>
      'Too many wrong codes were entered for your account today. Use a recovery code, or a browser in which you have entered a code before.',
    todayHere: () =>
      'Too many wrong codes were entered in this browser today. Use a recovery code.',
  },
  MAILED: { now: tooManyMailed, today: tooManyMailed, todayHere: tooManyMailed },
} as const;

/**
 * Counts an attempt to enter a code: in this process for 15 minutes, and across processes for a day.
 * Someone who knows the password uses up the attempts of unknown browsers, but none of a browser in which
 * the user has entered a correct code before.
 * @throws ServiceError RATE_LIMITED
 */
export async function tryCode(
  deps: PageDeps,
  ctx: UserContext,
  kind: keyof typeof messages,
): Promise<CodeTry> {
  const guesser = guesserOf(deps, ctx);
  const { now, today, todayHere } = messages[kind];
  deps.throttle.tryCode(nameOf(guesser), now);
  const tried = await takeCodeTry(deps, guesser);
  requireGranted(tried, guesser.provenDevice === null ? today : todayHere);
  return tried;
}

/** Clears the count after a correct code. */
export async function clearCodeTries(deps: PageDeps, ctx: UserContext): Promise<void> {
  const guesser = guesserOf(deps, ctx);
  deps.throttle.codeWasRight(nameOf(guesser));
  await codeWasRight(deps, guesser);
}

const guesserOf = ({ config }: PageDeps, ctx: UserContext): CodeGuesser => {
  const { user } = ctx.state.viewer;
  return { userId: user._id, provenDevice: provenDeviceOf(user, deviceCookie(config).read(ctx)) };
};

const nameOf = ({ userId, provenDevice }: CodeGuesser): string =>
  provenDevice === null ? userId : `${userId} ${provenDevice}`;

/** Records that a correct code was entered in this browser. */
export async function rememberBrowser(deps: PageDeps, ctx: UserContext): Promise<void> {
  const cookie = deviceCookie(deps.config);
  const device = cookie.read(ctx) ?? newToken();
  cookie.write(ctx, device, { lasts: true });
  await proveDevice(deps.models, ctx.state.viewer.user._id, device, new Date(deps.now()));
}

/** Encrypts the secret of an authenticator app that is being set up, for a hidden field of the form. */
export const sealCodeSecret = ({ sealer }: PageDeps, userId: string, secret: string): string =>
  sealer.seal(secret, factorContext(userId));

/** @returns the secret; null if it was not encrypted for this user */
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

/**
 * What the browser needs to add or to use a passkey. Only this session can answer the challenge, once.
 * @throws ServiceError CONFLICT where there are no passkeys
 */
export async function newPasskeyOptions(deps: PageDeps, ctx: UserContext, use: 'ADD' | 'GIVE') {
  const { session, user } = ctx.state.viewer;
  const { url } = deps.config.portal;
  const relyingParty = relyingPartyOf(url);
  if (relyingParty === null) throw new ServiceError('CONFLICT', `Passkeys do not work at ${url}.`);
  const known = user.secondFactor?.passkeys ?? [];
  const options =
    use === 'ADD'
      ? await creationOptions(relyingParty, user, known)
      : await requestOptions(relyingParty, known);
  await keepChallenge(deps, session, options.challenge);
  return options;
}

/** Gives the session a new cookie after a second factor was set up, which counts as having been entered. */
export async function strengthen(deps: PageDeps, ctx: UserContext): Promise<void> {
  const { session } = ctx.state.viewer;
  const token = await strengthenSession(deps, session);
  sessionCookie(deps.config).write(ctx, token, { lasts: true });
  await setFlash(deps, session, null);
}
