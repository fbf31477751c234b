import { isRaise, type Role } from '../../domain/operators.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { AuditEntryDoc } from '../schemas/audit.ts';
import type { Models } from '../schemas/index.ts';
import type { IntroductionDoc, OperatorDoc } from '../schemas/people.ts';

/**
 * How long an operator who was created, promoted, or whose second factor was reset is not independent of
 * those who proposed and approved it, unless a third operator confirms them.
 */
export const introductionMs = 30 * dayMs;

/** What lets somebody in: whoever reads the mailbox acts as that operator from then on. */
const introducing = ['operator.create', 'operator.change-role', 'operator.reset-second-factor'];

/** The introductions by everybody who had a hand in one: the proposer and, if there was one, the approver. */
export const introductionsBy = (
  { actor, approvedBy }: { actor: { id: string }; approvedBy: string | null },
  at: Date,
): IntroductionDoc[] =>
  [...new Set([actor.id, ...(approvedBy === null ? [] : [approvedBy])])].map((by) => ({
    by,
    at,
    confirmedBy: null,
  }));

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
    const fresh = (await introductionsOf(models, next, at)).filter((one) => isFresh(one, at));
    next = [...new Set(fresh.map(({ by }) => by))].filter((by) => !known.has(by));
    for (const by of next) known.add(by);
  }
  return [...known];
}

type Introduced = Pick<OperatorDoc, 'introductions'>;

const isFresh = ({ at, confirmedBy }: IntroductionDoc, nowMs: number): boolean =>
  confirmedBy === null && nowMs - at.getTime() < introductionMs;

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
      action: { $in: [...introducing, 'operator.confirm'] },
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

/** What the entries of one operator say: each introduction, and who confirmed it later. */
export function introductionsIn(
  entries: readonly Pick<
    AuditEntryDoc,
    'action' | 'actorId' | 'approvedBy' | 'details' | 'at' | 'status'
  >[],
): IntroductionDoc[] {
  const confirmations = entries.filter(
    ({ action, status }) => action === 'operator.confirm' && status === 'DONE',
  );
  return entries.filter(isIntroduction).flatMap(({ actorId, approvedBy, at }) => {
    const confirmedBy =
      confirmations.find((one) => one.at > at && ![actorId, approvedBy].includes(one.actorId))
        ?.actorId ?? null;
    return introductionsBy({ actor: { id: actorId }, approvedBy }, at)
      .filter(({ by }) => by.startsWith('opr_'))
      .map((one) => ({ ...one, confirmedBy }));
  });
}

function isIntroduction({ action, details }: Pick<AuditEntryDoc, 'action' | 'details'>): boolean {
  if (action !== 'operator.change-role') return introducing.includes(action);
  return isRaise(details.from as Role, details.to as Role);
}
