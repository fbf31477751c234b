import {
  introductionActions,
  introductionMs,
  introductionsIn,
  isFreshIntroduction,
} from '../../domain/introductions.ts';
import { may, type Permission, permittedRoles } from '../../domain/operators.ts';
import type { Models } from '../schemas/index.ts';
import type { IntroductionDoc, OperatorDoc } from '../schemas/people.ts';

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

/** Who can approve a proposal: somebody, only operators who are not independent of its proposer, or nobody. */
export type Approvers = 'SOMEBODY' | 'DEPENDENT' | 'NOBODY';

/** No more are looked at for whether somebody can approve a proposal. */
const maxLookedAt = 25;

/** @param at milliseconds since the epoch */
export async function approversOf(
  models: Models,
  { action, proposedBy }: { action: Permission; proposedBy: string },
  at: number,
): Promise<Approvers> {
  const role = { $in: permittedRoles[action].filter((one) => may(one, 'proposal.decide')) };
  const others = await models.operators
    .find({ role, revokedAt: null, _id: { $ne: proposedBy } }, { _id: 1 })
    .limit(maxLookedAt);
  for (const { _id } of others) {
    if (await areIndependent(models, [proposedBy, _id], at)) return 'SOMEBODY';
  }
  return others.length === 0 ? 'NOBODY' : 'DEPENDENT';
}

/** Whether an operator was introduced within 30 days and not confirmed since. */
export const isIntroduced = ({ introductions }: Introduced, at: number): boolean =>
  introductions.some((one) => isFreshIntroduction(one, at));

/** An operator, whoever introduced them, whoever introduced those, and so on. */
async function introducersOf(models: Models, operatorId: string, at: number): Promise<string[]> {
  const known = new Set([operatorId]);
  let next = [operatorId];
  while (next.length > 0) {
    const fresh = (await introductionsOf(models, next, at)).filter((one) =>
      isFreshIntroduction(one, at),
    );
    next = [...new Set(fresh.map(({ by }) => by))].filter((by) => !known.has(by));
    for (const by of next) known.add(by);
  }
  return [...known];
}

type Introduced = Pick<OperatorDoc, 'introductions'>;

/**
 * The introductions of some operators: as they are stored, and, for those who are not, from the audit log.
 */
async function introductionsOf(
  models: Models,
  operatorIds: readonly string[],
  at: number,
): Promise<IntroductionDoc[]> {
  const [operators, entries] = await Promise.all([
    models.operators.find({ _id: { $in: operatorIds } }, { introductions: 1 }),
    models.auditEntries.find({
      targetId: { $in: operatorIds },
      action: { $in: introductionActions },
      status: { $ne: 'FAILED' },
      at: { $gt: new Date(at - introductionMs) },
    }),
  ]);
  return operators.flatMap(({ _id, introductions }) => {
    const own = entries.filter(({ targetId }) => targetId === _id);
    const logged = introductionsIn(own).filter(
      (one) => !introductions.some(({ by, at }) => by === one.by && at >= one.at),
    );
    return [...introductions, ...logged];
  });
}
