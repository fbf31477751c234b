import type { Models } from '../schemas/index.ts';
import type { WrongCodes } from '../schemas/people.ts';

/** The most wrong codes in a day; a correct one in between does not reset the count. */
export const maxWrongCodesADay = 20;
const dayMs = 24 * 60 * 60_000;

interface WrongCodeDeps {
  models: Models;
  now: () => number;
}

/**
 * Whose attempts are counted. A browser in which the user entered a correct code before has
 * attempts of its own, so that nobody else can use them up; all other browsers share those of the
 * user, so that more browsers allow no more guesses.
 */
export interface CodeGuesser {
  userId: string;
  /** The hash of a proven browser; otherwise null. */
  provenDevice: string | null;
}

/** Whether another attempt is allowed, and when the day ends. */
export interface CodeTry {
  isGranted: boolean;
  /** The wrong codes today, including this one until it is known to be correct. */
  wrongCodes: number;
  resetSeconds: number;
}

/**
 * Uses one of the day's attempts, across all processes. It counts as wrong until `codeWasRight`.
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
    .orFail();
  const { count, endsAt } =
    (provenDevice === null
      ? user.wrongCodes
      : user.devices?.find(({ hash }) => hash === provenDevice)?.wrongCodes) ?? begun;
  const resetSeconds = Math.max(1, Math.ceil((endsAt.getTime() - now()) / 1_000));
  return { isGranted: count <= maxWrongCodesADay, wrongCodes: count, resetSeconds };
}

/** Records that the last code was correct, so that it does not count. */
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
