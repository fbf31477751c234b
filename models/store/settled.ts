/** For reads that a response or a step rests on: only writes that can no longer be rolled back. */
export const settled = { readConcern: { level: 'majority' } } as const;
