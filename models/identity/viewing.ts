import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc, ViewingDoc } from '../schemas/session.ts';

/** An operator looks at a partner's portal for so long at most. */
export const viewingMs = 30 * 60_000;

/**
 * Lets a session show a partner's portal instead of the operators', and changes the cookie's value with it.
 * @returns the new value in clear
 */
export async function beginViewing(
  { models }: { models: Models },
  { _id }: Pick<SessionDoc, '_id'>,
  viewing: ViewingDoc,
): Promise<string> {
  const token = newToken();
  await models.sessions.updateOne({ _id }, { $set: { viewing, tokenHash: sha256Hex(token) } });
  return token;
}

/** The session shows the operators' console again; one that began another view since goes on with that. */
export async function stopViewing(
  { models }: { models: Models },
  { _id }: Pick<SessionDoc, '_id'>,
  { startedAt }: Pick<ViewingDoc, 'startedAt'>,
): Promise<void> {
  await models.sessions.updateOne(
    { _id, 'viewing.startedAt': startedAt },
    { $set: { viewing: null } },
  );
}
