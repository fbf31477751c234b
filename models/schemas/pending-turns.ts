import type { IndexOptions } from 'mongoose';

/** Of what is pending, in the order of the turns: as large as the backlog, whatever was ever stored. */
export const pendingTurns = {
  fields: { mode: 1, partnerId: 1, pendingSince: 1, _id: 1 },
  options: {
    name: 'pending_turns',
    partialFilterExpression: { pendingSince: { $exists: true } },
  } satisfies IndexOptions,
} as const;
