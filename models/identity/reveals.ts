import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc } from '../schemas/people.ts';

/** How long a secret that is shown once can be retrieved. */
const revealMs = 5 * 60_000;

interface RevealDeps {
  models: Models;
  sealer: Sealer;
  now: () => number;
}

const contextOf = (sessionId: string): string => `reveal in ${sessionId}`;

/**
 * Stores a secret for the next page of a session, sealed, replacing any stored before.
 * @param back the path where another one can be made, should this one be lost
 */
export async function keepReveal(
  { models, sealer, now }: RevealDeps,
  { _id }: SessionDoc,
  { text, back }: { text: string; back: string },
): Promise<void> {
  const reveal = {
    sealed: sealer.seal(text, contextOf(_id)),
    back,
    expiresAt: new Date(now() + revealMs),
  };
  await models.sessions.updateOne({ _id }, { $set: { reveal } });
}

/**
 * Takes the secret that a session is to be shown: of two concurrent requests, one gets it.
 * @returns it in clear, or null if it was taken or has expired, with the path for making another;
 *   null if there never was one
 */
export async function takeReveal(
  { models, sealer, now }: RevealDeps,
  { _id, reveal }: SessionDoc,
): Promise<{ text: string | null; back: string | null }> {
  if (!reveal) return { text: null, back: null };
  const { back, sealed } = reveal;
  if (sealed === null) return { text: null, back };
  const taken = await models.sessions.updateOne(
    { _id, 'reveal.sealed': sealed },
    { $set: { 'reveal.sealed': null } },
  );
  const isInTime = reveal.expiresAt.getTime() > now();
  const isTaken = taken.modifiedCount > 0 && isInTime;
  return { text: isTaken ? sealer.open(sealed, contextOf(_id)) : null, back };
}
