import type { Models } from '../schemas/index.ts';
import type { WrongCodes } from '../schemas/user.ts';

/** Wrong codes in a day; a right one in between begins no new day. */
export const maxWrongCodesADay = 20;
const dayMs = 24 * 60 * 60_000;

interface WrongCodeDeps {
  models: Models;
  now: () => number;
}

/**
 * Whose tries are counted: a browser in which the user gave a right code before has tries of its own, so
 * that nobody else uses them up; all other browsers share the user's, so that many allow no more guesses.
 */
export interface CodeGuesser {
  userId: string;
  /** The hash of a proven browser; null for any other. */
  provenDevice: string | null;
}

/** Whether one more may be tried, and when the day is over. */
export interface CodeTry {
  isGranted: boolean;
  /** How many were wrong today, this one among them until it is known to be right. */
  wrongCodes: number;
  resetSeconds: number;
}

/**
 * Takes one of the tries of a day, whichever process is asked. It counts as wrong until `codeWasRight`.
 */
export async function takeCodeTry(
  { models, now }: WrongCodeDeps,
  { userId, provenDevice }: CodeGuesser,
): Promise<CodeTry> {
  const begun: WrongCodes = { endsAt: new Date(now() + dayMs), count: 1 };
  const counted = (wrongCodes: string) => ({
    $cond: [
      { $gt: [`${wrongCodes}.endsAt`, new Date(now())] },
      {
        endsAt: `${wrongCodes}.endsAt`,
        count: { $min: [maxWrongCodesADay + 1, { $add: [`${wrongCodes}.count`, 1] }] },
      },
      begun,
    ],
  });
  const inDevice = {
    $cond: [
      { $eq: ['$$this.hash', provenDevice] },
      { $mergeObjects: ['$$this', { wrongCodes: counted('$$this.wrongCodes') }] },
      '$$this',
    ],
  };
  const user = await models.users
    .findOneAndUpdate(
      { _id: userId },
      [
        {
          $set:
            provenDevice === null
              ? { wrongCodes: counted('$wrongCodes') }
              : { devices: { $map: { input: '$devices', in: inDevice } } },
        },
      ],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean()
    .orFail();
  const { count, endsAt } =
    (provenDevice === null
      ? user.wrongCodes
      : user.devices?.find(({ hash }) => hash === provenDevice)?.wrongCodes) ?? begun;
  const resetSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now()) / 1_000));
  return { isGranted: count <= maxWrongCodesADay, wrongCodes: count, resetSeconds };
}

/** The code that was tried last was right, so that it does not count. */
export async function codeWasRight(
  { models }: Pick<WrongCodeDeps, 'models'>,
  { userId, provenDevice }: CodeGuesser,
): Promise<void> {
  if (provenDevice === null) {
    await models.users.updateOne(
      { _id: userId, 'wrongCodes.count': { $gt: 0 } },
      { $inc: { 'wrongCodes.count': -1 } },
    );
    return;
  }
  const counted = { hash: provenDevice, 'wrongCodes.count': { $gt: 0 } };
  await models.users.updateOne(
    { _id: userId, devices: { $elemMatch: counted } },
    { $inc: { 'devices.$.wrongCodes.count': -1 } },
  );
}
