import type { Models } from '../schemas/index.ts';

/** Wrong codes of one user in a day; a right one in between begins no new day. */
export const maxWrongCodesADay = 20;
const dayMs = 24 * 60 * 60_000;

interface WrongCodeDeps {
  models: Models;
  now: () => number;
}

/** Whether one more may be tried, and when the day is over. */
export interface CodeTry {
  isGranted: boolean;
  /** How many were wrong today, this one among them until it is known to be right. */
  wrongCodes: number;
  resetSeconds: number;
}

/**
 * Takes one of the tries that a user has in a day, whichever process is asked. It counts as wrong until
 * `codeWasRight`.
 */
export async function takeCodeTry(
  { models, now }: WrongCodeDeps,
  userId: string,
): Promise<CodeTry> {
  const at = new Date(now());
  const begun = { endsAt: new Date(now() + dayMs), count: 1 };
  const more = {
    endsAt: '$wrongCodes.endsAt',
    count: { $min: [maxWrongCodesADay + 1, { $add: ['$wrongCodes.count', 1] }] },
  };
  const { wrongCodes } = await models.users
    .findOneAndUpdate(
      { _id: userId },
      [{ $set: { wrongCodes: { $cond: [{ $gt: ['$wrongCodes.endsAt', at] }, more, begun] } } }],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean()
    .orFail();
  const { count, endsAt } = wrongCodes ?? begun;
  const resetSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now()) / 1_000));
  return { isGranted: count <= maxWrongCodesADay, wrongCodes: count, resetSeconds };
}

/** The code that was tried last was right, so that it does not count. */
export async function codeWasRight({ models }: WrongCodeDeps, userId: string): Promise<void> {
  await models.users.updateOne(
    { _id: userId, 'wrongCodes.count': { $gt: 0 } },
    { $inc: { 'wrongCodes.count': -1 } },
  );
}
