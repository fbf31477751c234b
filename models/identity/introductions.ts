import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import type { IntroductionDoc, OperatorDoc } from '../schemas/people.ts';

/**
 * How long a new or promoted operator is not independent of whoever created or promoted them,
 * unless a third operator confirms them.
 */
const introductionMs = 30 * dayMs;

/**
 * Whether two operators can be assumed to be two people: neither introduced the other, and nobody
 * introduced both, within 30 days and unconfirmed. So nobody approves through a puppet account.
 * Every introduction counts: another one, by somebody else, does not cancel it.
 * @param at milliseconds since the epoch
 */
export async function areIndependent(
  models: Models,
  [one, other]: readonly [string, string],
  at: number,
): Promise<boolean> {
  const [ones, others] = await Promise.all([
    introducersOf(models, one, at),
    introducersOf(models, other, at),
  ]);
  return !ones.some((id) => others.includes(id));
}

/** Whether an operator was introduced within 30 days and not confirmed since. */
export const isIntroduced = ({ introductions }: Introduced, at: number): boolean =>
  introductions.some((one) => isFresh(one, at));

/** An operator, whoever introduced them, whoever introduced those, and so on. */
async function introducersOf(models: Models, operatorId: string, at: number): Promise<string[]> {
  const known = new Set([operatorId]);
  let next = [operatorId];
  while (next.length > 0) {
    const found = await models.operators.find({ _id: { $in: next } }, { introductions: 1 });
    const fresh = found.flatMap(({ introductions }) =>
      introductions.filter((one) => isFresh(one, at)),
    );
    next = [...new Set(fresh.map(({ by }) => by))].filter((by) => !known.has(by));
    for (const by of next) known.add(by);
  }
  return [...known];
}

type Introduced = Pick<OperatorDoc, 'introductions'>;

const isFresh = ({ at, confirmedBy }: IntroductionDoc, nowMs: number): boolean =>
  confirmedBy === null && nowMs - at.getTime() < introductionMs;
