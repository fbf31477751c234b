import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { Flash, SessionDoc, SignedInBy } from '../schemas/people.ts';
import { touchEveryMs } from './last-use.ts';

const hourMs = 3_600_000;
/** An idle session ends after this. */
export const sessionIdleMs = 12 * hourMs;
/** Every session ends after this, however busy. */
export const sessionLifeMs = 7 * 24 * hourMs;
/** How long the browser and the database remember one that ended, so that a form sent from its pages is kept. */
export const sessionRememberedMs = 7 * 24 * hourMs;
/** The most sessions of a user: beyond it, the one used longest ago ends. */
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

function expiryOf(
  createdAtMs: number,
  usedAtMs: number,
): Pick<SessionDoc, 'expiresAt' | 'deletableAt'> {
  const expiresMs = Math.min(usedAtMs + sessionIdleMs, createdAtMs + sessionLifeMs);
  return {
    expiresAt: new Date(expiresMs),
    deletableAt: new Date(expiresMs + sessionRememberedMs),
  };
}

/** Starts a session. @returns the value of its cookie in clear; only the hash is stored */
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
    ...expiryOf(now(), now()),
    secondFactorAt: null,
    keptForm: null,
    flash: flash ?? null,
    reveal: null,
  };
  await models.sessions.create(session);
  const surplus = await models.sessions
    .find({ userId }, { _id: 1 })
    .sort({ lastUsedAt: -1 })
    .skip(maxSessions);
  if (surplus.length > 0) {
    await models.sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
  }
  return { session, token };
}

/** The valid session of a cookie. */
export async function findSession(
  { models, now }: SessionDeps,
  token: string,
): Promise<SessionDoc | null> {
  const session = await findRememberedSession({ models }, token);
  return session && session.expiresAt.getTime() > now() ? session : null;
}

/** The session of a cookie, also one that has ended by itself; null if somebody ended it. */
export const findRememberedSession = async (
  { models }: Pick<SessionDeps, 'models'>,
  token: string,
): Promise<SessionDoc | null> => await models.sessions.findOne({ tokenHash: sha256Hex(token) });

/** Stores that a session was used, once a minute, and deletes an expired reveal with it. */
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
        ...expiryOf(createdAt.getTime(), now()),
        address,
        ...(reveal && reveal.expiresAt.getTime() <= now() && { 'reveal.sealed': null }),
      },
    },
  );
}

/**
 * Stores that the second factor was entered, and changes the value of the cookie, so that the
 * previous value gains nothing.
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

/** How long a passkey can take to sign: its user may have to fetch a phone. */
const challengeMs = 5 * 60_000;

/** Stores what a passkey has to sign next in a session, replacing any stored before. */
export async function keepChallenge(
  { models, now }: SessionDeps,
  { _id }: SessionDoc,
  value: string,
): Promise<void> {
  const passkeyChallenge = { value, expiresAt: new Date(now() + challengeMs) };
  await models.sessions.updateOne({ _id }, { $set: { passkeyChallenge } });
}

/**
 * Takes the challenge of a session: of two concurrent requests, one gets it.
 * @returns null if there is none, or it has expired
 */
export async function takeChallenge(
  { models, now }: SessionDeps,
  { _id }: Pick<SessionDoc, '_id'>,
): Promise<string | null> {
  const before = await models.sessions.findOneAndUpdate(
    { _id, passkeyChallenge: { $ne: null } },
    { $set: { passkeyChallenge: null } },
    { returnDocument: 'before' },
  );
  const { value, expiresAt } = before?.passkeyChallenge ?? {};
  return value !== undefined && expiresAt && expiresAt.getTime() > now() ? value : null;
}

/** Sets the message for the session's next page, shown once; null removes it. */
export async function setFlash(
  { models }: Pick<SessionDeps, 'models'>,
  { _id }: SessionDoc,
  flash: Flash | null,
): Promise<void> {
  await models.sessions.updateOne({ _id }, { $set: { flash } });
}

/** The sessions of a user, most recently used first. */
export async function sessionsOf({ models, now }: SessionDeps, userId: string) {
  return await models.sessions
    .find({ userId, expiresAt: { $gt: new Date(now()) } })
    .sort({ lastUsedAt: -1 })
    .limit(maxSessions);
}

/** Ends one session of a user. @returns whether there was one */
export async function endSession(
  { models }: Pick<SessionDeps, 'models'>,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  return (await models.sessions.deleteOne({ _id: sessionId, userId })).deletedCount > 0;
}

/**
 * Ends the sessions of a user, and invalidates their sign-in links.
 * @param but the session that stays
 */
export async function endSessions(
  { models }: Pick<SessionDeps, 'models'>,
  userId: string,
  but?: string,
): Promise<void> {
  await models.sessions.deleteMany({ userId, ...(but !== undefined && { _id: { $ne: but } }) });
  await models.signInLinks.deleteMany({ userId });
}
