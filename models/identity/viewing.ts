import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc, ViewingDoc } from '../schemas/people.ts';

/** The longest that an operator can view a partner's portal. */
export const viewingMs = 30 * 60_000;

/**
 * Switches a session to a partner's portal, and changes the value of the cookie.
 * @returns the new value in clear
 */
export async function startViewing(
  { models }: { models: Models },
  { _id }: Pick<SessionDoc, '_id'>,
  viewing: ViewingDoc,
): Promise<string> {
  const token = newToken();
  await models.sessions.updateOne({ _id }, { $set: { viewing, tokenHash: sha256Hex(token) } });
  return token;
}

/** Switches a session back to the operators' console, unless another view was started since. */
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
