import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { Flash, SessionDoc, SignedInBy } from '../schemas/session.ts';

const hourMs = 3_600_000;
/** A browser that is left alone is signed out after this. */
export const sessionIdleMs = 12 * hourMs;
/** And any browser after this, however busy. */
export const sessionLifeMs = 7 * 24 * hourMs;
/** The last use is known no more exactly, so that a page costs no write. */
const touchEveryMs = 60_000;
/** The session that was used longest ago ends for a new one past this. */
const maxSessions = 20;
const maxUserAgentChars = 200;

interface SessionDeps {
  models: Models;
  now: () => number;
}

/** Who signs in, how, and from where. */
export interface NewSession {
  userId: string;
  signedInBy: SignedInBy;
  userAgent: string;
  address: string;
  flash?: Flash;
}

const expiryOf = (createdAtMs: number, usedAtMs: number): Date =>
  new Date(Math.min(usedAtMs + sessionIdleMs, createdAtMs + sessionLifeMs));

/** Begins a session. @returns the cookie's value in clear, this once */
export async function startSession(
  { models, now }: SessionDeps,
  { userId, signedInBy, userAgent, address, flash }: NewSession,
): Promise<{ session: SessionDoc; token: string }> {
  const token = newToken();
  const at = new Date(now());
  const session: SessionDoc = {
    _id: newId('session'),
    userId,
    tokenHash: sha256Hex(token),
    signedInBy,
    userAgent: userAgent.slice(0, maxUserAgentChars),
    address,
    createdAt: at,
    lastUsedAt: at,
    expiresAt: expiryOf(now(), now()),
    secondFactorAt: null,
    keptForm: null,
    flash: flash ?? null,
    reveal: null,
  };
  await models.sessions.create(session);
  const surplus = await models.sessions
    .find({ userId }, { _id: 1 })
    .sort({ lastUsedAt: -1 })
    .skip(maxSessions)
    .lean();
  if (surplus.length > 0) {
    await models.sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
  }
  return { session, token };
}

/** The session of a cookie, as long as it lasts. */
export async function findSession(
  { models, now }: SessionDeps,
  token: string,
): Promise<SessionDoc | null> {
  const session = await models.sessions.findOne({ tokenHash: sha256Hex(token) }).lean();
  return session && session.expiresAt.getTime() > now() ? session : null;
}

/** Notes that a session was used, once a minute; what waited too long to be shown goes with it. */
export async function touchSession(
  { models, now }: SessionDeps,
  { _id, lastUsedAt, createdAt, reveal }: SessionDoc,
  address: string,
): Promise<void> {
  if (now() - lastUsedAt.getTime() < touchEveryMs) return;
  await models.sessions.updateOne(
    { _id },
    {
      $set: {
        lastUsedAt: new Date(now()),
        expiresAt: expiryOf(createdAt.getTime(), now()),
        address,
        ...(reveal && reveal.expiresAt.getTime() <= now() && { 'reveal.sealed': null }),
      },
    },
  );
}

/**
 * Notes that the second factor was given, and changes the cookie's value with it: whoever knew the
 * value of before gains nothing.
 * @returns the new value in clear
 */
export async function strengthenSession(
  { models, now }: SessionDeps,
  { _id }: SessionDoc,
): Promise<string> {
  const token = newToken();
  await models.sessions.updateOne(
    { _id },
    { $set: { tokenHash: sha256Hex(token), secondFactorAt: new Date(now()) } },
  );
  return token;
}

/** What the next page of this session says, once; null takes it away. */
export async function setFlash(
  { models }: Pick<SessionDeps, 'models'>,
  { _id }: SessionDoc,
  flash: Flash | null,
): Promise<void> {
  await models.sessions.updateOne({ _id }, { $set: { flash } });
}

/** The sessions of a user, the last used one first. */
export async function sessionsOf({ models, now }: SessionDeps, userId: string) {
  return await models.sessions
    .find({ userId, expiresAt: { $gt: new Date(now()) } })
    .sort({ lastUsedAt: -1 })
    .limit(maxSessions)
    .lean();
}

/** Ends one session of a user. @returns whether there was one */
export async function endSession(
  { models }: Pick<SessionDeps, 'models'>,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  return (await models.sessions.deleteOne({ _id: sessionId, userId })).deletedCount > 0;
}

/** Ends the sessions of a user, and the ways in that were sent by mail. @param but the session that goes on */
export async function endSessions(
  { models }: Pick<SessionDeps, 'models'>,
  userId: string,
  but?: string,
): Promise<void> {
  await models.sessions.deleteMany({ userId, ...(but !== undefined && { _id: { $ne: but } }) });
  await models.signInLinks.deleteMany({ userId });
}

/** Whether a session is one of a user's own. */
export async function isOwnSession(
  { models }: { models: Models },
  userId: string,
  _id: string,
): Promise<boolean> {
  return (await models.sessions.exists({ _id, userId })) !== null;
}
