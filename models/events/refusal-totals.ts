import { dayOf } from '../../domain/billing.ts';
import { partnerErrors } from '../../domain/error-codes.ts';
import type { Models } from '../schemas/index.ts';
import type { LoggedRequest } from '../schemas/requests.ts';
import { isOnlyDuplicates, refusedWrites } from '../store/insert-once.ts';

const isRefusal = ({ code }: Pick<LoggedRequest, 'code'>): boolean =>
  Object.hasOwn(partnerErrors, code);

/** Adds refused requests to the totals of their days; other requests are left out. */
export async function addRefusals(
  { refusalTotals }: Pick<Models, 'refusalTotals'>,
  events: readonly LoggedRequest[],
): Promise<void> {
  const days = Map.groupBy(
    events.filter(isRefusal),
    ({ partnerId, mode, receivedAt }) => `${partnerId}/${mode}/${dayOf(receivedAt.toISOString())}`,
  );
  if (days.size === 0) return;
  const writes = [...days].map(([_id, refused]) => {
    const { partnerId, mode, receivedAt } = refused[0] as LoggedRequest;
    return {
      updateOne: {
        filter: { _id, partnerId },
        update: {
          $inc: countsOf(refused),
          $setOnInsert: { mode, day: dayOf(receivedAt.toISOString()) },
        },
        upsert: true,
      },
    };
  });
  const { collection } = refusalTotals;
  try {
    await collection.bulkWrite(writes, { ordered: false });
  } catch (error) {
    if (!isOnlyDuplicates(error)) throw error;
    // Another process inserted the day at the same time, so our inserts were refused; now they update that document.
    const lost = refusedWrites(error).map(({ index }) => index);
    const again = writes.filter((_, index) => lost.includes(index));
    await collection.bulkWrite(again, { ordered: false });
  }
}

function countsOf(refused: readonly LoggedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, count } of refused) {
    const field = `codes.${code}`;
    counts[field] = (counts[field] ?? 0) + count;
  }
  return counts;
}
