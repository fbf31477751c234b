import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc } from '../schemas/people.ts';

/** Long enough to find one's phone, or to wait for the email with a sign-in link. */
const keptMs = 30 * 60_000;

export interface KeptFormDeps {
  models: Pick<Models, 'sessions'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  now: () => number;
}

export type FormFields = Record<string, string | string[]>;

/** A form that was sent, and waits until the user has signed in or given their second factor. */
export interface SentForm {
  /** The page with the form: its path, and its query. */
  path: string;
  search: string;
  /** The path and the query that it was sent to; null if it cannot be carried out without more input. */
  action: string | null;
  fields: FormFields;
}

type Kept = NonNullable<SessionDoc['keptForm']>;

const contextOf = (sessionId: string): string => `form of ${sessionId}`;

/** Stores a form, its input sealed, replacing any stored before. @returns its name, under which it is carried out */
export async function keepForm(
  { models, sealer, now }: KeptFormDeps,
  { _id }: Pick<SessionDoc, '_id'>,
  { fields, ...sent }: SentForm,
  name: string = newToken(),
): Promise<string> {
  const sealed = sealer.seal(JSON.stringify(fields), contextOf(_id));
  const keptForm: Kept = { ...sent, name, sealed, expiresAt: new Date(now() + keptMs) };
  await models.sessions.updateOne({ _id }, { $set: { keptForm } });
  return name;
}

/** Takes the stored input of a page's form, once. @returns null if none is stored for it */
export async function takeForm(
  deps: KeptFormDeps,
  session: Pick<SessionDoc, '_id' | 'keptForm'>,
  path: string,
): Promise<FormFields | null> {
  const { keptForm } = session;
  if (!keptForm || keptForm.path !== path) return null;
  return (await take(deps, session._id, keptForm))?.fields ?? null;
}

/** The stored form of this name; null if there is none, or it cannot be carried out. */
export function keptFormOf(
  { now }: Pick<KeptFormDeps, 'now'>,
  { keptForm }: Pick<SessionDoc, 'keptForm'>,
  name: string,
): Kept | null {
  const isKept = keptForm?.name === name && keptForm.action !== null;
  return isKept && keptForm.expiresAt.getTime() > now() ? keptForm : null;
}

/** Takes the stored form of this name, to carry it out: of two concurrent requests, one gets it. */
export async function takeSentForm(
  deps: KeptFormDeps,
  session: Pick<SessionDoc, '_id' | 'keptForm'>,
  name: string,
): Promise<SentForm | null> {
  const kept = keptFormOf(deps, session, name);
  return kept && (await take(deps, session._id, kept));
}

/**
 * Moves the form that a user sent after their session had ended to their next one.
 * @param token the cookie of the one that ended
 * @returns its name, which stays; null if there is none of this user
 */
export async function inheritForm(
  deps: KeptFormDeps,
  token: string,
  { _id, userId }: Pick<SessionDoc, '_id' | 'userId'>,
): Promise<string | null> {
  const ended = await deps.models.sessions.findOne({ tokenHash: sha256Hex(token), userId });
  if (!ended?.keptForm) return null;
  const sent = await take(deps, ended._id, ended.keptForm);
  return sent && (await keepForm(deps, { _id }, sent, ended.keptForm.name));
}

async function take(
  { models, sealer, now }: KeptFormDeps,
  _id: string,
  { path, search, action, name, sealed, expiresAt }: Kept,
): Promise<SentForm | null> {
  const taken = await models.sessions.updateOne(
    { _id, 'keptForm.name': name },
    { $set: { keptForm: null } },
  );
  if (taken.modifiedCount === 0 || expiresAt.getTime() <= now()) return null;
  const fields = JSON.parse(sealer.open(sealed, contextOf(_id))) as FormFields;
  return { path, search, action, fields };
}
