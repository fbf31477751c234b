export const modes = ['TEST', 'LIVE'] as const;

export type Mode = (typeof modes)[number];
