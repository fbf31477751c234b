import { isRaise, type Role } from './operators.ts';
import { dayMs } from './utc-days.ts';

/** Somebody had a hand in letting an operator in. */
export interface Introduction {
  by: string;
  at: Date;
  /** A third operator who confirmed the one let in. */
  confirmedBy: string | null;
}

/**
 * How long an operator who was created, promoted, or whose second factor was reset is not independent of
 * those who proposed and approved it, unless a third operator confirms them.
 */
export const introductionMs = 30 * dayMs;

/** What lets somebody in: whoever reads the mailbox acts as that operator from then on. */
const introducing = ['operator.create', 'operator.change-role', 'operator.reset-second-factor'];

/** The operations that say who introduced an operator, and who confirmed them. */
export const introductionActions = [...introducing, 'operator.confirm'];

/** The introductions by everybody who had a hand in one: the proposer and, if there was one, the approver. */
export const introductionsBy = (
  { actor, approvedBy }: { actor: { id: string }; approvedBy: string | null },
  at: Date,
): Introduction[] =>
  [...new Set([actor.id, ...(approvedBy === null ? [] : [approvedBy])])].map((by) => ({
    by,
    at,
    confirmedBy: null,
  }));

/** Whether an introduction makes two operators dependent at a time. @param nowMs since the epoch */
export const isFreshIntroduction = ({ at, confirmedBy }: Introduction, nowMs: number): boolean =>
  confirmedBy === null && nowMs - at.getTime() < introductionMs;

interface Entry {
  action: string;
  actorId: string;
  approvedBy: string | null;
  details: Record<string, unknown>;
  status: string;
  at: Date;
}

/** What the entries of one operator say: each introduction, and who confirmed it later. */
export function introductionsIn(entries: readonly Entry[]): Introduction[] {
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

function isIntroduction({ action, details }: Entry): boolean {
  if (action !== 'operator.change-role') return introducing.includes(action);
  return isRaise(details.from as Role, details.to as Role);
}
