import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc } from '../schemas/people.ts';

/** Long enough to find one's phone. */
const keptMs = 15 * 60_000;

export interface KeptFormDeps {
  models: Pick<Models, 'sessions'>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  now: () => number;
}

type Fields = Record<string, string | string[]>;

const contextOf = (sessionId: string): string => `form of ${sessionId}`;

/** Stores the input of a form, sealed, replacing any stored before. */
export async function keepForm(
  { models, sealer, now }: KeptFormDeps,
  { _id }: Pick<SessionDoc, '_id'>,
  path: string,
  fields: Fields,
): Promise<void> {
  const sealed = sealer.seal(JSON.stringify(fields), contextOf(_id));
  const keptForm = { path, sealed, expiresAt: new Date(now() + keptMs) };
  await models.sessions.updateOne({ _id }, { $set: { keptForm } });
}

/** Takes the stored input of a page's form, once. @returns null if none is stored for it */
export async function takeForm(
  { models, sealer, now }: KeptFormDeps,
  { _id, keptForm }: Pick<SessionDoc, '_id' | 'keptForm'>,
  path: string,
): Promise<Fields | null> {
  if (!keptForm || keptForm.path !== path) return null;
  await models.sessions.updateOne({ _id }, { $set: { keptForm: null } });
  if (keptForm.expiresAt.getTime() <= now()) return null;
  return JSON.parse(sealer.open(keptForm.sealed, contextOf(_id))) as Fields;
}
