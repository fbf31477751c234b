import { ServiceError } from '../../domain/errors.ts';
import type { Models } from '../schemas/index.ts';
import { addWithinLimit } from './add-within-limit.ts';

/** How often one person can do what everybody may, such as choosing a time zone, in an hour (UTC). */
export const actionsPerHour = 60;

const hourMs = 3_600_000;

/**
 * Counts something that one person does, so that nobody floods the audit log. Each kind of action counts by
 * itself: a flood of one keeps nobody from another, such as signing out a thief.
 * @param nowMs milliseconds since the epoch
 * @throws ServiceError RATE_LIMITED
 */
export async function takeAction(
  { mailCounts }: Models,
  { action, actorId }: { action: string; actorId: string },
  nowMs: number,
): Promise<void> {
  const hour = new Date(nowMs).toISOString().slice(0, 13);
  const count = { _id: `ACTION ${action} ${actorId}:${hour}`, expiresAt: new Date(nowMs + hourMs) };
  const isTaken = await addWithinLimit(mailCounts, count, 'count', {
    by: 1,
    limit: actionsPerHour,
  });
  if (isTaken) return;
  const leftSeconds = Math.ceil((hourMs - (nowMs % hourMs)) / 1_000);
  throw new ServiceError(
    'RATE_LIMITED',
    `You did this ${actionsPerHour} times within the hour. Try again in ${Math.ceil(leftSeconds / 60)} min.`,
    { 'Retry-After': String(leftSeconds) },
  );
}
