import type { IndexOptions } from 'mongoose';

/** The index of pending documents, in the order in which partners take turns. It is only as large as the backlog. */
export const pendingTurns = {
  fields: { mode: 1, partnerId: 1, pendingSince: 1, _id: 1 },
  options: {
    name: 'pending_turns',
    partialFilterExpression: { pendingSince: { $exists: true } },
  } satisfies IndexOptions,
} as const;
