import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { SessionDoc } from '../schemas/session.ts';

/** How long what is shown once waits to be looked at. */
const revealMs = 5 * 60_000;

interface RevealDeps {
  models: Models;
  sealer: Sealer;
  now: () => number;
}

const contextOf = (sessionId: string): string => `reveal in ${sessionId}`;

/**
 * Keeps a secret for the next page of a session, sealed, in place of any before.
 * @param back where another is made, should this one be lost; a path
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
 * Takes what a session is to be shown: of two that ask at once, one gets it.
 * @returns it in clear, or null where it was taken or waited too long; with the way to another one, null
 *   where there never was any
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
